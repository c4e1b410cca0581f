"""Disks that are full, read-only or lose data: one message, and recovery."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hevy_connector.simulator import RunningSimulator
from tests.end_to_end.outcome import result
from tests.end_to_end.small_disk import NoMountsError, SmallDisk, small_disk
from tests.end_to_end.targets import names_its_target
from tests.end_to_end.watched_run import run_until
from tests.end_to_end.world import Home, put_count

pytestmark = names_its_target  # file targets only

# Writes to the warehouse and exits before a checkpoint moves the data into the file.
WRITER = """
import os, sys, duckdb
con = duckdb.connect(sys.argv[1])
con.execute("set checkpoint_threshold = '1GB'")
for _ in range(20):
    con.execute("delete from raw.hevy_workouts where record_id in "
                "(select record_id from raw.hevy_workouts limit 5)")
os._exit(0)
"""


@contextmanager
def disk_of(world: Home, *, history_apart: bool = False) -> Iterator[SmallDisk]:
    beside = world.folder.with_name(f"{world.folder.name}_disk")
    try:
        with small_disk(world, beside, history_apart=history_apart) as disk:
            yield disk
    except NoMountsError as reason:
        pytest.skip(str(reason))


def told(code: int, stderr: str) -> str:
    """Return the short message of a failed command, without a traceback."""
    assert code in (1, 2), stderr
    assert "Traceback" not in stderr, stderr
    assert len(stderr.splitlines()) <= 8, stderr
    return " ".join(stderr.split())


@pytest.mark.long
@pytest.mark.parametrize("history_apart", [True, False], ids=["data", "data and Dagster"])
def test_a_disk_that_fills_up_during_nights_keeps_what_was_there(
    trained: tuple[Home, RunningSimulator],
    after_another_run: dict[str, Any],
    history_apart: bool,
) -> None:
    """Each night resumes the one before: landing, dbt, then the release.

    The last one had decided already, so the next run reuses its plan.
    """
    world, simulator = trained
    before = result(world, simulator)
    with disk_of(world, history_apart=history_apart) as disk:
        for step in ("raw__hevy_workouts", "dbt_models", "release__marts"):
            with run_until(disk.home, step, around=disk.around) as process:
                disk.fill()
                _, stderr = process.communicate()
            message = told(process.returncode, stderr)
            assert "disk" in message, message
            assert "full" in message, message
            assert result(disk.copy(), simulator)["marts"] == before["marts"], step
            disk.make_room()
        again = disk.run()
        assert again.returncode == 0, again.stderr
        assert result(disk.copy(), simulator) == after_another_run


@pytest.mark.long
def test_readers_keep_their_release_while_its_folder_cannot_be_written_to(
    trained: tuple[Home, RunningSimulator], after_another_run: dict[str, Any]
) -> None:
    world, simulator = trained
    before = result(world, simulator)
    with disk_of(world) as disk:
        release = disk.home.folder / "home" / "release"
        for mount in (["--bind", release, release], ["-o", "remount,ro,bind", release]):
            assert disk.do("mount", *mount).returncode == 0
        done = disk.run()
        message = told(done.returncode, done.stderr)
        assert "release" in message, message
        assert "read-only" in message.lower(), message
        assert result(disk.copy(), simulator)["marts"] == before["marts"]
        assert disk.do("umount", release).returncode == 0
        again = disk.run()
        assert again.returncode == 0, again.stderr
        assert result(disk.copy(), simulator) == after_another_run


def garbage(log: Path) -> None:
    log.write_bytes(b"not a log of anything " * 1000)


def flipped(log: Path) -> None:
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0xFF
    log.write_bytes(content)


def torn(log: Path) -> None:
    content = log.read_bytes()
    log.write_bytes(content[: len(content) - 7])


def log_of(home: Home) -> Path:
    """Return the write-ahead log that a killed writer leaves."""
    subprocess.run([sys.executable, "-c", WRITER, str(home.warehouse)], check=True)
    log = home.warehouse.with_name(f"{home.warehouse.name}.wal")
    assert log.stat().st_size > 1000
    return log


@pytest.mark.long
def test_a_damaged_log_of_the_warehouse_is_told_and_the_night_goes_on_without_it(
    trained: tuple[Home, RunningSimulator], after_next_night: dict[str, Any], tmp_path: Path
) -> None:
    home, simulator = trained
    undamaged = result(home, simulator)
    for damage in (garbage, flipped):
        set_aside_as_told(home, damage, tmp_path)
        assert put_count(simulator) == 0
        assert result(home, simulator) == undamaged
    again = home.spotter("run")
    assert again.returncode == 0, again.stderr
    assert result(home, simulator) == after_next_night


def set_aside_as_told(home: Home, damage: Callable[[Path], None], folder: Path) -> None:
    """Damage a log of the warehouse, and move it into the folder as each command requests."""
    log = log_of(home)
    damage(log)
    before = (home.warehouse.read_bytes(), log.read_bytes())
    for command in (["run"], ["status"], ["publications"]):
        done = home.spotter(*command)
        message = told(done.returncode, done.stderr)
        assert "damaged" in message, message
        assert f"move {log.name} out of the folder" in message, message
    assert (home.warehouse.read_bytes(), log.read_bytes()) == before
    log.rename(folder / log.name)


@pytest.mark.long
def test_the_torn_end_of_the_log_is_a_write_that_was_not(
    trained: tuple[Home, RunningSimulator], after_next_night: dict[str, Any]
) -> None:
    home, simulator = trained
    torn(log_of(home))
    again = home.spotter("run")
    assert again.returncode == 0, again.stderr
    assert result(home, simulator) == after_next_night
