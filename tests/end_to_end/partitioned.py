"""Nights of partitions by Dagster's servers, which a missed nightly run starts."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import sqlalchemy

from orchestration.config.settings import load_settings
from orchestration.runs.dagster_history import dagster_instance
from orchestration.runs.nights import Night, nights_of, part_runs
from orchestration.runs.status import HistoryLostError
from orchestration.runs.tags import NIGHT_TAG
from tests.end_to_end.crowd import home_of_many
from tests.end_to_end.world import ROOT, SPOTTER, Home
from tests.soak.servers import Servers, until


def home_in(zone: str, folder: Path, url: str, count: int, variables: dict[str, str]) -> Home:
    """Build a home with athletes in a time zone."""
    home = home_of_many(folder, url, count, {**variables, "SPOTTER_TIMEZONE": zone})
    for profile in home.athletes.glob("*.toml"):
        profile.write_text(profile.read_text().replace("Europe/Berlin", zone))
    return home


def runs_of_nights(home: Home) -> list[dg.RunRecord]:
    """Return the runs of all nights, oldest first."""
    with dagster_instance(load_settings(home.env)) as instance:
        records = instance.get_run_records()
    return [record for record in records if NIGHT_TAG in record.dagster_run.tags][::-1]


def latest_night(home: Home) -> Night | None:
    """Return the latest night; None without one, or while the history's server restarts."""
    try:
        nights = nights_of(part_runs(runs_of_nights(home)))
    except (HistoryLostError, sqlalchemy.exc.OperationalError):
        return None
    return nights[-1] if nights else None


def owe_a_night(home: Home) -> None:
    """Set the start of the sensor's watch to the past, as in a home that missed its night."""
    folder = home.folder / "home" / "dagster"
    for words in ("cursor missed_runs --set 2026-01-01T00:00:00+00:00", "start missed_runs"):
        subprocess.run(
            [
                *(SPOTTER.with_name("dagster"), "sensor", *words.split()),
                *("-w", folder / "workspace.code.yaml"),
            ],
            env={**home.env, "DAGSTER_HOME": str(folder)},
            cwd=ROOT,
            check=True,
            capture_output=True,
        )


@contextmanager
def owed_night(home: Home) -> Iterator[Servers]:
    """Run Dagster's servers of a home that owes a night."""
    home.folder.joinpath("home").mkdir(exist_ok=True)
    servers = Servers(home.folder, home.env)
    try:
        servers.start("code")
        owe_a_night(home)
        servers.start("daemon")
        yield servers
    finally:
        servers.stop()


def await_night(home: Home, servers: Servers, within_s: float) -> Night:
    """Wait for the end of the latest night, and return it."""

    def ended() -> bool:
        servers.require_alive()
        night = latest_night(home)
        return night is not None and not night.is_under_way(datetime.now(UTC))

    try:
        until(ended, "the end of the night", within_s)
    except AssertionError as error:
        night = latest_night(home)
        parts = night.status(datetime.now(UTC)).parts if night else ()
        raise AssertionError(f"{error}: {parts}; the daemon: {servers.told('daemon')}") from error
    night = latest_night(home)
    assert night is not None
    return night
