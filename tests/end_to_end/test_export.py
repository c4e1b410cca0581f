"""Released data is exported to files that other programs read, and imported unchanged."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

from hevy_connector.csv_imports.rows import cut_record
from orchestration.services.releases.export import hevy_lines
from tests.end_to_end.imports import Imports
from tests.end_to_end.world import FirstNight, Home, new_home

SETS = """
    select
        date_trunc('minute', started_at), title, exercise_title, exercise_index, set_index,
        set_type, superset_id, weight_kg, reps, distance_m, duration_s, rpe
    from fct_set inner join (select athlete_id, workout_id, title from fct_workout)
        using (athlete_id, workout_id)
    where athlete_id = '{}'
    order by all
"""


@pytest.fixture
def home(first_night: FirstNight) -> Home:
    return Home(first_night.folder, "http://127.0.0.1:9")


def test_hevys_form_is_read_back_to_the_same_sets(home: Home, imports: Imports) -> None:
    assert [Path(each).name for each in imports.exported["files"]] == ["exported.csv"]
    imported = imports.reports["again"]
    assert imported["rows_quarantined"] == imported["rows_repeated"] == []
    before = home.query(SETS.format("demo"), home.release)
    assert len(before) > 500
    other = Home(imports.folder, "http://127.0.0.1:9")
    assert other.query(SETS.format("again"), other.release) == before


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_every_released_table_and_the_memories_are_written_with_all_their_rows(
    home: Home, tmp_path: Path, form: str
) -> None:
    done = home.spotter("export", "--format", form, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    counted = dict(home.query("from manifest_marts", home.release))
    counted |= dict(home.query("select 'memories', count(*) from coach.memories"))
    with duckdb.connect() as con:
        assert {
            file.stem: con.sql(f"select count(*) from '{file}'").fetchall()[0][0]
            for file in (tmp_path / "out").iterdir()
        } == counted


def test_a_file_that_is_there_stays_unless_it_is_to_be_replaced(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("mine")
    done = home.spotter("export", "--format", "hevy-csv", "--out", file)
    assert (done.returncode, file.read_text()) == (2, "mine")
    assert "--replace" in done.stderr
    done = home.spotter("export", "--format", "hevy-csv", "--out", file, "--replace")
    assert done.returncode == 0, done.stderr
    assert file.read_text().startswith('"title","start_time"')
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--athlete", "stranger"), "no athlete 'stranger', but demo"),
        (("--out", "/dev/null/x.csv"), "cannot be written"),
    ],
)
def test_what_cannot_be_exported_is_said(
    home: Home, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    out = () if "--out" in arguments else ("--out", tmp_path / "x.csv")
    done = home.spotter("export", "--format", "hevy-csv", *out, *arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_before_the_first_release_the_next_step_is_told(tmp_path: Path) -> None:
    done = new_home(tmp_path, "http://127.0.0.1:9").spotter("export")
    assert done.returncode == 2
    assert "Run: spotter run" in done.stderr


def written(**performed: Any) -> list[str]:
    """Return the lines of one set, as in the marts, of an athlete in Berlin."""
    known = {
        "title": "'Push'",
        "started_at": "timestamp '2026-03-04 17:02:31'",
        "ended_at": "timestamp '2026-03-04 18:01:00'",
        "exercise_title": "'Bench Press'",
        "weight_kg": "72.5::double",
        "reps": "6",
        **dict.fromkeys(("distance_m", "duration_s", "rpe"), "null::double"),
        **performed,
    }
    workout = {name: known.pop(name) for name in ("title", "started_at", "ended_at")}

    def row(values: dict[str, str]) -> str:
        return ", ".join(f"{value} as {name}" for name, value in values.items())

    key = {"athlete_id": "'a'", "workout_id": "'w'"}
    place = {"superset_id": "null", "exercise_index": "0", "set_index": "0", "set_type": "'normal'"}
    with duckdb.connect() as con:
        con.execute("create table dim_athlete as select 'a' athlete_id, 'Europe/Berlin' timezone")
        con.execute(f"create table fct_workout as select {row(key | workout)}")
        con.execute(f"create table fct_set as select {row(key | place | known)}")
        return list(hevy_lines(con, None))


def test_a_line_is_written_as_hevy_writes_it() -> None:
    heading, line = written(rpe="8.5::double")
    assert heading == (
        '"title","start_time","end_time","description","exercise_title","superset_id",'
        '"exercise_notes","set_index","set_type","weight_kg","reps","distance_km",'
        '"duration_seconds","rpe"'
    )
    assert line == (
        '"Push","4 Mar 2026, 18:02","4 Mar 2026, 19:01","","Bench Press",,"",0,'
        '"normal",72.5,6,,,8.5'
    )


@pytest.mark.parametrize("begin", ["=", "+", "-", "@"])
def test_a_title_is_no_formula_for_a_spreadsheet_and_is_read_back_as_it_was(begin: str) -> None:
    """Spreadsheets ran a title of `=HYPERLINK(...)` on opening the file."""
    title = f'{begin}HYPERLINK("http://x")'
    lines = written(title=f"'{title}'", weight_kg="-2.5::double")
    assert lines[1].startswith(f'"\'{begin}HYPERLINK(""http://x"")",')
    cells, _ = cut_record([lines[1]], 0)
    assert cells[0] == title
    assert cells[9] == "-2.5"


def test_quotes_are_doubled_and_numbers_have_no_exponent() -> None:
    [_, line] = written(
        title="""'The "big" one'""",
        ended_at="null::timestamp",
        weight_kg="100::double",
        distance_m="2400::double",
        duration_s="810",
        reps="null::integer",
    )
    assert line == (
        '"The ""big"" one","4 Mar 2026, 18:02","4 Mar 2026, 18:02","","Bench Press",,"",0,'
        '"normal",100,,2.4,810,'
    )
