"""`spotter run`, `spotter sync` and `spotter demo`: run a job and print the result."""

import json
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal

import typer

from coach_agent.journal.current_plans import JournaledPlan
from coach_agent.llm.ledger import read_calls
from coach_agent.profile.model import AthleteProfile
from orchestration.cli.commands.options import AsJson
from orchestration.cli.commands.plan import current_plans, show_plan_of
from orchestration.cli.run_job import exit_on_failed_checks, run_with_progress
from orchestration.cli.views import terminal
from orchestration.cli.views.changes import show_changes, show_differences
from orchestration.config.athletes import configured_athletes, find_athlete
from orchestration.config.settings import Settings, load_settings
from orchestration.runs.lock import COMMANDS_RUN, is_run_owner, run_lock
from orchestration.runs.tags import DELETIONS_TAG
from orchestration.services.operations.last_night import LastNight, unchanged_night
from orchestration.storage.file_lock import LockedError
from orchestration.storage.warehouse import WarehouseMissingError, open_warehouse

_NO_NEWS = "No new data: the plans are unchanged, nothing was sent to Hevy."


def run(
    accept_deletions: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="Accept deleted history of this athlete; repeatable.",
        ),
    ] = None,
    athlete: Annotated[
        str | None, typer.Option(metavar="ID", help="Athlete; default: all.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Run all steps, also without changes.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for a run in progress.")] = False,
    workers: Annotated[int | None, typer.Option(hidden=True, help="Removed.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run the nightly job now.

    Reads Hevy, builds the marts, decides and publishes for every athlete in athletes/. Idempotent:
    known data are not read again, and a plan is published once. --accept-deletions is for an
    athlete with half of the history or more deleted on purpose.

    If neither data, profiles, settings, code nor the day changed since a complete run, no step
    runs. All steps run if the known data are too old to publish.
    """
    if workers is not None:
        raise typer.BadParameter(
            "It was removed: Dagster runs partitions of the athletes concurrently. Set "
            "SPOTTER_PARTITIONS, see docs/scaling.md; or leave the option out.",
            param_hint="--workers",
        )
    settings = load_settings()
    profiles = configured_athletes(settings)
    if athlete is not None:
        profiles = (find_athlete(settings, athlete),)
    accepted = ",".join(find_athlete(settings, each).id for each in accept_deletions or ())
    try:
        with run_lock(settings.home, COMMANDS_RUN, is_waiting=wait):
            if not (force or accepted):
                night = _unchanged_night(settings, profiles)
                if night is not None:
                    _show_unchanged(night, settings, profiles, as_json=as_json)
                    return
            outcome = run_with_progress(
                "nightly",
                settings,
                is_quiet=as_json,
                athlete_id=athlete,
                tags={DELETIONS_TAG: accepted} if accepted else None,
            )
    except LockedError as busy:
        if accepted or not is_run_owner(busy.holder):
            raise
        _show_run_in_progress(busy.holder, as_json=as_json)
        return
    plans = _plans_of(profiles, settings)
    if as_json:
        _print_report(
            outcome.run_id,
            plans,
            is_unchanged=False,
            new_raw_rows=outcome.new_raw_rows,
            sent_to_hevy=outcome.sent_count,
            warnings=[check.text for check in outcome.failed_checks],
            seconds=outcome.seconds,
        )
    else:
        terminal.show_intake(outcome)
        terminal.show_warnings(outcome)
        for profile in profiles:
            show_plan_of(profile, plans.get(profile.id), settings)
        if not outcome.has_news:
            terminal.console.print(_NO_NEWS)
    exit_on_failed_checks(outcome.failed_checks)


def _show_run_in_progress(holder: str, *, as_json: bool) -> None:
    """Report that no run was started because one is in progress."""
    if as_json:
        print(json.dumps({"run_id": None, "under_way": holder}, indent=2))
        return
    terminal.console.print(
        f"A run is in progress: {holder}; nothing was started. It does the same, unless Dagster "
        "started it for some athletes only.",
        soft_wrap=True,
    )


def _unchanged_night(settings: Settings, profiles: Sequence[AthleteProfile]) -> LastNight | None:
    """Return the complete run that another run would repeat; None if there is anything to do."""
    now = datetime.now(UTC)
    try:
        with open_warehouse(settings.warehouse, read_only=True) as con:
            night = unchanged_night(con, settings, now)
    except WarehouseMissingError:
        return None
    if night is None:
        return None
    # Takes longer to import than the comparison above.
    from orchestration.services.ingestion.account_news import have_news

    return None if have_news(settings, profiles, now) else night


def _show_unchanged(
    night: LastNight,
    settings: Settings,
    profiles: Sequence[AthleteProfile],
    *,
    as_json: bool,
) -> None:
    """Print the plans of an unchanged home, and that no step ran."""
    plans = _plans_of(profiles, settings)
    if as_json:
        _print_report(night.run_id, plans, is_unchanged=True)
        return
    for profile in profiles:
        show_plan_of(profile, plans.get(profile.id), settings)
    terminal.console.print(
        f"{_NO_NEWS}\nNothing changed since the run {night.run_id[:8]}, so no step ran. "
        "To run all steps: spotter run --force",
        soft_wrap=True,
    )


def _plans_of(profiles: Sequence[AthleteProfile], settings: Settings) -> dict[str, JournaledPlan]:
    """Return the active plans of these athletes by athlete."""
    ids = {profile.id for profile in profiles}
    return {athlete: plan for athlete, plan in current_plans(settings).items() if athlete in ids}


def _print_report(
    run_id: str,
    plans: Mapping[str, JournaledPlan],
    *,
    is_unchanged: bool,
    new_raw_rows: int = 0,
    sent_to_hevy: int = 0,
    warnings: Sequence[str] = (),
    seconds: Mapping[str, float] | None = None,
) -> None:
    """Print the result of a run as JSON; `seconds` are those of each step."""
    report = {
        "run_id": run_id,
        "is_unchanged": is_unchanged,
        "new_raw_rows": new_raw_rows,
        "sent_to_hevy": sent_to_hevy,
        "plans": {athlete: journaled.summary() for athlete, journaled in plans.items()},
        "warnings": list(warnings),
        "seconds": dict(seconds or {}),
    }
    print(json.dumps(report, indent=2))


def sync(
    full: Annotated[
        bool, typer.Option("--full", help="Read everything, not only changes.")
    ] = False,
    athlete: Annotated[
        str | None, typer.Option(metavar="ID", help="Athlete; default: all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Update the raw tables from Hevy.

    Shows every difference. Nothing is decided or published; the next run builds the marts.
    """
    from hevy_connector.raw.differences import read_differences

    settings = load_settings()
    configured_athletes(settings)
    athlete_id = None if athlete is None else find_athlete(settings, athlete).id
    outcome = run_with_progress(
        "sync",
        settings,
        is_quiet=as_json,
        athlete_id=athlete_id,
        config={"raw__hevy_workouts": {"full": full}},
    )
    with open_warehouse(settings.warehouse, read_only=True) as con:
        differences = read_differences(con, outcome.run_id)
    if as_json:
        report = {
            "run_id": outcome.run_id,
            "full": full,
            "differences": [difference.summary() for difference in differences],
            "warnings": [check.text for check in outcome.failed_checks],
        }
        print(json.dumps(report, indent=2))
    else:
        terminal.show_intake(outcome)
        terminal.show_warnings(outcome)
        show_differences(differences)
    exit_on_failed_checks(outcome.failed_checks)


def demo(
    llm: Annotated[
        Literal["none", "fake"],
        typer.Option(help="Use a fake language model on this machine."),
    ] = "none",
    target: Annotated[
        Literal["embedded", "lake"],
        typer.Option(help="Warehouse: file, or lake with local PostgreSQL."),
    ] = "embedded",
) -> None:
    """Run the nightly job against the simulator.

    It uses a separate home and prints all results.
    """
    from coach_agent.programmes.builder import build
    from orchestration.services.operations.demo import simulated_home
    from orchestration.services.programmes.exercise_catalogue import (
        programme_catalogue,
    )
    from orchestration.services.programmes.follow_programme import request_of
    from orchestration.text.programme import built_line

    started = time.monotonic()
    home = simulated_home("demo", has_model=llm == "fake", has_lake=target == "lake")
    with home as (settings, _):
        outcome = run_with_progress("nightly", settings)
        terminal.show_intake(outcome)
        terminal.show_warnings(outcome)
        plans = current_plans(settings)
        for profile in configured_athletes(settings):
            journaled = plans.get(profile.id)
            show_plan_of(profile, journaled, settings)
            if journaled is not None:
                plan = journaled.plan
                show_changes(plan.routine_title, journaled.changes, plan.load_unit)
            request = request_of(profile, datetime.now(UTC).date())
            built = build(request, programme_catalogue())
            terminal.console.print(f"\n{built_line(profile.name, built)}", soft_wrap=True)
        if llm == "fake":
            terminal.console.print(f"\n{_requests(settings)}", soft_wrap=True)
    terminal.console.print("Build yours: spotter program new. Try it on your log: spotter what-if")
    terminal.console.print(f"\nMarts: {settings.release_path}", soft_wrap=True)
    terminal.console.print("Dagster UI with the same athlete: make dev")
    terminal.show_seconds(outcome, time.monotonic() - started)
    exit_on_failed_checks(outcome.failed_checks)


def _requests(settings: Settings) -> str:
    """Format the ledger of language models, one line per request."""
    with open_warehouse(settings.warehouse, read_only=True) as con:
        rows = read_calls(con)
    if not rows:
        return "No language model was asked."
    return "\n".join(
        f"{call}: asked {model} ({outcome}), {read} tokens read, {written} written, "
        + ("at no known price." if cost is None else f"for {cost:.5f} USD.")
        for call, model, outcome, read, written, cost in rows
    )
