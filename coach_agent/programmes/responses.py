"""The athlete's own response to volume in a programme: weekly sets of a muscle within its range."""

from collections.abc import Iterable, Mapping

from coach_agent.programmes.request import MuscleResponse

_LEAST_DIFFERENCE = 0.5  # sets; the smallest credit of a set


def target_sets(responses: Iterable[MuscleResponse], low: int, high: int) -> dict[str, float]:
    """Return the weekly sets that the muscles with a known response rise to.

    The usual target is the middle of the range. It moves towards more or fewer sets, but neither
    out of the range nor beyond the sets of the log, outside of which nothing is known.
    """
    middle = (low + high) / 2
    return {
        each.muscle: (
            min(float(high), max(middle, each.most_sets))
            if each.slope_pct > 0
            else max(float(low), min(middle, each.least_sets))
        )
        for each in responses
    }


def response_notes(
    responses: Iterable[MuscleResponse], sets: Mapping[str, float], usual: Mapping[str, float]
) -> list[str]:
    """Return a sentence for each response that changed the weekly sets of its muscle.

    `sets` are those of the programme by muscle, `usual` those without any response.
    """
    found = []
    for each in responses:
        now, before = sets.get(each.muscle, 0.0), usual.get(each.muscle, 0.0)
        if (now - before) * each.slope_pct <= 0 or abs(now - before) < _LEAST_DIFFERENCE:
            continue
        name = each.muscle.replace("_", " ").capitalize()
        more = "more" if each.slope_pct > 0 else "less"
        found.append(
            f"{name}: {now:g} hard sets a week instead of {before:g}. In your log it gained {more} "
            f"with more sets: {each.slope_pct:+.2f} % in 4 weeks for each weekly set "
            f"(90 % interval {each.low_pct:+.2f} to {each.high_pct:+.2f}), "
            f"from {each.least_sets:.0f} to {each.most_sets:.0f} sets."
        )
    return found
