"""Commands on publications: list, diff, approve, reject and roll back."""

import json
from dataclasses import asdict
from typing import Annotated, Any

import duckdb
import typer

from coach_agent.journal.publications import events_of, publications_of
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.states import PublicationRow
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.run_job import run_with_progress
from orchestration.cli.views import terminal
from orchestration.cli.views.changes import show_changes
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.publishing import approve as approvals
from orchestration.services.publishing.athlete_publisher import PublicationOutcome
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.plan import state_text

Id = Annotated[
    str,
    typer.Argument(metavar="ID", help="Id of a publication or plan, or latest."),
]

_MOST_SHOWN = 20


def show_publications(
    athlete: Athlete = None,
    everything: Annotated[
        bool, typer.Option("--all", help=f"Show more than the latest {_MOST_SHOWN}.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List publications, newest first.

    With --json including every event.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        rows = publications_of(con, profile.id)[: None if everything else _MOST_SHOWN]
        if as_json:
            print(json.dumps([_row_report(con, row) for row in rows], indent=2, default=str))
            return
    if not rows:
        terminal.console.print("Nothing was published or shown yet. Run: spotter run")
    for row in rows:
        _show(row)


def show_diff(name: Id, athlete: Athlete = None, as_json: AsJson = False) -> None:
    """Show the changes of a publication in Hevy."""
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        row = approvals.find_publication(publications_of(con, profile.id), name)
        told = _row_report(con, row)
    if as_json:
        bodies = {"base": row.base and row.base.put_body()["routine"]}
        bodies["request"] = row.request and row.request.put_body()["routine"]
        print(json.dumps({**told, **bodies}, indent=2, default=str))
        return
    _show(row)
    _show_changes(row, profile)


def approve_plan(
    name: Annotated[str, typer.Argument(metavar="ID", help="Plan id, or latest.")] = "latest",
    athlete: Athlete = None,
) -> None:
    """Publish the pending plan now.

    For publish.mode = "approve".
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    outcome = approvals.approve(settings, profile, name)
    _show_outcome(outcome, profile)
    if outcome.was_sent:
        _build_marts(settings)


def reject_plan(
    name: Annotated[str, typer.Argument(metavar="ID", help="Plan id, or latest.")],
    reason: Annotated[
        str, typer.Option("--because", metavar="TEXT", help="Reason, which the coach considers.")
    ],
    athlete: Athlete = None,
) -> None:
    """Reject a plan with a reason.

    It is not published; the next one comes with newer data.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    row = approvals.reject(settings, profile, name, reason)
    terminal.console.print(
        f"Rejected: {row.publication_id}. The next plan comes with newer data.", soft_wrap=True
    )


def roll_back(
    name: Id,
    athlete: Athlete = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the changes without sending.")
    ] = False,
) -> None:
    """Restore a routine to its previous state.

    Your later edits are kept. Later publications of that routine are rolled back with it. The
    rollback is a publication itself and can be rolled back; a rolled back plan is never published
    again.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    row = approvals.roll_back(settings, profile, name, is_dry_run=dry_run)
    title = row.request.title if row.request else row.routine_id
    heading = "would change in Hevy" if dry_run else "changed in Hevy"
    show_changes(title, row.changes, profile.gym.unit, heading)
    if not dry_run:
        _show(row)
        _fail_unless_done(row.state, row.detail)
        _build_marts(settings)


def _build_marts(settings: Settings) -> None:
    """Build the marts, so that the publication is part of the history immediately."""
    terminal.show_warnings(run_with_progress("marts", settings))


def _row_report(con: duckdb.DuckDBPyConnection, row: PublicationRow) -> dict[str, Any]:
    hidden = {"base", "request", "is_new", "changes", "number"}
    told = {name: value for name, value in vars(row).items() if name not in hidden}
    return {
        **told,
        "changes": [asdict(change) for change in row.changes],
        "events": [asdict(event) for event in events_of(con, row.publication_id)],
    }


def _show(row: PublicationRow) -> None:
    title = row.request.title if row.request else row.routine_id
    when = f"{row.finished_at or row.staged_at:%Y-%m-%d %H:%M} UTC"
    kind = f", takes back {row.rolls_back}" if row.rolls_back else ""
    state = "rolled_back" if row.rolled_back_by else row.state
    terminal.console.print(
        f"{row.publication_id}  {title}{kind}", soft_wrap=True, markup=False, highlight=False
    )
    terminal.console.print(
        f"    {when}  {state_text(state)}", style="dim", markup=False, highlight=False
    )
    if row.detail:
        terminal.console.print(f"    {row.detail}", markup=False, highlight=False)


def _show_changes(row: PublicationRow, profile: AthleteProfile) -> None:
    title = row.request.title if row.request else row.routine_id
    is_done = row.state == "published"
    heading = "changed in Hevy" if is_done else "would change in Hevy"
    if row.changes:
        show_changes(title, row.changes, profile.gym.unit, heading)
    else:
        terminal.console.print("It changes nothing.")


def _show_outcome(outcome: PublicationOutcome, profile: AthleteProfile) -> None:
    _fail_unless_done(outcome.state, outcome.problem or "")
    show_changes(outcome.routine_title, outcome.changes, profile.gym.unit)


def _fail_unless_done(state: str | None, detail: str) -> None:
    if state not in {"published", "unchanged"}:
        raise SettingsError(detail or f"It is not published: {state}.")
