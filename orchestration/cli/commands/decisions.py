"""`spotter replay` and `spotter explain`: reproduce and trace a decision."""

from typing import Annotated

import typer
from pydantic import ValidationError

from coach_agent.profile.model import AthleteProfile
from coach_agent.verification.replay import LATEST, JournaledDecision, read_decision, replay
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.views import terminal
from orchestration.cli.views.decision_lineage import show_audit, show_chain, show_replay
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.planning.decision_lineage import read_chain
from orchestration.storage.lake.past import SnapshotMissingError, audit_in_lake
from orchestration.storage.warehouse import open_warehouse

_Id = Annotated[str, typer.Argument(metavar="ID", help=f'Id of a decision or plan, or "{LATEST}".')]
_CURRENT = "current"


def replay_decision(
    decision: _Id = LATEST,
    rules: Annotated[
        str | None,
        typer.Option(metavar=_CURRENT, help="Decide the same input by the current rules."),
    ] = None,
    from_lake: Annotated[
        bool,
        typer.Option(
            "--from-lake",
            help="Rebuild the input from the lake's snapshot instead.",
        ),
    ] = False,
    athlete: Athlete = None,
    as_json: AsJson = False,
) -> None:
    """Replay a decision and compare it byte for byte.

    Compares engine output, plan, sets and payloads: one changed byte in stored data is found.
    Differences are shown, and the exit code is 1. A decision of other rules can only be compared
    with the current ones: --rules current.

    With --from-lake the input is compared with the lake's snapshot of that time, kept for 30 days.
    """
    if rules not in {None, _CURRENT}:
        raise SettingsError(f"--rules {rules}: use '{_CURRENT}'.")
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
        raise SettingsError("A file has no snapshots; --from-lake needs a lake (docs/scaling.md).")
    try:
        found = audit_in_lake(settings.lake, decided)
    except SnapshotMissingError as error:
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
        typer.Argument(metavar="SLOT", help="Exercise by number or title; default: all."),
    ] = None,
    athlete: Athlete = None,
    as_json: AsJson = False,
) -> None:
    """Trace a decision from raw rows to the loads.

    Raw rows, sets, facts, rule and reason, limits, load, and the publication in Hevy.
    """
    settings = load_settings()
    profile, decided = _decision(settings, athlete, decision)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        try:
            chain = read_chain(con, decided, slot)
        except ValidationError as error:
            raise SettingsError(_version_message(decided.decision_id)) from error
    if as_json:
        print(chain.model_dump_json(indent=2))
    else:
        show_chain(terminal.console, chain, decided.unit, profile.timezone)


def _decision(
    settings: Settings, athlete: str | None, decision: str
) -> tuple[AthleteProfile, JournaledDecision]:
    """Return the decision and its athlete; an id determines both."""
    is_by_id = decision != LATEST and athlete is None
    profile = None if is_by_id else find_athlete(settings, athlete)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        try:
            decided = read_decision(con, decision, None if profile is None else profile.id)
        except ValidationError as error:
            raise SettingsError(_version_message(decision)) from error
    return profile or find_athlete(settings, decided.athlete_id), decided


def _version_message(decision_id: str) -> str:
    return (
        f"{decision_id} was written by another version of the code in a format that this one does "
        "not support: use that version."
    )
