"""Payloads for measurements: the simulated athlete's workouts with unique ids."""

from collections.abc import Iterator
from datetime import UTC, datetime

import orjson

from hevy_connector.simulator import demo_state

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)


def workout_payloads(count: int) -> Iterator[bytes]:
    """Yield workouts as JSON texts, with the service's order of keys."""
    workouts = demo_state(seed=1, now=NOW).workouts
    for number in range(count):
        workout = workouts[number % len(workouts)]
        yield orjson.dumps({**workout, "id": f"{number:08x}-0000-4000-8000-000000000000"})
