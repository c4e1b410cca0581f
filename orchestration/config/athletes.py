"""Which athletes a run is for, and how to reach the account of each."""

from coach_agent.profile.model import AthleteProfile, ProfileError
from hevy_connector.client.client import HevyClient
from hevy_connector.client.transport import RetryPolicy
from hevy_connector.simulator import SIMULATOR_KEY
from orchestration.config.athletes_table import all_profiles
from orchestration.config.settings import Settings, SettingsError


class UnknownAthleteError(Exception):
    """An athlete was asked for that is not configured."""


class NobodyConfiguredError(SettingsError):
    """There is no athlete yet."""


def configured_athletes(settings: Settings) -> tuple[AthleteProfile, ...]:
    """The athletes of the configured folder, and table if there is one, that can be used, by id.

    An athlete whose account is the simulator's takes part only where the API is on this machine
    and nobody else is configured: the demo athlete lies beside the real ones and must never meet
    the real service, nor train in the account of whoever tries Spotter with the simulator.

    Raises:
        ProfileError: no profile can be used.
        NobodyConfiguredError: nobody is configured.
        SettingsError: the table of athletes cannot be read.
    """
    everybody, unusable = all_profiles(settings)
    profiles = tuple(one for one in everybody if one.hevy.account != "simulator")
    if not profiles and unusable:
        raise ProfileError("\n".join(unusable.values()))
    if not profiles and settings.is_loopback:
        profiles = everybody
    if not profiles:
        raise NobodyConfiguredError(
            f"No athlete is configured in {settings.athletes_dir}. Run: spotter init (or write a "
            'file <id>.toml there with at least: id = "<id>"), or try the demo: make demo'
        )
    return profiles


def unusable_profiles(settings: Settings) -> dict[str, str]:
    """What is wrong with the profiles that cannot be used, by athlete: one stops nobody else."""
    return all_profiles(settings)[1]


def left_out(athlete_id: str, why: str) -> str:
    """What is told of an athlete whose file cannot be used."""
    return f"{athlete_id} is left out until this is mended: {why}"


def athlete_named(settings: Settings, athlete_id: str | None) -> AthleteProfile:
    """The athlete with this id; without one, the only athlete there is.

    Raises:
        UnknownAthleteError: there is no such athlete, or several and none was named.
        ProfileError: the athlete's file cannot be used.
    """
    profiles, unusable = configured_athletes(settings), unusable_profiles(settings)
    known = ", ".join(sorted([*(profile.id for profile in profiles), *unusable]))
    if athlete_id is None:
        if len(profiles) == 1 and not unusable:
            return profiles[0]
        raise UnknownAthleteError(f"Say which athlete with --athlete: {known}.")
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
    settings: Settings, athlete: AthleteProfile, retry: RetryPolicy | None = None
) -> HevyClient:
    """A client of the athlete's account, as patient as it is by itself unless `retry` is given.

    Raises:
        SettingsError: the athlete has no account, or its key is not set.
        HevyConfigError: the key or the URL cannot be used.
    """
    if athlete.hevy.account == "none":
        raise SettingsError(f"Athlete '{athlete.id}' has no Hevy account (hevy.account = none).")
    if athlete.hevy.account == "simulator":
        if not settings.is_loopback:
            raise SettingsError(
                f"Athlete '{athlete.id}' belongs to the simulator and is never used with "
                f"{settings.hevy_url}."
            )
        key = SIMULATOR_KEY
    else:
        key = settings.api_key(athlete.hevy.api_key_env)
    return HevyClient(key, base_url=settings.hevy_url, retry=retry, limit=settings.rate_limit)
