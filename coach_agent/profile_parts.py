"""The small tables of a profile: account, publication, what the coach may touch, limits, wishes."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from coach_agent.pain import checked_part
from coach_agent.profile_table import ProfileTable
from coach_agent.progression.constants import JUMP_MAX_PCT, VOLUME_MAX_CHANGE


def distinct(titles: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """The titles, if no one is there twice.

    Raises:
        ValueError: one is.
    """
    if len(set(titles)) < len(titles):
        raise ValueError(f"must name each {kind} once")
    return titles


def _exercise_title(title: str) -> str:
    if not title.strip():
        raise ValueError("must be the title of an exercise")
    return title


Variable = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")]
ExerciseTitle = Annotated[str, AfterValidator(_exercise_title)]
BodyPart = Annotated[str, AfterValidator(checked_part)]


class HevyAccount(ProfileTable):
    """Where training comes from and plans go to.

    "simulator" is only ever used against a simulator on this machine; with "none" training comes
    from files. The key itself stands in the environment, under the name `api_key_env`, and so does
    the value by which Hevy's webhook proves itself, under `webhook_token_env`.
    """

    account: Literal["hevy", "simulator", "none"] = "hevy"
    api_key_env: Variable = "HEVY_API_KEY"
    webhook_token_env: Variable = "HEVY_WEBHOOK_TOKEN"  # noqa: S105 - a name, not a secret


class PublishSettings(ProfileTable):
    """What happens to a plan: it is only shown, or written to the account."""

    mode: Literal["preview", "auto"] = "preview"


class CoachSettings(ProfileTable):
    """What the coach may touch: `routines` are titles of the account; empty means all."""

    routines: tuple[str, ...] = ()

    @field_validator("routines")
    @classmethod
    def _aredistinct(cls, routines: tuple[str, ...]) -> tuple[str, ...]:
        return distinct(routines, "routine")


class Limits(ProfileTable):
    """How far decisions may go.

    `jump_pct`: percent of the load done, see `Ladder.up`; `weekly_volume_pct`: by how much the
    sets of a muscle group may change from week to week.
    """

    jump_pct: Annotated[float, Field(ge=2.5, le=10)] = JUMP_MAX_PCT.value
    weekly_volume_pct: Annotated[float, Field(ge=10, le=30)] = VOLUME_MAX_CHANGE.value


class Preferences(ProfileTable):
    """How the athlete likes it: `swap` has substitutes by the title that they may stand in for.

    `language` is that of texts which a language model writes; the rules' own are English.
    """

    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")] = "en"
    swap: dict[ExerciseTitle, Annotated[tuple[ExerciseTitle, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )

    @field_validator("swap")
    @classmethod
    def _are_others(cls, swap: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for title, substitutes in swap.items():
            if title in substitutes:
                raise ValueError(f"must not name {title!r} as its own substitute")
        return swap
