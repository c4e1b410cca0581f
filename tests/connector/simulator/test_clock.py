from datetime import UTC, datetime, timedelta

import pytest

from hevy_connector.simulator import SimulatedClock
from tests.connector.simulator.conftest import NOW, Api


def test_a_frozen_clock_moves_one_second_with_each_write() -> None:
    clock = SimulatedClock(NOW)
    assert clock.now() == clock.now() == NOW
    assert clock.tick() == NOW + timedelta(seconds=1)
    assert clock.tick() == NOW + timedelta(seconds=2)
    assert clock.now() == NOW + timedelta(seconds=2)


def test_a_real_clock_is_utc_and_never_repeats_a_millisecond() -> None:
    clock = SimulatedClock()
    before = datetime.now(UTC)
    first, second = clock.tick(), clock.tick()
    assert before <= first
    assert second - first >= timedelta(milliseconds=1)
    assert clock.now().tzinfo is UTC


def test_a_clock_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        SimulatedClock(datetime(2026, 10, 7))  # noqa: DTZ001 - the mistake itself


def test_reads_and_refused_writes_do_not_move_the_clock(api: Api) -> None:
    routine = api.get("/v1/routines")["routines"][0]
    refused = api.call("PUT", f"/v1/routines/{routine['id']}", json={"routine": routine})
    assert refused.status_code == 400
    [folder] = [
        api.call("POST", "/v1/routine_folders", json={"routine_folder": {"title": "x"}}).json()
    ]
    assert folder["routine_folder"]["created_at"] == "2026-10-07T04:00:01.000Z"
