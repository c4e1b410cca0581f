"""Tables that do not fit a terminal."""

from io import StringIO

import pytest
from rich.console import Console

from orchestration.cli.views import terminal

HEADINGS = ("athlete", "account", "publish", "last sync", "workouts", "next", "in Hevy")
ROW = ("demo", "simulator", "preview", "2026-03-02 03:17 UTC", "61", "Lower [A]", "previewed")


def shown(monkeypatch: pytest.MonkeyPatch, width: int) -> str:
    written = StringIO()
    monkeypatch.setattr(terminal, "console", Console(file=written, width=width))
    terminal.show_rows(HEADINGS, [ROW, ("kim", *ROW[1:])])
    return written.getvalue()


def test_a_row_that_has_no_room_is_told_in_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """`spotter status` was cut to "simu… │ prev…" on a phone."""
    text = shown(monkeypatch, 44)
    assert max(map(len, text.splitlines())) <= 44
    words = " ".join(text.split())
    assert "demo account simulator, publish preview, last sync 2026-03-02 03:17 UTC" in words
    assert "next Lower [A], in Hevy previewed kim account" in words


def test_a_wide_terminal_has_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, 120)
    assert "last sync" in text.splitlines()[1]
    assert "Lower [A]" in text
    assert "┃" in text
