"""Manifest of a release: content and provenance.

Stored three times: as tables `manifest` and `manifest_marts` of marts.duckdb, and as manifest.json
for tools without DuckDB.
"""

from datetime import datetime
from pathlib import Path

import duckdb
from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

MANIFEST_FILE = "manifest.json"

_TABLES = """
    create table marts.main.manifest (
        release_number bigint primary key,
        run_id varchar not null,
        git_commit varchar,
        spotter_version varchar not null,
        released_at timestamp not null,
        data_until timestamp
    );
    comment on table marts.main.manifest is 'One row: the release that this file is.';
    comment on column marts.main.manifest.release_number is 'Counts the releases of one home.';
    comment on column marts.main.manifest.run_id is 'The Dagster run that released.';
    comment on column marts.main.manifest.git_commit is
        'Commit of the code that built it; null outside a git checkout.';
    comment on column marts.main.manifest.spotter_version is 'Version of Spotter that built it.';
    comment on column marts.main.manifest.released_at is 'When it was released (UTC).';
    comment on column marts.main.manifest.data_until is
        'Start of the latest workout in it (UTC); null if there is none.';
    create table marts.main.manifest_marts (
        mart varchar primary key,
        row_count bigint not null
    );
    comment on table marts.main.manifest_marts is 'One row per released mart.';
    comment on column marts.main.manifest_marts.mart is 'Its table, and its Parquet file.';
    comment on column marts.main.manifest_marts.row_count is 'Its rows.';
"""


class ManifestError(Exception):
    """The manifest of a release cannot be read."""


class Manifest(BaseModel):
    """One release; times are UTC. `data_until` is the start of the latest workout in it."""

    model_config = ConfigDict(frozen=True)

    release_number: int
    run_id: str
    git_commit: str | None
    spotter_version: str
    released_at: AwareDatetime
    data_until: AwareDatetime | None
    row_counts: dict[str, int]


def write_manifest(con: duckdb.DuckDBPyConnection, manifest: Manifest) -> None:
    """Write the manifest into the database attached as `marts`."""
    con.execute(_TABLES)
    con.execute(
        "insert into marts.main.manifest values ($1, $2, $3, $4, $5, $6)",
        [
            manifest.release_number,
            manifest.run_id,
            manifest.git_commit,
            manifest.spotter_version,
            _naive(manifest.released_at),
            None if manifest.data_until is None else _naive(manifest.data_until),
        ],
    )
    for mart, row_count in manifest.row_counts.items():
        con.execute("insert into marts.main.manifest_marts values ($1, $2)", [mart, row_count])


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of the folder's current release; None before the first.

    Raises:
        ManifestError: it cannot be parsed.
    """
    path = folder / MANIFEST_FILE
    if not path.exists():
        return None
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        why = error.errors()[0]["msg"]
        raise ManifestError(
            f"{path} is damaged ({why}). Run: spotter run, which releases again."
        ) from error


def _naive(moment: datetime) -> datetime:
    """Return a time as marts store it: UTC without a time zone."""
    return moment.replace(tzinfo=None)
