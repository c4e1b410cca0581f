"""Output without control characters, for titles and notes from external sources.

Rich writes its own sequences around the texts.
"""

import sys
from collections.abc import Iterable
from io import TextIOWrapper
from typing import IO, Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from coach_agent.domain.control_characters import without_controls


class SafeConsole(Console):
    """A console that removes control characters from all texts."""

    @property
    def file(self) -> IO[str]:
        """The stream behind a `SafeStream`: a live display wraps that once more."""
        found = self._file or (sys.stderr if self.stderr else sys.stdout)
        while (wrapped := getattr(found, "rich_proxied_file", None)) is not None:
            found = wrapped
        return found

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        self._file = new_file

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a string as rich text: Rich itself removes only the ends of some sequences."""
        return super().render_str(without_controls(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of a renderable; Rich's own controls are kept."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(without_controls(segment.text), segment.style)


class SafeStream:
    """A stream to a terminal without control characters; Rich writes to the wrapped one."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Write the text without control characters; returns the original length."""
        self.rich_proxied_file.write(without_controls(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each line."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def safe_stream(stream: TextIO) -> TextIO:
    """Wrap a terminal stream to remove control characters; a pipe gets every byte.

    A character that the encoding of the terminal lacks becomes a question mark.
    """
    if not stream.isatty():
        return stream
    if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="replace")
    return SafeStream(stream)  # type: ignore[return-value]
