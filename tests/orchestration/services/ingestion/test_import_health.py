"""Imports of recovery data into the warehouse of a home."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from health_connector.errors import HealthFileError
from orchestration.config.athletes import UnknownAthleteError
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.ingestion.import_health import import_health, import_health_in_child
from orchestration.storage.warehouse import open_warehouse
from tests.health.apple_exports import (
    MASS,
    SDNN,
    asleep,
    moment,
    record,
    write_large,
    xml,
    zipped,
)
from tests.health.test_archive_exports import HEADER, RIDE, run_file
from tests.health.test_archive_exports import zipped as zipped_files

NOW = datetime(2026, 3, 10, 6, tzinfo=UTC)
TEXT = "date,resting_hr,weight_kg,mood\n2026-03-01,51,82.4,good\n2026-03-02,510,82.1,\n"


@dataclass(frozen=True)
class World:
    """A home with one athlete, `kim`."""

    folder: Path
    settings: Settings

    def file(self, text: str) -> Path:
        path = self.folder / "recovery.csv"
        path.write_text(text, encoding="utf-8")
        return path

    def imports(self, text: str, athlete: str | None = "kim") -> dict[str, Any]:
        return import_health(self.settings, self.file(text), athlete, NOW).summary()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with open_warehouse(self.settings.warehouse) as con:
            return con.execute(query).fetchall()


@pytest.fixture
def world(tmp_path: Path) -> World:
    athletes = tmp_path / "athletes"
    athletes.mkdir()
    (athletes / "kim.toml").write_text('id = "kim"\n', encoding="utf-8")
    values = {"SPOTTER_HOME": str(tmp_path / "home"), "SPOTTER_ATHLETES_DIR": str(athletes)}
    return World(tmp_path, load_settings(values, tmp_path))


def test_the_report_accounts_for_each_day(world: World) -> None:
    assert world.imports(TEXT) == {
        "athlete": "kim",
        "days": {
            "seen": 2,
            "added": 2,
            "removed": 0,
            "impossible": 1,
            "quarantined": 1,
            "withdrawn": 0,
        },
        "sessions": {
            "seen": 0,
            "added": 0,
            "removed": 0,
            "impossible": 0,
            "quarantined": 0,
            "withdrawn": 0,
        },
        "impossible_values": ["Line 3: resting_hr 510 is not between 20 and 150."],
        "ignored_columns": ["mood"],
        "unread": [],
        "kept": {},
        "notes": [],
    }
    assert world.rows("select athlete_id, record_id, origin from raw.health_days order by all") == [
        ("kim", "csv/2026-03-01", "csv"),
        ("kim", "csv/2026-03-02", "csv"),
    ]
    assert world.rows("select record_id, source_line from raw.quarantine") == [
        ("csv/2026-03-02/resting_hr", 3)
    ]


def test_the_same_file_again_changes_nothing(world: World) -> None:
    world.imports(TEXT)
    tables = ("from raw.health_days order by all", "from raw.quarantine order by all")
    before = [world.rows(query) for query in tables]
    assert world.imports(TEXT)["days"]["added"] == 0
    assert [world.rows(query) for query in tables] == before


def test_a_file_with_a_fault_writes_nothing(world: World) -> None:
    world.imports(TEXT)
    with pytest.raises(HealthFileError, match="Line 4: weight_kg 'x' is not a number"):
        world.imports(TEXT + "2026-03-03,50,x,\n")
    assert world.rows("select count(*) from raw.health_days") == [(2,)]


def test_an_apple_health_export_is_imported_and_a_truncated_one_is_not(world: World) -> None:
    content = xml(
        asleep(moment("01 22:00"), moment("02 06:00")),
        record(SDNN, 48.5, moment("02 03:00"), unit="ms"),
        record(MASS, 200, moment("02 07:00"), unit="lb"),
    )
    path = zipped(world.folder / "export.zip", content)
    read: list[int] = []
    done = import_health(
        world.settings, path, "kim", NOW, progress=lambda at, size: read.append(at)
    )
    assert (done.days.added, done.impossible) == (1, ())
    assert read == [len(content)]
    rows = world.rows("select record_id, payload from raw.health_days")
    assert [(row[0], json.loads(row[1])) for row in rows] == [
        (
            "apple_health/2026-03-02",
            {
                "source": "apple_health",
                "day": "2026-03-02",
                "sleep_minutes": 480,
                "hrv_ms": 48.5,
                "hrv_method": "sdnn",
                "weight_kg": 90.718474,
            },
        )
    ]
    assert import_health(world.settings, path, "kim", NOW).days.added == 0
    truncated = world.folder / "export.xml"
    truncated.write_bytes(content.replace(b"48.5", b"60.5")[:-30])
    with pytest.raises(HealthFileError, match="Nothing was imported"):
        import_health(world.settings, truncated, "kim", NOW)
    assert world.rows("select record_id, payload from raw.health_days") == rows


def test_a_file_is_recognised_by_its_content_and_sessions_are_imported_once(world: World) -> None:
    ride = f"{HEADER}{RIDE}{RIDE.replace('6.0', '60').replace('9,', '10,', 1)}{RIDE[:60]}"
    night = [{"calendarDate": "2026-03-01", "deepSleepSeconds": 25_200}]
    files = {
        "garmin": zipped_files(world.folder / "a.zip", {"1_sleepData.json": night}),
        "strava": zipped_files(world.folder / "b.zip", {"activities.csv": ride}),
        "fit": zipped_files(world.folder / "c.zip", {"1.fit": run_file()}),
    }
    (world.folder / "export").write_bytes(run_file())
    done = {name: import_health(world.settings, path, "kim", NOW) for name, path in files.items()}
    again = import_health(world.settings, world.folder / "export", "kim", NOW)
    assert (again.sessions.seen, again.sessions.added) == (1, 0)
    counts = [(each.days.added, each.sessions.added, len(each.unread)) for each in done.values()]
    assert counts == [(1, 0, 0), (0, 2, 1), (0, 1, 0)]
    assert done["strava"].impossible == ("session_rpe 60 is not between 0 and 10.",)
    assert world.rows("select record_id, entity from raw.quarantine") == [
        ("strava_export/10/session_rpe", "health_sessions")
    ]
    assert world.rows("select record_id from raw.health_sessions order by all") == [
        ("fit/20260301T233000Z",),
        ("strava_export/10",),
        ("strava_export/9",),
    ]
    import_health(
        world.settings,
        zipped_files(
            world.folder / "b.zip", {"activities.csv": HEADER + RIDE.replace("9,", "10,", 1)}
        ),
        "kim",
        NOW,
    )
    open_values = "select arg_max(reason, loaded_at) from raw.quarantine group by record_id"
    assert world.rows(open_values) == [("deleted at the source",)]


def test_what_cannot_be_found_is_named(world: World) -> None:
    with pytest.raises(UnknownAthleteError, match="There is no athlete 'max'"):
        world.imports(TEXT, "max")
    with pytest.raises(SettingsError, match=r"none\.csv cannot be read: No such file"):
        import_health(world.settings, world.folder / "none.csv", None, NOW)


@pytest.mark.parametrize("name", ["run.gpx", "run.tcx.gz"])
def test_a_route_file_is_refused_with_the_format_to_export(world: World, name: str) -> None:
    path = world.folder / name
    path.write_text("<?xml version='1.0'?><gpx/>", encoding="utf-8")
    with pytest.raises(HealthFileError, match="Export the session as a FIT file"):
        import_health(world.settings, path, "kim", NOW)


def test_an_import_in_a_child_process_is_the_same(world: World) -> None:
    path = world.folder / "export.xml"
    write_large(path, 1 << 20)
    read: list[tuple[int, int]] = []
    done = import_health_in_child(
        world.settings, path, "kim", NOW, progress=lambda *at: read.append(at)
    )
    assert read[-1] == (path.stat().st_size,) * 2
    again = import_health(world.settings, path, "kim", NOW)
    assert done.days.added == done.days.seen == again.days.seen > 0
    assert again.days.added == 0
    assert done.impossible == again.impossible


def test_errors_of_the_child_process_are_raised_here(world: World) -> None:
    path = world.folder / "export.xml"
    path.write_bytes(xml(record(MASS, 82, moment("02 07:00"), unit="kg"))[:-30])
    with pytest.raises(HealthFileError, match="Nothing was imported"):
        import_health_in_child(world.settings, path, "kim", NOW)
    with pytest.raises(UnknownAthleteError, match="There is no athlete 'max'"):
        import_health_in_child(world.settings, path, "max", NOW)
    with pytest.raises(SettingsError, match=r"none\.csv cannot be read: No such file"):
        import_health_in_child(world.settings, world.folder / "none.csv", None, NOW)


def test_a_killed_child_process_is_an_error_and_stores_nothing(world: World) -> None:
    path = world.folder / "export.xml"
    write_large(path, 4 << 20)

    def kill(read: int, size: int) -> None:
        [child] = multiprocessing.active_children()
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)

    with pytest.raises(HealthFileError, match=r"ended with code -9\. Import it again"):
        import_health_in_child(world.settings, path, "kim", NOW, progress=kill)
    assert world.rows("select record_id from raw.health_days") == []


MEMORY = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], check=False).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="other systems count other units")
def test_no_process_of_the_command_takes_500_mb(world: World) -> None:
    """The peak of the build of the marts, after a file of a size that has a process of its own."""
    path = world.folder / "export.xml"
    write_large(path, 110_000_000)
    env = {
        **os.environ,
        "SPOTTER_HOME": str(world.settings.home),
        "SPOTTER_ATHLETES_DIR": str(world.folder / "athletes"),
    }
    command = [sys.executable, "-m", "orchestration.cli.app", "health", "import", str(path)]
    measured = [sys.executable, "-c", MEMORY, *command]
    ran = subprocess.run(measured, env=env, capture_output=True, text=True, check=True)
    code, kilobytes = map(int, ran.stderr.split()[-2:])
    assert code == 0, ran.stderr
    assert kilobytes * 1024 < 480_000_000
