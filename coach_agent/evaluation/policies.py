"""Policies that plan the next workout from the log so far, without access to the true state."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product, takewhile
from math import ceil

from coach_agent.domain.constants.progression import LINEAR_FAIL_LIMIT, LINEAR_RESET_FACTOR
from coach_agent.domain.constants.recovery import DELOAD_LOAD_FACTOR, DELOAD_SETS_FACTOR
from coach_agent.domain.context import SlotContext
from coach_agent.domain.plan import Plan
from coach_agent.engine.loads.ladder import Ladder, ladder_for
from coach_agent.evaluation.diary import Diary
from coach_agent.evaluation.planned_workouts import Record, SlotPlan, Target, Workout, target_of
from coach_agent.planning.decide import decide
from coach_agent.planning.guardrails import violations
from coach_agent.profile.model import Rules

Policy = Callable[[Diary, int], Workout]
"""The plan for a day, in days after the first one."""


class IllegalPlanError(Exception):
    """A plan that violates the guardrails reached a lifter."""


def engine(diary: Diary, day: int) -> Workout:
    """Return the coach's decision, guardrails included.

    Raises:
        GuardrailError: the engine broke a limit.
    """
    return workout_of(_decide(diary, day), diary)


def llm_fake(diary: Diary, day: int) -> Workout:
    """Return the engine's plan with random changes: a step more or less in every allowed place.

    Simulates the worst model with valid answers: each change must pass the guardrails, otherwise
    the engine's own number stays. Exercises limited by circumstances are unchanged.
    """
    rng = random.Random(f"model/{day}")  # noqa: S311 - a reproducible model, not a secret
    plan = _decide(diary, day)
    routine = next(
        each for each in diary.situation(day).routines if each.routine_id == plan.routine_id
    )
    for place, slot in enumerate(routine.slots):
        given = plan.slots[place]
        if given.whole_sets or given.adjustments:
            continue
        ladder = _ladder(slot, given.sets[0].weight_kg or 0.0, diary)
        step = rng.choice((ladder.up, ladder.down, lambda load: load))
        sets = tuple(
            each.model_copy(update={"weight_kg": step(each.weight_kg or 0.0) or each.weight_kg})
            for each in given.sets
        )
        changed = given.model_copy(update={"sets": sets})
        slots = (*plan.slots[:place], changed, *plan.slots[place + 1 :])
        proposed = plan.model_copy(update={"slots": slots})
        if not violations(proposed, routine, diary.profile):
            plan = proposed
    return workout_of(plan, diary)


def repeat_last(diary: Diary, day: int) -> Workout:
    """Return the last workout again: its load, and the done repetitions as the goal."""
    place = diary.next_routine
    slots = []
    for at, targets in enumerate(diary.current[place]):
        records = diary.records(place, at)
        again = tuple(targets)
        if records:
            done = records[-1].done
            again = tuple(
                target._replace(
                    load_kg=done[min(index, len(done) - 1)].load_kg,
                    goal=_within(done[min(index, len(done) - 1)].reps, target),
                )
                for index, target in enumerate(targets)
            )
        slots.append(SlotPlan(again, again))
    return Workout(place, tuple(slots))


def random_walk(diary: Diary, day: int) -> Workout:
    """Return a step up, the same or a step down, at random."""
    rng = random.Random(f"walk/{day}")  # noqa: S311 - a reproducible walk, not a secret
    place = diary.next_routine
    slots = []
    for slot, targets in zip(diary.routines[place].slots, diary.current[place], strict=True):
        base = targets[0].load_kg
        ladder = _ladder(slot, base, diary)
        load = rng.choice((ladder.up(base), ladder.down(base), base)) or base
        moved = tuple(each._replace(load_kg=load) for each in targets)
        slots.append(SlotPlan(moved, moved))
    return Workout(place, tuple(slots))


@dataclass(frozen=True)
class FixedPolicy:
    """A fixed programme: its only input is the success of the last targets.

    The goal lies `rep_share` of the way from the low to the high end of the range. Once it was
    reached `exposures_a_step` times with a load, that rises by `steps` existing loads. After
    `misses` misses in a row of the low end it falls to 90 %. The lifter does `more_sets` than the
    routine has. Each `deload_weeks`-th week is a deload, 0: none.
    """

    rep_share: float = 0.0
    steps: int = 1
    exposures_a_step: int = 1
    more_sets: int = 0
    deload_weeks: int = 0
    misses: int = LINEAR_FAIL_LIMIT.value

    def __call__(self, diary: Diary, day: int) -> Workout:
        """Return the plan of the day."""
        place = diary.next_routine
        is_deload = bool(self.deload_weeks) and (day // 7 + 1) % self.deload_weeks == 0
        slots = tuple(
            self._slot(diary, place, at, is_deload) for at in range(len(diary.current[place]))
        )
        return Workout(place, slots, "calendar" if is_deload else None)

    def _slot(self, diary: Diary, place: int, at: int, is_deload: bool) -> SlotPlan:
        slot = diary.routines[place].slots[at]
        first = diary.current[place][at][0]
        goal = first.low + round(self.rep_share * (first.high - first.low))
        records = [each for each in diary.records(place, at) if not each.plan.is_easy]
        load = self._load(records, goal, slot, diary) if records else first.load_kg
        count = max(1, len(slot.planned_sets) + self.more_sets)
        whole = (Target(load, first.low, first.high, goal),) * count
        if not is_deload:
            return SlotPlan(whole, whole)
        ladder = _ladder(slot, load, diary)
        easy = ladder.reset(load, DELOAD_LOAD_FACTOR.value) or load
        fewer = ceil(count * DELOAD_SETS_FACTOR.value)
        return SlotPlan((Target(easy, first.low, first.high, first.low),) * fewer, whole, True)

    def _load(self, records: list[Record], goal: int, slot: SlotContext, diary: Diary) -> float:
        last = records[-1]
        load = min(each.load_kg for each in last.done)
        ladder = _ladder(slot, load, diary)
        same = list(
            takewhile(
                lambda each: abs(each.plan.targets[0].load_kg - last.plan.targets[0].load_kg) < 0.1,
                reversed(records),
            )
        )
        if _reached(last, goal):
            hits = sum(1 for _ in takewhile(lambda each: _reached(each, goal), same))
            if hits < self.exposures_a_step:
                return load
            for _ in range(self.steps):
                load = ladder.loads.next_above(load) or load
            return load
        missed = sum(1 for _ in takewhile(_missed, same))
        if missed >= self.misses:
            return ladder.reset(load, LINEAR_RESET_FACTOR.value) or load
        return last.plan.targets[0].load_kg


linear = FixedPolicy()
"""Classic linear progression: a step up after each success, 90 % after three misses."""


def fixed_policies() -> Iterator[FixedPolicy]:
    """Yield the family that is searched for the best fixed policy of a lifter."""
    paces = ((2, 1), (1, 1), (1, 2), (1, 4))
    for (steps, exposures), share, more, weeks in product(
        paces, (0.0, 0.5, 1.0), (-1, 0, 1), (0, 4, 8)
    ):
        yield FixedPolicy(share, steps, exposures, more, weeks)


POLICIES: dict[str, Policy] = {
    "engine": engine,
    "repeat-last": repeat_last,
    "linear": linear,
    "random": random_walk,
    "llm-fake": llm_fake,
}


def _decide(diary: Diary, day: int) -> Plan:
    decision = decide(diary.situation(day), diary.profile)
    if decision is None:
        raise IllegalPlanError("the coach had no plan for a lifter with routines")
    return decision.plan


def workout_of(plan: Plan, diary: Diary) -> Workout:
    """Return a plan as the workout of a diary's routine."""
    place = next(at for at, each in enumerate(diary.routines) if each.routine_id == plan.routine_id)
    slots = tuple(
        SlotPlan(
            targets=tuple(target_of(each) for each in slot.sets),
            whole=tuple(target_of(each) for each in slot.structure),
            is_easy=slot.is_easy,
            chances=tuple(each.p_success if each else None for each in slot.predictions),
        )
        for slot in plan.slots
    )
    return Workout(place, slots, plan.deload)


def _ladder(slot: SlotContext, load_kg: float, diary: Diary) -> Ladder:
    return ladder_for(slot, Rules(equipment=diary.profile.gym), through_kg=load_kg)


def _within(reps: int, target: Target) -> int:
    return max(target.low, min(reps, target.high))


def _reached(record: Record, goal: int) -> bool:
    is_whole = len(record.done) >= len(record.plan.targets)
    return is_whole and all(each.reps >= goal for each in record.done)


def _missed(record: Record) -> bool:
    return any(each.reps < record.plan.targets[0].low for each in record.done)
