"""The dialogue of `spotter program new`: questions first, then changes in words."""

import sys
from collections.abc import Collection
from datetime import date
from pathlib import Path

import typer

from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.catalogue import exercise_tags
from coach_agent.programmes.change_words import EXAMPLES, ChangeError
from coach_agent.programmes.changes import changed
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
_DONE = ("", "quit", "exit", "q", "done", "ok", "fine", "no")
_LIMITS = "Missing equipment or pain, as in: no barbell, left knee hurts (Enter: none)"


def is_terminal() -> bool:
    """Return whether somebody can answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def fields_of_profile(profile: AthleteProfile | None) -> set[str]:
    """Return the fields of a request that a profile states, so that no question is asked.

    What a new profile has by default is no statement: a goal of both, and a whole gym.
    """
    if profile is None:
        return set()
    found = set() if profile.goal.kind == "both" else {"goal"}
    is_limited = profile.gym.lacks or profile.pain or profile.places
    return found | ({"lacks", "pain"} if is_limited else set())


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


def with_change(history: list[ProgrammeRequest], today: date) -> ProgrammeRequest | None:
    """Ask for a change of the programme shown, the last of `history`; return None if it is fine.

    "undo" takes the last change back, also from the history.
    """
    if len(history) == 1:
        print_line(f"Change it in words: {EXAMPLES}; undo.")

    def read(text: str) -> ProgrammeRequest | None:
        word = text.strip().lower()
        if word in _DONE:
            return None
        if word != "undo":
            return _changed(history[-1], text, "{}", today)
        if len(history) == 1:
            raise typer.BadParameter("There is nothing to undo.")
        history.pop()
        return history.pop()

    while True:
        before = history[-1]
        found: ProgrammeRequest | None = typer.prompt(
            "Change (Enter: it is fine)", default="", show_default=False, value_proc=read
        )
        if found != before:
            if found is not None:
                for line in request_changes(before, found):
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
    """Return the request with the answer; the same for an empty one."""
    found: ProgrammeRequest = typer.prompt(
        question,
        default=default,
        show_default=bool(default),
        value_proc=lambda text: _changed(request, text, change, today) if text.strip() else request,
    )
    return found


def _changed(request: ProgrammeRequest, text: str, change: str, today: date) -> ProgrammeRequest:
    """Return the request with the words of an answer, alone or as the subject of a `change`.

    Raises:
        typer.BadParameter: neither is a change.
    """
    answers = [change.format(text.strip()), text.strip()]
    if len(text.split()) > 1:
        answers.reverse()
    errors = []
    for answer in answers:
        try:
            return changed(request, answer, exercise_tags(), today)
        except ChangeError as error:
            errors.append(terminal.plain(str(error)))
    raise typer.BadParameter(errors[0])
