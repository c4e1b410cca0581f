"""An athlete's profile: one TOML file each, `athletes/<id>.toml`.

Every key is optional but `id`. `athletes/demo.toml` shows and explains them all.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from coach_agent.exercise_rules import ExerciseRule
from coach_agent.profile_file import TomlFile, problems
from coach_agent.profile_table import Kilograms, ProfileTable
from coach_agent.progression.constants import INCREMENT_CABLE, INCREMENT_MACHINE, JUMP_MAX_PCT

PlateKilograms = Annotated[float, Field(gt=0, le=50)]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")]


class ProfileError(Exception):
    """A profile cannot be used; the text names each problem on its own line."""


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


class Equipment(ProfileTable):
    """The loads that the athlete's gym has, in kg.

    `plate_pairs_kg` has one entry for each pair on hand: two pairs of 20 are two entries.
    """

    bar_kg: Kilograms = 20.0
    plate_pairs_kg: Annotated[tuple[PlateKilograms, ...], Field(min_length=1, max_length=30)] = (
        *(25.0, 25.0, 25.0, 25.0),
        *(20.0, 15.0, 10.0, 5.0, 2.5, 1.25),
    )
    dumbbells_kg: Annotated[tuple[Kilograms, ...], Field(min_length=1, max_length=200)] = (
        *(float(kg) for kg in range(1, 10)),
        *(float(kg) for kg in range(10, 52, 2)),
    )
    kettlebells_kg: Annotated[tuple[Kilograms, ...], Field(min_length=1, max_length=200)] = (
        *(4.0, 6.0, 8.0, 10.0, 12.0, 16.0),
        *(20.0, 24.0, 28.0, 32.0),
    )
    machine_step_kg: Annotated[float, Field(ge=0.25, le=50)] = INCREMENT_MACHINE.value
    cable_step_kg: Annotated[float, Field(ge=0.25, le=50)] = INCREMENT_CABLE.value


class Limits(ProfileTable):
    """How far one decision may go. `jump_pct`: percent of the load done; see `Ladder.up`."""

    jump_pct: Annotated[float, Field(ge=2.5, le=10)] = JUMP_MAX_PCT.value


def _not_blank(title: str) -> str:
    if not title.strip():
        raise ValueError("must be the title of an exercise")
    return title


class Rules(ProfileTable):
    """The part of a profile that a decision depends on; `exercises` by title."""

    equipment: Equipment = Equipment()
    limits: Limits = Limits()
    exercises: dict[str, ExerciseRule] = Field(default_factory=dict)

    def for_exercise(self, title: str) -> ExerciseRule:
        """The athlete's rule for the exercise, or one without any wish."""
        return self.exercises.get(title, ExerciseRule())


class AthleteProfile(Rules):
    """One athlete: who, which account, which gym, which rules.

    `routines` are titles in the order in which they are trained; empty means all, the one not
    trained for longest first. `exercise_aliases` are titles as files have them, each with the
    title of the exercise that it stands for.
    """

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
    name: Annotated[str, StringConstraints(min_length=1)] = Field(
        default_factory=lambda values: values["id"]
    )
    timezone: str = "UTC"
    routines: tuple[str, ...] = ()
    exercise_aliases: dict[str, Annotated[str, AfterValidator(_not_blank)]] = Field(
        default_factory=dict
    )
    hevy: HevyAccount = HevyAccount()
    publish: PublishSettings = PublishSettings()

    @field_validator("id")
    @classmethod
    def _is_name_of_its_file(cls, athlete_id: str, info: ValidationInfo) -> str:
        expected = (info.context or {}).get("file_stem", athlete_id)
        if athlete_id != expected:
            raise ValueError(f"must be '{expected}', the name of the file")
        return athlete_id

    @field_validator("timezone")
    @classmethod
    def _is_known(cls, timezone: str) -> str:
        try:
            ZoneInfo(timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError("must be an IANA time zone such as 'Europe/Berlin'") from error
        return timezone

    @field_validator("routines")
    @classmethod
    def _are_distinct(cls, routines: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(routines)) < len(routines):
            raise ValueError("must name each routine once")
        return routines

    @field_validator("exercise_aliases")
    @classmethod
    def _stand_for_one_title(cls, aliases: dict[str, str]) -> dict[str, str]:
        """Titles are compared without case and doubled blanks, so two keys may be one title."""
        meanings: dict[str, str] = {}
        for written, title in aliases.items():
            if meanings.setdefault(_compared(written), _compared(title)) != _compared(title):
                raise ValueError(f"must say once what {written!r} stands for")
        for written, title in aliases.items():
            if meanings.get(_compared(title), _compared(title)) != _compared(title):
                raise ValueError(
                    f"must say at once what {written!r} stands for: {title!r} is itself an alias"
                )
        return aliases

    @field_validator("publish")
    @classmethod
    def _has_an_account(cls, publish: PublishSettings, info: ValidationInfo) -> PublishSettings:
        hevy = info.data.get("hevy")
        if publish.mode == "auto" and hevy is not None and hevy.account == "none":
            raise ValueError("must be mode = 'preview' while hevy.account is 'none'")
        return publish

    def rules_for(self, titles: Iterable[str]) -> Rules:
        """The rules of these exercises alone: no other one can change a decision about them."""
        return Rules(
            equipment=self.equipment,
            limits=self.limits,
            exercises={
                title: self.exercises[title]
                for title in sorted(set(titles))
                if title in self.exercises
            },
        )

    def public_payload(self) -> dict[str, Any]:
        """What the warehouse may know: neither a secret nor the name of one."""
        return {
            "id": self.id,
            "name": self.name,
            "timezone": self.timezone,
            "routines": list(self.routines),
            "account": self.hevy.account,
            "publish_mode": self.publish.mode,
            "exercise_aliases": [
                {"written_title": written, "title": title}
                for written, title in sorted(self.exercise_aliases.items())
            ],
        }


def _compared(title: str) -> str:
    return " ".join(title.split()).lower()


def load_profile(path: Path) -> AthleteProfile:
    """The profile in one file.

    Raises:
        ProfileError: the file cannot be read or used; all its problems, one a line.
    """
    try:
        file = TomlFile.read(path)
    except (OSError, ValueError) as error:
        raise ProfileError(f"{path}: {error}") from error
    try:
        return AthleteProfile.model_validate_json(file.as_json(), context={"file_stem": path.stem})
    except ValidationError as error:
        raise ProfileError("\n".join(problems(file, error, AthleteProfile))) from error


def load_profiles(folder: Path) -> tuple[AthleteProfile, ...]:
    """The profiles of all `*.toml` files in the folder, by id.

    Raises:
        ProfileError: some cannot be used; the problems of all of them, one a line.
    """
    profiles, errors = [], []
    for path in sorted(folder.glob("*.toml")):
        try:
            profiles.append(load_profile(path))
        except ProfileError as error:
            errors.append(str(error))
    if errors:
        raise ProfileError("\n".join(errors))
    return tuple(sorted(profiles, key=lambda profile: profile.id))
