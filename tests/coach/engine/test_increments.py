"""By how much loads grow: the profile's wish, then what was learned, then a prior."""

import pytest

from coach_agent.domain.units import KILOGRAMS_PER_POUND
from coach_agent.engine.loads.increments import (
    is_cable,
    learned_increment_kg,
    prior_increment_kg,
)
from coach_agent.engine.loads.ladder import Ladder, ladder_for
from coach_agent.engine.loads.plates import stepped_loads
from coach_agent.profile.equipment import Equipment
from hevy_connector.exercise_templates import built_in_templates
from tests.coach.builders import (
    BENCH,
    CURL,
    Done,
    exposure,
    fixed,
    gym,
    loads,
    prescribe_slot,
    profile,
    ranged,
    rules,
    slot,
)

FIVES = fixed(3, 100, 5)
CABLE = {
    **CURL,
    "exercise_template_id": "own",
    "equipment": "machine",
    "exercise_title": "Seated Row (Cable)",
}
CABLE_CURL = {**CABLE, "exercise_title": "Curl (Cable)"}


@pytest.mark.parametrize(
    ("loads_kg", "expected"),
    [
        pytest.param([60, 61.25, 62.5, 63.75], 1.25, id="three times the same"),
        pytest.param([60, 62.5, 65, 60, 65, 70, 75], 5, id="2.5 only twice"),
        pytest.param([60, 62.5, 60, 62.5, 60, 65, 60, 62.5, 70, 75, 80], 2.5, id="the smallest"),
        pytest.param([60, 60.2, 60.4, 60.6, 60.8], None, id="grams are no step"),
        pytest.param([45.36, 47.63, 49.9, 52.16], pytest.approx(2.27), id="pounds"),
        pytest.param([-30, -25, -20, -15], 5, id="less assistance"),
        pytest.param([80, 75, 70, 65], None, id="only down"),
        pytest.param([], None, id="nothing"),
    ],
)
def test_the_smallest_rise_used_three_times_is_learned(
    loads_kg: list[float], expected: float | None
) -> None:
    assert learned_increment_kg(loads_kg) == expected


@pytest.mark.parametrize(
    ("learned", "wished", "expected"),
    [(None, None, 102.5), (5.0, None, 105), (5.0, 2.5, 102.5)],
    ids=["prior", "learned", "the profile's wins"],
)
def test_the_profile_wins_over_what_was_learned_and_this_over_the_prior(
    learned: float | None, wished: float | None, expected: float
) -> None:
    context = slot(BENCH, FIVES, [exposure([(100, 5)] * 3, FIVES)], learned_increment_kg=learned)
    given = rules(BENCH, increment_kg=wished)
    assert loads(prescribe_slot(context, given)) == [expected] * 3


@pytest.mark.parametrize(
    ("exercise", "kilograms", "pounds"),
    [
        (BENCH, 2.5, 5),
        ({**BENCH, "primary_muscle_group": "glutes"}, 5, 5),
        (CURL, 2, 2.5),
        ({**CURL, "equipment": "machine"}, 5, 5),
        (CABLE, 2.5, 2.5),
        ({**CABLE, "primary_muscle_group": "lats"}, 2.5, 2.5),
        ({**CURL, "equipment": "plate"}, 2.5, 2.5),
    ],
    ids=["bar", "legs", "dumbbell", "machine", "cable curl muscle", "cable row", "plate"],
)
def test_priors_by_equipment(exercise: dict[str, str], kilograms: float, pounds: float) -> None:
    found = slot(exercise, FIVES)
    assert prior_increment_kg(found, Equipment()) == kilograms
    in_pounds = prior_increment_kg(found, Equipment(unit="lb"))
    assert in_pounds == pytest.approx(pounds * KILOGRAMS_PER_POUND)


def test_a_cable_for_one_joint_has_smaller_steps_where_the_stack_has_them() -> None:
    fine = gym(equipment={"cable_step_kg": 1.25})
    sets = ranged(1, 50, 8, 12)
    done: list[Done] = [(50, 12)]
    row = {**CABLE, "primary_muscle_group": "lats"}
    for exercise, expected in ((CABLE_CURL, 51.25), (row, 52.5)):
        decided = prescribe_slot(slot(exercise, sets, [exposure(done, sets)]), fine)
        assert loads(decided) == [expected]


@pytest.mark.parametrize(
    ("exercise", "equipment", "expected"),
    [
        (CURL, {"dumbbells_kg": [5.0, 10.0, 15.0]}, 5),
        (CURL, {"dumbbells_kg": [7.5, 10.0, 12.5]}, 2.5),
        (BENCH, {"plate_pairs_kg": [20.0, 10.0, 5.0]}, 10),
        ({**CABLE, "primary_muscle_group": "lats"}, {"cable_step_kg": 1.5}, 3),
        (CURL, {"unit": "lb"}, 5 * KILOGRAMS_PER_POUND),
        (CABLE, {"unit": "lb"}, 5 * KILOGRAMS_PER_POUND),
        ({**CURL, "equipment": "machine"}, {"unit": "lb"}, 10 * KILOGRAMS_PER_POUND),
        (BENCH, {"unit": "lb"}, 5 * KILOGRAMS_PER_POUND),
    ],
    ids=[
        "rack by 5",
        "rack by 2.5",
        "plates",
        "cable",
        "lb rack",
        "lb cable",
        "lb stack",
        "lb bar",
    ],
)
def test_a_default_step_is_one_that_the_gym_can_make(
    exercise: dict[str, str], equipment: dict[str, object], expected: float
) -> None:
    """Bug: a rack in steps of 5 lb was reported with steps of 2.5."""
    given = profile(equipment=equipment).rules_for([])
    found = ladder_for(slot(exercise, FIVES), given, through_kg=0.0)
    assert found.increment_kg == pytest.approx(expected)


def test_a_ladder_is_built_again_only_for_another_gym_or_exercise() -> None:
    by_five, by_ten = (gym(equipment={"dumbbells_kg": each}) for each in ([5, 10], [10, 20]))
    curl = slot(CURL, FIVES)
    found = ladder_for(curl, by_five, through_kg=10.0)
    assert ladder_for(curl, by_five.model_copy(), through_kg=10.0) is found
    assert ladder_for(curl, by_ten, through_kg=10.0).loads.loads_kg == (10, 20)
    learned = curl.model_copy(update={"learned_increment_kg": 3.0})
    assert ladder_for(learned, by_five, through_kg=10.0).increment_kg == 3


def test_a_micro_step_is_taken_where_the_usual_one_is_above_the_cap() -> None:
    fine = Ladder(
        loads=stepped_loads(0.25, 40.0, up_to_kg=60.0),
        increment_kg=5.0,
        jump_pct=5.0,
        is_whole_load=True,
        is_assistance=False,
    )
    assert (fine.up(40), fine.up(100)) == (41.25, None)
    assert fine.highest_from(40) == 42


def test_e18_step_size_and_the_least_exposures_between_steps() -> None:
    given = rules(BENCH, increment_kg=5.0, min_exposures=2)
    once = [exposure([(100, 5)] * 3, FIVES, days_ago=1)]
    twice = [*once, exposure([(100, 5)] * 3, FIVES, days_ago=4)]
    early = prescribe_slot(slot(BENCH, FIVES, once), given)
    assert loads(early) == [100] * 3
    assert early.reason == "Done 1 of 2 times with this load: repeat 100 kg."
    assert loads(prescribe_slot(slot(BENCH, FIVES, twice), given)) == [105] * 3


PULLDOWN_ID = next(
    one["id"] for one in built_in_templates() if one["title"] == "Lat Pulldown (Cable)"
)


def test_the_words_of_a_title_are_those_of_the_catalogue() -> None:
    """A cable with a Turkish title in a file had the steps of a machine: 45 kg stayed 45."""
    pulldown = {
        "exercise_template_id": PULLDOWN_ID,
        "exercise_title": "Lat Pulldown (Kablo)",
        "exercise_type": "weight_reps",
        "equipment": "machine",
        "primary_muscle_group": "lats",
    }
    assert is_cable(slot(pulldown, FIVES))
    assert not is_cable(slot({**pulldown, "exercise_template_id": "own"}, FIVES))
