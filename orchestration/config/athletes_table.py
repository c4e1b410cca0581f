"""Read athletes from a table in a database, for operators of thousands of athletes."""

from pathlib import Path

from coach_agent.profile.model import AthleteProfile, ProfileError, parse_profile, read_profiles
from orchestration.config.postgres import PostgresError, connect_postgres
from orchestration.config.settings import Settings, SettingsError

TABLE = "athletes"

_ROWS = f"select id, profile from {TABLE} order by id"  # noqa: S608 - our own name


def all_profiles(settings: Settings) -> tuple[tuple[AthleteProfile, ...], dict[str, str]]:
    """Return the usable profiles of all files and rows by id, and the errors of the others.

    A row has an id and a profile in the format of a file. Errors are one line per athlete; an id
    that occurs more than once is an error.

    Raises:
        SettingsError: the configured table cannot be read. No athlete counts as deleted then.
    """
    profiles, problems = read_profiles(settings.athletes_dir)
    if not settings.athletes_database:
        return profiles, problems
    known = {profile.id: profile for profile in profiles}
    for athlete_id, text in _rows(settings):
        if athlete_id in known or athlete_id in problems:
            known.pop(athlete_id, None)
            problems[athlete_id] = (
                f"{athlete_id} is defined more than once, in files of {settings.athletes_dir} and "
                f"rows of the table {TABLE} of {settings.athletes_database}: keep one of them."
            )
            continue
        try:
            profile = parse_profile(text, Path(f"table {TABLE}") / f"{athlete_id}.toml")
        except ProfileError as error:
            problems[athlete_id] = str(error)
            continue
        if profile.id == athlete_id:
            known[athlete_id] = profile
        else:
            problems[athlete_id] = f"The row {athlete_id} of {TABLE} has another id in its profile."
    return tuple(known[each] for each in sorted(known)), problems


def find_profile(settings: Settings, athlete_id: str) -> AthleteProfile | None:
    """Return the profile of an athlete, or None.

    Raises:
        ProfileError: it is unusable.
        SettingsError: the configured table cannot be read.
    """
    profiles, problems = all_profiles(settings)
    if athlete_id in problems:
        raise ProfileError(problems[athlete_id])
    return next((each for each in profiles if each.id == athlete_id), None)


def is_in_table(settings: Settings, athlete_id: str) -> bool:
    """Return true if the profile is a row of the table, which Spotter does not write.

    Raises:
        SettingsError: the configured table cannot be read.
    """
    return bool(settings.athletes_database) and athlete_id in dict(_rows(settings))


def _rows(settings: Settings) -> list[tuple[str, str]]:
    try:
        with connect_postgres(settings.athletes_database, settings.postgres_password) as con:
            return [(str(each), str(text)) for each, text in con.exec_driver_sql(_ROWS)]
    except PostgresError as error:
        raise SettingsError(
            f"The table {TABLE} (id, profile) of {settings.athletes_database} cannot be read: "
            f"{error}. Fix SPOTTER_ATHLETES_DATABASE or PGPASSWORD, or start PostgreSQL; nothing "
            "was changed."
        ) from error
