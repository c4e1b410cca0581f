"""Marts as they were known at an earlier time, rebuilt from what had been stored by then."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from orchestration.dbt.checks import failures
from orchestration.dbt.runner import build, ensure_manifest
from orchestration.runs.provenance import provenance_of
from orchestration.services.releases.release import Release, release_marts
from orchestration.storage.home_files import COPYING
from orchestration.storage.warehouse import Warehouse, attach_warehouse, open_warehouse

RUN_ID = "as-of"
"""The run in the manifest of such a release: no run of the history made it."""

_SOURCE = "source"
_MODELS = ("--exclude-resource-type", "snapshot", "test")


class AsOfError(Exception):
    """The marts of that time cannot be built; the message has the reason."""


def release_as_of(
    warehouse: Warehouse, home: Path, moment: datetime, on_step: Callable[[str], None]
) -> Release:
    """Release the marts as they were known at a UTC time to `as-of/<date>` in the home.

    They are built in a temporary copy in the home; the warehouse is only read. Versions that were
    deleted after their retention period are missing.

    Raises:
        AsOfError: nothing was stored by then, or a model failed.
        WarehouseMissingError, WarehouseBusyError, duckdb.Error, OSError: nothing was released.
    """
    naive = moment.astimezone(UTC).replace(tzinfo=None)
    with TemporaryDirectory(prefix=COPYING, dir=home) as scratch:
        copy = Path(scratch) / "warehouse.duckdb"
        on_step("copying the warehouse")
        with _sources(warehouse, copy) as con:
            _require_data(con, naive)
        on_step("building the marts")
        variables = json.dumps({"as_of": naive.isoformat(sep=" ")})
        outcomes = build(copy, Path(scratch) / "target", (*_MODELS, "--vars", variables))
        if broken := failures(outcomes):
            raise AsOfError(f"A model could not be built: {broken[0]}")
        on_step("writing them")
        return release_marts(copy, folder_of(home, moment), provenance_of(RUN_ID), moment)


def folder_of(home: Path, moment: datetime) -> Path:
    """Return the folder of the marts as they were known at a UTC time."""
    return home / "as-of" / f"{moment:%Y-%m-%d}"


@contextmanager
def _sources(warehouse: Warehouse, copy: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Copy the tables that dbt reads into a new warehouse, and yield a connection to it."""
    manifest: Mapping[str, Any] = json.loads(ensure_manifest().read_text(encoding="utf-8"))
    tables = [(each["schema"], each["identifier"]) for each in manifest["sources"].values()]
    with open_warehouse(copy) as con:
        attach_warehouse(con, warehouse, name=_SOURCE)
        for schema, table in sorted(tables):
            name = f'{schema}."{table}"'
            con.execute(f"insert into {name} by name from {_SOURCE}.{name}")
        con.execute(f"detach {_SOURCE}")
        yield con


def _require_data(con: duckdb.DuckDBPyConnection, moment: datetime) -> None:
    first: datetime | None
    [(first,)] = con.execute("select min(loaded_at) from raw.hevy_workouts").fetchall()
    if first is None or first > moment:
        since = "There is no data" if first is None else f"The first data is of {first:%Y-%m-%d}"
        raise AsOfError(f"Nothing was known at {moment:%Y-%m-%d %H:%M} UTC. {since}.")
