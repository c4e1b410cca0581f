"""Meanings of a table's columns by their names, for a table without a mapping."""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from hevy_connector.body_load import folded
from hevy_connector.csv_imports.dialects import UNITS_OF, find_named_unit, plain_name
from hevy_connector.csv_imports.rows import cut_rows
from hevy_connector.csv_imports.table_mapping import TableMapping
from hevy_connector.csv_imports.unit_words import find_unit
from hevy_connector.errors import CsvFormatError
from hevy_connector.schemas import SetType

_NO_LETTER = re.compile(r"[\W_]+")
# Columns that only the exports of apps have: a table with one is a damaged export.
_OF_APPS = frozenset(
    {"set order", "set_index", "exercise_title", "exercise_notes", "category", "workout notes"}
)
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "\u0131": "i", "æ": "ae"})
_SECONDS = frozenset({"s", "sec", "secs", "sek", "seconds"})
# More starts than this for each day are times of sets.
_MOST_STARTS_A_DAY = 2
_LETTERS_OF_A_DAY = 10


def guess_mapping(
    names: Sequence[str], lines: Sequence[str], first_row_at: int, delimiter: str
) -> TableMapping | None:
    """Return the mapping of a table by the names of its columns; None if they do not suffice.

    It has a date, an exercise, repetitions or a time, and a row that fits its header. Of two
    columns with one meaning none is meant, unless they are not needed.

    Raises:
        CsvFormatError: two columns have a meaning that a table needs.
    """
    if {plain_name(name) for name in names} & _OF_APPS:
        return None
    meanings = [_meaning(name) for name in names]
    counts = {meaning: meanings.count(meaning) for meaning in set(meanings)}
    columns = {
        meaning: name
        for meaning, name in zip(meanings, names, strict=True)
        if meaning is not None and counts[meaning] == 1
    }
    known = set(filter(None, meanings))
    if not {"date", "exercise"} <= known or not known & {"reps", "duration"}:
        return None
    for needed in ("date", "exercise", "weight", "reps"):
        if counts.get(needed, 0) > 1:
            shown = [repr(name) for name, one in zip(names, meanings, strict=True) if one == needed]
            raise CsvFormatError(
                f"The file has {len(shown)} columns for {needed}: {', '.join(shown)}. Rename those "
                "that do not count, or name the one that does with --columns."
            )
    rows = [
        dict(zip(names, row.cells, strict=True))
        for row in cut_rows(lines, first_row_at, len(names), delimiter)
        if row.fault is None
    ]
    if not rows:
        return None
    starts = {row[columns["date"]].strip() for row in rows}
    if "sets" in columns and not _are_counts(rows, columns):
        del columns["sets"]
    types = {row[columns["set_type"]] for row in rows} if "set_type" in columns else set()
    return TableMapping(
        name="Table",
        columns=columns,
        set_types=_set_types(types),
        is_workout_a_day="time" in columns or _has_times_of_sets(starts),
        is_guessed=True,
    )


@cache
def body_words() -> frozenset[str]:
    """Return the folded words in the column of loads for the body alone."""
    return frozenset(map(folded, _words()["body"]["words"]))


def _meaning(name: str) -> str | None:
    """Return the meaning of a column's name, with or without a unit at its end."""
    plain = plain_name(name)
    if (meaning := _meanings().get(_key(plain))) is not None:
        return meaning
    for base, unit in find_named_unit(plain):
        meaning = _meanings().get(_key(base), "")
        if meaning in UNITS_OF and find_unit(unit, UNITS_OF[meaning]) is not None:
            return meaning
        if meaning == "duration" and unit in _SECONDS:
            return meaning
        if meaning in {"rpe", "rir", "reps"}:
            return meaning
    return None


def _set_types(words: Iterable[str]) -> dict[str, SetType]:
    """Return the type of each word, normal by default."""
    known = _set_type_words()
    return {word.strip().casefold(): known.get(_key(word), "normal") for word in words}


def _are_counts(rows: Sequence[Mapping[str, str]], columns: Mapping[str, str]) -> bool:
    """Return whether a column of sets has their number in most exercises of a day, not 1, 2, 3."""
    written: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        place = row[columns["date"]], row[columns["exercise"]]
        written.setdefault(place, []).append(row[columns["sets"]].strip())
    numbered = sum(
        cells == [str(first + at) for at in range(len(cells))]
        for cells in written.values()
        for first in (0, 1)
    )
    return 2 * numbered < len(written)


def _has_times_of_sets(starts: Collection[str]) -> bool:
    """Return whether dates have so many times that these are not of workouts."""
    days = {start[:_LETTERS_OF_A_DAY] for start in starts}
    return len(starts) > _MOST_STARTS_A_DAY * len(days)


def _key(name: str) -> str:
    return _NO_LETTER.sub(" ", folded(name).translate(_LETTERS)).strip()


@cache
def _words() -> Mapping[str, Mapping[str, list[str]]]:
    text = files(__package__).joinpath("column_words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _meanings() -> Mapping[str, str]:
    return {_key(name): meaning for meaning, names in _words()["columns"].items() for name in names}


@cache
def _set_type_words() -> Mapping[str, SetType]:
    types: tuple[SetType, ...] = ("warmup", "dropset", "failure")
    return {_key(word): kind for kind in types for word in _words()["set_types"][kind]}
