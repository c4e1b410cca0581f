"""Measures of a policy: strength, misses, injuries, and calibration of its statements."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from statistics import fmean, median

from coach_agent.evaluation.closed_loop import Run, SetOutcome, Verdict

OVERSHOOT = 0.15
"""Share above the rested lifter's ability from which a load counts as too heavy."""
DIVERGED_EXPOSURES = 3
SANDBAG_REPS = 3
EASY_RESERVE = 4
"""Repetitions in reserve from which a set is easy: RIR 3 and less is hard."""
LOW_SETS, HIGH_SETS = 4, 20
"""Weekly fractional hard sets of a muscle: effective minimum, and doubtful recovery."""
GAINING_PCT, ABOUT_PCT, FLAT_PCT = 0.5, 0.1, 0.1
"""True progress per exposure, %: the gain of the stated false alarm rate, the tolerance around it,
and the maximum of a stalled lift."""
LAYOFF_DAYS, BACK_SHARE = 16, 0.95
_BINS = 5


@dataclass(frozen=True)
class ChanceBin:
    """Targets with a stated probability in one fifth of the scale; nulls without any."""

    low: float
    high: float
    count: int
    stated: float | None
    reached: float | None


@dataclass(frozen=True)
class StallMeasures:
    """Measures of the stall rule; shares of its verdicts, null without any.

    Each exposure of a lift with 8 or more gets a verdict, over the latest 8 to 12. `gaining` counts
    the windows with a true gain of 0.4 to 0.6 % per exposure, `false_alarms` is the share of them
    that the rule called stalled, and `stated` the mean of the rates that it stated for these
    windows. `hits` is the share called stalled among truly stalled lifts.
    """

    verdicts: int
    gaining: int
    false_alarms: float | None
    stated: float | None
    hits: float | None


@dataclass(frozen=True)
class LayoffMeasures:
    """Return after more than 16 days without an exercise; null without such a break.

    `first_share` is the first planned load as a share of the last one before; `exposures_back` the
    median number of exposures until it was within 5 % of that, `within_4` the share that needed at
    most four.
    """

    count: int
    first_share: float | None
    exposures_back: float | None
    within_4: float | None


@dataclass(frozen=True)
class Measures:
    """A policy on all lifters. Shares are 0 to 1, by default of all prescribed sets.

    Sets with the lifter's own load are not prescriptions and are excluded.

    `gain_pct` is the median over lifters of the mean gain of their exercises; `gains_pct` has it by
    lifter, and `weekly_gain_pct` at the end of each week. `easy` and `sandbag` are shares of the
    intended hard sets: with 4 or more repetitions left, and with 3 or more beyond the goal.
    `overshoots` are sets over 15 % above ability, `diverged` counts exposures with three in a row.
    `deloads` is a share of sessions, `in_band` of the weeks of trained muscles.
    """

    lifters: int
    sessions: int
    sets: int
    gain_pct: float
    mean_gain_pct: float
    gains_pct: tuple[float, ...]
    weekly_gain_pct: tuple[float, ...]
    missed: float
    easy: float
    sandbag: float
    mean_reserve: float
    overshoots: int
    diverged: int
    injuries: int
    deloads: float
    in_band: float
    chances: tuple[ChanceBin, ...]
    stalls: StallMeasures
    layoffs: LayoffMeasures


def measure_policy(runs: Sequence[Run]) -> Measures:
    """Return the measures of a policy, from its runs on at least one lifter each with a session."""
    sets = [each for run in runs for each in run.sets if not each.has_own_load]
    hard = [each for each in sets if not each.is_easy]
    gains = tuple(gain_of(run) for run in runs)
    sessions = sum(run.sessions for run in runs)
    return Measures(
        lifters=len(runs),
        sessions=sessions,
        sets=len(sets),
        gain_pct=median(gains),
        mean_gain_pct=fmean(gains),
        gains_pct=gains,
        weekly_gain_pct=_weekly_gains(runs),
        missed=_share(each.reps < each.target.low for each in sets),
        easy=_share(each.reserve >= EASY_RESERVE for each in hard),
        sandbag=_share(each.reps >= each.target.goal + SANDBAG_REPS for each in hard),
        mean_reserve=fmean(each.reserve for each in hard),
        overshoots=sum(each.excess > OVERSHOOT for each in sets),
        diverged=sum(_diverged(run) for run in runs),
        injuries=sum(run.injuries for run in runs),
        deloads=sum(run.deloads for run in runs) / sessions,
        in_band=_in_band(runs),
        chances=_chances(sets),
        stalls=_stalls(runs),
        layoffs=_layoffs(runs),
    )


def gain_of(run: Run) -> float:
    """Return the lifter's gain in strength: the mean of all exercises, in percent."""
    return fmean(run.gains_pct.values())


def exposures_of(run: Run) -> dict[str, list[list[SetOutcome]]]:
    """Return the sets by exercise and session."""
    days: dict[str, dict[int, list[SetOutcome]]] = defaultdict(dict)
    for each in run.sets:
        days[each.template_id].setdefault(each.day, []).append(each)
    return {name: list(found.values()) for name, found in days.items()}


def _weekly_gains(runs: Sequence[Run]) -> tuple[float, ...]:
    weeks = 1 + max((each.day // 7 for run in runs for each in run.sets), default=-1)
    by_lifter = [_gains_by_week(run, weeks) for run in runs]
    return tuple(median(gains[week] for gains in by_lifter) for week in range(weeks))


def _gains_by_week(run: Run, weeks: int) -> list[float]:
    """Return the mean gain of the exercises after each week, from their latest exposures."""
    days = {name: [sets[0].day for sets in each] for name, each in exposures_of(run).items()}
    gains = []
    for week in range(weeks):
        done = {name: bisect_left(of_lift, 7 * week + 7) for name, of_lift in days.items()}
        gains.append(
            fmean(
                100 * (known[done.get(name, 0)] / known[0] - 1)
                for name, known in run.strength.items()
            )
        )
    return gains


def _diverged(run: Run) -> int:
    count = 0
    for exposures in exposures_of(run).values():
        above = [sets[0].excess > OVERSHOOT and not sets[0].has_own_load for sets in exposures]
        count += sum(
            all(above[at : at + DIVERGED_EXPOSURES])
            for at in range(len(above) - DIVERGED_EXPOSURES + 1)
        )
    return count


def _in_band(runs: Sequence[Run]) -> float:
    """Return the share of weeks in the band, for the primary muscles of the lifter's exercises.

    Weeks without any session are excluded: they do not measure the plans.
    """
    return _share(
        LOW_SETS <= run.weekly_sets.get((muscle, week), 0.0) <= HIGH_SETS
        for run in runs
        for week in sorted({each.day // 7 for each in run.sets})
        for muscle in run.muscles
    )


def _chances(sets: Iterable[SetOutcome]) -> tuple[ChanceBin, ...]:
    found: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for each in sets:
        if each.chance is not None:
            place = min(int(each.chance * _BINS), _BINS - 1)
            # A plan's stated chance is that of the lower end of a range, independent of the goal.
            found[place].append((each.chance, each.reps >= each.target.low))
    return tuple(
        ChanceBin(
            low=place / _BINS,
            high=(place + 1) / _BINS,
            count=len(found[place]),
            stated=fmean(chance for chance, _ in found[place]) if found[place] else None,
            reached=fmean(reached for _, reached in found[place]) if found[place] else None,
        )
        for place in range(_BINS)
    )


def _stalls(runs: Sequence[Run]) -> StallMeasures:
    gaining: list[tuple[bool, float]] = []
    flat = []
    count = 0
    for run in runs:
        for verdict in run.verdicts:
            slope = true_slope_pct(run, verdict)
            if slope is None:
                continue
            count += 1
            is_flagged = verdict.verdict == "stalled"
            if abs(slope - GAINING_PCT) <= ABOUT_PCT and verdict.stated_rate is not None:
                gaining.append((is_flagged, verdict.stated_rate))
            if slope <= FLAT_PCT:
                flat.append(is_flagged)
    return StallMeasures(
        verdicts=count,
        gaining=len(gaining),
        false_alarms=fmean(is_flagged for is_flagged, _ in gaining) if gaining else None,
        stated=fmean(rate for _, rate in gaining) if gaining else None,
        hits=fmean(flat) if flat else None,
    )


def true_slope_pct(run: Run, verdict: Verdict) -> float | None:
    """Return the true gain per exposure of a verdict's window, in percent; None without a
    verdict.
    """
    if verdict.verdict == "insufficient" or verdict.judged < 2:
        return None
    known = run.strength[verdict.template_id]
    first = max(0, verdict.exposure - verdict.judged + 1)
    return 100 * log(known[verdict.exposure] / known[first]) / (verdict.exposure - first)


def _layoffs(runs: Sequence[Run]) -> LayoffMeasures:
    shares, needed = [], []
    for run in runs:
        for exposures in exposures_of(run).values():
            planned = [
                (sets[0].day, sets[0].target.load_kg)
                for sets in exposures
                if not sets[0].is_easy and not sets[0].has_own_load
            ]
            for at, ((before, load), (after, first)) in enumerate(pairwise(planned)):
                if after - before <= LAYOFF_DAYS:
                    continue
                shares.append(first / load)
                later = [each for _, each in planned[at + 1 :]]
                back = (n for n, each in enumerate(later) if each >= BACK_SHARE * load)
                needed.append(next(back, len(later)))
    return LayoffMeasures(
        count=len(shares),
        first_share=fmean(shares) if shares else None,
        exposures_back=median(needed) if needed else None,
        within_4=_share(each <= 4 for each in needed) if needed else None,
    )


def _share(cases: Iterable[bool]) -> float:
    found = list(cases)
    return sum(found) / len(found) if found else 0.0
