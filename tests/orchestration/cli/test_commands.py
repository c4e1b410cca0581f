"""Every command and option has a help text, and every command that reads has JSON output."""

import re
import shlex
import subprocess
import sys

import pytest
from typer import Context
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from coach_agent.language.messages import source_of
from orchestration.cli.app import app
from tests.docs.reference import commands_below
from tests.end_to_end.world import ROOT

# They change something, serve until stopped, or always print JSON.
WITHOUT_JSON = {
    *(f"memory {each}" for each in ("confirm", "correct", "forget")),
    *(f"correct {each}" for each in ("accept", "doubt", "exclude", "include")),
    *("dashboard", "demo", "dev", "exporter", "init", "mcp", "serve", "simulator", "webhook"),
    *("plan approve", "plan reject", "profile set", "rollback"),
    "plan schema",
    "aliases accept",
}


SPOTTER = get_command(app)
assert isinstance(SPOTTER, TyperGroup)
COMMANDS = dict(commands_below(SPOTTER))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_its_options_say_what_they_are_for(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    silent = [each.name for each in command.params if not getattr(each, "help", None)]
    assert silent == []


@pytest.mark.parametrize("group", [SPOTTER, SPOTTER.commands["plan"]])
def test_a_list_of_commands_tells_what_each_says_of_itself(group: TyperGroup) -> None:
    context = Context(group)
    for name, command in group.commands.items():
        listed = group.get_command(context, name)
        assert listed is not None
        assert command.help is not None
        assert listed.help == " ".join(command.help.split("\n\n")[0].split())
        assert listed.hidden == command.hidden
    assert group.get_command(context, "no-such-command") is None


def test_a_list_of_commands_imports_none() -> None:
    code = """
import sys
from orchestration.cli.app import app
try:
    app(["--help"])
finally:
    print(sorted(name for name in sys.modules if name.startswith("orchestration.cli.commands.")))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "['orchestration.cli.commands.start']"


def test_what_is_read_can_be_had_as_json() -> None:
    options = {
        name: {opt for each in command.params for opt in each.opts}
        for name, command in COMMANDS.items()
    }
    assert {name for name in options if "--json" not in options[name]} == WITHOUT_JSON


@pytest.mark.parametrize("removed", ["part sync --shard 1/4", "run --workers 4"])
def test_what_was_removed_names_its_replacement(removed: str) -> None:
    done = CliRunner().invoke(app, removed.split(), env={"COLUMNS": "200"})
    assert done.exit_code == 2
    assert "SPOTTER_PARTITIONS, see docs/scaling.md" in " ".join(done.output.split())


def test_every_command_in_the_text_of_the_docs_exists() -> None:
    texts = [
        (doc.name, shlex.split(text.replace("\n", " "), comments=True))
        for doc in (*(ROOT / "docs").glob("*.md"), ROOT / "README.md")
        for text in re.findall(r"`spotter ([^`]+)`", doc.read_text(encoding="utf-8"))
    ]
    assert len(texts) > 100
    for doc, words in texts:
        command = [word for word in words if word != "--debug"]
        if command and command[0].startswith("-"):
            assert command[0] in {"--help", "--install-completion"}, (doc, words)
            continue
        here = [name for name in COMMANDS if words_of(name, command)]
        assert here, (doc, words)
        options = {option for name in here for option in options_of(name)}
        used = {word.split("=")[0] for word in command if word.startswith("--")}
        assert used <= options, (doc, words)


def test_the_docs_quote_states_as_they_are_printed() -> None:
    text = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    table = text.split("| it says | do |")[1].split("\n\n")[0]
    quoted = re.findall(r"^\| ([^|]+) \|", table, flags=re.M)[1:]
    assert len(quoted) == 6
    states = re.findall(r"^state-[a-z-]+ = (.*)$", source_of("coach_agent.language", "en"), re.M)
    assert set(quoted) <= set(states)


def words_of(name: str, command: list[str]) -> bool:
    """Return whether the words of a command begin like the name of a command, or a group's."""
    words = name.split()
    return words[: len(command)] == command[: len(words)]


def options_of(name: str) -> set[str]:
    params = COMMANDS[name].params
    return {"--help"} | {option for each in params for option in (*each.opts, *each.secondary_opts)}


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
