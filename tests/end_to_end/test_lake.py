"""A night on the lake, through the same commands, gives the same result as on the file."""

import copy
import json
import pickle
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hevy_connector.simulator import SIMULATOR_KEY, RunningSimulator, running_simulator
from tests.end_to_end.outcome import result
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import ROOT, FirstNight, Home, holders, put_count, simulated_world
from tests.lakes import Lakes
from tests.ports import free_port

# A night on a lake takes more than twice the time of one on the file.
pytestmark = [pytest.mark.long, names_its_target]


@dataclass(frozen=True)
class LakeNight:
    """A home on a lake after its first night, and the output of its command."""

    home: Home
    simulator: RunningSimulator
    told: str


@pytest.fixture(scope="module")
def night(lakes: Lakes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LakeNight]:
    folder = tmp_path_factory.mktemp("lake")
    with simulated_world(folder / "world", **lakes.new(folder / "world")) as (home, simulator):
        ran = home.spotter("run")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        yield LakeNight(home, simulator, ran.stdout + ran.stderr)


def test_a_night_on_the_lake_leaves_what_one_on_the_file_does(
    night: LakeNight, first_night: FirstNight
) -> None:
    on_file = Home(first_night.folder, "http://127.0.0.1:9")
    account = pickle.loads(first_night.account)  # noqa: S301 - of this run of the tests
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        expected = result(on_file, simulator)
    found = result(night.home, night.simulator)
    assert put_count(night.simulator) == 1
    assert not night.home.warehouse.exists()
    for table, rows in expected["marts"].items():
        assert found["marts"][table] == rows, table
    assert found == expected


def test_the_release_of_the_lake_is_described_as_that_of_the_file(
    night: LakeNight, first_night: FirstNight
) -> None:
    on_file = Home(first_night.folder, "http://127.0.0.1:9")
    for question in (
        "select table_name, comment from duckdb_tables() order by all",
        "select table_name, column_name, data_type, is_nullable, comment from duckdb_columns() "
        "where not internal order by all",
        "select table_name, constraint_type, constraint_column_names from duckdb_constraints() "
        "order by all",
    ):
        described = on_file.query(question, on_file.release)
        assert len(described) > 10
        assert night.home.query(question, night.home.release) == described


def test_the_lake_refuses_the_nulls_that_the_file_does(
    night: LakeNight, first_night: FirstNight
) -> None:
    on_file = Home(first_night.folder, "http://127.0.0.1:9")
    refused = (
        "select table_name, column_name from duckdb_columns() "
        "where schema_name = 'marts' and not is_nullable"
    )
    in_file = set(on_file.query(refused))
    assert len(in_file) > 100
    assert set(night.home.query(refused)) == in_file


def test_the_lake_and_its_release_have_the_same_marts(night: LakeNight) -> None:
    marts = night.home.query(
        "select table_name from duckdb_tables() where table_name not like 'manifest%' order by all",
        night.home.release,
    )
    assert len(marts) > 5
    for (mart,) in marts:
        counted = f"select count(*), bit_xor(hash(each)) from marts.{mart} as each"
        assert night.home.query(counted) == night.home.query(counted, night.home.release), mart


def test_the_same_commands_read_it(night: LakeNight) -> None:
    home = night.home
    assert home.spotter_json("plan", "show")["publication_state"] == "published"
    status = home.spotter_json("status")
    assert status["problems"] == []
    assert status["raw_rows"]["hevy_workouts"] > 0
    shown = home.spotter("status")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    looked = home.spotter_json("doctor")
    (warehouse,) = [each for each in looked if each["name"] == "warehouse"]
    assert warehouse["state"] == "ok", warehouse
    assert "postgresql://" in warehouse["text"]


def test_a_decision_is_replayed_from_it(night: LakeNight) -> None:
    decision, *_ = night.home.query("select decision_id from coach.decisions").pop()
    replayed = night.home.spotter("replay", decision)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


def test_a_backup_says_how_a_lake_is_backed_up(night: LakeNight, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    for command in (("backup", file), ("restore", file)):
        refused = night.home.spotter(*command)
        assert refused.returncode == 2
        assert "pg_dump" in refused.stderr
    assert not file.exists()


def test_the_catalog_is_dumped_as_told(night: LakeNight, lakes: Lakes, tmp_path: Path) -> None:
    told = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    (command,) = [line for line in told.splitlines() if line.startswith("pg_dump ")]
    program, *options, _ = shlex.split(command)
    subprocess.run(
        [lakes.postgres.programs / program, *options, night.home.extra["SPOTTER_LAKE_CATALOG"]],
        env={"PGPASSWORD": lakes.postgres.password},
        cwd=tmp_path,
        check=True,
    )
    assert "ducklake_snapshot" in (tmp_path / "lake.sql").read_text(encoding="utf-8")


def test_the_home_is_made_smaller(night: LakeNight) -> None:
    plan = night.home.spotter_json("plan", "show")
    assert night.home.spotter_json("compact", "--dry-run")["lake"]["merged_files"] == 0
    done = night.home.spotter_json("compact")
    assert done["lake"]["merged_files"] > 0
    assert night.home.spotter_json("plan", "show") == plan


def test_its_password_is_nowhere(night: LakeNight, lakes: Lakes) -> None:
    password = lakes.postgres.password
    assert holders(night.home, password) == []
    assert password not in night.told
    assert password not in lakes.dump(night.home.extra)


def test_what_was_decided_is_made_again_from_the_lake_of_then(night: LakeNight) -> None:
    """After later landings and decisions; a changed input with a changed hash is detected."""
    home = night.home
    [(first,)] = home.query("select decision_id from coach.decisions")
    night.simulator.account.log_workout(copy.deepcopy(night.simulator.account.workouts()[0]))
    for command in (["run"], ["check-in", "--pain", "knee:mild", "--minutes", "40"]):
        done = home.spotter(*command)
        assert done.returncode == 0, done.stdout + done.stderr
    decisions = [each for (each,) in home.query("select decision_id from coach.decisions")]
    assert len(decisions) == 3
    for decision in decisions:
        told = home.spotter_json("replay", decision, "--from-lake")
        assert (told["verdict"], told["differences"]) == ("equal", []), told
        assert told["seen_sha256"] == told["input_sha256"]
    assert "Equal, byte for byte" in home.spotter("replay", first, "--from-lake").stdout
    with home.opened(read_only=False) as con:
        con.execute(
            """
            update coach.decisions set input = changed, input_sha256 = sha256(changed)
            from (
                select regexp_replace(input::varchar, '"reps":[0-9]+', '"reps":99') as changed
                from coach.decisions where decision_id = $1
            )
            where decision_id = $1
            """,
            [first],
        )
    changed = home.spotter("replay", first, "--from-lake")
    assert changed.returncode == 1
    assert "reps: 99 →" in changed.stdout


def test_a_moment_that_the_lake_forgot_is_told(night: LakeNight) -> None:
    [(snapshot,)] = night.home.query("select min(snapshot_id) from coach.decisions")
    with night.home.opened(read_only=False) as con:
        con.execute(f"call ducklake_expire_snapshots('warehouse', versions => [{snapshot}])")
        [(decision,)] = con.execute(
            "select decision_id from coach.decisions where snapshot_id = $1", [snapshot]
        ).fetchall()
    forgotten = night.home.spotter("replay", decision, "--from-lake")
    assert (forgotten.returncode, forgotten.stdout) == (2, "")
    assert "The lake's snapshot of" in forgotten.stderr
    assert night.home.spotter("replay", decision).returncode == 0


def test_without_postgresql_the_doctor_says_what_to_do(night: LakeNight) -> None:
    catalog = f"postgresql://spotter@127.0.0.1:{free_port()}/lake"
    stranded = replace(night.home, extra={**night.home.extra, "SPOTTER_LAKE_CATALOG": catalog})
    looked = stranded.spotter("doctor", "--json")
    assert looked.returncode == 1
    (warehouse,) = [each for each in json.loads(looked.stdout) if each["name"] == "warehouse"]
    assert warehouse["state"] == "fail"
    assert "does not answer" in warehouse["text"]
    assert "PostgreSQL" in warehouse["fix"]


def test_a_lake_that_is_not_told_whole_is_refused(night: LakeNight) -> None:
    for name in ("SPOTTER_LAKE_CATALOG", "SPOTTER_LAKE_DATA"):
        untold = replace(night.home, extra={**night.home.extra, name: ""})
        refused = untold.spotter("status")
        assert refused.returncode == 2
        assert name in refused.stderr
