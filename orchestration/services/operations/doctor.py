"""Check the machine and the home before a nightly run: one result each, with the fix."""

import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from importlib.metadata import PackageNotFoundError, requires, version

import duckdb
import httpx
from packaging.requirements import Requirement

from coach_agent.language.messages import languages
from coach_agent.llm.harmless import key_problem
from coach_agent.profile.llm_settings import usable_providers
from coach_agent.profile.model import AthleteProfile, ProfileError
from coach_agent.sessions.catalogue import SessionsError, all_sessions, bundled_sessions
from hevy_connector.errors import HevyError
from orchestration.config.athletes import configured_athletes, hevy_client, unusable_profiles
from orchestration.config.durable_files import is_open_to_others
from orchestration.config.postgres import PostgresError
from orchestration.config.settings import Settings, SettingsError
from orchestration.runs.check_result import CheckResult
from orchestration.runs.history_health import history, times
from orchestration.services.operations.freshness import size_of
from orchestration.services.releases.release_manifest import ManifestError, read_manifest
from orchestration.services.releases.release_postgres import published_release
from orchestration.storage.connection import connect_duckdb
from orchestration.storage.extensions import ExtensionMissingError
from orchestration.storage.home_files import ASIDE, UNPACKING
from orchestration.storage.migrations import WarehouseNewerError
from orchestration.storage.warehouse import (
    WarehouseBusyError,
    WarehouseMissingError,
    open_warehouse,
)
from orchestration.storage.warehouse_damage import WarehouseDamagedError, verify_blocks

UI_PORT = 3000

_LEAST_FREE_BYTES = 1_000_000_000
# In addition to the file: the release, and DuckDB's spill files during a build.
_FREE_FOR_A_WAREHOUSE = 2.0
_OFF_BY = timedelta(minutes=2)
_WITHIN_S = 10.0
_NO_ACCOUNT = CheckResult(
    name="clock", state="ok", text="not compared with Hevy's: no athlete has an account"
)


def examine(settings: Settings, on_step: Callable[[str], None]) -> tuple[CheckResult, ...]:
    """Run every check. Nothing is changed, and each service in use gets one cheap request."""
    looks: tuple[tuple[str, Callable[[], Iterable[CheckResult]]], ...] = (
        ("versions", lambda: [versions()]),
        ("home", lambda: home(settings)),
        ("clock", lambda: [clock(settings) if has_account(settings) else _NO_ACCOUNT]),
        ("accounts", lambda: accounts(settings)),
        ("warehouse", lambda: [warehouse(settings)]),
        ("history", lambda: [history(settings)]),
        ("times", lambda: times(settings, datetime.now(UTC))),
        ("release", lambda: [release(settings)]),
        ("copy", lambda: release_copy(settings)),
        ("restore", lambda: restores(settings)),
        ("sessions", lambda: operator_sessions(settings)),
        ("port", lambda: [port(UI_PORT)]),
    )
    found: list[CheckResult] = []
    for step, look in looks:
        on_step(step)
        found.extend(look())
    return tuple(found)


def versions() -> CheckResult:
    """Check the versions of Python and of the installed packages."""
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    unmet = []
    for text in requires("spotter") or ():
        wanted = Requirement(text)
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        try:
            installed = version(wanted.name)
        except PackageNotFoundError:
            unmet.append(f"{wanted.name} is missing")
            continue
        if not wanted.specifier.contains(installed, prereleases=True):
            unmet.append(f"{wanted.name} is {installed}, not {wanted.specifier}")
    if unmet:
        return CheckResult(name="versions", state="fail", text="; ".join(unmet), fix="make install")
    told = f"Spotter {version('spotter')}, {python}, DuckDB {duckdb.__version__}"
    return CheckResult(name="versions", state="ok", text=told)


def home(settings: Settings) -> Iterator[CheckResult]:
    """Check that the home is writable, private and has free space."""
    folder = next(path for path in (settings.home, *settings.home.parents) if path.exists())
    if os.access(folder, os.W_OK | os.X_OK) and folder.is_dir():
        yield CheckResult(name="home", state="ok", text=f"{settings.home} can be written to")
    else:
        yield CheckResult(
            name="home",
            state="fail",
            text=f"{folder} cannot be written to",
            fix=f"Give yourself the right to write there (chown, chmod), or set SPOTTER_HOME to "
            f"another folder than {settings.home}.",
        )
    if is_open_to_others(settings.home):
        yield CheckResult(
            name="privacy",
            state="fail",
            text=f"others can open {settings.home}",
            fix=f"As its owner or as root: chmod go-rwx {settings.home}. If other files are there, "
            "too, set SPOTTER_HOME to a folder of its own.",
        )
    path = settings.warehouse_path
    size = path.stat().st_size if path.exists() else 0
    wanted, free = max(_LEAST_FREE_BYTES, _FREE_FOR_A_WAREHOUSE * size), shutil.disk_usage(folder)
    told = f"{free.free / 1e9:.1f} GB free, {wanted / 1e9:.1f} GB wanted"
    if free.free >= wanted:
        yield CheckResult(name="disk", state="ok", text=told)
    else:
        yield CheckResult(
            name="disk",
            state="fail",
            text=told,
            fix=f"Make room on the disk of {folder}, or set SPOTTER_HOME to a larger one.",
        )


def has_account(settings: Settings) -> bool:
    """Return whether a configured athlete has a Hevy account; without one nothing is sent there."""
    try:
        athletes = configured_athletes(settings)
    except (ProfileError, SettingsError):
        return False
    return any(athlete.hevy.account != "none" for athlete in athletes)


def clock(settings: Settings) -> CheckResult:
    """Compare this machine's clock with the service's: changes are requested by time."""
    try:
        answer = httpx.head(settings.hevy_url, timeout=_WITHIN_S)
        there = parsedate_to_datetime(answer.headers["date"])
    except httpx.HTTPError as error:
        return CheckResult(
            name="clock",
            state="warn",
            text=f"{settings.hevy_url} does not answer ({type(error).__name__})",
            fix="Check the network; the next run retries.",
        )
    except (KeyError, ValueError):
        return CheckResult(name="clock", state="warn", text="The service does not report its time")
    off = abs(datetime.now(UTC) - there)
    told = f"{off.total_seconds():.0f} s from the service's"
    if off <= _OFF_BY:
        return CheckResult(name="clock", state="ok", text=told)
    return CheckResult(
        name="clock", state="fail", text=told, fix="Let the machine set its clock by NTP."
    )


def accounts(settings: Settings) -> Iterator[CheckResult]:
    """Check that profiles can be read, and that Hevy and the language models accept the keys."""
    try:
        athletes = configured_athletes(settings)
    except (ProfileError, SettingsError) as error:
        yield CheckResult(
            name="profiles", state="fail", text=str(error), fix="See docs/profile.md."
        )
        return
    ids = ", ".join(athlete.id for athlete in athletes)
    yield CheckResult(name="profiles", state="ok", text=ids)
    for athlete_id, why in unusable_profiles(settings).items():
        yield CheckResult(
            name=f"profile ({athlete_id})", state="fail", text=why, fix="See docs/profile.md."
        )
    for athlete in athletes:
        yield _account(settings, athlete)
        if athlete.preferences.language not in languages():
            yield _unknown_language(athlete)
        for provider in usable_providers(athlete.llm, settings.keys):
            name = f"{provider.name} ({athlete.id})"
            problem = key_problem(provider)
            yield CheckResult(
                name=name,
                state="warn" if problem else "ok",
                text=problem or "takes the key",
                fix=f"Check {provider.settings.variable or 'its address'}; until then the rules "
                "decide alone."
                if problem
                else None,
            )


def _unknown_language(athlete: AthleteProfile) -> CheckResult:
    known = ", ".join(f'"{each}"' for each in sorted(languages()))
    return CheckResult(
        name=f"language ({athlete.id})",
        state="warn",
        text=f'no texts in "{athlete.preferences.language}": plans and briefings are in English',
        fix=f"preferences.language is one of {known}. docs/languages.md: how to add a language.",
    )


def _account(settings: Settings, athlete: AthleteProfile) -> CheckResult:
    name = f"Hevy ({athlete.id})"
    if athlete.hevy.account == "none":
        return CheckResult(name=name, state="ok", text="no account; files are imported")
    try:
        with hevy_client(settings, athlete) as client:
            account = client.user_info()
    except (HevyError, SettingsError) as error:
        return CheckResult(
            name=name, state="fail", text=str(error), fix="Then run: spotter doctor once more."
        )
    if account.weight_unit is not None and account.weight_unit != athlete.gym.unit:
        return CheckResult(
            name=name,
            state="warn",
            text=f"the app shows {account.weight_unit}, the profile has {athlete.gym.unit}",
            fix=f"If the plates are marked in {account.weight_unit}: equipment.unit = "
            f'"{account.weight_unit}" in {athlete.id}.toml',
        )
    return CheckResult(name=name, state="ok", text="takes the key")


def warehouse(settings: Settings) -> CheckResult:
    """Verify every block checksum and read every table."""
    try:
        with (
            open_warehouse(settings.warehouse, read_only=True, wait_s=_WITHIN_S) as con,
            ExitStack() as opened,
        ):
            if settings.lake is None:
                # Closing the file releases the connection's lock, so both stay open together.
                file = opened.enter_context(settings.warehouse_path.open("rb"))
                verify_blocks(file, settings.warehouse_path)
            names: list[tuple[str, str]] = con.execute(
                "select schema_name, table_name from duckdb_tables() "
                "where not internal and database_name = current_database()"
            ).fetchall()
            for schema, table in names:
                con.execute(
                    f'select bit_xor(hash(each)) from "{schema}"."{table}" as each'  # noqa: S608
                ).fetchall()
    except WarehouseMissingError:
        return CheckResult(
            name="warehouse", state="warn", text="not there yet", fix="Run: spotter run"
        )
    except WarehouseBusyError as error:
        is_lake = settings.lake is not None
        return CheckResult(
            name="warehouse",
            state="fail" if is_lake else "warn",
            text=str(error),
            fix="Start PostgreSQL." if is_lake else "Look again when it is done.",
        )
    except ExtensionMissingError as error:
        return CheckResult(name="warehouse", state="fail", text=str(error), fix="Install them.")
    except WarehouseNewerError as error:
        return CheckResult(
            name="warehouse", state="fail", text=str(error), fix="Update Spotter: make install"
        )
    except (WarehouseDamagedError, duckdb.Error) as error:
        return CheckResult(
            name="warehouse",
            state="fail",
            text=str(error).splitlines()[0],
            fix="Restore a backup: spotter restore FILE --replace (docs/operations.md). What Hevy "
            "has is read again by the next run.",
        )
    where = settings.lake or f"{settings.warehouse_path.stat().st_size / 1e6:.1f} MB"
    return CheckResult(name="warehouse", state="ok", text=f"{len(names)} tables, {where}, whole")


def release(settings: Settings) -> CheckResult:
    """Check that a release exists and can be read."""
    try:
        manifest = read_manifest(settings.release_folder)
    except ManifestError as error:
        return CheckResult(name="release", state="fail", text=str(error), fix="Run: spotter run")
    if manifest is None:
        return CheckResult(name="release", state="warn", text="nothing yet", fix="Run: spotter run")
    try:
        with connect_duckdb(settings.release_path, read_only=True) as con:
            tables = con.execute("select count(*) from duckdb_tables()").fetchall()[0][0]
    except duckdb.Error as error:
        return CheckResult(
            name="release",
            state="fail",
            text=str(error).splitlines()[0],
            fix="Run: spotter run, which releases again.",
        )
    told = f"number {manifest.release_number} of {manifest.released_at:%Y-%m-%d %H:%M} UTC"
    return CheckResult(name="release", state="ok", text=f"{told}, {tables} tables")


def release_copy(settings: Settings) -> Iterator[CheckResult]:
    """Compare the copy in PostgreSQL with the current release, if a copy is configured."""
    target = settings.release_postgres
    if target is None:
        return
    name = "copy"
    try:
        manifest = read_manifest(settings.release_folder)
        number = published_release(target)
    except ManifestError:
        return  # `release` reports it
    except (PostgresError, SettingsError) as error:
        yield CheckResult(
            name=name,
            state="fail",
            text=str(error),
            fix="Start PostgreSQL, or fix SPOTTER_RELEASE_POSTGRES or "
            "SPOTTER_RELEASE_POSTGRES_PASSWORD.",
        )
        return
    told = "no release" if number is None else f"release {number}"
    if number is not None and manifest is not None and number == manifest.release_number:
        yield CheckResult(name=name, state="ok", text=f"{told} in {target}")
    else:
        yield CheckResult(
            name=name,
            state="warn",
            text=f"{told} in {target}, which is not the current one",
            fix="Run: spotter run. If its step release/postgres fails, it has the reason.",
        )


def restores(settings: Settings) -> Iterator[CheckResult]:
    """Report unfinished restores and replaced homes, if there are any."""
    if unpacked := sorted(settings.home.glob(f"{UNPACKING}*")):
        yield CheckResult(
            name="restore",
            state="warn",
            text=f"{unpacked[0]} is of a restore that is at work or was killed",
            fix="If it was killed, restore once more; spotter compact removes what it left.",
        )
    if aside := sorted(settings.home.glob(f"{ASIDE}*")):
        size = sum(map(size_of, aside))
        yield CheckResult(
            name="put aside",
            state="ok",
            text=f"{len(aside)} homes that restores replaced, {size / 1e6:.1f} MB, may be removed",
        )


def operator_sessions(settings: Settings) -> Iterator[CheckResult]:
    """Check the operator's files of classes and videos, if there are any."""
    if not any(path.exists() for path in settings.session_files):
        return
    try:
        count = len(all_sessions(settings.session_files)) - len(bundled_sessions())
    except SessionsError as error:
        yield CheckResult(
            name="sessions", state="fail", text=str(error), fix="See docs/sessions.md."
        )
    else:
        yield CheckResult(name="sessions", state="ok", text=f"{count} of your own can be used")


def port(number: int) -> CheckResult:
    """Check that the UI's default port is free or used by Dagster itself."""
    try:
        with socket.create_server(("127.0.0.1", number)):
            return CheckResult(name="port", state="ok", text=f"{number} is free for the UI")
    except OSError as error:
        problem = error.strerror
    try:
        answer = httpx.get(f"http://127.0.0.1:{number}/server_info", timeout=_WITHIN_S)
        is_dagster = "dagster_version" in answer.text
    except httpx.HTTPError:
        is_dagster = False
    if is_dagster:
        return CheckResult(name="port", state="ok", text=f"Dagster serves its UI on {number}")
    return CheckResult(
        name="port",
        state="warn",
        text=f"{number} cannot be used: {problem}",
        fix="Choose another one: spotter dev --port N, or end what uses it.",
    )
