"""Select the athletes of a run, and create clients of their accounts."""

from typing import TYPE_CHECKING

from coach_agent.profile.model import AthleteProfile, ProfileError
from hevy_connector.http.limits import RetryPolicy
from orchestration.config.athletes_table import all_profiles
from orchestration.config.settings import Settings, SettingsError

if TYPE_CHECKING:
    # httpx and the simulator would slow the start of commands that only read.
    from hevy_connector.client.client import HevyClient
    from hevy_connector.client.connections import HevyConnections


class UnknownAthleteError(Exception):
    """The requested athlete is not configured."""


class NoAthletesError(SettingsError):
    """There is no athlete yet."""


def configured_athletes(settings: Settings) -> tuple[AthleteProfile, ...]:
    """Return the athletes with a usable profile from the folder and the table, sorted by id.

    An athlete with a simulator account is included only if the API is on this machine and no other
    athlete is configured: the demo profile lies next to real ones and must never reach the real
    service, nor train in the account of an athlete using the simulator.

    Raises:
        ProfileError: no profile is usable.
        NoAthletesError: there is no profile.
        SettingsError: the table of athletes cannot be read.
    """
    everybody, unusable = all_profiles(settings)
    profiles = tuple(one for one in everybody if one.hevy.account != "simulator")
    if not profiles and unusable:
        raise ProfileError("\n".join(unusable.values()))
    if not profiles and settings.is_loopback:
        profiles = everybody
    if not profiles:
        raise NoAthletesError(
            f"No athlete is configured in {settings.athletes_dir}. Run: spotter init (or write a "
            'file <id>.toml there with at least: id = "<id>"), or try the demo: spotter demo'
        )
    return profiles


def unusable_profiles(settings: Settings) -> dict[str, str]:
    """Return the errors of unusable profiles by athlete; they do not affect other athletes."""
    return all_profiles(settings)[1]


def exclusion_message(athlete_id: str, why: str) -> str:
    """Return the message on an athlete with an unusable profile."""
    return f"{athlete_id} is left out until this is fixed: {why}"


def find_athlete(settings: Settings, athlete_id: str | None) -> AthleteProfile:
    """Return the athlete with this id, or the only one for None.

    Raises:
        UnknownAthleteError: there is no such athlete, or several and no id.
        ProfileError: the athlete's profile is unusable.
    """
    profiles, unusable = configured_athletes(settings), unusable_profiles(settings)
    known = ", ".join(sorted([*(profile.id for profile in profiles), *unusable]))
    if athlete_id is None:
        if len(profiles) == 1 and not unusable:
            return profiles[0]
        raise UnknownAthleteError(f"Choose an athlete with --athlete: {known}.")
    for profile in profiles:
        if profile.id == athlete_id:
            return profile
    if athlete_id in unusable:
        raise ProfileError(unusable[athlete_id])
    places = " and ".join(filter(None, (str(settings.athletes_dir), settings.athletes_database)))
    raise UnknownAthleteError(
        f"There is no athlete '{athlete_id}'. Configured in {places}: {known}."
    )


def hevy_client(
    settings: Settings,
    athlete: AthleteProfile,
    retry: RetryPolicy | None = None,
    *,
    connections: "HevyConnections | None" = None,
) -> "HevyClient":
    """Return a client of the athlete's account, with the default retry policy unless `retry` is
    given. It shares `connections` with others, or has its own.

    Raises:
        SettingsError: the athlete has no account, or its key is not set.
        HevyConfigError: the key or the URL is invalid.
    """
    if athlete.hevy.account == "none":
        raise SettingsError(f"Athlete '{athlete.id}' has no Hevy account (hevy.account = none).")
    if athlete.hevy.account == "simulator":
        if not settings.is_loopback:
            raise SettingsError(
                f"Athlete '{athlete.id}' belongs to the simulator and is never used with "
                f"{settings.hevy_url}."
            )
        from hevy_connector.simulator import SIMULATOR_KEY

        key = SIMULATOR_KEY
    else:
        key = settings.api_key(athlete.hevy.api_key_env)
    from hevy_connector.client.client import HevyClient

    return HevyClient(
        key,
        base_url=settings.hevy_url,
        retry=retry,
        limit=settings.rate_limit,
        connections=connections,
    )
