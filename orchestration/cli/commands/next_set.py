"""`spotter next-set`: decide the next set during a workout."""

from typing import Annotated

import typer
from pydantic import ValidationError

from coach_agent.engine.explain.plan_texts import number, reps_text
from coach_agent.engine.explain.set_notation import SetNotationError
from coach_agent.language.messages import in_language, phrase
from coach_agent.planning.between_sets import NextSetAnswer, NextSetQuestion, answer
from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.planning.day import day_of
from orchestration.services.programmes.exercise_catalogue import (
    built_in_exercise,
    built_in_titles,
)


def show_next_set(
    exercise: Annotated[str, typer.Option(metavar="TITLE", help="Exercise title as in Hevy.")],
    target: Annotated[
        str, typer.Option(metavar="SET", help='Planned set: "100x5@8", "80x8-12", "60s".')
    ],
    done: Annotated[
        list[str],
        typer.Option(metavar="SET", help='Done set, "100x5@6"; repeatable in order.'),
    ],
    athlete: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Athlete; optional if there is one."),
    ] = None,
    no_increase: Annotated[
        bool,
        typer.Option("--no-increase", help="Hold or reduce only."),
    ] = False,
    note: Annotated[
        str | None, typer.Option(metavar="TEXT", help="How you feel, in your own words.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Decide the next set: same, more, less or stop.

    Sets are written as "100x5@8" (@ is the RPE, optional), "80x8-12", "100x5+", "bw x 8",
    "bw+10x8", "bw-20x8" and "60s". A load is in your gym's unit unless it has its own: "100kg x 5",
    "225lb x 5". RPE is used if both sides have one, otherwise the repetitions. The load exists in
    your gym and is never above the jump cap. Pain, a low check-in, or a plan that holds the
    exercise back, exclude an increase.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    try:
        question = NextSetQuestion(
            exercise=exercise,
            target=target,
            done=tuple(done),
            may_increase=not no_increase,
            note=note,
        )
        day = day_of(settings.warehouse, profile.id)
        decided = answer(question, profile, built_in_exercise, built_in_titles(), day)
    except ValidationError as error:
        raise SettingsError(_first_problem(error)) from error
    except SetNotationError as error:
        raise SettingsError(str(error)) from error
    if as_json:
        print(decided.model_dump_json(indent=2))
        return
    with in_language(profile.preferences.language):
        text = _text(decided)
    terminal.console.print(text, soft_wrap=True, markup=False, highlight=False)


def _text(decided: NextSetAnswer) -> str:
    lines = [_headline(decided), decided.reason]
    if decided.assumption:
        lines.append(decided.assumption)
    return "\n".join(lines)


def _headline(decided: NextSetAnswer) -> str:
    """Format the first line: `More: 102.5 kg × 5 @8`, `Same: bw+10 kg × 8`, `More: 9 reps`."""
    action = phrase(f"action-{decided.action}")
    if decided.action == "stop":
        return action
    if decided.duration_s is not None:
        return f"{action}: {decided.duration_s} s"
    reps = str(decided.reps_low)
    if decided.reps_high is None:
        reps += "+"
    elif decided.reps_high != decided.reps_low:
        reps += f"-{decided.reps_high}"
    rpe = "" if decided.rpe is None else f" @{number(decided.rpe)}"
    reps = reps_text(reps) if decided.load is None else f"{decided.load} × {reps}"
    return f"{action}: {reps}{rpe}"


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    name = str(first["loc"][0])
    return f"--{name}: {first['msg'][:1].lower()}{first['msg'][1:]}."
