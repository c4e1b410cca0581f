"""`spotter check-in`: how you feel and what time you have; the next workout follows at once."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated
from uuid import uuid4

import typer

from coach_agent.check_ins import ALL, FEELINGS, LONGEST_MINUTES, NONE, CheckIn, record_check_in
from coach_agent.guardrails import GuardrailError
from coach_agent.journal import read_current_plan
from coach_agent.llm.settings import usable_providers
from coach_agent.pain import Pain, PainError, parse_pain
from coach_agent.situation import Situation
from coach_agent.titles import did_you_mean
from orchestration.commands.options import AsJson
from orchestration.lib import terminal
from orchestration.lib.athletes import athlete_named
from orchestration.lib.deciding import NOTHING_LEFT, decide_next, known_situation
from orchestration.lib.plan_view import show_plan
from orchestration.lib.settings import SettingsError, load_settings
from orchestration.lib.warehouse import open_warehouse


def check_in(
    energy: Annotated[
        str | None, typer.Option(metavar="HOW", help="very-low, low, normal, high or very-high.")
    ] = None,
    soreness: Annotated[
        str | None, typer.Option(metavar="HOW", help="The same words; very-high is very sore.")
    ] = None,
    minutes: Annotated[
        int | None,
        typer.Option(min=5, max=LONGEST_MINUTES, help="How long you can train."),
    ] = None,
    pain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART:LEVEL",
            help="What hurts, such as 'right shoulder:moderate'; mild, moderate or severe. "
            "Repeatable.",
        ),
    ] = None,
    deload: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TITLE|all|none",
            help="Take this exercise easy, or all of them; none takes it back. Repeatable.",
        ),
    ] = None,
    athlete: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Which athlete; not needed if there is one."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say how you feel before you train; the next workout is held back or shortened to fit.

    It never becomes harder. What you say counts for 36 hours or until you say otherwise; a pain
    that is over is told as mild. Nothing is sent to Hevy and no language model is asked: the rules
    answer at once, and the next run does both.
    """
    settings = load_settings()
    profile = athlete_named(settings, athlete)
    now = datetime.now(UTC)
    said = CheckIn(
        checked_in_at=now,
        energy=_feeling("--energy", energy),
        soreness=_feeling("--soreness", soreness),
        minutes=minutes,
        pain=_pains(pain or ()),
        deload=tuple(deload or ()),
    )
    if said == CheckIn(checked_in_at=now):
        raise SettingsError(
            "Say at least one of --energy, --soreness, --minutes, --pain, --deload."
        )
    with open_warehouse(settings.warehouse) as con:
        before = known_situation(con, profile, now)
        if before is not None:
            _require_exercises(said.deload, before)
        record_check_in(con, profile.id, said)
        if before is not None:
            situation = before.with_check_in(said)
            try:
                decide_next(con, profile, situation, now=now, run_id=f"check-in {uuid4()}")
            except GuardrailError as error:
                raise SettingsError(
                    f"The check-in is kept, but no safe plan came of it; none stands now: {error}"
                ) from error
        plan = read_current_plan(con, profile.id)
    waits_for_model = plan is not None and bool(usable_providers(profile.llm, settings.keys))
    if as_json:
        report = {
            "check_in": said.model_dump(mode="json"),
            "readiness": said.readiness,
            "plan": None if plan is None else plan.summary(),
            "waits_for_model": waits_for_model,
        }
        print(json.dumps(report, indent=2))
        return
    terminal.console.print("Noted.")
    if plan is None and before is not None and before.routines:
        terminal.console.print(NOTHING_LEFT)
    elif plan is None:
        terminal.console.print("There is no plan yet that it could change. Run: spotter run")
    else:
        show_plan(terminal.console, profile, plan)
        if waits_for_model:
            terminal.console.print(
                "Made by the rules at once; the next run also asks your language model."
            )


def _feeling(option: str, word: str | None) -> int | None:
    if word is None:
        return None
    if word.lower() not in FEELINGS:
        raise SettingsError(f"{option} {word}: must be one of {', '.join(FEELINGS)}.")
    return FEELINGS[word.lower()]


def _pains(texts: Sequence[str]) -> tuple[Pain, ...]:
    try:
        return tuple(parse_pain(text) for text in texts)
    except PainError as error:
        raise SettingsError(f"--pain {error}") from error


def _require_exercises(deload: Sequence[str], situation: Situation) -> None:
    known = {slot.exercise_title for routine in situation.routines for slot in routine.slots}
    for title in deload:
        if title not in {ALL, NONE} and title not in known:
            hint = did_you_mean(title, known)
            raise SettingsError(f"--deload {title}: no routine has this exercise.{hint}")
