"""Build workouts in the format of the API from the sets of a file."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from hevy_connector.canonical_json import canonical_json
from hevy_connector.csv_imports.neutral import SetRow
from hevy_connector.records import Record
from hevy_connector.schemas import FILE_ID_PREFIX, Workout

# Must never change: other ids would duplicate every imported workout.
_RECORD_NAMESPACE = uuid.UUID("5b0c5a8e-8f0e-5d5c-9a39-3d1a6f6d0c11")


@dataclass(frozen=True)
class FileWorkout:
    """One workout of a file.

    `lines` are the first physical lines (from 1) of its set rows, in file order.
    """

    record: Record
    lines: tuple[int, ...]


def build_workout(sets: Sequence[SetRow], athlete_id: str, first_number: int) -> FileWorkout:
    """Build the workout of these sets, which are in file order.

    `first_number` is the number of an exercise's first set in this file.
    """
    head = sets[0].head
    # The written times identify a workout, so that a corrected zone does not create another one.
    identity = json.dumps([athlete_id, *head.key])
    record_id = f"{FILE_ID_PREFIX}{uuid.uuid5(_RECORD_NAMESPACE, identity)}"
    payload = {
        "id": record_id,
        "title": head.title,
        "routine_id": None,
        "description": _join_texts([one.description for one in sets]),
        "start_time": head.start_at.isoformat(),
        "end_time": None if head.end_at is None else head.end_at.isoformat(),
        "exercises": [
            {
                "index": index,
                "title": block[0].exercise_title,
                "notes": _join_texts([one.notes for one in block]),
                "exercise_template_id": None,
                "superset_id": block[0].superset_id,
                "sets": [
                    {"index": place, **one.values, **_rest(one)} for place, one in enumerate(block)
                ],
            }
            for index, block in enumerate(exercise_blocks(sets, first_number))
        ],
    }
    Workout.model_validate(payload)
    return FileWorkout(
        record=Record(record_id, canonical_json(payload)),
        lines=tuple(dict.fromkeys(one.line for one in sets)),
    )


def exercise_blocks(sets: Sequence[SetRow], first_number: int) -> list[list[SetRow]]:
    """Split the sets into exercises: contiguous sets of one title, split where numbers restart."""
    blocks: list[list[SetRow]] = []
    for _, group in groupby(sets, key=lambda one: (one.exercise_title, one.superset_id)):
        block: list[SetRow] = []
        # The sets of `block` from `open_at` on have letters; `last` is the number before them.
        open_at, last = 0, first_number - 1
        for one in group:
            if one.number is not None:
                letters = block[open_at:]
                if block and one.number <= last + sum(each.takes_number for each in letters):
                    restart_at = open_at + _restart_index(letters, one.number - first_number)
                    blocks.append(block[:restart_at])
                    block = block[restart_at:]
                open_at, last = len(block) + 1, one.number
            block.append(one)
        blocks.append(block)
    return [block for block in blocks if block]


def _restart_index(letters: Sequence[SetRow], numbers_taken: int) -> int:
    """Return the index among sets with letters at which the next exercise begins.

    It owns as many of them as numbers are missing before its first number, and the warm-ups around
    them.
    """
    at = len(letters)
    while at and (numbers_taken > 0 or not letters[at - 1].takes_number):
        numbers_taken -= letters[at - 1].takes_number
        at -= 1
    return at


def _join_texts(texts: Sequence[str]) -> str:
    """Join texts without duplicates: some exports repeat a text on every row."""
    return "\n".join(dict.fromkeys(text for text in texts if text.strip()))


def _rest(one: SetRow) -> dict[str, int]:
    return {} if one.rest_s is None else {"rest_seconds": one.rest_s}
