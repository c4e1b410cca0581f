"""Detection of the dialect by header, and rejection of other files as a whole."""

import pytest

from hevy_connector.csv_imports.dialects import APPS, is_person_column, plain_name
from hevy_connector.errors import CsvFormatError
from tests.connector.csv_imports.exports import (
    HEVY,
    HEVY_COLUMNS,
    S1,
    STRONG,
    all_sets,
    hevy_export,
    read,
    read_strong,
    renamed,
    workouts,
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "The file is empty", id="empty"),
        pytest.param(b"\xef\xbb\xbf\r\n \n", "The file is empty", id="blank"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00", "not UTF-8 text", id="picture"),
        pytest.param(HEVY.encode("utf-16"), "not UTF-8 text", id="UTF-16"),
        pytest.param(HEVY.encode() + b"\xe9", "not UTF-8 text", id="broken text at the end"),
        pytest.param(b"PK\x03\x04\x00\x00", "no export of Hevy, Strong or FitNotes", id="archive"),
        pytest.param(b"name,age\nAnn,30\n", "its first line is 'name,age'", id="another table"),
        pytest.param(b'"title,"start_time"\n', "cannot be read as column names", id="header"),
        pytest.param(
            "Дата,Название тренировки,Упражнение\n".encode(),
            "'Дата,Название тренировки,Упражнение'.*English, German, French or Chinese",
            id="another language",
        ),
        pytest.param(
            b'"date","weight_kg","fat_percent","neck_cm"\n"4 Mar 2026, 07:15",80,,\n',
            "body measurements",
            id="measurements",
        ),
        pytest.param(
            hevy_export({}, columns=tuple(set(HEVY_COLUMNS) - {"reps", "rpe"})),
            "no complete export of Hevy: it has no column reps, rpe",
            id="missing columns",
        ),
        pytest.param(
            hevy_export({}, columns=tuple(set(HEVY_COLUMNS) - {"weight_kg"})),
            "no column weight_kg or weight_lbs",
            id="missing weight",
        ),
        pytest.param(
            hevy_export({}, columns=(*HEVY_COLUMNS, "weight_lbs")),
            "more than one column for weight_kg or weight_lbs",
            id="two weights",
        ),
        pytest.param(
            hevy_export({}, columns=(*HEVY_COLUMNS, "superset_id")),
            "more than one column for superset_id",
            id="column twice",
        ),
        pytest.param(
            STRONG.replace("Set Order,", "").encode(),
            "no complete export of Strong: it has no column set order",
            id="Strong without set order",
        ),
    ],
)
def test_a_file_that_is_no_workout_export_is_refused_whole(content: bytes, message: str) -> None:
    with pytest.raises(CsvFormatError, match=message):
        read(content)


@pytest.mark.parametrize(
    ("column", "delimiter", "dialect"),
    [
        ("weight_kg", ",", "Hevy (kg, km)"),
        ("weight_lbs", ",", "Hevy (lb, km)"),
        ("weight_kg", ";", "Hevy (kg, km), semicolons"),
        ("weight_kg", "\t", "Hevy (kg, km), tabs"),
    ],
)
def test_the_dialect_has_a_display_name(column: str, delimiter: str, dialect: str) -> None:
    content = hevy_export({}, columns=renamed("weight_kg", column), delimiter=delimiter)
    assert (read(content).app, read(content).dialect) == ("Hevy", dialect)


def test_column_names_count_without_case_and_blanks() -> None:
    shouted = HEVY.replace('"title"', '" TITLE "').replace('"rpe"', '"Rpe"')
    assert read(shouted) == read(HEVY)


@pytest.mark.parametrize(
    "column",
    [
        *("user", "user_id", "User Name", "userid", "user_email", "athlete_id", "athlete_email"),
        *("lifter", "lifter_name", "client_name", "member", "trainee", "participant", "subject"),
        *("E-Mail", "email", "mail", "uid", "nick", "account", "owner", "customer_id", "person_id"),
        *("name", "full_name"),
    ],
)
def test_a_file_of_several_people_is_refused(column: str) -> None:
    columns = (column, *HEVY_COLUMNS)
    rows = [{column: "ann"}, {column: "Ann ", "set_index": "1"}]
    assert len(read(hevy_export(*rows, columns=columns)).workouts) == 1
    with pytest.raises(CsvFormatError, match=r"training of 2 people: its column .* 'ann', 'bob'"):
        read(hevy_export(*rows, {column: "bob"}, columns=columns))


def test_a_strong_file_of_several_people_is_refused() -> None:
    rows = ['"ann",2025-04-02 18:10:45,A,1h,Squat,1,0,5,0,0,,,', '"bob"' + ",," * 6]
    with pytest.raises(CsvFormatError, match="training of 2 people"):
        read_strong("\n".join([f"lifter,{S1}", *rows]))


def test_a_person_named_in_some_rows_only_is_one_person() -> None:
    columns = ("user", *HEVY_COLUMNS)
    result = read(hevy_export({"user": "ann"}, {"set_index": "1"}, columns=columns))
    assert len(result.workouts[0].lines) == 2


def test_every_name_of_a_column_is_written_as_headers_are_compared() -> None:
    for app in APPS:
        assert all(plain_name(name) == name for name in app.columns)
        assert not any(map(is_person_column, app.columns))
        assert set(app.required) <= {column.meaning for column in app.columns.values()}


@pytest.mark.parametrize("column", ["exercise_group", "first", "gym name", "personal_best", ""])
def test_a_column_that_names_no_person_may_hold_anything(column: str) -> None:
    rows = [{column: "a"}, {column: "b", "set_index": "1"}]
    assert len(all_sets(read(hevy_export(*rows, columns=(column, *HEVY_COLUMNS))))) == 2


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(hevy_export({}, columns=renamed("weight_kg", "weight_lbs")), id="pounds"),
        pytest.param(hevy_export({}, columns=HEVY_COLUMNS[::-1]), id="other order"),
        pytest.param(hevy_export({}, columns=(*HEVY_COLUMNS, "gym")), id="more columns"),
        pytest.param(hevy_export({}, delimiter=";"), id="other delimiter"),
        pytest.param(STRONG.encode(), id="other app"),
    ],
)
def test_a_file_of_several_exports_is_refused(other: bytes) -> None:
    with pytest.raises(CsvFormatError, match="holds several exports: line 3 is the header"):
        read(hevy_export({}) + other)


def test_the_same_header_again_is_no_other_export() -> None:
    result = read(hevy_export({}) + hevy_export({"set_index": "1"}))
    assert [one.source_line for one in result.rejected] == [3]
    assert len(all_sets(result)) == 2


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("9/1/2024 7:30", "13/1/2024 7:30", "2024-01-09T07:30:00+00:00"),
        ("9/1/2024 7:30", "9/13/2024 7:30", "2024-09-01T07:30:00+00:00"),
        ("1/13/2024 7:30", "9/1/2024 7:30", "2024-01-13T07:30:00+00:00"),
    ],
)
def test_a_file_without_a_header_may_begin_with_a_spreadsheet_date(
    first: str, second: str, expected: str
) -> None:
    rows = [f'{date};"Pull";"Row";1;50;kg;10;;;;0;"";"";44m' for date in (first, second)]
    result = read_strong("\n".join(rows))
    assert result.dialect == "Strong, semicolons, no header"
    assert workouts(result)[0]["start_time"] == expected
