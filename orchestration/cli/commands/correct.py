"""`spotter correct`: corrections of an athlete's history, applied to the marts immediately."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Annotated, TypeVar

import duckdb
import typer

from coach_agent.domain.secret_values import secrets_scrubber
from coach_agent.domain.units import load_text
from coach_agent.store.corrections import (
    Correction,
    CorrectionError,
    DoubtedSet,
    doubted_sets_of,
    of_set,
    of_workout,
    read_corrections,
    read_doubted_sets,
    record_correction,
)
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.run_job import run_with_progress
from orchestration.cli.views import terminal
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import load_settings
from orchestration.storage.warehouse import open_warehouse

T = TypeVar("T")

correct_app = typer.Typer(help="Correct workouts and doubted sets.", no_args_is_help=True)

Workout = Annotated[str, typer.Argument(metavar="WORKOUT", help="workout_id of marts.fct_workout.")]
Set = Annotated[str, typer.Argument(metavar="SET", help="Key from `spotter correct list`.")]
Because = Annotated[
    str, typer.Option("--because", metavar="TEXT", help="Reason, stored with the correction.")
]


@correct_app.command("list")
def show(
    athlete: Athlete = None,
    as_json: AsJson = False,
) -> None:
    """List doubted sets and past corrections."""
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        doubted = _read(lambda: read_doubted_sets(con, profile.id))
        corrections = read_corrections(con, profile.id)
    if as_json:
        report = {
            "doubted_sets": [_flat(one) for one in doubted],
            "corrections": [_flat(one) for one in corrections],
        }
        print(json.dumps(report, indent=2, default=str))
        return
    unit = profile.gym.unit
    if not doubted:
        terminal.console.print("No set is doubted.")
    for one in doubted:
        usual = [
            *([load_text(one.usual_weight_kg, unit)] if one.usual_weight_kg else []),
            *([f"{one.usual_reps:g} reps"] if one.usual_reps else []),
        ]
        expected = f": usually about {' and '.join(usual)}" if usual else ""
        terminal.console.print(
            f"{one.workout_date}  {one.exercise_title}  {one.done.text(unit)}{expected}\n"
            f"    {one.set_key}",
            soft_wrap=True,
            markup=False,
            highlight=False,
        )
    if corrections:
        terminal.show_rows(
            ("workout", "exercise, set", "correction", "because"),
            [
                (
                    each.workout_id,
                    "" if each.place is None else f"{each.place[0]}, {each.place[1]}",
                    each.action.replace("_", " "),
                    each.reason,
                )
                for each in corrections
            ],
        )


@correct_app.command()
def exclude(workout: Workout, reason: Because, athlete: Athlete = None) -> None:
    """Exclude a workout from analysis and planning.

    The recorded data stay.
    """
    athlete_id = find_athlete(load_settings(), athlete).id
    _correct(lambda con: [of_workout(con, athlete_id, workout, "exclude_workout", reason)])


@correct_app.command()
def include(workout: Workout, reason: Because, athlete: Athlete = None) -> None:
    """Include an excluded workout again."""
    athlete_id = find_athlete(load_settings(), athlete).id
    _correct(lambda con: [of_workout(con, athlete_id, workout, "include_workout", reason)])


@correct_app.command()
def accept(
    reason: Because,
    set_key: Annotated[
        str | None, typer.Argument(metavar="SET", help="Key from `spotter correct list`.")
    ] = None,
    exercise: Annotated[
        str | None,
        typer.Option(metavar="TITLE", help="Accept all doubted sets of an exercise."),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="Last day for --exercise."),
    ] = None,
    athlete: Athlete = None,
) -> None:
    """Accept doubted sets as they are recorded."""
    if (set_key is None) == (exercise is None) or (until is not None and exercise is None):
        raise typer.BadParameter("Name a SET, or --exercise with or without --until.")
    if set_key is not None:
        _correct(lambda con: [of_set(con, set_key, "accept_set", reason)])
        return
    athlete_id = find_athlete(load_settings(), athlete).id
    day = None if until is None else until.date()
    _correct(lambda con: doubted_sets_of(con, athlete_id, exercise or "", day, reason))


@correct_app.command()
def doubt(set_key: Set, reason: Because) -> None:
    """Mark a set as a typing error.

    It is then ignored in maxima, records, trends and decisions.
    """
    _correct(lambda con: [of_set(con, set_key, "doubt_set", reason)])


def _flat(one: DoubtedSet | Correction) -> dict[str, object]:
    """Return a set or correction for JSON, with the recorded values at the same level."""
    told = asdict(one)
    done = told.pop("done")
    return {**told, **done}


def _correct(find: Callable[[duckdb.DuckDBPyConnection], list[Correction]]) -> None:
    """Record corrections and build the marts with them."""
    settings = load_settings()
    with open_warehouse(settings.warehouse, read_only=True) as con:
        corrections = _read(lambda: find(con))
    now = datetime.now(UTC)
    scrub = secrets_scrubber(settings.keys)
    with open_warehouse(settings.warehouse) as con:
        for correction in corrections:
            hidden = replace(correction, reason=scrub(correction.reason))
            record_correction(con, hidden, now=now)
    outcome = run_with_progress("marts", settings)
    terminal.show_warnings(outcome)
    count = len(corrections)
    sets = f" {count} sets" if count > 1 else ""
    terminal.console.print(f"Corrected{sets}; the marts are updated.")


def _read(query: Callable[[], T]) -> T:
    """Run a query on the marts, which may not exist yet."""
    try:
        return query()
    except duckdb.CatalogException as error:
        raise CorrectionError("There are no marts yet. Run: spotter run") from error
