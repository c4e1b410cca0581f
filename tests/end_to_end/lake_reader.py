"""Readers of a lake and its release, in their own process, until the end of input.

`python -m tests.end_to_end.lake_reader <release> <count>`: at the end of its input it prints, as
JSON, the number of reads and all observed states of a mart and of the release.
"""

import json
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import duckdb

from orchestration.config.settings import load_settings
from orchestration.storage.warehouse import Warehouse, open_warehouse

MARTS = ("fct_workout", "fct_set", "fct_exercise_session", "fct_muscle_week", "coach_context")

_PAUSE_S = 1.0

States = dict[str, set[str]]


def state_of(con: duckdb.DuckDBPyConnection, mart: str) -> str:
    """Return a mart's number of rows and their hash."""
    counted = f"select count(*), bit_xor(hash(each)) from marts.{mart} as each"
    return str(con.execute(counted).fetchone())


def look(warehouse: Warehouse, release: Path, seen: States) -> None:
    """Read each mart of the lake, and all of them together in the release."""
    with open_warehouse(warehouse, read_only=True) as con:
        for mart in MARTS:
            seen[mart].add(state_of(con, mart))
    with duckdb.connect(release.resolve(), read_only=True) as con:
        seen["release"].add(" ".join(state_of(con, mart) for mart in MARTS))


def read(warehouse: Warehouse, release: Path, end: Event) -> tuple[int, States]:
    """Read until the end; return the number of reads and the states."""
    looks, seen = 0, defaultdict[str, set[str]](set)
    while not end.wait(_PAUSE_S):
        look(warehouse, release, seen)
        looks += 1
    look(warehouse, release, seen)
    return looks + 1, seen


def main(release: Path, count: int) -> None:
    """Read until the input ends, and print the result."""
    warehouse, end = load_settings().warehouse, Event()
    with ThreadPoolExecutor(count) as pool:
        readers = [pool.submit(read, warehouse, release, end) for _ in range(count)]
        sys.stdin.read()
        end.set()
        told = [each.result() for each in readers]
    print(
        json.dumps(
            [
                {"looks": looks, "seen": {k: sorted(v) for k, v in seen.items()}}
                for looks, seen in told
            ]
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
