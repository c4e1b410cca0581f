"""Programmes from tables: CSV with one row for each exercise of a week and day.

`week` is optional, `sets` is in the notation of `set_notation`, or a count beside `reps` and one of
`percent`, `rpe` and `rir`.
"""

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from coach_agent.domain.control_characters import without_controls
from coach_agent.domain.titles import did_you_mean, normalize_title
from coach_agent.programmes.exercise_words import named_exercise
from coach_agent.programmes.files import ProgrammeError
from coach_agent.programmes.model import Aim, Block, Level, Lift, Programme, Progression
from coach_agent.programmes.set_notation import SKIPPED, parse_groups, parse_sets

_LOADS = ("percent", "rpe", "rir")
COLUMNS = ("week", "day", "exercise", "sets", "reps", *_LOADS)
_NEEDED = ("day", "exercise", "sets")
_MOST_WEEKS, _MOST_DAYS = 16, 7
_DELIMITERS = ",;\t"
# Typographic signs of multiplication and ranges.
_SIGNS = str.maketrans({"\u00d7": "x", "X": "x", "\u2013": "-", "\u2014": "-"})
_COUNT = re.compile(r"\d{1,2}")


@dataclass(frozen=True)
class _Row:
    """A row of the table; `line` is that of the file."""

    line: int
    week: int | None
    day: str
    exercise: str
    sets: str


@dataclass
class _Reading:
    """The rows that are valid, and the problems of the others by line."""

    rows: list[_Row] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)


def programme_of_table(
    text: str,
    path: Path,
    titles: Collection[str],
    *,
    level: Level = "intermediate",
    goal: Aim = "both",
    minutes: int = 60,
) -> Programme:
    """Build a programme from the rows of a table; `titles` are the known exercises.

    Weeks form one block. An exercise with the same repetitions in all weeks progresses: a range by
    repetitions first, a fixed number by load. Others have their sets by week.

    Raises:
        ProgrammeError: lists all problems, each with file, line and the nearest known name.
    """
    reading = _read(text, {normalize_title(title): title for title in titles})
    if not reading.problems:
        reading.problems += [*_week_problems(reading.rows), *_joined_problems(reading.rows)]
    if reading.problems:
        lines = (f"{path}, line {line}: {problem}" for line, problem in sorted(reading.problems))
        raise ProgrammeError("\n".join(lines))
    try:
        return _programme(reading.rows, path, level, goal, minutes)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise ProgrammeError(f"{path}: {place}: {problem['msg']}") from error


def _read(text: str, titles: Mapping[str, str]) -> _Reading:
    reading = _Reading()
    header, _, _ = text.partition("\n")
    delimiter = max(_DELIMITERS, key=header.count)
    records = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    try:
        _read_records(records, titles, reading)
    except csv.Error as error:
        reading.problems.append((records.line_num or 1, f"is no CSV: {error}"))
    return reading


def _read_records(records: Any, titles: Mapping[str, str], reading: _Reading) -> None:
    names = [name.strip().casefold() for name in next(records, [])]
    unknown = [name for name in names if name not in COLUMNS]
    missing = [name for name in _NEEDED if name not in names]
    if unknown or missing:
        hints = "".join(did_you_mean(name, COLUMNS) for name in unknown)
        wrong = f"unknown: {', '.join(unknown)}" if unknown else f"missing: {', '.join(missing)}"
        reading.problems.append((1, f"the columns are {', '.join(COLUMNS)}; {wrong}.{hints}"))
        return
    for cells in records:
        if not any(cell.strip() for cell in cells):
            continue
        if any(cell.strip() for cell in cells[len(names) :]):
            problem = "has more cells than the header; put quotes around a comma"
            reading.problems.append((records.line_num, problem))
            continue
        values = dict.fromkeys(COLUMNS, "")
        values |= dict(zip(names, map(str.strip, cells), strict=False))
        _read_row(records.line_num, values, titles, reading)
    if not reading.rows and not reading.problems:
        reading.problems.append((1, "there is no row below the header"))


def _read_row(
    line: int, values: Mapping[str, str], titles: Mapping[str, str], reading: _Reading
) -> None:
    problems = []
    title = titles.get(normalize_title(values["exercise"])) or named_exercise(
        values["exercise"], titles.values()
    )
    if title is None:
        hint = did_you_mean(values["exercise"], titles.values())
        problems.append(f"there is no exercise {values['exercise']!r}.{hint}")
    if not values["day"]:
        problems.append("day is empty")
    if without_controls(values["day"]) != values["day"]:
        problems.append("day must have no control characters")
    week = values["week"].casefold().removeprefix("week").strip()
    if week and not (week.isdecimal() and 1 <= int(week) <= _MOST_WEEKS):
        problems.append(f"week {values['week']!r} must be a number from 1 to {_MOST_WEEKS}")
    sets = ""
    try:
        sets = _sets(values)
        parse_groups(sets)
    except ValueError as error:
        problems.append(str(error))
    if problems or title is None:
        reading.problems += [(line, problem) for problem in problems]
        return
    reading.rows.append(_Row(line, int(week) if week else None, values["day"], title, sets))


def _sets(values: Mapping[str, str]) -> str:
    """Return the sets of a row in the notation; a lone count is joined with `reps` and its load.

    Raises:
        ValueError: a cell would be left out.
    """
    sets, loads = _in_notation(values["sets"]), [name for name in _LOADS if values[name]]
    if not _COUNT.fullmatch(sets):
        if beside := [name for name in ("reps", *_LOADS) if values[name]]:
            raise ValueError(f"{', '.join(beside)} cannot stand beside sets {sets!r}")
        return sets
    if len(loads) > 1:
        raise ValueError(f"give one of {', '.join(loads)}")
    text = f"{sets}x{values['reps']}"
    if not loads:
        return text
    [name] = loads
    if name == "percent":
        return f"{text} @{values[name].rstrip('% ')}%"
    return f"{text} @{name.upper()} {values[name]}"


def _in_notation(sets: str) -> str:
    """Return sets as spreadsheets write them in the notation: `3xAMRAP`, `3x8 (80%)`."""
    text = re.sub("amrap", "max", sets.translate(_SIGNS), flags=re.IGNORECASE)
    return re.sub(r"\s*\((\d+(?:\.\d+)?\s*%)\)", r" @\1", text)


def _week_problems(rows: Iterable[_Row]) -> Iterator[tuple[int, str]]:
    rows = list(rows)
    weeks = {row.week for row in rows if row.week is not None}
    for row in rows:
        if weeks and row.week is None:
            yield row.line, "week is empty; give it in all rows or in none"
    if rows and (count := _days_a_week(rows)) > _MOST_DAYS:
        yield rows[-1].line, f"a week has {count} days; a programme has at most {_MOST_DAYS}"
    lacking = sorted({*range(1, max(weeks, default=0) + 1)} - weeks)
    if lacking:
        yield rows[-1].line, f"there is no row of week {lacking[0]}"


def _joined_problems(rows: Iterable[_Row]) -> Iterator[tuple[int, str]]:
    """Yield problems of the joined sets, at the first row that does not fit those before it."""
    joined: dict[tuple[int | None, str, str], str] = {}
    wrong: set[tuple[int | None, str, str]] = set()
    for row in rows:
        place = (row.week, row.day, row.exercise)
        if place in wrong:
            continue
        joined[place] = _joined(joined.get(place, SKIPPED), row.sets)
        try:
            parse_sets(joined[place])
        except ValueError as error:
            wrong.add(place)
            yield row.line, str(error)


def _joined(sets: str, more: str) -> str:
    """Return the sets of two rows one after the other."""
    return more if sets == SKIPPED else sets if more == SKIPPED else f"{sets}, {more}"


def _programme(rows: list[_Row], path: Path, level: Level, goal: Aim, minutes: int) -> Programme:
    weeks = max((row.week or 1 for row in rows), default=1)
    names = _lift_names(row.exercise for row in rows)
    days: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        of_lift = days.setdefault(row.day, {}).setdefault(names[row.exercise], [SKIPPED] * weeks)
        at = (row.week or 1) - 1
        of_lift[at] = _joined(of_lift[at], row.sets)
    stem = re.sub(r"[^a-z0-9]+", "-", path.stem.casefold()).strip("-")[:64] or "my-programme"
    return Programme(
        name=stem,
        title=path.stem,
        summary="From a table of a week." if weeks == 1 else f"From a table of {weeks} weeks.",
        level=level,
        goal=goal,
        days_per_week=_days_a_week(rows),
        minutes=minutes,
        sources=(path.name,),
        lifts={
            name: Lift(exercise=title, progression=_progression(name, days.values()))
            for title, name in names.items()
        },
        blocks=(
            Block(
                title=f"Weeks 1 to {weeks}" if weeks > 1 else "Week",
                weeks=weeks,
                days={
                    day: {
                        name: sets[0] if len(set(sets)) == 1 else tuple(sets)
                        for name, sets in lifts.items()
                    }
                    for day, lifts in days.items()
                },
            ),
        ),
    )


def _days_a_week(rows: Iterable[_Row]) -> int:
    days: dict[int, set[str]] = {}
    for row in rows:
        days.setdefault(row.week or 1, set()).add(row.day)
    return max(map(len, days.values()))


def _lift_names(titles: Iterable[str]) -> dict[str, str]:
    """Return a key for each title, such as "bench-press-barbell"."""
    return {title: re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-") for title in titles}


def _progression(name: str, days: Collection[Mapping[str, list[str]]]) -> Progression:
    """Return the rule of a lift: by itself only if its sets are the same in all weeks."""
    texts = [lifts[name] for lifts in days if name in lifts]
    groups = [group for sets in texts for text in sets for group in parse_sets(text)]
    is_planned = any(group.percents or group.rpe or group.rir is not None for group in groups)
    if is_planned or any(len(set(sets)) > 1 for sets in texts):
        return Progression(kind="none")
    if all(group.reps_high is not None for group in groups):
        return Progression(kind="double")
    is_fixed = all(group.reps is not None and not group.is_timed for group in groups)
    return Progression(kind="linear" if is_fixed else "none")
