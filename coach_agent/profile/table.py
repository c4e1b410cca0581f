"""What the tables of a profile have in common."""

from typing import Annotated

from pydantic import ConfigDict, Field

from coach_agent.domain.values import Value

Kilograms = Annotated[float, Field(gt=0, le=500)]
Pounds = Annotated[float, Field(gt=0, le=1100)]
Repetitions = Annotated[int, Field(ge=1, le=100)]


class ProfileTable(Value):
    """A table of the file. Types are strict: a number in quotes is a mistake, not a number.

    Errors repeat no value by themselves: it may be a secret in the wrong place.
    """

    model_config = ConfigDict(strict=True, hide_input_in_errors=True)
