"""Tables of other sources, read by a mapping or the names of their columns."""
# ruff: noqa: RUF001 - letters of other scripts are the subject.

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hevy_connector.csv_imports import CsvImport, read_export
from hevy_connector.csv_imports.table_mapping import TableMapping
from hevy_connector.errors import CsvFormatError
from tests.connector.csv_imports.exports import UTC, all_sets, blocks, workouts

# A German spreadsheet: semicolons, decimal commas, a day per workout.
SHEET = """\
Datum;Übung;Gewicht;Wdh.;Art;Notiz
13.3.2026;Kniebeuge;60,5;5;Aufwärmen;
13.3.2026;Kniebeuge;100;5;Arbeit;tief
13.3.2026;Plank;;;Arbeit;
15.3.2026;Kniebeuge;102,5;5;;
"""
SHEET_MAPPING = TableMapping(
    "My sheet",
    {
        "date": "Datum",
        "exercise": "Übung",
        "weight": "Gewicht",
        "reps": "Wdh.",
        "set_type": "Art",
        "notes": "Notiz",
    },
    units={"weight": "kg"},
    set_types={"aufwärmen": "warmup", "arbeit": "normal"},
    is_workout_a_day=True,
)
# A log of an American app: month first, times of day, pounds in the header, miles in the rows.
LOG = """\
Session,Started,Movement,Load (lbs),Count,Length,Length unit,Clock,Effort
Push,3/13/2026 6:05 PM,Bench Press,135,8,,,,8.5
Push,3/13/2026 6:05 PM,Bench Press,135,8,,,,9
Run,3/14/2026 7:00 AM,Running,,,3.1,mi,0:27:30,
"""
LOG_MAPPING = TableMapping(
    "Log",
    {
        "workout": "Session",
        "date": "Started",
        "exercise": "Movement",
        "weight": "Load (lbs)",
        "reps": "Count",
        "distance": "Length",
        "distance_unit": "Length unit",
        "duration": "Clock",
        "rpe": "Effort",
    },
)
# Tab-separated, date and time apart, other columns between.
TABS = (
    "day\tclock\tlift\tkilos\tn\tmood\n"
    "2026-03-13\t18:05\tDeadlift\t140.0\t3\tgood\n"
    "2026-03-13\t18:05\tRow\t70\t10\tgood\n"
)
TABS_MAPPING = TableMapping(
    "Tabs",
    {"date": "day", "time": "clock", "exercise": "lift", "weight": "kilos", "reps": "n"},
    units={"weight": "kg"},
)


def read(content: str, mapping: TableMapping, timezone: ZoneInfo = UTC) -> CsvImport:
    return read_export(content.encode(), athlete_id="ann", timezone=timezone, mapping=mapping)


@pytest.mark.parametrize(
    ("content", "mapping", "starts", "sets"),
    [
        pytest.param(
            SHEET,
            SHEET_MAPPING,
            ["2026-03-13T12:00:00+00:00", "2026-03-15T12:00:00+00:00"],
            [(60.5, 5, "warmup"), (100, 5, "normal"), (None, None, "normal"), (102.5, 5, "normal")],
            id="spreadsheet",
        ),
        pytest.param(
            LOG,
            LOG_MAPPING,
            ["2026-03-13T18:05:00+00:00", "2026-03-14T07:00:00+00:00"],
            # 135 * 0.45359237
            [(61.23496995, 8, "normal"), (61.23496995, 8, "normal"), (None, None, "normal")],
            id="log",
        ),
        pytest.param(
            TABS,
            TABS_MAPPING,
            ["2026-03-13T18:05:00+00:00"],
            [(140, 3, "normal"), (70, 10, "normal")],
            id="tabs",
        ),
    ],
)
def test_a_table_is_read_by_its_mapping(
    content: str, mapping: TableMapping, starts: list[str], sets: list[Any]
) -> None:
    result = read(content, mapping)
    assert (result.app, result.rejected, result.repeated) == (mapping.name, (), ())
    assert result.rows_read == len(sets)
    assert [one["start_time"] for one in workouts(result)] == starts
    assert [(one["weight_kg"], one["reps"], one["type"]) for one in all_sets(result)] == sets


def test_distances_times_titles_and_effort_are_read() -> None:
    push, run = workouts(read(LOG, LOG_MAPPING))
    assert (push["title"], run["title"]) == ("Push", "Run")
    assert [one["rpe"] for one in push["exercises"][0]["sets"]] == [8.5, 9]
    [ran] = run["exercises"][0]["sets"]
    # 3.1 * 1609.344 m, 27 * 60 + 30 s
    assert (ran["distance_meters"], ran["duration_seconds"]) == (4988.9664, 1650)
    assert blocks(read(TABS, TABS_MAPPING)) == [("Deadlift", ["normal"]), ("Row", ["normal"])]


def test_a_row_with_an_unknown_word_is_rejected_alone() -> None:
    result = read(SHEET.replace("Arbeit;tief", "Myo;tief"), SHEET_MAPPING)
    [rejected] = result.rejected
    assert rejected.reason == (
        "Line 3: Art 'Myo' is not in set_types of the mapping, which has aufwärmen, arbeit."
    )
    assert len(all_sets(result)) == 3


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("Datum;Uebung;Gewicht;Wdh.;Art;Notiz", "no column 'Übung'. Did you mean 'Uebung'"),
        ("Datum;Übung;Gewicht;Wdh.;Datum;Notiz", "the file has 2 columns 'Datum'"),
        ("a;b;c;d;e;f", "no column 'Datum'. Its columns are 'a', 'b'"),
    ],
)
def test_a_file_without_the_columns_is_refused(header: str, message: str) -> None:
    with pytest.raises(CsvFormatError, match=message):
        read(SHEET.replace(SHEET.partition("\n")[0], header), SHEET_MAPPING)


def test_a_weight_without_a_unit_is_asked_for() -> None:
    with pytest.raises(CsvFormatError, match="--weight-unit kg or --weight-unit lb"):
        read(
            TABS.replace("kilos", "load"),
            TableMapping("Tabs", {**TABS_MAPPING.columns, "weight": "load"}),
        )


@pytest.mark.parametrize(
    ("zone", "written", "expected"),
    [
        # 06:30 in Tokyo, the next day.
        ("Asia/Tokyo", "2026-03-13T21:30:00Z", "2026-03-14T03:00:00+00:00"),
        # 21:30 in New York (-4), the day before.
        ("America/New_York", "2026-03-14T01:30:00Z", "2026-03-13T16:00:00+00:00"),
        ("America/New_York", "2026-03-13T21:30:00-04:00", "2026-03-13T16:00:00+00:00"),
    ],
)
def test_a_workout_a_day_counts_for_the_day_of_the_athlete(
    zone: str, written: str, expected: str
) -> None:
    sheet = f"Datum;\u00dcbung;Gewicht;Wdh.;Art;Notiz\n{written};Kniebeuge;100;5;;\n"
    [workout] = workouts(read(sheet, SHEET_MAPPING, ZoneInfo(zone)))
    assert workout["start_time"] == expected


def test_midnight_in_utc_is_a_time() -> None:
    """In New York it is 20:00 of the day before."""
    log = LOG.replace("3/13/2026 6:05 PM", "2026-03-14T00:00:00Z").replace(
        "3/14/2026 7:00 AM", "2026-03-15"
    )
    push, run = workouts(read(log, LOG_MAPPING, ZoneInfo("America/New_York")))
    assert push["start_time"] == "2026-03-14T00:00:00+00:00"
    # Noon in New York (-4).
    assert run["start_time"] == "2026-03-15T16:00:00+00:00"


@pytest.mark.parametrize(
    ("weight", "kg"),
    [
        ("1.002,5", 1002.5),
        ("1,002.5", 1002.5),
        ("1 002,5", 1002.5),
        ("1\u202f002,5", 1002.5),
        ("1'002.5", 1002.5),
        ("1.234.567", 1234567),
        ("1.002", 1.002),
        ("\u0666\u0662\u066b\u0665", 62.5),
        ("1.00,5", None),
        ("1.002.5", None),
        ("1 02", None),
    ],
)
def test_marks_of_thousands_are_read_where_they_are_no_decimal_marks(
    weight: str, kg: float | None
) -> None:
    content = f"Datum;Übung;Gewicht;Wdh.;Art;Notiz\n13.3.2026;Row;{weight};5;;\n"
    result = read(content, SHEET_MAPPING)
    assert [one["weight_kg"] for one in all_sets(result)] == ([] if kg is None else [kg])
    assert len(result.rejected) == (kg is None)


def read_alone(content: str) -> CsvImport:
    """The import of a table without a mapping."""
    return read_export(content.encode(), athlete_id="ann", timezone=UTC)


@pytest.mark.parametrize(
    ("content", "sets"),
    [
        pytest.param(
            "Data;Ćwiczenie;Seria;Ciężar (kg);Powtórzenia\n"
            "3.11.2026;Przysiad;1;100;5\n3.11.2026;Przysiad;2;102,5;5\n15.11.2026;Pompki;1;;12\n",
            [(100, 5), (102.5, 5), (None, 12)],
            id="Polish, numbered",
        ),
        pytest.param(
            "Jour;Exercice;Charge;Répétitions\n19/09/2026;Squat;72,5 kg;8\n19/09/2026;Dips;PDC;9\n",
            [(72.5, 8), (None, 9)],
            id="French, units in cells",
        ),
        pytest.param(
            "Date,Exercise,Sets,Reps,Weight (lbs)\n"
            "9/17/2026,Squat,3,5,225\n9/17/2026,Pull-ups,2,8,BW\n9/19/2026,Deadlift,1,5,275\n",
            # 225 and 275 * 0.45359237
            [(102.05828325, 5)] * 3 + [(None, 8)] * 2 + [(124.73790175, 5)],
            id="counted sets",
        ),
        pytest.param(
            "Дата\tУпражнение\tВес, кг\tПовторы\n2026-09-17\tЖим\t80\t8\n", [(80, 8)], id="Russian"
        ),
        pytest.param(
            "日付,種目,重量(kg),回数\n2026/09/17,スクワット,80,8\n", [(80, 8)], id="Japanese"
        ),
    ],
)
def test_a_table_with_usual_names_needs_no_mapping(content: str, sets: list[Any]) -> None:
    """Such a file was refused as no export of Hevy, Strong or FitNotes."""
    result = read_alone(content)
    assert result.rejected == result.repeated == ()
    assert [(one["weight_kg"], one["reps"]) for one in all_sets(result)] == sets
    assert result.dialect.startswith("Table, ")


def test_the_report_of_a_table_names_the_meaning_of_its_columns() -> None:
    result = read_alone("Datum;Übung;kg;Wdh.;Laune\n13.3.2026;Row;70;8;gut\n")
    assert result.dialect == (
        "Table, semicolons, 'Datum' is date, 'Übung' is exercise, 'kg' is weight, 'Wdh.' is reps"
    )
    assert result.unread_columns == ("laune",)


@pytest.mark.parametrize(
    ("header", "row", "unread"),
    [
        ("Time", "1:30", ("time",)),
        ("Time", "", ()),
        ("Notes,Comment", "wide,slow", ("notes", "comment")),
    ],
    ids=["unknown meaning", "blank", "one meaning"],
)
def test_columns_that_are_not_read_are_named(
    header: str, row: str, unread: tuple[str, ...]
) -> None:
    result = read_alone(f"Date,Exercise,Reps,{header}\n2026-03-13,Row,8,{row}\n")
    assert result.unread_columns == unread


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("Reps,kg,lb", "2 columns for weight: 'kg', 'lb'. .* --columns"),
        ("Reps,Wdh,kg", "2 columns for reps: 'Reps', 'Wdh'. .* --columns"),
        ("Reps,kg,kg", "2 columns for weight: 'kg', 'kg'"),
    ],
)
def test_two_columns_for_one_meaning_are_named(columns: str, message: str) -> None:
    """The file was refused as an incomplete export of FitNotes."""
    with pytest.raises(CsvFormatError, match=message):
        read_alone(f"Date,Exercise,{columns}\n2026-03-13,Row,8,70,154\n")


@pytest.mark.parametrize(
    "header",
    [
        pytest.param("Date,Exercise,Weight (kg),Notes", id="no repetitions"),
        pytest.param("Date,Exercise,Reps,Wdh", id="two columns for one meaning"),
        pytest.param("When,What,Reps,Weight (kg)", id="other words"),
    ],
)
def test_a_table_without_usual_names_is_refused(header: str) -> None:
    with pytest.raises(CsvFormatError):
        read_alone(f"{header}\n2026-03-13,Row,70,8\n")


def test_types_and_effort_of_a_table_are_read() -> None:
    """10 less the repetitions in reserve is the RPE; of counted sets the last one has it."""
    result = read_alone(
        "Date,Exercise,Set type,Sets,Reps,kg,RIR\n"
        "2026-03-13,Row,Warm-up,1,8,40,\n2026-03-13,Row,Top,3,8,70,1.5\n"
    )
    assert [(one["type"], one["rpe"]) for one in all_sets(result)] == [
        ("warmup", None),
        ("normal", None),
        ("normal", None),
        ("normal", 8.5),
    ]
    assert [one.lines for one in result.workouts] == [(2, 3)]


@pytest.mark.parametrize(
    ("times", "starts"),
    [
        (["18:00", "18:00", "18:00"], ["2026-03-13T18:00:00+00:00"]),
        (["18:00", "18:04", "18:09"], ["2026-03-13T12:00:00+00:00"]),
    ],
    ids=["of the workout", "of each set"],
)
def test_times_of_sets_are_one_workout(times: list[str], starts: list[str]) -> None:
    rows = "".join(f"2026-03-13 {time},Row,{8 + at},70\n" for at, time in enumerate(times))
    result = read_alone(f"Date,Exercise,Reps,kg\n{rows}")
    assert [one["start_time"] for one in workouts(result)] == starts


def test_a_load_in_pounds_in_the_cell_makes_the_file_one_in_pounds() -> None:
    result = read_alone("Date,Exercise,Reps,Weight\n2026-03-13,Row,8,155 lbs\n")
    assert result.is_in_pounds
    assert [one["weight_kg"] for one in all_sets(result)] == [70.30681735]


def test_a_number_of_sets_that_none_does_is_rejected() -> None:
    result = read_alone("Date,Exercise,Sets,Reps,kg\n2026-03-13,Row,300,8,70\n")
    [rejected] = result.rejected
    assert "Sets '300' is no number of sets from 1 to 30" in rejected.reason


def test_a_line_of_excel_before_the_names_is_skipped() -> None:
    result = read_alone("sep=;\nDatum;Übung;kg;Wdh.\n13.3.2026;Row;70;8\n")
    assert [(one["weight_kg"], one["reps"]) for one in all_sets(result)] == [(70, 8)]


@pytest.mark.parametrize(
    ("reps", "expected"),
    [
        ("3x8", [8, 8, 8]),
        ("3 \u00d7 8", [8, 8, 8]),
        ("8/8/7", [8, 8, 7]),
        ('"8, 7"', [8, 7]),
        ("8-8-7", [8, 8, 7]),
        ("8-10", None),
        ("40x8", None),
    ],
)
def test_a_row_may_have_the_repetitions_of_several_sets(
    reps: str, expected: list[int] | None
) -> None:
    result = read_alone(f"Date,Exercise,Reps,kg\n2026-03-13,Row,{reps},70\n")
    assert [one["reps"] for one in all_sets(result)] == (expected or [])
    assert len(result.rejected) == (expected is None)


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (["14/09/26", "16/09/26"], ["2026-09-14", "2026-09-16"]),
        (["9/14/26", "9/16/26"], ["2026-09-14", "2026-09-16"]),
        (["14.09.26", "16.09.26"], ["2026-09-14", "2026-09-16"]),
        (["14 Sep 2026", "Sep 16, 2026"], ["2026-09-14", "2026-09-16"]),
        (["14 septembre 2026", "16 octobre 2026"], ["2026-09-14", "2026-10-16"]),
    ],
)
def test_dates_as_people_write_them_are_read(dates: list[str], expected: list[str]) -> None:
    """Years of two digits and months in words without a time were no dates."""
    rows = "".join(f'"{date}",Row,8,70\n' for date in dates)
    result = read_alone(f"Date,Exercise,Reps,kg\n{rows}")
    assert [one["start_time"][:10] for one in workouts(result)] == expected


def test_a_year_of_two_digits_that_may_be_a_day_is_refused() -> None:
    rows = "".join(f"26/09/{day},Row,8,70\n" for day in (14, 16, 18))
    with pytest.raises(CsvFormatError, match=r"The year is ambiguous: '26/09/14' in line 2"):
        read_alone(f"Date,Exercise,Reps,kg\n{rows}")


def test_dates_that_cannot_be_read_are_named() -> None:
    with pytest.raises(CsvFormatError, match=r"Line 2: 'Monday .*is no date"):
        read_alone("Date,Exercise,Reps,kg\nMonday,Row,8,70\n")


def test_a_header_that_no_row_fits_is_a_damaged_export() -> None:
    """It was read as a table of its remaining columns, and each row was rejected."""
    damaged = "Date,Workout Name,Duration,Exercise Name,Set OWorkout Notes,RPE"
    row = '2025-04-02 18:10:45,"Lower",1h 4m,"Squat (Barbell)",1,100.0,5.0,0,0.0,,,8'
    with pytest.raises(CsvFormatError, match="no complete export of Strong"):
        read_export(f"{damaged}\n{row}\n".encode(), athlete_id="ann", timezone=UTC)
