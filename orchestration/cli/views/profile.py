"""Effective settings of an athlete: tables of 80 columns, or lines in a narrower terminal."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from coach_agent.domain.units import Unit, in_unit, load_text
from coach_agent.engine.explain.plan_texts import number
from coach_agent.planning.effective_settings import DEFAULT, PROFILE, ROUTINE, EffectiveValue
from coach_agent.profile.toml_errors import dotted

_WIDTH = 80

_GROUPS = {
    "athlete": ("id", "name", "timezone", "session_minutes", "body_weight_kg", "sex"),
    "season": ("goal", "block_start", "phases", "deload"),
    "today": ("today",),
    "routines": ("coach", "routines", "weekdays"),
    "gym": ("place", "equipment", "places"),
    "recovery": ("recovery",),
    "limits and wishes": ("limits", "pain", "avoid", "preferences", "learned"),
    "language models": ("llm",),
    "account": ("hevy", "publish", "notify", "exercise_aliases"),
}
_COLUMNS = {
    "model": "model",
    "rep_range": "reps",
    "increment_kg": "step",
    "rpe_cap": "RPE cap",
}
_NOTES: Mapping[tuple[str, ...], str] = {
    ("preferences", "language"): "used by the language model's texts only"
}
_INDENT = 2
_MARKS = {PROFILE: "p", ROUTINE: "r", DEFAULT: "d"}


def profile_view(values: Sequence[EffectiveValue], width: int = _WIDTH) -> Group:
    """Return a table for each group of keys, and one for exercises; lines below 80 columns."""
    is_narrow = width < _WIDTH
    parts: list[RenderableType] = []
    for title, names in _GROUPS.items():
        rows = [each for name in names for each in values if each.key[0] == name]
        parts.append(_group_lines(title, rows) if is_narrow else _group(title, rows))
    exercises = [each for each in values if each.key[0] == "exercises"]
    unit: Unit = next(each.value for each in values if each.key[-1] == "unit")
    if exercises:
        parts.append((_exercise_lines if is_narrow else _exercises)(exercises, unit))
        parts.append(_indent(Text(_legend(exercises), style="dim"), 1))
    return Group(*parts)


def _group_lines(title: str, rows: Sequence[EffectiveValue]) -> Group:
    lines: list[RenderableType] = [Text(title, style="bold")]
    for each in rows:
        key, source = dotted(each.key), (f"  {each.source}", "dim")
        lines.append(_indent(Text.assemble(f"{key} = {_format_value(each)}", source), 1))
    return Group(*lines)


def _exercise_lines(values: Sequence[EffectiveValue], unit: Unit) -> Group:
    lines: list[RenderableType] = [Text("exercises", style="bold")]
    by_title = _by_title(values)
    columns = _columns(by_title)
    for title, rules in by_title.items():
        lines.append(_indent(Text(title), 1))
        told = [
            f"{heading} {_cell(rules[key], unit)}"
            for key, heading in columns.items()
            if rules[key].value is not None
        ]
        told += [f"{each} p" for each in _other_rules(rules, unit)]
        lines.append(_indent(Text(", ".join(told)), 2))
    return Group(*lines)


def _indent(text: Text, level: int) -> Padding:
    return Padding(text, (0, 0, 0, _INDENT * level), expand=False)


def _group(title: str, rows: Sequence[EffectiveValue]) -> Table:
    table = Table(box=None, pad_edge=False, title=f"[bold]{title}[/]", title_justify="left")
    table.title_style = ""
    table.show_header = False
    table.width = _WIDTH
    table.add_column(width=28, overflow="fold")
    table.add_column(ratio=1)
    table.add_column(width=16, style="dim")
    for each in rows:
        table.add_row(f"  {escape(dotted(each.key))}", escape(_format_value(each)), each.source)
    return table


def _format_value(each: EffectiveValue) -> str:
    """Format a value, with a note if its use is not obvious."""
    note = _NOTES.get(each.key)
    return _text(each.value) if note is None else f"{_text(each.value)} ({note})"


def _exercises(values: Sequence[EffectiveValue], unit: Unit) -> Table:
    by_title = _by_title(values)
    columns = _columns(by_title)
    table = Table("[bold]exercises[/]", *columns.values(), box=None, pad_edge=False)
    table.width = _WIDTH
    table.columns[0].ratio = 1
    for title, rules in by_title.items():
        cells = [_cell(rules[key], unit) for key in columns]
        table.add_row(f"  {escape(title)}", *map(escape, cells))
        for each in _other_rules(rules, unit):
            table.add_row(f"    {escape(each)} p")
    return table


def _by_title(values: Sequence[EffectiveValue]) -> dict[str, dict[str, EffectiveValue]]:
    by_title: dict[str, dict[str, EffectiveValue]] = {}
    for each in values:
        by_title.setdefault(each.key[1], {})[each.key[2]] = each
    return by_title


def _columns(by_title: Mapping[str, Mapping[str, EffectiveValue]]) -> dict[str, str]:
    """Return the columns that all exercises have, with headings."""
    # RPE is omitted for an athlete who never records it.
    return {
        key: heading
        for key, heading in _COLUMNS.items()
        if key != "rpe_cap" or any(rules[key].value is not None for rules in by_title.values())
    }


def _other_rules(rules: Mapping[str, EffectiveValue], unit: Unit) -> list[str]:
    """Return the profile's other keys of an exercise."""
    return [
        _format_rule(each, unit)
        for each in rules.values()
        if each.key[2] not in _COLUMNS and each.source == PROFILE
    ]


def _cell(each: EffectiveValue, unit: Unit) -> str:
    """Format a value with the mark of its source: `8-12 r`, `2.5 kg h4`."""
    if each.value is None:
        return "-"
    text = _text(each.value)
    if each.key[2] == "rep_range":
        text = ", ".join(_range(low, high) for low, high in each.value)
    if each.key[2] == "increment_kg":
        text = load_text(each.value, unit)
    return f"{text} {_mark(each.source)}"


def _format_rule(each: EffectiveValue, unit: Unit) -> str:
    """Format a key of the profile in its own syntax: `bar_lb = 35`."""
    name = each.key[2]
    if unit == "lb" and name.endswith("_kg"):
        return f"{name.removesuffix('kg')}lb = {number(in_unit(each.value, unit))}"
    return f"{name} = {_text(each.value)}"


def _mark(source: str) -> str:
    count = re.search(r"\d+", source)
    return f"h{count[0]}" if count else _MARKS[source]


def _legend(values: Sequence[EffectiveValue]) -> str:
    shown = {_mark(each.source)[0] for each in values if each.value is not None}
    words = {
        "p": "p profile",
        "r": "r routine",
        "h": "h4 history of 4 workouts or steps",
        "d": "d default",
    }
    return ", ".join(text for mark, text in words.items() if mark in shown)


def _range(low: int | None, high: int | None) -> str:
    if low == high:
        return f"{low}"
    return f"{low}+" if high is None else f"{low}-{high}"


def _text(value: Any) -> str:
    if value is None or value in ([], {}):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_text(each)}" for key, each in value.items())
    if isinstance(value, list):
        are_numbers = all(isinstance(each, int | float) for each in value)
        return (" " if are_numbers else ", ").join(map(_entry, value))
    return str(value)


def _entry(value: Any) -> str:
    """Format an item of a list: a nested table or list on one line."""
    if isinstance(value, dict):
        said = {key: each for key, each in value.items() if each not in (None, {}, [])}
        return " ".join(f"{key} {_entry(each)}" for key, each in said.items())
    return " ".join(map(_entry, value)) if isinstance(value, list) else _text(value)


def json_values(values: Sequence[EffectiveValue]) -> list[dict[str, Any]]:
    """Return the values for JSON, each with its TOML key."""
    return [
        {"key": dotted(each.key), "value": each.value, "source": each.source} for each in values
    ]
