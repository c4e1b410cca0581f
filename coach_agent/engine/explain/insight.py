"""The insight of a workout: one sentence and one action, from numbers only."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from coach_agent.domain.constants.history import TYPO_COUNT_LEAST
from coach_agent.domain.constants.loads import BODY_KG, LOAD_TOLERANCE
from coach_agent.domain.constants.volume import INSIGHT_FATIGUE, INSIGHT_SKIPPED
from coach_agent.domain.context import Exposure, ExposureSet, Slot
from coach_agent.domain.plan import Insight
from coach_agent.domain.units import Unit, load_text
from coach_agent.engine.explain.reasons import count_reps
from coach_agent.engine.history.alternation import kinds_of, period_of
from coach_agent.engine.history.attempts import WORKING_TYPES, done_sets
from coach_agent.engine.history.far_off import is_far_below, is_far_more, is_possible_level
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.engine.loads.ladder import load_of
from coach_agent.language.messages import join_words, languages, phrase, render

# Of two other workouts neither alone is the error.
_LEAST_OTHERS = 2

_Counts = Sequence[tuple[str, int]]
"""Repetitions, seconds or metres of undoubted working sets, each with the id of its workout."""

_Measure = Literal["reps", "s", "m"]


@dataclass(frozen=True)
class _History:
    """The workouts of an exercise: all its `counts`, and the heaviest load (kg) of each workout
    with working sets.
    """

    slot: Slot
    load_unit: Unit
    counts: _Counts
    tops_kg: Sequence[tuple[Exposure, float]]


@dataclass(frozen=True)
class _Best:
    """The heaviest set, of equals the one with the most repetitions, seconds or metres.

    `load` is kg, assistance negative, 0 for bodyweight.
    """

    load: float
    count: int
    unit: _Measure
    is_assistance: bool
    load_unit: Unit

    def is_better_than(self, other: "_Best") -> bool:
        """Return whether one of load and repetitions is higher and the other not lower."""
        if self.unit != other.unit:
            return False
        more = self.load - other.load
        is_heavier, is_lighter = more > LOAD_TOLERANCE.value, more < -LOAD_TOLERANCE.value
        return (
            not is_lighter
            and self.count >= other.count
            and (is_heavier or self.count > other.count)
        )

    @property
    def text(self) -> str:
        is_counted = self.unit == "reps"
        count = f"{self.count}" if is_counted else f"{self.count} {self.unit}"
        if self.load == 0:
            return count_reps(self.count) if is_counted else count
        load = load_text(abs(self.load), self.load_unit)
        return f"{phrase('load-assistance', load=load) if self.is_assistance else load} × {count}"


@dataclass(frozen=True)
class _Exercise:
    """An exercise of the workout: planned and done sets, and the best set now and before."""

    title: str
    exercise_type: str | None
    planned: int
    done_count: int
    believed: tuple[ExposureSet, ...]
    now: _Best | None
    before: _Best | None

    @property
    def skipped(self) -> int:
        return max(0, self.planned - self.done_count)

    @property
    def missed(self) -> int:
        """The number of sets below their target with at most the planned load."""
        return sum(_is_short(done) and not self._is_heavier(done) for done in self.believed)

    @property
    def overreached(self) -> tuple[ExposureSet, ...]:
        """The sets heavier than planned that fell short."""
        return tuple(done for done in self.believed if _is_short(done) and self._is_heavier(done))

    @property
    def change(self) -> int:
        """1 if the best set improved since the workout before, -1 if it got worse, otherwise 0."""
        if self.now is None or self.before is None:
            return 0
        return self.now.is_better_than(self.before) - self.before.is_better_than(self.now)

    def _is_heavier(self, done: ExposureSet) -> bool:
        load = load_of(self.exercise_type, done.weight_kg)
        planned = load_of(self.exercise_type, done.planned_weight_kg)
        return load is not None and planned is not None and load > planned + LOAD_TOLERANCE.value


def is_next_step(action: str) -> bool:
    """Return whether an action is the general one to take the next step, in any language."""
    return any(action == render(each, "insight-next-step") for each in languages())


def workout_insight(
    slots: Sequence[Slot], workout_id: str, load_unit: Unit = "kg"
) -> Insight | None:
    """Compare the workout with its plan and the workout before; None for an unknown workout.

    `slots` are the places of its routine, `load_unit` is the unit of loads in texts. The first
    match is reported: a quarter of the planned sets missed, loads beyond the plan that cost
    repetitions, a fifth of the sets left out, then improvements or regressions. Doubted sets,
    probably mistyped, do not count.
    """
    exercises = [found for slot in slots if (found := _exercise(slot, workout_id, load_unit))]
    if not exercises:
        return None
    return (
        _fatigue_insight(exercises)
        or _overreach_insight(exercises, load_unit)
        or _left_out_insight(exercises)
        or _change_insight(exercises)
        or _default_insight(exercises)
    )


def _fatigue_insight(exercises: Sequence[_Exercise]) -> Insight | None:
    planned = sum(each.planned for each in exercises)
    missed = sum(each.missed for each in exercises)
    if not missed or missed < INSIGHT_FATIGUE.value * planned:
        return None
    worst = max(exercises, key=lambda each: each.missed)
    return Insight(
        insight=phrase(
            "insight-short",
            missed=missed,
            planned=planned,
            exercise=worst.title,
            share=_share(worst.missed, missed),
        ),
        action=phrase("insight-rest-longer"),
        category="fatigue",
        exercise_title=worst.title,
    )


def _overreach_insight(exercises: Sequence[_Exercise], load_unit: Unit) -> Insight | None:
    for each in exercises:
        for done in each.overreached:
            did, planned = (
                load_text(load or 0.0, load_unit)
                for load in (done.weight_kg, done.planned_weight_kg)
            )
            got, goal, unit = done.reps, done.planned_reps_low, "reps"
            if got is None or goal is None:
                got, goal, unit = done.duration_s, done.planned_duration_s, "s"
            return Insight(
                insight=phrase(
                    "insight-too-heavy-reps" if unit == "reps" else "insight-too-heavy-seconds",
                    exercise=each.title,
                    load=did,
                    planned=planned,
                    done=got or 0,
                    goal=goal or 0,
                ),
                action=phrase(
                    "insight-clean-reps" if unit == "reps" else "insight-clean-seconds",
                    planned=planned,
                    goal=goal or 0,
                ),
                category="technique",
                exercise_title=each.title,
            )
    return None


def _left_out_insight(exercises: Sequence[_Exercise]) -> Insight | None:
    planned = sum(each.planned for each in exercises)
    skipped = sum(each.skipped for each in exercises)
    if not skipped or skipped < INSIGHT_SKIPPED.value * planned:
        return None
    most = max(exercises, key=lambda each: each.skipped)
    return Insight(
        insight=phrase(
            "insight-skipped",
            skipped=skipped,
            planned=planned,
            exercise=most.title,
            share=_share(most.skipped, skipped),
        ),
        action=phrase(
            "insight-plan-fewer" if most is exercises[0] else "insight-do-earlier",
            exercise=most.title,
        ),
        category="volume",
    )


def _share(part: int, whole: int) -> str:
    """Name the part of one exercise in the sets of all: "all", "most" or "some"."""
    if part == whole:
        return "all"
    return "most" if 2 * part > whole else "some"


def _change_insight(exercises: Sequence[_Exercise]) -> Insight | None:
    better = [each for each in exercises if each.change > 0]
    worse = [each for each in exercises if each.change < 0]
    if not better and not worse:
        return None
    is_better = len(better) >= len(worse)
    first, *others = better if is_better else worse
    before, now = (each.text if each else "" for each in (first.before, first.now))
    change = {"exercise": first.title, "before": before, "now": now}
    if others:
        change["others"] = join_words(each.title for each in others)
        message = "insight-better-too" if is_better else "insight-worse-too"
    else:
        message = "insight-better" if is_better else "insight-worse"
    return Insight(
        insight=phrase(message, **change),
        action=phrase("insight-next-step")
        if is_better
        else phrase("insight-get-back", exercise=first.title, before=before),
        category="progress" if is_better else "fatigue",
        exercise_title=None if is_better else first.title,
    )


def _default_insight(exercises: Sequence[_Exercise]) -> Insight:
    planned = sum(each.planned for each in exercises)
    if planned:
        missed = sum(each.missed + each.skipped for each in exercises)
        return Insight(
            insight=phrase("insight-reached", reached=planned - missed, planned=planned),
            action=phrase("insight-next-workout"),
            category="progress",
        )
    done = sum(each.done_count for each in exercises)
    is_new = all(each.before is None for each in exercises)
    return Insight(
        insight=phrase("insight-first-time" if is_new else "insight-done", sets=done),
        action=phrase("insight-next-workout"),
        category="volume",
    )


def _exercise(slot: Slot, workout_id: str, load_unit: Unit) -> _Exercise | None:
    for at, exposure in enumerate(slot.exposures):
        if exposure.workout_id == workout_id:
            history = _history(slot, load_unit)
            now = _best(exposure, history)
            before, best = (None, None) if exposure.is_easy else _before(history, at, now)
            if before and _asks_for_fewer(exposure, before):
                best = None  # another stage of a programme: fewer repetitions are no regression
            return _Exercise(
                title=slot.exercise_title,
                exercise_type=slot.exercise_type,
                planned=exposure.planned_working_count or 0,
                done_count=len(done_sets(exposure, WORKING_TYPES)),
                believed=_credible_sets(exposure, history.counts),
                now=now,
                before=best,
            )
    return None


def _before(
    history: _History, at: int, now: _Best | None
) -> tuple[Exposure, _Best | None] | tuple[None, None]:
    """Return the workout to compare with and its best set: the one before, or the last of the same
    kind of day.

    A deliberately light workout is no reference. `now` is the best set of the workout at that
    place.
    """
    slot = history.slot
    usual = [each for each in slot.exposures[at + 1 :] if not each.is_easy]
    bests = [_best(each, history) for each in usual]
    body_kg = BODY_KG.value if slot.exercise_type in {ASSISTED, WEIGHTED} else 0.0
    kinds = kinds_of([body_kg + each.load if each else 0.0 for each in (now, *bests)])
    place = period_of(kinds) - 1 if kinds else 0
    return (usual[place], bests[place]) if place < len(usual) else (None, None)


def _asks_for_fewer(exposure: Exposure, before: Exposure) -> bool:
    """Return whether both plans are known and the newer one had fewer repetitions."""
    now, then = (
        [each.planned_reps_low for each in done_sets(one, WORKING_TYPES) if each.planned_reps_low]
        for one in (exposure, before)
    )
    return bool(now and then) and max(now) < min(then)


def _history(slot: Slot, load_unit: Unit) -> _History:
    working = [(each, done_sets(each, WORKING_TYPES)) for each in slot.exposures]
    counts = [
        (each.workout_id, count)
        for each, sets in working
        for done in sets
        if not done.is_typo_suspect and (count := _count(done))
    ]
    tops_kg = [
        (each, max(abs(done.weight_kg or 0.0) for done in sets)) for each, sets in working if sets
    ]
    return _History(slot, load_unit, counts, tops_kg)


def _credible_sets(exposure: Exposure, counts: _Counts) -> tuple[ExposureSet, ...]:
    """Return the sets without a doubted load, and without far more repetitions, seconds or metres
    than usual and than any set of the workout that has not.
    """
    known = tuple(
        done
        for done in done_sets(exposure, WORKING_TYPES)
        if not done.is_typo_suspect and done.is_confirmed is not False
    )
    if max(map(_count, known), default=0) < TYPO_COUNT_LEAST.value:
        return known
    others = [count for workout_id, count in counts if workout_id != exposure.workout_id]
    if not others:
        return known
    usual = median(others)
    near = [_count(done) for done in known if not is_far_more(_count(done), usual)]
    return tuple(
        done
        for done in known
        if done.is_confirmed or not all(is_far_more(_count(done), each) for each in (usual, *near))
    )


def _measured(done: ExposureSet) -> tuple[int, _Measure]:
    """Return what the set has of repetitions, seconds and metres, in this order; else 0."""
    if done.reps is not None:
        return done.reps, "reps"
    return (done.distance_m or 0, "m") if done.duration_s is None else (done.duration_s, "s")


def _count(done: ExposureSet) -> int:
    return _measured(done)[0]


def _best(exposure: Exposure, history: _History) -> _Best | None:
    exercise_type = history.slot.exercise_type
    bests = [
        _Best(
            load=load_of(exercise_type, done.weight_kg) or 0.0,
            count=count,
            unit=unit,
            is_assistance=exercise_type == ASSISTED,
            load_unit=history.load_unit,
        )
        for done in _credible_sets(exposure, history.counts)
        for count, unit in [_measured(done)]
        if count
    ]
    best = max(bests, key=lambda best: (best.load, best.count), default=None)
    return None if best and _is_doubtful(abs(best.load), exposure, history) else best


def _is_doubtful(load_kg: float, exposure: Exposure, history: _History) -> bool:
    """Return whether a load is too far from that of each other workout, of two or more."""
    others = [top for each, top in history.tops_kg if each is not exposure]
    if len(others) < _LEAST_OTHERS or history.slot.exercise_type == WEIGHTED:
        return False
    return all(
        is_far_below(load_kg, other, "whole") or not is_possible_level(load_kg, other)
        for other in others
    )


def _is_short(done: ExposureSet) -> bool:
    pairs = ((done.reps, done.planned_reps_low), (done.duration_s, done.planned_duration_s))
    return any(got is not None and goal is not None and got < goal for got, goal in pairs)
