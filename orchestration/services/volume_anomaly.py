"""Detect a training history that shrank implausibly since the last release."""

import logging
from collections.abc import Sequence
from pathlib import Path

import duckdb

from orchestration.services.release import released_databases
from orchestration.storage.connection import connect_duckdb

_log = logging.getLogger(__name__)

# Deleting a workout, or merging a file with an account, removes little. A loss of half is a failed
# ingestion, another account behind the key, or an intended deletion.
LEAST_KEPT_RATIO = 0.5
# In a new history, half is one workout.
LEAST_SETS = 60

_COUNTED = """
    select athlete_id, count(*) from marts.fct_set
    where athlete_id in (select unnest($athletes)) group by athlete_id
"""


def lost_histories(
    con: duckdb.DuckDBPyConnection, release_folder: Path, athletes: Sequence[str]
) -> dict[str, str]:
    """Return for each athlete a message about sets that the release has and the marts lack.

    Compared with the release, so the result persists until the sets are back or a release without
    them exists. Empty before the first release. If its database cannot be read, the latest readable
    one is used.
    """
    before = _released_counts(release_folder, athletes)
    after = _counts(con, athletes) if before else {}
    return {
        athlete: _told(athlete, was, after.get(athlete, 0))
        for athlete, was in sorted(before.items())
        if was >= LEAST_SETS and after.get(athlete, 0) < was * LEAST_KEPT_RATIO
    }


def _released_counts(release_folder: Path, athletes: Sequence[str]) -> dict[str, int]:
    for released in released_databases(release_folder):
        try:
            with connect_duckdb(released, read_only=True) as readers:
                return _counts(readers, athletes)
        except duckdb.Error as error:
            # It is only a copy, which the next release replaces.
            _log.warning("%s cannot be compared with: %s", released, error)
    return {}


def _counts(con: duckdb.DuckDBPyConnection, athletes: Sequence[str]) -> dict[str, int]:
    has_sets = con.execute("select 1 from duckdb_tables() where table_name = 'fct_set'").fetchall()
    if not has_sets:
        return {}
    return dict(con.execute(_COUNTED, {"athletes": list(athletes)}).fetchall())


def _told(athlete: str, was: int, now: int) -> str:
    return (
        f"{now} of {was} sets are left of the last release, so nothing is planned from them and "
        "readers keep that release. If they were deleted on purpose, run: spotter run "
        f"--accept-deletions {athlete}. If not, look whether the key is that of the right account, "
        "then run: spotter sync --full"
    )
