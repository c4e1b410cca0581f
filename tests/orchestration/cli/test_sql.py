"""SQL over the released marts: results, and messages for wrong queries."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest
from rich.console import Console

from orchestration.cli import app as cli
from orchestration.services.queries.sql_output import write_csv, write_json, write_table
from orchestration.services.queries.sql_session import (
    QueryError,
    ReleaseMissingError,
    in_child,
    open_release,
    run_sql,
)
from tests.end_to_end.world import ROOT


@pytest.fixture
def con(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    path = tmp_path / "marts.duckdb"
    with duckdb.connect(path) as writer:
        writer.execute("create table fct_set (title varchar, weight_kg double, is_working boolean)")
        writer.execute(
            "insert into fct_set values ('Squat, \"low\"', 82.5, true), ('', null, null)"
        )
    with open_release(path) as reader:
        yield reader


def table(con: duckdb.DuckDBPyConnection, query: str, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO())
    run_sql(con, query, lambda relation: write_table(relation, console))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_nothing_released_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(ReleaseMissingError, match="spotter run"),
        open_release(tmp_path / "marts.duckdb"),
    ):
        pass


@pytest.mark.parametrize(
    "statement",
    [
        "insert into fct_set values ('x', 1, true)",
        "copy fct_set to '{folder}/sets.csv'",
        "export database '{folder}/all'",
        "attach '{folder}/other.duckdb'",
        "from read_text('{folder}/other.txt')",
        "set enable_external_access = true",
    ],
)
def test_nothing_is_written_and_no_other_file_is_read(
    con: duckdb.DuckDBPyConnection, tmp_path: Path, statement: str
) -> None:
    (tmp_path / "other.txt").write_text("secret")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(QueryError, match=r"read-only|disabled|Cannot enable"):
        run_sql(con, statement.format(folder=tmp_path), lambda relation: relation.fetchall())
    assert sorted(tmp_path.rglob("*")) == before


def test_a_query_that_needs_the_disk_still_finds_it(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("set memory_limit = '60MB'")
    (last,) = con.execute(
        "select max(turn) from (select row_number() over (order by hash(n)) as turn "
        "from range(3000000) as numbers (n))"
    ).fetchall()
    assert last == (3000000,)


def test_a_table_shows_nulls_and_counts_rows(con: duckdb.DuckDBPyConnection) -> None:
    shown = table(con, "from marts.fct_set")
    assert 'Squat, "low"' in shown
    assert "null" in shown
    assert shown.rstrip().endswith("2 rows")
    assert table(con, "select 1 as one").rstrip().endswith("1 row")


def test_texts_are_shown_as_they_are(con: duckdb.DuckDBPyConnection) -> None:
    assert "[bold]x[/]" in table(con, "select '[bold]x[/]' as \"[red]\"")


def test_what_is_too_wide_is_shown_a_column_a_line(con: duckdb.DuckDBPyConnection) -> None:
    wide = "select " + ", ".join(f"{n} as column_{n}" for n in range(20))
    lines = [line.split() for line in table(con, wide).splitlines()]
    assert lines[:3] == [["row", "1"], ["column_0", "0"], ["column_1", "1"]]
    assert ["column_19", "19"] in lines


def test_a_long_result_is_cut_and_says_so(con: duckdb.DuckDBPyConnection) -> None:
    assert "The first 200 rows" in table(con, "from range(201)")
    assert "200 rows" in table(con, "from range(200)")


def test_json_is_json_whatever_the_type(
    con: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    query = """
        select 'ä"' as text, 1.50::decimal(9, 2) as price, 1 / 0 as infinite, null as nothing,
            date '2026-03-04' as on_date, [1, null] as list, {'a': 1} as struct, 1 as one, 2 as one
    """
    run_sql(con, query, write_json)
    assert json.loads(capsys.readouterr().out) == [
        {
            "text": 'ä"',
            "price": 1.5,
            "infinite": None,
            "nothing": None,
            "on_date": "2026-03-04",
            "list": [1, None],
            "struct": {"a": 1},
            "one": 1,
            "one_1": 2,
        }
    ]
    run_sql(con, "from fct_set where false", write_json)
    assert json.loads(capsys.readouterr().out) == []


def test_csv_tells_null_from_an_empty_text(
    con: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    run_sql(con, "from fct_set", write_csv)
    out = capsys.readouterr().out
    assert out == 'title,weight_kg,is_working\n"Squat, ""low""",82.5,true\n"",,\n'
    assert list(csv.reader(io.StringIO(out)))[1] == ['Squat, "low"', "82.5", "true"]


def test_rows_come_out_in_order_and_all_of_them(
    con: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    run_sql(con, "select range as n from range(30000) order by n desc", write_csv)
    assert capsys.readouterr().out.split() == ["n", *map(str, reversed(range(30000)))]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("selec 1", 'syntax error at or near "selec"'),
        ("from nowhere", "nowhere does not exist"),
        ("select title::int from fct_set", "Could not convert string"),
        ("delete from fct_set", "read-only"),
        ("create table other (a int)", "read-only"),
    ],
    ids=["syntax", "table", "while it runs", "delete", "create"],
)
def test_a_query_that_fails_is_told_in_the_users_terms(
    con: duckdb.DuckDBPyConnection, query: str, words: str
) -> None:
    with pytest.raises(QueryError) as error:
        run_sql(con, query, write_csv)
    assert words in str(error.value)
    assert "COLUMNS(*)" not in str(error.value)


def test_what_stands_before_a_failure_is_shown(
    con: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(QueryError):
        run_sql(con, "set threads = 1; select 1 as one; from nowhere; select 2 as two", write_csv)
    assert capsys.readouterr().out == "one\n1\n"


INTERRUPTED = """
import os, signal, sys, threading
from pathlib import Path
from orchestration.services.queries.sql_output import write_csv
from orchestration.services.queries.sql_session import QueryError, open_release, run_sql

# A suite that a shell began in the background hands down that it is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
with open_release(Path(sys.argv[1])) as con:
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        run_sql(con, "select sum(a.range) from range(1000000) a, range(100000000) b", write_csv)
    except (QueryError, KeyboardInterrupt):
        run_sql(con, "select 1 as one", write_csv)
"""


def test_after_an_interrupted_query_the_next_one_does_not_wait(
    con: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    # In a separate process: Ctrl-C affects the whole process.
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, tmp_path / "marts.duckdb"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("one\n1\n")


def test_csv_has_no_formulas_unless_they_are_asked_for(
    con: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    query = """
        select '=1+1' as "=name", '@SUM(A1)' as at, '+49' as plus, '\t=1' as tab, -2.5 as number,
        date '2026-03-01' as day, 'a=b' as inside, null::varchar as nothing
    """
    run_sql(con, query, write_csv)
    assert capsys.readouterr().out == (
        "'=name,at,plus,tab,number,day,inside,nothing\n"
        "'=1+1,'@SUM(A1),'+49,'\t=1,-2.5,2026-03-01,a=b,\n"
    )
    run_sql(con, query, lambda relation: write_csv(relation, keeps_formulas=True))
    assert "\n=1+1,@SUM(A1)," in capsys.readouterr().out


def ends_itself() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


@pytest.mark.parametrize(
    ("work", "code"), [(lambda: 0, 0), (lambda: 2, 2), (ends_itself, -signal.SIGKILL)]
)
def test_a_session_survives_a_statement_that_ends_its_process(
    work: Callable[[], int], code: int
) -> None:
    before = signal.getsignal(signal.SIGINT)
    assert in_child(work) == code
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    "statement",
    ["\udce9", "select '\ud800'", ";", ";;", "attach ':memory:' as other", "-- nothing"],
)
def test_a_statement_of_any_kind_ends_with_words_at_most(
    con: duckdb.DuckDBPyConnection, statement: str
) -> None:
    with suppress(QueryError):
        run_sql(con, statement, write_csv)
    assert con.execute("select 1").fetchall() == [(1,)]


def test_without_a_query_at_a_terminal_the_error_names_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    released = tmp_path / "release" / "marts.duckdb"
    released.parent.mkdir()
    duckdb.connect(released).close()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.argv", ["spotter", "sql"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    error = " ".join(capsys.readouterr().err.split())
    assert 'spotter sql "show tables"' in error
    assert f"duckdb -readonly {released}" in error
