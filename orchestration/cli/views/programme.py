"""Programmes on the terminal."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from coach_agent.domain.block import FollowedProgramme
from coach_agent.domain.titles import normalize_title
from coach_agent.programmes.calendar import length_of
from coach_agent.programmes.files import library
from coach_agent.programmes.first_weeks import Session, first_weeks
from coach_agent.programmes.model import Programme
from coach_agent.programmes.request import BuiltProgramme, ProgrammeRequest, event_of
from coach_agent.programmes.selection import is_allowed
from coach_agent.programmes.weekly_volume import MuscleSets
from orchestration.cli.views import terminal
from orchestration.services.programmes.exercise_catalogue import programme_catalogue
from orchestration.services.programmes.programme_memories import UsedMemory
from orchestration.text.programme import (
    length_text,
    muscle_lines,
    plan_lines,
    sets_text,
    week_lines,
)


def show_followed(followed: FollowedProgramme) -> None:
    """Print the programme that an athlete follows, with its easy weeks."""
    calendar = followed.calendar
    day = f"{followed.start:%A} {followed.start.day} {followed.start:%B %Y}"
    length = length_text(len(calendar.phases), calendar.cycle_from)
    print_line(f"You follow {calendar.title} from {day}: {length}.")
    easy = [str(week) for week, phase in enumerate(calendar.phases, 1) if phase == "deload"]
    if easy:
        print_line(f"Easy {'week' if len(easy) == 1 else 'weeks'}: {', '.join(easy)}.")
    print_line("The next workout: spotter run")


def show_built(built: BuiltProgramme, used: Sequence[UsedMemory], today: date) -> None:
    """Print a programme that was built for a request, with the memories that changed it."""
    programme = built.programme
    print_line(f"{programme.title}: {programme.summary}")
    sessions = {each.day: each for each in first_weeks(programme, {}, 1)}
    for day in built.week:
        print_line(f"{day.weekday}: {day.day}, {day.minutes} min")
        for exercise, reason in zip(sessions[day.day].exercises, day.reasons, strict=True):
            why = reason.removeprefix(f"{exercise.exercise}: ")
            print_line(f"  {exercise.exercise}: {sets_text(exercise)}, {why}")
    for line in plan_lines(programme):
        print_line(line)
    if (event := event_of(built.request, today)) is not None:
        print_line(f"Event: {event:%A} {event.day} {event:%B %Y}, if week 1 begins today")
    print_line("Weekly hard sets by muscle, and the range for your goal and level")
    for line in muscle_lines(built.weekly_hard_sets):
        print_line(line)
    for note in programme.notes:
        print_line(f"- {note}")
    if (hint := _published_instead(built.request)) is not None:
        print_line(hint)
    if used:
        print_line("Chosen by what I have learned (wrong? spotter memory forget N)")
    for memory in used:
        print_line(f"- Memory {memory.number}: {memory.text}")
    if built.compromises:
        print_line("Compromises")
    for each in built.compromises:
        print_line(f"- {each.text}")


def show_weeks(
    programme: Programme, sessions: Sequence[Session], muscles: Sequence[MuscleSets], wished: int
) -> None:
    """Print the weeks of a programme; `wished` is the number that was asked for."""
    length, goes_on = length_of(programme)
    shown = sessions[-1].week
    print_line(f"{programme.title}: {programme.summary}")
    if length > 1:
        for line in plan_lines(programme):
            print_line(line)
    for line in week_lines(sessions):
        print_line(line)
    if wished > shown:
        print_line(f"After week {length} it is over. Build the next block: spotter program new")
    elif not goes_on and shown < length:
        print_line(f"Weeks {shown + 1} to {length}: add --weeks {min(length, 52)}")
    print_line("Weekly hard sets by muscle, and the range for your goal and level")
    for line in muscle_lines(muscles):
        print_line(line)
    for note in programme.notes:
        print_line(f"- {note}")
    print_line(f"Sources: {'; '.join(programme.sources)}")


def _published_instead(request: ProgrammeRequest) -> str | None:
    """Return the published programme that fits a request for strength better; None without one.

    Equipment and wishes allow all of its exercises, and there is no pain.
    """
    if request.pain or request.goal not in {"strength", "both"}:
        return None
    weeks = request.weeks_to_event
    name, reason = "linear-novice", "more load each session"
    if weeks is not None:
        name, reason = "powerlifting-peak", "percentages of your maxima up to a meet"
    found = library()[name]
    fits = (found.level, found.days_per_week) == (request.level, request.days)
    is_in_time = weeks is None or (request.goal == "strength" and weeks >= length_of(found)[0])
    catalogue = programme_catalogue()
    avoided = set(map(normalize_title, request.avoid))
    is_possible = all(
        is_allowed(request, catalogue[normalize_title(title)], avoided)
        for title in found.exercises()
    )
    if not (fits and is_in_time and is_possible) or found.minutes > request.minutes:
        return None
    return f"Published, with {reason}: spotter program show {name}"


def show_saved(path: Path) -> None:
    """Print the commands for a saved programme."""
    print_line(f"Saved. Show it with your loads: spotter program show {path}")
    print_line(f"Create its routines in Hevy: spotter program publish {path}")


def print_line(text: str) -> None:
    """Print a line as it is, without markup."""
    terminal.console.print(text, markup=False, highlight=False, soft_wrap=True)
