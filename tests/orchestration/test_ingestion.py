"""What goes wrong while one athlete's account is read, and whom it concerns."""

import errno
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from coach_agent.profile import AthleteProfile
from hevy_connector.client import HevyClient
from hevy_connector.landing import Landed, Record, land
from hevy_connector.simulator import SIMULATOR_KEY, demo_account, running_simulator
from hevy_connector.sync import fetch_routines
from orchestration.lib.ingestion import (
    EntityLoad,
    Source,
    collection_loader,
    load_for_all,
    load_routines,
)
from orchestration.lib.warehouse import open_warehouse


def load_with(tmp_path: Path, error: Exception) -> EntityLoad:
    """Read the routines of two athletes; the first one's reading ends with the error."""
    whole = collection_loader(fetch_routines)

    def load(source: Source) -> Landed:
        if source.athlete_id == "ann":
            raise error
        return whole(source)

    athletes = [
        AthleteProfile.model_validate({"id": name, "hevy": {"account": "simulator"}})
        for name in ("ann", "ben")
    ]
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        return load_for_all(
            load,
            athletes,
            lambda _: HevyClient(SIMULATOR_KEY, base_url=simulator.url),
            lambda: open_warehouse(tmp_path / "warehouse.duckdb"),
            "run",
        )


@pytest.mark.parametrize("kind", [OverflowError, duckdb.ConversionException])
def test_what_nobody_foresaw_in_one_account_leaves_the_others_alone(
    tmp_path: Path, kind: type[Exception]
) -> None:
    fault = kind("a load of 1e300 kg")
    loaded = load_with(tmp_path, fault)
    assert loaded.failures == {"ann": f"{kind.__name__}: a load of 1e300 kg"}
    assert loaded.faults == {"ann": fault}
    assert loaded.landed["ben"].added > 0
    assert not loaded.is_unusable


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "No space left on device"), duckdb.IOException("No space left")],
    ids=["system", "DuckDB"],
)
def test_a_full_disk_is_nobodys_alone(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(type(error), match="No space left"):
        load_with(tmp_path, error)


def test_routines_that_files_told_of_are_over_once_the_account_is_read(tmp_path: Path) -> None:
    path, now = tmp_path / "warehouse.duckdb", datetime(2026, 3, 4, tzinfo=UTC)
    told = [Record("csv-1", '{"id": "csv-1", "title": "Push", "exercises": []}')]
    with open_warehouse(path) as con:
        for athlete in ("ann", "ben"):
            land(con, "hevy_routines", athlete, told, now=now, run_id="import", origin="csv")
    ann = AthleteProfile.model_validate({"id": "ann", "hevy": {"account": "simulator"}})
    with running_simulator(demo_account(seed=1), api_key=SIMULATOR_KEY) as simulator:
        for _ in range(2):
            loaded = load_for_all(
                load_routines,
                [ann],
                lambda _: HevyClient(SIMULATOR_KEY, base_url=simulator.url),
                lambda: open_warehouse(path),
                "run",
            )
            assert not loaded.failures
    with open_warehouse(path, read_only=True) as con:
        rows = con.execute(
            "select athlete_id, is_deleted from raw.hevy_routines where origin = 'csv' order by all"
        ).fetchall()
        [(kept,)] = con.execute(
            "select count(distinct record_id) from raw.hevy_routines where origin = 'api'"
        ).fetchall()
    assert rows == [("ann", False), ("ann", True), ("ben", False)]
    assert kept == 4
