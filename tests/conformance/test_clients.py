"""Unmodified clients from PyPI against both profiles.

A failure here also occurs with the service: the simulator must not be more tolerant.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from hevy_connector.simulator import (
    SIMULATOR_KEY,
    RunningSimulator,
    demo_account,
    parse_quirks,
    running_simulator,
)
from tests.conformance.clients import run_client
from tests.connector.simulator.conftest import NOW

pytestmark = pytest.mark.long


@pytest.fixture(params=["live", "spec"])
def profile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def simulator(profile: str) -> Iterator[RunningSimulator]:
    with running_simulator(
        demo_account(seed=1, now=NOW), api_key=SIMULATOR_KEY, quirks=parse_quirks(profile)
    ) as running:
        yield running


def test_hevy_api_wrapper_works_as_with_the_service(
    simulator: RunningSimulator, profile: str
) -> None:
    on_both = {
        "workout pages": [10, 10, 10, 10, 10, 10, 1],
        "default page": 10,
        "count": 61,
        "workout": True,
        "unknown workout": "hevy_api_wrapper.NotFoundError",
        "events": 10,
        "create workout": "Created",
        "update workout": "Updated",
        "routine pages": [3, 1],
        "routine": "Upper A",
        "folder pages": [1],
        "folder": "Upper / Lower",
        # It lacks the types of the two stair machines, which are on the fourth page.
        "template pages": [100, 100, 100, "pydantic_core.ValidationError", 30],
        "template": "Bench Press (Barbell)",
        "history": 121,
        # It parses the rejection as JSON before it checks the status.
        "wrong key": "json.JSONDecodeError",
    }
    on_one = {
        "live": {
            "page past the end": "hevy_api_wrapper.NotFoundError",
            "no events": "pydantic_core.ValidationError",
            "create routine": "Created",
            "update routine": "Updated",
            # It sends the range as null, which a PUT rejects.
            "update routine without a range": "hevy_api_wrapper.ValidationError",
            "create folder": "Winter",
            "create template": "str",
        },
        "spec": {
            "page past the end": 0,
            "no events": 0,
            # It expects the response to be a list.
            "create routine": "pydantic_core.ValidationError",
            "update routine": "pydantic_core.ValidationError",
            "update routine without a range": "pydantic_core.ValidationError",
            "create folder": "pydantic_core.ValidationError",
            "create template": "int",
        },
    }
    found = run_client("hevy-api-wrapper", "run_hevy_api_wrapper.py", simulator.url, SIMULATOR_KEY)
    assert found == on_both | on_one[profile]


def test_hevy2garmin_works_as_with_the_service(simulator: RunningSimulator, profile: str) -> None:
    found: dict[str, Any] = run_client(
        "hevy2garmin", "run_hevy2garmin.py", simulator.url, SIMULATOR_KEY
    )
    assert found == {
        "count": 61,
        "all workouts": 61,
        "different workouts": 61,
        "newest is the first": True,
        "unknown workout": None,
        "routines": 4,
        "folders": 1,
        "templates": 10,
        "events": 10,
        "no events": {"page": 1, "page_count": 0, profile_key(profile): []},
        "wrong key": "HevyAuthError",
    }


def profile_key(profile: str) -> str:
    return "workouts" if profile == "live" else "events"
