"""Weekly sets of each muscle group: how many more this week may hold, and which are few or many."""

from collections.abc import Iterable, Mapping, Sequence

from coach_agent.plan import Adjustment, Place, SetPrescription
from coach_agent.progression.constants import (
    VOLUME_CHECK_ABOVE,
    VOLUME_LOW_BELOW,
    VOLUME_PRIMARY,
    VOLUME_SECONDARY,
)
from coach_agent.progression.history import WORKING_TYPES

Weeks = Mapping[str, Sequence[float]]
"""By muscle group, the fractional sets of the whole weeks before, any order."""


def fractional_sets(
    exercises: Iterable[tuple[Place, Sequence[SetPrescription]]],
) -> dict[str, float]:
    """By muscle group, the working sets of a workout: whole ones for the primary, half otherwise.

    Source: fractional counting, Pelland et al., Sports Med 56:481.
    """
    sums: dict[str, float] = {}
    for place, sets in exercises:
        count = sum(each.set_type in WORKING_TYPES for each in sets)
        shares = dict.fromkeys(place.secondary_muscle_groups, VOLUME_SECONDARY.value)
        if place.primary_muscle_group is not None:
            shares[place.primary_muscle_group] = VOLUME_PRIMARY.value
        for group, share in shares.items():
            sums[group] = sums.get(group, 0.0) + share * count
    return sums


def week_left(before: Weeks, now: Mapping[str, float], max_change_pct: float) -> dict[str, float]:
    """By muscle group, how many sets this week may still bring, at least 0.

    A week may have so many per cent more than the fullest of those before, and a set more in any
    case. Without weeks before there is nothing to compare with, and no limit. `now` is what this
    week had so far.
    """
    left = {}
    for group, weeks in before.items():
        fullest = max(weeks, default=0.0)
        if fullest > 0:
            most = max(fullest * (1 + max_change_pct / 100), fullest + 1)
            left[group] = max(0.0, most - now.get(group, 0.0))
    return left


def volume_advice(before: Weeks) -> tuple[Adjustment, ...]:
    """What to say of muscle groups that lately got few sets a week, or many.

    Bands are opinion, so nothing is changed for them. Groups that are not trained at all are left
    alone: that is the athlete's choice.
    """
    advice = []
    for group, weeks in sorted(before.items()):
        mean = sum(weeks) / len(weeks) if weeks else 0.0
        name = group.replace("_", " ").capitalize()
        if 0 < mean < VOLUME_LOW_BELOW.value:
            text = (
                f"{name}: {mean:.1f} hard sets a week lately; "
                f"from {VOLUME_LOW_BELOW.value:g} on they tell."
            )
            advice.append(Adjustment(rule="volume_low", text=text))
        elif mean > VOLUME_CHECK_ABOVE.value:
            text = f"{name}: {mean:.1f} hard sets a week lately; see that you recover from them."
            advice.append(Adjustment(rule="volume_high", text=text))
    return tuple(advice)
