"""Programmes from tables of weeks, days, exercises and sets."""

import csv
import io
import re
import string
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.programmes.files import ProgrammeError
from coach_agent.programmes.first_weeks import first_weeks
from coach_agent.programmes.set_notation import SKIPPED
from coach_agent.programmes.tables import COLUMNS, programme_of_table

TITLES = ("Squat (Barbell)", "Bench Press (Barbell)", "Lat Pulldown (Cable)", "Plank")
FILE = Path("my plan.csv")


def table(*rows: Sequence[object], header: str = "week,day,exercise,sets") -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return f"{header}\n{text.getvalue()}"


def test_weeks_days_and_groups_are_those_of_the_rows() -> None:
    programme = programme_of_table(
        table(
            (1, "Monday", "squat  (barbell)", "4x6 @75%"),
            (1, "Monday", "Plank", "3x30s"),
            (1, "Friday", "Bench Press (Barbell)", "3x5 @RPE 8"),
            ("Week 2", "Monday", "Squat (Barbell)", "1x5 @80%"),
            ("Week 2", "Monday", "Squat (Barbell)", "2x8 @60%"),
            ("Week 2", "Friday", "Bench Press (Barbell)", "3x4 @RPE 8"),
        ),
        FILE,
        TITLES,
        minutes=50,
    )
    [block] = programme.blocks
    assert (programme.name, programme.days_per_week, programme.minutes) == ("my-plan", 2, 50)
    assert block.days == {
        "Monday": {
            "squat-barbell": ("4x6 @75%", "1x5 @80%, 2x8 @60%"),
            "plank": ("3x30s", SKIPPED),
        },
        "Friday": {"bench-press-barbell": ("3x5 @RPE 8", "3x4 @RPE 8")},
    }
    assert programme.lifts["squat-barbell"].exercise == "Squat (Barbell)"
    sessions = first_weeks(programme, {"squat-barbell": 100}, 2)
    assert [(each.day, len(each.exercises)) for each in sessions] == [
        *(("Monday", 2), ("Friday", 1), ("Monday", 1), ("Friday", 1))
    ]
    assert [group.weight_kg for group in sessions[2].exercises[0].groups] == [80, 60]


def test_names_and_signs_of_spreadsheets_are_understood() -> None:
    """A short name means the usual exercise; one of several, as a raise, is unknown."""
    rows = ("Monday", "Squat", "3\u00d78\u201312"), ("Monday", "Lat pulldowns", "2xAMRAP")
    programme = programme_of_table(
        table(*rows, ("Friday", "bench", "3X5 (80%)"), header="day,exercise,sets"), FILE, TITLES
    )
    [block] = programme.blocks
    assert block.days == {
        "Monday": {"squat-barbell": "3x8-12", "lat-pulldown-cable": "2xmax"},
        "Friday": {"bench-press-barbell": "3x5 @80%"},
    }
    with pytest.raises(ProgrammeError, match=r"line 2: there is no exercise 'Raises'"):
        programme_of_table(
            table(("Monday", "Raises", "3x8"), header="day,exercise,sets"),
            FILE,
            (*TITLES, "Lateral Raise (Dumbbell)", "Standing Calf Raise (Machine)"),
        )


def test_drop_sets_may_have_a_row_of_their_own() -> None:
    """Their row was refused, as if nothing came before it."""
    header = "day,exercise,sets"
    rows = ("A", "Plank", "3x10"), ("A", "Plank", "2x8 drop @80%")
    [block] = programme_of_table(table(*rows, header=header), FILE, TITLES).blocks
    assert block.days == {"A": {"plank": "3x10, 2x8 drop @80%"}}
    wrong = (*rows, ("A", "Plank", "1x5"), ("B", "Plank", "2x8 drop @80%"))
    with pytest.raises(ProgrammeError) as caught:
        programme_of_table(table(*wrong, header=header), FILE, TITLES)
    last, first = str(caught.value).splitlines()
    assert last.startswith("my plan.csv, line 4: ")
    assert last.endswith("must have its drop sets last, as '3x10, 1x8 drop @80%'")
    assert first.startswith("my plan.csv, line 5: '2x8 drop @80%' must have a set before")


@pytest.mark.parametrize(
    ("sets", "kind"),
    [("5x5", "linear"), ("3x8-12", "double"), ("3x5 @80%", "none"), ("3x30s", "none")],
)
def test_only_the_same_sets_in_all_weeks_progress_by_themselves(sets: str, kind: str) -> None:
    programme = programme_of_table(
        table(("A", "Plank", sets), header="day,exercise,sets"), FILE, TITLES
    )
    assert programme.lifts["plank"].progression.kind == kind
    waves = programme_of_table(
        table((1, "A", "Plank", sets), (2, "A", "Plank", "2x2")), FILE, TITLES
    )
    assert waves.lifts["plank"].progression.kind == "none"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ((3, "8-12", "", "", ""), "3x8-12"),
        ((3, 5, "80", "", ""), "3x5 @80%"),
        ((3, 5, "80 %", "", ""), "3x5 @80%"),
        ((1, "5+", "", "8.5", ""), "1x5+ @RPE 8.5"),
        ((3, "max", "", "", 2), "3xmax @RIR 2"),
    ],
)
def test_a_count_stands_beside_repetitions_and_load(
    cells: tuple[object, ...], expected: str
) -> None:
    header = "day,exercise,sets,reps,percent,rpe,rir"
    programme = programme_of_table(table(("A", "Plank", *cells), header=header), FILE, TITLES)
    assert programme.blocks[0].days["A"]["plank"] == expected


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (("3x5", "", "80", "", ""), "percent cannot stand beside sets '3x5'"),
        (("3x5", "8", "", "", 2), "reps, rir cannot stand beside sets '3x5'"),
        ((3, 5, "80", "8", ""), "give one of percent, rpe"),
    ],
)
def test_no_cell_is_left_out(cells: tuple[object, ...], problem: str) -> None:
    header = "day,exercise,sets,reps,percent,rpe,rir"
    with pytest.raises(ProgrammeError, match=f"line 2: {problem}"):
        programme_of_table(table(("A", "Plank", *cells), header=header), FILE, TITLES)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (table((1, "A", "Squatt (Barbell)", "5x5")), r"line 2: .*Did you mean 'Squat \(Barbell\)'"),
        (table((1, "A", "Plank", "5 sets")), "line 2: '5 sets' must be sets x repetitions"),
        (table((1, "", "Plank", "5x5")), "line 2: day is empty"),
        (table(("x", "A", "Plank", "5x5")), "line 2: week 'x' must be a number from 1 to 16"),
        (table((1, "A", "Plank", "5x5"), (3, "A", "Plank", "5x5")), "line 3: .*no row of week 2"),
        (table((1, "A", "Plank", "5x5"), ("", "A", "Plank", "5x5")), "line 3: week is empty"),
        (table(*((1, f"D{n}", "Plank", "5x5") for n in range(8))), "line 9: a week has 8 days"),
        (table(header="week,day,exercise,set"), "line 1: .*unknown: set.*Did you mean 'sets'"),
        (table(header="week,day,sets"), "line 1: .*missing: exercise"),
        ("day,exercise,sets\nA,Plank,3x8, 2x5\n", "line 2: has more cells than the header"),
        (table(header=f"day,exercise,sets{'x' * 200_000}"), "line 1: is no CSV: field larger"),
        (table(), "line 1: there is no row"),
        ("", "line 1: .*missing: day, exercise, sets"),
    ],
)
def test_each_problem_has_file_and_line(text: str, problem: str) -> None:
    with pytest.raises(ProgrammeError, match=f"my plan.csv, {problem}"):
        programme_of_table(text, FILE, TITLES)


def test_all_problems_are_listed_in_the_order_of_the_lines() -> None:
    text = table((1, "", "Plank", "x"), (1, "A", "Planc", "5x5"), (0, "A", "Plank", "5x5"))
    with pytest.raises(ProgrammeError) as found:
        programme_of_table(text, FILE, TITLES)
    lines = [int(each) for each in re.findall(r"line (\d+):", str(found.value))]
    assert lines == [2, 2, 3, 4]


CELLS = st.text(string.printable + "é×–", max_size=12)  # noqa: RUF001 - a dash of a spreadsheet


@given(st.lists(st.lists(CELLS, min_size=1, max_size=9), max_size=6), st.booleans())
def test_any_table_becomes_a_programme_or_a_list_of_problems(
    rows: list[list[str]], has_header: bool
) -> None:
    problems = _problems(table(*rows, header=",".join(COLUMNS) if has_header else ""))
    assert all(each.startswith("my plan.csv") for each in problems)


def _problems(text: str) -> list[str]:
    try:
        programme_of_table(text, FILE, TITLES)
    except ProgrammeError as error:
        return str(error).splitlines()
    return []
