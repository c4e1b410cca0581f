"""Programmes for an athlete: requests from a profile, files, and publication."""

from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from uuid import uuid4

import duckdb
import tomlkit

from coach_agent.domain.block import FollowedProgramme
from coach_agent.domain.red_flags import how_to_clear
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.calendar import calendar_of
from coach_agent.programmes.files import find_programme
from coach_agent.programmes.model import Programme
from coach_agent.programmes.request import ProgrammeRequest, event_fields
from coach_agent.publishing.programme_routines import (
    ProgrammePublisher,
    ProgrammeStep,
)
from coach_agent.store.check_ins import read_open_red_flags
from coach_agent.store.followed_programmes import (
    ProgrammeVersion,
    read_followed_programmes,
    read_programme_versions,
    record_followed_programme,
)
from coach_agent.store.programmes import (
    StoredProgramme,
    read_programmes,
    record_programme_step,
)
from hevy_connector.schemas import RoutineWrite
from orchestration.config.athletes import hevy_client
from orchestration.config.durable_files import replace_file
from orchestration.config.settings import Settings, SettingsError
from orchestration.runs.lock import publication_lock
from orchestration.runs.recorder import Recorder
from orchestration.services.programmes.programme_check import programme_in
from orchestration.services.publishing.athlete_publisher import complete
from orchestration.storage.warehouse import open_warehouse

DEFAULT_DAYS = 3
_MOST_DAYS = 366


def request_of(profile: AthleteProfile, today: date) -> ProgrammeRequest:
    """Return the request that a profile makes: days, minutes, goal, equipment, pain, event.

    Without days in the profile it is three.

    Raises:
        SettingsError: a red flag in the profile stops all plans.
    """
    if profile.red_flags:
        raise SettingsError(f"No programme while there is a red flag. {how_to_clear()}")
    days = len({day for days in profile.weekdays.values() for day in days}) or DEFAULT_DAYS
    return ProgrammeRequest(
        days=days,
        minutes=min(profile.session_minutes or 60, 180),
        goal=profile.goal.kind,
        lacks=profile.gym.lacks,
        pain=tuple(sorted(profile.lasting_pains, key=lambda pain: pain.part)),
        avoid=profile.avoid,
        **event_fields(profile.goal.date, today),
    )


def require_new_file(path: Path) -> None:
    """Raise SettingsError if the file of a programme exists."""
    if path.exists():
        raise SettingsError(f"{path} exists; choose another name with --save.")


def save_programme(programme: Programme, path: Path) -> None:
    """Write a programme as a TOML file; an existing file is kept.

    Raises:
        SettingsError: the file exists, or cannot be written.
    """
    require_new_file(path)
    content = programme.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    try:
        replace_file(path, tomlkit.dumps(content).encode())
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}.") from error


def publish_programme(
    settings: Settings,
    athlete: AthleteProfile,
    programme: Programme,
    routines: Sequence[RoutineWrite],
    start: date,
) -> tuple[StoredProgramme, FollowedProgramme]:
    """Create a folder with the routines in the athlete's account, each once, and follow it.

    A programme that is followed already keeps its start.

    Raises:
        SettingsError: the profile allows no writes, or a red flag stops all plans.
        HevyError: Hevy did not answer; the next call continues.
    """
    check_start(start)
    if athlete.publish.mode == "preview":
        raise SettingsError(
            'Nothing is ever sent while publish.mode is "preview". Allow it with: '
            f"spotter profile set publish.mode=approve --athlete {athlete.id}"
        )

    recorder = Recorder(partial(open_warehouse, settings.warehouse))
    run_id = f"programme {uuid4()}"

    def record(step: ProgrammeStep) -> StoredProgramme:
        return recorder.write(
            lambda con: record_programme_step(
                con, step.programme, step.routine, at=recorder.now(), run_id=run_id
            )
        )

    with publication_lock(settings.warehouse_path, f"programme of {athlete.id}"):
        if recorder.read(lambda con: read_open_red_flags(con, athlete, recorder.now())):
            raise SettingsError(f"Nothing is sent while there is a red flag. {how_to_clear()}")
        stored = recorder.read(lambda con: read_programmes(con, athlete.id))
        with hevy_client(settings, athlete) as client:
            steps = ProgrammePublisher(client).publish(stored, athlete.id, programme, routines)
            published = complete(steps, record)
        return published, recorder.write(
            lambda con: _follow_published(con, published, programme, start, recorder.now())
        )


def _follow_published(
    con: duckdb.DuckDBPyConnection,
    published: StoredProgramme,
    programme: Programme,
    start: date,
    now: datetime,
) -> FollowedProgramme:
    athlete_id = published.athlete_id
    followed = read_followed_programmes(con, [athlete_id], now).get(athlete_id)
    if followed is not None and followed.programme_id == published.programme_id:
        return followed
    return follow_stored(con, published, programme, start, now)


def follow_programme(
    settings: Settings, athlete: AthleteProfile, programme: Programme, start: date
) -> FollowedProgramme:
    """Record that the athlete follows a programme from a day on; its routines must be in Hevy.

    Raises:
        SettingsError: its routines are not in Hevy, or the day is more than a year away.
    """
    check_start(start)
    recorder = Recorder(partial(open_warehouse, settings.warehouse))

    def change(con: duckdb.DuckDBPyConnection) -> FollowedProgramme:
        published = [each for each in read_programmes(con, athlete.id) if each.is_published]
        stored = next(
            (each for each in reversed(published) if programme_in(each) == programme), None
        )
        if stored is None:
            raise SettingsError(
                f"The routines of {programme.title} are not in Hevy. "
                "Create them: spotter program publish NAME --yes"
            )
        return follow_stored(con, stored, programme, start, recorder.now())

    return recorder.write(change)


def check_start(start: date) -> None:
    """Check the first day of a programme.

    Raises:
        SettingsError: it is more than a year away.
    """
    if abs((start - datetime.now(UTC).date()).days) > _MOST_DAYS:
        raise SettingsError(f"--start {start}: must be within a year from today.")


def follow_stored(
    con: duckdb.DuckDBPyConnection,
    stored: StoredProgramme,
    programme: Programme,
    start: date,
    now: datetime,
) -> FollowedProgramme:
    """Record that the athlete follows a programme, published as `stored`, from a day on."""
    routine_ids = {
        each.day: each.routine_id for each in stored.routines if each.routine_id is not None
    }
    followed = FollowedProgramme(
        programme_id=stored.programme_id,
        name=stored.name,
        start=start,
        calendar=calendar_of(programme, routine_ids),
    )
    record_followed_programme(
        con, stored.athlete_id, followed, at=now, run_id=f"programme {uuid4()}"
    )
    return followed


def stop_programme(settings: Settings, athlete: AthleteProfile) -> bool:
    """Record that the athlete follows no programme any more; False if there was none."""
    recorder = Recorder(partial(open_warehouse, settings.warehouse))

    def change(con: duckdb.DuckDBPyConnection) -> bool:
        now = recorder.now()
        if athlete.id not in read_followed_programmes(con, [athlete.id], now):
            return False
        record_followed_programme(con, athlete.id, None, at=now, run_id=f"programme {uuid4()}")
        return True

    return recorder.write(change)


def followed_programme(
    settings: Settings, athlete: AthleteProfile
) -> tuple[FollowedProgramme | None, list[ProgrammeVersion]]:
    """Return the programme in force, None without one, and all versions, oldest first."""
    with open_warehouse(settings.warehouse, read_only=True) as con:
        found = read_followed_programmes(con, [athlete.id], datetime.now(UTC))
        return found.get(athlete.id), read_programme_versions(con, athlete.id)


def find_own_programme(
    settings: Settings, athlete: AthleteProfile, name: str, titles: Collection[str]
) -> Programme:
    """Return a programme by a file, or by its name, of the athlete's published ones or the library.

    Raises:
        ProgrammeError: it is unknown or invalid.
    """
    if not name.endswith(".toml"):
        with open_warehouse(settings.warehouse, read_only=True) as con:
            published = [each for each in read_programmes(con, athlete.id) if each.is_published]
        own = next((each for each in reversed(published) if each.name == name), None)
        if own is not None:
            return programme_in(own)
    return find_programme(name, titles)
