"""Progression rules of single exercises: the tables `[exercises."<title>"]` of a profile."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from coach_agent.domain.units import KILOGRAMS_PER_POUND
from coach_agent.profile.custom_steps import OwnStep
from coach_agent.profile.table import Kilograms, Pounds, ProfileTable, Repetitions

RuleModel = Literal["linear", "double", "top_backoff", "training_max", "stages", "rep_sum", "steps"]

_WAVE_SET = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%?\s*x\s*(\d{1,2})(\+?)")
_STAGE = re.compile(r"(\d{1,2})\s*x\s*(\d{1,3})(\+?)")


@dataclass(frozen=True)
class WaveSet:
    """A set of a wave: percent of the training max, and repetitions, open with a "+"."""

    percent: float
    reps: int
    is_open: bool


@dataclass(frozen=True)
class Stage:
    """Sets x repetitions; with a "+" the last set is open."""

    sets: int
    reps: int
    is_open: bool

    def __str__(self) -> str:
        return f"{self.sets}x{self.reps}{'+' * self.is_open}"


def wave_set(text: str) -> WaveSet:
    """Parse a set written as `85x5+`.

    Raises:
        ValueError: another form, or beyond 30 to 110 % and 1 to 50 repetitions.
    """
    found = _WAVE_SET.fullmatch(text.strip())
    if not found or not (30 <= float(found[1]) <= 110 and 1 <= int(found[2]) <= 50):
        raise ValueError("must be percent x repetitions, such as '75x5' or '85x5+'")
    return WaveSet(float(found[1]), int(found[2]), bool(found[3]))


def stage(text: str) -> Stage:
    """Parse a stage written as `5x3+`.

    Raises:
        ValueError: another form, or beyond 1 to 12 sets and 1 to 100 repetitions.
    """
    found = _STAGE.fullmatch(text.strip())
    if not found or not (1 <= int(found[1]) <= 12 and 1 <= int(found[2]) <= 100):
        raise ValueError("must be sets x repetitions, such as '3x10' or '5x3+'")
    return Stage(int(found[1]), int(found[2]), bool(found[3]))


def _is_wave_set(text: str) -> str:
    wave_set(text)
    return text


def _is_stage(text: str) -> str:
    stage(text)
    return text


def _ascending(rep_range: tuple[int, int]) -> tuple[int, int]:
    if rep_range[0] > rep_range[1]:
        raise ValueError("must be [lowest, highest]")
    return rep_range


def _distinct(stages: tuple[str, ...]) -> tuple[str, ...]:
    if not stages or len({stage(text) for text in stages}) < len(stages):
        raise ValueError("must name stages, and each once")
    return stages


def _of_weeks(wave: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    if not wave or not all(1 <= len(week) <= 12 for week in wave):
        raise ValueError("must have weeks of 1 to 12 sets")
    return wave


Week = tuple[Annotated[str, AfterValidator(_is_wave_set)], ...]


class ExerciseRule(ProfileTable):
    """Progression of one exercise, identified by its title in Hevy.

    `model` applies to loaded exercises, `rep_range` to routine sets without a range. `bar_kg` is
    for exercises with their own bar, `increment_kg` is the requested step; both and
    `training_max_kg` may be given in pounds instead, see `in_kg`. A set above `rpe_cap` holds the
    exercise at its load, and so do fewer than `min_exposures` with its load. The other keys belong
    to one model each. An exercise with `is_optional` is cut first if time is short.
    """

    model: RuleModel | None = None
    rep_range: Annotated[tuple[Repetitions, Repetitions], AfterValidator(_ascending)] | None = None
    increment_kg: Annotated[float, Field(ge=0.25, le=50)] | None = None
    increment_lb: Annotated[float, Field(ge=1, le=110)] | None = None
    rpe_cap: Annotated[float, Field(ge=6, le=10)] | None = None
    bar_kg: Kilograms | None = None
    bar_lb: Pounds | None = None
    is_optional: bool = False
    min_exposures: Annotated[int, Field(ge=1, le=6)] = 1
    backoff_pct: Annotated[float, Field(ge=50, le=100)] | None = None
    training_max_kg: Kilograms | None = None
    training_max_lb: Pounds | None = None
    wave: Annotated[tuple[Week, ...], AfterValidator(_of_weeks)] | None = None
    tm_change: Literal["increment", "amrap"] | None = None
    stages: (
        Annotated[
            tuple[Annotated[str, AfterValidator(_is_stage)], ...],
            AfterValidator(_distinct),
        ]
        | None
    ) = None
    rep_sum: Annotated[int, Field(ge=2, le=500)] | None = Field(None, validate_default=True)
    steps: Annotated[tuple[OwnStep, ...], Field(max_length=20)] = Field((), validate_default=True)

    @field_validator(
        *("backoff_pct", "training_max_kg", "training_max_lb", "wave", "tm_change"),
        *("stages", "rep_sum", "steps"),
    )
    @classmethod
    def _goes_with_its_model(cls, value: Any, info: ValidationInfo) -> Any:
        if "model" not in info.data:  # it is invalid itself, which is reported
            return value
        model, owner = info.data["model"], _OWNERS[info.field_name or ""]
        if value not in (None, ()) and model != owner:
            raise ValueError(f"counts with model = '{owner}' alone")
        if value in (None, ()) and model == owner and info.field_name in _NEEDED:
            raise ValueError(f"must be given with model = '{owner}'")
        return value

    @field_validator("increment_lb", "bar_lb", "training_max_lb")
    @classmethod
    def _is_given_once(cls, value: float | None, info: ValidationInfo) -> float | None:
        twin = f"{(info.field_name or '').removesuffix('lb')}kg"
        if value is not None and info.data.get(twin) is not None:
            raise ValueError(f"must not be combined with {twin}: use one unit")
        return value

    def in_kg(self) -> "ExerciseRule":
        """Return the rule with each load in kg, as decisions need it."""
        update: dict[str, float | None] = {}
        for name in ("increment", "bar", "training_max"):
            pounds: float | None = getattr(self, f"{name}_lb")
            if pounds is not None:
                update |= {f"{name}_kg": pounds * KILOGRAMS_PER_POUND, f"{name}_lb": None}
        return self.model_copy(update=update) if update else self


_OWNERS: dict[str, RuleModel] = {
    "backoff_pct": "top_backoff",
    "training_max_kg": "training_max",
    "training_max_lb": "training_max",
    "wave": "training_max",
    "tm_change": "training_max",
    "stages": "stages",
    "rep_sum": "rep_sum",
    "steps": "steps",
}
# These have no default; stages do.
_NEEDED = frozenset({"rep_sum", "steps"})
