"""`spotter memory`: what the coach has learned about an athlete, and decisions about it."""

import json
import re
from datetime import UTC, date, datetime
from typing import Annotated

import typer

from coach_agent.domain.control_characters import without_controls
from coach_agent.domain.days import local_date
from coach_agent.memory.memories import Kind, Statement
from coach_agent.memory.rules import LONGEST_WORKOUT_MIN
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.memories import MemoryVersion, read_versions
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.views import terminal
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.memory.memories import (
    confirm_memory,
    correct_memory,
    current_memories,
    forget_memory,
    report_of,
)
from orchestration.services.operations.compaction import erase_deleted
from orchestration.services.search.search import forget_in_index
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.measures import day_text
from orchestration.text.memory import WEEKDAYS, confidence_text, evidence_text, statement_text

memory_app = typer.Typer(help="Show, confirm, correct or forget memories.")

Number = Annotated[int, typer.Argument(metavar="N", help="Number from `spotter memory`.")]
Version = Annotated[
    int | None,
    typer.Option("--if-version", metavar="V", help="Do nothing if the memory has another version."),
]

_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


@memory_app.callback(invoke_without_command=True)
def list_memories(context: typer.Context, athlete: Athlete = None, as_json: AsJson = False) -> None:
    """List what Spotter has learned about you.

    Rules learn from your training and check-ins, never from notes. Only `program new` uses it.
    """
    if context.invoked_subcommand is not None:
        if athlete is not None or as_json:
            raise SettingsError(f"Write the options after {context.invoked_subcommand}.")
        return
    settings, profile, now = _asked(athlete)
    today = local_date(now, profile.timezone)
    found = current_memories(settings.warehouse, profile)
    if as_json:
        print(_json([report_of(each, today).model_dump(mode="json") for each in found]))
        return
    if not found:
        terminal.console.print("Nothing is learned yet. Nightly runs learn from your training.")
    for each in found:
        _show(each, today)


@memory_app.command()
def show(number: Number, athlete: Athlete = None, as_json: AsJson = False) -> None:
    """Show the versions and source rows of a memory."""
    settings, profile, now = _asked(athlete)
    today = local_date(now, profile.timezone)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        versions = read_versions(con, profile.id, number)
    if as_json:
        print(_json([report_of(each, today).model_dump(mode="json") for each in versions]))
        return
    for each in versions:
        _show(each, today)
        ended = each.valid_to or each.memory.expires_on
        until = "until" if each.valid_to else "expires"
        _line(
            f"    version {each.version}, since {_day(each.valid_from, profile)}, "
            f"{until} {_day(ended, profile)}"
        )
        for source in each.memory.sources:
            _line(f"    {source.day}  {source.role:<8}  {source.mart}  {source.key}")


@memory_app.command()
def confirm(number: Number, version: Version = None, athlete: Athlete = None) -> None:
    """Confirm a memory."""
    settings, profile, now = _asked(athlete)
    with open_warehouse(settings.warehouse) as con:
        found = confirm_memory(con, profile, number, now, version=version)
    _show(found, local_date(now, profile.timezone))


@memory_app.command()
def correct(
    number: Number,
    days: Annotated[
        str | None, typer.Option(metavar="DAYS", help="Your training days: mon,wed,fri.")
    ] = None,
    start: Annotated[
        str | None, typer.Option(metavar="HH:MM", help="Your usual start: 18:30.")
    ] = None,
    minutes: Annotated[
        int | None,
        typer.Option(min=1, max=LONGEST_WORKOUT_MIN, help="Your usual minutes."),
    ] = None,
    athlete: Athlete = None,
) -> None:
    """Correct a habit.

    Your value stays until it expires; then the rules may guess again.
    """
    given = [each is not None for each in (days, start, minutes)]
    if sum(given) != 1:
        raise typer.BadParameter("Give one of --days, --start and --minutes.")
    settings, profile, now = _asked(athlete)
    kind, statement = _statement(days, start, minutes)
    with open_warehouse(settings.warehouse) as con:
        found = correct_memory(con, profile, number, statement, kind, now)
    _show(found, local_date(now, profile.timezone))


@memory_app.command("forget")
def forget_one(number: Number, version: Version = None, athlete: Athlete = None) -> None:
    """Forget a memory.

    It is deleted with its history; the same rows do not bring it back.
    """
    settings, profile, now = _asked(athlete)
    with open_warehouse(settings.warehouse) as con:
        forget_memory(con, profile, number, now, version=version)
    # A search holds the index while it waits for the warehouse, so this waits for it without.
    forget_in_index(settings.home, profile.id, number)
    with open_warehouse(settings.warehouse) as con:
        is_erased = erase_deleted(con, settings)
    terminal.console.print(f"Memory {number} is forgotten.")
    if not is_erased:
        terminal.console.print(
            "Unused blocks of the warehouse may have its bytes until: spotter compact"
        )


def _asked(athlete: str | None) -> tuple[Settings, AthleteProfile, datetime]:
    settings = load_settings()
    return settings, find_athlete(settings, athlete), datetime.now(UTC)


def _statement(days: str | None, start: str | None, minutes: int | None) -> tuple[Kind, Statement]:
    if days is not None:
        known = {name.lower(): place for place, name in enumerate(WEEKDAYS)}
        words = [each.strip().lower() for each in days.split(",")]
        if not set(words) <= set(known):
            raise typer.BadParameter(f"--days lists days as in mon,wed,fri: not '{days}'.")
        weekdays = tuple(sorted({known[each] for each in words}))
        return "training_days", Statement(weekdays=weekdays)
    if start is not None:
        match = _CLOCK.fullmatch(start)
        if match is None:
            raise typer.BadParameter(f"--start is a time such as 18:30: not '{start}'.")
        return "training_hour", Statement(start_minute=60 * int(match[1]) + int(match[2]))
    return "training_minutes", Statement(minutes=minutes)


def _show(version: MemoryVersion, today: date) -> None:
    memory = version.memory
    _line(f"{version.number}  {statement_text(memory)}.")
    origin = f" from {evidence_text(memory)}" if memory.sources else ""
    _line(
        f"    {confidence_text(memory.confidence(today))}, {memory.status}{origin}; "
        f"last {day_text(memory.last_seen)}"
    )


def _line(text: str) -> None:
    # Rich drops the end of an escape sequence in a title, which would then hide the rest.
    plain = without_controls(text)
    terminal.console.print(plain, soft_wrap=True, markup=False, highlight=False)


def _day(moment: datetime | date, profile: AthleteProfile) -> str:
    day = local_date(moment, profile.timezone) if isinstance(moment, datetime) else moment
    return day.isoformat()


def _json(rows: list[dict[str, object]]) -> str:
    return json.dumps(rows, indent=2, ensure_ascii=False)
