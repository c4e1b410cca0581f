"""Keys from a separate file or a command, and the messages without any."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from orchestration.config.settings import SettingsError, load_settings

MARKER = "marker-of-a-key"


def printing(tmp_path: Path, text: str, then: str = "") -> str:
    """Return a command with a space in its path that prints this and adds a line to `asked`."""
    script = tmp_path / "a vault.py"
    script.write_text(
        f"with open('asked', 'a') as file:\n    print('once', file=file)\nprint({text!r})\n{then}\n"
    )
    return shlex.join([sys.executable, str(script)])


def test_the_environment_counts_first_then_the_file_beside_then_the_others(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "env").write_text("A_KEY=file\nB_KEY=file\nC_KEY='file'\nD_KEY=file\n")
    command = printing(tmp_path, "# mine\nA_KEY=command\nB_KEY=command\nexport C_KEY=command")
    (tmp_path / ".env").write_text(
        f'SPOTTER_SECRETS_FILE=keys/env\nSPOTTER_SECRETS_COMMAND="{command}"\n'
        "A_KEY=beside\nB_KEY=beside\n"
    )
    settings = load_settings({"A_KEY": "environment"}, tmp_path)
    found = [settings.api_key(name) for name in ("A_KEY", "B_KEY", "C_KEY", "D_KEY")]
    assert found == ["environment", "beside", "command", "file"]
    assert "command" not in repr(settings)


def test_a_process_asks_the_command_once(tmp_path: Path) -> None:
    environ = {"SPOTTER_SECRETS_COMMAND": printing(tmp_path, "A_KEY=here")}
    for _ in range(3):
        assert load_settings(environ, tmp_path).api_key("A_KEY") == "here"
    assert (tmp_path / "asked").read_text() == "once\n"


def test_the_command_can_ask_nobody(tmp_path: Path) -> None:
    command = printing(tmp_path, "A_KEY=here", "import sys; assert sys.stdin.read() == ''")
    settings = load_settings({"SPOTTER_SECRETS_COMMAND": command}, tmp_path)
    assert settings.api_key("A_KEY") == "here"


@pytest.mark.parametrize(
    ("printed", "then", "told"),
    [
        (f"A_KEY={MARKER}", f"raise SystemExit('{MARKER}')", "ended with code 1"),
        (f"A_KEY='{MARKER}", "", "prints, line 1 is no setting"),
        (f"A_KEY={MARKER}", "import sys; sys.stdout.buffer.write(b'\\xff')", "prints no text"),
    ],
)
def test_a_command_that_fails_is_told_without_what_it_said(
    tmp_path: Path, printed: str, then: str, told: str
) -> None:
    environ = {"SPOTTER_SECRETS_COMMAND": printing(tmp_path, printed, then)}
    with pytest.raises(SettingsError, match=told) as error:
        load_settings(environ, tmp_path)
    assert "SPOTTER_SECRETS_COMMAND" in str(error.value)
    assert MARKER not in str(error.value)
    assert MARKER not in repr(error.value.__cause__)


@pytest.mark.parametrize("command", ["/no/such/program", "'half a quote", "'' x"])
def test_what_is_no_command_is_told(tmp_path: Path, command: str) -> None:
    with pytest.raises(SettingsError, match="SPOTTER_SECRETS_COMMAND cannot be run"):
        load_settings({"SPOTTER_SECRETS_COMMAND": command}, tmp_path)


def test_a_file_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"SPOTTER_SECRETS_FILE is .*nowhere, where no file"):
        load_settings({"SPOTTER_SECRETS_FILE": "nowhere"}, tmp_path)
    with pytest.raises(SettingsError, match="where no file"):
        load_settings({"SPOTTER_SECRETS_FILE": str(tmp_path)}, tmp_path)


def test_a_file_that_cannot_be_used_is_told_without_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text(f"A_KEY=1\nB_KEY='{MARKER}\n")
    with pytest.raises(SettingsError, match="line 2 is no setting") as error:
        load_settings({"SPOTTER_SECRETS_FILE": str(path)}, tmp_path)
    assert MARKER not in str(error.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_of_somebody_else_is_told(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.touch(mode=0o000)
    with pytest.raises(SettingsError, match="cannot be read: Permission denied"):
        load_settings({"SPOTTER_SECRETS_FILE": str(path)}, tmp_path)
