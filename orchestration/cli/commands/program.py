"""`spotter program`: the library of programmes, the builder, and publication."""

import json
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from coach_agent.domain.days import local_date
from coach_agent.domain.secret_values import secrets_scrubber
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.calendar import length_of
from coach_agent.programmes.files import find_programme, library, programme_from_json
from coach_agent.programmes.first_weeks import first_weeks
from coach_agent.programmes.model import Aim, Level, Programme
from coach_agent.programmes.request import ProgrammeRequest, event_fields
from coach_agent.programmes.tables import programme_of_table
from coach_agent.programmes.weekly_volume import weekly_hard_sets
from coach_agent.publishing.programme_routines import first_sessions, routines_of
from orchestration.cli import programme_dialogue as dialogue
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.programme_numbers import numbers_of
from orchestration.cli.programme_request import (
    avoided_titles,
    base_request,
    equipment_kind,
    memories_of,
    pain_of,
    preferred_titles,
    profile_fields,
    request_with,
    responses_of,
)
from orchestration.cli.views.programme import (
    print_line,
    show_built,
    show_followed,
    show_saved,
    show_weeks,
)
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.programmes.exercise_catalogue import (
    built_in_titles,
    programme_catalogue,
)
from orchestration.services.programmes.follow_programme import (
    find_own_programme,
    follow_programme,
    followed_programme,
    publish_programme,
    require_new_file,
    save_programme,
    stop_programme,
)
from orchestration.services.programmes.programme_check import check_programme
from orchestration.services.programmes.programme_memories import build_with_memories
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.programme import (
    check_lines,
    plan_of,
    session_lines,
    week_lines,
)

Numbers = Annotated[
    list[str] | None,
    typer.Option(
        "--number", metavar="EXERCISE=KG", help="Your number for an exercise; repeatable."
    ),
]

Start = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="First day of week 1."),
]

_MOST_WEEKS = 26
_VOLUME_WEEKS = 4
"""Weeks of which `show` has the mean weekly sets."""

program_app = typer.Typer(help="Show, build and publish training programmes.", no_args_is_help=True)


@program_app.command("list")
def list_programmes(as_json: AsJson = False) -> None:
    """List the programmes of the library."""
    programmes = list(library().values())
    if as_json:
        print(json.dumps([_facts(each) for each in programmes], indent=2, ensure_ascii=False))
        return
    for each in programmes:
        days = f"{each.days_per_week} days, {each.minutes} min"
        print_line(f"{each.name}: {each.title}. {each.level}, {each.goal}, {days}")
    print_line("Show one: spotter program show gzclp")


@program_app.command("show")
def show_programme(
    name: Annotated[str, typer.Argument(help="Programme, or a TOML file.", metavar="NAME")],
    weeks: Annotated[
        int | None, typer.Option(min=1, max=52, help="Number of weeks; default: all, up to 26.")
    ] = None,
    numbers: Numbers = None,
    as_json: AsJson = False,
) -> None:
    """Show weeks, sets and volume of a programme.

    A --number is for an exercise or for a lift by its name in the file. It is the kind that the
    lift starts from: its load, one-repetition maximum or five-repetition maximum, and for a ladder
    the rung. Weeks assume that all sets are done; a programme that goes on has at least four.
    docs/programmes.md has the format of the files.
    """
    programme = find_programme(name, built_in_titles())
    given = numbers_of(programme, numbers or [])
    length, goes_on = length_of(programme)
    wished = weeks or min(max(length, _VOLUME_WEEKS) if goes_on else length, _MOST_WEEKS)
    shown = wished if goes_on else min(wished, length)
    sessions = first_weeks(programme, given, shown)
    muscles = weekly_hard_sets(programme, programme_catalogue(), min(shown, _VOLUME_WEEKS))
    if as_json:
        report = {
            **_facts(programme),
            "sources": programme.sources,
            "notes": programme.notes,
            "weeks": [
                {"week": week, "block": block.title, "reserve": reserve}
                for week, (block, reserve) in enumerate(plan_of(programme), start=1)
            ],
            "sessions": [each.model_dump(mode="json") for each in sessions],
            "weekly_hard_sets": [each.model_dump(mode="json") for each in muscles],
        }
        print(json.dumps(report, indent=2, ensure_ascii=False))
        return
    show_weeks(programme, sessions, muscles, wished)


@program_app.command("new")
def new_programme(
    days: Annotated[int | None, typer.Option(min=1, max=7, help="Training days a week.")] = None,
    minutes: Annotated[
        int | None, typer.Option(min=15, max=180, help="Longest session in minutes.")
    ] = None,
    goal: Annotated[Aim | None, typer.Option(help="Goal; default: the profile's.")] = None,
    level: Annotated[
        Level | None, typer.Option(help="Training experience; default: novice.")
    ] = None,
    lacks: Annotated[
        list[str] | None,
        typer.Option("--lack", metavar="KIND", help="Missing equipment; repeatable."),
    ] = None,
    pain: Annotated[
        list[str] | None,
        typer.Option("--pain", metavar="PART:LEVEL", help="Painful body part; repeatable."),
    ] = None,
    avoid: Annotated[
        list[str] | None,
        typer.Option("--avoid", metavar="TITLE", help="Exercise to avoid; repeatable."),
    ] = None,
    prefer: Annotated[
        list[str] | None,
        typer.Option("--prefer", metavar="TITLE", help="Preferred exercise; repeatable."),
    ] = None,
    event: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="Day of an event.")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--change", metavar="TEXT", help="Change in words; repeatable."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the programme to a file.")
    ] = None,
    athlete: Athlete = None,
    as_json: AsJson = False,
) -> None:
    """Build a programme for your week.

    In a terminal it asks for what neither an option nor your profile says, and then for changes in
    words, such as "no barbell rows, 4 days"; --change makes one without a question. Options come
    first, then your profile, then what Spotter has learned about you (spotter memory);
    memories that changed the programme are named, and so are weekly sets that follow your response
    to volume. The same request gives the same programme. Wishes that do not fit are listed as
    compromises.
    """
    wishes = {
        "days": days,
        "minutes": minutes,
        "goal": goal,
        "level": level,
        "lacks": tuple(map(equipment_kind, lacks)) if lacks else None,
        "pain": tuple(map(pain_of, pain)) if pain else None,
        "avoid": tuple(chain.from_iterable(map(avoided_titles, avoid))) if avoid else None,
        "prefer": tuple(chain.from_iterable(map(preferred_titles, prefer))) if prefer else None,
    }
    if save is not None:
        require_new_file(save)
    request, today, profile = base_request(athlete)
    if event is not None:
        if not (fields := event_fields(event.date(), today)):
            raise SettingsError(f"--event {event.date()}: must be within a year from tomorrow on.")
        wishes |= fields
    request = request.model_copy(update={"responses": responses_of(profile)})
    given = {name: value for name, value in wishes.items() if value is not None}
    fixed = set(given) | (set() if profile is None else profile_fields(profile))
    request = request_with(request, given)
    is_dialogue = dialogue.is_terminal() and not as_json
    if is_dialogue:
        known = fixed | dialogue.fields_of_profile(profile)
        request, asked = dialogue.with_answers(request, known, today)
        fixed |= asked
    history: list[ProgrammeRequest] = []
    wished: ProgrammeRequest | None = dialogue.with_changes(request, changes or [], today)
    while wished is not None:
        fixed |= {name for name, value in wished if value != getattr(request, name)}
        built, used = build_with_memories(
            wished, programme_catalogue(), memories_of(profile), today, fixed
        )
        request = wished.model_copy(
            update={"days": built.request.days, "minutes": built.request.minutes}
        )
        history.append(request)
        if not as_json:
            show_built(built, used, today)
        wished = dialogue.with_change(history, today) if is_dialogue else None
    if save is not None:
        save_programme(built.programme, save)
    if as_json:
        memories = [each.model_dump(mode="json") for each in used]
        report = {**built.model_dump(mode="json"), "memories": memories}
        print(json.dumps(report, indent=2, ensure_ascii=False))
    elif save is not None:
        show_saved(save)
    elif is_dialogue:
        dialogue.save_if_wanted(built.programme)
    else:
        print_line("Keep it: spotter program new … --save my-programme.toml")


@program_app.command("import")
def import_programme(
    file: Annotated[Path, typer.Argument(help="CSV table.", metavar="FILE")],
    save: Annotated[Path, typer.Option(metavar="FILE", help="Programme file to write.")],
    goal: Annotated[Aim, typer.Option(help="Goal.")] = "both",
    level: Annotated[Level, typer.Option(help="Training experience.")] = "intermediate",
    minutes: Annotated[int, typer.Option(min=15, max=180, help="Longest session in minutes.")] = 60,
    as_json: AsJson = False,
) -> None:
    """Turn a table of weeks, days, exercises and sets into a programme file.

    Columns: week, day, exercise, sets; sets are text such as 3x8-12 @RPE 8, or a count beside the
    columns reps and percent, rpe or rir. docs/programmes.md explains them.
    """
    programme = programme_of_table(
        _text_of(file), file, built_in_titles(), goal=goal, level=level, minutes=minutes
    )
    save_programme(programme, save)
    if as_json:
        print(json.dumps(_facts(programme), indent=2, ensure_ascii=False))
        return
    print_line(f"{programme.title}: {programme.summary}")
    for line in week_lines(first_weeks(programme, {}, 1)):
        print_line(line)
    show_saved(save)


@program_app.command("publish")
def publish(
    name: Annotated[str, typer.Argument(help="Programme, or a TOML file.", metavar="NAME")],
    numbers: Numbers = None,
    is_confirmed: Annotated[
        bool, typer.Option("--yes", help="Create the routines; default: show them.")
    ] = False,
    start: Start = None,
    athlete: Athlete = None,
    as_json: AsJson = False,
) -> None:
    """Create the routines of a programme in Hevy and follow it.

    Without --yes nothing is sent. Each day becomes a routine in a new folder; your own routines
    stay as they are. Repeating the command creates nothing twice. Hevy's API deletes nothing: to
    take a programme back, delete its folder in the app. Its weeks count from --start, by default
    from today.
    """
    settings = load_settings()
    programme = _without_secrets(find_programme(name, built_in_titles()), settings)
    profile = find_athlete(settings, athlete)
    has_account = profile.hevy.account != "none"
    if is_confirmed and not has_account:
        raise SettingsError(_enter_by_hand(name))
    given = numbers_of(programme, numbers or [])
    routines = routines_of(programme, programme_catalogue(), given)
    stored, followed = None, None
    if is_confirmed:
        first = _first_day(start, profile)
        stored, followed = publish_programme(settings, profile, programme, routines, first)
    if as_json:
        report = {
            "programme": programme.name,
            "is_sent": stored is not None,
            "folder": None if stored is None else stored.folder_title,
            "routines": [each.put_body()["routine"] for each in routines],
            "routine_ids": [] if stored is None else [each.routine_id for each in stored.routines],
            "start": None if followed is None else followed.start.isoformat(),
        }
        print(json.dumps(report, indent=2, ensure_ascii=False))
        return
    titles = ", ".join(each.title for each in routines)
    if stored is None:
        print_line(f"Would create {len(routines)} routines{' in Hevy' * has_account}:")
        for session in first_sessions(programme, given):
            for line in session_lines(session):
                print_line(line)
        print_line("Create them: add --yes" if has_account else _enter_by_hand(name))
    elif stored.is_new:
        print_line(f"Created in Hevy, folder {stored.folder_title}: {titles}.")
    else:
        print_line(f"These routines are in Hevy already, folder {stored.folder_title}.")
    if followed is not None:
        show_followed(followed)


@program_app.command("use")
def use(
    name: Annotated[
        str | None, typer.Argument(help="Published programme, or its TOML file.", metavar="NAME")
    ] = None,
    start: Start = None,
    is_stopped: Annotated[bool, typer.Option("--stop", help="Follow no programme.")] = False,
    athlete: Athlete = None,
    as_json: AsJson = False,
) -> None:
    """Follow a published programme week by week.

    Sets, effort and easy weeks of the programme then change the plans of its routines. --start
    begins with week 1 on that day, by default today. Without a NAME the command shows the programme
    that you follow.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    if is_stopped and (name is not None or start is not None):
        raise SettingsError("--stop takes no NAME and no --start.")
    if name is None and start is not None:
        raise SettingsError("--start needs the NAME of a programme.")
    if is_stopped:
        stop_programme(settings, profile)
    elif name is not None:
        found = find_own_programme(settings, profile, name, built_in_titles())
        programme = _without_secrets(found, settings)
        follow_programme(settings, profile, programme, _first_day(start, profile))
    followed, versions = followed_programme(settings, profile)
    if as_json:
        report = {
            "programme": None if followed is None else followed.model_dump(mode="json"),
            "versions": [each.model_dump(mode="json") for each in versions],
        }
        print(json.dumps(report, indent=2, ensure_ascii=False))
    elif followed is None:
        print_line("You follow no programme. Build one: spotter program new")
    else:
        show_followed(followed)


@program_app.command("check")
def check(athlete: Athlete = None, as_json: AsJson = False) -> None:
    """Check this week against the programme that you follow.

    Skipped, moved, shortened and swapped work, your edits in Hevy, and what they do to the weekly
    sets of each muscle; as of the last run.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        found = check_programme(con, profile, datetime.now(UTC))
    if as_json:
        print(json.dumps(found.model_dump(mode="json"), indent=2, ensure_ascii=False))
        return
    for line in check_lines(found):
        print_line(line)


def _without_secrets(programme: Programme, settings: Settings) -> Programme:
    """Return the programme to store and send."""
    hidden = secrets_scrubber(settings.keys)(programme.model_dump_json())
    return programme_from_json(json.loads(hidden))


def _enter_by_hand(name: str) -> str:
    return (
        "There is no Hevy account to create routines in. Enter the days in your app yourself: "
        f"spotter program show {name}. The coach plans what you log and import."
    )


def _first_day(start: datetime | None, profile: AthleteProfile) -> date:
    today = local_date(datetime.now(UTC), profile.timezone)
    return today if start is None else start.date()


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8. Export it as CSV UTF-8.") from error


def _facts(programme: Programme) -> dict[str, object]:
    return {
        "name": programme.name,
        "title": programme.title,
        "summary": programme.summary,
        "level": programme.level,
        "goal": programme.goal,
        "days_per_week": programme.days_per_week,
        "minutes": programme.minutes,
        "lifts": {
            name: {"exercise": lift.exercise, "start": lift.start.of}
            for name, lift in programme.lifts.items()
        },
    }
