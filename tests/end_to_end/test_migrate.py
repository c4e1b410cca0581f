"""A warehouse is migrated into a lake and back, unchanged."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from hevy_connector.simulator import RunningSimulator
from orchestration.config.settings import load_settings
from orchestration.storage.warehouse import warehouse_exists
from tests.end_to_end.conftest import train
from tests.end_to_end.outcome import result
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import ROOT, SPOTTER, After, Home
from tests.lakes import Lakes

DEFINED = """
    select
        schema_name, table_name, column_name, data_type, is_nullable,
        nullif(column_default, 'NULL'),
        -- dbt gives the others theirs with the next build.
        if(schema_name = 'marts', comment, null)
    from duckdb_columns() where not internal and database_name = current_database() order by all
"""
KEPT = """
    select schema_name, table_name, constraint_type, constraint_column_names
    from duckdb_constraints() where database_name = current_database() order by all
"""

pytestmark = names_its_target


def told_commands(heading: str) -> list[str]:
    """Return the Spotter commands of docs/scaling.md under `heading`."""
    page = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    text = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```", text, flags=re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line.removeprefix(".venv/bin/spotter ") for line in lines if "spotter " in line]


@dataclass(frozen=True)
class TwoPlaces:
    """A home with the variables of a lake: with its file, and with that lake."""

    file: Home
    lake: Home
    simulator: RunningSimulator


@pytest.fixture
def places(after_first_night: After, lakes: Lakes, tmp_path: Path) -> Iterator[TwoPlaces]:
    with after_first_night(tmp_path) as (home, simulator):
        variables = lakes.new(tmp_path)
        yield TwoPlaces(
            replace(home, extra={**variables, "SPOTTER_TARGET": "embedded"}),
            replace(home, extra=variables),
            simulator,
        )


def contents(home: Home) -> dict[str, Any]:
    tables = home.query(
        "select schema_name || '.\"' || table_name || '\"' from duckdb_tables() "
        "where not internal and database_name = current_database() order by all"
    )
    return {
        table: home.query(f"select count(*), bit_xor(hash(each)) from {table} as each")
        for (table,) in tables
    }


@pytest.mark.long
def test_a_warehouse_is_moved_into_a_lake_and_back(places: TwoPlaces) -> None:
    assert told_commands("Set it up") == [
        "migrate --to lake",
        "doctor",
        "migrate --to embedded",
    ]
    before, defined, kept = (
        contents(places.file),
        places.file.query(DEFINED),
        places.file.query(KEPT),
    )
    plan = places.file.spotter_json("plan", "show")

    told = places.file.spotter_json("migrate", "--to", "lake")
    assert (told["was_there"], told["is_chosen"]) == (False, False)
    assert len(told["tables"]) == len(before)
    assert contents(places.lake) == before
    assert places.lake.spotter_json("plan", "show") == plan
    assert places.lake.spotter_json("status")["problems"] == []
    looked = {each["name"]: each["state"] for each in places.lake.spotter_json("doctor")}
    assert looked["warehouse"] == "ok"
    assert contents(places.file) == before, "the file is as it was"

    again = places.file.spotter("migrate", "--to", "lake")
    assert again.returncode == 0, again.stderr
    assert "already existed" in again.stdout
    assert "set SPOTTER_TARGET=lake" in again.stdout + again.stderr

    places.file.warehouse.rename(places.file.folder / "former.duckdb")
    back = places.lake.spotter_json("migrate", "--to", "embedded")
    assert back["tables"] == told["tables"]
    assert contents(places.file) == before
    assert places.file.query(KEPT) == kept
    assert places.file.query(DEFINED) == defined
    assert places.file.spotter_json("plan", "show") == plan
    assert not list(places.file.warehouse.parent.glob("warehouse*.moved*"))


@pytest.mark.long
def test_another_warehouse_is_not_written_over(places: TwoPlaces) -> None:
    assert places.file.spotter("migrate", "--to", "lake").returncode == 0
    with duckdb.connect(places.file.warehouse) as con:
        con.execute("delete from coach.publications")
    before = contents(places.file), contents(places.lake)
    for target in ("lake", "embedded"):
        refused = places.file.spotter("migrate", "--to", target)
        assert refused.returncode == 2
        assert "There is a warehouse already" in refused.stderr
        assert "coach.publications" in refused.stderr
    assert (contents(places.file), contents(places.lake)) == before


@pytest.mark.long
def test_what_is_killed_is_moved_when_it_is_called_again(places: TwoPlaces) -> None:
    before = contents(places.file)
    data = Path(places.lake.extra["SPOTTER_LAKE_DATA"])
    with subprocess.Popen(
        [SPOTTER, "migrate", "--to", "lake"],
        env=places.file.env,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None and not any(data.rglob("*.parquet")):
            pass
        process.kill()
    assert contents(places.file) == before
    assert not warehouse_exists(load_settings(places.lake.env).warehouse)
    again = places.file.spotter_json("migrate", "--to", "lake")
    assert not again["was_there"]
    assert contents(places.lake) == before


def test_there_must_be_something_to_move(places: TwoPlaces) -> None:
    refused = places.file.spotter("migrate", "--to", "embedded")
    assert refused.returncode == 2
    assert "spotter run" in refused.stderr


@pytest.mark.long
def test_the_next_night_goes_on_there(places: TwoPlaces, after_next_night: dict[str, Any]) -> None:
    assert places.file.spotter("migrate", "--to", "lake").returncode == 0
    train(places.simulator)
    ran = places.lake.spotter("run")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert result(places.lake, places.simulator) == after_next_night
