"""A number that the rules use, with its unit and evidence.

Labels: "P" a published paper, "M" measured on public training logs, "O" practitioners' opinion or a
choice of this project without a trial, "S" a source that could not be checked.
"""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Constant(Generic[T]):
    """A named number of the engine; `meaning` describes its effect in one line."""

    key: str
    value: T
    unit: str
    label: Literal["P", "M", "O", "S"]
    meaning: str
