"""Custom steps of an athlete: the first one with matching conditions applies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from statistics import mean

from coach_agent.engine.history.attempts import Attempt
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.models.block import BlockDecision, BlockHistory
from coach_agent.engine.models.double_progression import done_again
from coach_agent.engine.models.moves import go_down, load_to_repeat, repeat, step_up
from coach_agent.language.messages import phrase
from coach_agent.profile.custom_steps import OwnStep, Then, When

Condition = Callable[[BlockHistory, float, int | None], bool]


def apply_custom_steps(
    history: BlockHistory, steps: Sequence[OwnStep], low: int | None, ladder: Ladder
) -> BlockDecision:
    """Apply the first step with all conditions true; by default the load stays.

    `low` is the lower end of the range, if there is one; a miss is a set below it, or below the
    plan of that day. Available loads, the jump cap, the limits of the exercise and the plausibility
    of a load take precedence over every step.
    """
    for number, step in enumerate(steps, start=1):
        conditions = _applicable_conditions(step.when, history)
        if conditions is not None and all(
            _CONDITIONS[name](history, value, low) for name, value in conditions.items()
        ):
            what = phrase("own-step", number=number, conditions=_text(conditions))
            return _apply_action(step.then, what, history, low, ladder)
    goals = _goals_again(history.last, low)
    again = load_to_repeat(history.last, ladder)
    return repeat(history, ladder, again, goals, phrase("own-step-none"), "no_own_step")


def _apply_action(
    then: Then, what: str, history: BlockHistory, low: int | None, ladder: Ladder
) -> BlockDecision:
    last = history.last
    held_goals = _goals_again(last, low)
    planned = [answer.planned_reps_low for answer in last.done if answer.planned_reps_low]
    moved = then.set_reps or low or min(planned, default=min(held_goals))
    moved_goals = (moved,) * len(held_goals)
    steps, factor = then.add_steps or 0, then.multiply or 1.0
    if steps > 0 or factor > 1:
        wanted = _step_up_load(last.load, steps, factor, ladder)
        return step_up(history, ladder, what, moved_goals, held_goals, "own_step", wanted=wanted)
    if steps < 0 or factor < 1:
        reduced = _step_down_load(last.load, steps, factor, ladder)
        return go_down(history, ladder, reduced, moved_goals, what, "own_step")
    if then.add_reps is None:
        goals = held_goals if then.set_reps is None else moved_goals
        return repeat(history, ladder, load_to_repeat(last, ladder), goals, what, "own_step")
    if stay := history.reason_to_stay():
        again = load_to_repeat(last, ladder)
        return repeat(history, ladder, again, held_goals, stay[0], stay[1])
    goals = tuple(reps + then.add_reps for reps in done_again(last, low, None))
    what = phrase("own-step-more", what=what, count=then.add_reps)
    held = repeat(history, ladder, last.load, goals, what, "own_step", "add_reps")
    return replace(held, direction="up") if held.direction == "same" else held


def _goals_again(last: Attempt, low: int | None) -> tuple[int, ...]:
    """Return the last result as goals, but not fewer than planned: a miss is no new target."""
    planned = (0 if answer is None else answer.planned_reps_low or 0 for answer in last.answers)
    return tuple(max(pair) for pair in zip(done_again(last, low, None), planned, strict=True))


def _step_up_load(load: float, steps: int, factor: float, ladder: Ladder) -> float:
    """Return the load of a step up: always a step if there is a heavier load."""
    highest = load * (1 / factor if ladder.is_assistance else factor)
    for _ in range(max(steps, 1)):
        above = ladder.up(load)
        load = load if above is None else above  # the body alone is 0
    return max(load, highest) if steps == 0 else load


def _step_down_load(load: float, steps: int, factor: float, ladder: Ladder) -> float | None:
    """Return the load of a step down; None at the bottom."""
    if steps == 0:
        return ladder.reset(load, factor)
    reduced = ladder.down(load)
    for _ in range(-steps - 1):
        reduced = (reduced and ladder.down(reduced)) or reduced
    return reduced


def _applicable_conditions(when: When, history: BlockHistory) -> dict[str, float] | None:
    """Return the applicable conditions: an unknown RPE neither passes nor fails one.

    None if it was the only condition: then the step has no basis.
    """
    named = when.named
    if any(answer.rpe is not None for answer in history.last.done):
        return named
    known = {name: value for name, value in named.items() if name != "mean_rpe_at_most"}
    return None if named and not known else known


def _all_sets_at_least(history: BlockHistory, reps: float, low: int | None) -> bool:
    last = history.last
    return last.is_complete and all((answer.reps or 0) >= reps for answer in last.done)


def _any_set_below(history: BlockHistory, reps: float, low: int | None) -> bool:
    return any((answer.reps or 0) < reps for answer in history.last.done)


def _last_set_reps_at_least(history: BlockHistory, reps: float, low: int | None) -> bool:
    answer = history.last.answers[-1]
    return answer is not None and (answer.reps or 0) >= reps


def _misses_in_a_row(history: BlockHistory, count: float, low: int | None) -> bool:
    """Count misses; those with a heavier load are ignored, because the load was reduced since."""
    same_load = history.attempts[: history.exposures_at_load]
    missed = takewhile(lambda attempt: _is_missed(attempt, low), same_load)
    return len(tuple(missed)) >= count


def _exposures_since_step(history: BlockHistory, count: float, low: int | None) -> bool:
    return history.exposures_at_load >= count


def _mean_rpe_at_most(history: BlockHistory, rpe: float, low: int | None) -> bool:
    return mean(answer.rpe for answer in history.last.done if answer.rpe is not None) <= rpe


_CONDITIONS: Mapping[str, Condition] = {
    "all_sets_at_least": _all_sets_at_least,
    "any_set_below": _any_set_below,
    "last_set_reps_at_least": _last_set_reps_at_least,
    "misses_in_a_row": _misses_in_a_row,
    "exposures_since_step": _exposures_since_step,
    "mean_rpe_at_most": _mean_rpe_at_most,
}


def _is_missed(attempt: Attempt, low: int | None) -> bool:
    return any(
        answer.reps is not None and answer.reps < (low or answer.planned_reps_low or 0)
        for answer in attempt.done
    )


def _text(conditions: Mapping[str, float]) -> str:
    """Format the conditions for people: `all sets at least 12, exposures since step 2`."""
    parts = (f"{name.replace('_', ' ')} {value:g}" for name, value in conditions.items())
    return ", ".join(parts) or phrase("own-step-always")
