"""Fingerprint of all inputs of a nightly run, to skip a run that would repeat the last one.

The file `last_night.json` of the home holds the fingerprint with which a complete run began its
build, if the run left it unchanged. A run with the same fingerprint reads, builds, decides and
publishes the same. Each run removes the file first, so a failed or killed run leaves none.
Nothing here imports Dagster or dbt.
"""

import hashlib
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import duckdb
from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from coach_agent.domain.days import local_date
from coach_agent.profile.model import AthleteProfile, ProfileError
from coach_agent.store.check_ins import (
    CHECK_INS_KNOWN_FOR,
    merge_check_ins,
    read_check_ins_of,
    read_open_red_flags_of,
)
from coach_agent.store.rejections import REJECTIONS_KNOWN_FOR, read_rejections
from orchestration.config.athletes import configured_athletes
from orchestration.config.durable_files import replace_file
from orchestration.config.locations import CODE_ROOT, PROJECT_FILES
from orchestration.config.settings import OURA_TOKENS, Settings, SettingsError
from orchestration.runs.history_health import is_history_damaged
from orchestration.storage.table_digests import table_digests
from orchestration.storage.warehouse import WarehouseBusyError, open_warehouse

_FILE = "last_night.json"

_log = logging.getLogger(__name__)

_PACKAGES = ("coach_agent", "health_connector", "hevy_connector", "orchestration")

_SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "URL")
"""Parts of the names of variables that a step may read by the name in a profile."""


class LastNight(BaseModel):
    """Inputs of the latest run. `ended_at` and `release` are set if it was complete."""

    model_config = ConfigDict(frozen=True)

    run_id: str
    inputs: str
    release: str = ""
    ended_at: AwareDatetime | None = None


def forget_last_night(home: Path) -> None:
    """Remove the record: the run that follows may change anything."""
    (home / _FILE).unlink(missing_ok=True)


def note_inputs(
    con: duckdb.DuckDBPyConnection, settings: Settings, run_id: str, now: datetime
) -> None:
    """Record the inputs of a run before it builds; nothing while no profile is usable."""
    with suppress(ProfileError, SettingsError):
        _write(settings, LastNight(run_id=run_id, inputs=_inputs(con, settings, now)))


def note_complete(settings: Settings, run_id: str, now: datetime) -> None:
    """Mark a run as complete if its inputs are unchanged since its build began.

    A run that stored a new plan changed its own inputs: the marts contain plans.
    """
    night = _read(settings)
    if night is None or night.run_id != run_id:
        return
    try:
        with open_warehouse(settings.warehouse, read_only=True) as con:
            if _inputs(con, settings, now) != night.inputs:
                return
    except (ProfileError, SettingsError, WarehouseBusyError) as error:
        # Without the mark the next run does not skip anything.
        _log.info("The run %s is not marked as complete: %s", run_id, error)
        return
    complete = {"release": _release_state(settings), "ended_at": now}
    _write(settings, night.model_copy(update=complete))


def unchanged_night(
    con: duckdb.DuckDBPyConnection, settings: Settings, now: datetime
) -> LastNight | None:
    """Return the last run if it was complete and its inputs are unchanged, else None.

    The accounts are not read here. None also if the release was changed or the run is not in
    Dagster's history, and where a database in PostgreSQL could have lost either.

    Raises:
        ProfileError, SettingsError: no profile is usable.
    """
    night = _read(settings)
    if night is None or night.ended_at is None or not night.ended_at <= now:
        return None
    if settings.dagster_database or settings.release_postgres:
        return None
    if night.release != _release_state(settings) or not _is_recorded(settings, night.run_id):
        return None
    return night if _inputs(con, settings, now) == night.inputs else None


def _inputs(con: duckdb.DuckDBPyConnection, settings: Settings, now: datetime) -> str:
    """Return the digest of everything that determines the result of a run at `now`."""
    profiles = configured_athletes(settings)
    parts = (
        _code_digest(),
        repr(settings),
        sorted(
            # A read renews these tokens. What they give access to is compared by reading it.
            (name, "set" if name.startswith(f"{OURA_TOKENS}_") else value)
            for name, value in settings.keys.items()
            if any(part in name.upper() for part in _SECRETS)
        ),
        now.astimezone(UTC).date().isoformat(),
        [(profile.model_dump_json(), _day(profile, now)) for profile in profiles],
        _valid_answers(con, profiles, now),
        list(table_digests(con)),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _day(profile: AthleteProfile, now: datetime) -> str:
    return local_date(now, profile.timezone).isoformat()


def files_digest(folders: Sequence[Path]) -> str:
    """Return the digest of all files in some folders, except of derived ones."""
    digest = hashlib.sha256()
    for path in sorted(_sources(folders)):
        digest.update(f"{path}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@cache
def _code_digest() -> str:
    """Return the digest of the code, the dbt project and the versions of all packages.

    Computed once: a process keeps running the code with which it began.
    """
    folders = [CODE_ROOT / package for package in _PACKAGES]
    code = files_digest([*folders, PROJECT_FILES / "dbt_project"])
    # The names of these folders have the versions; reading the metadata takes ten times as long.
    packages = Path(duckdb.__file__).parents[1]
    versions = sorted(each.name for each in packages.glob("*.dist-info"))
    return " ".join((code, sys.version, *versions))


def _sources(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        for path in folder.rglob("*"):
            # These and dbt's own artifacts follow from the sources.
            parts = path.relative_to(folder).parts
            is_derived = not {"__pycache__", "target", "logs"}.isdisjoint(parts)
            if not is_derived and path.is_file():
                yield path


def _valid_answers(
    con: duckdb.DuckDBPyConnection, profiles: Sequence[AthleteProfile], now: datetime
) -> str:
    """Return what athletes said that is valid at `now`; its validity ends within a day."""
    ids = [profile.id for profile in profiles]
    check_ins = read_check_ins_of(con, ids, since=now - CHECK_INS_KNOWN_FOR, until=now)
    return repr(
        (
            [(one, check_ins[one], merge_check_ins(check_ins[one], now)) for one in check_ins],
            sorted(read_open_red_flags_of(con, ids, now).items()),
            sorted(read_rejections(con, ids, since=now - REJECTIONS_KNOWN_FOR).items()),
        )
    )


def _release_state(settings: Settings) -> str:
    """Return the current release with size and time of each file; empty before the first."""
    current = settings.release_folder / "current"
    if not (current.is_symlink() and settings.release_path.exists()):
        return ""
    files = sorted(path for path in current.resolve().rglob("*") if path.is_file())
    states = [(each.name, each.stat().st_size, each.stat().st_mtime_ns) for each in files]
    return f"{current.readlink().name} {hashlib.sha256(repr(states).encode()).hexdigest()}"


def _is_recorded(settings: Settings, run_id: str) -> bool:
    """Return whether Dagster's history of this home has the run and is intact.

    A run repairs a damaged history, and records what the status shows again in a new one.
    """
    has_run = (settings.dagster_home / "history" / "runs" / f"{run_id}.db").exists()
    return has_run and not is_history_damaged(settings.dagster_home)


def _read(settings: Settings) -> LastNight | None:
    try:
        return LastNight.model_validate_json((settings.home / _FILE).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _write(settings: Settings, night: LastNight) -> None:
    replace_file(settings.home / _FILE, night.model_dump_json().encode())
