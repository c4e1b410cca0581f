"""Pounds in the file, kilograms in the engine."""

import pytest

from coach_agent.engine.loads.plates import barbell_loads, plate_loads
from coach_agent.profile.equipment import Equipment, PoundEquipment
from tests.coach.builders import (
    CURL,
    exposure,
    gym,
    loads,
    prescribe_slot,
    profile,
    ranged,
    slot,
)

POUND_KG = 0.45359237


def test_pounds_become_kilograms_exactly() -> None:
    athlete = profile(
        equipment={
            "unit": "lb",
            "bar_lb": 45.0,
            "plate_pairs_lb": [45.0, 2.5],
            "dumbbells_lb": [20.0, 22.5],
            "kettlebells_lb": [35.0],
            "machine_step_lb": 15.0,
            "cable_step_lb": 7.5,
        }
    )
    assert athlete.gym.model_dump() == {
        "unit": "lb",
        "lacks": (),
        "bar_kg": 45 * POUND_KG,
        "plate_pairs_kg": (45 * POUND_KG, 2.5 * POUND_KG),
        "dumbbells_kg": (20 * POUND_KG, 22.5 * POUND_KG),
        "kettlebells_kg": (35 * POUND_KG,),
        "machine_step_kg": 15 * POUND_KG,
        "cable_step_kg": 7.5 * POUND_KG,
    }


def test_the_engine_is_given_the_gym_of_the_place_where_the_athlete_is() -> None:
    places = {"gym": {"bar_kg": 20.0}, "hotel": {"unit": "lb", "bar_lb": 35.0}}
    at_the_gym, travelling = (
        profile(places=places, place=place).rules_for([]).equipment for place in places
    )
    assert (at_the_gym.bar_kg, travelling.bar_kg) == (20, 35 * POUND_KG)


def test_a_gym_in_pounds_has_the_plates_of_one_by_default() -> None:
    """Converted defaults in kg would be loads that no such gym has."""
    in_pounds = PoundEquipment()
    for field, value in in_pounds.in_kg().model_dump(exclude={"unit", "lacks"}).items():
        written = getattr(in_pounds, field.replace("_kg", "_lb"))
        pounds = value if isinstance(value, tuple) else (value,)
        expected = written if isinstance(written, tuple) else (written,)
        assert [each / POUND_KG for each in pounds] == pytest.approx(expected)
        assert all(each * 2 == int(each * 2) for each in expected), field


def test_without_a_word_the_gym_is_the_default_one() -> None:
    assert profile().gym == Equipment() == gym().equipment


def test_none_for_an_unknown_key_is_an_error() -> None:
    """A misspelt key with the value "none" was ignored, and the plan had squats."""
    assert profile(equipment={"bar_kg": "none"}).gym.lacks == ("barbell",)
    with pytest.raises(ValueError, match="barbell"):
        profile(equipment={"barbell": "none"})


@pytest.mark.parametrize(
    ("equipment", "times", "expected"),
    [
        pytest.param(None, 2, 25, id="guessed, and lifted twice what it lacks"),
        pytest.param(None, 1, 25, id="guessed, and three sets of a workout agree"),
        pytest.param({"bar_kg": 15.0}, 2, 25, id="of the dumbbells nothing is said"),
        pytest.param({"dumbbells_kg": [20.0, 22.0, 24.0]}, 2, 24, id="the athlete says so"),
    ],
)
def test_what_was_lifted_beats_a_rack_that_was_guessed(
    equipment: dict[str, object] | None, times: int, expected: float
) -> None:
    sets = ranged(3, 22.5, 8, 12)
    curls = slot(CURL, sets, [exposure([(22.5, 12)] * 3, sets, days_ago=d) for d in range(times)])
    athlete = profile() if equipment is None else profile(equipment=equipment)
    decided = prescribe_slot(curls, athlete.rules_for([CURL["exercise_title"]]))
    assert loads(decided) == [expected] * 3


def test_plates_in_pounds_add_up_without_a_rest() -> None:
    """Counted in grams, 45 and 35 + 10 differed by one and were two loads."""
    gym_in_pounds = PoundEquipment().in_kg()
    loads = barbell_loads(gym_in_pounds.bar_kg, gym_in_pounds.plate_pairs_kg).loads_kg
    in_pounds = [load / POUND_KG for load in loads]
    fives = [5 * round(load / 5) for load in in_pounds]
    assert in_pounds == pytest.approx(fives, abs=1e-9)
    assert len(set(fives)) == len(loads)
    assert in_pounds[-1] == pytest.approx(45 + 2 * (4 * 45 + 35 + 25 + 10 + 5 + 2.5))
    quarters = plate_loads((1.25 * POUND_KG, 2.5 * POUND_KG)).loads_kg
    assert [load / POUND_KG for load in quarters] == pytest.approx(
        [1.25, 2.5, 3.75, 5, 6.25, 7.5], abs=1e-9
    )
