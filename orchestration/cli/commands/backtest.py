"""`spotter backtest`: accuracy of the engine's forecasts on past training."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, get_args

import typer

from coach_agent.evaluation.exposures import TrainingLog
from coach_agent.evaluation.gate import verdicts
from coach_agent.evaluation.recovery import RecoveryBenefit, benefit_of_recovery
from coach_agent.evaluation.report import Cases, all_cases, backtest, case_count
from coach_agent.evaluation.safety import Safety, safety_of
from hevy_connector.csv_imports.dialects import DistanceUnit, Unit
from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.cli.views.backtest import markdown, rich_table, tables_of
from orchestration.cli.views.json_output import format_json
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.evaluation.training_logs import athlete_log, read_log, readiness_states
from orchestration.storage.warehouse import open_warehouse


@dataclass(frozen=True)
class _Recovery:
    """Readiness of an athlete's days, and the time zone of the days."""

    athlete_id: str
    timezone: str
    states: Mapping[date, str]


def show_backtest(
    csv: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE[:UNIT]",
            help="Export file with optional unit, strong.csv:lb; repeatable.",
        ),
    ] = None,
    athlete: Annotated[
        str | None, typer.Option(metavar="ID", help="Athlete in the warehouse.")
    ] = None,
    weight_unit: Annotated[
        Unit | None, typer.Option(help="Weight unit of files without units.")
    ] = None,
    distance_unit: Annotated[
        DistanceUnit | None, typer.Option(help="Distance unit of files without units.")
    ] = None,
    plots: Annotated[
        Path | None,
        typer.Option(metavar="DIR", file_okay=False, help="Write plots as PNG to this folder."),
    ] = None,
    with_safety: Annotated[
        bool,
        typer.Option("--safety", help="Count limit violations in replanned sessions (slow)."),
    ] = False,
    is_gate: Annotated[
        bool,
        typer.Option("--gate", help="Exit with 1 if a release limit fails."),
    ] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown instead of tables.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare the engine's forecasts with past sessions.

    Each session is forecast from the data before it. Simple forecasts, such as repeating the last
    session, are baselines that are hard to beat. Nothing is written and nothing leaves the machine.
    docs/evaluation.md explains the results.
    """
    if as_json and as_markdown:
        raise SettingsError("Choose one of --json and --markdown.")
    logs, recovery = _logs(csv or [], athlete, weight_unit, distance_unit)
    with terminal.count_progress("forecasting", case_count(logs)) as on_case:
        cases = all_cases(logs, on_case)
    found = backtest(logs, cases)
    safety: list[Safety] = []
    if with_safety or is_gate:
        with terminal.count_progress("planning", sum(len(log.sessions) for log in logs)) as on_day:
            safety = [safety_of(log, on_day) for log in logs]
    reps, e1rm = found.quantities["reps"], found.quantities["e1rm"]
    judged = verdicts(cases["reps"], reps, e1rm, safety)
    benefit = None if recovery is None else _benefit(cases, recovery)
    if plots is not None:
        # It takes 1 s to import, so only if plots are requested.
        from orchestration.cli.views.backtest_plots import save_plots

        save_plots(found, plots)
    if as_json:
        report = {
            **asdict(found),
            "safety": [asdict(each) for each in safety],
            "recovery": None if benefit is None else asdict(benefit),
            "gate": [asdict(each) for each in judged],
        }
        print(format_json(report))
    elif as_markdown:
        print("\n".join(markdown(table) for table in tables_of(found, safety, judged, benefit)))
    else:
        for table in tables_of(found, safety, judged, benefit):
            terminal.console.print(rich_table(table))
    if is_gate and any(each.status == "broken" for each in judged):
        raise typer.Exit(1)


def _logs(
    files: list[str],
    athlete: str | None,
    weight_unit: Unit | None,
    distance_unit: DistanceUnit | None,
) -> tuple[list[TrainingLog], _Recovery | None]:
    if not files and athlete is None:
        raise SettingsError("Choose the training: --csv FILE for an export, or --athlete ID.")
    logs, recovery = [], None
    for file in files:
        path, unit = _file_and_unit(file, weight_unit)
        logs.append(read_log(path, weight_unit=unit, distance_unit=distance_unit))
    if athlete is not None:
        settings = load_settings()
        profile = find_athlete(settings, athlete)
        with open_warehouse(settings.warehouse, read_only=True) as con:
            logs.append(athlete_log(con, profile.id, profile.gym.unit))
            states = readiness_states(con, profile.id)
        recovery = _Recovery(profile.id, profile.timezone, states)
    names = [log.lifter for log in logs]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SettingsError(f"The same log is given twice: {', '.join(sorted(twice))}.")
    return logs, recovery


def _benefit(cases: Cases, recovery: _Recovery) -> RecoveryBenefit:
    own = {
        quantity: [case for case in cases[quantity] if case.lifter == recovery.athlete_id]
        for quantity in ("e1rm", "reps")
    }
    return benefit_of_recovery(own["e1rm"], own["reps"], recovery.states, recovery.timezone)


def _file_and_unit(file: str, default: Unit | None) -> tuple[Path, Unit | None]:
    """Split a path from an optional weight unit after a colon."""
    for unit in get_args(Unit):
        if file.endswith(f":{unit}"):
            return Path(file.removesuffix(f":{unit}")), unit
    return Path(file), default
