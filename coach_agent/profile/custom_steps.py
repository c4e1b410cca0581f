"""An athlete's own steps: conditions and actions as data, `[[exercises."<title>".steps]]`."""

from typing import Annotated

from pydantic import Field, field_validator, model_validator

from coach_agent.profile.table import ProfileTable, Repetitions

Count = Annotated[int, Field(ge=1, le=20)]


class When(ProfileTable):
    """Conditions on the newest exposure, all required; without any it is always true.

    `misses_in_a_row` counts exposures with a set below its target, `exposures_since_step` those
    with the load of the newest one. Without a known RPE, `mean_rpe_at_most` is ignored.
    """

    all_sets_at_least: Repetitions | None = None
    any_set_below: Repetitions | None = None
    last_set_reps_at_least: Repetitions | None = None
    misses_in_a_row: Count | None = None
    exposures_since_step: Count | None = None
    mean_rpe_at_most: Annotated[float, Field(ge=5, le=10)] | None = None

    @property
    def named(self) -> dict[str, float]:
        """The given conditions, by name."""
        return {name: value for name, value in self if value is not None}


class Then(ProfileTable):
    """The action: one of the first four, and the repetitions of each set.

    `add_steps` counts the exercise's increments, negative for down; `multiply` is rounded down to
    an available load. The jump cap and the check for plausible loads take precedence.
    """

    add_steps: Annotated[int, Field(ge=-3, le=3)] | None = None
    add_reps: Annotated[int, Field(ge=1, le=10)] | None = None
    multiply: Annotated[float, Field(ge=0.5, le=1.1)] | None = None
    hold: bool | None = None
    set_reps: Repetitions | None = None

    @field_validator("hold")
    @classmethod
    def _is_true(cls, hold: bool | None) -> bool | None:
        if hold is False:
            raise ValueError("must be true, or be left out")
        return hold

    @model_validator(mode="after")
    def _is_one_thing(self) -> "Then":
        moves = [self.add_steps, self.add_reps, self.multiply, self.hold]
        given = sum(move is not None for move in moves)
        if given > 1:
            raise ValueError("must have one of add_steps, add_reps, multiply and hold")
        if given == 0 and self.set_reps is None:
            raise ValueError("must have one of add_steps, add_reps, multiply, hold and set_reps")
        if self.add_reps is not None and self.set_reps is not None:
            raise ValueError("must not have add_reps and set_reps at once")
        return self


class OwnStep(ProfileTable):
    """One step: if its conditions hold, its action applies."""

    when: When = When()
    then: Then
