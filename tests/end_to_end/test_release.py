"""Readers and a concurrent night never disturb each other."""

import json
import multiprocessing
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from hevy_connector.client.client import HevyClient
from hevy_connector.simulator import SIMULATOR_KEY, RunningSimulator
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import ROOT, SPOTTER, After, Home

SPAWN = multiprocessing.get_context("spawn")
# The night needs the processor, too.
_BETWEEN_READS_S = 0.5
SETS = "select count(*), sum(reps), max(started_at) from marts.fct_set"


def analyse(folder: Path, pipe: Connection) -> None:
    """Run an analyst's process: one connection held open, and new ones repeatedly.

    Reads until the end of the pipe, and sends its counts on request. Any failure here ends the
    process.
    """
    held = duckdb.connect(folder / "marts.duckdb", read_only=True, config={"threads": 1})
    first = held.execute(SETS).fetchall()
    reads = 0
    while True:
        with duckdb.connect(folder / "marts.duckdb", read_only=True, config={"threads": 1}) as new:
            [(count, counted)] = new.execute("""
                select (select count(*) from fct_set), row_count
                from manifest_marts where mart = 'fct_set'
            """).fetchall()
            assert count == counted
            fresh = new.execute(SETS).fetchall()
        assert held.execute(SETS).fetchall() == first
        [(in_parquet,)] = held.execute(
            f"select count(*) from '{folder}/parquet/fct_set.parquet'"
        ).fetchall()
        reads += 1
        if not pipe.poll(_BETWEEN_READS_S):
            continue
        if pipe.recv() == "end":
            break
        pipe.send({"held": first[0][0], "new": fresh[0][0], "parquet": in_parquet, "reads": reads})


@dataclass(frozen=True)
class World:
    home: Home
    simulator: RunningSimulator

    def train(self, weight_kg: float) -> None:
        """Save one more workout of one set in the app."""
        with HevyClient(SIMULATOR_KEY, base_url=self.simulator.url) as hevy:
            template_id = next(iter(hevy.exercise_templates())).id
        workout = {
            "title": "Extra",
            "routine_id": None,
            "description": "",
            "start_time": "2026-03-04T17:00:00+00:00",
            "end_time": "2026-03-04T18:00:00+00:00",
            "exercises": [
                {
                    "index": 0,
                    "title": "unused",
                    "superset_id": None,
                    "exercise_template_id": template_id,
                    "notes": "",
                    "sets": [
                        {
                            "index": 0,
                            "type": "normal",
                            "weight_kg": weight_kg,
                            "reps": 5,
                            "distance_meters": None,
                            "duration_seconds": None,
                            "rpe": None,
                            "custom_metric": None,
                        }
                    ],
                }
            ],
        }
        httpx.post(f"{self.simulator.url}/simulator/workouts", json=workout).raise_for_status()


@pytest.fixture(scope="module")
def world(after_first_night: After, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with after_first_night(tmp_path_factory.mktemp("release")) as (home, simulator):
        yield World(home, simulator)


def ask(pipe: Connection, analyst: BaseProcess) -> dict[str, int]:
    """Return the analyst's counts after at least one read since the request."""
    answers = []
    for _ in range(2):
        pipe.send("look")
        assert pipe.poll(60), f"the analyst ended with {analyst.exitcode}"
        answers.append(pipe.recv())
    assert answers[1]["reads"] > answers[0]["reads"]
    return answers[1]


@pytest.mark.long
def test_an_analyst_reads_through_three_nights_and_a_failed_one(world: World) -> None:
    [(before,)] = world.home.query("select count(*) from fct_set", world.home.release)
    ours, theirs = SPAWN.Pipe()
    analyst = SPAWN.Process(target=analyse, args=(world.home.release.parent, theirs))
    analyst.start()
    # The child has its own end of the pipe: ours reports its exit.
    theirs.close()
    try:
        last = ask(ours, analyst)
        for night in (1, 2, 3):
            world.train(weight_kg=60 + night)
            done = world.home.spotter("run")
            assert done.returncode == 0, done.stderr
            found = ask(ours, analyst)
            assert (found["held"], found["new"]) == (before, before + night)
            assert found["parquet"] == before + night
            assert found["reads"] > last["reads"] + 5, "it read while the night went on"
            last = found
            if night == 1:
                fail_and_keep_the_release(world.home)
                assert {**ask(ours, analyst), "reads": 0} == {**last, "reads": 0}
            else:
                status = world.home.spotter_json("status")
                assert status["held_back_by"] is None
                assert status["release"]["release_number"] == 1 + night
        ours.send("end")
        analyst.join(60)
        assert analyst.exitcode == 0
    finally:
        analyst.kill()
        analyst.join()
    folder = world.home.release.parent
    kept = sorted(path.name for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    assert kept == ["000002", "000003", "000004"]


def fail_and_keep_the_release(home: Home) -> None:
    """Let a check fail a night and then remove the reason; the status reports the failure."""
    before = home.spotter_json("status")["release"]
    with home.opened(read_only=False) as con:
        con.execute("""
            insert into raw.hevy_workouts by name
            select * replace (
                'nobody' as athlete_id, 'mystery' as origin, now()::timestamp as loaded_at
            )
            from raw.hevy_workouts limit 1
        """)
    failed = home.spotter("run")
    assert failed.returncode == 1
    found = status_of_a_home_that_is_not_well(home)
    assert found["release"] == before
    assert found["held_back_by"] == found["last_run"]
    assert found["last_run"]["status"] == "FAILURE"
    assert list(found["last_run"]["failed_steps"]) == ["dbt_models"]
    (check,) = found["last_run"]["failed_checks"]
    assert check["check"] == "rules_of_fct_workout"
    assert "origin" in check["description"]
    assert "fct_workout" in failed.stderr

    # Another run, of a job that releases nothing, does not hide it.
    assert home.spotter("sync").returncode == 0
    later = status_of_a_home_that_is_not_well(home)
    assert (later["last_run"]["job"], later["last_run"]["status"]) == ("sync", "SUCCESS")
    assert later["held_back_by"] == found["held_back_by"]
    shown = " ".join(home.spotter("status").stdout.split())
    assert f"release {before['release_number']}, " in shown
    assert "held back by nightly, failure" in shown
    assert "origin" in shown

    with home.opened(read_only=False) as con:
        con.execute("""
            insert into raw.hevy_workouts by name
            select * replace (true as is_deleted, now()::timestamp as loaded_at)
            from raw.hevy_workouts where athlete_id = 'nobody'
        """)


def status_of_a_home_that_is_not_well(home: Home) -> Any:
    told = home.spotter("status", "--json")
    assert told.returncode == 1, told.stderr
    return json.loads(told.stdout)


def test_the_release_tells_where_it_comes_from(world: World) -> None:
    [(run_id, data_until)] = world.home.query(
        "select run_id, data_until from manifest", world.home.release
    )
    [latest] = world.home.query("select max(started_at) from fct_workout", world.home.release)
    assert (data_until,) == latest
    told = world.home.spotter_json("status")
    assert told["release"] == json.loads((world.home.release.parent / "manifest.json").read_text())
    assert told["release"]["run_id"] == told["last_run"]["run_id"] == run_id
    age = datetime.now(UTC) - datetime.fromisoformat(told["release"]["released_at"])
    assert 0 < told["release_age_s"] < age.total_seconds()
    assert told["held_back_by"] is None


@names_its_target
def test_every_mart_is_released_with_keys_comments_and_parquet(world: World) -> None:
    described = """
        select table_name, column_name, data_type, is_nullable, comment
        from duckdb_columns() where not internal and {} order by table_name, column_index
    """
    constraints = """
        select table_name, constraint_type, constraint_column_names
        from duckdb_constraints() where {} order by all
    """
    own = "schema_name = 'main' and table_name not like 'manifest%'"
    for question in (described, constraints):
        expected = world.home.query(question.format("schema_name = 'marts'"))
        assert len(expected) > 10
        found = world.home.query(question.format(own), world.home.release)
        # Keys are declared by the release alone.
        assert [row for row in found if "PRIMARY KEY" not in row] == expected
        assert len(found) > len(expected) or question == described
    parquet = world.home.release.parent / "parquet"
    counts = dict(world.home.query("from manifest_marts", world.home.release))
    assert {path.stem for path in parquet.iterdir()} == set(counts)
    for mart, count in counts.items():
        [(different,)] = world.home.query(
            f"""
            select count(*) from (
                (from "{mart}" except all from '{parquet}/{mart}.parquet')
                union all
                (from '{parquet}/{mart}.parquet' except all from "{mart}")
            )
            """,
            world.home.release,
        )
        assert different == 0, mart
        assert world.home.query(f'select count(*) from "{mart}"', world.home.release) == [(count,)]


def blocks(language: str) -> list[str]:
    text = (ROOT / "docs" / "release.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.M | re.S)


@pytest.fixture
def project(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Build a folder with the files that the commands of docs/release.md name."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "spotter").symlink_to(SPOTTER)
    (tmp_path / ".spotter").mkdir()
    (tmp_path / ".spotter" / "home").symlink_to(world.home.folder / "home")
    (tmp_path / "questions.sql").write_text("select 1 as one;\nselect 2 as two")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.long
def test_what_the_documentation_shows_works(world: World, project: Path) -> None:
    current = world.home.release.parent / "current"
    before = current.readlink()
    lines = [line.split("  #")[0].strip() for block in blocks("sh") for line in block.splitlines()]
    assert len(lines) == 10
    for line in lines:
        command = line.replace("000042", str(before))
        if shutil.which("duckdb") is None:
            command = command.replace("duckdb -readonly", "test -f")
        done = run_as_a_shell_would(world.home, project, command)
        assert done.returncode == 0, (command, done.stderr)
    assert current.readlink() == before
    assert len((project / "sets.csv").read_text().splitlines()) > 1000
    for block in blocks("python"):
        names: dict[str, Any] = {}
        exec(block, names)  # noqa: S102 - our own documentation
        assert len(names["sets"]) > 1000
    [sql] = blocks("sql")
    with duckdb.connect(world.home.release, read_only=True) as con:
        assert all(con.execute(each).fetchall() for each in con.extract_statements(sql))


def run_as_a_shell_would(
    home: Home, project: Path, command: str
) -> subprocess.CompletedProcess[str]:
    """Fork a plain command with its redirection; other commands run in a shell."""
    program, *arguments = shlex.split(command)
    if program != ".venv/bin/spotter":
        return subprocess.run(
            ["sh", "-c", command],
            env=home.env,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    given, written = "", None
    match arguments:
        case [*before, "<", name]:
            arguments, given = before, (project / name).read_text()
        case [*before, ">", name]:
            arguments, written = before, project / name
    done = home.spotter(*arguments, given=given, cwd=project)
    if written is not None:
        written.write_text(done.stdout)
    return done
