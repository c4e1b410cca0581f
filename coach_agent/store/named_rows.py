"""Rows of a query as mappings."""

from typing import Any

import duckdb


def rows_of_athletes(found: duckdb.DuckDBPyConnection) -> dict[str, dict[str, Any]]:
    """Return the rows of an executed query by `athlete_id`; it has one row for an athlete."""
    names = [each[0] for each in found.description]
    rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    return {row["athlete_id"]: row for row in rows}
