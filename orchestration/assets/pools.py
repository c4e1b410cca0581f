"""Concurrency limit of the steps that write to the warehouse."""

from orchestration.config.settings import load_settings


def writer_pool() -> str | None:
    """Return the pool of writing steps: one at a time for a file, unlimited for a lake."""
    return "duckdb_writer" if load_settings().lake is None else None
