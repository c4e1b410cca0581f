"""A training programme as data: lifts with their progression, and blocks of weeks and days.

The format of the files is documented in `docs/programmes.md`.
"""

import operator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from coach_agent.domain.block import Phase
from coach_agent.domain.control_characters import without_controls
from coach_agent.domain.own_notes import own_texts
from coach_agent.domain.values import is_null
from coach_agent.profile.exercise_rules import stage
from coach_agent.profile.table import Kilograms, ProfileTable
from coach_agent.programmes.set_notation import SKIPPED, SetGroup, parse_sets


def _check_characters(text: str) -> str:
    if without_controls(text) != text:
        raise ValueError("must have no control characters")
    return text


def _check_note(text: str) -> str:
    if own_texts(text):
        raise ValueError("must have no line in the form of the coach's own, [Spotter: ...]")
    return text


Text = Annotated[
    str,
    StringConstraints(min_length=1, strip_whitespace=True),
    AfterValidator(_check_characters),
]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
Level = Literal["novice", "intermediate", "advanced"]
LEVELS: tuple[Level, ...] = ("novice", "intermediate", "advanced")
Aim = Literal["strength", "hypertrophy", "health", "both"]
Order = Literal["weekly", "rolling"]
Basis = Literal["load", "one_rm", "five_rm"]
Kind = Literal["linear", "double", "stages", "cycle", "amrap", "total", "ladder", "none"]

STAGE = "stage"
"""Sets of a lift with `stages`: those of its current stage."""


def _check_sets(text: str) -> str:
    if text != STAGE:
        parse_sets(text)
    return text


def _check_stage(text: str) -> str:
    stage(text)
    return text


Sets = Annotated[str, AfterValidator(_check_sets)]
Reserve = Annotated[int, Field(ge=0, le=6)]


class Start(ProfileTable):
    """First load of a lift: percent of one of the lifter's numbers, rounded at each percentage."""

    of: Basis = "load"
    percents: tuple[Annotated[float, Field(ge=20, le=110)], ...] = ()


class Progression(ProfileTable):
    """Rule from one exposure of a lift to the next.

    - `linear`: a step after each success; `misses` in a row multiply the load by `reset_pct`. More
      than `double_above` repetitions in an open last set give two steps, fewer than `open_success`
      none.
    - `double`: one repetition more in each set; at the upper end a step and the lower end.
    - `stages`: a step after a success, the next stage after a miss, after the last one `reset_pct`
      of the load.
    - `cycle`: a step after each block.
    - `amrap`: `steps_by_reps` by the repetitions of the open set, as [from, steps], from the next
      week on.
    - `total`: a step once all sets have their repetitions; two steps down after `misses` exposures
      without a better total.
    - `ladder`: like `double`, with the next of `rungs` as the step.

    `advance_on` are the days that count, by default all.
    """

    kind: Kind
    misses: Annotated[int, Field(ge=1, le=6)] = 3
    reset_pct: Annotated[float, Field(ge=50, le=100)] = 90.0
    double_above: Annotated[int, Field(ge=1, le=100)] | None = None
    open_success: Annotated[int, Field(ge=1, le=100)] | None = None
    stages: tuple[Annotated[str, AfterValidator(_check_stage)], ...] = ()
    steps_by_reps: tuple[tuple[int, int], ...] = ()
    rungs: tuple[Text, ...] = ()
    advance_on: tuple[Text, ...] = ()

    @field_validator("stages", "steps_by_reps", "rungs")
    @classmethod
    def _is_in_use(cls, value: tuple[object, ...]) -> tuple[object, ...]:
        if not value:
            raise ValueError("must not be empty")
        return value


class Lift(ProfileTable):
    """An exercise with its load over time; `load_of` names another lift whose load it uses.

    `note` is for the athlete, such as a tempo or a pause; Hevy shows it with the exercise.
    """

    exercise: Text
    step_kg: Annotated[float, Field(ge=0, le=20)] = 2.5
    start: Start = Start()
    load_of: Text | None = None
    rest_s: Annotated[int, Field(ge=15, le=600)] = 120
    note: Annotated[Text, Field(max_length=200), AfterValidator(_check_note)] | None = Field(
        default=None, exclude_if=is_null
    )
    progression: Progression = Progression(kind="none")


class Block(ProfileTable):
    """Weeks with the same days; `days` maps each day to sets by lift, in the order of training.

    Sets are one text for all weeks, or one for each week. A block is trained `repeats` times, the
    last one until further notice. A block with `is_held` changes no load. `phase` and `reserve`,
    the repetitions in reserve of each set, are one value or one for each week.
    """

    title: Text
    weeks: Annotated[int, Field(ge=1, le=16)] = 1
    repeats: Annotated[int, Field(ge=1, le=52)] = 1
    is_held: bool = False
    phase: Phase | Annotated[tuple[Phase, ...], Field(strict=False)] | None = Field(
        default=None, exclude_if=is_null
    )
    reserve: Reserve | Annotated[tuple[Reserve, ...], Field(strict=False)] | None = Field(
        default=None, exclude_if=is_null
    )
    days: Annotated[
        dict[Text, dict[Text, Sets | Annotated[tuple[Sets, ...], Field(strict=False)]]],
        Field(min_length=1),
    ]

    def sets_in(self, day: str, lift: str, week: int) -> str:
        """Return the sets of a lift in a week, counted from 0."""
        sets = self.days[day][lift]
        return sets if isinstance(sets, str) else sets[week]

    def phase_in(self, week: int) -> Phase | None:
        """Return the stated phase of a week, counted from 0."""
        return self.phase[week] if isinstance(self.phase, tuple) else self.phase

    def reserve_in(self, week: int) -> int | None:
        """Return the repetitions in reserve of a week, counted from 0."""
        return self.reserve[week] if isinstance(self.reserve, tuple) else self.reserve


class Programme(ProfileTable):
    """A programme: description, lifts and blocks.

    `days_per_week` sessions take the days of a block in turn. With `order = "weekly"` each week
    begins with the first day, with "rolling" it continues. `rounding_kg` is the smallest change of
    a load on the bar.
    """

    name: Name
    title: Text
    summary: Text
    level: Level
    goal: Aim
    days_per_week: Annotated[int, Field(ge=1, le=7)]
    order: Order = "weekly"
    minutes: Annotated[int, Field(ge=15, le=180)]
    rounding_kg: Kilograms = 2.5
    ends: bool = Field(default=False, exclude_if=operator.not_)
    sources: Annotated[tuple[Text, ...], Field(min_length=1)]
    notes: tuple[Text, ...] = ()
    lifts: Annotated[dict[Text, Lift], Field(min_length=1)]
    blocks: Annotated[tuple[Block, ...], Field(min_length=1)]

    def exercises(self) -> tuple[str, ...]:
        """Return the titles of all exercises, in the order of the lifts."""
        titles = [
            title
            for lift in self.lifts.values()
            for title in (lift.exercise, *lift.progression.rungs)
        ]
        return tuple(dict.fromkeys(titles))


def groups_of(sets: str, current_stage: str | None = None) -> tuple[SetGroup, ...]:
    """Return the groups of sets; of a stage `5x3+` the last set is open."""
    if sets != STAGE:
        return parse_sets(sets)
    found = stage(current_stage or "")
    if not found.is_open or found.sets == 1:
        return (SetGroup(count=found.sets, reps=found.reps, is_open=found.is_open),)
    return (
        SetGroup(count=found.sets - 1, reps=found.reps),
        SetGroup(count=1, reps=found.reps, is_open=True),
    )


def is_skipped(sets: str) -> bool:
    """Return whether a lift is left out."""
    return sets.strip() == SKIPPED
