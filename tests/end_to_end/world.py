"""A separate home with a simulated service, and the `spotter` command for it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from hevy_connector.client.client import HevyClient
from hevy_connector.schemas import JsonObject
from hevy_connector.simulator import (
    SIMULATOR_KEY,
    RunningSimulator,
    demo_account,
    running_simulator,
)
from orchestration.config.settings import load_settings
from orchestration.storage.warehouse import open_warehouse
from tests.end_to_end.command import run_command
from tests.end_to_end.targets import PLACES

ROOT = Path(__file__).resolve().parents[2]
SPOTTER = Path(sys.executable).with_name("spotter")
NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)

ROW_COUNTS = """
    select count(*) from raw.hevy_workouts
    union all select count(*) from raw.hevy_routines
    union all select count(*) from raw.hevy_exercise_templates
    union all select count(*) from raw.hevy_routine_folders
    union all select count(*) from raw.hevy_body_measurements
    union all select count(*) from raw.hevy_users
    union all select count(*) from raw.athlete_profiles
    union all select count(*) from coach.decisions
    union all select count(*) from coach.publications
"""
"""Row counts of all tables that a run without changes does not change."""


@dataclass(frozen=True)
class Home:
    """A home with its athletes; `env` is the complete environment of the command."""

    folder: Path
    hevy_url: str
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def athletes(self) -> Path:
        return self.folder / "athletes"

    @property
    def warehouse(self) -> Path:
        return self.folder / "home" / "warehouse.duckdb"

    @property
    def release(self) -> Path:
        return self.folder / "home" / "release" / "marts.duckdb"

    @property
    def env(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "COLUMNS": "100",
            "SPOTTER_HOME": str(self.folder / "home"),
            "SPOTTER_ATHLETES_DIR": str(self.athletes),
            "HEVY_API_URL": self.hevy_url,
            # A key in this machine's own .env is not for tests.
            **dict.fromkeys(("GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"), ""),
            **PLACES.of(self.folder),
            **self.extra,
        }

    def spotter(
        self, *arguments: str | Path, given: str | None = None, cwd: Path = ROOT
    ) -> subprocess.CompletedProcess[str]:
        """Run the command in `cwd`; `given` is its standard input."""
        return run_command(
            [str(each) for each in arguments], env=self.env, cwd=cwd, given=given, timeout_s=600
        )

    def decide(self, *, with_briefing: bool = False) -> Any:
        """Decide and publish as in a night, without reading the account or building the marts.

        `with_briefing` also writes the briefing. Returns the warnings and the number of routines
        sent to Hevy.
        """
        done = run_command(
            ["briefing"] if with_briefing else [],
            env=self.env,
            cwd=ROOT,
            given=None,
            timeout_s=600,
            program="tests.end_to_end.deciding_steps:main",
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def build_models(self, *models: str) -> None:
        """Build these models in the warehouse, without their tests and without a release."""
        self._part("build_models", *models)

    def import_health_alone(self, *arguments: str, cwd: Path) -> None:
        """Run `spotter` with the arguments of a health import, without the build of the marts."""
        self._part("import_alone", *arguments, cwd=cwd)

    def _part(self, name: str, *arguments: str, cwd: Path = ROOT) -> None:
        done = run_command(
            arguments,
            env=self.env,
            cwd=cwd,
            given=None,
            timeout_s=600,
            program=f"tests.end_to_end.parts:{name}",
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def spotter_json(self, *arguments: str | Path) -> Any:
        done = self.spotter(*arguments, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def query(self, sql: str, file: Path | None = None) -> list[tuple[Any, ...]]:
        with self.opened(file) as con:
            return con.execute(sql).fetchall()

    def opened(
        self, file: Path | None = None, *, read_only: bool = True
    ) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Return the file, or the warehouse of the target."""
        if file is None and "SPOTTER_TARGET" in self.env:
            return open_warehouse(load_settings(self.env).warehouse, read_only=read_only)
        return duckdb.connect(file or self.warehouse, read_only=read_only)


# Builds a separate world in a folder, after the first night.
After = Callable[[Path], AbstractContextManager[tuple[Home, RunningSimulator]]]


@dataclass(frozen=True)
class FirstNight:
    """Result of the first run of the job; `account` is the service's pickled account.

    `before` and `after` are the account's routines by id, `report` is the output of the run.
    """

    folder: Path
    before: dict[str, JsonObject]
    report: Any
    after: dict[str, JsonObject]
    put_count: int
    account: bytes


def new_home(folder: Path, hevy_url: str, **extra: str) -> Home:
    home = Home(folder, hevy_url, extra)
    home.athletes.mkdir(parents=True)
    shutil.copy(ROOT / "athletes" / "demo.toml", home.athletes)
    return home


def zone_at_noon() -> str:
    """Return a time zone in which it is about noon now, so that no schedule starts a run."""
    return f"Etc/GMT{datetime.now(UTC).hour - 12:+d}"


@contextmanager
def simulated_world(folder: Path, **extra: str) -> Iterator[tuple[Home, RunningSimulator]]:
    """Start a service with a clock that only writes advance, so that two worlds are comparable."""
    account = demo_account(seed=1, now=NOW)
    with running_simulator(account, api_key=SIMULATOR_KEY) as simulator:
        yield new_home(folder, simulator.url, **extra), simulator


def holders(home: Home, text: str) -> list[str]:
    """Return the files of a home and the tables of its databases that contain a text."""
    files = [path for path in home.folder.rglob("*") if path.is_file()]
    found = [str(path) for path in files if text.encode() in path.read_bytes()]
    for path in (None, home.release):
        # A database compresses its texts, so it is queried instead.
        with home.opened(path) as con:
            tables = con.execute(
                "select table_schema, table_name from information_schema.tables "
                "where table_catalog = current_database()"
            ).fetchall()
            for schema, table in tables:
                rows = con.execute(f'select * from "{schema}"."{table}"').fetchall()
                if any(text in str(value) for row in rows for value in row):
                    found.append(f"{path or 'warehouse'}: {schema}.{table}")
    return found


def put_count(simulator: RunningSimulator) -> int:
    return sum(entry.method == "PUT" for entry in simulator.requests)


def routines(simulator: RunningSimulator) -> dict[str, JsonObject]:
    """Return the account's routines by id, without their change times."""
    with HevyClient(SIMULATOR_KEY, base_url=simulator.url) as hevy:
        return {routine.id: without_times(routine.payload) for routine in hevy.routines()}


def without_times(routine: JsonObject) -> JsonObject:
    return {name: value for name, value in routine.items() if name != "updated_at"}
