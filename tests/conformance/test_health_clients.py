"""Unmodified clients from PyPI against the simulated services of recovery data."""

from datetime import date

import pytest

from health_connector.simulator import (
    OURA_CLIENT_ID,
    OURA_CLIENT_SECRET,
    SIMULATED_KEY,
    SimulatedIntervals,
    SimulatedOura,
    running_service,
)
from tests.conformance.clients import run_client

pytestmark = pytest.mark.long


def test_oura_toolkit_reads_pages_and_rotates_its_tokens() -> None:
    nights = {
        f"{day}": {
            "id": f"{day}",
            "day": f"2026-03-{day:02}",
            "type": "long_sleep",
            "bedtime_start": f"2026-03-{day:02}T00:10:00+01:00",
            "bedtime_end": f"2026-03-{day:02}T07:00:00+01:00",
            "total_sleep_duration": 25_200,
            "average_hrv": 50 + day,
        }
        for day in range(1, 13)
    }
    readiness = {"r": {"id": "r", "day": "2026-03-02", "score": 71}}
    account = SimulatedOura(documents={"sleep": nights, "daily_readiness": readiness})
    refresh_token = account.grant()["refresh_token"]
    with running_service(account) as service:
        arguments = (service.url, OURA_CLIENT_ID, OURA_CLIENT_SECRET, refresh_token)
        found = run_client("oura-toolkit", "run_oura_toolkit.py", *arguments)
    assert found == {
        "rotated": True,
        "used refresh token": "TokenEndpointError 400",
        "athlete": "simulated-athlete",
        "nights": [f"2026-03-{day:02} {50 + day}" for day in range(1, 13)],
        "readiness": ["2026-03-02 71"],
        "wrong token": "UnauthorizedException 401",
    }


def test_intervals_kit_reads_wellness() -> None:
    wellness = {date(2026, 3, day): {"hrv": 60.5 + day, "restingHR": 50} for day in (1, 2, 3)}
    with running_service(SimulatedIntervals(wellness=wellness)) as service:
        found = run_client("intervals-kit", "run_intervals_kit.py", service.url, SIMULATED_KEY)
    assert found == {
        "athlete": "i1",
        "days": ["2026-03-01 61.5 50", "2026-03-02 62.5 50"],
        "wrong key": "AuthenticationError",
    }
