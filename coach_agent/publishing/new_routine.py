"""Publish into separate routines if the athlete wants the original ones unchanged.

They are in one folder and have the day in their title, which identifies a routine after a creation
without a response: Hevy's create is not idempotent. Routines cannot be deleted through the API
either, so after `keep` of them the oldest unedited one is renamed and overwritten.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol, cast

from pydantic import ValidationError

from coach_agent.domain.units import Unit
from coach_agent.publishing.routine_changes import first_difference
from coach_agent.publishing.routine_writer import RoutineWriter, StopError
from coach_agent.publishing.states import PublicationRow, Steps
from hevy_connector.errors import (
    HevyInvalidBodyError,
    HevyRequestError,
    HevyResponseError,
    HevyUnavailableError,
)
from hevy_connector.schemas import (
    Routine,
    RoutineFolder,
    RoutineFolderWrite,
    RoutineWrite,
)

FOLDER = "Spotter"


@dataclass(frozen=True)
class OwnRoutine:
    """Request for a separate routine: the athlete's day, and the maximum number in use."""

    day: date
    keep: int


class RoutineMaker(Protocol):
    """The part of the Hevy client that publishing into new routines needs."""

    def routines(self) -> list[Routine]:
        """Return all routines."""

    def routine_folders(self) -> list[RoutineFolder]:
        """Return all folders of routines."""

    def create_routine_folder(self, folder: RoutineFolderWrite) -> object:
        """Create a folder."""

    def create_routine(self, routine: RoutineWrite, folder_id: int | None = None) -> object:
        """Create a routine."""


def write_into_own(
    writer: RoutineWriter,
    row: PublicationRow,
    rows: Sequence[PublicationRow],
    content: RoutineWrite,
    wish: OwnRoutine,
    unit: Unit,
) -> Steps:
    """Write into an earlier routine of ours, renamed, or into a new one.

    `rows` are the publications of the athlete.

    Raises:
        HevyError: the service failed, or the result of the write is unknown; the next call looks.
    """
    maker = _maker(writer)
    folder_id = folder_titled(maker, FOLDER)
    own = [each for each in rows if each.routine_id == row.routine_id]
    routines = maker.routines()
    if _is_unchanged(own, routines, content):
        return (yield writer.stop(row, StopError("unchanged", "The routine already says this.")))
    ours = [each for each in routines if each.folder_id == folder_id]
    chosen = routine_to_overwrite(own, ours, wish)
    others = [each.title for each in routines if chosen is None or each.id != chosen.id]
    titled = content.model_copy(update={"title": dated_title(content.title, wish.day, others)})
    if chosen is not None:
        moved = replace(row, written_routine_id=chosen.id)
        seen = writer.read(chosen)
        return (yield from writer.write(moved, seen, titled, unit, was_sent=False))
    return (yield from _create(writer, row, rows, titled, folder_id))


def resolve_own(
    writer: RoutineWriter, row: PublicationRow, rows: Sequence[PublicationRow]
) -> Steps:
    """Find the routine of a pending creation; without one, the row stays pending.

    `rows` may be older than the creation: one of a routine is pending at a time.

    Raises:
        HevyError: the service failed; the next call retries.
    """
    maker = _maker(writer)
    known = latest_writes([each for each in rows if each.routine_id == row.routine_id])
    others = [each for each in maker.routines() if each.id not in {row.routine_id, *known}]
    routine = find_created(row, others, _folder_id(maker, FOLDER))
    if routine is None:
        return row
    row = replace(row, written_routine_id=routine.id, run_id=writer.run_id)
    try:
        seen = writer.look(routine.id)
    except StopError as stop:
        return (yield writer.stop(row, stop))
    return (yield writer.finish(row, seen, "Created and found."))


def _maker(writer: RoutineWriter) -> RoutineMaker:
    """Return the account's service, which can also create."""
    return cast(RoutineMaker, writer.service)


def _create(
    writer: RoutineWriter,
    row: PublicationRow,
    rows: Sequence[PublicationRow],
    content: RoutineWrite,
    folder_id: int,
) -> Steps:
    row = yield writer.intend(row, None, content)
    unclear: Exception | None = None
    try:
        _maker(writer).create_routine(content, folder_id)
    except (HevyUnavailableError, HevyResponseError) as error:
        unclear = error
    except (HevyRequestError, HevyInvalidBodyError) as error:
        return (yield writer.stop(row, StopError("failed", str(error)), is_unsent=True))
    # Create is not idempotent in Hevy, so an unclear result is left to the next run.
    resolved = yield from resolve_own(writer, row, rows)
    if resolved.state == "publishing":
        raise unclear or HevyResponseError("Hevy created a routine, but does not list it.")
    return resolved


def folder_titled(service: RoutineMaker, title: str) -> int:
    """Return the folder with this title, created if missing; a creation without a response is
    looked up, never repeated.

    Raises:
        HevyError: it cannot be created, or the result is unknown.
    """
    if (found := _folder_id(service, title)) is not None:
        return found
    unclear: Exception | None = None
    try:
        service.create_routine_folder(RoutineFolderWrite(title=title))
    except (HevyUnavailableError, HevyResponseError) as error:
        unclear = error
    if (found := _folder_id(service, title)) is not None:
        return found
    raise unclear or HevyResponseError("Hevy created a folder, but does not list it.")


def _folder_id(service: RoutineMaker, title: str) -> int | None:
    ids = [folder.id for folder in service.routine_folders() if folder.title == title]
    return min(ids, default=None)


def dated_title(title: str, day: date, taken: Sequence[str]) -> str:
    """Return a title that no other routine has: `Push · 2026-03-04`, then `Push · 2026-03-04
    (2)`.
    """
    dated = f"{title} · {day}"
    number = 1
    while (candidate := dated if number == 1 else f"{dated} ({number})") in taken:
        number += 1
    return candidate


def find_created(
    row: PublicationRow, routines: Sequence[Routine], folder_id: int | None
) -> Routine | None:
    """Return the unclaimed routine that this publication created; None without one."""
    return None if row.request is None else find_routine(row.request, routines, folder_id)


def find_routine(
    request: RoutineWrite, routines: Sequence[Routine], folder_id: int | None
) -> Routine | None:
    """Return the unclaimed routine that was created by a request; None without one.

    It has the unique title that was sent. If the athlete renamed it since, it is in the folder and
    has all other content that was sent.
    """
    for routine in routines:
        if routine.title == request.title:
            return routine
    for routine in routines:
        renamed = request.model_copy(update={"title": routine.title})
        if folder_id is not None and routine.folder_id == folder_id and _holds(routine, renamed):
            return routine
    return None


def routine_to_overwrite(
    rows: Sequence[PublicationRow], routines: Sequence[Routine], wish: OwnRoutine
) -> Routine | None:
    """Return the routine in our folder to rename and overwrite; None if there is room.

    It is the one of the same day, because its plan is stale; otherwise, once there are `keep` of
    them, the one with the oldest write. Routines that the athlete edited are never overwritten.
    """
    last = latest_writes(rows)
    there = [routine for routine in routines if routine.id in last]
    ours = [routine for routine in there if _is_as_written(routine, last[routine.id])]
    ours.sort(key=lambda routine: last[routine.id].number)
    today = [routine for routine in ours if f" · {wish.day}" in routine.title]
    if today:
        return today[-1]
    return ours[0] if ours and len(there) >= wish.keep else None


def _is_unchanged(
    rows: Sequence[PublicationRow], routines: Sequence[Routine], content: RoutineWrite
) -> bool:
    """Return whether the newest of our routines already has this content, apart from its day."""
    last = latest_writes(rows)
    newest = max(last.values(), key=lambda row: row.number, default=None)
    for routine in routines:
        if newest is not None and routine.id == newest.written_routine_id:
            titled = content.model_copy(update={"title": routine.title})
            return _holds(routine, titled)
    return False


def latest_writes(rows: Sequence[PublicationRow]) -> dict[str, PublicationRow]:
    """Return the last write to each of our routines, by routine."""
    sent = [row for row in rows if row.was_sent and row.written_routine_id is not None]
    ordered = sorted(sent, key=lambda row: row.number)
    return {row.written_routine_id: row for row in ordered if row.written_routine_id is not None}


def _is_as_written(routine: Routine, row: PublicationRow) -> bool:
    return row.state == "published" and row.request is not None and _holds(routine, row.request)


def _holds(routine: Routine, content: RoutineWrite) -> bool:
    try:
        return first_difference(RoutineWrite.from_read(routine), content) is None
    except ValidationError:
        return False
