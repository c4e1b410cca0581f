"""How single exercises progress: the tables `[exercises."<title>"]` of a profile."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from coach_agent.profile_table import Kilograms, ProfileTable, Repetitions


def _ascending(rep_range: tuple[int, int]) -> tuple[int, int]:
    if rep_range[0] > rep_range[1]:
        raise ValueError("must be [lowest, highest]")
    return rep_range


class ExerciseRule(ProfileTable):
    """How one exercise, named by its title in Hevy, progresses.

    `rep_range` counts where the routine's sets carry no range, `model` where there is a load.
    `bar_kg` is for exercises with a bar of their own, `increment_kg` the step wished for;
    a set above `rpe_cap` holds the exercise where it is. What `is_optional` goes first when time is
    short.
    """

    rep_range: Annotated[tuple[Repetitions, Repetitions], AfterValidator(_ascending)] | None = None
    increment_kg: Annotated[float, Field(ge=0.25, le=50)] | None = None
    rpe_cap: Annotated[float, Field(ge=6, le=10)] | None = None
    model: Literal["linear", "double"] | None = None
    bar_kg: Kilograms | None = None
    is_optional: bool = False
