"""Files that were saved again by a spreadsheet or a script."""

import csv
import io

import pytest

from tests.connector.csv_imports.exports import (
    HEVY,
    HEVY_COLUMNS,
    all_sets,
    hevy_export,
    only_set,
    read,
    read_strong,
    strong_export,
    workouts,
)

HEADER = ",".join(HEVY_COLUMNS)
# As written by a program without quotation marks: dates split at their comma.
UNQUOTED = f"""\
{HEADER}
Upper A,4 Mar 2026, 18:02,4 Mar 2026, 19:01,,Bench Press (Barbell),0,,0,warmup,20,10,,,
Upper A,4 Mar 2026, 18:02,4 Mar 2026, 19:01,,Bench Press (Barbell),0,,1,normal,72.5,6,,,8.5
Push, Pull, Legs,Jun 11, 2026, 1:01 PM,Jun 11, 2026, 2:01 PM,,Pull Up,,,0,failure,,9,,,"""


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_another_delimiter_changes_no_record(delimiter: str) -> None:
    rows = [{}, {"set_index": "1", "exercise_notes": f"slow{delimiter}\npaused", "rpe": "8.5"}]
    saved, original = (read(hevy_export(*rows, delimiter=mark)) for mark in (delimiter, ","))
    assert saved.workouts == original.workouts
    assert original.dialect == "Hevy (kg, km)"
    assert saved.dialect == f"Hevy (kg, km), {'tabs' if delimiter == chr(9) else 'semicolons'}"


def test_floats_and_an_index_column_change_no_record() -> None:
    columns = ("", *HEVY_COLUMNS)
    floats = {"set_index": "0.0", "superset_id": "0.0", "reps": "6.0", "weight_kg": "72.50"}
    saved = read(hevy_export({"": "0"} | floats, columns=columns))
    assert saved.workouts == read(hevy_export({"superset_id": "0"})).workouts


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [("72,5", 72.5), ("72,50", 72.5), ("0,125", 0.125), ("1,2345", 1.2345), ("72.5", 72.5)],
)
def test_a_decimal_comma_is_read(text: str, expected: float, delimiter: str) -> None:
    assert only_set({"weight_kg": text}, delimiter=delimiter)["weight_kg"] == expected


@pytest.mark.parametrize("text", ["6,0", "6,00", "6.0"])
def test_a_whole_number_may_have_a_decimal_comma(text: str) -> None:
    assert only_set({"reps": text})["reps"] == 6


@pytest.mark.parametrize("text", ["1,234", "1,2,3", "1.23,5"])
def test_a_comma_that_may_part_thousands_is_not_guessed(text: str) -> None:
    result = read(hevy_export({"weight_kg": text}, delimiter=";"))
    [rejected] = result.rejected
    assert rejected.reason == f"Line 2: weight_kg '{text}' is not a number of zero or more."


def test_dates_and_titles_that_lost_their_quotation_marks_are_put_together_again() -> None:
    result = read(UNQUOTED)
    assert result.rejected == ()
    upper, push = workouts(result)
    assert upper["start_time"] == "2026-03-04T17:02:00+00:00"
    assert upper["end_time"] == "2026-03-04T18:01:00+00:00"
    assert push["title"] == "Push, Pull, Legs"
    assert push["start_time"] == "2026-06-11T11:01:00+00:00"
    assert [(one["weight_kg"], one["reps"], one["rpe"]) for one in all_sets(result)] == [
        (20, 10, None),
        (72.5, 6, 8.5),
        (None, 9, None),
    ]


def test_a_note_of_several_lines_that_lost_its_quotation_marks_is_put_together_again() -> None:
    broken = UNQUOTED.replace(",0,,1,normal", ",0,slow\n\nand paused,1,normal")
    result = read(broken)
    assert (result.rejected, result.rows_read) == ((), 3)
    assert [workout.lines for workout in result.workouts] == [(2, 3), (6,)]
    assert workouts(result)[0]["exercises"][0]["notes"] == "slow\n\nand paused"


def test_a_comma_in_an_unquoted_note_rejects_the_row_with_its_line() -> None:
    result = read(UNQUOTED.replace(",0,,1,normal", ",0,slow, paused,1,normal"))
    [rejected] = result.rejected
    assert rejected.reason == "Line 3: the row has 17 cells, the header 14."
    assert len(all_sets(result)) == 2


def test_half_a_row_is_not_joined_with_what_follows_in_a_file_that_has_quotation_marks() -> None:
    lines = HEVY.split("\n")
    result = read("\n".join([*lines[:5], lines[5].replace('"', "")[:60], *lines[6:]]))
    assert [one.source_line for one in result.rejected] == [6]
    assert len(all_sets(result)) == 4


def test_half_a_row_does_not_swallow_the_next_whole_one() -> None:
    lines = UNQUOTED.split("\n")
    result = read("\n".join([lines[0], lines[1][:40], *lines[2:]]))
    assert [one.source_line for one in result.rejected] == [2]
    assert len(all_sets(result)) == 2


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("title", ["B", "B{0} again"])
def test_a_row_that_cannot_be_mended_is_not_joined_with_the_next(
    delimiter: str, title: str
) -> None:
    def cells(*texts: str) -> str:
        return delimiter.join(texts).format(delimiter)

    too_many = cells(
        *("A", "4 Mar 2026, 18:02", "4 Mar 2026, 19:01", "", "Squat", "", "slow{0} deep"),
        *("0", "normal", "60", "5", "", "", ""),
    )
    begun = cells(title, "5 Mar 2026, 18:02", "5 Mar 2026, 19:01", "", "Bench", "", "first")
    ended = cells("second", "0", "normal", "40", "8", "", "", "")
    content = "\n".join([delimiter.join(HEVY_COLUMNS), too_many, begun, ended])
    result = read(content)
    assert result.rows_read == 2
    assert [(one.source_line, one.payload) for one in result.rejected] == [(2, too_many)]
    [workout] = workouts(result)
    assert workout["title"] == title.format(delimiter)
    assert workout["exercises"][0]["notes"] == "first\nsecond"
    assert [one["weight_kg"] for one in all_sets(result)] == [40]


@pytest.mark.parametrize("lost", ["warm up 10:00 to 10:05", "4 Mar 2026, 18:02"])
def test_a_lost_line_does_not_become_the_title_of_the_next_row(lost: str) -> None:
    begun = "B,5 Mar 2026, 18:02,5 Mar 2026, 19:01,,Bench,,first"
    result = read("\n".join([HEADER, lost, begun, "second,0,normal,40,8,,,"]))
    assert [one.source_line for one in result.rejected] == [2]
    assert [workout["title"] for workout in workouts(result)] == ["B"]


@pytest.mark.parametrize("blank", ["NaN", "nan"])
def test_a_blank_number_that_a_table_library_saved_is_blank(blank: str) -> None:
    numbers = ("superset_id", "weight_kg", "distance_km", "duration_seconds", "rpe")
    saved = read(hevy_export(dict.fromkeys(numbers, blank)))
    assert saved == read(hevy_export(dict.fromkeys(numbers, "")))
    strong = read_strong(strong_export(f'"Plank",1,{blank},{blank},{blank},60,,,{blank}'))
    [one] = all_sets(strong)
    assert (one["weight_kg"], one["reps"], one["duration_seconds"]) == (None, None, 60)


TIMED = strong_export(
    '"Squat (Barbell)",W,60.0,5.0,0,0.0,"","",',
    '"Squat (Barbell)",1,100.0,5.0,0,0.0,,,8',
    '"Squat (Barbell)",Rest Timer,0,0.0,0,180.0,,,',
    '"Squat (Barbell)",2,100.0,4.0,0,0.0,,,9',
    '"Chin Up",1,0,8.0,0,0.0,"slow",,',
    '"Chin Up",2,0,8.0,0,0.0,,,',
)


@pytest.mark.parametrize("export", [HEVY, TIMED], ids=["Hevy", "Strong"])
def test_rows_in_reverse_change_no_record(export: str) -> None:
    header, *rows = csv.reader(io.StringIO(export))
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows[::-1]])
    reader = read if export is HEVY else read_strong
    saved, original = reader(text.getvalue()), reader(export)
    assert {one.record.payload for one in saved.workouts} == {
        one.record.payload for one in original.workouts
    }
    assert len(saved.workouts) == len(original.workouts)
