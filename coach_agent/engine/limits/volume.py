"""Weekly sets of each muscle group: few, many, or many more than before."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from coach_agent.domain.constants.volume import VOLUME_CHECK_ABOVE, VOLUME_LOW_BELOW
from coach_agent.domain.plan import Adjustment
from coach_agent.language.messages import capitalise, decimals, name_of, phrase

Weeks = Mapping[str, Sequence[float]]
"""Fractional hard sets of the whole weeks before, at least one, by muscle group."""

# Groups of exercises in Hevy without a muscle of their own.
_NO_MUSCLE = frozenset({"cardio", "other"})


def volume_advice(
    before: Weeks, now: Mapping[str, float], max_change_pct: float
) -> tuple[Adjustment, ...]:
    """Return advice for muscle groups with recently few weekly sets, or many, or many more.

    `now` has the sets of this week so far; a jump is `max_change_pct`, and a set, above the fullest
    week before. Bands are opinion, and the day of a plan's workout is not known, so no plan is
    changed for them. Untrained groups are ignored: that is the athlete's choice. So are cardio
    and other exercises, which have no muscle that sets would grow.

    Source: fractional counting, Pelland et al., Sports Med 56:481; the cut points are opinion.
    """
    advice = []
    for group, weeks in sorted(before.items()):
        if group in _NO_MUSCLE:
            continue
        mean, fullest = fmean(weeks), max(weeks)
        name = capitalise(name_of("muscle", group))
        sets = now.get(group, 0.0)
        if fullest and sets > max(fullest * (1 + max_change_pct / 100), fullest + 1):
            text = phrase(
                "volume-jump",
                muscle=name,
                sets=decimals(f"{sets:g}"),
                fullest=decimals(f"{fullest:g}"),
            )
            advice.append(Adjustment(rule="volume_jump", text=text))
        elif 0 < mean < VOLUME_LOW_BELOW.value:
            text = phrase(
                "volume-low",
                muscle=name,
                sets=decimals(f"{mean:.1f}"),
                least=f"{VOLUME_LOW_BELOW.value:g}",
            )
            advice.append(Adjustment(rule="volume_low", text=text))
        elif mean > VOLUME_CHECK_ABOVE.value:
            text = phrase("volume-high", muscle=name, sets=decimals(f"{mean:.1f}"))
            advice.append(Adjustment(rule="volume_high", text=text))
    return tuple(advice)
