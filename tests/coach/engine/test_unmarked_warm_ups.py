"""Warm-ups are found in logs of apps that do not mark them, and work is never taken for one."""

import pytest

from coach_agent.domain.context import ExposureSet
from coach_agent.engine.history.unmarked_warm_ups import count_unmarked, mark_warm_ups
from tests.coach.builders import BENCH, exposure, exposure_set, fixed, prescribe_slot, routine, slot
from tests.coach.situations import parse
from tests.coach.situations import planned as planned_for


def sets_of(text: str) -> tuple[ExposureSet, ...]:
    _, (session,) = parse(text)
    return tuple(
        ExposureSet(
            set_index=place,
            set_type="warmup" if each.is_warmup else "normal",
            weight_kg=each.load_kg,
            reps=each.reps,
            duration_s=each.seconds,
            rpe=each.rpe,
        )
        for place, each in enumerate(session.sets)
    )


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        ("20x10 40x8 60x5 3*80x5", 3),
        ("20x10 20x10 40x5 60x3 3*80x5", 4),
        ("20x12 50x12 80x5 100x6 100x4 95x5 90x6", 3),
        ("20x5 45x5 60x3 3*77.5x6", 3),
        ("20x5 50x5 60x8 60x8 62.5x8", 2),
        ("40x5@4 60x3@5 80x3 80x3", 2),
        ("40x8 80x12", 1),
        ("20x10 40x8 60x5 72.5x3 3*82.5x5", 4),
        ("20x5 20x5 40x5 60x3 80x2 5*90x5", 5),
        ("60x5 100x3 120x2 140x1 3*150x5", 4),
        ("60x5 100x5 140x3 160x1 180x5", 4),
        ("60x5 100x3 120x2 135x1 3*140x5", 4),
        ("60x5 100x3 120x2 125x1 3*137.5x5", 4),
        ("20x10 60x8 80x5 100x5 120x3 132.5x3 145x3", 2),
        ("20x5 60x5 100x3 130x1 152.5x1@8 4*125x4", 2),
    ],
)
def test_light_sets_that_lead_up_to_the_work_are_warm_ups(sets: str, expected: int) -> None:
    assert count_unmarked(sets_of(sets)) == expected


@pytest.mark.parametrize(
    "sets",
    [
        pytest.param("60x12 70x10 80x8 90x6", id="pyramid"),
        pytest.param("60x12 80x8 100x5 80x8 60x12", id="pyramid, up and down"),
        pytest.param("15x10 15x10 20x10 20x10 25x10 25x10", id="two sets a step"),
        pytest.param("50x5 62.5x5 75x5 87.5x5 100x5", id="ascending sets of five"),
        pytest.param("50x5 62.5x5 75x5 87.5x5 102.5x3 75x8", id="with a back-off set"),
        pytest.param("65x5 75x5 85x8", id="weeks of percentages"),
        pytest.param("70x3 80x3 90x6", id="week of threes"),
        pytest.param("75x5 85x3 95x5", id="week of ones"),
        pytest.param("90x2 92.5x3 92.5x3", id="a first set that fell short"),
        pytest.param("40x5 50x5 60x3 65x5 75x5 85x8 5*50x10", id="with its warm-ups and back-offs"),
        pytest.param("5*40x5", id="light technique day"),
        pytest.param("100x5 90x8 80x10", id="reverse pyramid"),
        pytest.param("40x10 50x10 60x10 60x10", id="hard ascending sets"),
        pytest.param("60x12 100x5 60x12", id="the first load again"),
        pytest.param("40x8@8 80x5 80x5", id="a hard first set"),
        pytest.param("60x5 80x5", id="one heaviest set of no more repetitions"),
        pytest.param("w20x10 40x8 60x5 3*80x5", id="own marks"),
        pytest.param("3*x10", id="no load"),
        pytest.param("60s 60s", id="no repetitions"),
        pytest.param("20x10", id="one set"),
    ],
)
def test_work_is_no_warm_up(sets: str) -> None:
    assert count_unmarked(sets_of(sets)) == 0


def test_a_doubted_load_makes_no_warm_ups_of_the_others() -> None:
    """800 for 80 kg would be so heavy that the other sets look like warm-ups."""
    wrong = exposure_set(2, (800, 5), None, is_typo_suspect=True)
    assert count_unmarked((*sets_of("60x5 60x5"), wrong)) == 0


def test_a_plan_that_counted_them_as_work_keeps_its_working_sets() -> None:
    """Sets of an older plan pair by their place in it, also without one of the warm-ups."""
    plan = [fixed(1, None, reps)[0] for reps in (10, 8, 5, 5, 5, 5)]
    whole = [(20, 10), (40, 8), (60, 5), (80, 5), (80, 5), (80, 5)]
    exposures = [
        exposure([whole[0], *whole[2:]], plan, days_ago=4, skipped=(1,)),
        exposure(whole, plan, days_ago=8),
        exposure(whole, plan, days_ago=12),
    ]
    [marked] = mark_warm_ups(routine(slot(BENCH, plan, exposures))).slots
    assert [each.set_type for each in marked.planned_sets] == ["warmup"] * 3 + ["normal"] * 3
    assert [each.reps for each in marked.planned_sets] == [10, 8, 5, 5, 5, 5]
    assert [
        (sum(each.set_type == "warmup" for each in one.sets), one.planned_working_count)
        for one in marked.exposures
    ] == [(2, 3), (3, 3), (3, 3)]
    assert prescribe_slot(marked).sets[-1].weight_kg == 82.5


RAMP = "20x10 40x8 60x5"
HISTORY = f"{RAMP} 3*75x5, {RAMP} 3*77.5x5, {RAMP} 3*80x5"


def test_a_plan_has_its_warm_ups_and_all_of_its_working_sets() -> None:
    found = planned_for(HISTORY, title="Bench Press (Barbell)")
    assert found.loads() == [82.5] * 3
    assert [each.reps for each in found.slot().sets if each.set_type == "warmup"] == [10, 8, 5]
    assert "last 80 kg × 5, 5, 5\n" in found.text


def test_a_break_shortens_the_work_and_not_the_ramp() -> None:
    """The plan was the ramp alone: 20, 35 and 52.5 kg, and none of the sets with 80."""
    found = planned_for(HISTORY, title="Bench Press (Barbell)", days_off=60)
    assert found.loads() == [72.5, 72.5]
    assert "9 % less than last time, 2 sets instead of 3" in found.text


def test_a_ramp_that_was_left_out_once_stays_in_the_plan() -> None:
    history = f"{RAMP} 3*75x5, {RAMP} 3*77.5x5, {RAMP} 3*80x5, 6*80x5, {RAMP} 3*80x5"
    found = planned_for(history, title="Bench Press (Barbell)")
    assert [each.set_type for each in found.slot().sets] == ["warmup"] * 3 + ["normal"] * 3


def test_a_heavy_last_warm_up_makes_no_work_of_the_empty_bar() -> None:
    """The plan raised each set of the ramp: 20 kg for 11, 42.5, 62.5 and 75 kg."""
    ramp = "20x10 40x8 60x5"
    history = f"{ramp} 70x3 3*77.5x5, {ramp} 70x3 3*80x5, {ramp} 72.5x3 3*82.5x5"
    found = planned_for(history, title="Bench Press (Barbell)")
    assert found.loads() == [85] * 3
    warm_ups = [each for each in found.slot().sets if each.set_type == "warmup"]
    assert [each.reps for each in warm_ups] == [10, 8, 5, 3]
    assert [each.weight_kg for each in warm_ups[:3]] == [20, 40, 60]


@pytest.mark.parametrize("title", ["Bench Press (Barbell)", "Flat Barbell Bench Press"])
@pytest.mark.parametrize("sets", ["20x10 40x8 60x5 3*80x5", "w20x10 w30x5 3*40x5"])
@pytest.mark.parametrize("days_off", [3, 60, 400])
def test_no_warm_up_is_lighter_than_the_bar(title: str, sets: str, days_off: int) -> None:
    """After a long break an unknown exercise got 12 kg, because its empty bar is not known."""
    found = planned_for(f"3*({sets})", title=title, days_off=days_off)
    warm_ups = [each.weight_kg for each in found.slot().sets if each.set_type == "warmup"]
    assert warm_ups
    assert min(each for each in warm_ups if each is not None) == 20
