"""Copied rows are removed, repeated sets are kept."""

import pytest

from hevy_connector.csv_imports import CsvImport
from tests.connector.csv_imports.exports import (
    S1_SHORT,
    all_sets,
    blocks,
    hevy_export,
    read,
    read_strong,
    strong_export,
    workouts,
)

ONE, TWO = {"set_index": "0"}, {"set_index": "1"}
ROW = {"exercise_title": "Row", "set_index": "0"}
SQUAT, PRESS = '"Squat",{},100,5,0,0,,,', '"Press",{},40,8,0,0,,,'


def repeated(result: CsvImport) -> list[tuple[int, str]]:
    return [(one.line, one.reason) for one in result.repeated]


def copies(**of: int) -> list[tuple[int, str]]:
    return [
        (int(line.removeprefix("line")), f"is a copy of line {one}") for line, one in of.items()
    ]


def test_a_row_with_the_number_of_the_row_before_is_a_copy() -> None:
    result = read(hevy_export(ONE, ONE, TWO, TWO, TWO))
    assert repeated(result) == copies(line3=2, line5=4, line6=4)
    assert result.workouts[0].lines == (2, 4)


@pytest.mark.parametrize(
    "other", [{"reps": "5"}, {"exercise_notes": "slow"}, {"rpe": "9"}, {"set_type": "failure"}]
)
def test_a_row_that_differs_in_any_cell_is_no_copy(other: dict[str, str]) -> None:
    result = read(hevy_export(ONE, ONE | other))
    assert result.repeated == ()
    assert len(all_sets(result)) == 2


def test_equal_sets_with_rising_numbers_were_done() -> None:
    result = read(hevy_export(*({"set_index": str(at)} for at in range(5))))
    assert (result.repeated, result.flags) == ((), ())
    assert len(blocks(result)) == 1


def test_one_exercise_with_the_same_sets_again_stays_and_is_flagged() -> None:
    result = read(hevy_export(ONE, TWO, ONE, TWO))
    assert blocks(result) == [("Bench Press (Barbell)", ["normal"] * 2)] * 2
    assert result.repeated == ()
    assert [(flag.line, flag.reason) for flag in result.flags] == [
        (
            4,
            "from here on the sets of the workout are those from line 2 on again: "
            "done twice, or a copy",
        )
    ]


def test_rounds_of_a_circuit_stay_and_are_flagged() -> None:
    result = read(hevy_export(*[ONE, ROW] * 3))
    assert [title for title, _ in blocks(result)] == ["Bench Press (Barbell)", "Row"] * 3
    assert result.repeated == ()
    assert [flag.line for flag in result.flags] == [4]


def test_an_exercise_again_in_the_middle_of_a_workout_stays() -> None:
    result = read(hevy_export(ONE, TWO, ROW, ONE, TWO))
    assert [title for title, _ in blocks(result)] == [
        "Bench Press (Barbell)",
        "Row",
        "Bench Press (Barbell)",
    ]
    assert (result.repeated, result.flags) == ((), ())


@pytest.mark.parametrize("times", [2, 3])
def test_a_workout_repeated_at_once_is_read_once(times: int) -> None:
    once = read(hevy_export(ONE, TWO, ROW))
    result = read(hevy_export(*[ONE, TWO, ROW] * times))
    assert result.workouts == once.workouts
    assert repeated(result)[:3] == copies(line5=2, line6=3, line7=4)
    assert len(result.repeated) == 3 * (times - 1)


def test_a_workout_repeated_later_is_read_once_in_any_shape() -> None:
    other = {"title": "Other"}
    once = read(hevy_export(ONE, TWO, other))
    result = read(hevy_export(ONE, TWO, other, ONE, TWO))
    assert result.workouts == once.workouts
    assert repeated(result) == copies(line5=2, line6=3)


def test_a_copied_workout_with_one_more_set_is_not_a_copy() -> None:
    result = read(hevy_export(ONE, TWO, ROW, ONE, TWO, ROW, ROW | {"set_index": "1"}))
    assert result.repeated == ()
    assert len(all_sets(result)) == 7


def test_the_same_workout_at_another_time_is_another_workout() -> None:
    later = {"start_time": "5 Mar 2026, 18:02", "end_time": "5 Mar 2026, 19:01"}
    result = read(hevy_export(ONE, TWO, ROW, ONE | later, TWO | later, ROW | later))
    assert len(workouts(result)) == 2
    assert result.repeated == ()


def test_strong_marks_where_a_workout_begins_so_one_exercise_can_be_a_copy() -> None:
    first, second = '"Squat",1,100,5,0,0,"","",', '"Squat",2,100,5,0,0,,,'
    result = read_strong(strong_export(first, second, first, second))
    assert repeated(result) == copies(line4=2, line5=3)
    assert result.flags == ()


def test_strong_marks_where_a_workout_begins_so_rounds_can_be_copied_together() -> None:
    rows = ['"Squat",1,100,5,0,0,"","",', SQUAT.format(2), SQUAT.format(1), SQUAT.format(2)]
    assert repeated(read_strong(strong_export(*rows * 2))) == copies(
        line6=2, line7=3, line8=4, line9=5
    )


def test_copies_at_once_and_later_are_all_of_the_first() -> None:
    other = {"title": "Other"}
    result = read(hevy_export(ONE, TWO, ROW, other, *[ONE, TWO, ROW] * 2))
    assert repeated(result) == copies(line6=2, line7=3, line8=4, line9=2, line10=3, line11=4)
    assert result.workouts[0].lines == (2, 3, 4)


def test_strong_marks_where_a_workout_begins_so_a_second_round_is_none() -> None:
    rows = ['"Squat",1,100,5,0,0,"","",', SQUAT.format(2), PRESS.format(1)]
    again = ['"Squat",1,100,5,0,0,"",,', *rows[1:]]
    result = read_strong(strong_export(*rows, *again))
    assert (result.repeated, result.flags) == ((), ())
    assert len(all_sets(result)) == 6


@pytest.mark.parametrize("header", [S1_SHORT, None])
def test_a_copied_workout_without_that_mark_is_detected_by_its_shape(header: str | None) -> None:
    rows = [SQUAT.format(1), SQUAT.format(2), PRESS.format(1)]
    if header is not None:
        rows = [row.removesuffix(",,") for row in rows]
    result = read_strong(
        strong_export(*rows * 2) if header is None else strong_export(*rows * 2, header=header)
    )
    assert repeated(result) == copies(line5=2, line6=3, line7=4)


def test_numbers_through_the_workout_make_no_difference() -> None:
    rows = [SQUAT.format(1), SQUAT.format(2), PRESS.format(3)]
    assert repeated(read_strong(strong_export(*rows * 2))) == copies(line5=2, line6=3, line7=4)


def test_letters_are_no_numbers_so_equal_warm_ups_and_failures_stay() -> None:
    rows = [SQUAT.format(order) for order in "WWW1FFF"]
    result = read_strong(strong_export(*rows))
    assert (result.repeated, result.flags) == ((), ())
    assert len(all_sets(result)) == 7


def test_an_equal_drop_set_stays_and_is_flagged() -> None:
    result = read_strong(strong_export(*(SQUAT.format(order) for order in "1DD")))
    assert len(all_sets(result)) == 3
    assert [(flag.line, flag.reason) for flag in result.flags] == [
        (4, "is the drop set of line 3 again: done twice, or a copy")
    ]


def test_the_rests_of_a_copied_workout_are_copies_too() -> None:
    rest = '"Squat",Rest Timer,0,0,0,90,,,'
    rows = [SQUAT.format(1), rest, SQUAT.format(2), PRESS.format(1)]
    result = read_strong(strong_export(*rows * 2))
    assert result.attached == (3,)
    assert repeated(result) == [
        (6, "is a copy of line 2"),
        (7, "belongs to line 6, a copy of line 2"),
        (8, "is a copy of line 4"),
        (9, "is a copy of line 5"),
    ]


def test_a_copied_row_with_another_rest_is_no_copy() -> None:
    rests = ['"Squat",Rest Timer,0,0,0,90,,,', '"Squat",Rest Timer,0,0,0,120,,,']
    rows = [SQUAT.format(1), rests[0], SQUAT.format(1)]
    assert repeated(read_strong(strong_export(*rows))) == copies(line4=2)
    assert read_strong(strong_export(*rows, rests[1])).repeated == ()
