"""A plan: the next workout of one athlete, set by set with its reasons. Loads are kg."""

from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field

from coach_agent.domain.block import Phase
from coach_agent.domain.units import Unit
from coach_agent.domain.values import SameObjects, Value, canonical_json, is_null
from coach_agent.language.messages import DEFAULT, is_default
from hevy_connector.schemas import SetType, UtcTime

FixType = Literal["deload", "rep_range", "variation", "volume", "none"]
Category = Literal["progress", "fatigue", "technique", "volume"]


class SetPrescription(Value):
    """A set as a routine holds it. Null means no target, never zero.

    `weight_kg` of an assisted exercise is the assistance. A range with a null end is open ("8+");
    with a range, `reps` is the goal within it.
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

    @property
    def has_result(self) -> bool:
        """True with repetitions, seconds or metres; a load alone is none."""
        return bool(self.reps or self.duration_s or self.distance_m)


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
        """The place alone, without the additional fields of a subclass."""
        return Place(**{name: getattr(self, name) for name in Place.model_fields})


class Prediction(Value):
    """Expected result of a set with its prescribed load, and the 80 % interval around it.

    Exactly one of `reps`, `duration_s` and `distance_m` is set; `low` and `high` are in its unit.
    `p_success` is the probability of at least the target; null without a target and with too few
    own forecasts. `n` counts the lifter's own earlier forecasts behind both; with 0, those of all
    lifters are the fallback.

    The probability is logistic in the excess of the target over the expectation. Level and slope
    start from four public logs (`predict.chance`) and are updated with the lifter's own results:
    planned targets, and without a plan the repetitions of the time before. It is never nearer to 0
    or 1 than `predict.chance_bound`. Logs hold the lifters' own choices, so it estimates how often
    such sets succeeded, not the effect of another plan.
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
    """The numbers behind an analysis; null if not available.

    Slopes are % of the maximum per exposure, `upper_pct` is the bound that decides. `sets_before`
    and `sets_now` are the volume trend: mean working sets per exposure in the earlier and the later
    half.
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
    """Verdict on a stalled lift, its probable reason and a fix, which is never a heavier load."""

    is_stalled: bool
    reason: str
    suggested_fix: str
    fix_type: FixType
    details: StallDetails


class Insight(Value):
    """One sentence about a workout, one action, and their subject.

    `exercise_title` is the exercise of the action; null if it concerns the whole workout.
    """

    insight: str
    action: str
    category: Category
    exercise_title: str | None = None


class SessionMinutes(Value):
    """Minutes of a session with a band of +-20 %.

    `personal`: from the athlete's own minutes per set; mean error on public logs 18 %. `prior`:
    from repetitions and rest alone; the error was not measured.
    """

    minutes: float
    low: float
    high: float
    basis: Literal["personal", "prior"]


# Adjustments that change nothing.
PAIN_MILD, BODY_ASSUMED, BLOCK_EFFORT = "pain_mild", "body_assumed", "block_effort"
PAIN_MODERATE, NEW_EXERCISE = "pain_moderate", "new_exercise"
_REMARKS = frozenset({PAIN_MILD, BODY_ASSUMED, BLOCK_EFFORT})
TIME_CAP, BLOCK_SETS = "time_cap", "block_sets"
_ABOUT_SETS = frozenset({TIME_CAP, BLOCK_SETS})
EXCHANGED = "coach_swap"
OMITTING = frozenset(
    {"avoided", "pain_severe", "unavailable", "meet_light", NEW_EXERCISE, EXCHANGED}
)
"""Adjustments that leave an exercise out; `meet_light` only isolation."""


class Adjustment(Value):
    """A change of the plan by circumstances: the rule's name, and a sentence for the athlete.

    `pain_mild`, `body_assumed` and `block_effort` are remarks: nothing changes for them.
    `block_sets` are the sets of a programme's week, fewer or more than the routine's.
    """

    rule: str
    text: str

    @property
    def forbids_increase(self) -> bool:
        """True if the exercise may not go up for this reason."""
        return self.rule not in _ABOUT_SETS and not self.is_remark

    @property
    def is_remark(self) -> bool:
        """True if nothing changes for it."""
        return self.rule in _REMARKS


class SlotPrescription(Place):
    """One place in the routine: an exercise, its sets and the reasons for them.

    `rule` names the progression models that decided. `reason_codes` give the reason to programs,
    `reason` gives the training's reason to people, and `adjustments` list the reductions by
    circumstances. `direction` is the trend of the exercise; "out" means left out this time.
    `last_done` is the whole exercise in its latest workout, for comparison.

    `step_kg` is one step up from the last load, null without one. `predictions` has the expected
    result for each of `sets`, null if unknown. `advised_rest_s` is the default rest if the routine
    has none. A set above `rpe_cap` is too hard; null without a known RPE. `limits` are codes of the
    limits that kept the decision from going further.

    If `adjustments` shorten or lighten the exercise, or a goal is beyond the routine's range,
    `whole_sets` are the unreduced sets. `sets` are the first ones of them, or none for an exercise
    that is left out. `is_easy` marks a deliberately light exercise, which does not measure
    progress. `types_in_hevy` are the set types that the routine holds now, if an earlier plan left
    some out or a programme changes their number; null if they equal these sets. `notes` are the
    athlete's own, kept while the exercise is left out. `replaces_ranges`: write the rep ranges of
    `sets` into the routine, because a programme, or a goal beyond its range, has its own.

    `note` is the coach's note on the exercise for the lifter, rendered from codes that a model
    selected. `replaces`: this exercise is a placeholder today for the exercise of that place, which
    is left out just before it; the next plan removes it. `moved_from` is the index of its place in
    the routine, if the plan has another one; for a placeholder, the index of the replaced place.
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
        """All sets of the exercise in the routine, including those left out this time."""
        return self.whole_sets or self.sets

    @property
    def is_left_out(self) -> bool:
        """True if none of its sets is to be done this time."""
        return bool(self.whole_sets) and not self.sets

    @property
    def valid_adjustments(self) -> tuple[Adjustment, ...]:
        """The adjustments; of an exercise that is left out, the reasons for that alone.

        Its sets were cut by the last adjustment that can cut them all.
        """
        able = [each for each in self.adjustments if each.rule in OMITTING | _ABOUT_SETS]
        if not self.is_left_out or not able:
            return self.adjustments
        if able[-1].rule in _ABOUT_SETS:
            return (able[-1],)
        return tuple(each for each in able if each.rule in OMITTING)


class CoachWords(Value):
    """Comment of a language model on a plan: permitted statements that its sentences select.

    `decided_by` is provider and model. `dropped_sentences` counts the sentences and codes removed
    from all its texts. `text_policy` is the version of the rendering rules; "1" is free text with a
    list of forbidden words.
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
        """The texts of the comment in reading order; empty if nothing could be shown."""
        return tuple(each for each in (self.summary, *self.adjustments, self.reasoning) if each)


class PlanBlock(Value):
    """The week of the followed programme that a plan belongs to, from 1 of `weeks`.

    `phase` is null for a week without one, `text` is a sentence for the athlete.
    """

    programme_id: str
    title: str
    week: int
    weeks: int
    phase: Phase | None
    text: str


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
        default=(), description="Information for the athlete; nothing was changed for it."
    )
    load_unit: Unit = Field(
        default="kg",
        description="Unit of the gym's load labels and of texts; numbers are kg.",
    )
    language: str = Field(
        default=DEFAULT,
        exclude_if=is_default,
        description="Language of the texts; missing in an English plan.",
    )
    deload: str | None = Field(
        default=None, description="Reason for a deliberately easy workout; null if it is not easy."
    )
    block: PlanBlock | None = Field(
        default=None,
        exclude_if=is_null,
        description="Week of the followed programme; missing without one.",
    )
    words: CoachWords | None = Field(
        default=None, description="Comment of a language model; null where rules alone decided."
    )
    takes_out: tuple[Place, ...] = Field(
        default=(),
        description="Placeholder exercises of an earlier plan that this plan removes.",
    )
    slots: tuple[SlotPrescription, ...]

    @property
    def decided_by(self) -> str:
        """Provider and model that chose within the windows, else "engine"."""
        return "engine" if self.words is None else self.words.decided_by

    def to_json(self) -> bytes:
        """Return the plan as canonical JSON: equal plans have equal bytes."""
        return _plan_json(SameObjects(self))


# The engine's output and the plan that is stored are mostly one object.
@lru_cache(maxsize=2)
def _plan_json(same: SameObjects) -> bytes:
    return canonical_json(same.held[0])
