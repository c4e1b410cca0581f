"""Outliers: sets of an attempt that the athlete marked as an error, or that are far off.

A number is far off compared with older attempts, if it also deviates from the plan that way and no
other set of the same attempt is near it. Too few repetitions or seconds are never doubted: failing
is no typing error. The athlete's correction takes precedence. Sources: the typo section of the
training science for loads; the rules for added load, repetitions and seconds are a choice of this
project.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from statistics import median
from typing import Literal, TypeVar

from coach_agent.domain.constants.history import (
    TYPO_ALIKE,
    TYPO_COUNT_LEAST,
    TYPO_HI,
    TYPO_LO,
    TYPO_MIN_OTHERS,
    TYPO_RAMP,
    TYPO_WINDOW,
)
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.engine.history.attempts import Answer, Attempt, is_after_break
from coach_agent.engine.history.far_off import (
    LoadKind,
    is_above_plan,
    is_far_above,
    is_far_below,
    is_far_more,
    is_possible_level,
)

T = TypeVar("T")

Count = Literal["reps", "duration_s", "distance_m"]
Number = Literal["load"] | Count
Wrong = Mapping[int, frozenset[Number]]
"""The doubted numbers of a set by place in the attempt, from 0."""

_ALL: frozenset[Number] = frozenset({"load", "reps", "duration_s", "distance_m"})
_OF_A_MAXIMUM: frozenset[Number] = frozenset({"load", "reps"})


def find_outliers(
    attempt: Attempt,
    used: Sequence[Attempt],
    older: Sequence[Attempt],
    loads: LoadKind | None,
    highest: float | None = None,
) -> Wrong:
    """Return the doubted numbers of an attempt, from data of its day.

    `older` are the attempts before, believed or not, `used` the believed ones, both oldest first.
    `loads` is None without a recorded load. `highest` is the load supported by other days,
    including later ones: see `highest_credible`.
    """
    wrong: dict[int, frozenset[Number]] = {}
    for place, answer in enumerate(attempt.answers):
        if answer is None:
            continue
        if answer.is_confirmed is False:
            wrong[place] = _ALL
        elif (
            answer.is_suspect
            and answer.is_confirmed is None
            and not _is_as_planned(answer)
            and not (loads == "whole" and _is_light_start(attempt, answer, older))
        ):
            wrong[place] = _OF_A_MAXIMUM
    # What is known to be wrong is no witness for or against the other sets.
    rest = attempt.with_sets(dict.fromkeys(wrong), is_complete=False) if wrong else attempt
    far_off: dict[Number, list[int]] = {}
    if loads:
        far_off["load"] = _wrong_loads(rest, used, older, loads, highest)
    for count in _COUNTS if rest.highest_count >= TYPO_COUNT_LEAST.value else ():
        if _most(rest, _COUNTS[count]) >= TYPO_COUNT_LEAST.value:
            far_off[count] = _wrong_counts(rest, used, older, count)
    for number, places in far_off.items():
        for place in places:
            wrong[place] = wrong.get(place, frozenset()) | {number}
    return wrong


def without_outliers(attempt: Attempt, wrong: Wrong) -> Attempt | None:
    """Return the attempt without doubted sets; None if none is left.

    Then it is unknown whether all of it was done as planned.
    """
    if not wrong:
        return attempt
    if all(answer is None or place in wrong for place, answer in enumerate(attempt.answers)):
        return None
    return attempt.with_sets(dict.fromkeys(wrong), is_complete=False)


def as_planned(attempt: Attempt, wrong: Wrong) -> Attempt | None:
    """Return the attempt with the plan of its day for doubted numbers; None without a plan."""
    changed = {}
    for place, numbers in wrong.items():
        answer = attempt.answers[place]
        instead = answer and _planned_answer(answer, numbers, attempt.planned_load)
        if instead is None:
            return None
        changed[place] = instead
    return attempt.with_sets(changed, is_complete=attempt.is_complete)


def real_sets(attempt: Attempt) -> Attempt | None:
    """Return the attempt without sets that the athlete marked as an error; None if nothing is
    left.
    """
    return _without_those(attempt, lambda answer: answer.is_confirmed is False)


def undoubted_sets(attempt: Attempt) -> Attempt | None:
    """Return the attempt without sets that the marts doubt; None if nothing is left."""
    return _without_those(attempt, lambda answer: answer.is_suspect)


def loads_near_plan(attempts: Iterable[Attempt], loads: LoadKind) -> list[float]:
    """Return the loads (kg) that were not far above the plan of their day."""
    return [
        load
        for attempt in attempts
        for _, load, planned, _ in _loads_of(attempt)
        if planned is not None and not is_far_above(load, planned, loads)
    ]


def _without_those(attempt: Attempt, is_left_out: Callable[[Answer], bool]) -> Attempt | None:
    wrong = {
        place: _ALL
        for place, answer in enumerate(attempt.answers)
        if answer is not None and is_left_out(answer)
    }
    return without_outliers(attempt, wrong)


def _wrong_loads(
    attempt: Attempt,
    used: Sequence[Attempt],
    older: Sequence[Attempt],
    loads: LoadKind,
    highest: float | None,
) -> list[int]:
    """Return the places of loads that are too heavy or too light.

    After a single workout a light load is only doubted if another set of the attempt, or the plan,
    contradicts it. A load like that of the time before is
    accepted, because the same typing error rarely repeats, and so is any after a break. A load near
    its plan is accepted.
    """
    recent = _latest(each.loads for each in reversed(older))
    has_median = len(recent) >= TYPO_MIN_OTHERS.value
    if has_median and loads == "whole" and _is_near_all(attempt.loads, recent):
        return []
    if has_median:
        heavy, light = [median(each[-1] for each in recent)], [median(each[0] for each in recent)]
    else:
        known = [each.loads for each in used if each.loads]
        heavy, light = [max(each[-1] for each in known)] if known else [], []
        light = [min(each[0] for each in known)] if known else []

    light += [each.loads[0] for each in older[-1:] if each.loads]
    usual = heavy if highest is None else [*heavy, highest]
    if not attempt.loads or (heavy and _are_usual(attempt.loads, usual, light, loads)):
        return []
    planned_before = loads_near_plan(used, loads)

    def is_too_heavy(load: float, planned: float | None) -> bool:
        plan = [] if planned is None else [planned]
        is_far = any(
            bool(others) and all(is_far_above(load, other, loads) for other in others)
            for others in (
                [*heavy, *plan],
                [] if highest is None else [highest, *plan, *planned_before],
            )
        )
        return is_far and is_above_plan(load, planned)

    def is_too_light(load: float, planned: float | None) -> bool:
        others = light if planned is None else [*light, planned]
        is_far = bool(others) and all(is_far_below(load, other, loads) for other in others)
        return is_far and (planned is None or load < planned - LOAD_TOLERANCE.value)

    too_heavy, too_light, near = {}, {}, []
    for place, load, planned, is_confirmed in _loads_of(attempt):
        if not is_confirmed and is_too_heavy(load, planned):
            too_heavy[place] = load
        elif not is_confirmed and is_too_light(load, planned) and not _is_in_ramp(attempt, place):
            too_light[place] = load
        else:
            near.append(load)
    wrong = [
        place
        for place, load in too_heavy.items()
        if all(is_far_above(load, other, loads) for other in near)
        and not (
            bool(usual)
            and _is_repeated(attempt, place)
            and all(is_possible_level(load, other) for other in usual)
        )
    ]
    is_against_plan = bool(used) and attempt.planned_load is not None
    if (len(recent) > 1 or near or is_against_plan) and not is_after_break(attempt, older):
        wrong += [
            place
            for place, load in too_light.items()
            if all(is_far_below(load, other, loads) for other in near)
        ]
    return wrong


def _is_repeated(attempt: Attempt, place: int) -> bool:
    """Return whether another set of the attempt has a similar load: a typing error rarely
    repeats.
    """
    loads = {at: load for at, load, _, _ in _loads_of(attempt)}
    load = loads.pop(place)
    return any(
        min(load, other) > 0 and max(load, other) <= TYPO_ALIKE.value * min(load, other)
        for other in loads.values()
    )


def _is_in_ramp(attempt: Attempt, place: int) -> bool:
    """Return whether a light set leads up to the heaviest, or down from it, in plausible steps."""
    loads = [(at, load) for at, load, _, _ in _loads_of(attempt)]
    load = next(each for at, each in loads if at == place)
    before = [each for at, each in loads if at < place]
    after = [each for at, each in loads if at > place]
    heaviest = max((*before, *after), default=0.0)
    if load < TYPO_RAMP.value * heaviest or heaviest <= TYPO_ALIKE.value * load:
        return False
    return max(before, default=load) <= load or max(after, default=load) <= load


def _is_near_all(loads: Sequence[float], recent: Sequence[Sequence[float]]) -> bool:
    """Return whether no load is far from any recent one, and so none from their median.

    Shortcut: this holds almost always, and saves most of the work.
    """
    lightest, heaviest = min(each[0] for each in recent), max(each[-1] for each in recent)
    return not loads or (
        loads[-1] <= TYPO_HI.value * lightest and loads[0] >= TYPO_LO.value * heaviest
    )


def _are_usual(
    found: Sequence[float], heavy: Sequence[float], light: Sequence[float], loads: LoadKind
) -> bool:
    """Return whether no load, ascending, is far above any heavy one, or far below all light ones.

    Shortcut as `_is_near_all`, for few workouts.
    """
    return not any(is_far_above(found[-1], each, loads) for each in heavy) and not all(
        is_far_below(found[0], each, loads) for each in light
    )


def _latest(newest_first: Iterable[T]) -> list[T]:
    """Return the non-empty items of the window."""
    return list(islice((each for each in newest_first if each), TYPO_WINDOW.value))


def _loads_of(attempt: Attempt) -> list[tuple[int, float, float | None, bool]]:
    """Return place, load, planned load and the athlete's confirmation of each loaded set."""
    return [
        (
            place,
            answer.load,
            attempt.planned_load if answer.planned_load is None else answer.planned_load,
            answer.is_confirmed is True,
        )
        for place, answer in enumerate(attempt.answers)
        if answer is not None and answer.load is not None
    ]


def _wrong_counts(
    attempt: Attempt,
    used: Sequence[Attempt],
    older: Sequence[Attempt],
    number: Count,
) -> list[int]:
    """Return the places of repetitions, seconds or metres that are too many."""
    count_of = _COUNTS[number]
    counts = {
        place: count
        for place, answer in enumerate(attempt.answers)
        if answer is not None and (count := count_of(answer)) is not None
    }
    recent = _latest(_most(each, count_of) for each in reversed(older))
    has_median = len(recent) >= TYPO_MIN_OTHERS.value
    if has_median:
        usual: list[float] = [median(recent)]
    else:
        usual = [most for each in used if (most := _most(each, count_of))]
        usual = [max(usual)] if usual else []
    far, near = {}, []
    for place, count in counts.items():
        answer = attempt.answers[place]
        goal = answer and _goal_of(answer, number)
        others = usual if has_median or goal is None else [*usual, goal]
        is_more_than_planned = goal is None or count > goal
        is_far = is_more_than_planned and any(is_far_more(count, other) for other in others)
        if is_far and answer is not None and answer.is_confirmed is None:
            far[place] = count
        else:
            near.append(count)
    return [place for place, each in far.items() if all(is_far_more(each, one) for one in near)]


def _goal_of(answer: Answer, number: Number) -> int | None:
    if number == "distance_m":
        return None  # no plan of a distance is known
    return answer.planned_reps_high if number == "reps" else answer.planned_duration_s


def _seconds(answer: Answer) -> int | None:
    """Return the seconds of a timed set."""
    return answer.duration_s if answer.reps is None else None


_COUNTS: Mapping[Count, Callable[[Answer], int | None]] = {
    "reps": lambda answer: answer.reps,
    "duration_s": _seconds,
    "distance_m": lambda answer: answer.distance_m,
}


def _most(attempt: Attempt, count_of: Callable[[Answer], int | None]) -> int:
    return max((count_of(answer) or 0 for answer in attempt.done), default=0)


def _is_as_planned(answer: Answer) -> bool:
    """Return whether the set is known to be within its plan, with the planned load."""
    if answer.load is None or answer.planned_load is None:
        return False
    high = answer.planned_reps_high
    is_as_often = high is None or (answer.reps or 0) <= high
    return is_as_often and abs(answer.load - answer.planned_load) <= LOAD_TOLERANCE.value


def _is_light_start(attempt: Attempt, answer: Answer, older: Sequence[Attempt]) -> bool:
    """Return whether a set after a break is lighter than before; the marts ignore breaks."""
    if answer.load is None or not is_after_break(attempt, older) or not older[-1].loads:
        return False
    before = older[-1].loads[0]
    return TYPO_RAMP.value * before <= answer.load < before


def _planned_answer(
    answer: Answer, numbers: frozenset[Number], planned_load: float | None
) -> Answer | None:
    load, reps, seconds = answer.load, answer.reps, answer.duration_s
    if "load" in numbers and load is not None:
        load = planned_load if answer.planned_load is None else answer.planned_load
        if load is None:
            return None
    if "reps" in numbers and reps is not None:
        reps = answer.planned_reps_low
        if reps is None:
            return None
    if "duration_s" in numbers and seconds is not None:
        seconds = answer.planned_duration_s
        if seconds is None:
            return None
    if "distance_m" in numbers and answer.distance_m is not None:
        return None
    return answer._replace(load=load, reps=reps, duration_s=seconds)
