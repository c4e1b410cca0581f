"""Lines are parsed into rows, and a damaged row affects only itself."""

from collections.abc import Callable
from typing import Any

import pytest

from hevy_connector.csv_imports.rows import cut_rows
from hevy_connector.errors import CsvFormatError
from tests.connector.csv_imports.exports import HEVY, hevy_export, read, workouts


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(HEVY.encode() + b"\n", id="final line feed"),
        pytest.param(HEVY.encode() + b"\n\n  \n", id="blank lines at the end"),
        pytest.param(HEVY.encode() + b"\n,,,,,,,,,,,,,\n", id="blank row at the end"),
        pytest.param(HEVY.encode() + b'\n"","",,,"",,,,,,,,,\n', id="blank quoted row"),
        pytest.param(HEVY.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(b"\xef\xbb\xbf" + HEVY.encode(), id="byte order mark"),
    ],
)
def test_the_form_of_the_lines_changes_no_record(content: bytes) -> None:
    assert read(content) == read(HEVY)


def test_lines_are_those_of_the_file_where_cells_run_over_several() -> None:
    note = {"exercise_notes": "one\ntwo\nthree"}
    content = hevy_export(note, note | {"reps": "?"}, {"reps": "?"}).replace(b"\n", b"\r\n")
    result = read(content)
    assert result.workouts[0].lines == (2,)
    assert [one.source_line for one in result.rejected] == [5, 8]
    assert result.rejected[0].payload.count("\n") == 2


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        pytest.param('"Upper A"', "1 cells, the header 14", id="too few cells"),
        pytest.param("," * 14, "15 cells, the header 14", id="too many cells"),
        pytest.param('"Upper A","4 Mar', "quotation marks do not match", id="cut inside a text"),
        pytest.param('"Upper "A","x"', "quotation marks do not match", id="stray mark"),
        pytest.param('a"b', "quotation marks do not match", id="mark in a bare cell"),
        pytest.param(',,"', "quotation marks do not match", id="mark at the end"),
    ],
)
@pytest.mark.parametrize("place", ["middle", "end"])
def test_a_damaged_row_costs_only_itself(damaged: str, reason: str, place: str) -> None:
    lines = HEVY.split("\n")
    at = {"middle": 5, "end": len(lines)}[place]
    result = read("\n".join([*lines[:at], damaged, *lines[at:]]))
    [rejected] = result.rejected
    assert reason in rejected.reason
    assert (rejected.source_line, rejected.payload) == (at + 1, damaged)
    assert workouts(result) == workouts(read(HEVY))


def test_a_whole_row_inside_a_text_betrays_an_open_quotation_mark() -> None:
    lines = ['a,"b\n', "1,2,3\n", '4,5,6"\n', "7,8,9"]
    rows = list(cut_rows(lines, 0, 3))
    assert [(row.line, row.text, row.cells) for row in rows] == [
        (1, 'a,"b', ()),
        (2, "1,2,3", ("1", "2", "3")),
        (3, '4,5,6"', ()),
        (4, "7,8,9", ("7", "8", "9")),
    ]
    assert rows[0].fault == "a quotation mark is not closed"


def test_a_row_with_a_long_text_and_a_cell_too_many_is_rejected_as_one() -> None:
    lines = HEVY.split("\n")
    lines[2] += ",,"
    result = read("\n".join(lines))
    [rejected] = result.rejected
    assert (rejected.source_line, rejected.payload) == (2, "\n".join(lines[1:3]))
    assert result.rows_read == 5


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda text, at: text[:at] + '"' + text[at:], id="a mark too many"),
        pytest.param(lambda text, at: text[:at] + text[at + 1 :], id="a character lost"),
    ],
)
@pytest.mark.parametrize(
    ("first", "last"), [pytest.param(3, 4, id="two-line row"), pytest.param(5, 5, id="one line")]
)
def test_no_damage_to_one_row_reaches_another(
    damage: Callable[[str, int], str], first: int, last: int
) -> None:
    """Every single position of the row is damaged once.

    A month that lost a letter may be another language: the file is refused with the line.
    """
    lines = HEVY.split("\n")
    victim = "\n".join(lines[first : last + 1])
    others = "\n".join(lines[:first] + lines[last + 1 :])
    untouched = {one for workout in workouts(read(others)) for one in identities(workout)}
    for position in range(len(victim)):
        damaged = damage(victim, position)
        try:
            result = read("\n".join([*lines[:first], damaged, *lines[last + 1 :]]))
        except CsvFormatError as error:
            assert damaged.count("Mar ") < victim.count("Mar ")
            assert f"ine {first + 1}" in str(error)  # noqa: PT017
            continue
        found = {one for workout in workouts(result) for one in identities(workout)}
        assert found >= untouched, damaged
        assert {one.source_line for one in result.rejected} <= set(range(first + 1, last + 2))


def identities(workout: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the identity of each set without its position, which a damaged neighbour changes."""
    return [
        (workout["title"], exercise["title"], one["type"], one["reps"], one["duration_seconds"])
        for exercise in workout["exercises"]
        for one in exercise["sets"]
    ]


def test_the_header_again_between_two_joined_files_is_one_rejected_row() -> None:
    result = read(hevy_export({}) + hevy_export({"title": "Lower"}))
    assert [workout["title"] for workout in workouts(result)] == ["Upper A", "Lower"]
    assert [one.source_line for one in result.rejected] == [3]


@pytest.mark.parametrize(
    ("year", "reason"), [("0202", "starts in the year 202"), ("2206", "which is in the future")]
)
def test_an_implausible_year_rejects_only_its_rows(year: str, reason: str) -> None:
    mistyped = {"start_time": f"4 Mar {year}, 18:02", "end_time": f"4 Mar {year}, 19:01"}
    result = read(hevy_export({}, mistyped, mistyped))
    assert len(result.workouts) == 1
    assert [reason in one.reason for one in result.rejected] == [True, True]
