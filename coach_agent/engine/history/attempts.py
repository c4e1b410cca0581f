"""Matching of done sets to planned sets, the basis of progress."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import zip_longest
from statistics import fmean
from typing import Literal, NamedTuple

from coach_agent.domain.constants.history import TYPO_HI
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.progression import EFFORT_LIMIT
from coach_agent.domain.constants.recovery import LAYOFF_HOLD_UNTIL
from coach_agent.domain.context import Exposure, ExposureSet, SameHistory, Slot
from coach_agent.domain.e1rm import HIGHEST_RPE, LOWEST_RPE, is_tested_max
from coach_agent.engine.loads.ladder import load_of

WORKING_TYPES = frozenset({"normal", "failure"})
Measure = Literal["load", "reps", "duration", "distance"]
"""The measure of progress; a load counts with its repetitions, a distance with its load."""

# An athlete's plan reuses the results of some hundred exposures, so they are cached.
_REMEMBERED = 4096


class Answer(NamedTuple):
    """A done set matched to a planned one. Loads are kg, assistance negative; None: unknown.

    `is_suspect` and `is_confirmed` come from the marts and the athlete, see `ExposureSet`.
    """

    reps: int | None
    load: float | None
    duration_s: int | None
    distance_m: int | None
    rpe: float | None
    planned_load: float | None
    planned_reps_low: int | None
    planned_reps_high: int | None
    planned_duration_s: int | None
    is_suspect: bool = False
    is_confirmed: bool | None = None

    @property
    def is_lighter_than_planned(self) -> bool:
        """True if the load was less than planned; False if either is unknown."""
        if self.load is None or self.planned_load is None:
            return False
        return self.load < self.planned_load - LOAD_TOLERANCE.value


@dataclass(frozen=True)
class Attempt:
    """One exposure of a block: an answer for each of its sets, None if a set was not done.

    `is_complete` is False if planned sets were left out. The sets of a wave have different loads.
    `at` is the start of the workout.
    """

    answers: tuple[Answer | None, ...]
    is_complete: bool
    is_wave: bool = False
    at: datetime | None = None

    @cached_property
    def done(self) -> tuple[Answer, ...]:
        """The answers of the done sets; never empty in a history."""
        return tuple(answer for answer in self.answers if answer is not None)

    @cached_property
    def load(self) -> float:
        """The load that all done sets reached: every working set counts, not the best.

        For a wave it is the heaviest. Only for attempts with loads.
        """
        loads = [answer.load for answer in self.done if answer.load is not None]
        return max(loads) if self.is_wave else min(loads)

    @cached_property
    def highest_count(self) -> int:
        """The highest number of repetitions, seconds or metres of a set; 0 without any."""
        counts = (
            max(each.reps or 0, each.duration_s or 0, each.distance_m or 0) for each in self.done
        )
        return max(counts, default=0)

    @cached_property
    def planned_load(self) -> float | None:
        """The heaviest planned load; None if unknown."""
        loads = [answer.planned_load for answer in self.done if answer.planned_load is not None]
        return max(loads, default=None)

    @cached_property
    def is_target_known(self) -> bool:
        """True if the planned repetitions of any set are known."""
        return any(answer.planned_reps_low is not None for answer in self.done)

    @property
    def is_lifted(self) -> bool:
        """False if each set failed with its load before the first repetition."""
        return not self.loads or any(answer.reps != 0 for answer in self.done)

    @property
    def is_short(self) -> bool:
        """True if all planned sets were done, but fewer than the block has."""
        return self.is_complete and len(self.done) < len(self.answers)

    @property
    def is_lighter_than_planned(self) -> bool:
        """True if any set was done with less than planned."""
        return any(answer.is_lighter_than_planned for answer in self.done)

    @property
    def is_at_limit(self) -> bool:
        """True if the last set went to the limit by its RPE, and the others all but."""
        rated = [answer.rpe or 0.0 for answer in self.done]
        return rated[-1] >= HIGHEST_RPE and fmean(rated) >= EFFORT_LIMIT.value

    def is_no_less_than(self, other: "Attempt") -> bool:
        """Return whether the worst set of each measure was no less than that of the other."""
        measures: tuple[Callable[[Answer], float | None], ...] = (
            lambda answer: answer.load,
            lambda answer: answer.reps,
            lambda answer: answer.duration_s,
        )
        return all(
            min(of(answer) or 0.0 for answer in self.done)
            >= min(of(answer) or 0.0 for answer in other.done) - LOAD_TOLERANCE.value
            for of in measures
        )

    @cached_property
    def nearest(self) -> tuple[tuple[int, Answer], ...]:
        """The most informative done set for each place, with its own place.

        That is the set itself, otherwise the one before it, otherwise the first after it.
        """
        done = [(at, answer) for at, answer in enumerate(self.answers) if answer is not None]
        found = []
        for place in range(len(self.answers)):
            before = [each for each in done if each[0] <= place]
            found.append(before[-1] if before else done[0])
        return tuple(found)

    @cached_property
    def loads(self) -> tuple[float, ...]:
        """The loads of the done sets that have one, the lightest first."""
        return tuple(sorted(each.load for each in self.done if each.load is not None))

    def with_sets(self, changed: Mapping[int, Answer | None], *, is_complete: bool) -> "Attempt":
        """Return the attempt with other answers at these places, None to remove a set."""
        answers = (changed.get(place, answer) for place, answer in enumerate(self.answers))
        return replace(self, answers=tuple(answers), is_complete=is_complete)


def attempts(
    slot: Slot, working: Sequence[int], block: Sequence[int], measure: Measure
) -> tuple[Attempt, ...]:
    """Return the exposures that contain sets of a block, newest first.

    `working` are the indexes of the exercise's working sets, `block` those of the block. A set
    counts as done if it records the measure. Deliberately easy exposures are excluded. A load that
    was not lifted once is a miss if it was planned or lifted before, otherwise a try.
    """
    return _attempts(SameHistory(slot), tuple(working), tuple(block), measure)


@lru_cache(maxsize=_REMEMBERED)
def _attempts(
    history: SameHistory, working: tuple[int, ...], block: tuple[int, ...], measure: Measure
) -> tuple[Attempt, ...]:
    exercise_type = history.slot.exercise_type
    lifted = _lifted_by_then(history.slot) if measure == "load" else ()
    each_one = (
        attempt_of(exposure, working, block, exercise_type, measure, most)
        for exposure, most in zip_longest(history.slot.exposures, lifted)
    )
    return tuple(attempt for attempt in each_one if attempt is not None)


@lru_cache(maxsize=_REMEMBERED)
def attempt_of(
    exposure: Exposure,
    working: tuple[int, ...],
    block: tuple[int, ...],
    exercise_type: str | None,
    measure: Measure,
    lifted: float | None = None,
) -> Attempt | None:
    """Return one exposure as in `attempts`; None if it has no data of the block.

    `lifted` is the heaviest load that was lifted by then.
    """
    if exposure.is_easy:
        return None
    answers = {
        index: answer
        for index, answer in _answers(exposure, working, exercise_type).items()
        if _records(answer, measure)
    }
    of_block = tuple(answers.get(index) for index in block)
    done = [each for each in of_block if each is not None]
    if not done or (measure == "load" and not any(_is_attempted(each, lifted) for each in done)):
        return None
    planned_count = exposure.planned_working_count
    is_complete = all(of_block) or planned_count is None or len(answers) >= planned_count
    return Attempt(of_block, is_complete, at=exposure.started_at)


def _is_attempted(answer: Answer, lifted: float | None) -> bool:
    """Return whether a set has repetitions, or its load was planned or lifted before."""
    if answer.reps or answer.planned_load is not None:
        return True
    if answer.load is None or lifted is None:
        return False
    return answer.load <= lifted + LOAD_TOLERANCE.value


def _lifted_by_then(slot: Slot) -> tuple[float | None, ...]:
    """Return the heaviest load lifted in each exposure or an older one, newest first."""
    by_then: list[float | None] = []
    most: float | None = None
    for exposure in reversed(slot.exposures):
        loads = (
            load_of(slot.exercise_type, each.weight_kg)
            for each in exposure.sets
            if each.set_type in WORKING_TYPES and each.reps and not each.is_typo_suspect
        )
        most = max((load for load in (most, *loads) if load is not None), default=None)
        by_then.append(most)
    return tuple(reversed(by_then))


def load_half_noted(
    slot: Slot, working: Sequence[int], block: Sequence[int], since: datetime
) -> float | None:
    """Return the load of the newest later workout without a completely logged set of a block.

    That is the lightest one with missing repetitions. If the loads are missing, it is the heaviest
    of the other sets, as the only known value.
    """
    places = tuple(working), tuple(block)
    for exposure in slot.exposures:
        if exposure.started_at <= since:
            break
        done = _match_sets(exposure, working, slot.exercise_type)
        of_block = [done[index] for index in block if index in done]
        if exposure.is_easy or attempt_of(exposure, *places, slot.exercise_type, "load"):
            continue
        own = _loads(slot, (each for each in of_block if each.weight_kg))
        others = _loads(slot, done.values())
        if own or (of_block and others):
            return min(own) if own else max(others)
    return None


def _loads(slot: Slot, done: Iterable[ExposureSet]) -> list[float]:
    """Return the known loads, without those that the marts doubt."""
    loads = (
        load_of(slot.exercise_type, each.weight_kg) for each in done if not each.is_typo_suspect
    )
    return [load for load in loads if load is not None]


def scheme_attempts(slot: Slot, *, is_wave: bool) -> tuple[Attempt, ...]:
    """Return the exposures with loads as planned at the time, newest first.

    For programmes with a varying number of sets, where today's routine does not describe older
    ones. Without a known plan only the heaviest sets count, or all of a wave.
    """
    found = []
    for exposure in slot.exposures:
        if exposure.is_easy:
            continue
        done = sorted(
            done_sets(exposure, WORKING_TYPES), key=lambda each: each.planned_set_index or 0
        )
        answers = [_answer(each, slot.exercise_type) for each in done]
        answers = [answer for answer in answers if _records(answer, "load")]
        if not exposure.is_plan_known:
            answers = [each for each in answers if not _is_alone_above(each, answers)]
        if not is_wave and not exposure.is_plan_known:
            real = [answer for answer in answers if answer.is_confirmed is not False]
            heaviest = max((answer.load or 0.0 for answer in real), default=0.0)
            least = heaviest - LOAD_TOLERANCE.value
            answers = [answer for answer in answers if (answer.load or 0.0) >= least]
        left_out = max(0, (exposure.planned_working_count or 0) - len(answers))
        if answers:
            sets = (*answers, *[None] * left_out)
            found.append(Attempt(sets, left_out == 0, is_wave, exposure.started_at))
    return tuple(found)


def _is_alone_above(answer: Answer, answers: Sequence[Answer]) -> bool:
    """Return whether a load is so far above all others of the workout that it was probably
    mistyped.
    """
    others = [each.load or 0.0 for each in answers if each is not answer]
    is_far = len(others) > 1 and (answer.load or 0.0) > TYPO_HI.value * max(others)
    return is_far and not answer.is_confirmed


@lru_cache(maxsize=_REMEMBERED)
def recorded_loads(
    exposure: Exposure, exercise_type: str | None, with_doubted: bool = True
) -> tuple[float, ...]:
    """Return the loads of the working sets, done and planned, also without logged repetitions.

    Excludes sets that the athlete marked as an error and, unless `with_doubted`, those that the
    marts doubt.
    """
    loads = (
        load_of(exercise_type, weight_kg)
        for done in exposure.sets
        if done.set_type in WORKING_TYPES
        and done.is_confirmed is not False
        and (with_doubted or not done.is_typo_suspect)
        for weight_kg in (done.weight_kg, done.planned_weight_kg)
    )
    return tuple(load for load in loads if load is not None)


@lru_cache(maxsize=_REMEMBERED)
def done_sets(exposure: Exposure, types: frozenset[str]) -> tuple[ExposureSet, ...]:
    """Return the done sets of these types, in order; with a known plan, only planned ones.

    Without a plan a tested maximum among sets of more repetitions is a test, not a working set,
    unless one of them had its load.
    """
    repeated = {
        done.weight_kg
        for done in exposure.sets
        if done.set_type in WORKING_TYPES and (done.reps or 0) > 1 and not exposure.is_plan_known
    }
    return tuple(
        done
        for done in exposure.sets
        if done.set_type in types
        and (done.planned_set_index is not None or not exposure.is_plan_known)
        and (done.reps, done.duration_s, done.distance_m) != (None, None, None)
        and not (repeated and done.weight_kg not in repeated and is_tested_max(done.reps, done.rpe))
    )


def last_lifted(slot: Slot) -> tuple[float, ...]:
    """Return the loads (kg) of the latest workout with a lifted one, of any target.

    Deliberately easy workouts, doubted loads and those that were not lifted once do not count.
    """
    worked = (done_sets(each, WORKING_TYPES) for each in slot.exposures if not each.is_easy)
    lifted = (
        tuple(
            done.weight_kg
            for done in sets
            if done.weight_kg and done.reps != 0 and not done.is_typo_suspect
        )
        for sets in worked
    )
    return next((loads for loads in lifted if loads), ())


@lru_cache(maxsize=_REMEMBERED)
def _answers(
    exposure: Exposure, working: tuple[int, ...], exercise_type: str | None
) -> Mapping[int, Answer]:
    """Return the answer by index of the working set, whatever it records."""
    return {
        index: _answer(done, exercise_type)
        for index, done in _match_sets(exposure, working, exercise_type).items()
    }


def _match_sets(
    exposure: Exposure, working: Sequence[int], exercise_type: str | None
) -> dict[int, ExposureSet]:
    """Match the done sets to the working sets, by index; unplanned sets are excluded.

    With a known plan sets pair by index, or by order if the exercise was rebuilt since. Without,
    they pair by order, without the lightest surplus: warm-ups logged as normal sets. An empty set
    keeps its place, if there is one for it.
    """
    done = done_sets(exposure, WORKING_TYPES)
    if exposure.is_plan_known:
        by_index = {each.planned_set_index: each for each in done}
        if all(index in working for index in by_index):
            return {index: each for index, each in by_index.items() if index is not None}
        done = tuple(sorted(done, key=lambda each: each.planned_set_index or 0))
    elif len(done) <= len(working):
        each_one = tuple(each for each in exposure.sets if each.set_type in WORKING_TYPES)
        done = each_one if len(each_one) <= len(working) else done
    else:
        heaviest = sorted(
            range(len(done)),
            key=lambda position: (
                -(load_of(exercise_type, done[position].weight_kg) or 0.0),
                position,
            ),
        )[: len(working)]
        done = tuple(done[position] for position in sorted(heaviest))
    return dict(zip(working, done, strict=False))


def _answer(done: ExposureSet, exercise_type: str | None) -> Answer:
    is_on_scale = done.rpe is not None and LOWEST_RPE <= done.rpe <= HIGHEST_RPE
    return Answer(
        reps=done.reps,
        load=load_of(exercise_type, done.weight_kg),
        duration_s=done.duration_s,
        distance_m=done.distance_m,
        rpe=done.rpe if is_on_scale else None,
        planned_load=load_of(exercise_type, done.planned_weight_kg),
        planned_reps_low=done.planned_reps_low,
        planned_reps_high=done.planned_reps_high,
        planned_duration_s=done.planned_duration_s,
        is_suspect=done.is_typo_suspect,
        is_confirmed=done.is_confirmed,
    )


def _records(answer: Answer, measure: Measure) -> bool:
    if measure == "duration":
        return answer.duration_s is not None
    if measure == "distance":
        return answer.distance_m is not None and answer.load is not None
    return answer.reps is not None and (measure == "reps" or answer.load is not None)


def is_after_break(attempt: Attempt, older: Sequence[Attempt]) -> bool:
    """Return whether the break before it was long enough for a lighter start."""
    before = older[-1].at if older else None
    if attempt.at is None or before is None:
        return False
    return (attempt.at - before).days > LAYOFF_HOLD_UNTIL.value
