"""Base class of the tables of a profile."""

from typing import Annotated

from pydantic import ConfigDict, Field

from coach_agent.domain.values import Value

Kilograms = Annotated[float, Field(gt=0, le=500)]
Pounds = Annotated[float, Field(gt=0, le=1100)]
Repetitions = Annotated[int, Field(ge=1, le=100)]


class ProfileTable(Value):
    """A table of the file. Types are strict: a number in quotes is an error, not a number.

    Errors do not repeat the value: it may be a secret in the wrong place.
    """

    model_config = ConfigDict(strict=True, hide_input_in_errors=True)
