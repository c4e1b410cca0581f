"""Where in a TOML file a key stands, and what is wrong with it, in words for its author."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

KeyPath = tuple[str | int, ...]

_PART = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_TABLE = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*')

# A value that may be a key pasted into the wrong place is not repeated into logs.
_NAMES_OF_SECRETS = {("hevy", "api_key_env"), ("hevy", "webhook_token_env")}


@dataclass(frozen=True)
class TomlFile:
    """A parsed file that still knows its lines, counted from 1."""

    path: Path
    values: Mapping[str, Any]
    lines: Mapping[KeyPath, int]

    @classmethod
    def read(cls, path: Path) -> "TomlFile":
        """Parse the file.

        Raises:
            OSError: it cannot be read.
            ValueError: it is no TOML; the text names line and column.
        """
        text = path.read_text(encoding="utf-8")
        return cls(path, tomllib.loads(text), key_lines(text))

    def as_json(self) -> str:
        """The values as JSON; dates and times, which JSON has not, as text."""
        return json.dumps(self.values, default=str)

    def line_of(self, key: KeyPath) -> int:
        """The line of the key, of the nearest table around it, or the first."""
        while key and key not in self.lines:
            key = key[:-1]
        return self.lines.get(key, 1)


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line of each table and key of a TOML text that `tomllib` accepts.

    Entries of an array of tables (`[[name]]`) are counted from 0. Keys inside inline tables and
    arrays are not told apart from the key that holds them.
    """
    lines: dict[KeyPath, int] = {}
    entries: Counter[KeyPath] = Counter()
    table: KeyPath = ()
    depth = 0
    open_quotes = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if open_quotes:
            open_quotes = "" if open_quotes in line else open_quotes
            continue
        if depth == 0:
            if header := _TABLE.match(line):
                table = _parts(header[1])
                lines.setdefault(table, number)
                if line.lstrip().startswith("[["):
                    table = (*table, entries[table])
                    entries[table[:-1]] += 1
                    lines[table] = number
                continue
            if key := _KEY.match(line):
                lines.setdefault(table + _parts(key[1]), number)
        for quotes in ('"""', "'''"):
            if line.count(quotes) % 2:
                open_quotes = quotes
        bare = _STRINGS.sub("", line)
        depth += bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")
    return lines


def problems(file: TomlFile, error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Each problem as `file, line n: key = value: what is allowed`, in the order of the lines."""
    found = []
    for detail in error.errors(include_url=False):
        if detail["type"] == "default_factory_not_called":
            continue  # it follows from another problem, which is told
        line = file.line_of(detail["loc"])
        found.append((line, f"{file.path}, line {line}: {_problem(detail, model)}"))
    return [text for _, text in sorted(found, key=lambda problem: problem[0])]


def _problem(detail: Mapping[str, Any], model: type[BaseModel]) -> str:
    key: KeyPath = detail["loc"]
    name = _dotted(key)
    if detail["type"] == "missing":
        return f"{name} is missing"
    if detail["type"] == "extra_forbidden":
        return f"unknown key {name}{_suggestion(str(key[-1]), _allowed(key[:-1], model))}"
    value = "…" if key[:2] in _NAMES_OF_SECRETS else _toml(detail["input"])
    return f"{name} = {value}: {_requirement(detail)}"


def _requirement(detail: Mapping[str, Any]) -> str:
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    message: str = detail["msg"]
    if detail["type"] in {"model_type", "dict_type"}:
        return "must be a table"
    return re.sub(r"^(Input|String|Tuple|List|Dictionary|Value) should", "must", message)


def _suggestion(name: str, allowed: list[str]) -> str:
    if nearest := get_close_matches(name, allowed, n=1):
        return f"; did you mean {nearest[0]}?"
    return f"; allowed are {', '.join(allowed)}"


def _allowed(table: KeyPath, model: type[BaseModel]) -> list[str]:
    """The keys that the table at this path may have."""
    current: Any = model
    for part in table:
        if isinstance(current, type) and issubclass(current, BaseModel):
            current = current.model_fields[str(part)].annotation
        else:
            # A table of tables, dict[str, …], or an array of tables, tuple[…, ...].
            current = get_args(current)[0 if isinstance(part, int) else 1]
    return list(current.model_fields)


def _parts(dotted: str) -> KeyPath:
    parts: list[str] = []
    value: Any = tomllib.loads(f"{dotted} = 0")
    while isinstance(value, dict):
        ((part, value),) = value.items()
        parts.append(part)
    return tuple(parts)


def _dotted(key: KeyPath) -> str:
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            plain = re.fullmatch(r"[A-Za-z0-9_-]+", part)
            text += ("." if text else "") + (part if plain else json.dumps(part))
    return text


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return json.dumps(value, default=str)
