"""Lifters that edit the routine before training: the coach continues from the edit."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from coach_agent.evaluation.closed_loop import Run, run
from coach_agent.evaluation.diary import Diary
from coach_agent.evaluation.planned_workouts import Workout
from coach_agent.evaluation.policies import POLICIES, engine
from hevy_connector.simulator.athletes.cohort import SimulatedLifter, draw_lifter
from hevy_connector.simulator.athletes.editing import Edit, EditKind, Plan
from hevy_connector.simulator.athletes.trainee import Trainee
from hevy_connector.simulator.athletes.training_days import TrainingDay
from orchestration.services.simulations.simulation import diary_of, simulate
from tests.coach.evaluation.lifters import problems, steady

NUMBERS = (0, 15)
"""An advanced lifter and a beginner, who both have something similar to each accessory."""
KINDS: tuple[EditKind, ...] = ("load", "sets", "exercise", "order")
Structure = list[tuple[str, int]]


def editing(number: int, *kinds: EditKind) -> SimulatedLifter:
    """A lifter that edits before every second session, in turn in these ways."""
    lifter = steady(number)
    days = tuple(
        replace(each, edit=kinds[at // 2 % len(kinds)]) if at % 2 else each
        for at, each in enumerate(lifter.days)
    )
    return replace(lifter, days=days)


class Noted(Trainee):
    """A lifter with a record of edits by day."""

    def __init__(self, lifter: SimulatedLifter) -> None:
        super().__init__(lifter)
        self.edits: dict[int, Edit] = {}

    def edit(self, today: TrainingDay, plan: Plan) -> Edit | None:
        found = super().edit(today, plan)
        if found is not None:
            self.edits[today.day] = found
        return found


class Session:
    """A plan of the coach with its exercises, and the lifter's edit of them."""

    def __init__(self, day: int, names: Sequence[str], plan: Workout) -> None:
        self.day, self.names, self.plan = day, names, plan

    @property
    def structure(self) -> Structure:
        counts = (len(slot.whole) for slot in self.plan.slots)
        return list(zip(self.names, counts, strict=True))


def coached(lifter: SimulatedLifter) -> tuple[Run, list[Session], dict[int, Edit]]:
    """The run, the coach's plans and the lifter's edits; a plan against the limits is an error."""
    trainee, sessions = Noted(lifter), []

    def noted(diary: Diary, day: int) -> Workout:
        plan = engine(diary, day)
        slots = diary.routines[plan.routine].slots
        sessions.append(Session(day, [each.exercise_template_id for each in slots], plan))
        return plan

    found = run(trainee, lifter.days, diary_of(lifter), noted)
    return found, sessions, trainee.edits


@pytest.mark.parametrize(
    "number", [NUMBERS[0], *(pytest.param(each, marks=pytest.mark.long) for each in NUMBERS[1:])]
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_next_plan_has_what_the_lifter_made_of_the_routine(number: int, kind: EditKind) -> None:
    """The exercises, their order and their sets, and loads that the limits allow."""
    lifter = editing(number, kind)
    found, sessions, edits = coached(lifter)
    assert list(problems(lifter, found)) == []
    assert found.sessions == len(lifter.days)
    compared = 0
    for routine in range(len(lifter.routines)):
        own = [each for each in sessions if each.plan.routine == routine]
        for before, after in pairwise(own):
            edit = edits.get(before.day)
            if edit is None:
                assert after.structure == before.structure
            elif before.plan.deload is None:
                made = [(each.template_id, len(each.sets)) for each in edit]
                assert after.structure == made
                assert (made == before.structure) is (kind == "load")
                compared += 1
    assert compared >= 5


@pytest.mark.parametrize("number", NUMBERS)
def test_whatever_is_edited_nobody_is_led_beyond_ability(number: int) -> None:
    lifter = editing(number, *KINDS)
    found, _, edits = coached(lifter)
    assert list(problems(lifter, found)) == []
    assert len(edits) >= 15
    own = Counter(each.has_own_load for each in found.sets)
    assert own[True] > 0
    assert own[False] > 5 * own[True]


def test_a_load_far_too_high_that_the_lifter_put_in_is_not_asked_for_again() -> None:
    """10 kg more on a stack: 2 of 10 repetitions. The coach repeated the 40 kg once."""
    found = simulate(draw_lifter(7, 11, 24), POLICIES["engine"], is_judged=False)
    above = [each for each in found.sets if each.excess > 0.15]
    assert {(each.target.load_kg, each.has_own_load) for each in above} == {(40, True)}
    after = next(
        each
        for each in found.sets
        if each.template_id == above[0].template_id and each.day > above[0].day
    )
    assert (after.target.load_kg, after.reps) == (30, 10)


def test_every_policy_meets_the_same_edits() -> None:
    lifter = draw_lifter(1, 15, 24)
    assert {each.edit for each in lifter.days} == {None, *KINDS}
    trained = []
    for name in ("engine", "repeat-last", "linear"):
        found = simulate(lifter, POLICIES[name], is_judged=False)
        trained.append({(each.day, each.template_id) for each in found.sets})
    assert trained[0] == trained[1] == trained[2]


def test_an_exercise_that_was_put_in_gains_from_its_first_day_on() -> None:
    """Its maxima are known from then, and its share of the lifter's gain is its own."""
    lifter = editing(15, "exercise")
    found, _, edits = coached(lifter)
    used = {slot.template_id for each in lifter.routines for slot in each.slots}
    put_in = {each.template_id for edit in edits.values() for each in edit} - used
    assert put_in
    assert set(found.strength) == used | put_in
    for name in put_in:
        days = {each.day for each in found.sets if each.template_id == name}
        assert len(found.strength[name]) == len(days) + 2
