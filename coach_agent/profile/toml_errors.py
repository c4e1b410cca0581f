"""Location of a key in a TOML file, and its problem in the author's words."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError

from coach_agent.domain.control_characters import without_controls
from coach_agent.domain.redaction import scrubber

KeyPath = tuple[str | int, ...]

_PART = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_TABLE = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*')

_UNIONS = {Union, UnionType}
_A_DATE = "must be a date such as 2026-06-14"

# A value that may be a key pasted into the wrong place is not repeated into logs.
_NAMES_OF_SECRETS = {"api_key_env", "webhook_token_env"}
_TABLE_OF_SECRETS = "notify"
_hide_keys = scrubber(())


@dataclass(frozen=True)
class TomlFile:
    """A parsed file with the line of each key, counted from 1."""

    path: Path
    values: Mapping[str, Any]
    lines: Mapping[KeyPath, int]

    @classmethod
    def parse(cls, text: str, path: Path) -> "TomlFile":
        """Parse the text of the file at `path`.

        Raises:
            ValueError: invalid TOML; the message has line and column where they are known.
        """
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(_format_toml_error(error, text)) from error
        except RecursionError as error:
            raise ValueError("arrays or tables are nested too deeply") from error
        return cls(path, values, key_lines(text))

    def as_json(self) -> str:
        """Serialize the values as JSON; dates and times, which JSON does not have, as text."""
        return json.dumps(self.values, default=str)

    def line_of(self, key: KeyPath) -> int:
        """Return the line of the key, of the nearest table around it, or the first."""
        while key and key not in self.lines:
            key = key[:-1]
        return self.lines.get(key, 1)


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line of each table and key of a TOML text that `tomllib` accepts.

    Tables of an array are counted from 0. Keys inside inline tables and arrays have the line of the
    key that holds them.
    """
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    depth = 0
    open_quotes = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if open_quotes:
            open_quotes = "" if open_quotes in line else open_quotes
            continue
        if depth == 0:
            if header := _TABLE.match(line):
                *around, name = _parts(header[2])
                table = (*_latest(around, counts), name)
                _record_line(table, number, lines)
                if header[1] == "[[":
                    counts[table] = counts.get(table, 0) + 1
                    table = (*table, counts[table] - 1)
                    lines[table] = number
                continue
            if key := _KEY.match(line):
                _record_line(table + _parts(key[1]), number, lines)
        for quotes in ('"""', "'''"):
            if line.count(quotes) % 2:
                open_quotes = quotes
        bare = _STRINGS.sub("", line)
        depth += bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")
    return lines


def dotted(key: KeyPath) -> str:
    """Format a key as in TOML: `exercises."Leg Press".rpe_cap`, `phases[0].weeks`."""
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            plain = re.fullmatch(r"[A-Za-z0-9_-]+", part)
            text += ("." if text else "") + (part if plain else json.dumps(part))
    return text


def problems(file: TomlFile, error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Format each problem as `file, line n: key = value: requirement`, in line order."""
    details = [
        (detail, *_locate(detail["loc"], model))
        for detail in error.errors(include_url=False)
        if not _follows_from_another(detail)
    ]
    keys = [key for detail, key, _ in details if not detail["type"].endswith("_type")]
    found = []
    for detail, key, around in details:
        if detail["type"].endswith("_type") and any(key == each[: len(key)] for each in keys):
            continue  # the value has the form of another member of a union
        line = file.line_of(key)
        found.append((line, f"{file.path}, line {line}: {_problem(detail, key, around)}"))
    return [text for _, text in sorted(found, key=lambda problem: problem[0])]


def _follows_from_another(detail: Mapping[str, Any]) -> bool:
    """Return whether the problem only follows from another reported one."""
    if detail["type"] == "too_short":  # what cannot be used is not counted
        return bool(detail["ctx"]["actual_length"] < len(detail["input"]))
    return bool(detail["type"] == "default_factory_not_called")


def _problem(detail: Mapping[str, Any], key: KeyPath, around: Any) -> str:
    """Format the problem of a key; `around` is the type that holds it."""
    name = dotted(key)
    if detail["type"] == "missing":
        return f"{name} is missing"
    if detail["type"] == "extra_forbidden":
        return f"unknown key {name}{_suggestion(str(key[-1]), list(around.model_fields))}"
    if detail["input"] is None:  # a file has no null: the key is not there
        return f"{name} is missing: {_requirement(detail)}"
    is_secret = key[-1] in _NAMES_OF_SECRETS or key[0] == _TABLE_OF_SECRETS
    value = "…" if is_secret else _hide_keys(_toml(detail["input"]))
    return f"{name} = {value}: {_requirement(detail)}"


def _requirement(detail: Mapping[str, Any]) -> str:
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    message: str = detail["msg"]
    if detail["type"] in {"model_type", "dict_type"}:
        return "must be a table"
    if detail["type"].startswith("date_"):
        return _A_DATE
    if detail["type"] == "too_short":
        return f"must have at least {detail['ctx']['min_length']}"
    return re.sub(r"^(Input|String|Tuple|List|Dictionary|Value) should", "must", message)


def _suggestion(name: str, allowed: list[str]) -> str:
    if nearest := get_close_matches(name, allowed, n=1):
        return f"; did you mean {nearest[0]}?"
    return f"; allowed are {', '.join(allowed)}"


def _locate(place: KeyPath, model: type[BaseModel]) -> tuple[KeyPath, Any]:
    """Return the key at a place named by pydantic, and the type that holds it.

    Pydantic inserts names that no file has: of the member of a union, and "[key]" for an invalid
    key of a table.
    """
    key: list[str | int] = []
    current: Any = model
    around: Any = model
    for part in place:
        current = _bare(current)
        if part in (members := _members(current)):
            current = members[part]
            continue
        if get_origin(current) in _UNIONS or (part == "[key]" and get_origin(around) is dict):
            continue
        key.append(part)
        around, current = current, _inside(current, part)
    return tuple(key), around


def _bare(annotation: Any) -> Any:
    """Return the type without its annotations, and without `| None`."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
            continue
        some = [each for each in get_args(annotation) if each is not type(None)]
        if get_origin(annotation) not in _UNIONS or len(some) != 1:
            return annotation
        (annotation,) = some


def _members(annotation: Any) -> dict[str | int, Any]:
    """Return the members of a union by their tags."""
    if get_origin(annotation) not in _UNIONS:
        return {}
    parts = [get_args(each) for each in get_args(annotation) if get_origin(each) is Annotated]
    return {tag.tag: kind for kind, *tags in parts for tag in tags if isinstance(tag, Tag)}


def _inside(annotation: Any, part: str | int) -> Any:
    """Return the type at one key of a table, a table of tables or an array."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        field = annotation.model_fields.get(str(part))
        return None if field is None else field.annotation
    arguments = get_args(annotation)
    if isinstance(part, int) and arguments[1:] != (...,):
        return arguments[part] if part < len(arguments) else None
    return arguments[0] if isinstance(part, int) else arguments[-1]


def _format_toml_error(error: tomllib.TOMLDecodeError, text: str) -> str:
    """Format a TOML error; an impossible date is reported with its line."""
    place = re.fullmatch(r"Invalid date or datetime \(at line (\d+), column \d+\)", str(error))
    if place is None:
        return str(error)
    return f"line {place[1]}: {text.splitlines()[int(place[1]) - 1].strip()}: {_A_DATE}"


def _record_line(key: KeyPath, number: int, lines: dict[KeyPath, int]) -> None:
    """Record the line of a key, and of the tables around it that have no header of their own."""
    for length in range(1, len(key) + 1):
        lines.setdefault(key[:length], number)


def _latest(table: Iterable[str | int], counts: Mapping[KeyPath, int]) -> KeyPath:
    """Resolve a header to its table: in an array, the latest of its tables."""
    path: KeyPath = ()
    for part in table:
        path = (*path, part)
        if path in counts:
            path = (*path, counts[path] - 1)
    return path


def _parts(dotted: str) -> KeyPath:
    parts: list[str] = []
    value: Any = tomllib.loads(f"{dotted} = 0")
    while isinstance(value, dict):
        ((part, value),) = value.items()
        parts.append(part)
    return tuple(parts)


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return f"'{without_controls(value)}'"
    return json.dumps(value, default=str)
