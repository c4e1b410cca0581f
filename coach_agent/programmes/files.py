"""Programmes as TOML files: the library of this package, and files of the athlete."""

import json
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from coach_agent.domain.titles import did_you_mean, normalize_title
from coach_agent.profile.toml_errors import KeyPath, TomlFile, dotted, problems
from coach_agent.programmes.model import STAGE, Lift, Programme

LIBRARY = Path(__file__).with_name("library")


class ProgrammeError(Exception):
    """An invalid or unknown programme; the message lists each problem on its own line."""


def parse_programme(text: str, path: Path, titles: Collection[str] = ()) -> Programme:
    """Parse and validate a programme; `titles` are the known exercises, none checks nothing.

    Raises:
        ProgrammeError: lists all problems, each with file, line and the nearest known name.
    """
    try:
        file = TomlFile.parse(text, path)
    except ValueError as error:
        raise ProgrammeError(f"{path}: {error}") from error
    try:
        programme = Programme.model_validate_json(file.as_json())
    except ValidationError as error:
        raise ProgrammeError("\n".join(problems(file, error, Programme))) from error
    found = [
        *_reference_problems(programme),
        *(_title_problems(programme, titles) if titles else ()),
    ]
    if found:
        lines = sorted((file.line_of(key), dotted(key), problem) for key, problem in found)
        raise ProgrammeError(
            "\n".join(f"{path}, line {line}: {key}: {text}" for line, key, text in lines)
        )
    return programme


def load_programme(path: Path, titles: Collection[str] = ()) -> Programme:
    """Load the programme of one file.

    Raises:
        ProgrammeError: the file cannot be read or is invalid.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ProgrammeError(f"{path}: {error}") from error
    return parse_programme(text, path, titles)


def programme_from_json(values: object) -> Programme:
    """Return a programme from the values of its canonical JSON, which has all defaults.

    Raises:
        pydantic.ValidationError: it is not a programme of this version.
    """
    return Programme.model_validate_json(json.dumps(_without_empty(values)))


def _without_empty(values: object) -> object:
    """Return the values without empty lists and nulls: in a file they would be keys in use."""
    if isinstance(values, dict):
        return {
            key: _without_empty(value) for key, value in values.items() if value not in (None, [])
        }
    return values


@cache
def library() -> dict[str, Programme]:
    """Return the programmes of the library by name, in alphabetical order."""
    return {path.stem: load_programme(path) for path in sorted(LIBRARY.glob("*.toml"))}


def find_programme(name: str, titles: Collection[str] = ()) -> Programme:
    """Return a programme of the library by its name, or of a file with the ending `.toml`.

    Raises:
        ProgrammeError: it is unknown or invalid.
    """
    if name.endswith(".toml"):
        return load_programme(Path(name), titles)
    programmes = library()
    if name not in programmes:
        raise ProgrammeError(
            f"There is no programme {name!r}.{did_you_mean(name, programmes)} "
            "List them: spotter program list"
        )
    return programmes[name]


def _reference_problems(programme: Programme) -> Iterator[tuple[KeyPath, str]]:
    lifts = programme.lifts
    for name, lift in lifts.items():
        yield from _lift_problems(name, lift, programme)
    for number, block in enumerate(programme.blocks):
        yield from _day_problems(number, programme)
        for key_of_weeks in ("phase", "reserve"):
            values = getattr(block, key_of_weeks)
            if isinstance(values, tuple) and len(values) != block.weeks:
                text = f"has {len(values)} weeks; the block has {block.weeks}"
                yield ("blocks", number, key_of_weeks), text
        for day, slots in block.days.items():
            for name, sets in slots.items():
                key: KeyPath = ("blocks", number, "days", day, name)
                if name not in lifts:
                    yield key, f"there is no lift {name!r}.{did_you_mean(name, lifts)}"
                    continue
                weeks = (sets,) if isinstance(sets, str) else sets
                if not isinstance(sets, str) and len(sets) != block.weeks:
                    yield key, f"has sets of {len(sets)} weeks; the block has {block.weeks}"
                if STAGE in weeks and lifts[name].progression.kind != "stages":
                    yield key, f"is {STAGE!r}, but the lift has no stages"


def _day_problems(number: int, programme: Programme) -> Iterator[tuple[KeyPath, str]]:
    block = programme.blocks[number]
    sessions = programme.days_per_week
    if programme.order == "rolling":
        if number == len(programme.blocks) - 1:
            return
        sessions *= block.weeks * block.repeats
    if len(block.days) > sessions:
        yield (
            ("blocks", number, "days"),
            f"has more days ({len(block.days)}) than sessions ({sessions})",
        )


def _lift_problems(name: str, lift: Lift, programme: Programme) -> Iterator[tuple[KeyPath, str]]:
    needed = {"stages": "stages", "amrap": "steps_by_reps", "ladder": "rungs"}
    key = needed.get(lift.progression.kind)
    if key is not None and not getattr(lift.progression, key):
        yield ("lifts", name, "progression"), f"needs {key} with kind = '{lift.progression.kind}'"
    if lift.load_of is not None and lift.load_of not in programme.lifts:
        hint = did_you_mean(lift.load_of, programme.lifts)
        yield ("lifts", name, "load_of"), f"there is no lift {lift.load_of!r}.{hint}"
    elif lift.load_of is not None and programme.lifts[lift.load_of].load_of is not None:
        yield ("lifts", name, "load_of"), f"{lift.load_of!r} has no load of its own"
    days = {day for block in programme.blocks for day in block.days}
    for day in lift.progression.advance_on:
        if day not in days:
            place = ("lifts", name, "progression")
            yield place, f"there is no day {day!r}.{did_you_mean(day, days)}"


def _title_problems(programme: Programme, titles: Collection[str]) -> Iterator[tuple[KeyPath, str]]:
    known = {normalize_title(title) for title in titles}
    for name, lift in programme.lifts.items():
        for title in (lift.exercise, *lift.progression.rungs):
            if normalize_title(title) not in known:
                yield (
                    ("lifts", name, "exercise"),
                    f"there is no exercise {title!r}.{did_you_mean(title, titles)}",
                )
