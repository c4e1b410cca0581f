"""Warehouses as earlier commits made them, as SQL, each with the account that it was read from.

A file is named after the commit, which read a simulated account of eight workouts, decided and
published. It has the tables of that version, and all rows that Spotter and the snapshots keep; of
the catalogue only the exercises that are trained or planned. Facts are without rows, and the newest
file without what facts remember: dbt makes them anew when its rules are others or unknown.
"""

from datetime import UTC, datetime
from pathlib import Path

import duckdb

from hevy_connector.simulator.api.account import Account
from hevy_connector.simulator.api.clock import SimulatedClock
from hevy_connector.simulator.api.state_file import load_state

FOLDER = Path(__file__).parent
FORMER_VERSIONS = ("575b3c6", "70842f8", "1184a73", "fc1b01a", "03617b4")
"""From the oldest to the newest."""

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)

PROFILE = """
id = "kim"
timezone = "Europe/Berlin"
routines = ["Upper A", "Lower A", "Upper B", "Lower B"]

[hevy]
account = "simulator"

[publish]
mode = "auto"
"""
"""The athlete's profile, as the earlier versions had it."""


def make_former_warehouse(commit: str, path: Path) -> None:
    """Make the warehouse that a commit left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as con:
        con.execute(f"attach '{path}' as warehouse (storage_version 'v1.5.0')")
        con.execute("use warehouse")
        con.execute((FOLDER / f"{commit}.sql").read_text(encoding="utf-8"))


def former_account(commit: str) -> Account:
    """The account as that commit left it, with a clock that stands still."""
    state = load_state(FOLDER / f"{commit}.json")
    assert state is not None
    return Account(state, clock=SimulatedClock(NOW))
