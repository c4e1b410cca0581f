"""The week of a followed programme: its effort, its sets, and a sentence for the athlete.

Effort is part of the training's demand: it limits repetitions and loads, and raises repetitions of
a decision that goes on. Sets come after the strictest reduction of the day, and cut nothing that is
already shorter.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import floor
from statistics import fmean

from coach_agent.domain.block import BlockDemand, BlockWeek
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.recovery import BLOCK_UNNOTICED, DELOAD_LOAD_FACTOR
from coach_agent.domain.e1rm import (
    HIGHEST_RPE,
    effective_reps,
    epley_load,
    epley_max,
    epley_reps,
)
from coach_agent.domain.plan import (
    BLOCK_EFFORT,
    BLOCK_SETS,
    Adjustment,
    PlanBlock,
    SetPrescription,
    SlotPrescription,
)
from coach_agent.engine.explain.reasons import count_reps
from coach_agent.engine.history.attempts import WORKING_TYPES, Answer
from coach_agent.engine.limits.block_past import BlockPast
from coach_agent.engine.limits.session_time import leads_up, shorten, working_count
from coach_agent.engine.models.block import BlockDecision, Direction
from coach_agent.engine.models.select import SCHEME_MODELS, Model
from coach_agent.language.messages import join_words, phrase

_RATED: frozenset[Model] = frozenset({"linear", "double", "reps_range"})
"""Models whose sets may have an effort: an open set has none, and a scheme has its own loads."""
_ROUNDING = 1e-9
_GAIN_REPS = 1
"""Repetitions that a set may gain from one workout to the next: a set of the stated effort goes on,
only a harder one holds."""


def fit_to_reserve(
    decision: BlockDecision, past: BlockPast, model: Model, reserve: float | None
) -> BlockDecision:
    """Return the decision with repetitions that leave `reserve`, as far as earlier ratings tell.

    A set can do as many repetitions as it did plus those in reserve (10 - RPE, and from RPE 9 down
    one that nobody notices), and one more by the next workout. A single rating is off by one to two
    repetitions, so the mean of the workout counts for all of its sets; without any rating nothing
    changes. A step that leaves too little waits; if the last load does, too, it drops, at most by
    that of a deload. What goes on and leaves more than `reserve` gets more repetitions, up to the
    top of the range.

    Source: Epley's formula for other loads; Halperin et al. 2022, unnoticed repetitions; Hackett et
    al. 2017, errors of ratings; the order is a choice of this project.
    """
    if reserve is None or model not in _RATED or decision.reps is None or decision.loads:
        return decision
    low, answers = past.low or min(decision.reps), past.last.answers
    left = _left(answers)
    if len(answers) != len(decision.reps) or left is None:
        return decision
    if decision.load is None:
        spare = _spare(answers, left, None, reserve)
        return _with_reps(decision, past, None, spare, low, reserve)
    ladder = past.ladder
    if ladder is None or not ladder.is_whole_load:
        return decision
    last = ladder.existing(past.last.load)
    smaller = {ladder.up(last), ladder.up(last, is_small=True), last}
    lighter = {each for each in smaller if each is not None and each < decision.load}
    for load in sorted({decision.load, *lighter}, reverse=True):
        spare = _spare(answers, left, load, reserve)
        if min(spare) >= low:
            return _with_reps(decision, past, load, spare, low, reserve)
    shown = min(
        epley_max(answer.load, answer.reps + left)
        for answer in answers
        if answer is not None and answer.load and answer.reps
    )
    lowest = ladder.reduced(last, DELOAD_LOAD_FACTOR.value)
    load = max(lowest, ladder.existing(epley_load(shown, low + reserve - _GAIN_REPS)))
    load = min(load, decision.load, last)
    return _with_reps(decision, past, load, (low,) * len(answers), low, reserve)


def _left(answers: Sequence[Answer | None]) -> float | None:
    """Return the mean repetitions left of the rated sets, with those that the lifter did not
    notice; None without any rating.
    """
    left = [
        _possible_reps(answer.reps, answer.rpe) - answer.reps
        for answer in answers
        if answer is not None and answer.rpe is not None and answer.reps
    ]
    return fmean(left) if left else None


def _spare(
    answers: Sequence[Answer | None], left: float, load: float | None, reserve: float
) -> tuple[int, ...]:
    """Return the repetitions of each set that leave the reserve with a load, or with the body."""
    found: list[int | None] = []
    for answer in answers:
        if answer is None or not answer.reps:
            found.append(None)
            continue
        reps = answer.reps + left
        if load and answer.load and abs(load - answer.load) > LOAD_TOLERANCE.value:
            reps = epley_reps(epley_max(answer.load, reps), load)
        found.append(floor(reps - reserve + _GAIN_REPS + _ROUNDING))
    least = min(each for each in found if each is not None)
    return tuple(least if each is None else each for each in found)


def _possible_reps(reps: int, rpe: float) -> float:
    """Return the repetitions to failure of a rated set, with those that the lifter did not notice.

    The lower the rating, the more are unnoticed: none at RPE 10, all from RPE 9 down.
    """
    unnoticed = min(float(BLOCK_UNNOTICED.value), max(0.0, HIGHEST_RPE - rpe))
    return effective_reps(reps, rpe) + unnoticed


def _with_reps(
    decision: BlockDecision,
    past: BlockPast,
    load: float | None,
    spare: Sequence[int],
    low: int,
    reserve: float,
) -> BlockDecision:
    """Return the decision with a load and at most these repetitions, or itself if they fit.

    What goes on with a load gets as many as leave the reserve without a gain since the last
    workout.
    """
    decided = decision.reps or ()
    is_less = load is not None and decision.load is not None and load < decision.load
    done = tuple(low if answer is None else answer.reps or low for answer in past.last.answers)
    # Below the decided load the earlier repetitions are possible again.
    is_last = past.ladder is not None and load == past.ladder.existing(past.last.load)
    wanted = done if is_less and is_last else decided
    high = past.high or max(wanted)
    if decision.direction == "up" and load is not None and not is_less and not decision.widened:
        wanted = tuple(
            max(goal, min(most - _GAIN_REPS, past.high or 0))
            for goal, most in zip(wanted, spare, strict=True)
        )
    reps = tuple(max(low, min(goal, most, high)) for goal, most in zip(wanted, spare, strict=True))
    if not is_less and reps == decided:
        return decision
    before = past.last.load if load is not None else None
    is_lower = load is not None and before is not None and load < before - LOAD_TOLERANCE.value
    is_fewer = any(now < was for now, was in zip(reps, done, strict=True))
    is_more = any(now > was for now, was in zip(reps, done, strict=True))
    is_higher = load is not None and before is not None and load > before + LOAD_TOLERANCE.value
    direction: Direction = "down" if is_lower or (is_fewer and not is_higher) else "same"
    if is_higher or (is_more and direction == "same"):
        direction = "up"
    goals = ", ".join(map(str, dict.fromkeys(reps)))
    target = goals if load is None or past.ladder is None else f"{past.ladder.text(load)} × {goals}"
    return replace(
        decision,
        direction=direction,
        codes=("reserve", *(code for code in decision.codes if code == "rpe_unknown")),
        reason=phrase("reason-reserve", reps=count_reps(reserve), target=target),
        load=load,
        reps=reps,
        widened=None,
    )


def effort_cap(reserve: float | None) -> float | None:
    """Return the maximum RPE with these repetitions in reserve; None without."""
    return None if reserve is None else HIGHEST_RPE - reserve


def effort_remark(week: BlockWeek | None, demand: BlockDemand | None) -> Iterator[Adjustment]:
    """Yield the sentence on an exercise's reserve, if the exercises of the workout differ in it."""
    if week is None or demand is None or demand.reserve is None or _one_reserve(week) is not None:
        return
    text = phrase("effort-reserve", reps=count_reps(demand.reserve))
    yield Adjustment(rule=BLOCK_EFFORT, text=text)


def with_block_sets(
    slot: SlotPrescription, week: BlockWeek | None, demand: BlockDemand | None
) -> SlotPrescription:
    """Return the exercise with the sets of the week: fewer, none, or more of the last one.

    Sets are added only on a day without any reduction. Schemes have their own number of sets.
    """
    if week is None or demand is None or not slot.sets:
        return slot
    if demand.is_left_out:
        text = phrase("block-left-out", week=week.week)
        return shorten(slot, 0, Adjustment(rule=BLOCK_SETS, text=text))
    if not SCHEME_MODELS.isdisjoint(slot.rule.split(", ")):
        return slot
    whole = _count(slot.structure)
    count = max(1, whole + demand.change)
    text = phrase("block-sets", count=count, week=week.week, whole=whole)
    adjustment = Adjustment(rule=BLOCK_SETS, text=text)
    if count < working_count(slot):
        return slot if leads_up(slot, count) else shorten(slot, count, adjustment)
    is_reduced = any(not each.is_remark for each in slot.adjustments)
    if count <= whole or is_reduced or not _may_repeat_last(slot):
        return slot
    last = slot.sets[-1]
    added = tuple(
        last.model_copy(update={"set_index": last.set_index + more})
        for more in range(1, count - whole + 1)
    )
    return slot.model_copy(
        update={
            "sets": (*slot.sets, *added),
            "whole_sets": slot.structure,
            "adjustments": (adjustment, *slot.adjustments),
            "limits": (*slot.limits, adjustment.rule),
            "reason_codes": tuple(dict.fromkeys((*slot.reason_codes, adjustment.rule))),
        }
    )


def _may_repeat_last(slot: SlotPrescription) -> bool:
    """Return whether the last set is a working set with a closed end: one as open stays alone."""
    last = slot.sets[-1]
    is_open = last.rep_range_start is not None and last.rep_range_end is None
    is_last = last.set_index == len(slot.structure) - 1
    return last.set_type in WORKING_TYPES and not is_open and is_last


def plan_block(
    week: BlockWeek | None, slots: Collection[SlotPrescription], *, is_easy_otherwise: bool
) -> PlanBlock | None:
    """Return the week for the plan; `is_easy_otherwise`: another reason than the week is easier."""
    if week is None:
        return None
    return PlanBlock(
        programme_id=week.programme_id,
        title=week.programme_title,
        week=week.week,
        weeks=week.weeks,
        phase=week.phase,
        text=_week_text(week, slots, is_easy_otherwise=is_easy_otherwise),
    )


def _week_text(
    week: BlockWeek, slots: Collection[SlotPrescription], *, is_easy_otherwise: bool
) -> str:
    place = phrase("block-place", week=week.week, weeks=week.weeks)
    if is_easy_otherwise:
        return phrase("block-of-programme", place=place, programme=week.programme_title)
    parts = [] if week.phase is None else [phrase(f"phase-{week.phase}")]
    if week.phase == "deload":
        counts = {working_count(slot) for slot in slots if slot.sets}
        each = (
            phrase("block-sets-each", count=counts.pop())
            if len(counts) == 1
            else phrase("block-half-the-sets")
        )
        return phrase("block-easy", place=place, phase=parts[0], sets=each)
    if (reserve := _one_reserve(week)) is not None:
        parts.append(phrase("block-reserve", reps=count_reps(reserve)))
    more = [slot.exercise_title for slot in slots if _count(slot.sets) > _count(slot.structure)]
    if more:
        parts.append(phrase("block-more-sets", exercises=join_words(dict.fromkeys(more))))
    if not parts:
        return phrase("block-of-programme", place=place, programme=week.programme_title)
    return phrase("block-week", place=place, parts=", ".join(parts))


def _one_reserve(week: BlockWeek) -> float | None:
    """Return the reserve that all exercises of the workout share; None if they differ."""
    reserves = {each.reserve for each in week.demands if not each.is_left_out}
    return reserves.pop() if len(reserves) == 1 else None


def _count(sets: Sequence[SetPrescription]) -> int:
    return sum(each.set_type in WORKING_TYPES for each in sets)
