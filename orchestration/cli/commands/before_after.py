"""`spotter before-after`: plans against results, and trends before and after the first plan."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import typer

from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.views import terminal
from orchestration.cli.views.json_output import format_json
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.evaluation.coached_training import (
    first_plan,
    read_e1rms,
    read_planned_sets,
)
from orchestration.services.queries.sql_session import open_release


def before_after(
    athlete: Athlete = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            help="Split date; default: first workout after the first plan.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare trends before and after the first plan.

    Also compares plans with results. Placebo dates show the variation by chance. The report states
    when data are insufficient, and never a cause of a difference: docs/evaluation.md
    """
    # numpy is slow to import, so other commands do not import it.
    from coach_agent.evaluation import before_after as comparing
    from coach_agent.evaluation.plan_outcomes import compliance, prediction_error
    from orchestration.cli.views.before_after import Report, show_report

    settings = load_settings()
    profile = find_athlete(settings, athlete)
    with open_release(settings.release_path) as con:
        exposures = read_e1rms(con, profile.id)
        if not exposures:
            raise SettingsError(
                f"The released marts have no lift of '{profile.id}' with a load. Run: spotter run"
            )
        first = first_plan(con, profile.id)
        if since is not None:
            day = since.date()
            last = max(exposure.day for exposure in exposures)
            if day > last:
                raise SettingsError(
                    f"No lift of '{profile.id}' is from {day} or later; the last is from {last}. "
                    "Give an earlier date to compare with: --since YYYY-MM-DD"
                )
        elif first is not None:
            day = first.day
        else:
            raise SettingsError(
                f"No plan of '{profile.id}' was published yet. Give the date to compare with: "
                "--since YYYY-MM-DD"
            )
        planned = read_planned_sets(con, profile.id, day)
    with terminal.error_console.status("comparing with placebo dates"):
        trend = comparing.before_after(exposures, day)
    report = Report(
        athlete_id=profile.id,
        since=day,
        is_given=since is not None,
        first_published_at=None if first is None else first.published_at,
        predictions=prediction_error(planned),
        compliance=compliance(planned),
        trend=trend,
    )
    if as_json:
        print(format_json(asdict(report)))
    else:
        show_report(terminal.console, report)
