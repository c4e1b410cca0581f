"""Heavy and light days at one place of a routine."""

import pytest

from coach_agent.engine.history.alternation import count_alternating
from tests.coach.situations import BENCH, SQUAT, planned

TURNS = "3*100x5, 3*80x5, 3*102.5x5, 3*80x5"


@pytest.mark.parametrize(
    ("loads", "count"),
    [
        ((80, 102.5, 80, 100), 4),
        ((105, 82.5, 102.5, 80, 100), 5),
        ((80, 102.5, 80, 100, 97.5, 95), 4),
        ((80, 102.5, 80), 0),
        ((80, 102.5, 102.5, 80, 100), 0),
        ((97.5, 100, 95, 97.5), 0),  # no more than noise
        ((92.5, 100, 92.5, 100), 0),
        ((90, 100, 90, 100), 0),  # resets
        ((80, 120, 80, 90), 0),  # as far apart as the kinds
        ((100, 100, 100, 100), 0),
        ((), 0),
    ],
)
def test_turns_are_clear_and_regular(loads: tuple[float, ...], count: int) -> None:
    assert count_alternating(loads) == count


@pytest.mark.parametrize(
    ("title", "history", "load", "day", "base"),
    [
        (BENCH, TURNS, 105, "Heavy", "102.5"),
        (BENCH, f"{TURNS}, 3*105x5", 82.5, "Light", "80"),
        (BENCH, f"{TURNS}, 105x5 105x4 105x3", 82.5, "Light", "80"),
        (BENCH, f"{TURNS}, 105x5 105x4 105x3, 3*82.5x5", 105, "Heavy", "105"),
        (BENCH, "3*60x5, 3*62.5x5, 3*65x5, 3*50x5, 3*67.5x5, 3*50x5", 70, "Heavy", "67.5"),
        (SQUAT, "[3*150x3] 3*150x3, 3*120x3, 3*155x3, 3*125x3", 160, "Heavy", "155"),
        ("Chest Dip (Weighted)", "3*20x5, 3*5x5, 3*22.5x5, 3*5x5", 25, "Heavy", "22.5"),
    ],
)
def test_each_kind_of_day_goes_on_from_its_own(
    title: str, history: str, load: float, day: str, base: str
) -> None:
    """After 100, 80, 102.5 and 80 kg the plan was 82.5 kg."""
    found = planned(history, title=title)
    assert found.load() == load
    reason = found.slot().reason
    assert reason.startswith(f"{day} day: heavy and light ones take turns. ")
    assert f"{base} kg" in reason
    assert reason in found.text
    prediction = found.slot().predictions[0]
    assert prediction is None or (prediction.reps or 0) >= 3


@pytest.mark.parametrize(
    ("history", "load"),
    [
        ("3*80x5, 3*82.5x5, 3*80x5, 3*82.5x5", 85),
        ("3*100x5, 3*80x5, 3*80x5, 3*82.5x5", 85),
        ("3*100x3, 3*80x5, 3*100x3, 3*80x5", 82.5),
        ("d60: 3*100x5, d50: 3*80x5, d21: 3*100x5, d3: 3*80x5", 82.5),
        ("100x5 100x4 100x3, 3*80x5, 100x5 100x4 100x3, 3*80x5", 82.5),
    ],
    ids=["a step", "no turns", "too heavy each time", "far between", "never all sets"],
)
def test_other_histories_are_one_series(history: str, load: float) -> None:
    found = planned(history, title=BENCH)
    assert found.load() == load
    assert "take turns" not in found.why


@pytest.mark.parametrize(
    ("days_off", "said"),
    [(16, None), (60, None), (3, {"energy": 2}), (3, {"deload": ("all",)})],
)
def test_on_a_day_without_increase_nothing_is_heavier_than_last_time(
    days_off: int, said: dict[str, object] | None
) -> None:
    heavy = planned(TURNS, title=BENCH, days_off=days_off, said=said)
    assert heavy.load() <= 80
    assert "more than last time" not in heavy.text
    light = planned(f"{TURNS}, 3*105x5", title=BENCH, days_off=days_off, said=said)
    assert light.load() <= 80
    assert "Light day." in light.text


def test_no_heavy_day_follows_a_light_one_that_was_missed() -> None:
    found = planned("[3*80x5] 3*100x5, 3*80x5, 3*102.5x5, 80x5 80x4 80x3", title=BENCH)
    assert found.load() == 80


def test_time_between_days_of_one_kind_is_no_break() -> None:
    found = planned(
        "3*105x5, 3*80x5, 3*107.5x5, 3*80x5, 100x5 100x4 100x3, 3*80x5", title=BENCH, every=12
    )
    assert found.load() == 100
    assert "break" not in found.text
    assert "weeks off" not in found.text


def test_the_kind_of_day_is_said_once_and_whatever_limits_it() -> None:
    tested = "1*150x1@9.5, 1*120x1@7, 1*152.5x1@9.5, 1*120x1@7"
    slot = planned(tested, title=BENCH).slot()
    assert {"heavy_day", "tested_max"} <= set(slot.reason_codes)
    assert slot.reason.count("take turns") == 1


def test_a_light_day_is_compared_with_the_light_day_before() -> None:
    found = planned(f"{TURNS}, 3*105x5, 3*82.5x5", title=BENCH)
    assert "fell" not in found.text
