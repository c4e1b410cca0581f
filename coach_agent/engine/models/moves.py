"""Moves of a block with a load: one step up, the same again, or less.

The models select the move. Common to all: the last workout is the base, and a load must be
available and plausible.
"""

from collections.abc import Sequence
from dataclasses import replace

from coach_agent.domain.constants.history import LIGHT_BEFORE
from coach_agent.domain.constants.loads import (
    INCREMENT_BARBELL_UPPER,
    JUMP_ONCE_MORE,
    JUMP_PROVED_PCT,
    JUMP_PROVED_REPS,
    JUMP_WIDER_REPS,
    LOAD_TOLERANCE,
)
from coach_agent.domain.constants.progression import (
    DOUBLE_QUICK_REPS,
    EFFORT_LIMIT_WORKOUTS,
    EFFORT_RESERVE,
)
from coach_agent.domain.e1rm import (
    HIGHEST_RPE,
    can_manage,
    effective_reps,
    epley_load,
    epley_max,
)
from coach_agent.engine.history.attempts import Attempt, is_after_break
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.models.block import BlockDecision, BlockHistory, Direction, ReasonCode
from coach_agent.language.messages import decimals, join_words, phrase

_TIMES_BEFORE_WIDE_STEP = 2
# A light week has as many days of one lift.
_LIGHT_DAYS = 2

Goals = tuple[int, ...] | None
"""Repetitions of each set; None where the exercise has none."""


def step_up(
    history: BlockHistory,
    ladder: Ladder,
    what: str,
    goals: Goals,
    held_goals: Goals,
    code: ReasonCode,
    *,
    needs_proof: bool = False,
    has_open_set: bool = False,
    wanted: float | None = None,
) -> BlockDecision:
    """Step up to `goals`, unless something holds the load, for `held_goals`.

    `what` was reached ("All 3 sets reached 5 reps"), `wanted` is a load other than the next step;
    the jump cap applies to it. After a success with less than planned, the plan of that day is the
    limit. A load far above all before is done twice. A step that looks too big waits for more
    repetitions, in an open set or as a goal, and so does one above the jump cap because the loads
    are far apart. Without repetitions the load is done twice before a step above `jump.proved_pct`.
    """
    last = history.last
    if stay := history.reason_to_stay(held_goals):
        return repeat(history, ladder, load_to_repeat(last, ladder), held_goals, stay[0], stay[1])
    if soon := history.too_soon():
        return repeat(history, ladder, last.load, held_goals, soon[0], soon[1])
    if short := history.too_short(held_goals):
        what = phrase("what-and", what=what, reason=short[0])
        return repeat(history, ladder, last.load, held_goals, what, short[1])
    if (before := _load_far_below(history, ladder)) is not None:
        what = phrase("what-at", what=what, load=ladder.text(last.load))
        what = phrase("what-far-above", what=what, load=ladder.text(before))
        return repeat(history, ladder, last.load, held_goals, what, code, "far_above")
    is_far = wanted is None and history.has_plenty and ladder.is_whole_load
    if is_far:
        wanted = last.load + 2 * ladder.increment_kg
    is_proved = is_far and goals is not None and proves_a_jump(last, min(goals))
    stepped = (
        ladder.up(last.load, is_small=history.is_near_limit)
        if wanted is None
        else ladder.within_cap(wanted, last.load, is_proved=is_proved)
    )
    if is_far and stepped is not None and stepped <= last.load:
        stepped = ladder.up(last.load)
    if stepped is None or stepped <= last.load:
        what = phrase("what-nothing-heavier", what=what)
        codes = [code, "no_heavier_load"]
        is_top = ladder.loads.next_above(last.load) is None
        if not is_top or goals is None or held_goals is None or has_open_set:
            return repeat(history, ladder, last.load, held_goals, what, *codes)
        return _beyond_the_rack(history, ladder, held_goals, what, *codes)
    codes = [code]
    what = phrase("what-at", what=what, load=ladder.text(last.load))
    if is_far:
        spare = decimals(f"{history.reserve:g}")
        what = phrase("what-in-reserve", what=what, reserve=spare)
    if last.is_at_limit and history.is_managed_again:
        what = phrase("what-workouts-in-a-row", what=what, count=EFFORT_LIMIT_WORKOUTS.value)
    if history.was_never_raised:
        what = phrase("what-never-raised", what=what, workouts=len(history.attempts))
    if last.is_lighter_than_planned and last.planned_load is not None:
        stepped = min(stepped, ladder.existing(last.planned_load))
        codes.append("lighter_than_planned")
        what = phrase("what-instead-of", what=what, load=ladder.text(last.planned_load))
        if stepped <= last.load:
            return repeat(history, ladder, last.load, held_goals, what, *codes)
    is_wide = (wanted is None or is_far) and ladder.is_wide_step(last.load, stepped)
    if goals is None:
        is_far_apart = stepped > last.load * (1 + JUMP_PROVED_PCT.value / 100)
        if is_wide and is_far_apart and history.exposures_at_load < _TIMES_BEFORE_WIDE_STEP:
            what = phrase("what-once-more", what=what, load=ladder.text(stepped))
            return repeat(history, ladder, last.load, goals, what, *codes, "step_infeasible")
    elif not _looks_possible(history, ladder, stepped, min(goals), needs_proof=needs_proof) or (
        is_wide
        and not (needs_proof or has_open_set)
        and not _was_reached(history.attempts[1:], stepped, min(goals))
        and not bridges(last, ladder, stepped, min(goals), max(held_goals or goals))
    ):
        step_text = ladder.text(stepped)
        what = (
            phrase("what-too-few-for", what=what, load=step_text)
            if needs_proof
            else phrase("what-too-big", what=what, load=step_text)
        )
        codes.append("step_infeasible")
        if needs_proof or has_open_set or held_goals is None:
            return repeat(history, ladder, last.load, held_goals, what, *codes)
        return _wider(history, ladder, held_goals, what, *codes)
    reason = phrase("reason-next-step", what=what, load=ladder.text(stepped))
    if (before := _load_before_light(history.attempts, ladder)) is not None and stepped < before:
        codes.append("light_before")
        reason += f" {phrase('reason-light-before', load=ladder.text(before))}"
    return BlockDecision(
        direction="up",
        codes=history.codes(*codes),
        reason=reason,
        load=stepped,
        reps=goals,
    )


def _load_far_below(history: BlockHistory, ladder: Ladder) -> float | None:
    """Return the heaviest load before the newest attempt, if that is far above it, by more than two
    steps, was not planned and not rated as easy; otherwise None.
    """
    last, older = history.last, history.attempts[1:]
    if not older or last.planned_load is not None or history.has_plenty:
        return None
    heaviest = max(each.load for each in older)
    if not ladder.is_whole_load or last.load < JUMP_ONCE_MORE.value * heaviest:
        return None
    step = ladder.loads.next_above(heaviest) or heaviest
    return heaviest if last.load > (ladder.loads.next_above(step) or step) else None


def _load_before_light(attempts: Sequence[Attempt], ladder: Ladder) -> float | None:
    """Return the load lately, if the newest attempt was much lighter with no more repetitions.

    None if the newest load was planned, or follows a break or a miss: then it has a reason.
    """
    last, lately = attempts[0], attempts[1 : 1 + _LIGHT_DAYS]
    if not lately or is_after_break(last, lately[-1:]) or last.planned_load is not None:
        return None
    before = max(lately, key=lambda each: each.load)
    fewest = min(answer.reps or 0 for answer in before.done)
    is_light = ladder.moved(last.load) < LIGHT_BEFORE.value * ladder.moved(before.load)
    is_easier = max(answer.reps or 0 for answer in last.done) <= fewest
    return before.load if is_light and is_easier and before.is_complete else None


def repeat(
    history: BlockHistory,
    ladder: Ladder,
    wanted: float,
    goals: Goals,
    what: str,
    *codes: ReasonCode,
    then: str = "",
    message: str = "reason-repeat",
) -> BlockDecision:
    """Repeat `wanted`, or the next available load down; `message` has the reason."""
    load = ladder.existing(wanted)
    shown = _name_load(load, wanted, history, ladder)
    reason = phrase(message, what=what, load=shown, then=then)
    if load < wanted - LOAD_TOLERANCE.value:
        codes = (*codes, "load_unavailable")
        reason += f" {phrase('reason-no-such-load', load=ladder.text(wanted))}"
    is_less = load < history.last.load - LOAD_TOLERANCE.value
    direction: Direction = "down" if is_less else "same"
    return BlockDecision(direction, history.codes(*codes), reason, load=load, reps=goals)


def _name_load(load: float, wanted: float, history: BlockHistory, ladder: Ladder) -> str:
    """Name a load to repeat; one below the last load is named as the plan of that day."""
    tolerance = LOAD_TOLERANCE.value
    is_planned = abs(load - wanted) <= tolerance < history.last.load - wanted
    text = ladder.text(load)
    return phrase("load-planned", load=text) if is_planned else text


def go_down(
    history: BlockHistory,
    ladder: Ladder,
    reduced: float | None,
    goals: Goals,
    what: str,
    *codes: ReasonCode,
) -> BlockDecision:
    """Return the reduced load, or the planned one if that is less: the athlete tried more than
    planned.
    """
    base = load_to_repeat(history.last, ladder)
    if reduced is None:
        return _build_up(history, ladder, base, goals, what, *codes)
    load = min(reduced, ladder.existing(base))
    change = ladder.change_text(load, is_up=False)
    reason = phrase("reason-down", what=what, change=change)
    return BlockDecision("down", history.codes(*codes), reason, load=load, reps=goals)


def reduced_load(load: float, factor: float, ladder: Ladder) -> float | None:
    """Return this share of the load or the next available one down; None without one."""
    reduced = ladder.reduced(load, factor, is_needed=True)
    return None if reduced >= load else reduced


def _build_up(
    history: BlockHistory,
    ladder: Ladder,
    base: float,
    goals: Goals,
    what: str,
    *codes: ReasonCode,
) -> BlockDecision:
    """Keep the lightest load with the done repetitions and one more, up to the target.

    A lift that is missed with the lightest load could otherwise only be repeated for ever.
    """
    what = phrase("what-nothing-lighter", what=what, load=ladder.text(base))
    held = repeat(history, ladder, base, goals, what, *codes, "no_lighter_load")
    if goals is None or ladder.is_assistance:
        return held
    done = [None if answer is None else answer.reps or 1 for answer in history.last.answers]
    fewest = min(each for each in done if each is not None)
    # A stage may have a different number of sets than the one before.
    done += [None] * (len(goals) - len(done))
    now = [min(goal, each or fewest) for goal, each in zip(goals, done, strict=False)]
    short = [
        place for place, (reps, goal) in enumerate(zip(now, goals, strict=True)) if reps < goal
    ]
    if not short:
        return held
    now[short[0]] += 1
    reps = join_words(now) if len(set(now)) > 1 else f"{now[0]}"
    other = f" {phrase('reason-other-way')}" if ladder.has_bar else ""
    return replace(
        held,
        reason=f"{phrase('reason-build-up', what=what, reps=reps)}{other}",
        widened=tuple(now),
    )


def proved_reps(last: Attempt, goals: Sequence[int]) -> tuple[int, ...]:
    """Return the goals, or more for sets of which more was planned and done."""
    planned_and_done = (
        min(answer.reps or 0, answer.planned_reps_high or 0) if answer else 0
        for answer in last.answers
    )
    return tuple(max(pair) for pair in zip(goals, planned_and_done, strict=True))


def _wider(
    history: BlockHistory, ladder: Ladder, goals: tuple[int, ...], what: str, *codes: ReasonCode
) -> BlockDecision:
    """Keep the load, with one repetition above its record, until the step looks possible.

    The other sets keep planned repetitions that were done: a day that made up for a lighter rack
    has proved them. With a stated effort all sets grow, by two while each of them reaches the
    record: at the top of the range they would leave ever more in reserve.

    Source: training-science, feasibility of a step: hold the load and widen the range.
    """
    done = [0 if answer is None else answer.reps or 0 for answer in history.last.answers]
    best = done.index(max(done))
    at_load = history.attempts[: history.exposures_at_load]
    most = max(answer.reps or 0 for attempt in at_load for answer in attempt.done)
    kept = proved_reps(history.last, goals)
    widened = tuple(most + 1 if place == best else reps for place, reps in enumerate(kept))
    then = phrase("then-one-more", sets=history.names.some([best]))
    if history.has_effort and min(done) == most:
        widened = (most + DOUBLE_QUICK_REPS.value,) * len(goals)
        sets = history.names.some(range(len(goals)))
        then = phrase(
            "then-more", more=phrase("more-reps", count=DOUBLE_QUICK_REPS.value, sets=sets)
        )
    elif history.has_effort:
        widened = tuple(max(most, each) for each in widened)
    if ladder.existing(history.last.load) < history.last.load - LOAD_TOLERANCE.value:
        return repeat(history, ladder, history.last.load, goals, what, *codes)
    held = repeat(history, ladder, history.last.load, goals, what, *codes, "add_reps", then=then)
    return replace(held, direction="up", widened=widened)


def _beyond_the_rack(
    history: BlockHistory, ladder: Ladder, goals: tuple[int, ...], what: str, *codes: ReasonCode
) -> BlockDecision:
    """Keep the heaviest load, with one repetition more on the weakest set, and a way to go on.

    The load could otherwise only be repeated for ever.
    """
    done = [
        goal if answer is None else max(goal, answer.reps or 0)
        for answer, goal in zip(history.last.answers, goals, strict=True)
    ]
    weakest = done.index(min(done))
    then = phrase("then-one-more", sets=history.names.some([weakest]))
    if ladder.existing(history.last.load) < history.last.load - LOAD_TOLERANCE.value:
        return repeat(history, ladder, history.last.load, goals, what, *codes)
    held = repeat(history, ladder, history.last.load, goals, what, *codes, "add_reps", then=then)
    done[weakest] += 1
    note = phrase("note-nothing-heavier")
    return replace(held, direction="up", widened=tuple(done), note=note)


def load_to_repeat(attempt: Attempt, ladder: Ladder) -> float:
    """Return the load to repeat after a failure: the plan of that day, or less if less was done."""
    planned = attempt.planned_load
    if planned is None or planned >= attempt.load or ladder.loads.floor(planned) is None:
        return attempt.load
    return planned


def bridges(last: Attempt, ladder: Ladder, next_load: float, low: int, top: int) -> bool:
    """Return whether a set reached enough repetitions for a step above the jump cap.

    Its estimated maximum must allow `low` repetitions with the next load, but for the jump cap, or
    half of it if a range is there to make room for the step. `jump.wider_reps` beyond the target
    are always enough. Loads are totals, with the body.
    """
    room = 1 + ladder.jump_pct / (200 if top > low else 100)
    next_moved = ladder.moved(next_load)
    for answer in last.done:
        reps = answer.reps or 0
        shown = epley_max(ladder.moved(answer.load or 0.0), effective_reps(reps, answer.rpe))
        if (
            reps >= top + JUMP_WIDER_REPS.value
            or next_moved <= epley_load(shown, low) * room + 1e-9
        ):
            return True
    return False


def _looks_possible(
    history: BlockHistory, ladder: Ladder, next_load: float, next_reps: int, *, needs_proof: bool
) -> bool:
    """Return whether the last attempt leaves room for the step, or it was done before.

    After a failure with that load the upper end of a band is not sufficient: the estimate of a set
    must be. Without a load of its own an exercise has no estimate, so any step looks possible. So
    does the smallest of a bar.
    """
    if not ladder.is_whole_load:
        return True
    last = history.last
    was_reached = _was_reached(history.attempts[1:], next_load, next_reps)
    if was_reached:
        return True
    is_new = was_reached is None and not needs_proof
    if is_new and not history.is_near_limit and _is_small(last, ladder, next_load, next_reps):
        return True
    if needs_proof or was_reached is None:
        return may_manage(last, next_load, next_reps, needs_proof=needs_proof)
    return any(
        can_manage(answer.load, answer.reps, answer.rpe, next_load, next_reps, needs_proof=True)
        for answer in last.done
        if answer.load is not None and answer.reps is not None
    )


def _is_small(last: Attempt, ladder: Ladder, next_load: float, next_reps: int) -> bool:
    """Return whether the smallest step of a bar follows sets that all reached the repetitions.

    A bar is light for a short time only, and its estimate then off by more than such a step, up to
    `jump.proved_pct`.
    """
    most = min(INCREMENT_BARBELL_UPPER.value, last.load * JUMP_PROVED_PCT.value / 100)
    return (
        ladder.has_bar
        and next_load - last.load <= most + 1e-9
        and last.is_complete
        and all((answer.reps or 0) >= next_reps for answer in last.done)
    )


def _was_reached(older: Sequence[Attempt], load: float, reps: int) -> bool | None:
    """Return whether all sets had the repetitions in the last attempt with the load; None:
    never.
    """
    for attempt in older:
        if abs(attempt.load - load) <= LOAD_TOLERANCE.value:
            is_hit = all((answer.reps or 0) >= reps for answer in attempt.done)
            return is_hit and attempt.is_complete
    return None


def proves_a_jump(last: Attempt, target: int) -> bool:
    """Return whether all sets were far beyond the target, with plenty in reserve."""
    return all(
        answer.reps is not None
        and answer.rpe is not None
        and answer.reps >= target + JUMP_PROVED_REPS.value
        and HIGHEST_RPE - answer.rpe >= EFFORT_RESERVE.value
        for answer in last.answers
        if answer is not None
    )


def may_manage(last: Attempt, next_load: float, next_reps: int, *, needs_proof: bool) -> bool:
    """Return whether the best set leaves room for the next load, or with proof, each one."""
    checks = (
        can_manage(
            answer.load, answer.reps, answer.rpe, next_load, next_reps, needs_proof=needs_proof
        )
        for answer in last.done
        if answer.load is not None and answer.reps is not None
    )
    return all(checks) if needs_proof else any(checks)
