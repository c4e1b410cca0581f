"""No control character of a title or a note reaches a terminal."""

import io
from io import StringIO

import pytest
from rich.live import Live
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from coach_agent.domain.control_characters import without_controls
from orchestration.text.safe_output import SafeConsole, safe_stream

HOSTILE = "Push\x1b]0;owned\x07\x1b[2J\x1b]52;c;cm0=\x1b\\ day\x9b31m\x08\x7f\u202e!"
SHOWN = "Push day!"


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HOSTILE, SHOWN),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("Kniebeuge é 深蹲 🏋️ שלום", "Kniebeuge é 深蹲 🏋️ שלום"),
        ("\x1b", ""),
        ("a\x1b]0;never closed", "a]0;never closed"),
        ("a\x1b]0;on two\nlines\x07", "a]0;on two\nlines"),
        ("a\x1bPaborted\x1b[31m by another", "a by another"),
        ("\x1bP1$r\x1b\\b", "b"),
        ("100\rkg", "100kg"),
        ("one\u2028line", "oneline"),
    ],
)
def test_controls_go_and_letters_stay(text: str, expected: str) -> None:
    assert without_controls(text) == expected


def test_a_title_with_a_sequence_hides_no_text_behind_it() -> None:
    written = StringIO()
    SafeConsole(file=written).print("Row\x1b]0;owned\x07, 82.5 kg", markup=False, highlight=False)
    assert written.getvalue() == "Row, 82.5 kg\n"


def table() -> Table:
    found = Table(HOSTILE)
    found.add_row(HOSTILE)
    found.add_row(Text(HOSTILE))
    return found


@pytest.mark.parametrize(
    "renderable",
    [HOSTILE, Text(HOSTILE, style="red"), Padding(HOSTILE, (0, 0, 0, 2)), table()],
    ids=["text", "styled", "padded", "table"],
)
@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_console_shows_none_whatever_it_prints(renderable: object, is_terminal: bool) -> None:
    written = StringIO()
    console = SafeConsole(file=written, force_terminal=is_terminal, width=200)
    console.print(renderable, markup=False, highlight=False)
    text = written.getvalue()
    assert "owned" not in text
    assert SHOWN in text
    for control in ("\x1b]", "\x1b[2J", "\x07", "\x9b", "\x08", "\x7f", "\u202e"):
        assert control not in text


def test_printed_text_loses_them_on_a_terminal_alone() -> None:
    terminal, pipe = Terminal(), io.StringIO()
    print(HOSTILE, file=safe_stream(terminal))
    assert terminal.getvalue() == f"{SHOWN}\n"
    print(HOSTILE, file=safe_stream(pipe))
    assert pipe.getvalue() == f"{HOSTILE}\n"


def test_a_character_that_the_encoding_lacks_ends_no_command() -> None:
    class AsciiTerminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    written = io.BytesIO()
    stream = AsciiTerminal(written, encoding="ascii")
    print("3 × 8 @ 80 kg", file=safe_stream(stream), flush=True)
    assert written.getvalue() == b"3 ? 8 @ 80 kg\n"


def test_many_beginnings_of_sequences_are_read_once() -> None:
    """Each of them read the rest of the text: 20,000 took 9 s, so these exceed any time limit."""
    assert without_controls("\x9d" * 1_000_000 + "a") == "a"


def test_a_pipe_loses_no_character_without_an_error() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with pytest.raises(UnicodeEncodeError):
        print("3 × 8 @ 80 kg", file=safe_stream(stream))


def test_the_colours_of_a_console_pass_a_safe_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", safe_stream(terminal))
    SafeConsole(force_terminal=True, color_system="standard").print("[red]no[/]")
    assert terminal.getvalue() == "\x1b[31mno\x1b[0m\n"


def test_a_live_display_redraws_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """It wraps the stream once more: its own sequences were removed, so each frame stayed."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", safe_stream(terminal))
    console = SafeConsole(force_terminal=True, width=40)
    with Live(console=console, auto_refresh=False) as live:
        live.update("first", refresh=True)
        live.update("second", refresh=True)
    first, _, _ = terminal.getvalue().partition("second")
    assert first.endswith("first\r\x1b[2K")
