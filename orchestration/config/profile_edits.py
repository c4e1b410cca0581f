"""Edit single keys of a profile; comments and all other keys are preserved."""

import json
from collections.abc import Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from coach_agent.profile.model import AthleteProfile, ProfileError, parse_profile
from orchestration.config.durable_files import replace_file
from orchestration.config.settings import SettingsError


def edit_profile(path: Path, changes: Iterable[str]) -> AthleteProfile:
    """Change keys of the file, each given as `goal.kind=strength`; an empty value removes the key.

    A value is TOML, or a text without quotes. The file is only written if the result is valid.

    Raises:
        ProfileError: the result is invalid; the message lists the allowed values.
        SettingsError: a change is malformed, or the file cannot be written.
    """
    return _write(path, apply_changes(_read(path), changes))


def add_aliases(path: Path, aliases: Mapping[str, str]) -> AthleteProfile:
    """Add exercise titles by the titles of files; the file is only written if it stays valid.

    Raises:
        ProfileError: the result is invalid, or an alias of an alias.
        SettingsError: the file cannot be written.
    """
    document = tomlkit.parse(_read(path))
    table = document.setdefault("exercise_aliases", tomlkit.table())
    for written, title in aliases.items():
        table[written] = title
    return _write(path, tomlkit.dumps(document))


def _write(path: Path, text: str) -> AthleteProfile:
    profile = parse_profile(text, path)
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}.") from error
    return profile


def apply_changes(text: str, changes: Iterable[str]) -> str:
    """Return the text of a profile with these changes, without validation of the values.

    Raises:
        SettingsError: a change is malformed.
    """
    document = tomlkit.parse(text)
    for change in changes:
        key, equals, value = (part.strip() for part in change.partition("="))
        if not equals or not key:
            raise SettingsError(f"'{change}' is no change: write KEY=VALUE, or KEY= to remove it.")
        _put(document, _parse_change(key, value or "0"), is_removed=not value)
    return tomlkit.dumps(document)


def _parse_change(key: str, value: str) -> MutableMapping[str, Any]:
    try:
        return tomlkit.parse(f"{key} = {value}")
    except TOMLKitError:
        pass  # a text typed without quotes
    try:
        return tomlkit.parse(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    except TOMLKitError as error:
        raise SettingsError(
            f"'{key}' is no key: docs/configuration.md lists them; names with blanks want quotes, "
            'as in pain."right knee"=mild.'
        ) from error


def _put(
    table: MutableMapping[str, Any], change: MutableMapping[str, Any], *, is_removed: bool
) -> None:
    """Set the only key of `change`, which may be nested in tables, in `table`."""
    [(key, value)] = change.items()
    if isinstance(value, MutableMapping) and value:
        if not isinstance(table.get(key), MutableMapping):
            table[key] = tomlkit.table()
        _put(table[key], value, is_removed=is_removed)
    elif is_removed:
        table.pop(key, None)
    else:
        table[key] = value


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ProfileError(f"{path}: {error}") from error
