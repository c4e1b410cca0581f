"""An answer as data: a text, and for each of its numbers the source rows."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Literal

from coach_agent.asking.vocabulary import Intent
from coach_agent.domain.values import Value

PLANS = "plans.json"
"""The file of a release with the active plans, which are no mart."""

How = Literal["value", "sum", "count", "min"]


class Reference(Value):
    """The source of a number: rows of a mart and a column.

    `key` selects the rows of the athlete. `how` aggregates the column if it selects several.
    """

    mart: str
    key: dict[str, str | int]
    column: str
    how: How = "value"

    @property
    def text(self) -> str:
        """Format the source: `fct_set[set_key=a/1/0].weight_kg`."""
        key = ", ".join(f"{name}={value}" for name, value in self.key.items())
        source = f"{self.mart}[{key}].{self.column}"
        return source if self.how == "value" else f"{self.how} of {source}"


class Fact(Value):
    """A part of an answer's text that comes from data, as it is shown there."""

    shown: str
    source: Reference


class Answer(Value):
    """The answer to one question; without `is_found` the data has nothing on it."""

    kind: Intent
    text: str
    facts: tuple[Fact, ...] = ()
    is_found: bool = True


class Draft:
    """Collects the lines of an answer and the facts in them."""

    def __init__(self, kind: Intent) -> None:
        self._kind: Intent = kind
        self._lines: list[str] = []
        self._facts: list[Fact] = []

    def fact(
        self,
        shown: str,
        mart: str,
        key: Mapping[str, Any],
        column: str,
        how: How = "value",
    ) -> str:
        """Record the source of a shown value and return it for the text, on one line."""
        shown = " ".join(shown.splitlines())
        parts = {name: _key_part(value) for name, value in key.items()}
        source = Reference(mart=mart, key=parts, column=column, how=how)
        self._facts.append(Fact(shown=shown, source=source))
        return shown

    def line(self, text: str) -> None:
        """Append a line; a line break in a title or a note starts no other one."""
        self._lines.append(" ".join(text.splitlines()))

    @property
    def is_empty(self) -> bool:
        """Return whether no line was appended."""
        return not self._lines

    def answer(self) -> Answer:
        """Return the answer."""
        return Answer(kind=self._kind, text="\n".join(self._lines), facts=tuple(self._facts))

    def nothing(self, text: str) -> Answer:
        """Return the statement that the data has no answer."""
        return Answer(kind=self._kind, text=text, facts=tuple(self._facts), is_found=False)


def _key_part(value: Any) -> str | int:
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value if isinstance(value, int) else str(value)
