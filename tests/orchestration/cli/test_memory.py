"""`spotter memory`, `ask` and `export` show memories; a forgotten one is in none of them."""

import csv
import json
import re
import shlex
import shutil
import tarfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

from coach_agent.memory.memories import Kind, Memory, Role, Source, Statement
from coach_agent.store.memories import MemoryVersion, record_versions
from orchestration.cli.app import app
from orchestration.cli.commands import export
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.measures import day_text
from tests.end_to_end.world import ROOT
from tests.orchestration.holding import held_by_another_process
from tests.orchestration.services.answers.scenario import write_release

NOW = datetime.now(UTC)
HOSTILE = "Row\x1b]0;owned\x07 [red]"


def _memory(
    number: int, kind: Kind, subject: str, statement: Statement, athlete: str = "ann"
) -> MemoryVersion:
    days = [NOW.date() - timedelta(days=each) for each in range(4)]
    sources = [
        Source(mart="fct_workout", key=f"key {number} {place}", day=day)
        for place, day in enumerate(days)
    ]
    memory = Memory(
        athlete_id=athlete,
        kind=kind,
        subject=subject,
        statement=statement,
        sources=tuple(sources),
    )
    return MemoryVersion(number, 1, memory, NOW, None, "run")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    write_release(folder / "home")
    (folder / "athletes").mkdir()
    for athlete in ("ann", "bob"):
        profile = f'id = "{athlete}"\n[hevy]\naccount = "none"\n'
        (folder / "athletes" / f"{athlete}.toml").write_text(profile)
    with open_warehouse(folder / "home" / "warehouse.duckdb") as con:
        record_versions(
            con,
            [
                _memory(1, "training_days", "", Statement(weekdays=(0, 3))),
                _memory(2, "against_exercise", "ROW", Statement(title=HOSTILE)),
                _memory(3, "training_hour", "", Statement(start_minute=18 * 60)),
                _memory(1, "for_exercise", "SLED", Statement(title="Sled 777"), "bob"),
            ],
        )
    return folder


@pytest.fixture(autouse=True)
def home(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "copy"
    shutil.copytree(built, folder, symlinks=True)
    monkeypatch.setenv("SPOTTER_HOME", str(folder / "home"))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(folder / "athletes"))
    return folder


def spotter(*words: str, athlete: str = "ann") -> str:
    ran = CliRunner().invoke(app, [*words, "--athlete", athlete])
    assert ran.exit_code == 0, (ran.output, ran.exception)
    return ran.output


def memories(*words: str, athlete: str = "ann") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(spotter("memory", *words, "--json", athlete=athlete))
    return found


def test_the_list_has_number_sentence_confidence_and_evidence() -> None:
    told = spotter("memory")
    assert "1  You train on Mon and Thu." in told
    assert "% sure, guessed from 4 workouts; last" in told
    assert "777" not in told
    assert "777" in spotter("memory", athlete="bob")


def test_a_hostile_title_is_shown_as_text() -> None:
    told = spotter("memory")
    assert "\x1b" not in told
    assert "[red]" in told
    assert [each["statement"]["title"] for each in memories() if each["number"] == 2] == [HOSTILE]


def test_json_has_the_sources() -> None:
    [first, *_] = memories()
    assert (first["kind"], first["status"], first["version"]) == ("training_days", "guessed", 1)
    assert 0.7 < first["confidence"] < 0.8
    assert first["sources"][0] == {
        "mart": "fct_workout",
        "key": "key 1 0",
        "day": str(NOW.date()),
        "role": "supports",
    }


def test_show_lists_versions_with_their_rows() -> None:
    spotter("memory", "correct", "1", "--days", "tue, sat")
    told = spotter("memory", "show", "1")
    assert "You train on Mon and Thu." in told
    assert "You train on Tue and Sat." in told
    assert "fct_workout  key 1 3" in told
    assert [each["status"] for each in memories("show", "1")] == ["guessed", "corrected"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("confirm", "1"), "You train on Mon and Thu."),
        (("correct", "1", "--days", "FRI,mon,fri"), "You train on Mon and Fri."),
        (("correct", "3", "--start", "6:30"), "You start at about 06:30."),
    ],
)
def test_a_decision_is_shown_and_kept(words: tuple[str, ...], text: str) -> None:
    assert text in spotter("memory", *words)
    status = {"confirm": "confirmed", "correct": "corrected"}[words[0]]
    [found] = [each for each in memories() if str(each["number"]) == words[1]]
    assert (f"{found['text']}.", found["status"]) == (text, status)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("confirm", "9"), "no memory 9"),
        (("forget", "9"), "no memory 9"),
        (("show", "9"), "no memory 9"),
        (("correct", "2", "--minutes", "50"), "no value to correct"),
        (("correct", "1", "--minutes", "50"), "corrected with --days"),
    ],
)
def test_what_cannot_be_decided_changes_nothing(words: tuple[str, ...], error: str) -> None:
    before = memories()
    ran = CliRunner().invoke(app, ["memory", *words, "--athlete", "ann"])
    assert error in str(ran.exception)
    assert memories() == before


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ((), "Give one of"),
        (("--days", "mon", "--minutes", "50"), "Give one of"),
        (("--days", "funday"), "lists days"),
        (("--days", ""), "lists days"),
        (("--start", "25:00"), "a time such as"),
        (("--minutes", "0"), "greater than or equal to 1"),
    ],
)
def test_a_wrong_option_is_one_clear_error(options: tuple[str, ...], error: str) -> None:
    ran = CliRunner().invoke(app, ["memory", "correct", "1", *options, "--athlete", "ann"])
    assert ran.exit_code == 2
    assert error in ran.output


def test_options_of_the_list_are_refused_before_a_command() -> None:
    ran = CliRunner().invoke(app, ["memory", "--athlete", "ann", "forget", "1"])
    assert "after forget" in str(ran.exception)
    assert len(memories()) == 3


def exported(folder: Path, form: str) -> str:
    out = str(folder / f"out {form}")
    ran = CliRunner().invoke(app, ["export", "--format", form, "--out", out, "--replace"])
    assert ran.exit_code == 0, ran.output
    if form == "parquet":
        with duckdb.connect() as con:
            return str(con.execute(f"from '{out}/memories.parquet'").fetchall())
    with (Path(out) / "memories.csv").open(encoding="utf-8", newline="") as lines:
        return str(list(csv.DictReader(lines)))


def test_a_forgotten_memory_is_in_no_list_answer_or_export(home: Path) -> None:
    """Its statement, and the keys of its rows, are nowhere in the tables."""
    question = ("ask", "What do you know about me?")
    assert "You keep swapping Row" in spotter(*question)
    for form in ("csv", "parquet"):
        assert "key 2 3" in exported(home, form)
        assert "Sled 777" in exported(home, form)
    assert "Memory 2 is forgotten." in spotter("memory", "forget", "2")
    assert "Row" not in spotter("memory") + spotter(*question)
    for form in ("csv", "parquet"):
        told = exported(home, form)
        assert "key 2" not in told
        assert "against_exercise" not in told
        assert "key 1 3" in told
    with open_warehouse(home / "home" / "warehouse.duckdb", read_only=True) as con:
        tables = [
            con.execute(f"from coach.{each}").fetchall()
            for each in ("memories", "forgotten_memories")
        ]
    assert "owned" not in str(tables)
    assert len(tables[1]) == 1


def test_an_export_during_a_run_tells_that_memories_are_left_out(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "MEMORIES_WAIT_S", 0.1)
    words = ("export", "--format", "parquet", "--replace", "--out", str(home / "out"))
    with held_by_another_process(home / "home" / "warehouse.duckdb"):
        told = CliRunner().invoke(app, [*words])
        as_json = CliRunner().invoke(app, [*words, "--json"])
    assert (told.exit_code, as_json.exit_code) == (0, 0)
    assert "Look at memories: left out, since another process holds" in told.output
    reply = json.loads(as_json.stdout)
    [warning] = reply["warnings"]
    assert "spotter memory" in warning
    assert sorted(map(Path, reply["files"])) == sorted((home / "out").iterdir())
    again = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert again["warnings"] == []
    assert again["files"] == [*reply["files"], str(home / "out" / "memories.parquet")]


def run_commands_of(page: str) -> int:
    """Run each command of a page of the docs; return their number."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    [block] = re.findall(r"^```sh\n(.*?)^```", text, flags=re.M | re.S)
    commands = [shlex.split(line) for line in block.splitlines()]
    for program, *arguments in commands:
        assert program == ".venv/bin/spotter"
        assert spotter(*arguments)
    return len(commands)


def test_each_command_of_the_docs_works() -> None:
    assert run_commands_of("memory.md") == 5
    assert [each["number"] for each in memories()] == [2, 3]


def test_an_answer_has_facts_for_its_numbers() -> None:
    reply = json.loads(spotter("ask", "what have you learned about me?", "--json"))
    assert (reply["status"], reply["intent"]) == ("answered", "memories")
    assert reply["facts"][1] == {
        "shown": "You train on Mon and Thu",
        "source": {
            "mart": "coach.memories",
            "key": {"memory_number": 1, "version": 1},
            "column": "statement",
            "how": "value",
        },
    }


@pytest.mark.parametrize("opposed_days_ago", [(), (10, 20)])
def test_the_confidence_of_an_answer_is_the_one_of_its_row_with_its_date(
    home: Path, opposed_days_ago: tuple[int, ...]
) -> None:
    def sources(days_ago: tuple[int, ...], role: Role) -> tuple[Source, ...]:
        days = (NOW.date() - timedelta(days=each) for each in days_ago)
        return tuple(
            Source(mart="fct_workout", key=f"{role} {day}", day=day, role=role) for day in days
        )

    new = _memory(4, "for_exercise", "SLED", Statement(title="Sled"))
    rows = sources((30, 31, 32, 33, 34), "supports") + sources(opposed_days_ago, "opposes")
    old = replace(new, memory=new.memory.model_copy(update={"sources": rows}))
    with open_warehouse(home / "home" / "warehouse.duckdb") as con:
        record_versions(con, [old])
        [(stored,)] = con.execute(
            "select confidence from coach.memories where athlete_id = 'ann' and memory_number = 4"
        ).fetchall()
    reply = json.loads(spotter("ask", "what have you learned about me?", "--json"))
    facts = {
        each["source"]["column"]: each["shown"]
        for each in reply["facts"]
        if each["source"]["key"]["memory_number"] == 4
    }
    assert facts["confidence"] == f"{stored:.0%}".replace("%", " % sure")
    last, newest = (day_text(NOW.date() - timedelta(days=ago)) for ago in (30, 10))
    assert facts["last_seen_date"] == last
    [line] = [each for each in reply["text"].splitlines() if "Sled" in each]
    told = f"{facts['confidence']} on {newest if opposed_days_ago else last}, guessed from"
    assert told in line
    assert (f"last {last}" in line) == bool(opposed_days_ago)


def test_a_search_finds_memories_until_they_are_forgotten(home: Path) -> None:
    def hits(*words: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(spotter("search", *words, "--json"))["hits"]
        return found

    found = hits("training days Monday", "--kind", "memory")
    assert "You train on Mon and Thu" in [each["text"] for each in found]
    shown = spotter("search", "swapping")
    assert 'Memory: "You keep swapping Row' in shown
    assert "\x1b" not in shown
    assert "coach.memories[memory_number=2]" in shown
    assert "Sled" not in shown
    index = home / "home" / "search" / "ann.duckdb"
    assert b"swapping" in index.read_bytes()
    asked = json.loads(spotter("ask", "what did I write about swapping?", "--json"))
    assert asked["status"] == "answered"
    assert "You keep swapping Row" in asked["text"]
    assert asked["facts"][0]["source"]["key"] == {"memory_number": 2}
    spotter("memory", "forget", "2")
    assert b"swapping" not in index.read_bytes()
    assert "swapping" not in spotter("search", "swapping")


def test_each_command_of_the_page_about_search_works() -> None:
    assert run_commands_of("search.md") == 3


def test_a_new_programme_names_the_memories_that_changed_it() -> None:
    found = json.loads(spotter("program", "new", "--json"))
    assert found["request"]["days"] == 2
    assert found["memories"] == [{"number": 1, "text": "You train on Mon and Thu"}]
    assert "Memory 1: You train on Mon and Thu" in spotter("program", "new")
    given = json.loads(spotter("program", "new", "--days", "3", "--json"))
    assert (given["request"]["days"], given["memories"]) == (3, [])
    spotter("memory", "forget", "1")
    assert json.loads(spotter("program", "new", "--json"))["memories"] == []


def test_a_forgotten_memory_is_in_no_byte_of_warehouse_and_backup(
    home: Path, tmp_path: Path
) -> None:
    warehouse = home / "home" / "warehouse.duckdb"
    with open_warehouse(warehouse) as con:
        record_versions(
            con, [_memory(7, "for_exercise", "ZERCHER", Statement(title="Zerchersquat"))]
        )
    assert b"Zerchersquat" in warehouse.read_bytes()
    told = spotter("memory", "forget", "7")
    assert told == "Memory 7 is forgotten.\n"
    assert b"Zerchersquat" not in warehouse.read_bytes()
    assert [each["number"] for each in memories()] == [1, 2, 3]
    file = tmp_path / "backup.tar"
    ran = CliRunner().invoke(app, ["backup", str(file)])
    assert ran.exit_code == 0, (ran.output, ran.exception)
    with tarfile.open(file) as tar:
        contents = [tar.extractfile(each) for each in tar if each.isfile()]
        texts = [each.read() for each in contents if each is not None]
    assert any(b"Memory" in each or b"training_days" in each for each in texts)
    assert not any(b"Zerchersquat" in each for each in texts)
