"""An exercise in the past sessions of a log: exposures, doubted sets, maxima and trend."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from statistics import fmean

from coach_agent.domain.constants.history import TYPO_WINDOW
from coach_agent.domain.context import (
    Exposure,
    ExposureSet,
    LiftTrend,
)
from coach_agent.domain.e1rm import estimated_max
from coach_agent.engine.forecast.trend import trend_of
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED, learned_increment_kg
from coach_agent.evaluation.doubts import RecordedSet, doubted_places
from coach_agent.evaluation.effort import OwnMaxima
from coach_agent.evaluation.lift_trends import as_mart
from coach_agent.evaluation.past_sessions import Done, Session

EXPOSURES = 6  # as the mart `coach_context` has them
_TREND_EXPOSURES = 12


@dataclass
class _Trained:
    """An exercise in a workout: its sets with repetitions, and the exposure of each occurrence.

    `places` are those of the recorded sets, as occurrence and index in its exposure.
    """

    recorded: list[RecordedSet] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)
    exposures: dict[int, Exposure] = field(default_factory=dict)

    def add(self, done: Done, exposure: Exposure) -> None:
        self.exposures[done.occurrence] = exposure
        is_of_body = done.exercise["exercise_type"] in {ASSISTED, WEIGHTED}
        for place, each in enumerate(exposure.sets):
            if each.set_type != "warmup" and each.reps:
                load = None if is_of_body else each.weight_kg or None
                self.recorded.append(RecordedSet(load, each.reps, each.set_type == "dropset"))
                self.places.append((done.occurrence, place))

    def doubt(self, doubted: Iterable[int]) -> None:
        """Mark the recorded sets at these places as doubted, and no others."""
        wrong = {self.places[each] for each in doubted}
        for occurrence, exposure in self.exposures.items():
            flags = [(occurrence, place) in wrong for place in range(len(exposure.sets))]
            if flags != [each.is_typo_suspect for each in exposure.sets]:
                sets = tuple(
                    each.model_copy(update={"is_typo_suspect": flag})
                    for each, flag in zip(exposure.sets, flags, strict=True)
                )
                self.exposures[occurrence] = exposure.model_copy(update={"sets": sets})


class PastLift:
    """The data of an exercise from all sessions."""

    def __init__(self) -> None:
        self._trained: dict[str, _Trained] = {}
        self.maxima: list[float] = []
        self.loads: list[float] = []
        self.reps: list[float] = []
        self.own_maxima = OwnMaxima()
        self.last_at: datetime | None = None

    @property
    def exposures(self) -> tuple[Exposure, ...]:
        """The latest workouts with the exercise, newest first, each by its first occurrence."""
        latest = islice(reversed(self._trained.values()), EXPOSURES)
        return tuple(each.exposures[min(each.exposures)] for each in latest)

    def exposure(self, workout_id: str, occurrence: int) -> Exposure:
        """Return an occurrence of the exercise in a workout."""
        return self._trained[workout_id].exposures[occurrence]

    def record(self, done: Done, exposure: Exposure) -> None:
        """Record an occurrence of the exercise, before its sets are judged."""
        self._trained.setdefault(exposure.workout_id, _Trained()).add(done, exposure)

    def judge(self) -> None:
        """Doubt sets of the latest workouts again: a new one speaks for or against them."""
        reach = TYPO_WINDOW.value
        recorded = (each for each in reversed(self._trained.values()) if each.recorded)
        known = [*islice(recorded, 2 * reach + 1)][::-1]
        days = [each.recorded for each in known]
        for at in range(max(0, len(days) - reach - 1), len(days)):
            known[at].doubt(doubted_places(days, at))

    def add(self, session: Session, done: Done) -> None:
        """Add the judged sets of a session to maxima and loads."""
        self.last_at = session.started_at
        if done.exercise["exercise_type"] == "weight_reps":
            for each in self.exposure(session.workout_id, done.occurrence).sets:
                is_known = each.set_type in WORKING_TYPES and not each.is_typo_suspect
                if is_known and each.weight_kg and each.reps:
                    self.own_maxima.add(self.last_at, each.weight_kg, each.reps, each.rpe)
        if loads := [each.weight_kg for each in done.working if each.weight_kg]:
            is_assisted = done.exercise["exercise_type"] == ASSISTED
            self.loads.append(-min(loads) if is_assisted else max(loads))
        best = max((_maximum(each) for each in done.working), default=0.0)
        if best and done.exercise["exercise_type"] == "weight_reps":
            self.maxima.append(best)
            self.reps.append(fmean(each.reps for each in done.working if each.reps))

    @property
    def increment_kg(self) -> float | None:
        """Return the step between its loads in kg; None if unknown."""
        return learned_increment_kg(self.loads)

    @property
    def trend(self) -> LiftTrend:
        """Return the trend of its maxima, as the mart has it."""
        if not self.maxima:
            return LiftTrend()
        trend = trend_of(self.maxima[-_TREND_EXPOSURES:])
        if trend is None:
            return as_mart(None)
        mean_reps = fmean(self.reps[-_TREND_EXPOSURES:])
        return as_mart(trend).model_copy(update={"mean_reps": mean_reps})


def _maximum(done: ExposureSet) -> float:
    found = estimated_max(done.weight_kg or 0.0, done.reps or 0, done.rpe)
    return 0.0 if found is None else found.kg
