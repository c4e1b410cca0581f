"""The dialogue of `spotter program new`: questions first, then changes in words."""

import sys
from collections.abc import Collection
from datetime import date
from pathlib import Path

import typer

from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.catalogue import exercise_tags
from coach_agent.programmes.changes import ChangeError, changed
from coach_agent.programmes.model import Programme
from coach_agent.programmes.request import ProgrammeRequest
from orchestration.cli.views import terminal
from orchestration.cli.views.programme import print_line, show_saved
from orchestration.config.settings import SettingsError
from orchestration.services.programmes.follow_programme import save_programme
from orchestration.text.programme import request_changes

# Field of the request, question, and the change that an answer is.
_QUESTIONS = (
    ("days", "Training days a week", "{} days"),
    ("minutes", "Minutes of the longest session", "{} minutes"),
    ("goal", "Goal: strength, hypertrophy, health or both", "{}"),
    ("level", "Experience: novice, intermediate or advanced", "{}"),
)
_CHANGE = "Change it, as in: no barbell rows, 4 days (Enter: it is fine)"
_LIMITS = "Missing equipment or pain, as in: no barbell, left knee hurts (Enter: none)"


def is_terminal() -> bool:
    """Return whether somebody can answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def fields_of_profile(profile: AthleteProfile | None) -> set[str]:
    """Return the fields of a request that a profile states, so that no question is asked."""
    if profile is None:
        return set()
    stated = profile.model_fields_set
    found = {"goal"} if "goal" in stated else set()
    return found | ({"lacks", "pain"} if stated & {"equipment", "places", "pain"} else set())


def with_answers(
    request: ProgrammeRequest, known: Collection[str], today: date
) -> tuple[ProgrammeRequest, set[str]]:
    """Ask for each field that is not known; return the request, and the fields asked for."""
    asked = set()
    for field, question, change in _QUESTIONS:
        if field in known:
            continue
        default = str(getattr(request, field))
        request = _ask(request, question, default, change, today)
        asked.add(field)
    if not {"lacks", "pain"} & set(known):
        request = _ask(request, _LIMITS, "", "{}", today)
    return request, asked


def with_change(request: ProgrammeRequest, today: date) -> ProgrammeRequest | None:
    """Ask for a change of the programme shown; return None if there is none."""
    while True:
        found = _ask(request, _CHANGE, "", "{}", today)
        if found is request:
            return None
        if found != request:
            for line in request_changes(request, found):
                print_line(f"- {line}")
            return found
        print_line("That is so already.")


def with_changes(
    request: ProgrammeRequest, texts: Collection[str], today: date
) -> ProgrammeRequest:
    """Return the request with the changes of `--change`; SettingsError if one is not understood."""
    try:
        for text in texts:
            request = changed(request, text, exercise_tags(), today)
    except ChangeError as error:
        raise SettingsError(f"--change: {error}") from error
    return request


def save_if_wanted(programme: Programme) -> None:
    """Ask for a file name until the programme is saved, or none is given."""

    def save(text: str) -> Path | None:
        if not text.strip():
            return None
        path = Path(text.strip()).expanduser()
        try:
            save_programme(programme, path)
        except SettingsError as error:
            raise typer.BadParameter(str(error)) from error
        return path

    path: Path | None = typer.prompt(
        "Save as, for example mine.toml (Enter: not)",
        default="",
        show_default=False,
        value_proc=save,
    )
    if path is not None:
        show_saved(path)


def _ask(
    request: ProgrammeRequest, question: str, default: str, change: str, today: date
) -> ProgrammeRequest:
    """Return the request with the answer; the same object for an empty one."""

    def read(text: str) -> ProgrammeRequest:
        if not text.strip():
            return request
        try:
            return changed(request, change.format(text.strip()), exercise_tags(), today)
        except ChangeError as error:
            raise typer.BadParameter(terminal.plain(str(error))) from error

    found: ProgrammeRequest = typer.prompt(
        question, default=default, show_default=bool(default), value_proc=read
    )
    return found
