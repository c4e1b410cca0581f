"""A simulated lifter follows a block from its first week to its end, night by night."""

from dataclasses import dataclass, field

from coach_agent.domain.block import (
    BlockCalendar,
    BlockDay,
    BlockExercise,
    FollowedProgramme,
    Phase,
)
from coach_agent.domain.plan import Plan
from coach_agent.evaluation.diary import FIRST_DAY, Diary
from coach_agent.evaluation.planned_workouts import SlotPlan, Workout, target_of
from coach_agent.planning.decide import decide
from hevy_connector.simulator.athletes.cohort import draw_lifter
from orchestration.services.simulations.simulation import simulate

PHASES: tuple[Phase, ...] = ("accumulate", "accumulate", "accumulate", "intensify", "deload")
ADDED = (0, 0, 0, 1, -1)
RESERVE = (3.0, 2.0, 2.0, 1.0, None)


@dataclass
class Follower:
    """The coach for a lifter who follows a block of five weeks; `plans` are those so far."""

    plans: list[Plan] = field(default_factory=list)

    def plan(self, diary: Diary, day: int) -> Workout:
        situation = diary.situation(day)
        days = tuple(
            BlockDay(
                title=routine.title,
                routine_id=routine.routine_id,
                exercises=tuple(
                    BlockExercise(
                        exercise_title=slot.exercise_title,
                        occurrence=slot.occurrence,
                        base=len(slot.planned_sets),
                        sets=tuple(max(1, len(slot.planned_sets) + more) for more in ADDED),
                        reserve=RESERVE,
                    )
                    for slot in routine.slots
                ),
            )
            for routine in situation.routines
        )
        calendar = BlockCalendar(title="Block", phases=PHASES, cycle_from=None, days=days)
        programme = FollowedProgramme(
            programme_id="prog_1", name="block", start=FIRST_DAY, calendar=calendar
        )
        found = decide(situation.model_copy(update={"programme": programme}), diary.profile)
        assert found is not None
        self.plans.append(found.plan)
        place = [each.routine_id for each in diary.routines].index(found.plan.routine_id)
        slots = (
            SlotPlan(
                targets=tuple(map(target_of, slot.sets)),
                whole=tuple(map(target_of, slot.structure)),
                is_easy=slot.is_easy,
            )
            for slot in found.plan.slots
        )
        return Workout(place, tuple(slots), found.plan.deload)


def test_a_lifter_goes_through_a_block_to_its_end() -> None:
    """`decide` raises where a guardrail is broken."""
    coach = Follower()
    simulate(draw_lifter(1, 3, 8), coach.plan)
    weeks = [0 if plan.block is None else plan.block.week for plan in coach.plans]
    assert list(dict.fromkeys(weeks)) == [1, 2, 3, 4, 5, 0]
    in_week = {
        week: [plan for plan, its in zip(coach.plans, weeks, strict=True) if its == week]
        for week in set(weeks)
    }
    assert all(plan.deload == "block" for plan in in_week[5])
    assert {plan.deload for week in (1, 2, 3, 4, 0) for plan in in_week[week]} == {None}
    for plan in in_week[5]:
        for slot in plan.slots:
            assert len(slot.sets) <= -(-len(slot.structure) // 2)
    grown = [len(slot.sets) - len(slot.structure) for plan in in_week[4] for slot in plan.slots]
    assert set(grown) == {0, 1}
    over = [each.rule for plan in in_week[0] for each in plan.advice if each.rule == "block_over"]
    assert over
    first, later = (
        coach.plans[0],
        next(plan for plan in in_week[0] if plan.routine_id == coach.plans[0].routine_id),
    )
    for before, after in zip(first.slots, later.slots, strict=True):
        assert (after.sets[0].weight_kg or 0) >= 0.9 * (before.sets[0].weight_kg or 0)
