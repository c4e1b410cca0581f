"""Run a job from the command line with progress and exit code."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import typer

from orchestration.cli.hidden_pandas import with_pandas
from orchestration.cli.views import terminal
from orchestration.config.settings import Settings
from orchestration.runs.garbage_collection import collect_rarely
from orchestration.runs.tags import MARTS
from orchestration.storage.disk import full_disk_text, is_full

if TYPE_CHECKING:
    # Dagster takes seconds to import, so other commands do not import it.
    from orchestration.runs.jobs import JobOutcome
    from orchestration.runs.status import CheckOutcome


def run_with_progress(
    name: str,
    settings: Settings,
    *,
    is_quiet: bool = False,
    athlete_id: str | None = None,
    config: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
) -> "JobOutcome":
    """Run a job and show its progress; exits with 1 or 2 on failure."""
    # Dagster and dbt leave a million objects: each full collection would traverse them.
    collect_rarely()
    if name != MARTS:
        # dbt passes no long lists, and pandas takes 43 MB.
        with_pandas()
    from orchestration.definitions import defs
    from orchestration.runs.jobs import run_job

    with terminal.step_progress(name, is_quiet=is_quiet) as on_step:
        outcome = run_job(
            defs(),
            name,
            settings,
            on_step,
            athlete_id=athlete_id,
            config=config,
            tags=tags,
            on_damage=terminal.show_damaged_history,
        )
    if not outcome.is_success:
        terminal.show_failure(outcome)
        if is_full(settings.home):
            # Dagster may have had no space to record the reason.
            terminal.show_error(full_disk_text(settings.home))
        raise typer.Exit(2 if outcome.is_user_error else 1)
    return outcome


def exit_on_failed_checks(checks: "Iterable[CheckOutcome]") -> None:
    """Exit with an error if a completed run has failed checks of severity error."""
    errors = [check for check in checks if check.is_error]
    for check in errors:
        terminal.show_error(check.text)
    if errors:
        raise typer.Exit(2 if all(check.check == "profile" for check in errors) else 1)
