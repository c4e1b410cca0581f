"""Progression with a load: linear for fixed repetitions, double progression for a range."""

from dataclasses import replace

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.progression import (
    DOUBLE_DOWN_EXPOSURES,
    DOUBLE_DOWN_FACTOR,
    DOUBLE_FAR_BELOW,
    LINEAR_FAIL_LIMIT,
    LINEAR_FAIL_LIMIT_HARD,
    LINEAR_RESET_FACTOR,
)
from coach_agent.domain.e1rm import HIGHEST_RPE
from coach_agent.engine.explain.reasons import count_reps
from coach_agent.engine.history.attempts import Attempt
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.models.block import BlockDecision, BlockHistory, ReasonCode
from coach_agent.engine.models.moves import go_down, load_to_repeat, reduced_load, repeat, step_up
from coach_agent.engine.models.rep_targets import next_rep_targets
from coach_agent.language.messages import capitalise, phrase


def linear_progression(
    history: BlockHistory, low: int, ladder: Ladder, *, is_open: bool = False
) -> BlockDecision:
    """Step up if all sets reach `low`. A miss: repeat; the third in a row, or the second at RPE 10:
    down to 90 %.

    Lighter and incomplete attempts are neither, and keep the count of misses. An open set ("5+")
    shows the reserve, so with `is_open` the step waits until the done repetitions prove that `low`
    will be possible with the next load.
    """
    goals = (low,) * len(history.last.answers)
    missed = history.places(lambda answer: answer.reps is not None and answer.reps < low)
    if not missed:
        what = phrase("what-reached", sets=history.whole, reps=count_reps(low))
        return step_up(history, ladder, what, goals, goals, "all_sets_hit", needs_proof=is_open)
    what = phrase("what-missed", reps=count_reps(low), sets=history.names.some(missed))
    streak = _misses_in_a_row(history.attempts, low, ladder)
    is_hard = streak > 1 and all(_has_failed(each) for each in history.attempts[:2])
    if streak < (LINEAR_FAIL_LIMIT_HARD if is_hard else LINEAR_FAIL_LIMIT).value:
        again = load_to_repeat(history.last, ladder)
        return repeat(history, ladder, again, goals, what, "missed_reps")
    what = phrase("what-misses-in-a-row", what=what, count=streak)
    reduced = reduced_load(history.last.load, LINEAR_RESET_FACTOR.value, ladder)
    return go_down(history, ladder, reduced, goals, what, "missed_reps", "reset")


def double_progression(history: BlockHistory, low: int, high: int, ladder: Ladder) -> BlockDecision:
    """Fill the range in every set, then step up and return to its lower end.

    Otherwise the load stays, with more repetitions by `next_rep_targets`, or the same ones after a
    set above the RPE cap. Sets below the range at two exposures in a row, or all sets far below it
    with a load never held: a reduction.
    """
    last = history.last
    climbed = next_rep_targets(history.attempts, low, high)
    goals = climbed.goals
    below = history.places(lambda answer: answer.reps is not None and answer.reps < low)
    if below:
        sets = history.names.some(below)
        what = phrase("what-below", subject=capitalise(sets), sets=sets, reps=count_reps(low))
        if _is_beyond_reach(history.attempts, low):
            what = phrase("what-none-near", what=what)
        elif _attempts_below(history.attempts, low) < DOUBLE_DOWN_EXPOSURES.value:
            return repeat(history, ladder, load_to_repeat(last, ladder), goals, what, "below_range")
        else:
            what = phrase("what-times-in-a-row", what=what, count=DOUBLE_DOWN_EXPOSURES.value)
        bottom = (low,) * len(goals)
        reduced = reduced_load(last.load, DOUBLE_DOWN_FACTOR.value, ladder)
        return go_down(history, ladder, reduced, bottom, what, "below_range", "step_down")
    if all((answer.reps or 0) >= high for answer in last.done):
        what = phrase("what-reached", sets=history.whole, reps=count_reps(high))
        bottom = (low,) * len(goals)
        return step_up(history, ladder, what, bottom, goals, "top_of_range")
    if stay := history.too_hard():
        again = done_again(last, low, high)
        return repeat(history, ladder, load_to_repeat(last, ladder), again, stay[0], stay[1])
    codes: list[ReasonCode] = ["add_reps"]
    if last.is_lighter_than_planned:
        codes.append("lighter_than_planned")
    what = phrase("what-not-all-reached", reps=count_reps(high))
    then = phrase("then-more", more=climbed.text(history.names))
    # A load above plan that was too hard, or not done in all sets, is no base.
    base = load_to_repeat(last, ladder) if history.reason_to_stay() else last.load
    held = repeat(history, ladder, base, goals, what, *codes, then=then)
    return replace(held, direction="up") if held.direction == "same" else held


def done_again(last: Attempt, low: int | None, high: int | None) -> tuple[int, ...]:
    """Return the last result as goals within the range; a missing set starts at its lower end.

    Without a range, at the fewest of the others.
    """
    least = low or 1
    fewest = low or min((answer.reps or least for answer in last.done), default=least)
    done = (fewest if answer is None else answer.reps or least for answer in last.answers)
    return tuple(max(least, reps if high is None else min(reps, high)) for reps in done)


def _has_failed(attempt: Attempt) -> bool:
    """Return whether a set was done to the limit."""
    return any((answer.rpe or 0.0) >= HIGHEST_RPE for answer in attempt.done)


def _misses_in_a_row(attempts: tuple[Attempt, ...], low: int, ladder: Ladder) -> int:
    """Count the newest attempts that missed `low`; those before a reduction do not count again."""
    newest = attempts[0].load
    count = 0
    for attempt in attempts:
        # A reduction by the coach, for a reset, a stall or a break, begins a new streak.
        reduced = ladder.reduced(attempt.load, DOUBLE_DOWN_FACTOR.value, is_needed=True)
        was_reduced = newest < attempt.load - LOAD_TOLERANCE.value and newest <= reduced
        is_missed = _is_below(attempt, low)
        is_hit = not is_missed and attempt.is_complete and not attempt.is_lighter_than_planned
        if was_reduced or is_hit:
            break
        count += is_missed
    return count


def _attempts_below(attempts: tuple[Attempt, ...], low: int) -> int:
    """Count the newest attempts with a set below `low`; those before a reduction do not count
    again.
    """
    count = 0
    for attempt in attempts:
        was_reduced = attempts[0].load < attempt.load - LOAD_TOLERANCE.value
        if was_reduced or not _is_below(attempt, low):
            break
        count += 1
    return count


def _is_beyond_reach(attempts: tuple[Attempt, ...], low: int) -> bool:
    """Return whether no set came near `low`, with a load never held: otherwise it was a bad day."""
    last, *older = attempts
    most = DOUBLE_FAR_BELOW.value * low
    is_far = all(answer.reps is not None and answer.reps < most for answer in last.done)
    return is_far and not any(
        each.load >= last.load - LOAD_TOLERANCE.value and not _is_below(each, low) for each in older
    )


def _is_below(attempt: Attempt, low: int) -> bool:
    return any(answer.reps is not None and answer.reps < low for answer in attempt.done)
