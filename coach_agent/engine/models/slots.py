"""The engine's view of a routine: its structure and history, without its present targets.

Today's loads, goals and seconds are removed if the history decides them. So a plan that was written
into the routine cannot change the next decision: the same history gives the same plan.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf

from pydantic import Field

from coach_agent.domain.context import Exposure, Slot, SlotContext
from coach_agent.domain.plan import SetPrescription, StallAnalysis
from coach_agent.domain.values import is_null
from coach_agent.engine.history.attempts import (
    WORKING_TYPES,
    done_sets,
)
from coach_agent.engine.history.breaks import Layoff
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.engine.loads.ladder import load_of
from coach_agent.engine.models.block_history import attempts_of, history
from coach_agent.engine.models.credible_targets import is_same_load, without_doubted_targets
from coach_agent.engine.models.select import (
    LOAD_MODELS,
    SCHEME_MODELS,
    Block,
    Group,
    KeepCode,
    Model,
    block_of,
    select_model,
    working_sets,
)
from coach_agent.profile.model import Rules

_DROPSET = frozenset({"dropset"})
_OF_A_RULE = frozenset({"training_max", "stages", "rep_sum", "top_backoff"})
"""Models whose groups the athlete's rule defines."""


class SlotInput(Slot):
    """A slot as input of the engine; targets that it decides are null in `sets`.

    `layoff` is the break, `stall` the analysis of a stall; null without one. `tested_max_kg` is a
    recently tested maximum. `elsewhere` is similar work at other places, newest first: it counts
    for forecasts. `reserve` are the repetitions that a programme's week leaves in each set.
    """

    sets: Group
    blocks: tuple[Block, ...]
    layoff: Layoff | None = None
    stall: StallAnalysis | None = None
    tested_max_kg: float | None = None
    elsewhere: tuple[Exposure, ...] = ()
    reserve: float | None = Field(default=None, exclude_if=is_null)

    @property
    def has_ramp(self) -> bool:
        """True if warm-ups follow the first working load: it is decided, and all that moves."""
        return (
            bool(self.blocks)
            and self.blocks[0].model in LOAD_MODELS
            and self.exercise_type not in {ASSISTED, WEIGHTED}
        )

    @property
    def has_reps(self) -> bool:
        """True unless all sets are done for a time or a distance."""
        models = {block.model for block in self.blocks}
        if models <= {"timed", "distance", "keep"}:
            return not models or any(
                each.reps or each.rep_range_start for each in working_sets(self.sets)
            )
        return True


def working_groups(slot: SlotContext, sets: Group, rules: Rules) -> tuple[Group, ...]:
    """Return the working sets in `sets`, grouped by consecutive equal target and load.

    A programme has all of them in one group, a top set is separate from its back-off sets. Sets
    without any load have those of the latest workout, so that its heavier sets stay heavier.
    """
    working = working_sets(sets)
    chosen = select_model(slot, rules)
    if chosen in {"training_max", "stages", "rep_sum"}:
        return (working,) if working else ()
    singles = [(planned,) for planned in working]
    if chosen == "top_backoff":
        return (*singles[:1], *_join_groups(singles[1:], singles[1:], slot, rules, by_load=False))
    loaded = [(planned,) for planned in _with_latest_loads(slot, working, rules)]
    return _join_groups(singles, loaded, slot, rules)


def _with_latest_loads(slot: SlotContext, working: Group, rules: Rules) -> Group:
    """Return working sets, without any load those of the latest workout, if it had as many.

    Instead of a doubted load that of the nearest set counts, so that it does not divide the sets.
    """
    worked = (done_sets(each, WORKING_TYPES) for each in slot.exposures if not each.is_easy)
    done = next(worked, ())
    if any(each.weight_kg is not None for each in working) or len(done) < len(working):
        return working
    loaded = tuple(
        planned.model_copy(update={"weight_kg": each.weight_kg})
        for planned, each in zip(working, done, strict=False)
    )
    return without_doubted_targets(slot, loaded, rules)


def may_join(groups: Sequence[Group], slot: SlotContext, rules: Rules) -> bool:
    """Return whether any groups would join if their prescribed loads were equal."""
    if len(groups) < 2 or select_model(slot, rules) in _OF_A_RULE:
        return False
    blocks = [block_of(slot, group, rules) for group in groups]
    return any(_have_one_target(one, other) for one, other in pairwise(blocks))


def join_groups(
    groups: Sequence[Group], prescribed: Sequence[Group], slot: SlotContext, rules: Rules
) -> tuple[Group, ...]:
    """Join neighbouring groups with one target and one prescribed load.

    Groups defined by the athlete's rule stay separate.
    """
    if select_model(slot, rules) in _OF_A_RULE:
        return tuple(groups)
    return _join_groups(groups, prescribed, slot, rules)


def _join_groups(
    groups: Sequence[Group],
    prescribed: Sequence[Group],
    slot: SlotContext,
    rules: Rules,
    *,
    by_load: bool = True,
) -> tuple[Group, ...]:
    joined = list(groups[:1])
    for (before, after), group in zip(pairwise(prescribed), groups[1:], strict=True):
        is_one_load = not by_load or is_same_load(before[-1].weight_kg, after[0].weight_kg)
        if is_one_load and _have_one_target(
            block_of(slot, joined[-1], rules), block_of(slot, group, rules)
        ):
            joined[-1] = (*joined[-1], *group)
        else:
            joined.append(group)
    return tuple(joined)


def with_one_working_set(slot: SlotContext, rules: Rules) -> SlotContext:
    """Return the slot of a programme with only its first working set.

    Their present number is no input: the last plan wrote it. Other slots are unchanged, and so are
    those without a history.
    """
    if select_model(slot, rules) not in SCHEME_MODELS:
        return slot
    groups = working_groups(slot, slot.planned_sets, rules)
    if not groups or _block(slot, groups[0], rules).model == "keep":
        return slot
    others = groups[0][1:]
    sets = [planned for planned in slot.planned_sets if planned not in others]
    return slot.model_copy(update={"planned_sets": renumber_sets(sets)})


def renumber_sets(sets: Iterable[SetPrescription]) -> Group:
    """Return the sets with indexes in their order."""
    return tuple(
        planned if planned.set_index == index else planned.model_copy(update={"set_index": index})
        for index, planned in enumerate(sets)
    )


def shape(slot: SlotContext, groups: Sequence[Group], rules: Rules) -> SlotInput:
    """Build the engine's view of a slot with its working sets in these groups."""
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
        sets.append(planned.model_copy(update=dict.fromkeys(decided)) if decided else planned)
    return whole.model_copy(update={"sets": tuple(sets)})


def drop_loads(slot: SlotInput) -> dict[int, float]:
    """Return the last load that was lifted in each drop set, by index.

    If a set failed since, a lighter one, or without one the load that failed. Workouts with a
    doubted drop set do not count.
    """
    indexes = [planned.set_index for planned in slot.sets if planned.set_type in _DROPSET]
    if not indexes or not any(block.model in LOAD_MODELS for block in slot.blocks):
        return {}
    lifted: dict[int, float] = {}
    failed: dict[int, float] = {}
    for exposure in slot.exposures:
        done = done_sets(exposure, _DROPSET)
        if any(each.is_typo_suspect for each in done):
            continue
        for index, each in zip(indexes, done, strict=False):
            load = load_of(slot.exercise_type, each.weight_kg)
            if load is None or index in lifted:
                continue
            if each.reps == 0:
                failed[index] = min(load, failed.get(index, load))
            elif load < failed.get(index, inf):
                lifted[index] = load
    return failed | lifted


def _block(slot: SlotContext, group: Group, rules: Rules) -> Block:
    block = block_of(slot, group, rules)
    if block.model == "keep":
        return block
    past = history(slot, slot.planned_sets, block)
    if past.attempts:
        return block
    code: KeepCode = "no_history"
    if any(each.code == "suspected_typo" and not each.is_said for each in past.doubts):
        code = "suspected_typo"
    elif attempts_of(slot, slot.planned_sets, block):
        code = "target_changed"
    return Block(model="keep", set_indexes=block.set_indexes, keep_code=code)


def _have_one_target(one: Block, other: Block) -> bool:
    if one.target is None or other.target is None:
        return one == other.model_copy(update={"set_indexes": one.set_indexes})
    is_alike = (one.target.metres, one.target.is_default) == (
        other.target.metres,
        other.target.is_default,
    )
    return is_alike and one.target.goes_with(other.target.low, other.target.high)


def _decided_fields(
    planned: SetPrescription, model: Model | None, slot: SlotInput, drops: Mapping[int, float]
) -> tuple[str, ...]:
    """Return the fields of a set that the engine decides."""
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
