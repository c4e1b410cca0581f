"""`spotter ask`: answer a question about your training, and decide about proposals."""

import json
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

import typer
from rich.text import Text

from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.views import terminal
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import Settings, load_settings
from orchestration.services.answers.ask import ask
from orchestration.services.answers.ask_model import answer_question
from orchestration.services.answers.proposals import accept, refuse, shown_proposals
from orchestration.services.answers.training import read_training
from orchestration.services.memory.memories import current_memories
from orchestration.services.releases.released import require_current_release
from orchestration.services.search.search import search
from orchestration.storage.warehouse import open_warehouse


def ask_question(
    question: Annotated[str | None, typer.Argument(help="Question in your own words.")] = None,
    athlete: Athlete = None,
    sources: Annotated[
        bool, typer.Option("--sources", help="Show the source row of each number.")
    ] = False,
    by_rules: Annotated[bool, typer.Option("--rules", help="Do not ask a language model.")] = False,
    proposals: Annotated[
        bool, typer.Option("--proposals", help="List the open proposals.")
    ] = False,
    accepted: Annotated[
        int | None, typer.Option("--accept", metavar="NUMBER", help="Carry out a proposal.")
    ] = None,
    refused: Annotated[
        int | None, typer.Option("--refuse", metavar="NUMBER", help="Drop a proposal.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question about your training.

    Rules recognise the question, and every number comes from the released marts: the next workout
    and its reasons, progress, records, volume, the last time, training days, doubted data and
    publications. Memories and notes come from the warehouse. A question that rules do not
    understand goes to the language model of the profile, which selects among such answers; without
    one it gets examples, never a guess.

    A wish such as "swap bench for dips" becomes a proposal: nothing is done until you accept it.
    """
    if sum((question is not None, proposals, accepted is not None, refused is not None)) != 1:
        raise typer.BadParameter("Give a question, or one of --proposals, --accept and --refuse.")
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    if question is None:
        _decide(settings, profile.id, accepted, refused, as_json=as_json)
        return
    released = require_current_release(settings.release_folder)
    known = partial(current_memories, settings.warehouse, profile)
    found = partial(search, settings, profile)
    training = read_training(released, profile.id, profile, datetime.now(UTC), known, found)
    if by_rules:
        reply = ask(training, question)
    else:
        with terminal.step_progress("Reading your training", is_quiet=as_json):
            reply = answer_question(
                settings, profile, training, question, lambda: datetime.now(UTC)
            )
    if as_json:
        print(reply.model_dump_json(indent=2))
        return
    style = "bold red" if reply.status == "stop" else ""
    terminal.console.print(Text(reply.text, style=style), soft_wrap=True, highlight=False)
    if reply.status == "answered" and reply.answered_by != "rules":
        line = f"Selected by {reply.answered_by} among the coach's answers."
        terminal.console.print(Text(line, style="dim"), soft_wrap=True, highlight=False)
    if reply.note is not None:
        terminal.console.print(Text(reply.note, style="yellow"), soft_wrap=True, highlight=False)
    for fact in reply.facts if sources else ():
        line = f"  {fact.shown}: {fact.source.text}"
        terminal.console.print(Text(line, style="dim"), soft_wrap=True, highlight=False)


def _decide(
    settings: Settings, athlete_id: str, accepted: int | None, refused: int | None, *, as_json: bool
) -> None:
    """Accept or refuse a proposal, or list the open ones."""
    if accepted is not None:
        # The error of a failed command is printed once, at the end.
        accept(
            settings,
            athlete_id,
            accepted,
            lambda line: None if line.startswith("Error: ") else _print(line),
            lambda: datetime.now(UTC),
        )
        _print(f"Proposal {accepted} is done.")
    elif refused is not None:
        refuse(settings, athlete_id, refused, datetime.now(UTC))
        _print(f"Proposal {refused} is dropped; nothing was done.")
    else:
        with open_warehouse(settings.warehouse, read_only=True) as con:
            found = shown_proposals(con, athlete_id, datetime.now(UTC))
        if as_json:
            print(json.dumps([each.model_dump(mode="json") for each in found], indent=2))
            return
        for each in found:
            _print(f"{each.proposal.number}. {each.text} {each.problem or ''}".rstrip())
        if not found:
            _print("No proposal is open.")


def _print(line: str) -> None:
    terminal.console.print(Text(line), soft_wrap=True, highlight=False)
