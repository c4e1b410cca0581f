"""`spotter replay` and `spotter explain`: what a decision was made from, and whether it holds."""

from typing import Annotated

import typer
from pydantic import ValidationError

from coach_agent.profile.model import AthleteProfile
from coach_agent.verification.replay import LATEST, JournaledDecision, read_decision, replay
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.views import terminal
from orchestration.cli.views.decision_lineage import show_audit, show_chain, show_replay
from orchestration.config.athletes import athlete_named
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.decision_lineage import read_chain
from orchestration.storage.lake.past import PastUnknownError, audit_in_lake
from orchestration.storage.warehouse import open_warehouse

_Id = Annotated[
    str, typer.Argument(metavar="ID", help=f'Of a decision or its plan, or "{LATEST}".')
]
_CURRENT = "current"


def replay_decision(
    decision: _Id = LATEST,
    rules: Annotated[
        str | None,
        typer.Option(metavar=_CURRENT, help="Show what today's rules say to the same input."),
    ] = None,
    from_lake: Annotated[
        bool,
        typer.Option(
            "--from-lake",
            help="Make the input again instead, from the tables of a lake as they were then.",
        ),
    ] = False,
    athlete: Athlete = None,
    as_json: AsJson = False,
) -> None:
    """Make a decision again and compare it byte for byte: engine, plan, sets, what was sent.

    One changed byte in the stored input, answer, plan, sets or payloads is found. If anything
    differs, it is shown, and the command ends with code 1. What other rules decided can only be
    held against today's: --rules current.

    With --from-lake it is the input that is held against what the lake had at that moment, which
    it remembers for 30 days.
    """
    if rules not in {None, _CURRENT}:
        raise SettingsError(f"--rules {rules}: only '{_CURRENT}' is there to choose.")
    if rules and from_lake:
        raise SettingsError("Choose one of --rules and --from-lake.")
    settings = load_settings()
    profile, decided = _decision(settings, athlete, decision)
    if from_lake:
        _audit(settings, decided, profile.timezone, as_json=as_json)
        return
    found = replay(decided, with_current_rules=rules == _CURRENT)
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        show_replay(terminal.console, found, profile.timezone)
    is_compared = found.verdict == "other_rules" and found.replayed is not None
    if found.verdict not in {"equal", "same_plan"} and not is_compared:
        raise typer.Exit(1)


def _audit(settings: Settings, decided: JournaledDecision, timezone: str, *, as_json: bool) -> None:
    if settings.lake is None:
        raise SettingsError(
            "A file remembers no moment of before; --from-lake needs a lake (docs/scaling.md)."
        )
    try:
        found = audit_in_lake(settings.lake, decided)
    except PastUnknownError as error:
        raise SettingsError(str(error)) from error
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        show_audit(terminal.console, decided, found, timezone)
    if found.verdict != "equal":
        raise typer.Exit(1)


def explain(
    decision: _Id = LATEST,
    slot: Annotated[
        str | None,
        typer.Argument(metavar="SLOT", help="One exercise: its number in the plan or its title."),
    ] = None,
    athlete: Athlete = None,
    as_json: AsJson = False,
) -> None:
    """Tell the whole way from what was recorded to the weight on the bar, with every row.

    Raw rows, sets, what they show, rule and reason, limits, load, and what became of it in Hevy.
    """
    settings = load_settings()
    profile, decided = _decision(settings, athlete, decision)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        try:
            chain = read_chain(con, decided, slot)
        except ValidationError as error:
            raise SettingsError(_of_another_version(decided.decision_id)) from error
    if as_json:
        print(chain.model_dump_json(indent=2))
    else:
        show_chain(terminal.console, chain, decided.unit, profile.timezone)


def _decision(
    settings: Settings, athlete: str | None, decision: str
) -> tuple[AthleteProfile, JournaledDecision]:
    """The decision and whose it is: an id says that itself."""
    is_by_id = decision != LATEST and athlete is None
    profile = None if is_by_id else athlete_named(settings, athlete)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        try:
            decided = read_decision(con, decision, None if profile is None else profile.id)
        except ValidationError as error:
            raise SettingsError(_of_another_version(decision)) from error
    return profile or athlete_named(settings, decided.athlete_id), decided


def _of_another_version(decision_id: str) -> str:
    return (
        f"{decision_id} was written by another version of the code in a form that this one does "
        "not know: ask that version."
    )
