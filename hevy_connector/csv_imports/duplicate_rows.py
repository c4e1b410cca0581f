"""Distinguish copied rows of a file from repeated sets.

Lifters repeat sets and exercises; apps and people copy rows. The rules, for the rows of one workout
(same title, same times):

1. *A whole workout again, elsewhere.* A run of rows that equals an earlier run of the same
   workout, with rows of other workouts between the two, is a copy.
2. *A whole workout again, at once.* All rows of a run are one block two or more times. If the file
   marks the first row of a workout (Strong puts the workout's note there, in quotation marks even
   if it is empty), that decides. Without a mark, the block is a copy if it has two exercises or
   more and one of them two sets or more: rounds of a circuit have single sets, and one exercise
   with the same sets twice may have been done twice. Those stay, and are flagged.
3. *A row again.* A row that equals the set before it, including its number, is a copy. A number
   that rises or falls back marks a performed set: equal sets in a row stay. Letters (W, F, D) are
   no numbers, so equal warm-ups and drop sets stay; drop sets, which Strong is known to repeat,
   are flagged.

Each removed copy is listed with the line of its original.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from hevy_connector.csv_imports.neutral import Flag, Repeated, SetRow
from hevy_connector.csv_imports.rows import CsvRow

# Returns whether a row has the mark of a workout's first row.
OpensWorkout = Callable[[CsvRow], bool]

_Block = Sequence[SetRow]
# Key by which copies are equal, the mark first.
_Keys = Sequence[tuple[bool, int | None, tuple[Any, ...]]]


@dataclass(frozen=True)
class DeduplicatedRows:
    """The rows of one workout without copies; `flags` mark rows that only look like copies."""

    rows: tuple[SetRow, ...]
    repeated: tuple[Repeated, ...]
    flags: tuple[Flag, ...]


def deduplicate_rows(runs: Sequence[_Block], opens_workout: OpensWorkout) -> DeduplicatedRows:
    """Split the rows of one workout into performed sets and copies.

    `runs` are its rows in file order, split at rows of other workouts.
    """
    kept: list[tuple[_Keys, _Block]] = []
    repeated: list[Repeated] = []
    flags: list[Flag] = []
    for run in runs:
        keys = [(opens_workout(one.row), one.rest_s, one.content) for one in run]
        length = _period(keys)
        if length < len(run) and not _is_workout(run[:length], keys[:length]):
            if length > 1:
                flags.append(_circuit_warning(run, length))
            length = len(run)
        known = (block for block_keys, block in kept if block_keys == keys[:length])
        original = next(known, None)
        if original is None:
            original = run[:length]
            kept.append((keys[:length], original))
        for at in range(0, len(run), length):
            if run[at] is not original[0]:
                repeated += _copies(original, run[at : at + length])
    rows: list[SetRow] = []
    for one in (one for _, block in kept for one in block):
        before = rows[-1] if rows else None
        if before is None or not _is_copied_row(before, one):
            rows.append(one)
            flags += _drop_set_warnings(before, one)
        else:
            repeated += _copies([before], [one])
    return DeduplicatedRows(tuple(rows), tuple(repeated), tuple(flags))


def _period(keys: _Keys) -> int:
    """Return the length of the shortest repeated block; all rows if none repeats."""
    count = len(keys)
    for length in range(1, count // 2 + 1):
        if count % length == 0 and keys[length:] == keys[:-length]:
            return length
    return count


def _is_workout(block: _Block, keys: _Keys) -> bool:
    """Return whether a repeated block is a whole workout, not a repeated set or exercise."""
    if len(block) == 1:
        return False  # the rule for single rows decides
    marks = [is_marked for is_marked, *_ in keys]
    if marks[0] and not any(marks[1:]):
        return True
    set_counts = [len(list(sets)) for _, sets in groupby(block, lambda one: one.exercise_title)]
    return len(set_counts) > 1 and max(set_counts) > 1


def _circuit_warning(run: _Block, length: int) -> Flag:
    return Flag(
        run[length].line,
        f"from here on the sets of the workout are those from line {run[0].line} on again: "
        "done twice, or a copy",
    )


def _is_copied_row(before: SetRow, one: SetRow) -> bool:
    return (
        one.number is not None
        and one.content == before.content
        and one.rest_s in (None, before.rest_s)
    )


def _drop_set_warnings(before: SetRow | None, one: SetRow) -> Iterator[Flag]:
    if (
        before is not None
        and one.number is None
        and one.values["type"] == "dropset"
        and one.content == before.content
    ):
        yield Flag(one.line, f"is the drop set of line {before.line} again: done twice, or a copy")


def _copies(originals: _Block, copies: _Block) -> Iterator[Repeated]:
    for original, copy in zip(originals, copies, strict=True):
        yield Repeated(copy.line, f"is a copy of line {original.line}")
        for line in copy.attached:
            yield Repeated(line, f"belongs to line {copy.line}, a copy of line {original.line}")
