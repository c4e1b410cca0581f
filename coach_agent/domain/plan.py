"""A plan: the next workout of one athlete, set by set with its reasons. Loads are kg."""

from typing import Annotated, Literal

from pydantic import Field

from coach_agent.domain.units import Unit
from coach_agent.domain.values import Value, canonical_json
from hevy_connector.schemas import SetType, UtcTime

FixType = Literal["deload", "rep_range", "variation", "volume", "none"]
Category = Literal["progress", "fatigue", "technique", "volume"]


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

    @property
    def place(self) -> "Place":
        """The place alone, of whatever knows more of it."""
        return Place(**{name: getattr(self, name) for name in Place.model_fields})


class Prediction(Value):
    """Expected result of a set with its prescribed load, and the 80 % interval around it.

    Exactly one of `reps`, `duration_s` and `distance_m` is set; `low` and `high` are in its unit.
    `p_success` is the probability of at least the target; null without a target and with too few
    own forecasts. `n` counts the lifter's own earlier forecasts behind both; 0: those of all
    lifters stand in.

    The probability is logistic in how far the target is above what is expected, with level and
    slope from what became of the lifter's own targets, planned ones and without a plan as much
    as the time before, starting from four public logs (`predict.chance`). It is never nearer to 0
    or 1 than `predict.chance_bound`. Logs hold what lifters chose to do, so it tells how often such
    sets went so, and not what another plan would lead to.
    """

    reps: Annotated[float, Field(gt=0)] | None = None
    duration_s: Annotated[float, Field(gt=0)] | None = None
    distance_m: Annotated[float, Field(gt=0)] | None = None
    low: Annotated[float, Field(gt=0)]
    high: Annotated[float, Field(gt=0)]
    p_success: Annotated[float, Field(ge=0, le=1)] | None
    n: Annotated[int, Field(ge=0)]

    @property
    def unit(self) -> Literal["reps", "s", "m"]:
        """The unit of `low` and `high`."""
        if self.reps is not None:
            return "reps"
        return "s" if self.duration_s is not None else "m"


class StallDetails(Value):
    """The numbers behind an analysis; null where there is none.

    Slopes are % of the maximum per exposure, `upper_pct` the bound that decides. The volume trend
    stands beside them: mean working sets per exposure in the earlier and the later half.
    """

    exposure_count: int | None = None
    slope_pct: float | None = None
    lower_pct: float | None = None
    upper_pct: float | None = None
    false_alarm_rate: float | None = None
    sets_before: float | None = None
    sets_now: float | None = None
    mean_reps: float | None = None
    mean_rpe: float | None = None


class StallAnalysis(Value):
    """Whether a lift is stalled, why probably, and what to do: never a heavier load."""

    is_stalled: bool
    reason: str
    suggested_fix: str
    fix_type: FixType
    details: StallDetails


class Insight(Value):
    """One sentence about a workout, one thing to do, and what both are about.

    `exercise_title` is the exercise that the action is about; null where it is about the workout.
    """

    insight: str
    action: str
    category: Category
    exercise_title: str | None = None


class SessionMinutes(Value):
    """Minutes of a session with a band of +-20 %.

    `personal`: from the athlete's own minutes a set, whose mean error on public logs was 18 %.
    `prior`: from repetitions and rest alone, whose error was not measured.
    """

    minutes: float
    low: float
    high: float
    basis: Literal["personal", "prior"]


class Adjustment(Value):
    """What circumstances took from a plan: the rule's name, and a sentence for the athlete."""

    rule: str
    text: str


class SlotPrescription(Place):
    """One place in the routine: an exercise, its sets, and why they are what they are.

    `rule` names the progression models that decided, `reason_codes` say why to programs, `reason`
    what its training asks for to people, and `adjustments` what circumstances took from that.
    `direction` says where it goes; "out": it is left out this time. `last_done` is all of the
    exercise in its latest workout, for comparison.

    `step_kg` is one step of its loads from the last one, null where it has none.
    `predictions` has what to expect of each of `sets`, null where that is unknown; `advised_rest_s`
    is a rest for where the routine says none; above `rpe_cap` a set is too hard, null where no RPE
    is known; `limits` are codes of what kept the decision from going further.

    Where `adjustments` made the exercise shorter or lighter, or a goal is beyond the routine's
    range, `whole_sets` are the sets as they are without that, of which `sets` are the first ones,
    or none of an exercise that is left out.
    `is_easy` says that it is light on purpose, so that how it goes is no measure of progress.
    `types_in_hevy` are those of the sets that the routine holds now, where an earlier plan had left
    some out or a programme changes how many there are; null where they are these ones. `notes` are
    the athlete's own, kept while the exercise is left out. `replaces_ranges`: the rep ranges of
    `sets` are written into the routine, because a programme, or a goal beyond its range, has its
    own.

    `note` is ours, for the lifter to read beside the exercise, rendered by code from codes that a
    model selected. `replaces`: it stands in today for
    the exercise of that place, which is left out just before it, and goes again with the next plan.
    `moved_from` is the index of its place in the routine, where the plan has another one; of what
    stands in, that of the place for which it does.
    """

    rule: str
    reason_codes: tuple[str, ...]
    reason: str
    last_done_at: UtcTime | None = None
    last_done: tuple[DoneSet, ...] = ()
    sets: tuple[SetPrescription, ...]
    direction: Literal["up", "same", "down", "out"] = "same"
    step_kg: float | None = None
    predictions: tuple[Prediction | None, ...] = ()
    advised_rest_s: int | None = None
    rpe_cap: float | None = None
    stall: StallAnalysis | None = None
    limits: tuple[str, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    whole_sets: tuple[SetPrescription, ...] = ()
    is_easy: bool = False
    types_in_hevy: tuple[SetType, ...] | None = None
    replaces_ranges: bool = False
    notes: str | None = None
    note: str | None = None
    replaces: Place | None = None
    moved_from: int | None = None

    @property
    def structure(self) -> tuple[SetPrescription, ...]:
        """All sets that the routine has for the exercise, also those left out this time."""
        return self.whole_sets or self.sets

    @property
    def is_left_out(self) -> bool:
        """Whether none of its sets is to be done this time."""
        return bool(self.whole_sets) and not self.sets


class CoachWords(Value):
    """Comment of a language model on a plan: sentences of a closed grammar, true by the data.

    `decided_by` is provider and model. `dropped_sentences` counts the sentences and codes that
    were left out of all its texts. `text_policy` is the version of the rules that the texts were
    rendered by; "1" is free text with a list of forbidden words.
    """

    decided_by: str
    prompt_version: str
    summary: str
    adjustments: tuple[str, ...] = ()
    reasoning: str = ""
    dropped_sentences: int = 0
    text_policy: str = "1"

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the comment in reading order; empty where nothing could be shown."""
        return tuple(each for each in (self.summary, *self.adjustments, self.reasoning) if each)


class Plan(Value):
    """The next workout: one routine with the targets of every set."""

    athlete_id: str
    routine_id: str
    routine_title: str
    rule_version: str = Field(description="Version of the rules and constants that decided.")
    summary: str
    minutes: SessionMinutes | None = None
    insight: Insight | None = None
    advice: tuple[Adjustment, ...] = Field(
        default=(), description="What the athlete may want to know; nothing was changed for it."
    )
    load_unit: Unit = Field(
        default="kg",
        description="What the gym marks its loads in and texts tell them in; numbers are kg.",
    )
    deload: str | None = Field(
        default=None, description="Why the whole workout is easy on purpose; null if it is not."
    )
    words: CoachWords | None = Field(
        default=None, description="Comment of a language model; null where rules alone decided."
    )
    takes_out: tuple[Place, ...] = Field(
        default=(),
        description="Exercises that an earlier plan put into the routine for a time; they go now.",
    )
    slots: tuple[SlotPrescription, ...]

    @property
    def decided_by(self) -> str:
        """Provider and model that chose within the windows, else "engine"."""
        return "engine" if self.words is None else self.words.decided_by

    def to_json(self) -> bytes:
        """The plan as canonical JSON: equal plans have equal bytes."""
        return canonical_json(self)
