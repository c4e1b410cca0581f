"""An athlete's own steps: conditions and actions as data, `[[exercises."<title>".steps]]`."""

from typing import Annotated

from pydantic import Field, field_validator, model_validator

from coach_agent.profile.table import ProfileTable, Repetitions

Count = Annotated[int, Field(ge=1, le=20)]


class When(ProfileTable):
    """What must be true, all of it, of the newest exposure; nothing at all is always true.

    `misses_in_a_row` counts exposures with a set below its target, `exposures_since_step` those
    with the load of the newest one. Where no RPE is known, `mean_rpe_at_most` is left out.
    """

    all_sets_at_least: Repetitions | None = None
    any_set_below: Repetitions | None = None
    last_set_reps_at_least: Repetitions | None = None
    misses_in_a_row: Count | None = None
    exposures_since_step: Count | None = None
    mean_rpe_at_most: Annotated[float, Field(ge=5, le=10)] | None = None

    @property
    def named(self) -> dict[str, float]:
        """The conditions that are given, by name."""
        return {name: value for name, value in self if value is not None}


class Then(ProfileTable):
    """What happens: one of the first four, and the repetitions that each set is to have.

    `add_steps` counts the exercise's increments, downwards if negative; `multiply` is rounded down
    to a load that exists. The jump cap and whether the load looks possible count above all of it.
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
            raise ValueError("must say one of add_steps, add_reps, multiply and hold")
        if given == 0 and self.set_reps is None:
            raise ValueError("must say one of add_steps, add_reps, multiply, hold and set_reps")
        if self.add_reps is not None and self.set_reps is not None:
            raise ValueError("must not say add_reps and set_reps at once")
        return self


class OwnStep(ProfileTable):
    """One step: when its conditions hold, its action is what happens."""

    when: When = When()
    then: Then
