"""Call language models for all athletes of a run concurrently, with one writer at a time.

The questions of an athlete are sequential, the plan first, so that each one sees the cost of those
before it. After any failure the rules' plan, already recorded, stays active. Athletes without a
model get a rule-based weekly review, read and written in one batch.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain
from threading import Lock

import duckdb

from coach_agent.domain.model_calls import CallRecord, SmallQuestion
from coach_agent.domain.plan import Plan
from coach_agent.domain.redaction import hide_keys, scrubber
from coach_agent.llm.chain import Chain
from coach_agent.llm.ledger import record_calls
from coach_agent.llm.open_questions import (
    CommentResult,
    comment_on,
    is_week_open,
    open_questions,
    rule_based_comment,
)
from coach_agent.llm.rejected_texts import record_rejected_texts
from coach_agent.llm.traces import Tracing
from coach_agent.planning.weekly_review import last_week
from coach_agent.profile.llm_settings import usable_providers
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from coach_agent.store.comments import (
    CoachComment,
    read_comment,
    read_comments_of,
    record_comment,
    record_comments,
)
from hevy_connector.raw.transactions import run_in_transaction
from orchestration.runs.infrastructure_errors import is_catalog_lost, is_infrastructure_error
from orchestration.services.planning.plan import DecisionResult
from orchestration.services.planning.refine import (
    Clock,
    Refinement,
    chain_of,
    problems_of,
    refine_next,
)
from orchestration.storage.warehouse import Connect

AT_ONCE = 8
"""Athletes with concurrent model calls, which mostly wait."""


@dataclass(frozen=True)
class ModelResult:
    """Result of an athlete's questions.

    `refinement` is None if no model was called for a plan. `records` are the requests of the other
    questions. `problems` are messages for the operator, `errors` are unexpected exceptions.
    """

    refinement: Refinement | None
    records: tuple[CallRecord, ...]
    problems: tuple[str, ...]
    errors: tuple[Exception, ...]


def ask_models(
    connect: Connect,
    cases: Sequence[DecisionResult],
    keys: Mapping[str, str],
    *,
    clock: Clock,
    run_id: str,
    tracing: Callable[[AthleteProfile], Tracing | None] = lambda profile: None,
) -> list[ModelResult]:
    """Run the questions of each athlete, in this order; as slow as the slowest athlete.

    An error in one athlete's questions is part of the result and never raised.

    Raises:
        CatalogLostError, duckdb.Error: the lake lost its catalog, which concerns all athletes.
    """
    if not cases:
        return []
    in_turn = _serialize(connect)
    providers = [usable_providers(case.profile.llm, keys) for case in cases]
    every_key = [provider.key for each in providers for provider in each]
    to_ask = [case for case, each in zip(cases, providers, strict=True) if each]
    by_rules = [case for case, each in zip(cases, providers, strict=True) if not each]

    def ask(case: DecisionResult) -> ModelResult:
        return _ask_models(in_turn, case, keys, clock, run_id, tracing(case.profile))

    # Chains hide only their own keys and overlap in time.
    with hide_keys(scrubber(every_key)), ThreadPoolExecutor(AT_ONCE, "ask") as pool:
        asked = pool.map(ask, to_ask)
        reviewed = _review_by_rules(in_turn, by_rules, clock, run_id)
        found = {
            case.profile.id: consultation
            for case, consultation in chain(
                zip(to_ask, asked, strict=True), zip(by_rules, reviewed, strict=True)
            )
        }
    return [found[case.profile.id] for case in cases]


def _serialize(connect: Connect) -> Connect:
    """Serialize access to the warehouse, which has one writer."""
    lock = Lock()

    @contextmanager
    def in_turn() -> Iterator[duckdb.DuckDBPyConnection]:
        with lock, connect() as con:
            yield con

    return in_turn


def _ask_models(
    connect: Connect,
    case: DecisionResult,
    keys: Mapping[str, str],
    clock: Clock,
    run_id: str,
    tracing: Tracing | None,
) -> ModelResult:
    profile, situation = case.profile, case.situation
    decision = case.decision and replace(case.decision, situation=situation)
    providers = usable_providers(profile.llm, keys)
    refinement: Refinement | None = None
    remarked: tuple[CommentResult, ...] = ()
    problems: list[str] = []
    errors: list[Exception] = []

    def attempt(step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:
            if is_catalog_lost(error):
                raise
            # A failure around a model must not affect the current or next decision of the rules.
            errors.append(error)
            problems.append(f"{type(error).__name__}: {error}")

    def ask_for_plan(chain: Chain) -> None:
        nonlocal refinement
        if decision is not None and providers:
            refinement = refine_next(
                connect, profile, situation, decision, chain, clock=clock, run_id=run_id
            )
            problems.extend(problems_of(refinement.records))

    def ask_concurrently(chain: Chain) -> None:
        nonlocal remarked
        standing = decision if refinement is None else refinement.decision
        remarked = answer_small_questions(
            connect,
            profile,
            situation,
            None if standing is None else standing.plan,
            chain,
            can_ask=bool(providers),
            clock=clock,
            run_id=run_id,
        )
        problems.extend(_small_question_problems(remarked))

    def ask() -> None:
        with chain_of(connect, profile, providers, clock, tracing) as chain:
            attempt(partial(ask_for_plan, chain))
            attempt(partial(ask_concurrently, chain))

    attempt(ask)
    records = tuple(record for each in remarked for record in each.records)
    return ModelResult(refinement, records, tuple(problems), tuple(errors))


def answer_small_questions(
    connect: Connect,
    profile: AthleteProfile,
    situation: Situation,
    plan: Plan | None,
    chain: Chain,
    *,
    can_ask: bool,
    clock: Clock,
    run_id: str,
) -> tuple[CommentResult, ...]:
    """Answer the open questions on the latest workout, stalled lifts and the last week; store them.

    `can_ask`: the chain has a provider; otherwise only weekly reviews are written, by the rules.
    """
    with connect() as con:

        def known(kind: SmallQuestion, subject: str) -> CoachComment | None:
            return read_comment(con, profile.id, kind, subject)

        found = open_questions(situation, profile, plan, known, can_ask=can_ask)
    remarked = []
    for asked in found:
        asked_at = clock()
        done = comment_on(asked, chain, asked_at)
        with connect() as con:
            record_calls(con, profile.id, done.records, asked_at=asked_at, run_id=run_id)
            record_rejected_texts(
                con,
                profile.id,
                done.rejected,
                call_name=asked.kind,
                decided_by=done.decided_by,
                scrub=chain.scrub,
                now=asked_at,
                run_id=run_id,
            )
            if done.comment is not None:
                record_comment(con, profile.id, done.comment, run_id=run_id)
        remarked.append(done)
    return tuple(remarked)


def _review_by_rules(
    connect: Connect, cases: Sequence[DecisionResult], clock: Clock, run_id: str
) -> list[ModelResult]:
    """Return the result for athletes without a model, in this order.

    Their weekly reviews are read and stored in one batch; if it fails, one by one.
    """
    if not cases:
        return []
    try:
        with connect() as con:
            before = read_comments_of(con, [case.profile.id for case in cases])
        remarks = [
            (case.profile.id, comment)
            for case in cases
            for comment in _rule_based_comments(case, before, clock())
        ]
        if remarks:
            with connect() as con:
                run_in_transaction(con, lambda: record_comments(con, remarks, run_id=run_id))
    except Exception as error:
        if is_catalog_lost(error):
            raise
        # A failure around comments must not affect the current or next decision of the rules.
        if len(cases) == 1 or is_infrastructure_error(error):
            told = ModelResult(None, (), (f"{type(error).__name__}: {error}",), (error,))
            return [told for _ in cases]
        return [
            alone for case in cases for alone in _review_by_rules(connect, [case], clock, run_id)
        ]
    return [ModelResult(None, (), (), ()) for _ in cases]


def _rule_based_comments(
    case: DecisionResult,
    before: Mapping[tuple[str, SmallQuestion, str], CoachComment],
    now: datetime,
) -> Iterator[CoachComment]:
    profile = case.profile
    plan = None if case.decision is None else case.decision.plan

    def known(kind: SmallQuestion, subject: str) -> CoachComment | None:
        return before.get((profile.id, kind, subject))

    # Only a new review needs the situation, which is built for it.
    week = last_week(case.known.today)
    stored = known("weekly_review", week.isoformat())
    if not is_week_open(case.known.trained_at, profile, week, stored):
        return
    for asked in open_questions(case.situation, profile, plan, known, can_ask=False):
        comment = rule_based_comment(asked, now)
        if comment is not None:
            yield comment


def _small_question_problems(remarked: Sequence[CommentResult]) -> Iterator[str]:
    """Yield failed requests of the small questions; skipped ones were reported before."""
    for each in remarked:
        asked = [record for record in each.records if record.outcome != "skipped"]
        yield from (f"{each.kind}: {problem}" for problem in problems_of(asked))
