"""Progression by one number for all sets: the sum of the repetitions, or a distance."""

from itertools import takewhile

from coach_agent.domain.constants.progression import LINEAR_FAIL_LIMIT, LINEAR_RESET_FACTOR
from coach_agent.engine.history.attempts import Attempt
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.models.block import BlockDecision, BlockHistory
from coach_agent.engine.models.moves import go_down, load_to_repeat, reduced_load, repeat, step_up
from coach_agent.language.messages import phrase


def rep_sum(history: BlockHistory, target: int, ladder: Ladder) -> BlockDecision:
    """Step up if all sets together reach `target` repetitions. Otherwise one more on the weakest.

    After a step the goals are equal shares of the target.
    """
    done = [0 if answer is None else answer.reps or 0 for answer in history.last.answers]
    total, count = sum(done), len(done)
    shares = tuple(max(1, target // count + (place < target % count)) for place in range(count))
    what = phrase("what-sum", total=total, target=target)
    if total >= target:
        return step_up(history, ladder, what, shares, shares, "rep_sum_reached")
    goals_before = [
        share if answer is None else done[place]
        for place, (answer, share) in enumerate(zip(history.last.answers, shares, strict=True))
    ]
    weakest = goals_before.index(min(goals_before))
    goals = tuple(max(1, reps + (place == weakest)) for place, reps in enumerate(goals_before))
    then = phrase("then-one-more", sets=history.names.some([weakest]))
    again = load_to_repeat(history.last, ladder)
    return repeat(history, ladder, again, goals, what, "rep_sum_missed", then=then)


def distance(history: BlockHistory, metres: int, ladder: Ladder) -> BlockDecision:
    """Step up if every set reached the routine's distance. A miss: repeat, the third: down to 90 %.

    No source gives a rule for carries: this one is a choice of the project.
    """
    short = history.places(lambda answer: (answer.distance_m or 0) < metres)
    if short:
        what = phrase("what-missed", reps=f"{metres} m", sets=history.names.some(short))
        at_load = history.attempts[: history.exposures_at_load]
        streak = len([*takewhile(lambda each: _is_short(each, metres), at_load)])
        if streak >= LINEAR_FAIL_LIMIT.value:
            what = phrase("what-misses-in-a-row", what=what, count=streak)
            reduced = reduced_load(history.last.load, LINEAR_RESET_FACTOR.value, ladder)
            return go_down(history, ladder, reduced, None, what, "missed_distance", "reset")
        again = load_to_repeat(history.last, ladder)
        return repeat(history, ladder, again, None, what, "missed_distance")
    what = phrase("what-reached", sets=history.whole, reps=f"{metres} m")
    return step_up(history, ladder, what, None, None, "distance_reached")


def _is_short(attempt: Attempt, metres: int) -> bool:
    return any((answer.distance_m or 0) < metres for answer in attempt.done)
