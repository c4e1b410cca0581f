"""Progression without a load: more repetitions, or more seconds."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import takewhile

from coach_agent.domain.constants.progression import LINEAR_FAIL_LIMIT
from coach_agent.engine.explain.reasons import count_reps
from coach_agent.engine.history.attempts import Answer, Attempt, is_after_break
from coach_agent.engine.loads.increments import timed_step_s
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.models.block import BlockDecision, BlockHistory, Direction, ReasonCode
from coach_agent.engine.models.double_progression import done_again
from coach_agent.engine.models.moves import bridges, proved_reps
from coach_agent.engine.models.rep_targets import next_rep_targets
from coach_agent.language.messages import capitalise, phrase

Measured = Callable[[Answer], int | None]
_GROWN: ReasonCode = "all_sets_hit"
# Two more pull-ups are a far larger step than two more curls.
_QUICK_REPS = 1


def reps_in_range(
    history: BlockHistory, low: int, high: int, added: Ladder | None, harder: str | None
) -> BlockDecision:
    """Fill the range in every set; at its top add the first load, if possible.

    `added` is the ladder of an added load, `harder` the title of a harder variation. Until the
    athlete switches to it, repetitions grow beyond the range.
    """
    climbed = next_rep_targets(history.attempts, low, high, _QUICK_REPS)
    goals = climbed.goals
    if stay := history.too_hard():
        again = done_again(history.last, low, high)
        text = phrase("reason-repeat-sets", what=stay[0])
        kept = proved_reps(history.last, again)
        return BlockDecision("same", history.codes(stay[1]), text, reps=again, widened=kept)
    if climbed.raised:
        more = climbed.text(history.names)
        what = phrase("what-not-all-reached", reps=count_reps(high))
        if below := history.places(lambda answer: (answer.reps or 0) < low):
            sets = history.names.some(below)
            what = phrase("what-below", subject=capitalise(sets), sets=sets, reps=count_reps(low))
        what = phrase("reason-more", what=what, more=more)
        return BlockDecision("up", history.codes("add_reps"), what, reps=goals)
    if stay := history.reason_to_stay(goals):
        text = phrase("reason-repeat-sets", what=stay[0])
        return BlockDecision("same", history.codes(stay[1]), text, reps=goals)
    what = phrase("what-reached", sets=history.whole, reps=count_reps(high))
    codes = history.codes("top_of_range", "add_load")
    load = added.up(0.0) if added else None
    if added is None or load is None:
        return _beyond(history, goals, what, codes, harder)
    if added.is_wide_step(0.0, load) and not bridges(history.last, added, load, low, high):
        note = phrase("note-too-big-step", load=added.text(load))
        codes = history.codes("top_of_range", "step_infeasible")
        return _beyond(history, goals, what, codes, None, note)
    what = phrase("reason-add-load", what=what, load=added.text(load))
    return BlockDecision("up", codes, what, load=load, reps=(low,) * len(goals))


def _beyond(
    history: BlockHistory,
    goals: tuple[int, ...],
    what: str,
    codes: tuple[ReasonCode, ...],
    harder: str | None,
    hurdle: str | None = None,
) -> BlockDecision:
    """Add one repetition beyond the range on the weakest set, and recommend a variation.

    `hurdle` is the reason not to go on otherwise yet; it replaces the recommendation.
    """
    done = _fill_goals(history.last.answers, lambda answer: answer.reps)
    weakest = done.index(min(done))
    widened = tuple(
        max(goal, reps + (place == weakest))
        for place, (goal, reps) in enumerate(zip(goals, done, strict=True))
    )
    note = phrase("note-harder-variation")
    if harder is not None:
        note = (
            phrase("note-variation-with-plate", exercise=harder)
            if "Weighted" in harder
            else phrase("note-variation", exercise=harder)
        )
    more = phrase("more-reps", count=1, sets=history.names.some([weakest]))
    text = (
        phrase("reason-until-then", what=what, note=note, more=more)
        if hurdle is None
        else phrase("reason-first", what=what, note=hurdle, more=more)
    )
    return BlockDecision(
        "up",
        codes,
        text,
        reps=goals,
        widened=widened,
        note=note if hurdle is None else None,
    )


def open_reps(history: BlockHistory, low: int | None) -> BlockDecision:
    """Add one repetition on the first of the weakest sets; a missed goal is repeated.

    `low` is the lower end of an open range ("8+"): there the routine has no other goal.
    """

    def planned(answer: Answer) -> int | None:
        return answer.planned_reps_low if low is None else max(low, answer.reps or 0)

    def grown(values: list[int]) -> list[int]:
        weakest = values.index(min(values))
        return [value + (place == weakest) for place, value in enumerate(values)]

    gain = phrase("gain-rep")
    what, code, goals = _grow(history, lambda answer: answer.reps, planned, grown, gain)
    return BlockDecision(_direction(code), history.codes(code), what, reps=goals)


def time_progression(history: BlockHistory) -> BlockDecision:
    """Add a step of `timed_step_s` on each set; a missed time is repeated.

    The goal of a day without a known plan is the time reached before.
    """
    history = replace(history, attempts=(_with_goals(history.attempts), *history.attempts[1:]))
    gains = {timed_step_s(answer.duration_s or 0) for answer in history.last.done}
    what, code, goals = _grow(
        history,
        lambda answer: answer.duration_s,
        lambda answer: answer.planned_duration_s,
        lambda values: [value + timed_step_s(value) for value in values],
        phrase("gain-up-to-seconds", seconds=max(gains))
        if len(gains) > 1
        else phrase("gain-seconds", seconds=max(gains)),
    )
    return BlockDecision(_direction(code), history.codes(code), what, durations_s=goals)


def _with_goals(attempts: Sequence[Attempt]) -> Attempt:
    """Return the newest attempt with the times reached before as goals (s), where none is known.

    A workout with less in any set leaves the goals, until there are as many in a row as end a load:
    then they are what was held. A break or another load ends them, too.
    """
    last, older = attempts[0], attempts[1:]
    goals = Attempt((), is_complete=True)
    missed = 0
    for place, attempt in reversed([*enumerate(older)]):
        is_miss = _is_comparable(attempt, older[place + 1 :]) and _is_less(attempt, goals)
        missed = missed + 1 if is_miss else 0
        if missed in {0, LINEAR_FAIL_LIMIT.value}:
            goals, missed = attempt, 0
    if not _is_comparable(last, older):
        return last
    answers = tuple(
        answer
        if answer is None or goal is None or answer.planned_duration_s is not None
        else answer._replace(planned_duration_s=goal.duration_s)
        for answer, goal in zip(last.answers, goals.answers, strict=True)
    )
    return replace(last, answers=answers)


def _is_comparable(attempt: Attempt, older: Sequence[Attempt]) -> bool:
    """Return whether its times continue those of older attempts, newest first."""
    return (
        bool(older) and attempt.loads == older[0].loads and not is_after_break(attempt, older[:1])
    )


def _is_less(attempt: Attempt, goals: Attempt) -> bool:
    return any(
        answer is not None
        and goal is not None
        and (answer.duration_s or 0) < (goal.duration_s or 0)
        for answer, goal in zip(attempt.answers, goals.answers, strict=True)
    )


def _grow(
    history: BlockHistory,
    done: Measured,
    planned: Measured,
    grown: Callable[[list[int]], list[int]],
    gain: str,
) -> tuple[str, ReasonCode, tuple[int, ...]]:
    """Return reason, code and goals: grown from the last result, or the goals of that day if held.

    An unknown goal is replaced by the last result. So is one that was missed as often as ends a
    load: it is built up again from there.
    """
    last = history.last

    def is_missed(answer: Answer) -> bool:
        return (done(answer) or 0) < (planned(answer) or 0)

    stay = history.reason_to_stay()
    if last.is_lighter_than_planned:
        stay = phrase("stay-lighter"), "lighter_than_planned"
    if missed := history.places(is_missed):
        what = phrase("what-missed-goal", sets=history.names.some(missed))
        streak = len([*takewhile(lambda each: any(map(is_missed, each.done)), history.attempts)])
        if streak >= LINEAR_FAIL_LIMIT.value:
            what = phrase("what-misses-in-a-row", what=what, count=streak)
            goals = _fill_goals(last.answers, done)
            return phrase("reason-from-there", what=what), "reset", goals
        stay = what, "missed_goal"
    if stay:
        goals = _fill_goals(last.answers, lambda answer: planned(answer) or done(answer))
        return phrase("reason-repeat-sets", what=stay[0]), stay[1], goals
    goals = tuple(grown(list(_fill_goals(last.answers, done))))
    return phrase("reason-goal-reached", sets=history.whole, gain=gain), _GROWN, goals


def _fill_goals(answers: Iterable[Answer | None], value: Measured) -> tuple[int, ...]:
    """Return a goal of at least 1 for each set; a missing set gets the smallest of the others."""
    values = [None if answer is None else value(answer) for answer in answers]
    smallest = min(each for each in values if each is not None)
    return tuple(max(1, smallest if each is None else each) for each in values)


def _direction(code: ReasonCode) -> Direction:
    if code == "reset":
        return "down"
    return "up" if code == _GROWN else "same"
