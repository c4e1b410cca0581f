"""A plan: the next workout of one athlete, set by set with its reasons. Loads are kg."""

from pydantic import Field

from coach_agent.values import Value, canonical_json
from hevy_connector.schemas import SetType, UtcTime


class SetPrescription(Value):
    """A set as a routine holds it. Null means no target, never zero.

    `weight_kg` of an assisted exercise is the assistance. A range whose end is null is open
    ("8+"); beside a range, `reps` is the goal within it.
    """

    set_index: int
    set_type: SetType
    weight_kg: float | None = None
    reps: int | None = None
    rep_range_start: int | None = None
    rep_range_end: int | None = None
    duration_s: int | None = None
    distance_m: int | None = None
    custom_metric: float | None = None


class DoneSet(Value):
    """A set as it was done. Null means not recorded."""

    set_index: int
    set_type: SetType
    weight_kg: float | None = None
    reps: int | None = None
    duration_s: int | None = None
    distance_m: int | None = None
    custom_metric: float | None = None
    rpe: float | None = None


class Place(Value):
    """A place in a routine and its exercise.

    `occurrence` counts the places of this exercise in the routine from 1. `exercise_type`,
    `equipment` and muscle groups are open lists of the service, null and empty where the exercise
    is unknown.
    """

    exercise_index: int
    occurrence: int
    exercise_template_id: str
    exercise_title: str
    exercise_type: str | None = None
    equipment: str | None = None
    primary_muscle_group: str | None = None
    secondary_muscle_groups: tuple[str, ...] = ()
    superset_id: int | None = None
    rest_s: int | None = None


class Adjustment(Value):
    """What circumstances took from a plan: the rule's name, and a sentence for the athlete."""

    rule: str
    text: str


class SlotPrescription(Place):
    """One place in the routine: an exercise, its sets, and why they are what they are.

    `rule` names the progression models that decided, `reason_codes` say why to programs, `reason`
    to people. `last_done` is all of the exercise in its latest workout, for comparison.

    Where `adjustments` made the exercise shorter or lighter, `whole_sets` are the sets as they are
    without them, of which `sets` are the first ones, or none of an exercise that is left out.
    `is_easy` says that it is light on purpose, so that how it goes is no measure of progress.
    `sets_in_hevy` is how many of these sets the routine holds now, where an earlier plan had left
    some out; null for all. `notes` are the athlete's own, kept while the exercise is left out.
    """

    rule: str
    reason_codes: tuple[str, ...]
    reason: str
    last_done_at: UtcTime | None = None
    last_done: tuple[DoneSet, ...] = ()
    sets: tuple[SetPrescription, ...]
    adjustments: tuple[Adjustment, ...] = ()
    whole_sets: tuple[SetPrescription, ...] = ()
    is_easy: bool = False
    sets_in_hevy: int | None = None
    notes: str | None = None

    @property
    def structure(self) -> tuple[SetPrescription, ...]:
        """All sets that the routine has for the exercise, also those left out this time."""
        return self.whole_sets or self.sets


class Plan(Value):
    """The next workout: one routine with the targets of every set."""

    athlete_id: str
    routine_id: str
    routine_title: str
    rule_version: str = Field(description="Version of the rules and constants that decided.")
    summary: str
    deload: str | None = Field(
        default=None, description="Why the whole workout is easy on purpose; null if it is not."
    )
    slots: tuple[SlotPrescription, ...]

    def to_json(self) -> bytes:
        """The plan as canonical JSON: equal plans have equal bytes."""
        return canonical_json(self)
