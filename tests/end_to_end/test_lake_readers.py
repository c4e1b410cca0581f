"""Readers of a lake or its release during a night see a state before or after it."""

import copy
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from orchestration.config.settings import load_settings
from tests.end_to_end.lake_reader import States, look
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.world import ROOT, Home, simulated_world
from tests.lakes import Lakes

PROCESSES, READERS_EACH = 4, 5


def states(home: Home) -> States:
    seen = defaultdict[str, set[str]](set)
    look(load_settings(home.env).warehouse, home.release, seen)
    return seen


@names_its_target
@pytest.mark.long
def test_twenty_readers_of_a_night_see_nothing_torn(lakes: Lakes, tmp_path: Path) -> None:
    with simulated_world(tmp_path / "world", **lakes.new(tmp_path / "world")) as (home, simulator):
        assert home.spotter("run").returncode == 0
        before = states(home)
        simulator.account.log_workout(copy.deepcopy(simulator.account.workouts()[0]))
        command = [sys.executable, "-m", "tests.end_to_end.lake_reader", home.release]
        readers = [
            subprocess.Popen(
                [*command, str(READERS_EACH)],
                env=home.env,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(PROCESSES)
        ]
        try:
            ran = home.spotter("run")
            told = [json.loads(reader.communicate(timeout=120)[0]) for reader in readers]
        finally:
            for reader in readers:
                reader.kill()
                reader.wait()
        assert ran.returncode == 0, ran.stdout + ran.stderr
        after = states(home)
    assert [reader.returncode for reader in readers] == [0] * PROCESSES
    found = [each for process in told for each in process]
    assert len(found) == PROCESSES * READERS_EACH
    assert all(each["looks"] >= 2 for each in found)
    for what, was in before.items():
        for each in found:
            assert set(each["seen"][what]) <= was | after[what], what
        assert any(set(each["seen"][what]) >= was for each in found), "begun before the night"
        assert all(set(each["seen"][what]) >= after[what] for each in found), what
    assert before["release"] != after["release"]
