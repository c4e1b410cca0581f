"""Programmes for an athlete: requests from a profile, files, and publication."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path
from uuid import uuid4

import tomlkit

from coach_agent.domain.red_flags import HOW_TO_CLEAR
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.model import Programme
from coach_agent.programmes.request import ProgrammeRequest
from coach_agent.publishing.programme_routines import (
    ProgrammePublisher,
    ProgrammeStep,
    record_programme_step,
)
from coach_agent.store.check_ins import read_open_red_flags
from coach_agent.store.programmes import StoredProgramme, read_programmes
from hevy_connector.schemas import RoutineWrite
from orchestration.config.athletes import hevy_client
from orchestration.config.durable_files import replace_file
from orchestration.config.settings import Settings, SettingsError
from orchestration.services.publication_recorder import Recorder, complete
from orchestration.services.publish import publication_lock
from orchestration.storage.warehouse import open_warehouse

DEFAULT_DAYS = 3


def request_of(profile: AthleteProfile, today: date) -> ProgrammeRequest:
    """Return the request that a profile makes: days, minutes, goal, equipment, pain, event.

    Without days in the profile it is three.

    Raises:
        SettingsError: a red flag in the profile stops all plans.
    """
    if profile.red_flags:
        raise SettingsError(f"No programme while there is a red flag. {HOW_TO_CLEAR}")
    days = len({day for days in profile.weekdays.values() for day in days}) or DEFAULT_DAYS
    return ProgrammeRequest(
        days=days,
        minutes=min(profile.session_minutes or 60, 180),
        goal=profile.goal.kind,
        lacks=profile.gym.lacks,
        pain=tuple(sorted(profile.lasting_pains, key=lambda pain: pain.part)),
        avoid=profile.avoid,
        weeks_to_event=weeks_until(profile.goal.date, today),
    )


def weeks_until(event: date | None, today: date) -> int | None:
    """Return the whole weeks before an event; None without one, or within a week or after a year.

    A week that has begun counts.
    """
    if event is None:
        return None
    weeks = -(-(event - today).days // 7)
    return weeks if 1 <= weeks <= 52 else None


def save_programme(programme: Programme, path: Path) -> None:
    """Write a programme as a TOML file; an existing file is kept.

    Raises:
        SettingsError: the file exists, or cannot be written.
    """
    if path.exists():
        raise SettingsError(f"{path} exists; choose another name with --save.")
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
) -> StoredProgramme:
    """Create a folder with the routines in the athlete's account, each once.

    Raises:
        SettingsError: the profile allows no writes, or a red flag stops all plans.
        HevyError: Hevy did not answer; the next call continues.
    """
    if athlete.publish.mode == "preview":
        raise SettingsError(
            'Nothing is ever sent while publish.mode is "preview". Allow it with: '
            f"spotter profile set publish.mode=approve --athlete {athlete.id}"
        )

    recorder = Recorder(partial(open_warehouse, settings.warehouse))
    run_id = f"programme {uuid4()}"

    def record(step: ProgrammeStep) -> StoredProgramme:
        return recorder.write(
            lambda con: record_programme_step(con, step, at=recorder.now(), run_id=run_id)
        )

    with publication_lock(settings.warehouse_path, f"programme of {athlete.id}"):
        if recorder.read(lambda con: read_open_red_flags(con, athlete, recorder.now())):
            raise SettingsError(f"Nothing is sent while there is a red flag. {HOW_TO_CLEAR}")
        stored = recorder.read(lambda con: read_programmes(con, athlete.id))
        with hevy_client(settings, athlete) as client:
            steps = ProgrammePublisher(client).publish(stored, athlete.id, programme, routines)
            return complete(steps, record)
