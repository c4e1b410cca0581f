"""What the engine may know of a routine: its structure and history, not its present targets.

Today's loads, goals and seconds are taken out wherever the history decides them. So a plan that
was written into the routine cannot change the next decision: the same history gives the same
plan.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, get_args

from coach_agent.context import Slot, SlotContext
from coach_agent.exercise_rules import RuleModel
from coach_agent.plan import SetPrescription
from coach_agent.profile import Rules
from coach_agent.progression.constants import BACKOFF_REPS, LOAD_TOLERANCE, TOP_REPS
from coach_agent.progression.history import (
    WORKING_TYPES,
    Attempt,
    Measure,
    attempts,
    done_sets,
    scheme_attempts,
)
from coach_agent.progression.increments import ASSISTED, WEIGHTED
from coach_agent.progression.ladder import load_of
from coach_agent.progression.sifting import LoadKind, Past, sift
from coach_agent.values import Value

Model = Literal[
    "linear",
    "open",
    "double",
    "top_set",
    "backoff",
    "training_max",
    "stages",
    "rep_sum",
    "steps",
    "distance",
    "reps",
    "reps_range",
    "timed",
    "keep",
]
KeepCode = Literal["no_history", "target_changed", "no_target", "not_progressed"]
Group = tuple[SetPrescription, ...]

UNLOADED_MODELS: frozenset[Model] = frozenset({"reps", "reps_range", "timed", "keep"})
LOAD_MODELS: frozenset[Model] = frozenset(get_args(Model)) - UNLOADED_MODELS
SCHEME_MODELS: frozenset[Model] = frozenset({"training_max", "stages"})
"""Programmes that say themselves how many working sets there are, and which of them are open."""

_DROPSET = frozenset({"dropset"})
# Distances, floors and steps are endurance work: nothing here knows how it should grow.
_ENDURANCE = frozenset({"distance_duration", "floors_duration", "steps_duration"})
_CARRIED = "short_distance_weight"


class Target(Value):
    """What the repetitions of a set are judged by, or its metres; null ends are open.

    `is_routines`: the routine itself says so, and its versions tell what it said before.
    `is_default`: nobody says so, and the routine goes on saying nothing.
    """

    low: int | None
    high: int | None
    is_routines: bool
    is_default: bool = False
    metres: int | None = None

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

    @property
    def has_ramp(self) -> bool:
        """Whether warm-ups follow the first working load: it is decided, and all that moves."""
        return (
            bool(self.blocks)
            and self.blocks[0].model in LOAD_MODELS
            and self.exercise_type not in {ASSISTED, WEIGHTED}
        )


def working_groups(slot: SlotContext, sets: Group, rules: Rules) -> tuple[Group, ...]:
    """The working sets among `sets`, those that follow each other with one target and load.

    A programme has all of them in one group, a top set stands before its back-off sets.
    """
    working = _working(sets)
    chosen = _chosen(slot, rules)
    if chosen in {"training_max", "stages", "rep_sum"}:
        return (working,) if working else ()
    singles = [(planned,) for planned in working]
    if chosen == "top_backoff":
        return (*singles[:1], *_joined(singles[1:], singles[1:], slot, rules, by_load=False))
    return _joined(singles, singles, slot, rules)


def joined_groups(
    groups: Sequence[Group], prescribed: Sequence[Group], slot: SlotContext, rules: Rules
) -> tuple[Group, ...]:
    """The groups, joined where neighbours have one target and are prescribed one load.

    Groups that the athlete's rule makes stay.
    """
    if _chosen(slot, rules) in {"training_max", "stages", "rep_sum", "top_backoff"}:
        return tuple(groups)
    return _joined(groups, prescribed, slot, rules)


def _joined(
    groups: Sequence[Group],
    prescribed: Sequence[Group],
    slot: SlotContext,
    rules: Rules,
    *,
    by_load: bool = True,
) -> tuple[Group, ...]:
    joined = list(groups[:1])
    for (before, after), group in zip(pairwise(prescribed), groups[1:], strict=True):
        is_one_load = not by_load or _is_same_load(before[-1].weight_kg, after[0].weight_kg)
        if is_one_load and _have_one_target(joined[-1], group, slot, rules):
            joined[-1] = (*joined[-1], *group)
        else:
            joined.append(group)
    return tuple(joined)


def with_one_working_set(slot: SlotContext, rules: Rules) -> SlotContext:
    """The slot of a programme with its first working set alone, in place of all of them.

    How many there are now says nothing: the last plan wrote it. Other slots stay as they are, and
    so do those without a history.
    """
    groups = working_groups(slot, slot.planned_sets, rules)
    if not groups or block_of(slot, groups[0], rules).model not in SCHEME_MODELS:
        return slot
    if not history(slot, slot.planned_sets, block_of(slot, groups[0], rules)).attempts:
        return slot
    others = groups[0][1:]
    sets = [planned for planned in slot.planned_sets if planned not in others]
    return slot.model_copy(update={"planned_sets": numbered(sets)})


def numbered(sets: Iterable[SetPrescription]) -> Group:
    """The sets with indexes in their order."""
    return tuple(
        planned.model_copy(update={"set_index": index}) for index, planned in enumerate(sets)
    )


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
    measure = _measure(slot)
    if _is_endurance(slot):
        return Block(model="keep", set_indexes=indexes, keep_code="not_progressed")
    if measure is None:
        return Block(model="keep", set_indexes=indexes, keep_code="no_history")
    chosen = _chosen(slot, rules)
    first = next(iter(_working(slot.planned_sets)), None)
    is_first = first is not None and first.set_index == indexes[0]
    targets = [_target(planned, measure, slot, rules, is_first=is_first) for planned in group]
    # Sets that go together differ only in being open: the closed one says where the range ends.
    target = next((each for each in targets if each and each.high is not None), targets[0])
    if target is None:
        return Block(model="keep", set_indexes=indexes, keep_code="no_target")
    model = _model(measure, target, chosen, is_first=is_first)
    return Block(model=model, set_indexes=indexes, target=target)


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
    if block.model in SCHEME_MODELS:
        return scheme_attempts(slot, is_wave=block.model == "training_max")
    measure: Measure = "distance" if block.model == "distance" else "reps"
    if block.model in LOAD_MODELS - {"distance"}:
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
    is_as_far = one.target.metres == other.target.metres
    return is_as_far and one.target.goes_with(other.target.low, other.target.high)


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
        if slot.exercise_type == _CARRIED:
            if any(each.distance_m is not None and each.weight_kg for each in done):
                return "distance"
            continue
        with_reps = [each for each in done if each.reps is not None]
        if any(load_of(slot.exercise_type, each.weight_kg) is not None for each in with_reps):
            return "load"
        if any(each.reps is not None or each.duration_s is not None for each in done):
            return "reps" if with_reps else "duration"
    return None


def _chosen(slot: Slot, rules: Rules) -> RuleModel | None:
    """The model that the athlete chose, where there is a load for it.

    Percents of a load that is only a part of what is moved mean nothing.
    """
    if _is_endurance(slot) or _measure(slot) != "load":
        return None
    model = rules.for_exercise(slot.exercise_title).model
    is_part = slot.exercise_type in {ASSISTED, WEIGHTED}
    return None if is_part and model in {"top_backoff", "training_max"} else model


def _target(
    planned: SetPrescription, measure: Measure, slot: Slot, rules: Rules, *, is_first: bool
) -> Target | None:
    """The target that the routine gives a set, else the athlete's rule; None if neither does."""
    rule, chosen = rules.for_exercise(slot.exercise_title), _chosen(slot, rules)
    if measure == "duration":
        is_timed = planned.duration_s is not None
        return Target(low=None, high=None, is_routines=False) if is_timed else None
    if measure == "distance":
        if not planned.distance_m:
            return None
        return Target(low=None, high=None, is_routines=False, metres=planned.distance_m)
    if chosen in {"training_max", "stages"}:
        return Target(low=None, high=None, is_routines=False)
    if planned.rep_range_start is not None:
        is_routines = chosen != "rep_sum"
        return Target(
            low=planned.rep_range_start, high=planned.rep_range_end, is_routines=is_routines
        )
    is_backoff = chosen == "top_backoff" and not is_first
    if rule.rep_range is not None and not is_backoff:
        return Target(low=rule.rep_range[0], high=rule.rep_range[1], is_routines=False)
    if measure == "reps" or chosen in {"rep_sum", "steps"}:
        # Here repetitions are what grows, so their present number is no structure.
        has_reps = planned.reps is not None
        return Target(low=None, high=None, is_routines=False) if has_reps else None
    if planned.reps is not None:
        return Target(low=planned.reps, high=planned.reps, is_routines=True)
    if chosen == "top_backoff":
        low, high = (BACKOFF_REPS if is_backoff else TOP_REPS).value
        return Target(low=low, high=high, is_routines=False, is_default=True)
    return None


def _model(measure: Measure, target: Target, chosen: RuleModel | None, *, is_first: bool) -> Model:
    if measure == "duration":
        return "timed"
    if measure == "distance":
        return "distance"
    if measure == "reps":
        return "reps" if target.high is None else "reps_range"
    if chosen == "top_backoff":
        return "top_set" if is_first else "backoff"
    if chosen is not None and chosen != "double":
        return chosen
    if target.high is None:
        return "open"
    if chosen == "double" or target.low != target.high:
        return "double"
    return "linear"


def _decided_fields(
    planned: SetPrescription, model: Model | None, slot: SlotInput, drops: Mapping[int, float]
) -> tuple[str, ...]:
    """The fields of a set that the engine decides."""
    if model == "timed":
        return ("duration_s",)
    if model == "distance":
        return ("weight_kg",)
    if model in SCHEME_MODELS:
        return ("weight_kg", "reps", "rep_range_start", "rep_range_end")
    if model in LOAD_MODELS:
        return ("weight_kg", "reps")
    if model in {"reps", "reps_range"}:
        return ("weight_kg", "reps") if slot.exercise_type == WEIGHTED else ("reps",)
    is_warmup = planned.set_type == "warmup"
    return ("weight_kg",) if (is_warmup and slot.has_ramp) or planned.set_index in drops else ()
