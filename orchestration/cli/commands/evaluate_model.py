"""`spotter evaluate-model`: ask language models about stored decisions, and score the answers."""

from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated
from uuid import uuid4

import duckdb
import typer

from coach_agent.llm.model_scores import rank, score_model
from coach_agent.profile.llm_settings import Limits, Provider, usable_providers
from coach_agent.profile.model import AthleteProfile
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.views import terminal
from orchestration.cli.views.json_output import format_json
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.language_models.evaluate_model import (
    evaluate_models,
    stored_questions,
    with_model,
)
from orchestration.services.language_models.traces import tracing_of
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.model_scores import model_scores_view


def evaluate_model(
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROVIDER:MODEL",
            help="Model of a provider in the profile; can be repeated. Default: all with a key.",
        ),
    ] = None,
    athlete: Athlete = None,
    decisions: Annotated[
        int, typer.Option(min=1, max=1000, help="Number of last decisions to ask about.")
    ] = 50,
    budget: Annotated[float, typer.Option(min=0, help="Most USD for each model.")] = 0.25,
    seconds: Annotated[
        float, typer.Option(min=1, help="Timeout of all questions to a model.")
    ] = 900.0,
    at_once: Annotated[
        int, typer.Option("--at-once", min=1, max=16, help="Questions at the same time.")
    ] = 4,
    as_json: AsJson = False,
) -> None:
    """Compare language models by your past decisions.

    Each model gets the questions of the last decisions again. Code scores the answers: within the
    windows, refused claims, changed sets, seconds, cost. No plan changes.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    providers = _providers(settings, profile, model)

    def connect() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return open_warehouse(settings.warehouse)

    with connect() as con:
        questions = stored_questions(con, profile, decisions)
    if not questions:
        raise SettingsError(
            f"There is no stored decision of '{profile.id}' to ask about. Run: spotter run"
        )
    limits = Limits(seconds, profile.llm.attempts, Decimal(str(budget)))
    total = len(questions) * len(providers)
    with terminal.count_progress("asking", total, is_quiet=as_json) as on_answer:
        evaluated = evaluate_models(
            connect,
            profile,
            providers,
            questions,
            limits,
            at_once=at_once,
            clock=lambda: datetime.now(UTC),
            run_id=f"evaluation {uuid4()}",
            on_answer=on_answer,
            tracing=tracing_of(settings, profile),
        )
    scores = rank(score_model(each.model, each.scores) for each in evaluated)
    if as_json:
        answers = {each.model: [asdict(one) for one in each.scores] for each in evaluated}
        report = {
            "athlete": profile.id,
            "questions": len(questions),
            "models": [asdict(each) for each in scores],
            "answers": answers,
        }
        print(format_json(report))
    else:
        terminal.console.print(model_scores_view(scores, len(questions)))
    if not all(each.accepted for each in scores):
        raise typer.Exit(1)


def _providers(
    settings: Settings, profile: AthleteProfile, names: list[str] | None
) -> dict[str, Provider]:
    """Return the providers to ask, by provider and model.

    Raises:
        SettingsError: a name is not one of the profile's, or a key is missing.
    """
    found = {}
    usable = usable_providers(profile.llm, settings.keys)
    for name in names or [f"{each.name}:{each.settings.model('strong')}" for each in usable]:
        keyed = usable_providers(with_model(profile, name).llm, settings.keys)
        if not keyed:
            raise SettingsError(f"There is no key for {name}: put it into .env.")
        found[name] = keyed[0]
    if not found:
        raise SettingsError(
            f"There is no language model for '{profile.id}': put the key of one of its providers "
            "into .env, such as GEMINI_API_KEY=<your key>."
        )
    return found
