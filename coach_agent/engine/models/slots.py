"""The engine's view of a routine: its structure and history, without its present targets.

Today's loads, goals and seconds are removed if the history decides them. So a plan that was written
into the routine cannot change the next decision: the same history gives the same plan.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from pydantic import Field

from coach_agent.domain.constants.history import TYPO_HI
from coach_agent.domain.constants.loads import BODY_KG, LOAD_TOLERANCE
from coach_agent.domain.constants.recovery import LAYOFF_HOLD_UNTIL
from coach_agent.domain.context import Exposure, ExposureSet, Slot, SlotContext
from coach_agent.domain.plan import SetPrescription, StallAnalysis
from coach_agent.domain.values import is_null
from coach_agent.engine.history.alternation import DayKind, kinds_of, next_day
from coach_agent.engine.history.attempts import (
    WORKING_TYPES,
    Answer,
    Attempt,
    Measure,
    attempts,
    done_sets,
    is_after_break,
    scheme_attempts,
)
from coach_agent.engine.history.breaks import Layoff
from coach_agent.engine.history.credible_loads import credible_loads
from coach_agent.engine.history.far_off import LoadKind, is_far_more
from coach_agent.engine.history.filter import CredibleAttempts, filter_outliers, outliers_of
from coach_agent.engine.history.odd_loads import hard_days
from coach_agent.engine.history.outliers import Number
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.engine.loads.ladder import load_of
from coach_agent.engine.models.select import (
    LOAD_MODELS,
    SCHEME_MODELS,
    Block,
    Group,
    KeepCode,
    Model,
    Target,
    block_of,
    select_model,
    working_sets,
)
from coach_agent.profile.model import Rules

# The places of a few routines; each is kept with its exposures.
_REMEMBERED = 256

_DROPSET = frozenset({"dropset"})
# The others have the loads of a programme, of own steps, or of another set.
_WITH_DAYS: frozenset[Model] = frozenset(
    {"linear", "open", "double", "top_set", "rep_sum", "distance"}
)


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
    return _without_doubted_targets(slot, loaded, rules)


def with_credible_targets(slot: SlotContext, rules: Rules) -> SlotContext:
    """Return the slot without targets that are a doubted value of a workout.

    The app writes done values into the routine, a mistyped one as well. Such a load, number of
    repetitions, time or distance is replaced by that of the nearest other set. Sets without any
    target have those of the last workout, if there is no habit yet.
    """
    slot = _with_last_targets(slot)
    working = working_sets(slot.planned_sets)
    credible = {each.set_index: each for each in _without_doubted_targets(slot, working, rules)}
    sets = tuple(credible.get(each.set_index, each) for each in slot.planned_sets)
    return slot.model_copy(update={"planned_sets": sets})


def _with_last_targets(slot: SlotContext) -> SlotContext:
    """Return the slot with the last workout's sets as targets, if it has no target and no habit.

    There is no habit after one workout, or after easy ones alone.
    """
    working = working_sets(slot.planned_sets)
    usual = [each for each in slot.exposures if not each.is_easy]
    done = (
        [each for each in exposure.sets if each.set_type in WORKING_TYPES]
        for exposure in usual or slot.exposures
    )
    last: Sequence[ExposureSet] = next((sets for sets in done if sets), ())
    if len(usual) > 1 or not last or any(_has_target(each) for each in working):
        return slot
    targets = {
        planned.set_index: {name: getattr(last[min(place, len(last) - 1)], name) for name in _DONE}
        for place, planned in enumerate(working)
    }
    sets = tuple(
        each.model_copy(update=targets.get(each.set_index, {})) for each in slot.planned_sets
    )
    return slot.model_copy(update={"planned_sets": sets})


_DONE = ("weight_kg", "reps", "duration_s", "distance_m")


def _has_target(planned: SetPrescription) -> bool:
    return any(getattr(planned, name) is not None for name in (*_DONE, "rep_range_start"))


def _without_doubted_targets(slot: SlotContext, working: Group, rules: Rules) -> Group:
    if not _are_far_apart(working) or select_model(slot, rules) in SCHEME_MODELS:
        return working
    block = block_of(slot, working, rules)
    if block.model == "keep":
        return working
    found = _attempts(slot, working, block)
    doubted = {
        (place, number)
        for attempt, wrong in zip(found, outliers_of(found, load_kind(slot, block)), strict=True)
        for place, numbers in wrong.items()
        for number in numbers
        if _is_target(working[place], attempt.answers[place], number, slot)
    }
    return tuple(
        planned.model_copy(update=_credible_targets(working, place, doubted))
        for place, planned in enumerate(working)
    )


def _are_far_apart(working: Group) -> bool:
    """Return whether the targets of the sets differ so much that one may be mistyped."""
    loads = [each.weight_kg for each in working if each.weight_kg]
    counts = [
        [count for each in working if (count := getattr(each, name))]
        for name in ("reps", "duration_s", "distance_m")
    ]
    is_far = bool(loads) and max(loads) > TYPO_HI.value * min(loads)
    return is_far or any(is_far_more(max(each), min(each)) for each in counts if each)


def _is_target(planned: SetPrescription, done: Answer | None, number: Number, slot: Slot) -> bool:
    """Return whether a number of a done set is the target of a planned one."""
    if done is None:
        return False
    if number != "load":
        return getattr(planned, number) is not None and getattr(planned, number) == getattr(
            done, number
        )
    load = load_of(slot.exercise_type, planned.weight_kg)
    return load is not None and _is_same_load(load, done.load)


def _credible_targets(
    working: Group, place: int, doubted: Collection[tuple[int, Number]]
) -> dict[str, float | None]:
    """Return the fields of the set at a place with a doubted target: those of the nearest set
    without a doubt, the earlier of two.
    """
    targets: dict[str, float | None] = {}
    for at, number in doubted:
        others = [other for other in range(len(working)) if (other, number) not in doubted]
        if at != place or not others:
            continue
        nearest = working[min(others, key=lambda other: (abs(other - place), other))]
        if number == "load":
            targets["weight_kg"] = nearest.weight_kg
        elif number != "reps":
            targets[number] = getattr(nearest, number)
        elif nearest.reps is None or is_far_more(working[place].reps or 0, nearest.reps):
            for name in ("reps", "rep_range_start", "rep_range_end"):
                targets[name] = getattr(nearest, name)
    return targets


def join_groups(
    groups: Sequence[Group], prescribed: Sequence[Group], slot: SlotContext, rules: Rules
) -> tuple[Group, ...]:
    """Join neighbouring groups with one target and one prescribed load.

    Groups defined by the athlete's rule stay separate.
    """
    if select_model(slot, rules) in {"training_max", "stages", "rep_sum", "top_backoff"}:
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
    blocks = [block_of(slot, group, rules) for group in groups]
    joined, kept = list(groups[:1]), blocks[:1]
    pairs = zip(pairwise(prescribed), groups[1:], blocks[1:], strict=True)
    for (before, after), group, block in pairs:
        is_one_load = not by_load or _is_same_load(before[-1].weight_kg, after[0].weight_kg)
        if is_one_load and _have_one_target(kept[-1], block):
            joined[-1] = (*joined[-1], *group)
            kept[-1] = block_of(slot, joined[-1], rules)
        else:
            joined.append(group)
            kept.append(block)
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
        planned.model_copy(update={"set_index": index}) for index, planned in enumerate(sets)
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
        sets.append(planned.model_copy(update=dict.fromkeys(decided)))
    return whole.model_copy(update={"sets": tuple(sets)})


def history(slot: Slot, sets: Group, block: Block) -> CredibleAttempts:
    """Return the exposures of the block's sets, and doubts about newer ones.

    Excludes other targets (5 repetitions with 100 kg are no failed 12) and probably mistyped loads.
    If only other targets were trained for as long as a break, the state of this one is unknown.
    """
    if block.target is None:
        return CredibleAttempts()
    return _history(_Asked(slot, sets, block), block.target)


class _Asked:
    """Arguments of `history`, equal if all that it reads is: exposures only if they are the same.

    A decision reads each history several times, and to compare exposures takes as long as to read
    them.
    """

    def __init__(self, slot: Slot, sets: Group, block: Block) -> None:
        self.slot, self.sets, self.block = slot, sets, block
        working = tuple(planned.set_index for planned in working_sets(sets))
        self._key = tuple(map(id, slot.exposures)), slot.exercise_type, working, block

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self._key == other._key


@lru_cache(maxsize=_REMEMBERED)
def _history(asked: _Asked, target: Target) -> CredibleAttempts:
    slot, sets, block = asked.slot, asked.sets, asked.block
    found = attempts_at_target(slot, sets, block, target)
    if found and found[0].at is not None:
        worked = (each.started_at for each in slot.exposures if not each.is_easy)
        latest = max(worked, default=found[0].at)
        if (latest - found[0].at).days > LAYOFF_HOLD_UNTIL.value:
            return CredibleAttempts()
    loads, low = load_kind(slot, block), target.low

    # A load that comes again each time is no typing error, however far it is from the others.
    if (turn := _of_one_day(found, slot, block, is_filtered=False)) is not None:
        day, own, other = turn
        believed = filter_outliers(own, low, loads, lambda _: None, hard_days(slot))
        if believed.attempts:
            return replace(believed, day=day, other=other)
    highest = (lambda _: None) if loads is None else credible_loads(slot, loads)
    believed = filter_outliers(found, low, loads, highest, hard_days(slot))
    if (turn := _of_one_day(believed.attempts, slot, block, is_filtered=True)) is None:
        return believed
    day, own, other = turn
    return replace(believed, attempts=own, day=day, other=other)


def _of_one_day(
    past: tuple[Attempt, ...], slot: Slot, block: Block, *, is_filtered: bool
) -> tuple[DayKind, tuple[Attempt, ...], tuple[Attempt, ...]] | None:
    """Return the kind of the next day, its attempts and those of other kinds; None if heavy and
    light days take no turns.

    A heavy load that was managed in no workout is no kind of day, but a load that is too heavy. No
    heavier day follows a light one that was missed. A break ends the alternation. A heavy day that
    was held back may be an error until the attempts are filtered.
    """
    target = block.target
    if block.model not in _WITH_DAYS or target is None or not all(each.loads for each in past):
        return None
    body_kg = BODY_KG.value if slot.exercise_type in {ASSISTED, WEIGHTED} else 0.0
    kinds = kinds_of([body_kg + each.load for each in past])
    if not kinds or (None in kinds and not is_filtered):
        return None
    if any(is_after_break(after, [before]) for after, before in pairwise(past[: len(kinds)])):
        return None
    day, low = next_day(kinds), target.low or 1
    by_kind = list(zip(kinds, past, strict=False))
    if not any(_is_managed(each, low) for kind, each in by_kind if kind == "heavy"):
        return None
    if day != "light" and not _is_managed(past[0], low):
        return None
    own = tuple(each for kind, each in by_kind if kind == day)
    return day, own, tuple(each for kind, each in by_kind if kind != day)


def _is_managed(attempt: Attempt, low: int) -> bool:
    return all((answer.reps or 0) >= low for answer in attempt.done)


def attempts_at_target(
    slot: Slot, sets: Group, block: Block, target: Target
) -> tuple[Attempt, ...]:
    """Return the attempts with this or an unknown planned target, newest first, credible or not."""
    return tuple(each for each in _attempts(slot, sets, block) if _may_have_target(each, target))


def load_kind(slot: Slot, block: Block) -> LoadKind | None:
    """Return the kind of the block's loads; None if it progresses without any."""
    if block.model not in LOAD_MODELS:
        return None
    return "part" if slot.exercise_type in {ASSISTED, WEIGHTED} else "whole"


def drop_loads(slot: SlotInput) -> dict[int, float]:
    """Return the last load of each drop set, by index."""
    if not any(block.model in LOAD_MODELS for block in slot.blocks):
        return {}
    indexes = [planned.set_index for planned in slot.sets if planned.set_type in _DROPSET]
    for exposure in slot.exposures:
        done = done_sets(exposure, _DROPSET)
        if done and not any(each.is_typo_suspect for each in done):
            loads = [load_of(slot.exercise_type, each.weight_kg) for each in done]
            pairs = zip(indexes, loads, strict=False)
            return {index: load for index, load in pairs if load is not None}
    return {}


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
    elif _attempts(slot, slot.planned_sets, block):
        code = "target_changed"
    return Block(model="keep", set_indexes=block.set_indexes, keep_code=code)


def _attempts(slot: Slot, sets: Group, block: Block) -> tuple[Attempt, ...]:
    if block.model in SCHEME_MODELS:
        return scheme_attempts(slot, is_wave=block.model == "training_max")
    measure: Measure = "distance" if block.model == "distance" else "reps"
    if block.model in LOAD_MODELS - {"distance"}:
        measure = "load"
    elif block.model == "timed":
        measure = "duration"
    working = tuple(planned.set_index for planned in working_sets(sets))
    return attempts(slot, working, block.set_indexes, measure)


def _may_have_target(attempt: Attempt, target: Target) -> bool:
    """Return whether the range of that day's plan starts like this one, or is unknown."""
    return not target.is_routines or all(
        answer.planned_reps_low in {None, target.low} or _leads_to(answer, target)
        for answer in attempt.done
    )


def _leads_to(answer: Answer, target: Target) -> bool:
    """Return whether a range is below the target and ends with it: the way up to it."""
    low, high = answer.planned_reps_low, answer.planned_reps_high
    is_below = low is not None and target.low is not None and low < target.low
    return is_below and high is not None and high == target.low


def _have_one_target(one: Block, other: Block) -> bool:
    if one.target is None or other.target is None:
        return one == other.model_copy(update={"set_indexes": one.set_indexes})
    is_alike = (one.target.metres, one.target.is_default) == (
        other.target.metres,
        other.target.is_default,
    )
    return is_alike and one.target.goes_with(other.target.low, other.target.high)


def _is_same_load(first_kg: float | None, second_kg: float | None) -> bool:
    if first_kg is None or second_kg is None:
        return first_kg is second_kg
    return abs(first_kg - second_kg) <= LOAD_TOLERANCE.value


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
