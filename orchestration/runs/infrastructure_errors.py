"""Distinguish infrastructure errors from errors of a single athlete."""

import errno
import re
import sqlite3

import duckdb

from orchestration.storage.extensions import ExtensionMissingError
from orchestration.storage.warehouse import CatalogLostError, WarehouseBusyError, is_lost_catalog
from orchestration.storage.warehouse_damage import WarehouseDamagedError

INFRASTRUCTURE_ERRORS = (
    OSError,
    ExtensionMissingError,
    WarehouseBusyError,
    WarehouseDamagedError,
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.FatalException,
    duckdb.InternalException,
)
"""Errors that also affect the next athlete: disk, memory, warehouse."""


def is_infrastructure_error(error: BaseException) -> bool:
    """Return true for `INFRASTRUCTURE_ERRORS` and for a lost lake catalog."""
    return isinstance(error, INFRASTRUCTURE_ERRORS) or is_catalog_lost(error)


def is_catalog_lost(error: BaseException) -> bool:
    """Return true if a lake lost its catalog; the stage is then retried without loss.

    Inside an open connection DuckDB raises several error types for it.
    """
    return isinstance(error, CatalogLostError) or (
        isinstance(error, duckdb.Error) and is_lost_catalog(str(error))
    )


_NO_SPACE = "no space left"
_NO_SPACE_IN_SQLITE = "database or disk is full"
# SQLite reports a shared memory file that cannot grow as this, like a disk that fails.
_IO_ERROR_IN_SQLITE = "disk i/o error"
_FORBIDDEN = re.compile(
    "permission denied|read-only file system|operation not permitted|readonly database"
    "|unable to open database file"
)

FULL = "The disk is full. Free some space (spotter doctor shows how much is free)"
_FULL_OR_FAILING = (
    "The disk is full or fails. Free some space (spotter doctor shows how much is free) and try "
    "again"
)
_READ_ONLY = "This folder or file may not be written. Give its owner the right to"
_SMALL = "The memory or the disk of the temporary folder is too small: end what else runs"
_DAMAGED = "Run: spotter doctor. If it finds the warehouse damaged, restore a backup"


def remedy(error: BaseException) -> str | None:
    """Return the required action for an error; None unless the machine caused it."""
    text = str(error).lower()
    number = error.errno if isinstance(error, OSError) else None
    of_sqlite = is_of_sqlite(error)
    if number in (errno.ENOSPC, errno.EDQUOT) or _NO_SPACE in text:
        return FULL
    if of_sqlite and _NO_SPACE_IN_SQLITE in text:
        return FULL
    if of_sqlite and _IO_ERROR_IN_SQLITE in text:
        return _FULL_OR_FAILING
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return _READ_ONLY
    if (of_sqlite or isinstance(error, OSError | duckdb.Error)) and _FORBIDDEN.search(text):
        return _READ_ONLY
    if isinstance(error, duckdb.OutOfMemoryException):
        return _SMALL
    return _DAMAGED if isinstance(error, duckdb.IOException | duckdb.FatalException) else None


def is_of_sqlite(error: BaseException) -> bool:
    """Return whether SQLite raised it, directly or through SQLAlchemy."""
    return isinstance(error, sqlite3.DatabaseError) or isinstance(
        getattr(error, "orig", None), sqlite3.DatabaseError
    )


def sentence(error: BaseException) -> str:
    """Return the first line of an error."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return line if line.endswith((".", "!", "?")) else f"{line}."
