"""`spotter plan show` and `spotter plan schema`."""

import json
from datetime import UTC, datetime
from typing import Annotated

import typer

from coach_agent.domain.days import local_date
from coach_agent.journal.current_plans import JournaledPlan, PlanReport, read_current_plans
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.check_ins import read_red_flags_of
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.lazy import lazy_group
from orchestration.cli.views import terminal
from orchestration.config.athletes import configured_athletes, find_athlete
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.briefing.readiness import read_readiness_of
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.plan import show_plan
from orchestration.text.readiness import Readiness

_PLACES = {
    "show": ("plan:plan_show", "Show the next workout and the last one."),
    "schema": ("plan:plan_schema", "Print the JSON Schema of `spotter plan show --json`."),
    "approve": ("publications:approve_plan", "Publish the pending plan now."),
    "reject": ("publications:reject_plan", "Reject a plan with a reason."),
    "prompt": ("language_model:plan_prompt", "Print the prompt for the next workout."),
    "compare": ("language_model:plan_compare", "Compare the plans of rules and language model."),
}

plan_app = typer.Typer(
    help="Show, approve or reject the next workout.",
    no_args_is_help=True,
    cls=lazy_group(_PLACES),
)


def plan_show(
    athlete: Athlete = None,
    why: Annotated[
        bool, typer.Option("--why", help="Show all reasons, limits and predictions.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the next workout and the last one.

    Percents are the chance to reach the target. With --json in the format of `spotter plan schema`.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    journaled = current_plans(settings).get(profile.id)
    if journaled is None:
        raise SettingsError(_why_no_plan(profile, settings))
    if as_json:
        print(json.dumps(journaled.summary(), indent=2))
    else:
        now = datetime.now(UTC)
        readiness = _recovery(profile, settings, now)
        show_plan(terminal.console, profile, journaled, why=why, now=now, readiness=readiness)


def plan_schema() -> None:
    """Print the JSON Schema of `spotter plan show --json`."""
    print(json.dumps(PlanReport.model_json_schema(), indent=2))


def current_plans(settings: Settings) -> dict[str, JournaledPlan]:
    """Return the active plans of configured athletes by athlete; none with a red flag."""
    athletes = configured_athletes(settings)
    configured = {athlete.id for athlete in athletes}
    with open_warehouse(settings.warehouse, read_only=True) as con:
        plans = read_current_plans(con)
        stopped = read_red_flags_of(con, athletes, datetime.now(UTC))
    shown = configured - stopped.keys()
    return {athlete: plan for athlete, plan in plans.items() if athlete in shown}


def show_plan_of(
    profile: AthleteProfile, journaled: JournaledPlan | None, settings: Settings
) -> None:
    """Print the athlete's plan, or the reason for a missing one if there is an account."""
    if journaled is not None:
        show_plan(terminal.console, profile, journaled, now=datetime.now(UTC))
    elif profile.hevy.account != "none":
        terminal.console.print(f"{profile.id}: {_why_no_plan(profile, settings)}", markup=False)


def _recovery(profile: AthleteProfile, settings: Settings, now: datetime) -> Readiness | None:
    """Return the recovery of today or yesterday; None without one, or where it is not shown."""
    if not profile.recovery.show:
        return None
    days = {profile.id: local_date(now, profile.timezone)}
    with open_warehouse(settings.warehouse, read_only=True) as con:
        return read_readiness_of(con, days).get(profile.id)


def _why_no_plan(profile: AthleteProfile, settings: Settings) -> str:
    # Only a missing plan needs the rules.
    from orchestration.services.planning.plan import known_situation, why_no_plan

    with open_warehouse(settings.warehouse, read_only=True) as con:
        return why_no_plan(profile, known_situation(con, profile, datetime.now(UTC)))
