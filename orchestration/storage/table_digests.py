"""Digests of the tables that determine the result of a run."""

from collections.abc import Iterator

import duckdb

# Tables that a run writes, and no step reads before it has written them.
OUTPUTS = {
    ("coach", "briefings"),
    ("coach", "notifications"),
    ("coach", "plan_bases"),
    ("raw", "sync_state"),
}
_OUTPUT_COLUMNS = {("coach", "current_plans"): {"decided_at", "run_id"}}


def table_digests(
    con: duckdb.DuckDBPyConnection,
) -> Iterator[tuple[str, str, int, int | None]]:
    """Yield the row count and the digest of the rows of each input table."""
    columns: dict[tuple[str, str], list[str]] = {}
    for schema, table, column in con.execute("""
        select table_schema, table_name, column_name
        from information_schema.columns
        where
            table_catalog = current_database()
            and (
                table_schema in ('raw', 'coach', 'meta')
                or (table_schema = 'state' and table_name = 'rules')
            )
        order by all
    """).fetchall():
        columns.setdefault((schema, table), []).append(column)
    for (schema, table), names in columns.items():
        if (schema, table) in OUTPUTS:
            continue
        # A large text with a hash beside it need not be read.
        ignored = {name.removesuffix("_sha256") for name in names if name.endswith("_sha256")}
        ignored |= _OUTPUT_COLUMNS.get((schema, table), set())
        read = ", ".join(f'"{name}"' for name in names if name not in ignored)
        [(count, total)] = con.execute(
            f'select count(*), sum(hash({read})::hugeint) from {schema}."{table}"'  # noqa: S608
        ).fetchall()
        yield schema, table, count, total
