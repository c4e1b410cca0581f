"""Programmes in stages: more sets of fewer repetitions when a stage is missed, as in GZCLP."""

from collections.abc import Sequence
from dataclasses import replace

from coach_agent.domain.constants.progression import GZCLP_DELOAD_FACTOR, GZCLP_T3_AMRAP
from coach_agent.domain.e1rm import epley_load, middle_and_upper
from coach_agent.engine.explain.reasons import SetNames, count_reps
from coach_agent.engine.history.attempts import Attempt
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.models.block import BlockDecision, BlockHistory, ReasonCode
from coach_agent.engine.models.moves import go_down, load_to_repeat, may_manage, repeat, step_up
from coach_agent.language.messages import phrase
from coach_agent.profile.exercise_rules import Stage


def stage_progression(
    history: BlockHistory, stages: Sequence[Stage], ladder: Ladder
) -> BlockDecision:
    """Step up if all sets of a stage are reached. Missed: the next stage with the same load.

    After the last one the first again, with 85 %, and not below the lightest load. A single open
    stage ("3x15+") has no next one: it is repeated until its last set reaches 25 repetitions. The
    last trained stage follows from the number of sets and repetitions planned that day.

    Source: GZCLP; the numbers are practitioners' opinion.
    """
    current = stage_of(history.last, stages) or _incomplete_stage(history.attempts, stages)
    if current is None:
        return _start_stages(history, stages[0], ladder)
    names = SetNames(tuple(range(1, current.sets + 1)), current.sets)
    attempts = (_pad_sets(history.last, current.sets), *history.attempts[1:])
    history = replace(history, names=names, attempts=attempts)
    missed = history.places(lambda answer: answer.reps is not None and answer.reps < current.reps)
    if len(stages) == 1 and current.is_open:
        return _by_last_set(history, current, ladder, is_missed=bool(missed))
    goals = (current.reps,) * current.sets
    if not missed:
        sets, reps = history.whole, count_reps(current.reps)
        inner = sets[:1].lower() + sets[1:]
        what = phrase("stage-reached", stage=f"{current}", sets=sets, inner=inner, reps=reps)
        if before := _stage_before(history, stages, current):
            what = phrase("stage-changed", before=f"{before}", what=what)
        is_open = current.is_open
        stepped = step_up(history, ladder, what, goals, goals, "all_sets_hit", has_open_set=is_open)
        return _of(current, stepped)
    sets, reps = history.names.some(missed), count_reps(current.reps)
    what = phrase("stage-missed", stage=f"{current}", reps=reps, sets=sets)
    following = stages.index(current) + 1
    if following < len(stages):
        upcoming = stages[following]
        goals = (upcoming.reps,) * upcoming.sets
        again = load_to_repeat(history.last, ladder)
        what = phrase("stage-next", what=what, stage=f"{upcoming}")
        held = repeat(history, ladder, again, goals, what, "missed_reps", "next_stage")
        return _of(upcoming, held)
    first = stages[0]
    goals = (first.reps,) * first.sets
    what = phrase("stage-again", what=what, stage=f"{first}")
    reduced = ladder.reset(history.last.load, GZCLP_DELOAD_FACTOR.value)
    return _of(first, go_down(history, ladder, reduced, goals, what, "missed_reps", "reset"))


def _stage_before(history: BlockHistory, stages: Sequence[Stage], current: Stage) -> Stage | None:
    """Return the stage of the attempt before, if the newest one is the first of another stage."""
    before = next((stage_of(each, stages) for each in history.attempts[1:2]), None)
    is_next = before is not None and stages.index(before) + 1 == stages.index(current)
    return before if is_next else None


def stage_of(attempt: Attempt, stages: Sequence[Stage]) -> Stage | None:
    """Return the trained stage; None if none matches.

    By the plan; if unknown, by the number of done sets, if only one stage has that number.
    """
    count = len(attempt.answers)
    if attempt.is_target_known:
        alike = [each for each in stages if each.sets == count and _has_reps(attempt, each)]
        return alike[0] if alike else None
    alike = [each for each in stages if each.sets == count]
    return alike[0] if len(alike) == 1 else None


def _incomplete_stage(attempts: Sequence[Attempt], stages: Sequence[Stage]) -> Stage | None:
    """Return the stage with the newest attempt as its first sets, if the programme was running.

    It was running if one more attempt had the repetitions of a stage.
    """
    last, *older = attempts
    is_running = any(
        attempt.is_target_known and any(_has_reps(attempt, each) for each in stages)
        for attempt in older
    )
    if not last.is_target_known or not is_running:
        return None
    alike = [each for each in stages if each.sets > len(last.answers) and _has_reps(last, each)]
    return min(alike, key=lambda each: each.sets, default=None)


def _has_reps(attempt: Attempt, stage: Stage) -> bool:
    return {answer.planned_reps_low for answer in attempt.done} == {stage.reps}


def _pad_sets(attempt: Attempt, count: int) -> Attempt:
    """Return the attempt with `count` places for sets."""
    left_out = (None,) * (count - len(attempt.answers))
    return replace(attempt, answers=(*attempt.answers, *left_out))


def _start_stages(history: BlockHistory, first: Stage, ladder: Ladder) -> BlockDecision:
    """Return the first stage with the last load, or less if that looks too heavy."""
    last = history.last
    goals = (first.reps,) * first.sets
    load = load_to_repeat(last, ladder)
    if ladder.is_whole_load and not may_manage(last, load, first.reps, needs_proof=True):
        shown = max(
            middle_and_upper(answer.load, answer.reps or 0, answer.rpe)[0]
            for answer in last.done
            if answer.load is not None
        )
        load = min(load, ladder.within_cap(epley_load(shown, first.reps), load))
    what = phrase("stage-start", stage=f"{first}")
    return _of(first, repeat(history, ladder, load, goals, what, "stage_start"))


def _by_last_set(
    history: BlockHistory, only: Stage, ladder: Ladder, *, is_missed: bool
) -> BlockDecision:
    last_set = history.last.answers[-1]
    reached = 0 if last_set is None else last_set.reps or 0
    goals = (only.reps,) * only.sets
    target = GZCLP_T3_AMRAP.value
    what = phrase("stage-last-set", stage=f"{only}", reached=reached, target=target)
    if last_set is None:
        what = phrase("stage-last-set-missing", stage=f"{only}")
    if reached >= GZCLP_T3_AMRAP.value and not is_missed:
        stepped = step_up(history, ladder, what, goals, goals, "amrap_reached", has_open_set=True)
        return _of(only, stepped)
    again = load_to_repeat(history.last, ladder)
    code: ReasonCode = "missed_reps" if is_missed else "amrap_short"
    return _of(only, repeat(history, ladder, again, goals, what, code))


def _of(stage: Stage, decision: BlockDecision) -> BlockDecision:
    return replace(decision, open_places=(stage.sets - 1,) if stage.is_open else ())
