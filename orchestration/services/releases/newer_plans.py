"""Plans and check-ins newer than the release, for readers, which never open the warehouse.

    release/check_ins/<athlete_id>.json

A check-in replaces the file of its athlete. Readers prefer it to a release from before it. A
release of all marts for one check-in would copy the rows of every athlete.
"""

from datetime import datetime
from pathlib import Path

import duckdb

from coach_agent.domain.values import Value
from coach_agent.journal.current_plans import PlanReport, read_current_plan
from coach_agent.store.check_ins import CHECK_INS_KNOWN_FOR, CheckIn, read_check_ins
from hevy_connector.schemas import UtcTime
from orchestration.config.durable_files import replace_file
from orchestration.storage.file_lock import file_lock

CHECK_INS_FOLDER = "check_ins"

_LOCK = ".lock"
_WAIT_S = 60.0
"""Holders of the lock write one file, or delete small ones."""


class NewerPlan(Value):
    """An athlete's active plan, None without one, and check-ins, newest first, at a time."""

    written_at: UtcTime
    plan: PlanReport | None
    check_ins: tuple[CheckIn, ...]


def write_newer_plan(
    con: duckdb.DuckDBPyConnection, athlete_id: str, folder: Path, now: datetime
) -> None:
    """Write the athlete's plan and check-ins at an aware time into the folder of the releases.

    `now` must be later than the plan: a release from after `now` takes precedence.
    """
    here = folder / CHECK_INS_FOLDER
    with file_lock(here / _LOCK, "a check-in", wait_s=_WAIT_S):
        plan = read_current_plan(con, athlete_id)
        newer = NewerPlan(
            written_at=now,
            plan=None if plan is None else PlanReport.model_validate(plan.summary()),
            check_ins=read_check_ins(con, athlete_id, since=now - CHECK_INS_KNOWN_FOR, until=now),
        )
        replace_file(here / f"{athlete_id}.json", newer.model_dump_json().encode())


def read_newer_plan(folder: Path, athlete_id: str, released_at: datetime) -> NewerPlan | None:
    """Return the athlete's plan if it is newer than the release of an aware time."""
    try:
        content = (folder / CHECK_INS_FOLDER / f"{athlete_id}.json").read_bytes()
    except FileNotFoundError:
        return None
    found = NewerPlan.model_validate_json(content)
    return found if found.written_at > released_at else None


def clear_newer_plans(folder: Path, released_at: datetime) -> None:
    """Delete the files from before the release of an aware time: no kept release needs them."""
    here = folder / CHECK_INS_FOLDER
    if not here.exists():
        return
    with file_lock(here / _LOCK, "a release", wait_s=_WAIT_S):
        for path in here.glob("*.json"):
            found = NewerPlan.model_validate_json(path.read_bytes())
            if found.written_at <= released_at:
                path.unlink()
