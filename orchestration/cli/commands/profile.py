"""`spotter profile` and `spotter init`: effective settings of an athlete, and a new profile."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import duckdb
import typer

from coach_agent.domain.days import local_date
from coach_agent.domain.red_flags import LIMITS
from coach_agent.planning.effective_settings import effective_settings
from coach_agent.planning.rotation import unknown_rules
from coach_agent.profile.model import ProfileError
from coach_agent.store.profile_facts import ProfileFacts, read_exercise_titles, read_facts
from hevy_connector.errors import HevyError
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.views import terminal
from orchestration.cli.views.profile import json_values, profile_view
from orchestration.config.athletes import find_athlete, hevy_client
from orchestration.config.athletes_table import is_in_table
from orchestration.config.new_profile import (
    NewProfile,
    profile_exists_message,
    system_timezone,
    write_new,
)
from orchestration.config.profile_edits import edit_profile
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.storage.warehouse import WarehouseMissingError, open_warehouse

profile_app = typer.Typer(help="Show and change your settings.", no_args_is_help=True)


@profile_app.command("show")
def profile_show(
    athlete: Athlete = None,
    as_json: AsJson = False,
) -> None:
    """Show the effective settings and their sources.

    A source is profile, routine, history or default.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    facts, titles = _facts(settings, profile.id)
    values = effective_settings(profile, facts, local_date(datetime.now(UTC), profile.timezone))
    if as_json:
        report = {
            "athlete": profile.id,
            "is_history_known": facts is not None,
            "values": json_values(values),
        }
        print(json.dumps(report, indent=2, ensure_ascii=False))
        return
    terminal.console.print(profile_view(values, terminal.console.width), highlight=False)
    for line in unknown_rules(profile, facts.routines, titles) if facts else ():
        terminal.show_warning(line)
    if facts is None:
        terminal.console.print(
            "There are no routines and training data yet, so these are the profile and "
            "defaults. Run: spotter run",
        )


@profile_app.command("set")
def profile_set(
    changes: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE...",
            help="Such as goal.kind=strength or 'pain.\"right knee\"=mild'; KEY= removes.",
        ),
    ],
    athlete: Athlete = None,
) -> None:
    """Change keys of your profile.

    Comments and all other keys are preserved. Nothing is changed unless the result is valid.
    docs/configuration.md lists the keys.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    path = settings.athletes_dir / f"{profile.id}.toml"
    if is_in_table(settings, profile.id):
        raise SettingsError(
            f"The profile of {profile.id} is a row in {settings.athletes_database}: edit it there."
        )
    edit_profile(path, changes)
    terminal.console.print(f"Changed: {path}. The next workout: spotter run", soft_wrap=True)


def init(
    athlete: Annotated[
        str | None, typer.Option("--athlete", metavar="ID", help="Id and file name.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name in reports.")] = None,
    timezone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="Time zone such as Europe/Berlin.")
    ] = None,
    account: Annotated[
        str | None, typer.Option(metavar="hevy|none", help="Source of your training.")
    ] = None,
    goal: Annotated[
        str | None, typer.Option(metavar="strength|hypertrophy|both", help="Training goal.")
    ] = None,
    minutes: Annotated[str | None, typer.Option(help="Maximum minutes of a workout.")] = None,
    unit: Annotated[
        str | None, typer.Option(metavar="kg|lb", help="Unit of the gym's loads.")
    ] = None,
    bar: Annotated[str | None, typer.Option(help="Weight of the bar.")] = None,
    plates: Annotated[
        str | None, typer.Option(metavar="LIST", help='Pairs of plates, such as "20 20 10 5 2.5".')
    ] = None,
    dumbbells: Annotated[
        str | None, typer.Option(metavar="LIST", help='Such as "4 6 8" or "2-30 by 2".')
    ] = None,
    routine: Annotated[
        list[str] | None,
        typer.Option(metavar="TITLE", help="Managed routine; repeatable. Default: all."),
    ] = None,
    api_key_env: Annotated[
        str, typer.Option(metavar="VARIABLE", help="Variable with the account's key.")
    ] = NewProfile.api_key_env,
    yes: Annotated[
        bool, typer.Option("--yes", help="Use options and defaults without questions.")
    ] = False,
) -> None:
    """Create the profile of a new athlete.

    Asks for values without an option. The file is shown before it is written; an existing one is
    never changed. Plans are only previewed until publish.mode is changed.
    """
    settings = load_settings()
    given = {
        "athlete_id": athlete,
        "name": name,
        "timezone": timezone,
        "account": account,
        "goal": goal,
        "session_minutes": minutes,
        "unit": unit,
        "bar": bar,
        "plate_pairs": plates,
        "dumbbells": dumbbells,
    }
    new = NewProfile("me", timezone=system_timezone(settings.keys), api_key_env=api_key_env)
    for key, question in _QUESTIONS.items():
        text = given[key]
        if text is None and not yes:
            new = _ask_value(settings.athletes_dir, new, key, question)
        elif text is not None:
            new = _set_value(settings.athletes_dir, new, key, text)
        elif key == "athlete_id":
            new = _set_value(settings.athletes_dir, new, key, new.athlete_id)
    new = replace(new, routines=tuple(routine or ()))
    if not yes and not routine and new.account != "none":
        new = replace(new, routines=_choose_routines(settings, new))
    path = _path(settings.athletes_dir, new)
    new.checked(path)
    if is_in_table(settings, new.athlete_id):
        raise SettingsError(
            f"{new.athlete_id} is a row in {settings.athletes_database} already; choose another id "
            "with --athlete."
        )
    terminal.console.print(f"\n{new.text()}", markup=False, highlight=False, soft_wrap=True)
    if not yes and not typer.confirm(f"Write {path}?", default=True):
        terminal.console.print("Nothing was written.")
        return
    write_new(path, new)
    terminal.console.print(f"Written: {path}", soft_wrap=True, highlight=False)
    if new.account == "hevy" and not settings.keys.get(new.api_key_env, "").strip():
        terminal.console.print(f"Next, put the key into .env: {new.api_key_env}=<your key>")
    terminal.console.print("Then: spotter run")
    terminal.console.print(f"\n{LIMITS}", highlight=False, soft_wrap=True)


def _whole(text: str) -> int | None:
    return int(text) if text.strip() else None


def _load(text: str) -> float | None:
    return float(text) if text.strip() else None


def _loads(text: str) -> tuple[float, ...]:
    """Parse numbers separated by blanks or commas, or "2-30 by 2"."""
    if span := re.fullmatch(r"\s*([\d.]+)\s*-\s*([\d.]+)\s+by\s+([\d.]+)\s*", text):
        low, high, step = (float(part) for part in span.groups())
        if not 0 < step <= high - low:
            raise ValueError
        return tuple(low + step * count for count in range(int((high - low) / step + 1e-9) + 1))
    return tuple(float(part) for part in text.replace(",", " ").split())


def _words(text: str) -> str | None:
    return text.strip() or None


# By key: the question, the parser of an answer, and the expected format.
_QUESTIONS: dict[str, tuple[str, Callable[[str], Any], str]] = {
    "athlete_id": ("Id, the name of the file", str.strip, "a word"),
    "name": ("Name for reports", _words, "a name"),
    "timezone": ("Time zone", str.strip, "a name such as Europe/Berlin"),
    "account": ("Hevy account: hevy, or none if training comes from files", str.strip, "a word"),
    "goal": ("Goal: strength, hypertrophy or both", str.strip, "a word"),
    "session_minutes": ("Minutes of a workout; Enter for no limit", _whole, "a whole number"),
    "unit": ("Unit of the gym's loads: kg or lb", str.strip, "a word"),
    "bar": ("Weight of the bar; Enter for the usual one", _load, "a number"),
    "plate_pairs": (
        'Pairs of plates, such as "20 20 10 5 2.5"; Enter for a common gym\'s',
        _loads,
        "numbers with blanks between them",
    ),
    "dumbbells": (
        'Dumbbells, such as "4 6 8" or "2-30 by 2"; Enter for a common gym\'s',
        _loads,
        'numbers with blanks between them, or "2-30 by 2"',
    ),
}


def _ask_value(
    folder: Path, new: NewProfile, key: str, question: tuple[str, Callable[[str], Any], str]
) -> NewProfile:
    """Ask for one more value and return the profile with it; repeats after an invalid answer."""
    now = new.athlete_id if key == "name" else getattr(new, key)
    default = "" if now in (None, ()) else str(now)

    def read(text: str) -> NewProfile:
        try:
            return _set_value(folder, new, key, text)
        except ProfileError as error:
            raise typer.BadParameter(str(error)) from error

    answer: NewProfile = typer.prompt(
        question[0], default=default, show_default=bool(default), value_proc=read
    )
    return answer


def _set_value(folder: Path, new: NewProfile, key: str, text: str) -> NewProfile:
    """Return the profile with the parsed value.

    Raises:
        ProfileError: the value is invalid.
    """
    _, read, expected = _QUESTIONS[key]
    try:
        answered = replace(new, **{key: read(text)})
    except ValueError as error:
        raise ProfileError(f"'{text}' must be {expected}.") from error
    path = _path(folder, answered)
    try:
        answered.checked(path)
    except ProfileError as error:
        # There is no file yet, so remove path and line number.
        told = re.sub(rf"^{re.escape(str(path))}, line \d+: ", "", str(error), flags=re.MULTILINE)
        raise ProfileError(told) from error
    if key == "athlete_id" and path.exists():
        raise ProfileError(profile_exists_message(path))
    return answered


def _path(folder: Path, new: NewProfile) -> Path:
    return folder / f"{new.athlete_id}.toml"


def _choose_routines(settings: Settings, new: NewProfile) -> tuple[str, ...]:
    """Ask for the routines that the coach may manage; empty for all."""
    if not settings.keys.get(new.api_key_env, "").strip():
        terminal.console.print(
            f"{new.api_key_env} is not set, so your routines cannot be listed: all may be managed."
        )
        return ()
    profile = new.checked(_path(settings.athletes_dir, new))
    try:
        with hevy_client(settings, profile) as hevy:
            titles = sorted({routine.title for routine in hevy.routines()})
    except HevyError as error:
        terminal.show_error(f"{error}\nYour routines cannot be listed: all may be managed.")
        return ()
    if not titles:
        terminal.console.print("The account has no routines yet: all may be managed.")
        return ()
    for number, title in enumerate(titles, start=1):
        terminal.console.print(f"  {number}  {title}", markup=False, highlight=False)

    def read(text: str) -> tuple[str, ...]:
        places = text.replace(",", " ").split()
        if not all(place.isdecimal() and 1 <= int(place) <= len(titles) for place in places):
            raise typer.BadParameter(f"Numbers from 1 to {len(titles)} with blanks between them.")
        return tuple(titles[place] for place in sorted({int(place) - 1 for place in places}))

    chosen: tuple[str, ...] = typer.prompt(
        "Which may be managed? Their numbers; Enter for all",
        default="",
        show_default=False,
        value_proc=read,
    )
    return chosen


def _facts(settings: Settings, athlete_id: str) -> tuple[ProfileFacts | None, tuple[str, ...]]:
    """Return the athlete's facts in the marts, None without any, and the exercise titles."""
    try:
        with open_warehouse(settings.warehouse, read_only=True) as con:
            facts = read_facts(con, athlete_id, datetime.now(UTC))
            titles = read_exercise_titles(con, athlete_id)
    except (WarehouseMissingError, duckdb.CatalogException):
        return None, ()  # no marts before the first run
    return (None if facts == ProfileFacts() else facts), titles
