"""All or nothing of what belongs together."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit what happens inside, or nothing of it if anything goes wrong."""
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()
