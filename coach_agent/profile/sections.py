"""The small tables of a profile: account, publication, managed routines, limits, preferences."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    Field,
    PlainSerializer,
    SecretStr,
    StringConstraints,
    field_validator,
)

from coach_agent.domain.constants.loads import JUMP_MAX_PCT
from coach_agent.domain.constants.volume import VOLUME_MAX_CHANGE
from coach_agent.domain.pain import PainError, parse_part
from coach_agent.domain.red_flags import red_flags_in
from coach_agent.profile.key_owners import NOTIFY_PREFIX, is_hevy_key
from coach_agent.profile.table import ProfileTable


def distinct(titles: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """Return the titles if none occurs twice.

    Raises:
        ValueError: a title occurs twice.
    """
    if len(set(titles)) < len(titles):
        raise ValueError(f"must name each {kind} once")
    return titles


def _exercise_title(title: str) -> str:
    if not title.strip():
        raise ValueError("must be the title of an exercise")
    return title


def _require_hevy_variable(variable: str) -> str:
    if not is_hevy_key(variable):
        raise ValueError("must have HEVY in its name, as KIMS_HEVY_KEY: Hevy gets no other key")
    return variable


def _require_notify_variable(variable: str) -> str:
    if not variable.startswith(NOTIFY_PREFIX):
        raise ValueError(f"must begin with {NOTIFY_PREFIX}: other variables are sent nowhere")
    return variable


def _body_part(text: str) -> str:
    """Return the part in lower case; a red flag such as "numbness" needs no known part."""
    try:
        return parse_part(text)
    except PainError:
        part = " ".join(text.lower().split())
        if red_flags_in(f"{part}:severe"):
            return part
        raise


Variable = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")]
HevyVariable = Annotated[Variable, AfterValidator(_require_hevy_variable)]
NotifyVariable = Annotated[Variable, AfterValidator(_require_notify_variable)]
ExerciseTitle = Annotated[str, AfterValidator(_exercise_title)]
BodyPart = Annotated[str, AfterValidator(_body_part)]


class HevyAccount(ProfileTable):
    """Source of training data and target of plans.

    "simulator" only uses a simulator on this machine; with "none" training comes from files. The
    key is in the environment, under the name `api_key_env`, and so is the token that authenticates
    Hevy's webhook, under `webhook_token_env`.
    """

    account: Literal["hevy", "simulator", "none"] = "hevy"
    api_key_env: HevyVariable = "HEVY_API_KEY"
    webhook_token_env: Variable = "HEVY_WEBHOOK_TOKEN"  # noqa: S105 - a name, not a secret


class PublishSettings(ProfileTable):
    """Publication of a plan: preview only, pending approval, or written to the account.

    `target` is the routine of the plan, or a new routine, of which at most `keep` are in use.
    Nothing is written from data older than `max_sync_age_hours`: by default a night and a half,
    because one failed night is no reason to stop, two are.
    """

    mode: Literal["preview", "approve", "auto"] = "preview"
    target: Literal["update", "new_routine"] = "update"
    keep: Annotated[int, Field(ge=1, le=50)] = 6
    max_sync_age_hours: Annotated[int, Field(ge=1, le=168)] = 36


_KIND = re.compile(r"([a-z][a-z0-9+.-]*)://.")
_PLACEHOLDER = re.compile(r"\$\{([A-Z][A-Z0-9_]{0,63})\}")


def _destination(url: SecretStr) -> SecretStr:
    text = url.get_secret_value()
    is_url = _KIND.match(text) or _PLACEHOLDER.fullmatch(text)
    if not is_url or "${" in _PLACEHOLDER.sub("", text):
        raise ValueError(
            "must be a URL as Apprise knows them, such as 'ntfys://${NOTIFY_TOPIC}'; "
            "between ${ and } is the name of a variable in .env"
        )
    for variable in _PLACEHOLDER.findall(text):
        _require_notify_variable(variable)
    return url


def _mask_url(url: SecretStr) -> str:
    """Return the printable form of a URL: its kind, or the variable that holds all of it."""
    text = url.get_secret_value()
    return text if _PLACEHOLDER.fullmatch(text) else f"{_kind(text)}://…"


def _kind(url: str) -> str:
    found = _KIND.match(url)
    return found[1] if found else "unknown"


Destination = Annotated[
    SecretStr, AfterValidator(_destination), PlainSerializer(_mask_url, return_type=str)
]


class RecoverySettings(ProfileTable):
    """Use of recovery data: `show` in plan and briefing, `adjust` the plan.

    `adjust` lets a day of lowered readiness make a plan easier, as a low check-in does. Without
    `show` neither is done.
    """

    show: bool = True
    adjust: bool = False

    @property
    def is_adjusting(self) -> bool:
        """Return true if decisions read recovery."""
        return self.show and self.adjust


class NotifySettings(ProfileTable):
    """Destinations of the morning's briefing, as URLs of Apprise.

    Secrets are in the environment: `${NAME}` in a URL is replaced by the variable's value, and the
    variable `urls_env` may hold whole URLs separated by blanks. Both begin with NOTIFY_. Only the
    kind of a URL is shown and stored.
    """

    urls: tuple[Destination, ...] = ()
    urls_env: NotifyVariable | None = None

    def destinations(self, variables: Mapping[str, str]) -> tuple[tuple[str, str | None], ...]:
        """Return each URL by name, with its variables replaced; None if a variable is not set.

        The name is its place and its kind, as in `2 mailto`, or the missing variable.
        """
        found: list[tuple[str, str | None]] = []
        for url in self.urls:
            text = url.get_secret_value()
            names = _PLACEHOLDER.findall(text)
            missing = [name for name in names if not variables.get(name, "").strip()]
            if missing:
                found.append((missing[0], None))
                continue
            whole = _PLACEHOLDER.sub(lambda each: variables[each[1]].strip(), text)
            found.append((_kind(whole), whole))
        if self.urls_env is not None:
            held = variables.get(self.urls_env, "").split()
            found += [(_kind(url), url) for url in held] or [(self.urls_env, None)]
        return tuple((f"{place} {name}", url) for place, (name, url) in enumerate(found, start=1))


class CoachSettings(ProfileTable):
    """The managed routines: `routines` are titles of the account; empty means all."""

    routines: tuple[str, ...] = ()

    @field_validator("routines")
    @classmethod
    def _aredistinct(cls, routines: tuple[str, ...]) -> tuple[str, ...]:
        return distinct(routines, "routine")


class Limits(ProfileTable):
    """Limits of decisions.

    `jump_pct`: percent of the load done, see `Ladder.up`; `weekly_volume_pct`: maximum weekly
    change of the sets of a muscle group.
    """

    jump_pct: Annotated[float, Field(ge=2.5, le=10)] = JUMP_MAX_PCT.value
    weekly_volume_pct: Annotated[float, Field(ge=10, le=30)] = VOLUME_MAX_CHANGE.value


class Preferences(ProfileTable):
    """The athlete's preferences: `swap` has the allowed substitutes by title.

    `language` is that of plans, reasons, briefings and notes. Without a file of its own for them,
    see `coach_agent/language/`, they are in English.
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
