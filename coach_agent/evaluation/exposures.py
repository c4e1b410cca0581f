"""Exposures of a training log, session by session, with the time from which they were known.

The unit of the backtest is the exposure: a lifter, an exercise and a session that contains it. Only
working sets with a load and 1 to 12 repetitions count, because the estimated maximum (e1RM, after
Epley) is only defined for them; a bodyweight exercise has none.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from statistics import median

from coach_agent.domain.constants.history import TYPO_HI, TYPO_LO, TYPO_MIN_OTHERS, TYPO_WINDOW
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.strength import E1RM_HARD_MAX_REPS
from coach_agent.domain.e1rm import epley_max
from coach_agent.domain.titles import normalize_title
from coach_agent.domain.units import Unit
from coach_agent.engine.forecast.session import Best
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.history.unmarked_warm_ups import count_unmarked
from coach_agent.evaluation.past_sessions import (
    FactsOf,
    Session,
    done_sets,
    exercise_id,
    known_at,
    sessions_of,
)
from coach_agent.evaluation.plan_inputs import PlanInput, plan_inputs
from coach_agent.planning.between_sets import ExerciseFacts
from hevy_connector.body_load import body_load_type
from hevy_connector.schemas import FILE_ID_PREFIX, Workout, WorkoutExercise

# Their load is added to or subtracted from the body's own weight: no maximum of the load.
_NOT_THE_WHOLE_LOAD = frozenset({"bodyweight_weighted", "bodyweight_assisted"})


@dataclass(frozen=True)
class PastSet:
    """A done working set, no warm-up. `place` is its position among all sets of the exercise."""

    place: int
    set_type: str
    weight_kg: float
    reps: int
    rpe: float | None = None
    is_doubted: bool = False

    @cached_property
    def e1rm_kg(self) -> float | None:
        """The estimated maximum, after Epley and as if to failure; None above 12 repetitions."""
        return (
            epley_max(self.weight_kg, self.reps) if self.reps <= E1RM_HARD_MAX_REPS.value else None
        )


@dataclass(frozen=True)
class PastExposure:
    """An exercise in a session. `sets` are its loaded working sets in order, never empty.

    `exercise` identifies it within a log, `template_id` in its sessions. `known_at` is the time
    from which its result was known: the end of the session or the creation of the record. Times
    are aware UTC.
    """

    lifter: str
    exercise: str
    template_id: str
    facts: ExerciseFacts
    session_id: str
    started_at: datetime
    known_at: datetime
    sets: tuple[PastSet, ...]

    @cached_property
    def counted(self) -> tuple[PastSet, ...]:
        """The sets of 1 to 12 repetitions that are not doubted."""
        return tuple(each for each in self.sets if each.e1rm_kg is not None and not each.is_doubted)

    @cached_property
    def top(self) -> PastSet:
        """The heaviest counted set, of equal ones the one with most repetitions."""
        return max(self.counted, key=lambda each: (each.weight_kg, each.reps, -each.place))

    @cached_property
    def top_places(self) -> tuple[int, ...]:
        """The places of the working sets with the load of the top set, from 0."""
        top = self.top.weight_kg
        return tuple(
            place
            for place, each in enumerate(self.sets)
            if abs(each.weight_kg - top) <= LOAD_TOLERANCE.value
        )

    @cached_property
    def e1rm_kg(self) -> float:
        """The best maximum of the session's counted sets."""
        return max(each.e1rm_kg or 0.0 for each in self.counted)

    @cached_property
    def best(self) -> Best:
        """The input of the engine's forecaster of maxima."""
        return Best(self.exercise, self.e1rm_kg)


@dataclass(frozen=True)
class TrainingLog:
    """The complete log of one lifter, oldest first.

    `exposures` are those with a counted set. `input_sha256` is the hash of the input,
    `doubted_count` the number of sets excluded as probably mistyped. `gym_unit` is the unit of the
    gym's load labels, `rejected_rows` of the input could not be parsed.
    """

    lifter: str
    input_sha256: str
    sessions: tuple[Session, ...]
    exposures: tuple[PastExposure, ...]
    doubted_count: int
    gym_unit: Unit = "kg"
    rejected_rows: int = 0

    def plan_input(self, exposure: PastExposure) -> PlanInput | None:
        """Return the input of the plan of its morning for an exposure; None without a history."""
        return self._plan_inputs.get((exposure.session_id, exposure.template_id))

    @cached_property
    def _plan_inputs(self) -> Mapping[tuple[str, str], PlanInput]:
        wanted = (each.session_id for each in self.exposures)
        return plan_inputs(self.sessions, wanted, self.gym_unit)


def training_log(
    lifter: str,
    input_sha256: str,
    workouts: Iterable[Workout],
    facts_of: FactsOf,
    gym_unit: Unit = "kg",
    rejected_rows: int = 0,
) -> TrainingLog:
    """Build the log of these workouts.

    Pass each workout once, in its first known version: a later edit was not known on the day.
    """
    ordered = sorted(workouts, key=lambda each: (each.start_time, each.id))
    exposures: list[PastExposure] = []
    for workout in ordered:
        exposures += _exposures(lifter, workout, facts_of)
    judged = _mark_outliers(exposures)
    return TrainingLog(
        lifter=lifter,
        input_sha256=input_sha256,
        sessions=sessions_of(ordered, facts_of),
        exposures=tuple(each for each in judged if each.counted),
        doubted_count=sum(done.is_doubted for each in judged for done in each.sets),
        gym_unit=gym_unit,
        rejected_rows=rejected_rows,
    )


class Knowledge:
    """The exposures of one lifter in the order in which they became known."""

    def __init__(self, exposures: Sequence[PastExposure]) -> None:
        self._known = sorted(exposures, key=lambda each: (each.known_at, each.started_at))
        self._times = [each.known_at for each in self._known]

    def before(self, moment: datetime) -> tuple[PastExposure, ...]:
        """Return the exposures known before the moment, newest last."""
        return tuple(self._known[: bisect_left(self._times, moment)])


def _exposures(lifter: str, workout: Workout, facts_of: FactsOf) -> list[PastExposure]:
    """Return the exercises of a workout with loaded working sets; one done twice is one
    exposure.
    """
    found: dict[str, list[WorkoutExercise]] = defaultdict(list)
    known: dict[str, ExerciseFacts] = {}
    ids: dict[str, str] = {}
    for each in workout.exercises:
        facts = facts_of(each.title) or ExerciseFacts(each.title, None, None, None)
        if not _is_loaded(facts):
            continue
        key = normalize_title(facts.title)
        known[key] = facts
        ids[key] = exercise_id(each.title, each.exercise_template_id, facts_of(each.title))
        found[key].append(each)
    exposures = []
    for key, blocks in found.items():
        sets = [each for block in blocks for each in block.sets]
        first = count_unmarked(done_sets(sets)) if workout.id.startswith(FILE_ID_PREFIX) else 0
        working = tuple(
            PastSet(place, each.type, each.weight_kg, each.reps, each.rpe)
            for place, each in enumerate(sets)
            if place >= first
            and each.type in WORKING_TYPES
            and each.weight_kg
            and each.weight_kg > 0
            and each.reps
        )
        if working:
            exposures.append(
                PastExposure(
                    lifter=lifter,
                    exercise=key,
                    template_id=ids[key],
                    facts=known[key],
                    session_id=workout.id,
                    started_at=workout.start_time,
                    known_at=known_at(workout),
                    sets=working,
                )
            )
    return exposures


def _is_loaded(facts: ExerciseFacts) -> bool:
    """Return whether the load is all that is moved; for an unknown exercise, by its title."""
    if facts.exercise_type is None:
        return body_load_type(facts.title) is None
    return facts.exercise_type not in _NOT_THE_WHOLE_LOAD


def _mark_outliers(exposures: Sequence[PastExposure]) -> list[PastExposure]:
    """Return the exposures with doubt on probably mistyped sets, from data known on their day."""
    bests: dict[str, list[float]] = defaultdict(list)
    judged = []
    for each in exposures:
        earlier = bests[each.exercise][-TYPO_WINDOW.value :]
        if len(earlier) >= TYPO_MIN_OTHERS.value:
            usual = median(earlier)
            sets = tuple(
                replace(done, is_doubted=_is_far(done.e1rm_kg, usual)) for done in each.sets
            )
            judged.append(replace(each, sets=sets))
        else:
            judged.append(each)
        if maxima := [done.e1rm_kg for done in each.sets if done.e1rm_kg is not None]:
            bests[each.exercise].append(max(maxima))
    return judged


def _is_far(e1rm_kg: float | None, usual_kg: float) -> bool:
    if e1rm_kg is None:
        return False
    return not TYPO_LO.value * usual_kg <= e1rm_kg <= TYPO_HI.value * usual_kg
