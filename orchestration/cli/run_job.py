"""Running a job from the command line: progress while it runs, and an exit code that tells."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import typer

from orchestration.cli.views import terminal
from orchestration.config.settings import Settings
from orchestration.storage.disk import full_disk_text, is_full

if TYPE_CHECKING:
    # Dagster takes seconds to import, so commands that do without it never do.
    from orchestration.runs.jobs import JobOutcome
    from orchestration.runs.status import CheckOutcome


def run_shown(
    name: str,
    settings: Settings,
    *,
    is_quiet: bool = False,
    athlete_id: str | None = None,
    config: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
    code_of: "Callable[[JobOutcome], int | None] | None" = None,
) -> "JobOutcome":
    """Run a job and show what it does; a failed one ends the command with 1 or 2.

    `code_of` may know another code for a failed one.
    """
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
            # Dagster may have had no room to record why.
            terminal.show_error(full_disk_text(settings.home))
        special = code_of(outcome) if code_of is not None else None
        raise typer.Exit(special or (2 if outcome.is_users_to_mend else 1))
    return outcome


def end_as_found(checks: "Iterable[CheckOutcome]") -> None:
    """End a command whose run went through, although something may have failed for everybody."""
    errors = [check for check in checks if check.is_error]
    for check in errors:
        terminal.show_error(check.text)
    if errors:
        raise typer.Exit(2 if all(check.check == "profile" for check in errors) else 1)
