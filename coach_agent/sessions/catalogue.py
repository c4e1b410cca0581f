"""Sessions besides lifting: mobility, recovery, easy cardio and warm-ups.

A few are bundled in `sessions.csv`, with titles in the language files. An operator adds classes and
videos as a CSV or a JSON list with the same fields, and with `title` and an optional `link`.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StringConstraints, ValidationError, field_validator

from coach_agent.domain.titles import did_you_mean
from coach_agent.domain.values import Value
from coach_agent.language.messages import phrase
from hevy_connector.schemas import MuscleGroup

Kind = Literal["mobility", "recovery", "cardio", "warm_up"]
Intensity = Literal["easy", "moderate", "hard"]
MUSCLES = tuple(
    each for each in get_args(MuscleGroup) if each not in {"cardio", "full_body", "other"}
)
"""Hevy's words for single muscle groups."""

FIELDS = ("id", "title", "kind", "minutes", "intensity", "muscles", "link")
_REQUIRED = ("id", "title", "kind", "minutes", "intensity")


class SessionsError(Exception):
    """A file of sessions cannot be read; the message has file, place and what is allowed."""


class Session(Value):
    """A session. `title` is None for a bundled one; without `muscles` it is for the whole body."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,59}$")]
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)] | (
        None
    ) = None
    kind: Kind
    minutes: Annotated[int, Field(ge=1, le=240)]
    intensity: Intensity
    muscles: tuple[str, ...] = ()
    link: Annotated[str, StringConstraints(pattern=r"^https?://\S+$", max_length=500)] | None = None

    @field_validator("muscles")
    @classmethod
    def _require_known_muscles(cls, muscles: tuple[str, ...]) -> tuple[str, ...]:
        for muscle in muscles:
            if muscle not in MUSCLES:
                hint = did_you_mean(muscle, MUSCLES)
                raise ValueError(f"{muscle!r} is not a muscle group of Hevy.{hint}")
        return muscles

    @property
    def name(self) -> str:
        """Return the title, in the current language for a bundled session."""
        return self.title or phrase(f"session-{self.id}")


@cache
def bundled_sessions() -> tuple[Session, ...]:
    """Return the sessions of the package."""
    text = files(__package__).joinpath("sessions.csv").read_text(encoding="utf-8")
    return tuple(
        Session.model_validate({**row, "muscles": tuple(row["muscles"].split())})
        for row in csv.DictReader(text.splitlines())
    )


def all_sessions(paths: Iterable[Path]) -> tuple[Session, ...]:
    """Return the bundled sessions and those of an operator's files that exist.

    A file is a CSV or a JSON list.

    `muscles` are separated by blanks in a CSV and a list in JSON. Empty fields are missing.

    Raises:
        SessionsError: the file cannot be read, a field is unknown, missing or invalid, or an id
            occurs twice, also as that of a bundled session.
    """
    found = list(bundled_sessions())
    for path in paths:
        for place, row in _rows(path) if path.exists() else ():
            session = _session(row, place)
            if any(each.id == session.id for each in found):
                raise SessionsError(f"{place}: the id {session.id!r} occurs twice")
            found.append(session)
    return tuple(found)


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the fields of each session with its place in the file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SessionsError(f"{path}: cannot be read ({error})") from error
    rows = _json_rows(text, path) if path.suffix.lower() == ".json" else _csv_rows(text, path)
    return ((f"{path}, {place}", row) for place, row in rows)


def _csv_rows(text: str, path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    reader = csv.DictReader(text.splitlines(), strict=True)
    try:
        for row in reader:
            if None in row:
                raise SessionsError(f"{path}, line {reader.line_num}: more cells than columns")
            yield f"line {reader.line_num}", {**row, "muscles": (row.get("muscles") or "").split()}
    except csv.Error as error:
        raise SessionsError(f"{path}, line {reader.line_num + 1}: {error}") from error


def _json_rows(text: str, path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        raise SessionsError(f"{path}, line {error.lineno}: {error.msg}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SessionsError(f"{path}: must be a list of objects with {', '.join(FIELDS)}")
    for number, row in enumerate(rows, start=1):
        yield f"entry {number}", row


def _session(row: Mapping[str, Any], place: str) -> Session:
    for name in row:
        if name not in FIELDS:
            raise SessionsError(f"{place}: unknown field {name!r}.{did_you_mean(name, FIELDS)}")
    given = {name: value for name, value in row.items() if value not in (None, "", [])}
    if missing := [name for name in _REQUIRED if name not in given]:
        raise SessionsError(f"{place}: {', '.join(missing)} missing")
    try:
        return Session.model_validate(given, strict=False)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = str(first["loc"][0])
        allowed = {"kind": get_args(Kind), "intensity": get_args(Intensity)}.get(field)
        reason = f"must be one of {', '.join(allowed)}" if allowed else first["msg"]
        raise SessionsError(f"{place}: {field} {row[field]!r}: {reason}") from error
