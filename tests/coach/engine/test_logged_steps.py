"""Loads and distances of the log: steps of a stack, loads between them, and mistyped distances."""

import pytest

from tests.coach.situations import planned

LEG_EXTENSION, WALK = "Leg Extension (Machine)", "Farmers Walk"
PULLDOWN = "Lat Pulldown (Cable)"


def test_a_load_between_the_steps_does_not_move_the_stack() -> None:
    """57.5 kg once, with a small plate on the stack, made 62.5 the next step: 55 and 60 are it."""
    found = planned("3*50x10, 3*55x10, 3*55x10, 3*57.5x10", title=LEG_EXTENSION)
    assert found.load() == 60


def test_a_load_between_the_steps_can_be_repeated() -> None:
    found = planned("[3*57.5x10] 3*50x10, 3*55x10, 3*55x10, 57.5x10 2*57.5x8", title=LEG_EXTENSION)
    assert found.load() == 57.5


def test_loads_that_most_days_have_are_the_stack() -> None:
    """52.5, 57.5 and 62.5 kg: two equal steps of 5 kg, which end with .5."""
    found = planned("[3*62.5x8-12] 3*50x12, 3*52.5x12, 3*57.5x12, 3*62.5x12", title=LEG_EXTENSION)
    assert found.load() == 67.5


def test_two_equal_steps_are_a_stack() -> None:
    """12, 19 and 26 kg go on with 33; it was 31."""
    found = planned("[3*26x10] 3*12x10, 3*19x10, 3*26x16@6", title=LEG_EXTENSION)
    assert found.load() == 33


@pytest.mark.parametrize(
    ("title", "before", "last", "pounds"),
    [
        (LEG_EXTENSION, "40.8", "45.4", 110),
        (LEG_EXTENSION, "40.82", "45.36", 110),
        (LEG_EXTENSION, "43.1", "45.4", 105),
        (LEG_EXTENSION, "45.36", "45.36", 110),
        (PULLDOWN, "40.8", "45.4", 105),
    ],
    ids=["tenths", "hundredths", "5 lb apart", "one load", "cable"],
)
def test_a_stack_marked_in_pounds_goes_on_in_pounds(
    title: str, before: str, last: str, pounds: int
) -> None:
    """In a gym with kg plates 45.4 kg, 100 lb, went on with 50.4 and 47.9 kg."""
    found = planned(f"[3*{last}x8-12] 3*{before}x12, 3*{last}x12", title=title)
    assert found.load() == pytest.approx(pounds * 0.45359237, abs=0.05)
    assert found.reps() == [8, 8, 8]


@pytest.mark.parametrize(
    ("title", "before", "last", "expected"),
    [
        (LEG_EXTENSION, "40", "45", 50),
        (LEG_EXTENSION, "45", "50", 55),
        (PULLDOWN, "22.5", "25", 27.5),
        (PULLDOWN, "45.4", "47.5", 50),
    ],
    ids=["round", "near 110 lb", "near 55 lb", "mixed"],
)
def test_a_stack_marked_in_kilograms_stays_one(
    title: str, before: str, last: str, expected: float
) -> None:
    found = planned(f"[3*{last}x8-12] 3*{before}x12, 3*{last}x12", title=title)
    assert found.load() == expected


@pytest.mark.parametrize("title", ["Row", LEG_EXTENSION, PULLDOWN, "Own Row (Machine)"])
@pytest.mark.parametrize(
    ("history", "days_off", "expected"),
    [
        pytest.param("[3*38x10] 3*23x10, 3*30x10, 3*38x16@6", 3, 45, id="noted in whole kilograms"),
        pytest.param("3*23x10, 3*30x10, 3*38x10", 60, 30, id="after a break"),
        pytest.param("[3*30x10] 3*15x10, 3*23x10, 3*38x10, 3*30x16@6", 3, 38, id="back up"),
        pytest.param("[3*30x10] 3*23x10, 3*30x16@6", 3, 37, id="two loads"),
        pytest.param("3*21x10, 3*28x10, 3*37x10", 120, 28, id="no equal steps"),
        pytest.param("[3*33x10] 3*14x10, 3*21x10, 3*33x16@6", 3, 40, id="a wide gap"),
    ],
)
def test_an_unknown_stack_has_the_loads_of_its_log(
    title: str, history: str, days_off: int, expected: float
) -> None:
    """23, 30 and 38 kg went on with 40, and back to 33 or 34: the stack has neither."""
    found = planned(history, title=title, days_off=days_off)
    assert found.load() == expected


def test_a_stack_in_pounds_goes_on_although_its_kilograms_are_rounded() -> None:
    """115 lb had "next step 115 lb": kilograms differed in the seventh digit."""
    found = planned("[3*115x10] 3*115x10, 3*130x10, 3*115x20@6", title=LEG_EXTENSION, unit="lb")
    assert found.load() == pytest.approx(130 * 0.45359237)


def test_a_load_lifted_once_is_no_part_of_a_stack() -> None:
    found = planned("3*20x10, 3*25x10, 27x10 2*30x10, 3*30x10", title=LEG_EXTENSION, days_off=60)
    assert found.load() == 25


@pytest.mark.parametrize(
    ("title", "unit", "history", "expected"),
    [
        ("Shoulder Press at home", "kg", "[3*20x8] 3*16x8, 3*18x8, 3*20x14@6", 22),
        ("Flat Barbell Bench Press", "lb", "3*(3*150x5)", 155),
        ("Flat Barbell Bench Press", "kg", "3*(3*80x5)", 82.5),
        ("Barbell Squat", "kg", "3*(3*100x5)", 102.5),
    ],
)
def test_an_exercise_outside_of_the_catalogue_goes_on_in_its_own_steps(
    title: str, unit: str, history: str, expected: float
) -> None:
    """80 kg went on with 82: a barbell outside of the catalogue had steps of 2 kg."""
    found = planned(history, title=title, unit=unit)
    scale = 0.45359237 if unit == "lb" else 1
    assert found.load() == pytest.approx(expected * scale)


def test_a_distance_ten_times_the_usual_one_is_doubted() -> None:
    usual = "2*32/40m, 2*32/40m, 2*32/40m"
    found = planned(f"[2*32/40m] {usual}, 32/40m 32/400m", title=WALK)
    assert found.loads() == [32, 32]
    assert "400 m looks like a typing error and was ignored." in found.slot().reason
    twice = planned(f"[2*32/40m] {usual}, 2*32/80m", title=WALK)
    assert "typing error" not in twice.slot().reason


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("3*30x8, 3*27.5x8, 3*25x8", 22.5),
        ("3*35x8, 3*30x8, 3*25x8", 20),
        ("3*25x8", 20),
    ],
    ids=["2.5 kg", "5 kg", "one load"],
)
def test_assistance_goes_on_in_its_own_steps(log: str, expected: float) -> None:
    """30, 27.5 and 25 kg of help went on with 20, twice the step of this stack."""
    last = log.rsplit(", ", 1)[-1].split("*")[1].split("x")[0]
    assert planned(f"[3*{last}x6-8] {log}", title="Pull Up (Assisted)").load() == expected


@pytest.mark.parametrize(
    ("before", "last", "expected"),
    [
        ("42.5", "45", 47.5),
        ("23.75", "25", 26.25),
        ("18", "20", 22),
        ("62.5", "62.5", 65),
        ("7", "8", 9),
    ],
)
def test_unknown_equipment_goes_on_in_steps_that_its_loads_are_on(
    before: str, last: str, expected: float
) -> None:
    """45 kg after 42.5 went on with 47: titles of files have no equipment."""
    log = f"[3*{last}x8-12] 3*{before}x12, 3*{last}x12"
    assert planned(log, title="Kürek Çekme").load() == expected


@pytest.mark.parametrize(
    ("before", "last", "expected"),
    [("75", "80", 85), ("77.5", "80", 82.5), ("80", "80", 85), ("82.5", "82.5", 85)],
    ids=["5 lb", "2.5 lb", "one load", "one load between"],
)
def test_unknown_equipment_in_pounds_has_the_coarse_step_that_its_loads_show(
    before: str, last: str, expected: float
) -> None:
    """80 lb on a stack went on with 82.5, after 75 and as the only known load."""
    log = f"[3*{last}x8-12] 3*{before}x12, 3*{last}x12"
    found = planned(log, title="Kürek Çekme", unit="lb").load()
    assert found == pytest.approx(expected * 0.45359237, abs=0.01)


@pytest.mark.parametrize(
    ("log", "days_off", "expected"),
    [
        pytest.param("3*20x9, 3*21.25x9, 3*22.5x9, 3*23.75x9", 3, 25, id="next"),
        pytest.param("3*20x9, 3*21.25x9, 3*22.5x9, 3*23.75x9", 20, 23.75, id="again"),
        pytest.param("3*21.25x9, 3*23.75x9, 3*23.75x9", 20, 23.75, id="few"),
        pytest.param("3*20x9, 3*22x9, 3*24.03x9", 20, 24, id="grams"),
    ],
)
def test_dumbbells_near_the_default_rack_are_others(
    log: str, days_off: int, expected: float
) -> None:
    """23.75 kg were planned as 24, and the step after them as 26."""
    found = planned(log, title="Shoulder Press (Dumbbell)", days_off=days_off)
    assert found.load() == expected


def test_a_repeated_load_between_the_steps_is_the_next_one() -> None:
    """45 kg went on with 50, past the 47.5 that the athlete had lifted."""
    log = "[3*45x8-12] 3*40x10, 3*45x10, 3*47.5x10, 3*45x12, 3*45x12"
    assert planned(log, title=LEG_EXTENSION).load() == 47.5
