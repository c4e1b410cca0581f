"""How many steps at a time may write to the warehouse."""

from orchestration.config.settings import load_settings


def writer_pool() -> str | None:
    """The pool of the steps that write: to a file one at a time, to a lake any number."""
    return "duckdb_writer" if load_settings().lake is None else None
