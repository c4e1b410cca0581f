"""The coach's input: current routines and the recent history of their exercises."""

from coach_agent.domain.plan import DoneSet, Place, SetPrescription
from coach_agent.domain.values import StoredTime, Value
from hevy_connector.schemas import SetType


class ExposureSet(DoneSet):
    """A set that was done, with its plan.

    `planned_set_index` is null for a set without a plan, and for all sets if the plan is unknown. A
    doubted set (`is_typo_suspect`) was probably mistyped. `is_confirmed` is the athlete's
    correction: True if done as recorded, False for a typing error, null without one. The planned
    repetitions are a range; fixed ones have equal ends, an open range a null high.
    """

    is_typo_suspect: bool = False
    is_confirmed: bool | None = None
    planned_set_index: int | None = None
    planned_weight_kg: float | None = None
    planned_reps_low: int | None = None
    planned_reps_high: int | None = None
    planned_duration_s: int | None = None
    execution_status: str | None = None


class Exposure(Value):
    """A workout that contains the exercise.

    `planned_working_count` is the number of planned working sets; null if unknown. `is_easy`: it
    was planned lighter on purpose, as in a deload, and does not measure progress.
    """

    workout_id: str
    started_at: StoredTime
    is_plan_known: bool
    planned_working_count: int | None = None
    is_easy: bool = False
    sets: tuple[ExposureSet, ...]

    def __hash__(self) -> int:
        """Hash a minimal key, because hashing all sets of a cached exposure would be slow."""
        if not self.sets:
            return hash(self.workout_id)
        # The first set is often a warm-up, alike in several exercises of a workout.
        first, last = self.sets[0], self.sets[-1]
        shown = first.weight_kg, first.reps, last.weight_kg, last.reps
        return hash((self.workout_id, len(self.sets), shown))


class Slot(Place):
    """A place in a routine with its exercise history; `exposures` are newest first.

    `learned_increment_kg` is the smallest step that the athlete takes repeatedly, if any.
    """

    learned_increment_kg: float | None = None
    exposures: tuple[Exposure, ...] = ()


class SameHistory:
    """A slot as a key of a cache, equal for the same exposures of one type of exercise.

    Exposures are the same by identity: to compare them takes as long as to read them. The key holds
    the slot, so that no identity is reused.
    """

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self._key = slot.exercise_type, *map(id, slot.exposures)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameHistory) and self._key == other._key


class LiftTrend(Value):
    """The trend of an exercise from the mart `fct_exercise_trend`, in % per exposure.

    Null with too few exposures, and without an RPE.
    """

    verdict: str | None = None
    slope_pct: float | None = None
    lower_pct: float | None = None
    upper_pct: float | None = None
    standard_error_pct: float | None = None
    residual_pct: float | None = None
    false_alarm_rate: float | None = None
    exposure_count: int | None = None
    mean_rpe: float | None = None
    mean_reps: float | None = None


class SlotContext(Slot):
    """A place in a routine with its current sets and the athlete's notes.

    `last_trained_at` is the last time of the exercise in any routine. `types_in_hevy` are the set
    types that the routine holds now, if an earlier plan left some sets out; null means all.
    `is_range_ours`: an earlier plan wrote the rep ranges that the routine holds now.
    """

    planned_sets: tuple[SetPrescription, ...]
    types_in_hevy: tuple[SetType, ...] | None = None
    is_range_ours: bool = False
    notes: str | None = None
    last_trained_at: StoredTime | None = None
    trend: LiftTrend = LiftTrend()


class RoutineContext(Value):
    """A current routine; `sha256` identifies its content, slots are in its order.

    `left_out` are exercises that an earlier plan left out temporarily: they have a history, but no
    planned sets and no place. `stand_ins` are the placeholders that it added instead; they will be
    removed.
    """

    routine_id: str
    title: str
    sha256: str
    last_trained_at: StoredTime | None = None
    slots: tuple[SlotContext, ...]
    left_out: tuple[SlotContext, ...] = ()
    stand_ins: tuple[Place, ...] = ()


class TrainedRoutine(Value):
    """A workout that was started from a routine."""

    routine_id: str
    started_at: StoredTime
