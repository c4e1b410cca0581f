"""Refine a decision with the athlete's language model, without an open warehouse during requests.

A request takes seconds, so the warehouse is opened before and after it. After any failure the
engine's decision, already recorded, stays active.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import duckdb

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.model_calls import CallRecord
from coach_agent.journal.current_plans import read_current_plan
from coach_agent.journal.decisions import record_decision
from coach_agent.journal.plan_basis import record_basis
from coach_agent.llm.answers import Answered, read_answer, record_answer
from coach_agent.llm.chain import Chain
from coach_agent.llm.ledger import record_calls, spent_today
from coach_agent.llm.planner import (
    Proposal,
    RefinementResult,
    is_in_shadow,
    proposal,
    refine,
    refine_again,
)
from coach_agent.llm.rejected_texts import record_rejected_texts
from coach_agent.llm.shadow import ShadowScore, read_shadow_score
from coach_agent.llm.traces import Tracing
from coach_agent.planning.decision import Decision
from coach_agent.profile.llm_settings import Limits, Provider
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from hevy_connector.raw.transactions import run_in_transaction
from orchestration.storage.warehouse import Connect

Clock = Callable[[], datetime]


@dataclass(frozen=True)
class Refinement:
    """The active decision, and the requests that were made.

    `answered_by` is provider and model, or "engine"; `standing` is the record of that model at that
    time.
    """

    decision: Decision
    is_new: bool
    answered_by: str
    records: tuple[CallRecord, ...] = ()
    standing: ShadowScore | None = None


def refine_next(
    connect: Connect,
    profile: AthleteProfile,
    situation: Situation,
    decision: Decision,
    chain: Chain,
    *,
    clock: Clock,
    run_id: str,
) -> Refinement:
    """Return the active decision after asking a model.

    A stored answer to the same decision is reused while it fits. Every request is recorded in the
    ledger, also of an unanswered question.
    """
    asked = proposal(situation, profile, decision)
    refined = model_decision(connect, profile, asked, chain, clock=clock, run_id=run_id)
    if refined.decision is None or refined.answered is None:
        return Refinement(decision, False, refined.decided_by, refined.records)
    models, answered = refined.decision, refined.answered
    with connect() as con:

        def record() -> Refinement:
            standing = shadow_score(con, profile, answered)
            stands, is_new = _activate(
                con,
                models,
                decision,
                situation.routines,
                is_shadow=is_in_shadow(profile.llm, standing),
                now=clock(),
                run_id=run_id,
            )
            return Refinement(stands, is_new, refined.decided_by, refined.records, standing)

        return run_in_transaction(con, record)


def chain_of(
    connect: Connect,
    profile: AthleteProfile,
    providers: Sequence[Provider],
    clock: Clock,
    tracing: Tracing | None = None,
) -> Chain:
    """Return the chain of the athlete's providers, with its timeout and the rest of the daily
    budget.
    """

    def spent() -> Decimal:
        with connect() as con:
            return spent_today(con, profile.id, profile.timezone, clock())

    return Chain(providers, Limits.of(profile.llm), spent, tracing=tracing)


def model_decision(
    connect: Connect,
    profile: AthleteProfile,
    asked: Proposal,
    chain: Chain,
    *,
    clock: Clock,
    run_id: str,
) -> RefinementResult:
    """Return a model's answer to a decision: the stored one if it fits, else a new one.

    Records requests and answer, but does not activate the decision.
    """
    with connect() as con:
        answered = read_answer(con, asked.decision.decision_id)
    again = None if answered is None else refine_again(asked, answered)
    if again is not None:
        return again
    refined, asked_at = _ask(connect, profile, asked, chain, clock=clock, run_id=run_id)
    with connect() as con:
        record_rejected_texts(
            con,
            profile.id,
            refined.rejected,
            call_name="plan",
            decided_by=refined.decided_by,
            scrub=chain.scrub,
            now=asked_at,
            run_id=run_id,
            decision_id=None if refined.decision is None else refined.decision.decision_id,
        )
        if refined.decision is not None and refined.answered is not None:
            record_answer(
                con,
                profile.id,
                refined.answered,
                decision_id=refined.decision.decision_id,
                engine_decision_id=asked.decision.decision_id,
                is_shadow=is_in_shadow(profile.llm, shadow_score(con, profile, refined.answered)),
                now=asked_at,
            )
    return refined


def model_rerun(
    connect: Connect,
    profile: AthleteProfile,
    asked: Proposal,
    chain: Chain,
    *,
    clock: Clock,
    run_id: str,
) -> RefinementResult:
    """Return a new answer about a decision, ignoring stored ones; records only the requests."""
    refined, _ = _ask(connect, profile, asked, chain, clock=clock, run_id=run_id)
    return refined


def _ask(
    connect: Connect,
    profile: AthleteProfile,
    asked: Proposal,
    chain: Chain,
    *,
    clock: Clock,
    run_id: str,
) -> tuple[RefinementResult, datetime]:
    """Send the question, record its requests, and return the answer with its time."""
    asked_at = clock()
    refined = refine(asked, chain)
    with connect() as con:
        record_calls(
            con,
            profile.id,
            refined.records,
            asked_at=asked_at,
            run_id=run_id,
            decision_id=asked.decision.decision_id,
        )
    return refined, asked_at


def shadow_score(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, answered: Answered
) -> ShadowScore:
    """Return the current record of the model that gave an answer."""
    return read_shadow_score(con, profile.id, answered.decided_by, answered.prompt_version)


def problems_of(records: Sequence[CallRecord]) -> list[str]:
    """Return a message for each provider without an answer, also if a fallback answered."""
    last = {record.provider: record for record in records}
    return [
        f"{provider} ({record.model}): {_why(record)}"
        for provider, record in last.items()
        if record.outcome in {"error", "skipped"}
    ]


def _why(record: CallRecord) -> str:
    return "; ".join([record.error or "no answer", *record.feedback])


def _activate(
    con: duckdb.DuckDBPyConnection,
    refined: Decision,
    engines: Decision,
    routines: Sequence[RoutineContext],
    *,
    is_shadow: bool,
    now: datetime,
    run_id: str,
) -> tuple[Decision, bool]:
    """Record the model's decision and activate its plan, unless the model is a shadow.

    If another decision has become active in the meantime, for example after a check-in, it stays
    active.
    """
    current = read_current_plan(con, engines.plan.athlete_id)
    if current is None or current.plan_id not in {engines.plan_id, refined.plan_id}:
        return engines, False
    is_new = record_decision(con, refined, now=now, run_id=run_id)
    if not is_shadow:
        record_basis(con, refined.plan_id, refined.plan, routines, now=now)
        return refined, is_new
    record_decision(con, engines, now=now, run_id=run_id)
    return engines, False
