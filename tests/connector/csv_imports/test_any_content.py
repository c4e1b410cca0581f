"""Property tests for any bytes: rejected with a reason, or every row and record is valid."""

import string
from datetime import UTC, datetime
from functools import partial

import duckdb
from hypothesis import given
from hypothesis import strategies as st

from hevy_connector.csv_imports import CsvImport, read_export
from hevy_connector.csv_imports.dialect_detection import (
    detect_layout,
    guess_table,
    mapped_layout,
)
from hevy_connector.csv_imports.dialects import HEVY as HEVY_APP
from hevy_connector.csv_imports.dialects import DistanceUnit, Unit
from hevy_connector.csv_imports.hevy import repair_hevy_cells
from hevy_connector.csv_imports.rows import cut_rows, text_lines
from hevy_connector.errors import CsvFormatError
from hevy_connector.raw.landing import land
from hevy_connector.raw.tables import create_raw_tables
from tests.connector.csv_imports.exports import (
    BERLIN,
    HEVY,
    HEVY_COLUMNS,
    STRONG,
    hevy_export,
    read,
)
from tests.connector.csv_imports.test_resaved import UNQUOTED
from tests.connector.csv_imports.test_strong import S3_WORKOUT, S4_KG, SAME_WORKOUT
from tests.profiles import examples

FILES = (
    HEVY,
    UNQUOTED,
    STRONG,
    hevy_export({}, {"set_index": "1", "exercise_notes": 'a;\n""b'}, delimiter=";").decode(),
    hevy_export({}, {"set_index": "1"}, columns=("", *HEVY_COLUMNS), delimiter="\t").decode(),
    *SAME_WORKOUT.values(),
    S3_WORKOUT,
    f'{S4_KG}\n2015-05-06 20:15:08,"A","Bench Press",0,60.0,8,0.0,0,""\n' * 2,
)
UNITS: tuple[tuple[Unit | None, DistanceUnit | None], ...] = (
    (None, None),
    ("kg", "km"),
    ("lb", "mi"),
)

texts = st.one_of(
    st.text(max_size=30),
    st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{0,20})?([eE][0-9]{1,4})?", fullmatch=True),
    st.from_regex(r"[0-9]{1,2} (Jan|Dec|Mai|EK\u0130) [0-9]{4}, [0-9]{2}:[0-9]{2}", fullmatch=True),
    st.from_regex(
        r"[0-9]{1,4}([-/.])[0-9]{1,2}\1[0-9]{1,4}( [0-9]{1,2}:[0-9]{2})?", fullmatch=True
    ),
    st.from_regex(r"([0-9]{1,7}h)?( [0-9]{1,7}m(in)?)?", fullmatch=True),
    st.sampled_from(["W", "F", "D", "Note", "Rest Timer", "1", "0", "kg", "lbs", "NaN", "1e400"]),
)


def read_or_refuse(
    content: bytes, units: tuple[Unit | None, DistanceUnit | None]
) -> CsvImport | None:
    """Parse the content with the checks of `read`; return None if it is rejected."""
    try:
        result = read(content, BERLIN, *units)
    except CsvFormatError as error:
        assert str(error)  # noqa: PT017  (either outcome is right)
        return None
    assert_no_line_is_lost(content, result)
    return result


def assert_no_line_is_lost(content: bytes, result: CsvImport) -> None:
    """Assert that every non-blank line after the header belongs to exactly one row."""
    lines = text_lines(content)
    mapping = guess_table(lines)
    layout = detect_layout(lines) if mapping is None else mapped_layout(lines, mapping)
    repair = partial(repair_hevy_cells, layout=layout) if layout.app is HEVY_APP else None
    rows = list(cut_rows(lines, layout.first_row_at, layout.width, layout.delimiter, repair))
    begun = {line for workout in result.workouts for line in workout.lines}
    begun |= {one.source_line or 0 for one in result.rejected}
    begun |= {one.line for one in result.repeated} | set(result.attached)
    assert begun == {row.line for row in rows}
    covered = [line for row in rows for line in range(row.line, row.last_line + 1)]
    assert len(covered) == len(set(covered))
    # A row of nothing but delimiters is blank; such a line inside a text is not.
    blank = set(string.whitespace + '"' + layout.delimiter)
    for number, line in enumerate(lines[layout.first_row_at :], start=layout.first_row_at + 1):
        assert number in covered or not line.strip() or set(line) <= blank
    for row in rows:
        assert row.text == "".join(lines[row.line - 1 : row.last_line]).removesuffix("\n")
    for rejected in result.rejected:
        assert rejected.payload in {row.text for row in rows if row.line == rejected.source_line}


@examples(150)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(max_size=300).map(str.encode),
        st.tuples(st.sampled_from(FILES), st.text(alphabet='",;\n\r\t 01aA', max_size=300)).map(
            lambda parts: (parts[0] + "\n" + parts[1]).encode()
        ),
        st.tuples(st.sampled_from(FILES), st.binary(max_size=40)).map(
            lambda parts: parts[0].encode() + parts[1]
        ),
    ),
    st.sampled_from(UNITS),
)
def test_any_bytes_are_refused_or_counted(
    content: bytes, units: tuple[Unit | None, DistanceUnit | None]
) -> None:
    read_or_refuse(content, units)


@examples(250)
@given(st.data(), st.sampled_from(FILES), st.sampled_from(UNITS))
def test_any_damage_to_a_file_is_refused_or_counted(
    data: st.DataObject, text: str, units: tuple[Unit | None, DistanceUnit | None]
) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 40)))
        middle = data.draw(
            st.one_of(
                st.sampled_from(["", '"', "\n", ",", ";", text[start:end] * 2, "\x00", "\r"]), texts
            )
        )
        text = text[:start] + middle + text[end:]
    if data.draw(st.booleans()):
        lines = text.split("\n")
        text = "\n".join(data.draw(st.permutations(lines)) if len(lines) < 12 else lines[::-1])
    read_or_refuse(text.encode(), units)


@examples(250)
@given(st.data(), st.sampled_from(FILES), st.sampled_from(UNITS))
def test_any_text_in_any_cell_is_refused_or_counted(
    data: st.DataObject, text: str, units: tuple[Unit | None, DistanceUnit | None]
) -> None:
    lines = text_lines(text.encode())
    layout = detect_layout(lines)
    rows = [
        list(row.cells)
        for row in cut_rows(lines, layout.first_row_at, layout.width, layout.delimiter)
        if row.fault is None
    ] or [[""] * layout.width]
    for _ in range(data.draw(st.integers(1, 4))):
        row = data.draw(st.sampled_from(rows))
        row[data.draw(st.integers(0, layout.width - 1))] = data.draw(texts)
    written = [
        layout.delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows
    ]
    content = "".join(lines[: layout.first_row_at]) + "\n".join(written)
    result = read_or_refuse(content.encode(), units)
    if result is not None and layout.has_header:
        # A text with a line feed may add a row, but never remove one.
        assert result.rows_read >= sum(any(cell.strip() for cell in row) for row in rows)


@examples(60)
@given(row=st.integers(0, 2), column=st.sampled_from(HEVY_COLUMNS), text=texts)
def test_any_text_in_a_cell_costs_that_row_alone(row: int, column: str, text: str) -> None:
    rows: list[dict[str, str]] = [{"set_index": str(index)} for index in range(3)]
    rows[row][column] = text
    try:
        result = read(hevy_export(*rows))
    except CsvFormatError:
        # One date of another style than the others makes the file unclear.
        assert column in ("start_time", "end_time")
        return
    assert result.rows_read == 3
    assert len(result.rejected) + len(result.repeated) <= 1


def test_the_same_file_gives_the_same_records() -> None:
    for text in FILES:
        results = [
            read_export(
                text.encode(),
                athlete_id="ann",
                timezone=BERLIN,
                weight_unit="kg",
                distance_unit="km",
            )
            for _ in range(2)
            if "Distance (meters)" not in text
        ]
        assert results[:1] == results[1:]


def test_the_strangest_values_that_are_read_can_be_landed() -> None:
    content = hevy_export(
        {
            "title": "\x00a\u2028💪🏽",
            "weight_kg": "9" * 15,
            "distance_km": "9" * 15,
            "reps": "9" * 9,
        },
        {"title": "\x00a", "weight_kg": "999999999999999.999999", "superset_id": "9" * 9},
        {"start_time": "2 Jan 1970, 00:00", "end_time": "30 Dec 9999, 23:59"},
        {"reps": "\x00"},
    )
    result = read(content)
    con = duckdb.connect()
    create_raw_tables(con)
    landed = land(
        con,
        "hevy_workouts",
        "ann",
        [workout.record for workout in result.workouts],
        now=datetime(2026, 3, 5, tzinfo=UTC),
        run_id="test",
        origin="csv",
        rejected=result.rejected,
    )
    assert (landed.added, landed.quarantined) == (3, 1)
    assert con.execute(
        "select count(*) from raw.hevy_workouts where json_valid(payload)"
    ).fetchone() == (3,)
