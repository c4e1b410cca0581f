"""`spotter plan prompt` and `spotter plan compare`: prompts and answers of language models."""

import json
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import uuid4

import duckdb
import typer

from coach_agent.domain.model_calls import CallRecord
from coach_agent.llm.planner import Proposal, proposal
from coach_agent.llm.prompting import estimated_tokens
from coach_agent.llm.shadow import ShadowScore
from coach_agent.planning.decide import decide
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.profile.llm_settings import usable_providers
from coach_agent.profile.model import AthleteProfile
from orchestration.cli.views import terminal
from orchestration.config.athletes import find_athlete
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.language_models.evaluate_model import stored_proposal, with_model
from orchestration.services.language_models.traces import tracing_of
from orchestration.services.planning.plan import known_situation, why_no_plan
from orchestration.services.planning.refine import (
    chain_of,
    model_decision,
    model_rerun,
    problems_of,
    shadow_score,
)
from orchestration.storage.warehouse import open_warehouse
from orchestration.text.compare import compare_view

Athlete = Annotated[
    str | None,
    typer.Option("--athlete", metavar="ID", help="Athlete; optional if there is one."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def plan_prompt(athlete: Athlete = None, as_json: AsJson = False) -> None:
    """Print the prompt for the next workout.

    It is not sent. With --json also the models and the schema of the answer.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    call = _proposal(settings, profile).call
    asked = [
        f"{provider.name}:{provider.settings.model(call.tier)}"
        for provider in usable_providers(profile.llm, settings.keys)
    ]
    if not as_json:
        print(call.prompt.text)
        return
    report = {
        "call": call.name,
        "tier": call.tier,
        "asked": asked,
        "prompt_version": call.prompt_version,
        "prompt_sha256": call.prompt.sha256,
        "estimated_tokens": estimated_tokens(call.prompt.text),
        "static": call.prompt.static,
        "profile": call.prompt.profile,
        "recent": call.prompt.recent,
        "schema": call.output.model_json_schema(),
    }
    print(json.dumps(report, indent=2, ensure_ascii=False))


def plan_compare(
    athlete: Athlete = None,
    decision: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Rerun a stored decision or plan."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="PROVIDER:MODEL", help="Ask only this model of the profile."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the plans of rules and language model.

    Both are made from the same data. A stored answer is reused, otherwise the model is asked within
    the daily budget. Nothing is published, and the active plan does not change. With --decision or
    --model the model is always asked; its answer is only shown and stored with prompts and answers.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    if model is not None:
        profile = with_model(profile, model)
    providers = usable_providers(profile.llm, settings.keys)
    if not providers:
        raise SettingsError(
            f"There is no language model to compare with for '{profile.id}': put the key of one of "
            "its providers into .env, such as GEMINI_API_KEY=<your key>."
        )
    if decision is None:
        asked = _proposal(settings, profile)
    else:
        with open_warehouse(settings.warehouse, read_only=True) as con:
            asked = stored_proposal(con, profile, decision)

    def connect() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return open_warehouse(settings.warehouse)

    def clock() -> datetime:
        return datetime.now(UTC)

    with chain_of(connect, profile, providers, clock, tracing_of(settings, profile)) as chain:
        run_id = f"compare {uuid4()}"
        refined = (
            model_decision(connect, profile, asked, chain, clock=clock, run_id=run_id)
            if decision is None and model is None
            else model_rerun(connect, profile, asked, chain, clock=clock, run_id=run_id)
        )
    problems = problems_of(refined.records)
    standing = None
    if refined.answered is not None:
        with connect() as con:
            standing = shadow_score(con, profile, refined.answered)
    plan = None if refined.decision is None else refined.decision.plan
    if as_json:
        report = {
            "decision_id": asked.decision.decision_id,
            "engine": asked.decision.plan.model_dump(mode="json"),
            "model": None if plan is None else plan.model_dump(mode="json"),
            "answered_by": refined.decided_by,
            "standing": None if standing is None else _standing(standing),
            "requests": [_request(record) for record in refined.records],
            "problems": problems,
        }
        print(json.dumps(report, indent=2, ensure_ascii=False))
        return
    for problem in problems:
        terminal.console.print(problem, style="yellow", markup=False)
    terminal.console.print(compare_view(asked.decision.plan, plan, refined.decided_by, standing))


def _proposal(settings: Settings, profile: AthleteProfile) -> Proposal:
    now = datetime.now(UTC)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        situation = known_situation(con, profile, now)
    try:
        decision = None if situation is None else decide(situation, profile)
    except GuardrailError:
        decision = None
    if situation is None or decision is None:
        raise SettingsError(why_no_plan(profile, situation))
    return proposal(situation, profile, decision)


def _standing(standing: ShadowScore) -> dict[str, Any]:
    return {**asdict(standing), "is_earned": standing.is_earned}


def _request(record: CallRecord) -> dict[str, Any]:
    return {
        "provider": record.provider,
        "model": record.model,
        "attempt": record.attempt,
        "outcome": record.outcome,
        "error": record.error,
        "feedback": list(record.feedback),
        "input_tokens": record.input_tokens,
        "cached_tokens": record.cached_tokens,
        "output_tokens": record.output_tokens,
        "cost_usd": None if record.cost_usd is None else float(record.cost_usd),
        "seconds": round(record.seconds, 3),
    }
