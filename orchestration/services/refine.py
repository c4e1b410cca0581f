"""What a language model makes of a decision, if the athlete has one: asked with no table open.

A question takes seconds, so the warehouse is opened before and after it, never meanwhile. Whatever
goes wrong, the engine's decision is recorded already and stands.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import duckdb

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.model_calls import CallRecord
from coach_agent.journal.decisions import read_current_plan, record_decision
from coach_agent.llm.answers import Answered, read_answer, record_answer
from coach_agent.llm.chain import Chain
from coach_agent.llm.ledger import record_calls, spent_today
from coach_agent.llm.planner import (
    Proposal,
    Refined,
    proposal,
    refine,
    refine_again,
    stands_aside,
)
from coach_agent.llm.rejected_texts import record_rejected_texts
from coach_agent.llm.standing import Standing, read_standing
from coach_agent.planning.decision import Decision
from coach_agent.planning.situation import Situation
from coach_agent.profile.llm_settings import Limits, Provider
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.plan_basis import record_basis
from hevy_connector.raw.transactions import committed
from orchestration.storage.warehouse import Connect

Clock = Callable[[], datetime]


@dataclass(frozen=True)
class Refinement:
    """The decision that stands now, whether it is new, and the requests that it took.

    `answered_by` is provider and model, or "engine"; `standing` is how that model stood then.
    """

    decision: Decision
    is_new: bool
    answered_by: str
    records: tuple[CallRecord, ...] = ()
    standing: Standing | None = None


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
    """What a model made of the decision that stands.

    An answer to the same decision is taken again as long as it fits. Each request is in the ledger,
    also of a question that nobody could answer.
    """
    asked = proposal(situation, profile, decision)
    refined = model_decision(connect, profile, asked, chain, clock=clock, run_id=run_id)
    if refined.decision is None or refined.answered is None:
        return Refinement(decision, False, refined.decided_by, refined.records)
    models, answered = refined.decision, refined.answered
    with connect() as con:

        def record() -> Refinement:
            standing = standing_of(con, profile, answered)
            stands, is_new = _let_stand(
                con,
                models,
                decision,
                situation.routines,
                is_shadow=stands_aside(profile.llm, standing),
                now=clock(),
                run_id=run_id,
            )
            return Refinement(stands, is_new, refined.decided_by, refined.records, standing)

        return committed(con, record)


def chain_of(
    connect: Connect, profile: AthleteProfile, providers: Sequence[Provider], clock: Clock
) -> Chain:
    """The athlete's providers, within the athlete's time and what is left of the day's budget."""

    def spent() -> Decimal:
        with connect() as con:
            return spent_today(con, profile.id, profile.timezone, clock())

    return Chain(providers, Limits.of(profile.llm), spent)


def model_decision(
    connect: Connect,
    profile: AthleteProfile,
    asked: Proposal,
    chain: Chain,
    *,
    clock: Clock,
    run_id: str,
) -> Refined:
    """What a model made of a decision: the answer that is known if it fits, else a new one.

    Nothing stands by it. Requests and answer are recorded.
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
                is_shadow=stands_aside(profile.llm, standing_of(con, profile, refined.answered)),
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
) -> Refined:
    """A new answer about a decision, whatever was answered before; only the requests are kept."""
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
) -> tuple[Refined, datetime]:
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


def standing_of(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, answered: Answered
) -> Standing:
    """How the model that gave an answer stands at the athlete by now."""
    return read_standing(con, profile.id, answered.decided_by, answered.prompt_version)


def problems_of(records: Sequence[CallRecord]) -> list[str]:
    """Each provider that gave no answer, with the reason: whoever answered in the end."""
    last = {record.provider: record for record in records}
    return [
        f"{provider} ({record.model}): {_why(record)}"
        for provider, record in last.items()
        if record.outcome in {"error", "skipped"}
    ]


def _why(record: CallRecord) -> str:
    return "; ".join([record.error or "no answer", *record.feedback])


def _let_stand(
    con: duckdb.DuckDBPyConnection,
    refined: Decision,
    engines: Decision,
    routines: Sequence[RoutineContext],
    *,
    is_shadow: bool,
    now: datetime,
    run_id: str,
) -> tuple[Decision, bool]:
    """Record the model's decision, and let its plan stand unless it is a shadow.

    Where another decision stands by now, as after a check-in during the question, that one stays.
    """
    current = read_current_plan(con, engines.plan.athlete_id)
    if current is None or current.plan_id not in {engines.plan_id, refined.plan_id}:
        return engines, False
    is_new = record_decision(con, refined, now=now, run_id=run_id)
    if not is_shadow:
        record_basis(con, refined, routines, now=now)
        return refined, is_new
    record_decision(con, engines, now=now, run_id=run_id)
    return engines, False
