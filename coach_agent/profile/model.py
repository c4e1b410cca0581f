"""An athlete's profile: one TOML file each, `athletes/<id>.toml`.

Every key is optional but `id`. `docs/profile.md` is the reference, `athletes/demo.toml` an example.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from coach_agent.domain.constants.recovery import DELOAD_CALENDAR_WEEKS
from coach_agent.domain.days import monday_of
from coach_agent.domain.pain import Level, Pain, is_known_part
from coach_agent.domain.red_flags import red_flags_in
from coach_agent.domain.titles import normalize_title
from coach_agent.domain.values import canonical_json
from coach_agent.profile.equipment import Equipment, EquipmentTable, Rack, undescribed_racks
from coach_agent.profile.exercise_rules import ExerciseRule
from coach_agent.profile.llm_settings import LlmSettings
from coach_agent.profile.season import Deload, Goal, Phase, Season
from coach_agent.profile.sections import (
    BodyPart,
    CoachSettings,
    ExerciseTitle,
    HevyAccount,
    Limits,
    NotifySettings,
    Preferences,
    PublishSettings,
    RecoverySettings,
    distinct,
)
from coach_agent.profile.table import ProfileTable
from coach_agent.profile.toml_errors import TomlFile, problems

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


class ProfileError(Exception):
    """An invalid profile; the message lists each problem on its own line."""


_NO_WISH = ExerciseRule()


class Rules(ProfileTable):
    """The part of a profile that a decision depends on; `exercises` by title.

    `guessed_racks` are the racks of the gym that the athlete did not describe, `body_kg` is the
    body weight; None: unknown.
    """

    equipment: Equipment = Equipment()
    guessed_racks: tuple[Rack, ...] = ()
    body_kg: float | None = None
    limits: Limits = Limits()
    exercises: dict[str, ExerciseRule] = Field(default_factory=dict)

    def for_exercise(self, title: str) -> ExerciseRule:
        """Return the athlete's rule for the exercise, or a default one."""
        return self.exercises.get(title, _NO_WISH)


class AthleteProfile(ProfileTable):
    """One athlete: identity, goal, schedule, equipment and rules.

    `routines` are titles in training order, `weekdays` has them by day instead; by default the
    order is inferred. `place` names the current one of `places`; without places `equipment`
    applies. `pain` has the level by part of the body, or by a red flag. `avoid` are exercises never
    to prescribe. `exercise_aliases` map titles in files to exercise titles. `body_weight_kg` counts
    where Hevy has none of the last year. `sex` selects formulas of the marts.
    """

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
    name: Annotated[str, StringConstraints(min_length=1)] = Field(
        default_factory=lambda values: values["id"]
    )
    timezone: str = "UTC"
    session_minutes: Annotated[int, Field(ge=15, le=240)] | None = None
    body_weight_kg: Annotated[float, Field(ge=30, le=300)] | None = None
    sex: Literal["female", "male"] | None = None
    block_start: date | None = None
    phases: tuple[Phase, ...] = ()
    deload: Deload = Deload()
    goal: Goal = Goal()
    coach: CoachSettings = CoachSettings()
    routines: tuple[str, ...] = ()
    weekdays: dict[str, Annotated[tuple[Weekday, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    equipment: EquipmentTable | None = None
    places: dict[str, EquipmentTable] = Field(default_factory=dict)
    place: Annotated[str | None, Field(validate_default=True)] = None
    limits: Limits = Limits()
    exercises: dict[str, ExerciseRule] = Field(default_factory=dict)
    pain: dict[BodyPart, Level] = Field(default_factory=dict)
    preferences: Preferences = Preferences()
    avoid: tuple[ExerciseTitle, ...] = ()
    exercise_aliases: dict[str, ExerciseTitle] = Field(default_factory=dict)
    hevy: HevyAccount = HevyAccount()
    publish: PublishSettings = PublishSettings()
    notify: NotifySettings = NotifySettings()
    recovery: RecoverySettings = RecoverySettings()
    llm: LlmSettings = LlmSettings()

    @property
    def gym(self) -> Equipment:
        """The loads of the athlete's current place, in kg."""
        return self.gym_table.in_kg()

    @property
    def gym_table(self) -> EquipmentTable:
        """The loads as in the file, in its unit; the default ones without a table."""
        if self.place is not None:
            return self.places[self.place]
        return self.equipment or Equipment()

    @property
    def lasting_pains(self) -> tuple[Pain, ...]:
        """The pains in parts of the body that exercises load."""
        return tuple(
            Pain(part=part, level=level) for part, level in self.pain.items() if is_known_part(part)
        )

    @property
    def red_flags(self) -> tuple[str, ...]:
        """Codes of the red flags among the pains: nothing is planned while they are there."""
        codes = (red_flags_in(f"{part}:{level}") for part, level in self.pain.items())
        return tuple(dict.fromkeys(chain.from_iterable(codes)))

    @property
    def season(self) -> Season:
        """The athlete's calendar."""
        return Season(
            block_start=self.block_start,
            phases=self.phases,
            event_date=self.goal.date,
            deload_mode=self.deload.mode or ("both" if self.block_start else "reactive"),
            deload_every_weeks=self.deload.every_weeks or DELOAD_CALENDAR_WEEKS.value,
        )

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

    @field_validator("block_start")
    @classmethod
    def _is_a_monday(cls, block_start: date | None) -> date | None:
        if block_start is not None and block_start.weekday() != 0:
            monday = monday_of(block_start)
            raise ValueError(f"must be a Monday, such as {monday}")
        return block_start

    @field_validator("phases")
    @classmethod
    def _have_a_beginning(
        cls, phases: tuple[Phase, ...], info: ValidationInfo
    ) -> tuple[Phase, ...]:
        if phases and info.data.get("block_start", phases) is None:
            raise ValueError("must come with block_start, the Monday on which the first one begins")
        return phases

    @field_validator("deload")
    @classmethod
    def _has_a_calendar(cls, deload: Deload, info: ValidationInfo) -> Deload:
        by_calendar = deload.mode in {"calendar", "both"}
        if by_calendar and info.data.get("block_start", deload) is None:
            raise ValueError("must come with block_start, the Monday from which weeks are counted")
        if deload.every_weeks is None or by_calendar:
            return deload
        if deload.mode is not None or info.data.get("block_start", deload) is None:
            raise ValueError(
                "must have every_weeks only where deloads come by calendar: "
                "mode = 'calendar' or 'both', and block_start"
            )
        return deload

    @field_validator("goal")
    @classmethod
    def _comes_after_the_start(cls, goal: Goal, info: ValidationInfo) -> Goal:
        block_start = info.data.get("block_start")
        if goal.date is not None and block_start is not None and goal.date < block_start:
            raise ValueError(f"must have its date after block_start, {block_start}")
        return goal

    @field_validator("routines")
    @classmethod
    def _are_in_order(cls, routines: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        return _require_managed(distinct(routines, "routine"), info)

    @field_validator("weekdays")
    @classmethod
    def _give_each_day_one_routine(
        cls, weekdays: dict[str, tuple[Weekday, ...]], info: ValidationInfo
    ) -> dict[str, tuple[Weekday, ...]]:
        if weekdays and info.data.get("routines"):
            raise ValueError("must not be combined with routines, which is another order")
        days = Counter(day for days in weekdays.values() for day in days)
        for day, count in days.items():
            if count > 1:
                raise ValueError(f"must give each day one routine; '{day}' has {count}")
        _require_managed(tuple(weekdays), info)
        return weekdays

    @field_validator("places")
    @classmethod
    def _are_all_gyms(
        cls, places: dict[str, EquipmentTable], info: ValidationInfo
    ) -> dict[str, EquipmentTable]:
        if places and info.data.get("equipment") is not None:
            raise ValueError("must not be combined with [equipment]: make that one a place, too")
        return places

    @field_validator("place")
    @classmethod
    def _is_one_of_them(cls, place: str | None, info: ValidationInfo) -> str | None:
        places = info.data.get("places")
        if places is None or place in places or (place is None and not places):
            return place
        if not places:
            raise ValueError("must be the name of a table [places.<name>]; there is none")
        raise ValueError(f"must be where you train now: {_either(places)}")

    @field_validator("avoid")
    @classmethod
    def _are_no_substitutes(cls, avoid: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        preferences = info.data.get("preferences", Preferences())
        offered = {title for titles in preferences.swap.values() for title in titles}
        for title in avoid:
            if title in offered:
                raise ValueError(f"must not name {title!r}, a substitute of preferences.swap")
        return distinct(avoid, "exercise")

    @field_validator("exercise_aliases")
    @classmethod
    def _stand_for_one_title(cls, aliases: dict[str, str]) -> dict[str, str]:
        """Reject ambiguous aliases: titles are compared without case and doubled blanks."""
        meanings: dict[str, str] = {}
        for written, title in aliases.items():
            if meanings.setdefault(
                normalize_title(written), normalize_title(title)
            ) != normalize_title(title):
                raise ValueError(f"must have one title for {written!r}")
        for written, title in aliases.items():
            if meanings.get(normalize_title(title), normalize_title(title)) != normalize_title(
                title
            ):
                raise ValueError(
                    f"must map {written!r} to the final title: {title!r} is itself an alias"
                )
        return aliases

    @field_validator("publish")
    @classmethod
    def _has_an_account(cls, publish: PublishSettings, info: ValidationInfo) -> PublishSettings:
        hevy = info.data.get("hevy")
        if publish.mode != "preview" and hevy is not None and hevy.account == "none":
            raise ValueError("must be mode = 'preview' while hevy.account is 'none'")
        return publish

    def rules_for(self, titles: Iterable[str]) -> Rules:
        """Return the rules of these exercises; no other exercise can change their decisions."""
        return Rules(
            equipment=self.gym,
            guessed_racks=undescribed_racks(self.gym_table),
            body_kg=self.body_weight_kg,
            limits=self.limits,
            exercises={
                title: self.exercises[title].in_kg()
                for title in sorted(set(titles))
                if title in self.exercises
            },
        )

    def recorded_json(self) -> bytes:
        """Serialize the decision-relevant profile as canonical JSON, stored with the decision.

        Excludes addresses of accounts, models and people: they decide nothing and may hold secrets.
        Excludes the sex and, unless plans use it, recovery, which decide nothing either.
        """
        without = {"hevy", "llm", "notify", "sex"}
        if not self.recovery.is_adjusting:
            without.add("recovery")
        return canonical_json(self, without=without)

    def public_payload(self) -> dict[str, Any]:
        """Build the payload for the warehouse: no secret and no name of one."""
        return {
            "id": self.id,
            "name": self.name,
            "timezone": self.timezone,
            **({} if self.sex is None else {"sex": self.sex}),
            "unit": self.gym.unit,
            "routines": list(self.routines),
            "account": self.hevy.account,
            "publish_mode": self.publish.mode,
            "exercise_aliases": [
                {"written_title": written, "title": title}
                for written, title in sorted(self.exercise_aliases.items())
            ],
        }


def _require_managed(titles: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """Return the titles if the coach manages all of them."""
    coach = info.data.get("coach", CoachSettings())
    for title in titles:
        if coach.routines and title not in coach.routines:
            raise ValueError(f"must be among coach.routines; {title!r} is not")
    return titles


def _either(names: Iterable[str]) -> str:
    return " or ".join(f"'{name}'" for name in sorted(names))


def load_profile(path: Path) -> AthleteProfile:
    """Load and validate the profile in one file.

    Raises:
        ProfileError: the file cannot be read or is invalid; lists all problems, one per line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ProfileError(f"{path}: {error}") from error
    return parse_profile(text, path)


@cache
def parse_profile(text: str, path: Path) -> AthleteProfile:
    """Parse and validate a profile from the text of a file, which need not exist yet.

    Every step of a run reads all profiles, so the same text is parsed once in a process.

    Raises:
        ProfileError: the text is invalid; lists all problems, one per line.
    """
    try:
        file = TomlFile.parse(text, path)
    except ValueError as error:
        raise ProfileError(f"{path}: {error}") from error
    try:
        return AthleteProfile.model_validate_json(file.as_json(), context={"file_stem": path.stem})
    except ValidationError as error:
        raise ProfileError("\n".join(problems(file, error, AthleteProfile))) from error


def read_profiles(folder: Path) -> tuple[tuple[AthleteProfile, ...], dict[str, str]]:
    """Return the valid profiles of the folder's `*.toml` files, by id, and the problems of the
    others.

    The problems are by the athlete's id from the file name, one per line.
    """
    profiles, problems_of = [], {}
    for path in sorted(folder.glob("*.toml")):
        try:
            profiles.append(load_profile(path))
        except ProfileError as error:
            problems_of[path.stem] = str(error)
    return tuple(sorted(profiles, key=lambda profile: profile.id)), problems_of
