"""Heavy and light days at one place of a routine."""

import pytest

from coach_agent.engine.history.alternation import kinds_of, next_day, period_of
from tests.coach.situations import BENCH, SQUAT, planned

TURNS = "3*100x5, 3*80x5, 3*102.5x5, 3*80x5"


@pytest.mark.parametrize(
    ("loads", "kinds"),
    [
        ((80, 102.5, 80, 100), "LHLH"),
        ((105, 82.5, 102.5, 80, 100), "HLHLH"),
        ((80, 102.5, 80, 100, 97.5, 95), "LHLH"),
        ((80, 102.5, 80), ""),
        ((80, 102.5, 102.5, 80, 100), ""),
        ((97.5, 100, 95, 97.5), ""),  # no more than noise
        ((92.5, 100, 92.5, 100), ""),
        ((90, 100, 90, 100), ""),  # resets
        ((80, 120, 80, 90), ""),  # as far apart as the kinds
        ((100, 100, 100, 100), ""),
        ((20, 100, 20, 100), "LHLH"),
        ((20, 105, 20, 105), "LHLH"),
        ((10, 100, 10, 100), ""),  # typed tenfold, or a digit lost
        ((), ""),
        ((72.5, 80, 102.5, 80, 100), "-LHLH"),  # a heavy day that pain held back
        ((80, 80, 80, 102.5, 80, 100), "L-LHLH"),
        ((80, 80, 80, 75, 80, 100), ""),  # more of them
        ((92.5, 80, 102.5, 90, 80, 100), "MLHMLH"),
        ((102.5, 90, 80, 100, 90, 80), "HMLHML"),
        ((80, 82.5, 85, 87.5, 90, 92.5), ""),
        ((97.5, 100, 102.5, 95, 97.5, 100), ""),  # steps of a wave
        ((90, 100, 110, 80, 90, 100), ""),  # as far apart as the kinds
    ],
)
def test_turns_are_clear_and_regular(loads: tuple[float, ...], kinds: str) -> None:
    names = {"heavy": "H", "medium": "M", "light": "L", None: "-"}
    assert "".join(names[kind] for kind in kinds_of(loads)) == kinds


def test_a_kind_comes_again_after_two_or_three_workouts() -> None:
    two, held = kinds_of((80, 102.5, 80, 100)), kinds_of((72.5, 80, 102.5, 80, 100))
    three = kinds_of((92.5, 80, 102.5, 90, 80, 100))
    assert [next_day(each) for each in (two, held, three)] == ["heavy", "light", "heavy"]
    assert [period_of(each) for each in (two, held, three)] == [2, 2, 3]


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
        ("[3*80x5] [3*100x5] 3*100x3, 3*80x5, [3*100x5] 3*100x3, 3*80x5", 82.5),
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
    ("days_off", "said", "heaviest", "lightest"),
    [
        (16, None, 102.5, 80),
        (60, None, 92.5, 72.5),
        (3, {"energy": 2}, 102.5, 80),
        (3, {"deload": ("all",)}, 92.5, 72.5),
    ],
)
def test_reductions_go_from_the_day_of_the_same_kind(
    days_off: int, said: dict[str, object] | None, heaviest: float, lightest: float
) -> None:
    heavy = planned(TURNS, title=BENCH, days_off=days_off, said=said)
    assert heavy.load() == heaviest
    assert "more than last time" not in heavy.text
    light = planned(f"{TURNS}, 3*105x5", title=BENCH, days_off=days_off, said=said)
    assert light.load() == lightest
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


HELD = f"{TURNS}, 3*72.5x5"


@pytest.mark.parametrize(
    ("history", "load", "day"),
    [(HELD, 82.5, "Light"), (f"{HELD}, 3*82.5x5", 105, "Heavy")],
)
def test_a_heavy_day_that_was_held_back_keeps_its_turn(history: str, load: float, day: str) -> None:
    """After pain on one heavy day the next ones were planned from the light loads."""
    found = planned(history, title=BENCH)
    assert found.load() == load
    assert found.slot().reason.startswith(f"{day} day: ")


THREE = "3*100x5, 3*80x5, 3*90x5, 3*102.5x5, 3*80x5, 3*90x5"


@pytest.mark.parametrize(
    ("history", "load", "day"),
    [
        (THREE, 105, "Heavy"),
        (f"{THREE}, 3*105x5", 82.5, "Light"),
        (f"{THREE}, 3*105x5, 3*82.5x5", 92.5, "Medium"),
    ],
)
def test_three_kinds_of_days_go_on_each_from_its_own(history: str, load: float, day: str) -> None:
    """After the heavy day 107.5 kg were planned for the light one."""
    found = planned(history, title=BENCH)
    assert found.load() == load
    assert found.slot().reason.startswith(f"{day} day: heavy")


FIVES_TENS = "3*97.5x5, 3*70x10, 3*100x5, 3*72.5x10"


@pytest.mark.parametrize(
    ("history", "load", "reps", "day"),
    [
        (FIVES_TENS, 102.5, 5, "Heavy"),
        (f"[3*95x5] {FIVES_TENS}", 102.5, 5, "Heavy"),
        (f"[3*70x10] {FIVES_TENS}", 102.5, 5, "Heavy"),
        (f"{FIVES_TENS}, 3*102.5x5", 75, 10, "Light"),
        (f"[3*95x5] {FIVES_TENS}, [3*102.5x5] 3*102.5x5", 75, 10, "Light"),
        (f"[3*95x5] {FIVES_TENS}, [3*102.5x5] 3*102.5x5, [3*75x10] 3*75x10", 105, 5, "Heavy"),
        (f"[3*75x10] {FIVES_TENS}, 3*102.5x5, [3*75x10] 75x10 75x10 75x8", 75, 10, "Light"),
        (f"{FIVES_TENS}, [3*102.5x5] 102.5x5 102.5x5 102.5x3, 3*75x10", 102.5, 5, "Heavy"),
        ("3*100x5, 3*85x8, 3*75x12, 3*102.5x5, 3*87.5x8, 3*77.5x12", 105, 5, "Heavy"),
    ],
)
def test_each_kind_of_day_keeps_its_own_repetitions(
    history: str, load: float, reps: int, day: str
) -> None:
    """After a day of 3 x 10 with 75 kg the heavy day was planned as 3 x 10 with 77.5 kg."""
    found = planned(history, title=BENCH)
    assert (found.load(), set(found.reps())) == (load, {reps})
    assert found.slot().reason.startswith(f"{day} day: heavy")


@pytest.mark.parametrize(
    ("history", "reps"),
    [
        (f"[3*70x8] {FIVES_TENS}", {8}),
        ("3*97.5x5, 3*70x10, 3*100x5, 3*72.5x8, 3*102.5x5, 3*75x10", {10}),
        ("[3*80x10] 3*80x8, 3*70x10, 3*80x9, 3*70x10", {10}),
    ],
    ids=["another number in the routine", "no fixed number", "misses with more"],
)
def test_unclear_repetitions_of_days_are_the_routines(history: str, reps: set[int]) -> None:
    assert set(planned(history, title=BENCH).reps()) == reps


def test_a_light_day_far_below_the_heavy_one_is_no_typing_error() -> None:
    found = planned("2*100x5, 2*37.5x5, 2*102.5x5, 2*37.5x5, 2*105x5, 2*40x5", title=BENCH)
    assert "suspected_typo" not in found.slot().reason_codes
    assert found.load() == 107.5


def test_a_digit_lost_on_a_heavy_day_is_no_light_day() -> None:
    found = planned(f"{TURNS}, 3*10.5x5", title=BENCH)
    assert "suspected_typo" in found.slot().reason_codes
    assert "10.5 kg" in found.text
    assert found.load() <= 102.5
