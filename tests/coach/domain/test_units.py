"""Texts for an athlete use the gym's unit, independent of the data's unit."""

import pytest

from coach_agent.domain.plan import Plan
from coach_agent.domain.units import KILOGRAMS_PER_POUND, Unit, load_text
from coach_agent.engine.engine import build_input, prescribe
from coach_agent.engine.explain.insight import workout_insight
from coach_agent.profile.equipment import PoundEquipment
from coach_agent.profile.model import Rules
from tests.coach.builders import BENCH, exposure, fixed, profile, routine, slot

POUNDS = {"unit": "lb"}


def pounds(amount: float) -> float:
    """As Hevy keeps them: kilograms with two decimals."""
    return round(amount * KILOGRAMS_PER_POUND, 2)


@pytest.mark.parametrize(
    ("load_kg", "unit", "told"),
    [
        (62.5, "kg", "62.5 kg"),
        (61.2349, "kg", "61.23 kg"),
        (135 * KILOGRAMS_PER_POUND, "lb", "135 lb"),
        (61.23, "lb", "135 lb"),
        (61.2, "lb", "135 lb"),
        (pounds(2.5), "lb", "2.5 lb"),
        (pounds(46.25), "lb", "46.25 lb"),
        (20, "lb", "44 lb"),
        (453.59, "lb", "1000 lb"),
    ],
)
def test_loads_are_told_as_the_gym_marks_them(load_kg: float, unit: Unit, told: str) -> None:
    assert load_text(load_kg, unit) == told


def planned_in_pounds(reps: int) -> Plan:
    sets = fixed(3, pounds(135), 5)
    done = [(pounds(135), reps)] * 3
    context = routine(slot(BENCH, sets, [exposure(done, sets)]))
    return prescribe(build_input("one", context, Rules(equipment=PoundEquipment().in_kg())))


def test_reasons_of_a_pound_gym_are_in_pounds_and_its_numbers_in_kilograms() -> None:
    plan = planned_in_pounds(5)
    assert plan.load_unit == "lb"
    (prescribed,) = plan.slots
    assert prescribed.reason == "All 3 sets reached 5 reps at 135 lb: next step 140 lb."
    assert prescribed.sets[0].weight_kg == pytest.approx(140 * KILOGRAMS_PER_POUND)
    assert planned_in_pounds(4).slots[0].reason.endswith("repeat 135 lb.")


def test_what_a_workout_showed_is_told_in_pounds() -> None:
    sets = fixed(1, pounds(135), 5)
    days = [
        exposure([(pounds(135 + 5 * newer), 5)], sets, days_ago=8 - 7 * newer) for newer in (1, 0)
    ]
    told = workout_insight([slot(BENCH, sets, days)], days[0].workout_id, "lb")
    assert told is not None
    assert "from 135 lb × 5 to 140 lb × 5" in told.insight


def test_rules_of_an_exercise_may_be_in_pounds() -> None:
    rule = {"increment_lb": 5.0, "bar_lb": 35.0, "model": "training_max", "training_max_lb": 205.0}
    athlete = profile(equipment=POUNDS, exercises={"Bench Press (Barbell)": rule})
    found = athlete.rules_for(["Bench Press (Barbell)"]).for_exercise("Bench Press (Barbell)")
    assert found.increment_kg == 5 * KILOGRAMS_PER_POUND
    assert found.bar_kg == 35 * KILOGRAMS_PER_POUND
    assert found.training_max_kg == 205 * KILOGRAMS_PER_POUND
    assert (found.increment_lb, found.bar_lb, found.training_max_lb) == (None, None, None)
