"""`spotter what-if`: your own history and the coming weeks with another profile or programme."""

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from coach_agent.domain.context import RoutineContext
from coach_agent.evaluation.exposures import TrainingLog
from coach_agent.evaluation.past_days import situation_after
from coach_agent.evaluation.what_if import Scenario, replay
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.files import find_programme
from coach_agent.situation.situation import PersonalPace, read_situation
from hevy_connector.csv_imports.dialects import Unit
from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.cli.views.json_output import format_json
from orchestration.cli.views.what_if import (
    Report,
    ahead_table,
    asks_text,
    back_table,
    fit_text,
    latest_table,
    left_out_lines,
    stopped_lines,
)
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.evaluation.training_logs import athlete_log, read_log
from orchestration.services.programmes.exercise_catalogue import (
    built_in_titles,
    programme_catalogue,
)
from orchestration.services.simulations.fitted_training import (
    current_routines,
    measured_trend,
    train_ahead,
)
from orchestration.services.simulations.what_if import (
    changed_scenario,
    history_of,
    programme_to_follow,
)
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.measures import day_text


def what_if(
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Changed key; repeatable."),
    ] = None,
    program: Annotated[
        str | None, typer.Option(metavar="NAME", help="Programme, or a TOML file.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Export file instead of an athlete.")
    ] = None,
    weight_unit: Annotated[
        Unit | None, typer.Option(help="Weight unit of a file without units.")
    ] = None,
    athlete: Annotated[
        str | None, typer.Option(metavar="ID", help="Athlete in the warehouse.")
    ] = None,
    past: Annotated[int, typer.Option(min=1, max=520, help="Weeks to replay.")] = 6,
    weeks: Annotated[int, typer.Option(min=1, max=52, help="Weeks to simulate.")] = 6,
    lifters: Annotated[int, typer.Option(min=2, max=100, help="Number of fitted lifters.")] = 5,
    seed: Annotated[int, typer.Option(help="Random seed of the lifters.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Try another profile or programme on your own training.

    Backwards, the rules plan your past weeks again, next to the work that you did. Ahead, lifters
    fitted to your log train both ways. Keys are those of the profile, and days and level for a new
    programme. Nothing is changed: docs/programmes.md
    """
    if not changes and program is None:
        raise SettingsError("Say what to change: --set KEY=VALUE, or --program NAME.")
    if csv is not None and athlete is not None:
        raise SettingsError("Choose one of --csv and --athlete.")
    catalogue = programme_catalogue()
    chosen = None if program is None else find_programme(program, built_in_titles())
    base, log, own, pace = _of_athlete(athlete) if csv is None else _of_file(csv, weight_unit)
    if not log.sessions:
        raise SettingsError("There is no workout yet to try it on.")
    history = history_of(log, past)
    change = changed_scenario(
        base,
        changes or (),
        chosen,
        catalogue,
        history=history,
        today=datetime.now(UTC).date(),
    )
    programme = (
        None if change.programme is None else programme_to_follow(change.programme, catalogue)
    )
    now, changed = Scenario(base), Scenario(change.profile, programme)
    trend, trend_lifts = measured_trend(log)
    with terminal.count_progress("training", 2 * lifters) as on_done:
        ahead = train_ahead(
            log,
            trend,
            [(now, own), (changed, own)],
            pace,
            days=[
                history.days_a_week,
                history.days_a_week if programme is None else programme.days,
            ],
            weeks=weeks,
            count=lifters,
            seed=seed,
            on_done=on_done,
        )
    report = Report(
        lifter=log.lifter,
        changes=tuple(changes or ()),
        programme=None if change.programme is None else change.programme.title,
        compromises=change.compromises,
        now=replay(log, now, past),
        changed=replay(log, changed, past),
        trend=trend,
        trend_lifts=trend_lifts,
        now_ahead=ahead[0],
        changed_ahead=ahead[1],
        unit=base.gym.unit,
    )
    if as_json:
        print(format_json(asdict(report)))
    else:
        _show(report)


_Training = tuple[AthleteProfile, TrainingLog, tuple[RoutineContext, ...], PersonalPace | None]


def _of_athlete(athlete: str | None) -> _Training:
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        log = athlete_log(con, profile.id, profile.gym.unit)
        situation = read_situation(con, profile.id, profile.timezone, datetime.now(UTC))
    return profile, log, current_routines(situation.routines, profile), situation.pace


def _of_file(path: Path, weight_unit: Unit | None) -> _Training:
    log = read_log(path, weight_unit=weight_unit, distance_unit=None)
    gym = {"equipment": {"unit": log.gym_unit}} if log.gym_unit == "lb" else {}
    profile = AthleteProfile.model_validate({"id": "me", **gym})
    situation = situation_after(log.sessions, "ranged", log.sessions[-1].started_at)
    return profile, log, current_routines(situation.routines, profile), situation.pace


def _show(report: Report) -> None:
    title = ", ".join(report.changes) or report.programme or ""
    programme = "your present routines" if report.programme is None else report.programme
    _print(f"What if: {title} ({programme})")
    for each in report.compromises:
        _print(f"- {each}")
    since = day_text(report.now.since)
    _print(f"Back: the {report.now.weeks} weeks from {since}, with what was known each day")
    terminal.console.print(back_table(report))
    _print(f"Compared with the work done, the rules now ask for {asks_text(report.now)}.")
    _print(f"After the change: {asks_text(report.changed)}.")
    for line in stopped_lines(report):
        _print(line)
    if (latest := latest_table(report.changed, report.unit)) is not None:
        terminal.console.print(latest)
    if report.now_ahead is None or report.changed_ahead is None:
        _print("Ahead: nothing to simulate, no routine has an exercise with loads.")
    else:
        _print(f"Ahead. {fit_text(report)}")
        terminal.console.print(ahead_table(report.now_ahead, report.changed_ahead))
        for line in left_out_lines(report.changed_ahead):
            _print(line)
    _print("What this cannot know")
    for each in report.limits:
        _print(f"- {each}")


def _print(text: str) -> None:
    terminal.console.print(text, markup=False, highlight=False, soft_wrap=True)
