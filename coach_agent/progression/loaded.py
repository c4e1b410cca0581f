"""Progression with a load: linear for fixed repetitions, double progression for a range."""

from collections.abc import Sequence
from dataclasses import replace

from coach_agent.progression.block import BlockDecision, BlockHistory, Direction
from coach_agent.progression.constants import (
    DOUBLE_DOWN_EXPOSURES,
    LINEAR_FAIL_LIMIT,
    LINEAR_RESET_FACTOR,
    LOAD_TOLERANCE,
)
from coach_agent.progression.history import Attempt
from coach_agent.progression.ladder import Ladder
from coach_agent.progression.sifting import Doubt
from coach_agent.progression.strength import can_manage
from coach_agent.progression.wording import capitalised

_DOUBT_TEXTS = {
    "suspected_typo": "looks like a typing error and was ignored",
    "other_work": "for far fewer reps looks like other work and was left out",
}


def linear(
    history: BlockHistory, low: int, ladder: Ladder, *, is_open: bool = False
) -> BlockDecision:
    """All sets reach `low`: one step up. A miss: repeat; the third in a row: down to 90 %.

    Lighter and incomplete attempts are neither, the count of misses stands. An open set ("5+")
    shows what was left, so with `is_open` the step waits until the repetitions done prove that
    `low` will be possible with the next load.
    """
    goals = (low,) * len(history.last.answers)
    missed = history.places(lambda answer: answer.reps is not None and answer.reps < low)
    if not missed:
        return _step_up(history, low, low, ladder, goals, "all_sets_hit", needs_proof=is_open)
    what = f"Missed {low} reps on {history.names.some(missed)}"
    streak = _misses_in_a_row(history.attempts, low, ladder)
    if streak < LINEAR_FAIL_LIMIT.value:
        return _repeat(history, ladder, _base(history.last, ladder), goals, what, "missed_reps")
    what += f", {streak} misses in a row"
    reduced = ladder.reset(history.last.load)
    return _go_down(history, ladder, reduced, goals, what, "missed_reps", "reset")


def double(history: BlockHistory, low: int, high: int, ladder: Ladder) -> BlockDecision:
    """Fill the range in every set, then one step up and back to its lower end.

    Otherwise the load stays, with one repetition more on the first set below the top. Sets below
    the range at two exposures in a row: one step down.
    """
    last = history.last
    goals, raised = climb(last, low, high)
    below = history.places(lambda answer: answer.reps is not None and answer.reps < low)
    if below:
        what = f"{capitalised(history.names.some(below))} fell below {low} reps"
        if _attempts_below(history.attempts, low) < DOUBLE_DOWN_EXPOSURES.value:
            return _repeat(history, ladder, _base(last, ladder), goals, what, "below_range")
        what += f", {DOUBLE_DOWN_EXPOSURES.value} times in a row"
        bottom = (low,) * len(goals)
        reduced = ladder.down(last.load)
        return _go_down(history, ladder, reduced, bottom, what, "below_range", "step_down")
    if raised is None:
        return _step_up(history, low, high, ladder, goals, "top_of_range")
    codes = ("add_reps", "lighter_than_planned") if last.is_lighter_than_planned else ("add_reps",)
    what = f"Not all sets reached {high} reps"
    then = f", one more on {history.names.some([raised])}"
    held = _repeat(history, ladder, last.load, goals, what, *codes, then=then)
    return replace(held, direction="up") if held.direction == "same" else held


def with_doubts(
    decision: BlockDecision,
    history: BlockHistory,
    doubts: Sequence[Doubt],
    low: int,
    high: int,
    ladder: Ladder,
) -> BlockDecision:
    """The decision with what was not believed; instead of going up, the block holds."""
    if not doubts:
        return decision
    if decision.direction == "up":
        done = (low if answer is None else answer.reps or low for answer in history.last.answers)
        goals = tuple(min(max(reps, low), high) for reps in done)
        what = "No increase on older training"
        decision = _repeat(history, ladder, history.last.load, goals, what)
    texts = dict.fromkeys(
        f"{ladder.text(doubt.load)} {_DOUBT_TEXTS[doubt.code]}." for doubt in doubts
    )
    codes = dict.fromkeys((*(doubt.code for doubt in doubts), *decision.codes))
    return replace(decision, codes=tuple(codes), reason=" ".join((*texts, decision.reason)))


def climb(last: Attempt, low: int, high: int) -> tuple[tuple[int, ...], int | None]:
    """Goals in the range: what was done, and one more on the first done set below the top.

    With the place of that set, None if all are at the top. A set that was not done starts at the
    lower end.
    """
    goals = []
    raised = None
    for place, answer in enumerate(last.answers):
        reps = low if answer is None or answer.reps is None else answer.reps
        if raised is None and answer is not None and reps < high:
            raised = place
            reps += 1
        goals.append(min(max(reps, low), high))
    return tuple(goals), raised


def _step_up(
    history: BlockHistory,
    low: int,
    reached: int,
    ladder: Ladder,
    held_goals: tuple[int, ...],
    code: str,
    *,
    needs_proof: bool = False,
) -> BlockDecision:
    """One step up to `low` repetitions, unless something holds the load where it is.

    After a success with less than planned, the plan of that day is the limit.
    """
    last = history.last
    if stay := history.reason_to_stay():
        return _repeat(history, ladder, _base(last, ladder), held_goals, stay[0], stay[1])
    what = f"{history.names.whole} reached {reached} reps"
    stepped = ladder.up(last.load)
    if stepped is None:
        what += ", and nothing heavier is there"
        return _repeat(history, ladder, last.load, held_goals, what, code, "no_heavier_load")
    codes = [code]
    what += f" at {ladder.text(last.load)}"
    if last.is_lighter_than_planned and last.planned_load is not None:
        stepped = min(stepped, ladder.existing(last.planned_load))
        codes.append("lighter_than_planned")
        what += f" instead of {ladder.text(last.planned_load)}"
        if stepped <= last.load:
            return _repeat(history, ladder, last.load, held_goals, what, *codes)
    if ladder.is_whole_load and not _can_manage(last, stepped, low, needs_proof):
        step_text = ladder.text(stepped)
        what += (
            f", too few for {step_text}" if needs_proof else f", but {step_text} is too big a step"
        )
        then = ", with more reps if you can"
        return _repeat(
            history, ladder, last.load, held_goals, what, *codes, "step_infeasible", then=then
        )
    return BlockDecision(
        direction="up",
        codes=history.codes(*codes),
        reason=f"{what}: next step {ladder.text(stepped)}.",
        load=stepped,
        reps=(low,) * len(held_goals),
    )


def _repeat(
    history: BlockHistory,
    ladder: Ladder,
    wanted: float,
    goals: tuple[int, ...],
    what: str,
    *codes: str,
    then: str = "",
) -> BlockDecision:
    """The wanted load again, or the next one down that exists."""
    load = ladder.existing(wanted)
    reason = f"{what}: repeat {ladder.text(load)}{then}."
    if load < wanted - LOAD_TOLERANCE.value:
        codes = (*codes, "load_unavailable")
        reason += f" There is no {ladder.text(wanted)} in the gym."
    is_less = load < history.last.load - LOAD_TOLERANCE.value
    direction: Direction = "down" if is_less else "same"
    return BlockDecision(direction, history.codes(*codes), reason, load=load, reps=goals)


def _go_down(
    history: BlockHistory,
    ladder: Ladder,
    reduced: float | None,
    goals: tuple[int, ...],
    what: str,
    *codes: str,
) -> BlockDecision:
    """The reduced load, or what was planned if that is less: more was tried than planned."""
    base = _base(history.last, ladder)
    if reduced is None:
        what += ", and nothing lighter is there"
        return _repeat(history, ladder, base, goals, what, *codes, "no_lighter_load")
    load = min(reduced, ladder.existing(base))
    reason = f"{what}: down to {ladder.text(load)}."
    return BlockDecision("down", history.codes(*codes), reason, load=load, reps=goals)


def _base(attempt: Attempt, ladder: Ladder) -> float:
    """What a failed attempt is repeated with: the plan of that day, or less if less was done."""
    planned = attempt.planned_load
    if planned is None or planned >= attempt.load or ladder.loads.floor(planned) is None:
        return attempt.load
    return planned


def _can_manage(last: Attempt, next_load: float, next_reps: int, needs_proof: bool) -> bool:
    """Whether the best set leaves room for the next load, or with proof, whether each one does."""
    checks = (
        can_manage(
            answer.load, answer.reps, answer.rpe, next_load, next_reps, needs_proof=needs_proof
        )
        for answer in last.done
        if answer.load is not None and answer.reps is not None
    )
    return all(checks) if needs_proof else any(checks)


def _misses_in_a_row(attempts: tuple[Attempt, ...], low: int, ladder: Ladder) -> int:
    """The newest attempts that missed `low`; those before a reduction do not count again."""
    newest = attempts[0].load
    count = 0
    for attempt in attempts:
        was_reduced = (
            newest < attempt.load - LOAD_TOLERANCE.value
            if ladder.is_assistance
            else newest <= attempt.load * LINEAR_RESET_FACTOR.value
        )
        is_missed = _is_below(attempt, low)
        is_hit = not is_missed and attempt.is_complete and not attempt.is_lighter_than_planned
        if was_reduced or is_hit:
            break
        count += is_missed
    return count


def _attempts_below(attempts: tuple[Attempt, ...], low: int) -> int:
    """The newest attempts with a set below `low`; those before a reduction do not count again."""
    count = 0
    for attempt in attempts:
        was_reduced = attempts[0].load < attempt.load - LOAD_TOLERANCE.value
        if was_reduced or not _is_below(attempt, low):
            break
        count += 1
    return count


def _is_below(attempt: Attempt, low: int) -> bool:
    return any(answer.reps is not None and answer.reps < low for answer in attempt.done)
