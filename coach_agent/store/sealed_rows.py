"""Stored rows, and the hash over them that shows whether one was changed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import duckdb

Row = Mapping[str, Any]


def rows_of(con: duckdb.DuckDBPyConnection, source: str, key: str) -> list[dict[str, Any]]:
    """Return the rows of one of our own tables, by column name."""
    cursor = con.execute(f"select * from {source}", [key])  # noqa: S608 - our own tables
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def rows_sha256(rows: Sequence[Row]) -> str:
    """Return the hash over all columns of rows; empty ones count as missing, like later columns."""
    stored = [{name: value for name, value in row.items() if value is not None} for row in rows]
    text = json.dumps(stored, sort_keys=True, separators=(",", ":"), default=_text)
    return hashlib.sha256(text.encode()).hexdigest()


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no form in a seal")
