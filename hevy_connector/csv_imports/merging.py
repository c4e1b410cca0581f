"""What a file of training adds to what is known of an athlete.

A workout of a file is first looked for among those of earlier files, then among those of the
account: by content, since its own id is only the text of its times and title, and an export from
another zone may write that text for another workout. Its record keeps the id under which it is
known; one that is new under a text that is taken gets the next id. Its times are moved to those of
the account, which are facts in UTC; without an account, to those that are known, unless somebody
said in which zone the file was written. Its weights and distances stay as they are known where only
another rounding tells them apart. Nothing here reads or writes: plain values in, plain values
out.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Literal

from hevy_connector.canonical_json import canonical_json
from hevy_connector.csv_imports.matching import NO_SHIFT, Matching, match_workouts
from hevy_connector.csv_imports.performed import MINUTE, Performed, counterparts, is_same_content
from hevy_connector.raw.landing import Record

# Written into the payload of what only Strong's export told: Hevy's knows more of a workout.
APP_KEY = "source_app"
# What an export rounds to two decimals of the unit in which it is written.
_ROUNDED_KEYS = ("weight_kg", "distance_meters")

State = Literal["new", "changed", "unchanged", "matched"]


@dataclass(frozen=True)
class FileRecord:
    """A workout of a file as the raw table has it; `batch` is the run that wrote it so."""

    performed: Performed
    payload: str
    batch: str

    @classmethod
    def of(cls, record_id: str, payload: str, batch: str) -> "FileRecord":
        """The record with its workout parsed."""
        return cls(Performed.from_payload(record_id, payload), payload, batch)


@dataclass(frozen=True)
class Known:
    """What is known of an athlete's workouts.

    `files` are those of earlier files, `account` those of the Hevy account with the deleted ones,
    `matches` says which of the first (by id) is which of the second.
    """

    files: Sequence[FileRecord]
    account: Sequence[Performed]
    matches: Mapping[str, str]


@dataclass(frozen=True)
class MergedWorkout:
    """One workout of the file, ready to land.

    A `matched` one is not known from a file, but the account has it as `hevy_record_id`.
    """

    record: Record
    state: State
    hevy_record_id: str | None


@dataclass(frozen=True)
class Merge:
    """What a file adds: its workouts in file order.

    The file's times are ahead of the `reference` by `shifts`; `moved_count` of the workouts that no
    earlier file had were moved by them.
    """

    workouts: tuple[MergedWorkout, ...]
    new_matches: Mapping[str, str]
    reference: Literal["account", "files"]
    shifts: tuple[timedelta, ...]
    moved_count: int


def merge_file(
    records: Sequence[Record], known: Known, *, is_zone_given: bool, is_from_strong: bool
) -> Merge:
    """Compare the workouts of one file with what is known.

    With `is_zone_given` the file's times correct those known from files; otherwise those stay.
    """
    by_id = {file.performed.id: file for file in known.files}
    written = [Performed.from_payload(record.record_id, record.payload) for record in records]
    among_files = _match_files(written, [file.performed for file in known.files])
    moved = _moved_in_account(written, among_files, known)
    kept = {own: at for own, at in among_files.partners.items() if at not in moved.values()}
    identified = _identified(written, kept | moved)
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
        told = record if before is None else _with_known_numbers(record, workout, before)
        payload = _payload(told, workout.id, span, is_from_strong=is_from_strong)
        if before is not None and is_from_strong and not _is_from_strong(before.payload):
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

    Two workouts of one id and content are the same, unless content alone explains more: then the
    file is from another zone, and its texts meet those of other workouts.
    """
    by_id = {workout.id: workout for workout in known}
    same = {
        one.id: one.id for one in written if one.id in by_id and is_same_content(one, by_id[one.id])
    }
    by_text, by_content = match_workouts(written, known, same), match_workouts(written, known)
    return by_content if len(by_content.matches) > len(by_text.matches) else by_text


def _moved_in_account(
    written: Sequence[Performed], found: Matching, known: Known
) -> dict[str, str]:
    """The record ids of workouts that were given another time in the app, after an earlier file had
    been matched.

    No file had them at this time, but the account now has. It knows better, too, than a record of
    this time with other content.
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


def _identified(written: Sequence[Performed], partners: Mapping[str, str]) -> list[Performed]:
    """The workouts under the ids of their records.

    What has no partner takes the first id of its own that no other has. A known workout of that
    id is then the same one, edited.
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
    """The ids for workouts whose times and titles were written alike; never to change."""
    yield record_id
    yield from (f"{record_id}-{number}" for number in count(2))


def match_account(workouts: Sequence[Performed], known: Known) -> Matching:
    """Match workouts of one file with the account's; what is matched already stays so."""
    pinned = {one.id: known.matches[one.id] for one in workouts if one.id in known.matches}
    others = set(known.matches.values()) - set(pinned.values())
    return match_workouts(
        workouts, [workout for workout in known.account if workout.id not in others], pinned
    )


def moved_records(files: Iterable[FileRecord], found: Matching) -> list[Record]:
    """The records whose times were ahead of the account's, with their times corrected."""
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
    """The record with the weights and distances that are known, in each set that is the same."""
    known_sets = _sets(json.loads(before.payload))
    told = json.loads(record.payload)
    for one, place in zip(_sets(told), counterparts(workout, before.performed), strict=True):
        if place is not None:
            known = known_sets[place]
            one.update(
                {key: known[key] for key in _ROUNDED_KEYS if one.get(key) and known.get(key)}
            )
    return replace(record, payload=canonical_json(told))


def _sets(workout: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All sets of a payload in order, as `Performed.sets`."""
    return [one for exercise in workout["exercises"] or () for one in exercise["sets"] or ()]


def _span(
    workout: Performed, shift: timedelta, before: Performed | None
) -> tuple[datetime, datetime | None]:
    """Start and end without the shift; what is known to the second stays, and so does a known end
    that the file does not tell.
    """
    duration = workout.duration
    known = None if before is None else before.duration
    if known is not None and (duration is None or abs(duration - known) < MINUTE):
        duration = known
    try:
        start_at = workout.start_at - shift
        return start_at, None if duration is None else start_at + duration
    except OverflowError:
        # A date at an end of the calendar is a typing error and stays as it is written.
        return workout.start_at, workout.end_at


def _payload(
    record: Record,
    record_id: str,
    span: tuple[datetime, datetime | None],
    *,
    is_from_strong: bool = False,
) -> str:
    start_at, end_at = span
    return canonical_json(
        json.loads(record.payload)
        | {
            "id": record_id,
            "start_time": start_at.isoformat(),
            "end_time": None if end_at is None else end_at.isoformat(),
        }
        | ({APP_KEY: "Strong"} if is_from_strong else {})
    )


def _is_from_strong(payload: str) -> bool:
    return APP_KEY in json.loads(payload)


def _state(payload: str, before: FileRecord | None, *, is_in_account: bool) -> State:
    if before is not None:
        return "unchanged" if payload == before.payload else "changed"
    return "matched" if is_in_account else "new"
