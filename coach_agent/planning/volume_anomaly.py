"""Detect a training history that shrank implausibly."""

from collections.abc import Mapping

# Deleting a workout, or merging a file with an account, removes little. A loss of half is a failed
# ingestion, another account behind the key, or an intended deletion.
LEAST_KEPT_RATIO = 0.5
# In a new history, half is one workout.
LEAST_SETS = 60


def lost_sets(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, str]:
    """Return a message for each athlete who lost half of the sets or more.

    `before` are the sets of the last release by athlete, `after` those of the marts.
    """
    return {
        athlete: _message(athlete, was, after.get(athlete, 0))
        for athlete, was in sorted(before.items())
        if was >= LEAST_SETS and after.get(athlete, 0) < was * LEAST_KEPT_RATIO
    }


def _message(athlete: str, was: int, now: int) -> str:
    return (
        f"{now} of {was} sets are left of the last release, so nothing is planned from them and "
        "readers keep that release. If they were deleted on purpose, run: spotter run "
        f"--accept-deletions {athlete}. If not, look whether the key is that of the right account, "
        "then run: spotter sync --full"
    )
