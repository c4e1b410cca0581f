"""`spotter status`: freshness, failures, pending plans, cost and disk."""

from datetime import UTC, datetime

import typer

from orchestration.cli.commands.options import AsJson
from orchestration.cli.errors import USER_ERRORS, UnknownStatusError
from orchestration.cli.views import terminal
from orchestration.cli.views.status import show_status
from orchestration.config.athletes import configured_athletes
from orchestration.config.settings import Settings, load_settings
from orchestration.runs.infrastructure_errors import remedy
from orchestration.runs.status import HistoryLostError
from orchestration.services.operations.status import Status, read_status
from orchestration.storage.disk import is_full


def status(as_json: AsJson = False) -> None:
    """Show freshness, failures, pending plans, cost and disk.

    Exits with 0 if all is well, 1 if something is stale, missing, failed or has warnings, and 2 if
    the status cannot be determined or a damaged history was moved away.
    """
    settings = load_settings()
    try:
        found = _read_status(settings)
    except (*USER_ERRORS, HistoryLostError):
        raise
    except Exception as error:
        if is_full(settings.home) or remedy(error) is not None:
            raise
        # Monitors interpret 1 as a result, so an unexpected error must not exit with it.
        told = str(error).strip().splitlines() or [type(error).__name__]
        raise UnknownStatusError(
            f"The status cannot be determined: {told[0]}. Check that you own the home "
            f"{settings.home}, or check for damage: spotter doctor"
        ) from error
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        show_status(found)
    from orchestration.runs.history_health import quarantine_folders

    if aside := quarantine_folders(settings):
        for folder in aside:
            terminal.show_error(terminal.damaged_history_text(folder))
        raise typer.Exit(2)
    if found.problems:
        raise typer.Exit(1)


def _read_status(settings: Settings) -> Status:
    from orchestration.runs.history import recent_runs

    athletes = configured_athletes(settings)
    runs = recent_runs(settings, [athlete.id for athlete in athletes])
    return read_status(settings, athletes, runs, datetime.now(UTC))
