"""The lake: a warehouse with tables in Parquet files and a catalog in PostgreSQL.

DuckLake supports any number of concurrent readers and writers, with snapshot isolation. The
required DuckDB extensions come as wheels of the same DuckDB version, so nothing is downloaded. It
enforces no keys: tables are created without them, and dbt's tests check uniqueness.
"""

import logging
import tempfile
from pathlib import Path
from threading import Lock
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import duckdb

from orchestration.config.lake import Lake, ObjectStore
from orchestration.storage.connection import connect_duckdb
from orchestration.storage.extensions import extension_path

CATALOG_NAME = "warehouse"

_EXTENSIONS = ("ducklake", "postgres_scanner")
_S3_EXTENSION = "httpfs"
# Small writes go into files, too: rows inlined into the catalog cause commit conflicts.
_ATTACH_OPTIONS = "data_inlining_row_limit 0, automatic_migration false"
_INDEX = "spotter_file_column_stats"
_ANOTHERS = "must be owner"  # PostgreSQL's message

_log = logging.getLogger(__name__)


def attach_lake(
    con: duckdb.DuckDBPyConnection,
    lake: Lake,
    *,
    name: str = CATALOG_NAME,
    read_only: bool = False,
    snapshot: int | None = None,
) -> None:
    """Attach the lake as `name`; a writable one is created if missing.

    With a `snapshot` that version is read, without statistics: DuckLake has only those of the
    latest one, and they can hide rows of another.

    Raises:
        ExtensionMissingError: the extensions are not installed.
        duckdb.Error: it cannot be reached; the message has no password.
    """
    for extension in (*_EXTENSIONS, *([_S3_EXTENSION] if lake.is_on_s3 else [])):
        con.execute(f"load '{quoted(str(extension_path(extension, 'lake')))}'")
    # Errors and catalogs contain the connection string, but never secrets.
    con.execute(
        "create or replace temporary secret lake_catalog "
        f"(type postgres, password '{quoted(lake.password)}')"
    )
    if lake.is_on_s3:
        con.execute(_s3_secret(lake.store))
    mode = "read_only" if read_only else _ATTACH_OPTIONS
    if snapshot is not None:
        mode += f", snapshot_version {snapshot}"
        con.execute("set disabled_optimizers = 'statistics_propagation'")
    con.execute(
        f"attach 'ducklake:postgres:{quoted(_libpq(lake.catalog))}' as {name} "
        f"(data_path '{quoted(lake.data)}', meta_secret 'lake_catalog', {mode})"
    )


def attach_snapshot(con: duckdb.DuckDBPyConnection, lake: Lake, *, name: str = CATALOG_NAME) -> int:
    """Attach the current snapshot of the lake, read-only, independent of later writes.

    Returns the snapshot number.

    Raises:
        ExtensionMissingError: the extensions are not installed.
        duckdb.Error: it cannot be reached, or does not exist yet; the message has no password.
    """
    attach_lake(con, lake, name=name, read_only=True)
    latest: list[tuple[int]] = con.execute(f"from {name}.current_snapshot()").fetchall()
    con.execute(f"detach {name}")
    attach_lake(con, lake, name=name, read_only=True, snapshot=latest[0][0])
    return latest[0][0]


def index_catalog(con: duckdb.DuckDBPyConnection) -> None:
    """Create a PostgreSQL index on the file statistics of the lake's catalog.

    DuckLake queries them for each condition of each query and creates no index: with 12,000 files
    such a query took 47 ms, and takes 0.02 ms with it. Without ownership of the catalog's tables no
    index is created, and a warning has the statement.

    Raises:
        duckdb.Error: the catalog does not answer.
    """
    catalog = f"'__ducklake_metadata_{CATALOG_NAME}'"
    known = f"select 1 from pg_indexes where indexname = ''{_INDEX}''"  # noqa: S608 - a constant
    if con.execute(f"from postgres_query({catalog}, '{known}')").fetchall():
        return
    wanted = (
        f"create index if not exists {_INDEX} on ducklake_file_column_stats (table_id, column_id)"
    )
    try:
        con.execute(f"call postgres_execute({catalog}, '{wanted}')")
    except duckdb.Error as error:
        if _ANOTHERS not in str(error):
            raise
        _log.warning("The lake is slower without an index that its owner must create: %s", wanted)


class _Engines:
    """Cache of this process's engines by lake and mode: loading the extensions takes 1 s."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._engines: dict[tuple[Lake, bool], duckdb.DuckDBPyConnection] = {}

    def connection(self, lake: Lake, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        with self._lock:
            engine = self._engines.get((lake, read_only))
            if engine is None:
                engine = _engine(lake, read_only=read_only)
                self._engines[lake, read_only] = engine
            return engine.cursor()

    def forget(self, lake: Lake) -> None:
        with self._lock:
            for read_only in (False, True):
                engine = self._engines.pop((lake, read_only), None)
                if engine is not None:
                    engine.close()


_ENGINES = _Engines()


def connect_lake(lake: Lake, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """Return a connection with the lake as its database; a process shares one engine.

    Raises:
        ExtensionMissingError: the extensions are not installed.
        duckdb.Error: it cannot be reached; the message has no password.
    """
    try:
        con = _ENGINES.connection(lake, read_only=read_only)
        con.execute(f"use {CATALOG_NAME}")
    except duckdb.Error:
        # Connections to a restarted catalog stay broken.
        _ENGINES.forget(lake)
        raise
    return con


def close_lake(lake: Lake) -> None:
    """Close this process's engines of a lake."""
    _ENGINES.forget(lake)


def _engine(lake: Lake, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    engine = connect_duckdb(settings=_engine_settings())
    try:
        attach_lake(engine, lake, read_only=read_only)
    except BaseException:
        engine.close()
        raise
    return engine


def _engine_settings() -> dict[str, str | bool | int]:
    """Return engine settings: no downloads, a folder for spill files, and no statistics of tables.

    For each column of each statement DuckLake asks the catalog twice whether an empty table has
    statistics: 97 ms for the 25 columns of one, which take 7 without. dbt joins large tables and
    has an engine of its own.
    """
    return {
        "disabled_optimizers": "join_order,statistics_propagation",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": str(Path(tempfile.gettempdir()) / "spotter-lake-spill"),
    }


def _libpq(url: str) -> str:
    """Convert a catalog's URL to a libpq connection string."""
    parts = urlsplit(url)
    words = {
        "host": parts.hostname or "",
        "port": str(parts.port or ""),
        "user": unquote(parts.username or ""),
        "dbname": unquote(parts.path.removeprefix("/")),
        **dict(parse_qsl(parts.query)),
    }
    return " ".join(f"{word}={_libpq_value(value)}" for word, value in words.items() if value)


def _libpq_value(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'" if escaped != value or " " in value else value


def _s3_secret(store: ObjectStore) -> str:
    words = {
        "key_id": store.key_id,
        "secret": store.secret,
        "session_token": store.session_token,
        "region": store.region,
    }
    if store.endpoint:
        endpoint: SplitResult = urlsplit(store.endpoint)
        words["endpoint"] = endpoint.netloc
        words["url_style"] = "path"
        words["use_ssl"] = str(endpoint.scheme == "https").lower()
    given = "".join(f", {word} '{quoted(value)}'" for word, value in words.items() if value)
    return f"create or replace temporary secret lake_store (type s3, provider config{given})"


def quoted(text: str) -> str:
    """Escape a text for an SQL literal: ATTACH and secrets accept no parameters."""
    return text.replace("'", "''")
