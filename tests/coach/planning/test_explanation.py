"""The facts behind a decision, rebuilt from its stored input."""

from typing import Any

import pytest

from coach_agent.domain.plan import SetPrescription
from coach_agent.engine.engine import EngineInput, build_input
from coach_agent.planning.explanation import SlotFacts, facts_of, plates_text
from coach_agent.profile.equipment import Equipment, PoundEquipment
from coach_agent.profile.model import Rules
from tests.coach.builders import BENCH, exposure, fixed, routine, slot


def given(*exposures: Any, rules: Rules | None = None, **of_slot: Any) -> EngineInput:
    context = routine(slot(BENCH, fixed(3, 60, 5), list(exposures), **of_slot))
    return build_input("demo", context, rules or Rules(equipment=Equipment()))


def facts(*exposures: Any, **of_slot: Any) -> SlotFacts:
    [found] = facts_of(given(*exposures, **of_slot))
    return found


def test_the_bounds_are_the_load_done_the_cap_and_what_the_gym_has() -> None:
    sets = fixed(3, 60, 5)
    found = facts(exposure([(60, 5)] * 3, sets))
    [bounds] = found.bounds
    assert (bounds.model, bounds.sets) == ("linear", (1, 2, 3))
    assert (bounds.low_reps, bounds.high_reps) == (5, 5)
    assert (bounds.done_kg, bounds.jump_pct) == (60, 5)
    assert bounds.highest_kg == 63  # 5 % of 60 kg are more than a step of 2.5 kg
    assert bounds.rack_kg == (57.5, 60, 62.5, 65)


def test_each_workout_says_whether_it_counts_and_what_it_shows() -> None:
    sets = fixed(3, 60, 5)
    easy = exposure([(50, 5)] * 3, sets, days_ago=1).model_copy(update={"is_easy": True})
    found = facts(easy, exposure([(60, 5)] * 3, sets, days_ago=4))
    assert [(each.is_counted, each.use) for each in found.seen] == [
        (False, "left out: it was easy on purpose"),
        (True, "counts"),
    ]
    # Epley: 60 × (1 + 5 / 30), and 5 % either way up to five repetitions.
    shown = found.seen[1].estimated_max
    assert shown is not None
    assert (shown.kg, shown.low_kg, shown.high_kg) == pytest.approx((70, 66.5, 73.5))


@pytest.mark.parametrize("kind", ["bodyweight_assisted", "bodyweight_weighted"])
def test_a_part_of_what_was_moved_shows_no_maximum(kind: str) -> None:
    sets = fixed(3, 60, 5)
    found = facts(exposure([(60, 5)] * 3, sets), exercise_type=kind)
    assert [each.estimated_max for each in found.seen] == [None]


def test_what_looks_mistyped_is_told() -> None:
    sets = fixed(3, 60, 5)
    days = [exposure([(60, 5)] * 3, sets, days_ago=day) for day in (4, 8, 12)]
    typo = exposure([(600, 5), (60, 5), (60, 5)], sets, days_ago=1)
    [bounds] = facts(typo, *days).bounds
    assert bounds.doubts == ("looks mistyped, 600 kg",)


def test_without_a_history_there_are_no_bounds_to_tell() -> None:
    [bounds] = facts().bounds
    assert (bounds.model, bounds.done_kg, bounds.highest_kg, bounds.rack_kg) == (
        "keep",
        None,
        None,
        (),
    )


@pytest.mark.parametrize(
    ("load_kg", "expected"),
    [
        (20, "bar 20 kg alone"),
        (60, "bar 20 kg + 20 kg a side"),
        (62.5, "bar 20 kg + 20 + 1.25 kg a side"),
        (100, "bar 20 kg + 25 + 15 kg a side"),
        (61, None),
    ],
)
def test_the_bar_is_loaded_with_the_fewest_plates(load_kg: float, expected: str | None) -> None:
    sets = fixed(3, 60, 5)
    engine_input = given(exposure([(60, 5)] * 3, sets), rules=Rules(equipment=Equipment()))
    target = SetPrescription(set_index=0, set_type="normal", weight_kg=load_kg, reps=5)
    assert plates_text(target, engine_input.slots[0], engine_input.rules, "kg") == expected


def test_plates_of_a_pound_gym_are_pounds() -> None:
    rules = Rules(equipment=PoundEquipment().in_kg())
    engine_input = given(exposure([(61.23, 5)] * 3, fixed(3, 61.23, 5)), rules=rules)
    target = SetPrescription(set_index=0, set_type="normal", weight_kg=63.50293, reps=5)
    told = plates_text(target, engine_input.slots[0], rules, "lb")
    assert told == "bar 45 lb + 45 + 2.5 lb a side"
