"""Reads without decisions: changes of the feed, and changes without an event."""

from dataclasses import replace
from pathlib import Path

import pytest

from hevy_connector.simulator import Account, SimulatedClock
from tests.end_to_end.targets import Place
from tests.end_to_end.world import NOW, put_count, simulated_world


@pytest.mark.long
def test_a_full_sync_finds_what_no_event_told_of(tmp_path: Path, place: Place) -> None:
    with simulated_world(tmp_path, **place(tmp_path)) as (home, simulator):
        first = home.spotter_json("sync")
        assert {one["kind"] for one in first["differences"]} == {"new"}

        state = simulator.account.state()
        workout = {**state.workouts[0], "title": "Renamed in retrospect"}
        silently = replace(state, workouts=[workout, *state.workouts[1:]])
        simulator.service.account = Account(silently, clock=SimulatedClock(NOW))

        assert home.spotter_json("sync")["differences"] == []
        done = home.spotter("sync", "--full", "--athlete", "demo")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Renamed in retrospect" in done.stdout
        assert "title:" in done.stdout
        assert put_count(simulator) == 0
