"""Recognise a damaged warehouse: its log, its blocks, and the errors of DuckDB."""

import re
from pathlib import Path
from typing import IO

import duckdb

# First bytes of DuckDB's write-ahead log. DuckDB deletes a log that starts otherwise.
_LOG_BEGINS = bytes.fromhex("6400626500")
_DAMAGES = re.compile(r"\bWAL file\b|[Cc]orrupt|checksum|not a valid DuckDB")


class WarehouseDamagedError(Exception):
    """The warehouse or its write-ahead log is damaged."""


def require_log(path: Path) -> None:
    """Require a valid write-ahead log, if there is one."""
    try:
        with _log_of(path).open("rb") as log:
            begins = log.read(len(_LOG_BEGINS))
    except FileNotFoundError:
        return
    if begins != _LOG_BEGINS[: len(begins)]:
        raise _damaged(path, f"{_log_of(path).name} is no log of a warehouse")


def verify_blocks(file: IO[bytes], path: Path) -> None:
    """Verify each block checksum of a warehouse that is not being written.

    `file` is the warehouse, open for reading at its start. Closing it releases this process's lock
    on the warehouse, so close it after the last write.

    Raises:
        WarehouseDamagedError: a block is damaged or missing.
    """
    # numpy would slow the start of commands that only read.
    from orchestration.storage.block_checksums import damage_in

    if damage := damage_in(file):
        raise _damaged(path, damage)


def is_damage_message(text: str) -> bool:
    """Return true if an error of DuckDB, without the paths in it, is a damaged file."""
    return _DAMAGES.search(text) is not None


def raise_damage(path: Path, error: duckdb.Error) -> None:
    """Raise WarehouseDamagedError if an error of DuckDB is a damaged file."""
    if is_damage_message(str(error).replace(str(path), "")):
        raise _damaged(path, first_line(error)) from error


def _damaged(path: Path, why: str) -> WarehouseDamagedError:
    log = _log_of(path).name
    # DuckDB calls a damaged log the WAL file, this module uses its name.
    without = (
        f"move {log} out of the folder: that leaves what was there before its last writes. What "
        "came in since is read again, plans that were decided and sent since are lost"
        if log in why or "WAL file" in why
        else "run: spotter compact, which copies the data if the damage is in unused space"
    )
    return WarehouseDamagedError(
        f"The warehouse {path} is damaged: {why.rstrip('.')}. Nothing was changed. Restore a "
        f"backup: spotter restore FILE --replace. Without one, {without}."
    )


def first_line(error: duckdb.Error) -> str:
    """Return the first line of an error of DuckDB, without its full stop."""
    return str(error).strip().splitlines()[0].rstrip(".")


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.wal")
