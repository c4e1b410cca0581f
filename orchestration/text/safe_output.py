"""Output without control characters: titles and notes of others reach the terminal as plain text.

A terminal takes an escape sequence in a title as a command: it renames the window, writes to the
clipboard, or hides text. Rich writes sequences of its own around the texts that it is given.
"""

import re
from collections.abc import Iterable
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

# Whole sequences first (CSI, OSC and the like up to their end), then what is left of C0 and C1,
# DEL, line separators, and marks that reorder the characters around them.
_CONTROLS = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


def without_controls(text: str) -> str:
    """The text with its line breaks and tabs, and without any other control character."""
    return _CONTROLS.sub("", text)


class SafeConsole(Console):
    """A console whose texts hold no control characters, wherever they come from."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of a renderable; Rich's own controls stay."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(without_controls(segment.text), segment.style)


class SafeStream:
    """A stream to a terminal that drops control characters; Rich writes to the real one."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Write the text without control characters; returns the length of all of it."""
        self.rich_proxied_file.write(without_controls(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each line."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def safe_stream(stream: TextIO) -> TextIO:
    """The stream, without control characters if it is a terminal: a pipe gets every byte."""
    return SafeStream(stream) if stream.isatty() else stream  # type: ignore[return-value]
