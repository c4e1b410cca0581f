"""The statements of docs/simulator.md are true."""

import re
from pathlib import Path

import typer.main

from hevy_connector.simulator import FAULT_GRAMMAR, LIVE, SPEC
from hevy_connector.simulator.api.app_operations import APP_OPERATIONS
from hevy_connector.simulator.api.faults import parse_fault
from hevy_connector.simulator.api.quirks import switch_values
from orchestration.cli.app import app

TEXT = (Path(__file__).parents[3] / "docs" / "simulator.md").read_text(encoding="utf-8")


def _section(title: str) -> str:
    return TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_all_switches_are_listed_with_their_values_in_both_profiles() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| `(\w+)` \|", _section("Quirks"), re.MULTILINE)
    assert rows == [(name, getattr(LIVE, name), getattr(SPEC, name)) for name in switch_values()]


def test_the_example_rules_can_be_read_and_the_form_is_theirs() -> None:
    form, examples = re.findall(r"```\n(.*?)\n```", _section("Faults"), re.DOTALL)
    assert form == FAULT_GRAMMAR.splitlines()[0]
    kinds = {parse_fault(line).kind for line in examples.splitlines()}
    assert kinds == {"status", "reset", "slow", "timeout", "duplicate", "drift"}


def test_all_options_are_listed() -> None:
    command = typer.main.get_command(app).commands["simulator"]  # type: ignore[attr-defined]
    options = {option for parameter in command.params for option in parameter.opts}
    listed = set(re.findall(r"(?:^\| `|simulator )(--\w+)", TEXT, re.MULTILINE))
    assert listed == options


def test_all_requests_of_the_admin_path_are_listed() -> None:
    listed = _section("While it runs")
    for method, path, _ in APP_OPERATIONS:
        assert f"{method}" in listed
        assert path.removeprefix("/simulator") in listed
