"""Generated reference pages: commands, marts, metrics."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from orchestration.cli.app import app
from orchestration.dbt.metrics import Metric

MARTS = "marts"


def commands_below(group: TyperGroup, name: str = "") -> Iterator[tuple[str, TyperCommand]]:
    """Yield the full name and the command of each command below a group."""
    for word, inner in group.commands.items():
        full_name = f"{name} {word}".strip()
        if isinstance(inner, TyperGroup):
            yield from commands_below(inner, full_name)
        else:
            assert isinstance(inner, TyperCommand)
            yield full_name, inner


def commands_markdown() -> str:
    """Return the page of all commands with their arguments and options."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    lines = ["# Commands", ""]
    for name, command in commands_below(group):
        lines += [f"## spotter {name}", "", _prose(command.help or ""), ""]
        rows = [row for param in command.params if (row := _parameter(param))]
        if rows:
            lines += _table(("argument or option", "meaning", "default"), rows)
    return "\n".join(lines)


def _parameter(param: Any) -> tuple[str, str, str] | None:
    """Return the row of an argument or option; None for one that is hidden."""
    if param.hidden:
        return None
    names = [*param.opts, *param.secondary_opts] if isinstance(param, TyperOption) else [param.name]
    default = param.default
    is_shown = not callable(default) and not any(default is each for each in (None, False, ()))
    return (
        ", ".join(f"`{name}`" for name in names),
        _cell(param.help or ""),
        f"`{default}`" if is_shown else "",
    )


def marts_markdown(manifest: Mapping[str, Any], catalog: Mapping[str, Any]) -> str:
    """Return the page of all marts: grain, and each column with its type and meaning."""
    lines = ["# Marts", ""]
    nodes = manifest["nodes"]
    for key in sorted(nodes, key=lambda key: nodes[key]["name"]):
        node = nodes[key]
        if node["resource_type"] != "model" or node["schema"] != MARTS:
            continue
        types = catalog["nodes"][key]["columns"]
        lines += [f"## {node['name']}", "", _prose(node["description"]), ""]
        rows = [
            (f"`{name}`", types[name]["type"].lower(), _cell(column["description"]))
            for name, column in node["columns"].items()
        ]
        lines += _table(("column", "type", "meaning"), rows)
    return "\n".join(lines)


def metrics_markdown(metrics: Iterable[Metric]) -> str:
    """Return the page of all metrics with their dimensions."""
    rows = [
        (
            f"`{metric.name}`",
            _cell(metric.description),
            _code(metric.grouped_by),
            ", ".join(_code(name) for name in metric.dimensions),
        )
        for metric in metrics
    ]
    head = ("metric", "meaning", "always by", "other dimensions")
    return "\n".join(
        ["# Metrics", "", "`spotter metrics NAME` shows one.", "", *_table(head, rows)]
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _prose(text: str) -> str:
    """Return paragraphs without the control characters of help texts."""
    paragraphs = text.replace("\b", "").replace("\f", "").split("\n\n")
    return "\n\n".join(" ".join(each.split()) for each in paragraphs)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def _code(name: str | None) -> str:
    return "" if name is None else f"`{name}`"
