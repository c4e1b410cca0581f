"""`spotter review`: the review of a training week."""

import json
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from coach_agent.domain.days import local_date, monday_of
from coach_agent.domain.model_calls import ENGINE
from coach_agent.engine.explain.plan_texts import number
from coach_agent.language.messages import day_text, in_language, name_of, phrase
from coach_agent.planning.weekly_review import last_week
from orchestration.cli.views import terminal
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.briefing.weekly_reviews import StoredReview, review_of
from orchestration.storage.warehouse import open_warehouse


def show_review(
    week: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            metavar="DATE",
            help="Any day of the week; default: last week.",
        ),
    ] = None,
    athlete: Annotated[
        str | None,
        typer.Option("--athlete", metavar="ID", help="Athlete; optional if there is one."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Show the review of a training week.

    The first run after a week stores its review, written by a language model if there is one. For
    other weeks the rules write one from current data. No model is asked here.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    now = datetime.now(UTC)
    today = local_date(now, profile.timezone)
    day = None if week is None else week.date()
    if day is not None and day > today:
        raise SettingsError(f"--week {day}: that week is still to come.")
    monday = last_week(today) if day is None else monday_of(day)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        found = review_of(con, profile, monday, now)
    if as_json:
        report = {
            "week_start": monday.isoformat(),
            "review": None if found is None else found.review.model_dump(mode="json"),
            "decided_by": None if found is None else found.decided_by,
            "prompt_version": None if found is None else found.prompt_version,
            "said_at": None if found is None else found.said_at.isoformat(),
        }
        print(json.dumps(report, indent=2, ensure_ascii=False))
        return
    with in_language(profile.preferences.language):
        _print(Text(phrase("review-week", day=day_text(monday)), style="bold"))
        if found is None:
            _print(Text(phrase("review-none")))
        else:
            _show(found)


def _show(found: StoredReview) -> None:
    review = found.review
    _print(Text(review.summary))
    for each in review.highlights:
        _print(Text(f"- {each}"), 2)
    _print(Text.assemble((f"{phrase('brief-focus')}: ", "bold"), review.focus))
    for muscle in review.muscles:
        name, sets = name_of("muscle", muscle.muscle_group), number(muscle.sets)
        text = (
            phrase("review-muscle", muscle=name, sets=sets)
            if muscle.usual is None
            else phrase("review-muscle-usual", muscle=name, sets=sets, usual=number(muscle.usual))
        )
        _print(Text(text, style="dim"), 2)
    author = (
        phrase("review-by-rules")
        if found.decided_by == ENGINE
        else phrase("review-by-model", model=found.decided_by)
    )
    _print(Text(author, style="dim"))


def _print(text: Text, indent: int = 0) -> None:
    terminal.console.print(Padding(text, (0, 0, 0, indent)), highlight=False)
