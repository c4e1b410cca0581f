"""Every command and option has a help text, and every command that reads has JSON output."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from orchestration.cli.app import app
from tests.end_to_end.world import ROOT

# They change something, serve until stopped, or always print JSON.
WITHOUT_JSON = {
    *(f"memory {each}" for each in ("confirm", "correct", "forget")),
    *(f"correct {each}" for each in ("accept", "doubt", "exclude", "include")),
    *("dashboard", "demo", "dev", "init", "mcp", "serve", "simulator", "webhook"),
    *("plan approve", "plan reject", "profile set", "rollback"),
    "plan schema",
    "aliases accept",
}


def commands_below(group: TyperGroup, name: str = "") -> Iterator[tuple[str, TyperCommand]]:
    for word, inner in group.commands.items():
        full_name = f"{name} {word}".strip()
        if isinstance(inner, TyperGroup):
            yield from commands_below(inner, full_name)
        else:
            assert isinstance(inner, TyperCommand)
            yield full_name, inner


SPOTTER = get_command(app)
assert isinstance(SPOTTER, TyperGroup)
COMMANDS = dict(commands_below(SPOTTER))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_its_options_say_what_they_are_for(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    silent = [each.name for each in command.params if not getattr(each, "help", None)]
    assert silent == []


def test_what_is_read_can_be_had_as_json() -> None:
    options = {
        name: {opt for each in command.params for opt in each.opts}
        for name, command in COMMANDS.items()
    }
    assert {name for name in options if "--json" not in options[name]} == WITHOUT_JSON


def test_an_error_without_a_free_file_descriptor_is_one_line() -> None:
    code = """
import os
import resource
from contextlib import suppress
from orchestration.cli import app as cli

def use_all_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
    with suppress(OSError):
        while True:
            os.open(os.devnull, os.O_RDONLY)
    raise ValueError("too much")

cli.app = use_all_descriptors
cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("Error: ValueError: too much")
