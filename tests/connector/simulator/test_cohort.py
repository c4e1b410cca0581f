"""Drawn lifters are reproducible, plausible and different from each other."""

from collections import Counter
from dataclasses import replace

import pytest

from hevy_connector.simulator.athletes.cohort import cohort, draw_lifter, equipment_of
from hevy_connector.simulator.athletes.gyms import COARSE_GYM, Gym
from hevy_connector.simulator.athletes.habits import Habits, Target
from hevy_connector.simulator.athletes.trainee import Trainee
from tests.connector.simulator.test_habits import Planned

LIFTERS = cohort(1, 60, 24)


def test_the_same_seed_gives_the_same_lifters() -> None:
    assert cohort(1, 3, 24) == cohort(1, 3, 24)
    assert cohort(1, 3, 24) != cohort(2, 3, 24)


def test_more_lifters_or_weeks_leave_the_first_ones_as_they_are() -> None:
    few, many = cohort(3, 2, 8), cohort(3, 5, 30)
    for one, other in zip(few, many, strict=False):
        assert one == replace(other, days=other.days[: len(one.days)])


def test_lifters_are_of_all_levels_and_most_log_no_rpe() -> None:
    levels = Counter(each.level for each in LIFTERS)
    assert set(levels) == {"beginner", "intermediate", "advanced"}
    assert sum(each.habits.rated_share == 0 for each in LIFTERS) >= 45


def test_beginners_have_most_to_gain() -> None:
    shares = {
        level: [
            lift.start_kg / lift.ceiling_kg
            for each in LIFTERS
            if each.level == level
            for lift in each.lifts.values()
        ]
        for level in ("beginner", "intermediate", "advanced")
    }
    assert max(shares["beginner"]) <= 0.75 < min(shares["advanced"])
    assert 0.75 <= min(shares["intermediate"]) <= max(shares["intermediate"]) <= 0.88


def test_the_first_loads_exist_and_mostly_leave_something_in_reserve() -> None:
    reserves = []
    for lifter in LIFTERS:
        trainee = Trainee(lifter)
        for slot in (slot for each in lifter.routines for slot in each.slots):
            assert slot.load_kg in lifter.loads(slot.template_id)
            reserves.append(trainee.reserve(slot.template_id, slot.load_kg, slot.low))
    assert sum(each >= 1 for each in reserves) > 0.8 * len(reserves)


def test_some_sessions_are_missed_and_no_day_comes_twice() -> None:
    for lifter in LIFTERS:
        days = [each.day for each in lifter.days]
        assert days == sorted(set(days))
        assert days[0] == 0
        assert days[-1] < 24 * 7
    assert len({len(each.days) for each in LIFTERS}) > 10


@pytest.mark.parametrize(("noise", "part"), [("low", 1.55), ("median", 3.11), ("high", 4.74)])
def test_a_noise_is_the_bodys_part_of_a_measured_quantile(noise: str, part: float) -> None:
    """The single exercise has 40 % of the variance, the rest is the day's."""
    found = draw_lifter(1, 0, 4, noise)  # type: ignore[arg-type]
    assert found.lift_noise == pytest.approx(0.6 * part / 100 * 0.4**0.5)


def test_a_coarse_gym_has_steps_of_ten_kilograms() -> None:
    for equipment in ("barbell", "dumbbell", "machine"):
        loads = COARSE_GYM.loads[equipment]
        assert all(load % 10 == 0 for load in loads)
    assert Gym().floor("barbell", 61.3) == 60
    assert Gym().floor("dumbbell", 0.5) == 1
    assert equipment_of("D04AC939") == "barbell"


def one_lifter(**habits: object) -> tuple[Trainee, list[tuple[str, list[Target]]]]:
    lifter = replace(LIFTERS[0], habits=replace(Habits(), **habits))  # type: ignore[arg-type]
    slots = lifter.routines[0].slots
    plan = [
        (each.template_id, [Planned(each.load_kg, each.low, each.high, each.low)] * each.sets)
        for each in slots
    ]
    return Trainee(lifter), plan  # type: ignore[return-value]


def test_the_same_plans_lead_to_the_same_log() -> None:
    logs = []
    for _ in range(2):
        trainee, plan = one_lifter(rated_share=0.5)
        logs.append([trainee.train(day, plan) for day in trainee.lifter.days[:5]])
    assert logs[0] == logs[1]


def test_a_short_day_ends_before_the_last_exercise() -> None:
    trainee, plan = one_lifter()
    done = trainee.train(replace(trainee.lifter.days[0], is_short=True), plan)
    assert [bool(sets) for sets in done] == [True, True, True, False]


def test_a_hurt_muscle_is_not_trained() -> None:
    trainee, plan = one_lifter()
    muscle = trainee.lifter.lifts[plan[0][0]].muscle
    done = trainee.train(replace(trainee.lifter.days[0], accident=muscle), plan)
    hurt = [trainee.lifter.lifts[name].muscle == muscle for name, _ in plan]
    assert [not sets for sets in done] == hurt


def test_a_zero_too_many_is_logged_and_not_lifted() -> None:
    trainee, plan = one_lifter(tenfold_exposure=0)
    done = trainee.train(trainee.lifter.days[0], plan)
    assert done[0][0].load_kg == 10 * plan[0][1][0].load_kg
    assert trainee.injuries == 0
