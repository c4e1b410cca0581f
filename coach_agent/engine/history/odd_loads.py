"""First loads that are oddly far from the usual ones, and wait for a second time."""

from collections.abc import Callable, Sequence
from datetime import datetime
from statistics import median

from coach_agent.domain.constants.history import (
    TYPO_BAR_KG,
    TYPO_EFFORT,
    TYPO_MIN_OTHERS,
    TYPO_ODD,
    TYPO_REPEATED,
    TYPO_WINDOW,
)
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.context import Slot
from coach_agent.domain.e1rm import effective_reps, epley_max
from coach_agent.domain.units import KILOGRAMS_PER_POUND
from coach_agent.engine.history.attempts import (
    WORKING_TYPES,
    Answer,
    Attempt,
    done_sets,
    is_after_break,
)
from coach_agent.engine.history.far_off import LoadKind, is_near
from coach_agent.engine.loads.ladder import load_of

# Loads closer than this share are alike.
_LIKE = 0.05


def odd_from(
    attempts: Sequence[Attempt],
    loads: LoadKind,
    is_hard: Callable[[datetime | None, float], bool],
    *,
    has_bar: bool = False,
) -> float | None:
    """Return the usual load that the newest attempt is oddly far from; None if it is not odd.

    `attempts` are believed ones, oldest first. A load is odd in the bands of `typo.odd`, or as the
    usual one in kilograms instead of pounds, if the estimated maximum is as far from the usual one,
    so that more or fewer repetitions do not explain it, without a plan, a break, a correction or an
    earlier attempt that explains it. A light load that was hard, as in `hard_days`, is never odd.
    Of a bar loads above the band are odd, too, from `typo.bar_kg` more on: machines and pairs of
    dumbbells are counted differently now and then, and a bar never.
    """
    *older, newest = attempts
    if loads != "whole" or newest.is_wave or is_after_break(newest, older):
        return None
    if any(each.is_confirmed or _has_planned_load(each) for each in newest.done):
        return None
    known = [each for each in older[-TYPO_WINDOW.value :] if each.loads and not each.is_wave]
    if not known:
        return None
    usual = median(each.load for each in known)
    if newest.load < usual and is_hard(newest.at, newest.load):
        return None
    if any(abs(each.load / newest.load - 1) <= _LIKE for each in older if each.loads):
        return None
    shown = _shown_max(newest) / median(_shown_max(each) for each in known)
    light, heavy = TYPO_ODD.value
    is_leap = has_bar and newest.load - usual > TYPO_BAR_KG.value
    most = TYPO_REPEATED.value if is_leap else heavy[1]
    loads_before = [each.load for each in known]
    nearest = max(loads_before) if newest.load > usual else min(loads_before)
    if light[1] < newest.load / nearest < heavy[0]:
        return None
    # A few workouts are no habit, but enough to see kilograms in a log of pounds.
    has_habit = len(known) >= TYPO_MIN_OTHERS.value
    is_odd = all(
        (has_habit and (light[0] <= share <= light[1] or heavy[0] <= share <= most))
        or is_near(share, KILOGRAMS_PER_POUND)
        for share in (newest.load / usual, shown)
    )
    return usual if is_odd else None


def hard_days(slot: Slot) -> Callable[[datetime | None, float], bool]:
    """Return whether a day's sets of about a load (kg), or of less, were hard.

    That is a set of a high RPE, or of fewer repetitions than its target; without one, than those of
    a set before it with no less load.
    """
    days = {each.started_at: each for each in slot.exposures if not each.is_easy}

    def is_hard(at: datetime | None, load: float) -> bool:
        if at is None or at not in days:
            return False
        before: list[tuple[float, int]] = []
        for done in done_sets(days[at], WORKING_TYPES):
            own = load_of(slot.exercise_type, done.weight_kg)
            if own is None or done.reps is None:
                continue
            low = done.planned_reps_low
            least = [reps for kg, reps in before if kg >= own - LOAD_TOLERANCE.value]
            is_short = done.reps < max(least, default=0) if low is None else done.reps < low
            if own <= (1 + _LIKE) * load and (is_short or (done.rpe or 0.0) >= TYPO_EFFORT.value):
                return True
            before.append((own, done.reps))
        return False

    return is_hard


def _has_planned_load(answer: Answer) -> bool:
    if answer.load is None or answer.planned_load is None:
        return False
    return abs(answer.load - answer.planned_load) <= LOAD_TOLERANCE.value


def _shown_max(attempt: Attempt) -> float:
    """Return the highest estimated maximum of an attempt's sets, at least its load."""
    return max(
        epley_max(answer.load, effective_reps(answer.reps or 1, answer.rpe))
        for answer in attempt.done
        if answer.load is not None
    )
