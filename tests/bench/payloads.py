"""Payloads to measure with: the simulated athlete's workouts, each under an id of its own."""

from collections.abc import Iterator
from datetime import UTC, datetime

import orjson

from hevy_connector.simulator import demo_state

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)


def workout_payloads(count: int) -> Iterator[bytes]:
    """So many workouts as JSON texts, in the order of keys in which the service answers."""
    workouts = demo_state(seed=1, now=NOW).workouts
    for number in range(count):
        workout = workouts[number % len(workouts)]
        yield orjson.dumps({**workout, "id": f"{number:08x}-0000-4000-8000-000000000000"})
