"""The request of `spotter program new`: from the profile, its memories and the options."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime

from pydantic import ValidationError

from coach_agent.domain.days import local_date
from coach_agent.domain.pain import Pain, PainError, parse_pain
from coach_agent.domain.titles import did_you_mean, normalize_title
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.catalogue import exercise_tags
from coach_agent.programmes.exercise_words import meant_to_avoid, meant_to_prefer
from coach_agent.programmes.request import MISSING_KINDS, MuscleResponse, ProgrammeRequest
from coach_agent.store.memories import MemoryVersion
from orchestration.cli.views import terminal
from orchestration.config.athletes import NoAthletesError, find_athlete
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.memory.memories import current_memories
from orchestration.services.programmes.exercise_catalogue import (
    built_in_titles,
)
from orchestration.services.programmes.follow_programme import (
    DEFAULT_DAYS,
    request_of,
)
from orchestration.services.programmes.volume_responses import known_responses
from orchestration.storage.warehouse import WarehouseBusyError, WarehouseMissingError


def base_request(
    athlete: str | None,
) -> tuple[ProgrammeRequest, date, AthleteProfile | None]:
    """Return the request of the athlete's profile, or a default one while there is no athlete."""
    settings, now = load_settings(), datetime.now(UTC)
    try:
        profile = find_athlete(settings, athlete)
    except NoAthletesError:
        if athlete is not None:
            raise
        return ProgrammeRequest(days=DEFAULT_DAYS), now.date(), None
    today = local_date(now, profile.timezone)
    return request_of(profile, today), today, profile


def profile_fields(profile: AthleteProfile) -> set[str]:
    """Return the fields of a request that the profile has, which no memory changes."""
    found = {"days"} if profile.weekdays else set()
    return found | ({"minutes"} if profile.session_minutes is not None else set())


def memories_of(profile: AthleteProfile | None) -> tuple[MemoryVersion, ...]:
    """Return the current memories; none without a warehouse, or with a warning while it is busy."""
    if profile is None:
        return ()
    try:
        return current_memories(load_settings().warehouse, profile)
    except WarehouseMissingError:
        return ()
    except WarehouseBusyError as error:
        terminal.show_warning(f"Built without memories. {error}")
        return ()


def responses_of(profile: AthleteProfile | None) -> tuple[MuscleResponse, ...]:
    """Return the known responses to volume; none without a warehouse, or while it is busy."""
    if profile is None:
        return ()
    try:
        return known_responses(load_settings().warehouse, profile.id)
    except WarehouseMissingError:
        return ()
    except WarehouseBusyError as error:
        terminal.show_warning(f"Built without your response to volume. {error}")
        return ()


def request_with(base: ProgrammeRequest, given: Mapping[str, object]) -> ProgrammeRequest:
    """Return the request with the given fields; SettingsError if they do not fit together."""
    try:
        return ProgrammeRequest.model_validate({**base.model_dump(), **given})
    except ValidationError as error:
        raise SettingsError(error.errors(include_url=False)[0]["msg"]) from error


def equipment_kind(text: str) -> str:
    """Check the text of --lack."""
    if text not in MISSING_KINDS:
        known = ", ".join(MISSING_KINDS)
        hint = did_you_mean(text, MISSING_KINDS)
        raise SettingsError(f"--lack {text}: must be one of {known}.{hint}")
    return text


def pain_of(text: str) -> Pain:
    """Parse the text of --pain."""
    try:
        return parse_pain(text)
    except PainError as error:
        raise SettingsError(f"--pain {error}") from error


def avoided_titles(text: str) -> tuple[str, ...]:
    """Return the exercises of --avoid: a title of Hevy, or all that words mean."""
    return _titles(text, meant_to_avoid)


def preferred_titles(text: str) -> tuple[str, ...]:
    """Return the exercises of --prefer: a title of Hevy, or those that words name."""
    return _titles(text, meant_to_prefer)


def _titles(text: str, meant: Callable[[str, Iterable[str]], tuple[str, ...]]) -> tuple[str, ...]:
    titles = {normalize_title(title): title for title in built_in_titles()}
    if (title := titles.get(normalize_title(text))) is not None:
        return (title,)
    if found := meant(text, exercise_tags()):
        return found
    raise SettingsError(f"There is no exercise {text!r}.{did_you_mean(text, titles.values())}")
