"""Simulate a session of the demo athlete from a plan, loads and the form of the day.

Repetitions to failure follow Epley's formula, 1RM = load x (1 + reps / 30). The fatigue per set and
slot is chosen so that straight sets lose about a rep each or less.
"""

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hevy_connector.simulator.api.bodies import WorkoutExerciseBody, WorkoutSetBody
from hevy_connector.simulator.api.body_values import ALLOWED_RPE
from hevy_connector.simulator.athletes.programme import (
    LIFTS,
    Ladder,
    Lift,
    RoutinePlan,
    SetPlan,
    Slot,
)

Levels = Mapping[tuple[str, int], float]
"""The kilograms or seconds in use, by routine title and index of the slot in it."""

_GROWTH_WEEKS = 16
"""Weeks until 63 % of the gain of endless training."""
_LONG_REST_SECONDS = 150
_REMARKS = (
    "Felt heavy today.",
    "Grip gave out on the last set.",
    "Left knee a bit stiff, warmed up longer.",
    "Machine was taken, started five minutes late.",
    "Smooth, could go up next time.",
)


@dataclass(frozen=True)
class Session:
    """The sets of one session, and the levels for the next one."""

    exercises: list[WorkoutExerciseBody]
    levels: Levels
    remark: str | None


@dataclass(frozen=True)
class _Performed:
    """A set, its plan, and the reps in reserve (of a hold, in units of 5 s)."""

    plan: SetPlan
    body: WorkoutSetBody
    reserve: float


def starting_levels(programme: Iterable[RoutinePlan]) -> Levels:
    """Return the levels of the first day: all sets are possible with a little in reserve."""
    return {
        (plan.title, index): level
        for plan in programme
        for index, slot in enumerate(plan.slots)
        if (level := _starting_level(slot, index)) is not None
    }


def level_of(lift: Lift, level: float, plan: SetPlan) -> float:
    """Return the available load (or hold) for a set of a slot at `level`."""
    return level if lift.ladder is None else lift.ladder.floor(level * plan.load_share)


def train(plan: RoutinePlan, levels: Levels, week: float, rng: random.Random) -> Session:
    """Simulate one session, `week` weeks after the first."""
    form = 1 + rng.gauss(0, 0.018)
    skipped = _skipped_slot(plan.slots, rng)
    exercises, next_levels = [], dict(levels)
    for index, slot in enumerate(plan.slots):
        if index == skipped:
            continue
        lift = LIFTS[slot.template_id]
        level = levels.get((plan.title, index), lift.body_kg)
        strength = _strength(lift, week) * form * (1 + rng.gauss(0, 0.008)) * _freshness(index)
        performed = _train_slot(slot, lift, level, strength, rng)
        if lift.ladder is not None:
            step_on = _next_hold if lift.measure == "time" else _next_load
            next_levels[plan.title, index] = step_on(lift.ladder, level, performed)
        exercises.append(
            WorkoutExerciseBody(
                exercise_template_id=slot.template_id,
                superset_id=slot.superset_id,
                notes=rng.choice(_REMARKS) if rng.random() < 0.04 else None,
                sets=[done.body for done in performed],
            )
        )
    return Session(exercises, next_levels, "Slept badly." if form < 0.978 else None)


def _strength(lift: Lift, week: float) -> float:
    return lift.best * (1 + lift.gain * (1 - math.exp(-week / _GROWTH_WEEKS)))


def _freshness(slot_index: int) -> float:
    return 1 - 0.006 * slot_index


def _fatigue_per_set(slot: Slot) -> float:
    return 0.01 if slot.rest_seconds >= _LONG_REST_SECONDS else 0.016


def _reps_to_failure(strength: float, load: float) -> float:
    return 30 * (strength / load - 1)


def _starting_level(slot: Slot, index: int) -> float | None:
    lift = LIFTS[slot.template_id]
    if lift.ladder is None:
        return None
    if lift.measure == "time":
        return lift.ladder.floor(0.7 * lift.best)
    working = [plan for plan in slot.sets if plan.type == "normal"]
    strength = lift.best * _freshness(index) * (1 - _fatigue_per_set(slot) * (len(working) - 1))
    least, most = working[0].least_reps or 1, working[0].most_reps or 1
    return lift.ladder.floor(strength / (1 + ((least + most) / 2 + 1.5) / 30))


def _skipped_slot(slots: Sequence[Slot], rng: random.Random) -> int | None:
    """Draw a skipped slot, for lack of time: never the first, never half a superset."""
    candidates = [i for i, slot in enumerate(slots) if i > 0 and slot.superset_id is None]
    return rng.choice(candidates) if rng.random() < 0.12 else None


def _train_slot(
    slot: Slot, lift: Lift, level: float, strength: float, rng: random.Random
) -> list[_Performed]:
    plans = list(slot.sets)
    if rng.random() < 0.04:
        plans.append(SetPlan())
    rpe_share = 0.6 if slot.rest_seconds >= _LONG_REST_SECONDS else 0.15
    performed: list[_Performed] = []
    left = strength
    for plan in plans:
        if lift.measure == "time":
            performed.append(_hold(plan, level, left))
        else:
            performed.append(_lift(plan, lift, level, left, rng, rpe_share))
        if plan.type != "warmup":
            left -= strength * _fatigue_per_set(slot)
    return performed


def _hold(plan: SetPlan, level: float, strength: float) -> _Performed:
    seconds = min(int(level), int(strength))
    body = WorkoutSetBody(type=plan.type, duration_seconds=seconds)
    return _Performed(plan, body, (strength - seconds) / 5)


def _lift(
    plan: SetPlan, lift: Lift, level: float, strength: float, rng: random.Random, rpe_share: float
) -> _Performed:
    load = level_of(lift, level, plan)
    possible = _reps_to_failure(strength, load)
    reps = (plan.reps or 0) if plan.type == "warmup" else _reps_done(plan, int(possible), rng)
    reserve = 0.0 if reps >= int(possible) else possible - reps
    least = plan.least_reps
    is_missed = least is not None and reps < least
    is_given_up = is_missed and plan.type == "normal" and rng.random() < 0.5
    has_rpe = plan.type != "warmup" and rng.random() < rpe_share
    body = WorkoutSetBody(
        type="failure" if is_given_up else plan.type,
        weight_kg=load if lift.measure == "load" else None,
        reps=reps,
        rpe=_rate_set(reserve, rng) if has_rpe else None,
    )
    return _Performed(plan, body, reserve)


def _reps_done(plan: SetPlan, possible: int, rng: random.Random) -> int:
    """Return the reps done: one stays in reserve if the target allows it; extra reps are rare."""
    if plan.type == "failure":
        return max(possible, 1)
    reps = max(possible - 1, min(plan.least_reps or 1, possible), 1)
    if plan.most_reps is None or reps <= plan.most_reps:
        return reps
    has_plenty = possible >= plan.most_reps + 3
    return plan.most_reps + (1 if has_plenty and rng.random() < 0.15 else 0)


def _rate_set(reserve: float, rng: random.Random) -> float | None:
    """Return the allowed RPE nearest to the felt effort; None for easy sets."""
    felt = 10 - max(0.0, reserve + rng.gauss(0, 0.4))
    return min(ALLOWED_RPE, key=lambda rpe: abs(rpe - felt)) if felt >= 6 else None


def _next_hold(ladder: Ladder, level: float, performed: Sequence[_Performed]) -> float:
    return level + ladder.step if all(done.reserve >= 2 for done in performed) else level


def _next_load(ladder: Ladder, level: float, performed: Sequence[_Performed]) -> float:
    """Return one step up if all targets were met and it is feasible; down after a flop."""
    targeted = [done for done in performed if done.plan.type == "normal" and done.plan.least_reps]
    missing = sum(max(0, (done.plan.least_reps or 0) - (done.body.reps or 0)) for done in targeted)
    if missing >= 3:
        return max(level - ladder.step, ladder.lowest)
    last = targeted[-1]
    least = last.plan.least_reps or 0
    felt_strength = level * (1 + ((last.body.reps or 0) + last.reserve) / 30)
    is_feasible = _reps_to_failure(felt_strength, level + ladder.step) >= least + 0.5
    return level + ladder.step if is_feasible and all(map(_is_at_top, targeted)) else level


def _is_at_top(done: _Performed) -> bool:
    least, most = done.plan.least_reps or 0, done.plan.most_reps
    return (done.body.reps or 0) >= (most if most is not None else least + 2)
