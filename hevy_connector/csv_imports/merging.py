"""Merge a training file into the known workouts of an athlete. Pure: no I/O.

A workout of a file is matched first with those of earlier files, then with those of the account.
The match is by content: its own id is only a hash of its times and title, and an export from
another zone may write that text for another workout. A matched record keeps its known id; a new
workout with an id that is taken gets the next id. Its times are shifted to those of the account,
which are exact and in UTC. Without an account they are shifted to the known times, unless the
athlete stated the zone of the file. Known weights and distances stay if the file's differ only by
rounding.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Literal

from hevy_connector.canonical_json import canonical_json
from hevy_connector.csv_imports.duplicate_workouts import NO_SHIFT, Matching, match_workouts
from hevy_connector.csv_imports.performed import MINUTE, Performed, counterparts, is_same_content
from hevy_connector.records import Record

# Marks payloads that only the file of another app provides: Hevy's data is more complete.
APP_KEY = "source_app"
# Fields that an export rounds to two decimals of its own unit.
_ROUNDED_KEYS = ("weight_kg", "distance_meters")

State = Literal["new", "changed", "unchanged", "matched"]


@dataclass(frozen=True)
class FileRecord:
    """A workout of a file in the raw table; `batch` is the run that wrote this version."""

    performed: Performed
    payload: str
    batch: str

    @classmethod
    def of(cls, record_id: str, payload: str, batch: str) -> "FileRecord":
        """Parse the workout of a record."""
        return cls(Performed.from_payload(record_id, payload), payload, batch)


@dataclass(frozen=True)
class KnownWorkouts:
    """Known workouts of an athlete.

    `files` are those of earlier files, `account` those of the Hevy account including deleted ones,
    `matches` maps ids of the first to ids of the second.
    """

    files: Sequence[FileRecord]
    account: Sequence[Performed]
    matches: Mapping[str, str]


@dataclass(frozen=True)
class MergedWorkout:
    """One workout of the file, ready to land.

    A `matched` one exists in no earlier file, but in the account as `hevy_record_id`.
    """

    record: Record
    state: State
    hevy_record_id: str | None


@dataclass(frozen=True)
class Merge:
    """Result of a merge: workouts in file order.

    The file's times are ahead of the `reference` by `shifts`; `moved_count` workouts that are in no
    earlier file were shifted.
    """

    workouts: tuple[MergedWorkout, ...]
    new_matches: Mapping[str, str]
    reference: Literal["account", "files"]
    shifts: tuple[timedelta, ...]
    moved_count: int


def merge_file(
    records: Sequence[Record], known: KnownWorkouts, *, is_zone_given: bool, other_app: str | None
) -> Merge:
    """Merge the workouts of one file with the known ones.

    `other_app` wrote the file; None if Hevy did. With `is_zone_given` the file's times correct
    those from earlier files; otherwise the known times stay.
    """
    by_id = {file.performed.id: file for file in known.files}
    written = [Performed.from_payload(record.record_id, record.payload) for record in records]
    among_files = _match_files(written, [file.performed for file in known.files])
    moved = _ids_moved_in_account(written, among_files, known)
    kept = {own: at for own, at in among_files.partners.items() if at not in moved.values()}
    identified = _assign_ids(written, kept | moved)
    among_account = match_account(identified, known)
    hevy_ids = {**known.matches, **among_account.partners}
    deciding = among_account if among_account.matches else among_files
    basis = Matching(()) if is_zone_given and deciding is among_files else deciding
    merged = []
    moved_count = 0
    for record, workout in zip(records, identified, strict=True):
        before = by_id.get(workout.id)
        shift = basis.shift_near(workout.start_at)
        if before is None:
            moved_count += shift != NO_SHIFT
        elif not is_zone_given and record.record_id not in moved:
            shift = workout.start_at - before.performed.start_at
        span = _span(workout, shift, before.performed if before else None)
        updated = record if before is None else _with_known_numbers(record, workout, before)
        payload = _payload(updated, workout.id, span, other_app=other_app)
        if before is not None and other_app and not _is_from_other_app(before.payload):
            payload = before.payload
        merged.append(
            MergedWorkout(
                record=replace(record, record_id=workout.id, payload=payload),
                state=_state(payload, before, is_in_account=workout.id in hevy_ids),
                hevy_record_id=hevy_ids.get(workout.id),
            )
        )
    return Merge(
        workouts=tuple(merged),
        new_matches={
            own: other for own, other in among_account.partners.items() if own not in known.matches
        },
        reference="account" if among_account.matches else "files",
        shifts=deciding.shifts,
        moved_count=moved_count,
    )


def _match_files(written: Sequence[Performed], known: Sequence[Performed]) -> Matching:
    """Match the workouts of a file with those of earlier files.

    Two workouts with equal id and content are the same, unless a match by content alone explains
    more: then the file is from another zone, and its ids collide with those of other workouts.
    """
    by_id = {workout.id: workout for workout in known}
    same = {
        one.id: one.id for one in written if one.id in by_id and is_same_content(one, by_id[one.id])
    }
    by_text, by_content = match_workouts(written, known, same), match_workouts(written, known)
    return by_content if len(by_content.matches) > len(by_text.matches) else by_text


def _ids_moved_in_account(
    written: Sequence[Performed], found: Matching, known: KnownWorkouts
) -> dict[str, str]:
    """Return ids of workouts that the athlete rescheduled in the app after a match.

    No file had them at this time, but the account has it now. The account also takes precedence
    over a record of this time with other content.
    """
    files = {file.performed.id: file.performed for file in known.files}
    partners = found.partners
    certain = {
        one.id: partners[one.id]
        for one in written
        if one.id in partners and is_same_content(one, files[partners[one.id]])
    }
    pinned = {own: known.matches[at] for own, at in certain.items() if at in known.matches}
    taken = set(certain.values())
    free = {hevy_id: at for at, hevy_id in known.matches.items() if at in files and at not in taken}
    return {
        own: free[hevy_id]
        for own, hevy_id in match_workouts(written, known.account, pinned).partners.items()
        if own not in certain and hevy_id in free and partners.get(own) != free[hevy_id]
    }


def _assign_ids(written: Sequence[Performed], partners: Mapping[str, str]) -> list[Performed]:
    """Assign record ids to workouts.

    A workout without a match takes its first own id that is free. A known workout with that id is
    then the same one, edited.
    """
    taken = set(partners.values())
    return [
        replace(
            one,
            id=partners[one.id]
            if one.id in partners
            else next(own for own in _own_ids(one.id) if own not in taken),
        )
        for one in written
    ]


def _own_ids(record_id: str) -> Iterator[str]:
    """Yield ids for workouts with equal times and titles; must never change."""
    yield record_id
    yield from (f"{record_id}-{number}" for number in count(2))


def match_account(workouts: Sequence[Performed], known: KnownWorkouts) -> Matching:
    """Match workouts of one file with the account's; existing matches are kept."""
    pinned = {one.id: known.matches[one.id] for one in workouts if one.id in known.matches}
    others = set(known.matches.values()) - set(pinned.values())
    return match_workouts(
        workouts, [workout for workout in known.account if workout.id not in others], pinned
    )


def corrected_records(files: Iterable[FileRecord], found: Matching) -> list[Record]:
    """Return the records with shifted times, with their times corrected."""
    shifts = {match.left_id: match.shift for match in found.matches}
    records = []
    for file in files:
        workout = file.performed
        shift = shifts.get(workout.id, found.shift_near(workout.start_at))
        if shift != NO_SHIFT:
            record = Record(workout.id, file.payload)
            payload = _payload(record, workout.id, _span(workout, shift, None))
            records.append(replace(record, payload=payload))
    return records


def _with_known_numbers(record: Record, workout: Performed, before: FileRecord) -> Record:
    """Return the record with the known weights and distances in each equal set."""
    known_sets = _sets(json.loads(before.payload))
    merged = json.loads(record.payload)
    for one, place in zip(_sets(merged), counterparts(workout, before.performed), strict=True):
        if place is not None:
            known = known_sets[place]
            one.update(
                {key: known[key] for key in _ROUNDED_KEYS if one.get(key) and known.get(key)}
            )
    return replace(record, payload=canonical_json(merged))


def _sets(workout: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return all sets of a payload in order, as `Performed.sets`."""
    return [one for exercise in workout["exercises"] or () for one in exercise["sets"] or ()]


def _span(
    workout: Performed, shift: timedelta, before: Performed | None
) -> tuple[datetime, datetime | None]:
    """Return start and end without the shift.

    Known seconds are kept, and so is a known end that the file lacks.
    """
    duration = workout.duration
    known = None if before is None else before.duration
    if known is not None and (duration is None or abs(duration - known) < MINUTE):
        duration = known
    try:
        start_at = workout.start_at - shift
        return start_at, None if duration is None else start_at + duration
    except OverflowError:
        # A date at the limit of the calendar is a typing error and is kept unchanged.
        return workout.start_at, workout.end_at


def _payload(
    record: Record,
    record_id: str,
    span: tuple[datetime, datetime | None],
    *,
    other_app: str | None = None,
) -> str:
    start_at, end_at = span
    return canonical_json(
        json.loads(record.payload)
        | {
            "id": record_id,
            "start_time": start_at.isoformat(),
            "end_time": None if end_at is None else end_at.isoformat(),
        }
        | ({APP_KEY: other_app} if other_app else {})
    )


def _is_from_other_app(payload: str) -> bool:
    return APP_KEY in json.loads(payload)


def _state(payload: str, before: FileRecord | None, *, is_in_account: bool) -> State:
    if before is not None:
        return "unchanged" if payload == before.payload else "changed"
    return "matched" if is_in_account else "new"
