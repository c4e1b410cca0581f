"""What the engine may know of a routine: its structure and history, not its present targets.

Today's loads, goals and seconds are taken out wherever the history decides them. So a plan that
was written into the routine cannot change the next decision: the same history gives the same
plan.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

from coach_agent.context import Slot, SlotContext
from coach_agent.exercise_rules import ExerciseRule
from coach_agent.plan import SetPrescription, StallAnalysis
from coach_agent.profile import Rules
from coach_agent.progression.circumstances import Layoff
from coach_agent.progression.constants import LOAD_TOLERANCE
from coach_agent.progression.history import WORKING_TYPES, Attempt, Measure, attempts, done_sets
from coach_agent.progression.ladder import ASSISTED, WEIGHTED, load_of
from coach_agent.progression.sifting import LoadKind, Past, sift
from coach_agent.values import Value

Model = Literal["linear", "open", "double", "reps", "reps_range", "timed", "keep"]
KeepCode = Literal["no_history", "target_changed", "no_target", "not_progressed"]
Group = tuple[SetPrescription, ...]

LOAD_MODELS: frozenset[Model] = frozenset({"linear", "open", "double"})
_DROPSET = frozenset({"dropset"})
# Distances, floors and steps are endurance work: nothing here knows how it should grow.
_ENDURANCE = frozenset(
    {"distance_duration", "short_distance_weight", "floors_duration", "steps_duration"}
)


class Target(Value):
    """What the repetitions of a set are judged by; null ends are open.

    `is_routines`: the routine itself says so, and its versions tell what it said before.
    """

    low: int | None
    high: int | None
    is_routines: bool

    def goes_with(self, low: int | None, high: int | None) -> bool:
        """Whether another target is the same, but that one of them may be open ("8-10", "8+")."""
        return self.low == low and (self.high == high or None in {self.high, high})


class Block(Value):
    """Working sets that progress together by `model`; `keep_code` says why kept ones do not."""

    model: Model
    set_indexes: tuple[int, ...]
    target: Target | None = None
    keep_code: KeepCode | None = None


class SlotInput(Slot):
    """A slot as the engine sees it; targets that it decides are null in `sets`."""

    sets: Group
    blocks: tuple[Block, ...]
    layoff: Layoff | None = None
    stall: StallAnalysis | None = None

    @property
    def has_ramp(self) -> bool:
        """Whether warm-ups follow the first working load: it is decided, and all that moves."""
        return (
            bool(self.blocks)
            and self.blocks[0].model in LOAD_MODELS
            and self.exercise_type not in {ASSISTED, WEIGHTED}
        )


def working_groups(slot: SlotContext, sets: Group, rules: Rules) -> tuple[Group, ...]:
    """The working sets among `sets`, those that follow each other with one target and load."""
    singles = [(planned,) for planned in _working(sets)]
    return joined_groups(singles, singles, slot, rules)


def joined_groups(
    groups: Sequence[Group], prescribed: Sequence[Group], slot: SlotContext, rules: Rules
) -> tuple[Group, ...]:
    """The groups, joined where neighbours have one target and are prescribed one load."""
    joined = list(groups[:1])
    for (before, after), group in zip(pairwise(prescribed), groups[1:], strict=True):
        is_one_load = _is_same_load(before[-1].weight_kg, after[0].weight_kg)
        if is_one_load and _have_one_target(joined[-1], group, slot, rules):
            joined[-1] = (*joined[-1], *group)
        else:
            joined.append(group)
    return tuple(joined)


def shape(slot: SlotContext, groups: Sequence[Group], rules: Rules) -> SlotInput:
    """The engine's view of a slot whose working sets progress in these groups."""
    blocks = tuple(_block(slot, group, rules) for group in groups)
    whole = SlotInput(
        **{name: getattr(slot, name) for name in Slot.model_fields},
        sets=slot.planned_sets,
        blocks=blocks,
    )
    models = {index: block.model for block in blocks for index in block.set_indexes}
    drops = drop_loads(whole)
    sets = []
    for planned in slot.planned_sets:
        decided = _decided_fields(planned, models.get(planned.set_index), whole, drops)
        sets.append(planned.model_copy(update=dict.fromkeys(decided)))
    return whole.model_copy(update={"sets": tuple(sets)})


def history(slot: Slot, sets: Group, block: Block) -> Past:
    """The exposures that tell how the block's sets went, and what was not believed of newer ones.

    Left out are those whose target was another one, 5 repetitions with 100 kg are no failed 12,
    and loads that were probably mistyped.
    """
    if block.target is None:
        return Past()
    found = attempts_at_target(slot, sets, block, block.target)
    return sift(found, block.target.low, load_kind(slot, block))


def attempts_at_target(
    slot: Slot, sets: Group, block: Block, target: Target
) -> tuple[Attempt, ...]:
    """The attempts whose plan had the target or is unknown, newest first, believable or not."""
    return tuple(each for each in _attempts(slot, sets, block) if _may_have_target(each, target))


def load_kind(slot: Slot, block: Block) -> LoadKind | None:
    """What the block's loads are; None if it progresses without any."""
    if block.model not in LOAD_MODELS:
        return None
    return "part" if slot.exercise_type in {ASSISTED, WEIGHTED} else "whole"


def block_of(slot: SlotContext, group: Group, rules: Rules) -> Block:
    """How the sets of a group progress, whether or not there is a history to do so from."""
    indexes = tuple(planned.set_index for planned in group)
    rule = rules.for_exercise(slot.exercise_title)
    measure = _measure(slot)
    if _is_endurance(slot):
        return Block(model="keep", set_indexes=indexes, keep_code="not_progressed")
    if measure is None:
        return Block(model="keep", set_indexes=indexes, keep_code="no_history")
    targets = [_target(planned, measure, rule) for planned in group]
    # Sets that go together differ only in being open: the closed one says where the range ends.
    target = next((each for each in targets if each and each.high is not None), targets[0])
    if target is None:
        return Block(model="keep", set_indexes=indexes, keep_code="no_target")
    return Block(model=_model(measure, target, rule), set_indexes=indexes, target=target)


def drop_loads(slot: SlotInput) -> dict[int, float]:
    """By index, the load with which each drop set was done last."""
    if not any(block.model in LOAD_MODELS for block in slot.blocks):
        return {}
    indexes = [planned.set_index for planned in slot.sets if planned.set_type in _DROPSET]
    for exposure in slot.exposures:
        if done := done_sets(exposure, _DROPSET):
            loads = [load_of(slot.exercise_type, each.weight_kg) for each in done]
            pairs = zip(indexes, loads, strict=False)
            return {index: load for index, load in pairs if load is not None}
    return {}


def _block(slot: SlotContext, group: Group, rules: Rules) -> Block:
    block = block_of(slot, group, rules)
    if block.model == "keep" or history(slot, slot.planned_sets, block).attempts:
        return block
    was_done = bool(_attempts(slot, slot.planned_sets, block))
    return Block(
        model="keep",
        set_indexes=block.set_indexes,
        keep_code="target_changed" if was_done else "no_history",
    )


def _attempts(slot: Slot, sets: Group, block: Block) -> tuple[Attempt, ...]:
    measure: Measure = "reps"
    if block.model in LOAD_MODELS:
        measure = "load"
    elif block.model == "timed":
        measure = "duration"
    working = tuple(planned.set_index for planned in _working(sets))
    return attempts(slot, working, block.set_indexes, measure)


def _may_have_target(attempt: Attempt, target: Target) -> bool:
    return not target.is_routines or all(
        target.goes_with(answer.planned_reps_low, answer.planned_reps_high)
        for answer in attempt.done
        if answer.planned_reps_low is not None
    )


def _working(sets: Group) -> Group:
    return tuple(planned for planned in sets if planned.set_type in WORKING_TYPES)


def _have_one_target(first: Group, second: Group, slot: SlotContext, rules: Rules) -> bool:
    one, other = (block_of(slot, group, rules) for group in (first, second))
    if one.target is None or other.target is None:
        return one == other.model_copy(update={"set_indexes": one.set_indexes})
    return one.target.goes_with(other.target.low, other.target.high)


def _is_same_load(first_kg: float | None, second_kg: float | None) -> bool:
    if first_kg is None or second_kg is None:
        return first_kg is second_kg
    return abs(first_kg - second_kg) <= LOAD_TOLERANCE.value


def _is_endurance(slot: Slot) -> bool:
    return slot.exercise_type in _ENDURANCE or slot.primary_muscle_group == "cardio"


def _measure(slot: Slot) -> Measure | None:
    """What the latest workout recorded of the exercise; None without one."""
    for exposure in slot.exposures:
        done = done_sets(exposure, WORKING_TYPES)
        with_reps = [each for each in done if each.reps is not None]
        if any(load_of(slot.exercise_type, each.weight_kg) is not None for each in with_reps):
            return "load"
        if done:
            return "reps" if with_reps else "duration"
    return None


def _target(planned: SetPrescription, measure: Measure, rule: ExerciseRule) -> Target | None:
    """The target that the routine gives a set, else the athlete's rule; None if neither does."""
    if measure == "duration":
        is_timed = planned.duration_s is not None
        return Target(low=None, high=None, is_routines=False) if is_timed else None
    if planned.rep_range_start is not None:
        return Target(low=planned.rep_range_start, high=planned.rep_range_end, is_routines=True)
    if rule.rep_range is not None:
        return Target(low=rule.rep_range[0], high=rule.rep_range[1], is_routines=False)
    if planned.reps is None:
        return None
    if measure == "reps":
        # Without a load repetitions are what grows, so their present number is no structure.
        return Target(low=None, high=None, is_routines=False)
    return Target(low=planned.reps, high=planned.reps, is_routines=True)


def _model(measure: Measure, target: Target, rule: ExerciseRule) -> Model:
    if measure == "duration":
        return "timed"
    if measure == "reps":
        return "reps" if target.high is None else "reps_range"
    if rule.model == "linear":
        return "linear"
    if target.high is None:
        return "open"
    if rule.model == "double" or target.low != target.high:
        return "double"
    return "linear"


def _decided_fields(
    planned: SetPrescription, model: Model | None, slot: SlotInput, drops: Mapping[int, float]
) -> tuple[str, ...]:
    """The fields of a set that the engine decides."""
    if model == "timed":
        return ("duration_s",)
    if model in LOAD_MODELS:
        return ("weight_kg", "reps")
    if model in {"reps", "reps_range"}:
        return ("weight_kg", "reps") if slot.exercise_type == WEIGHTED else ("reps",)
    is_warmup = planned.set_type == "warmup"
    return ("weight_kg",) if (is_warmup and slot.has_ramp) or planned.set_index in drops else ()
