"""Asking language models for all athletes of a run at once, and writing for one at a time.

An athlete's questions come one after the other, the plan's first, so that each knows what those
before it cost. Whatever goes wrong around them, the rules' plan is recorded already and stands.
Of whom no model is asked, the rules review the week: of many athletes in one reading and writing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain
from threading import Lock

import duckdb

from coach_agent.domain.model_calls import CallRecord, SmallQuestion
from coach_agent.domain.plan import Plan
from coach_agent.domain.redaction import keys_hidden, scrubber
from coach_agent.llm.chain import Chain
from coach_agent.llm.ledger import record_calls
from coach_agent.llm.rejected_texts import record_rejected_texts
from coach_agent.llm.remarking import Remarked, open_questions, remark_on, said_by_rules
from coach_agent.planning.decision import Decision
from coach_agent.planning.situation import Situation
from coach_agent.profile.llm_settings import usable_providers
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.comments import (
    Remark,
    read_remark,
    read_remarks_of,
    record_remark,
    record_remarks,
)
from hevy_connector.raw.transactions import committed
from orchestration.runs.infrastructure_errors import is_machines, tells_of_a_lost_catalog
from orchestration.services.refine import Clock, Refinement, chain_of, problems_of, refine_next
from orchestration.storage.warehouse import Connect

AT_ONCE = 8
"""Athletes whose models are asked at the same time; a question waits, it does not work."""


@dataclass(frozen=True)
class Case:
    """An athlete with the situation and what the rules decided in it, if anything."""

    profile: AthleteProfile
    situation: Situation
    decision: Decision | None


@dataclass(frozen=True)
class Consultation:
    """What came of an athlete's questions.

    `refinement` is None where no model was asked for a plan. `records` are the requests of the
    other questions. `problems` are for somebody to look at, `errors` are faults of ours.
    """

    refinement: Refinement | None
    records: tuple[CallRecord, ...]
    problems: tuple[str, ...]
    errors: tuple[Exception, ...]


def consult_all(
    connect: Connect,
    cases: Sequence[Case],
    keys: Mapping[str, str],
    *,
    clock: Clock,
    run_id: str,
) -> list[Consultation]:
    """Ask for each athlete, in this order; it takes about as long as the slowest of them.

    No error of one athlete's questions is raised: they are told.

    Raises:
        CatalogLostError, duckdb.Error: a lake lost its catalog, which is nobody's alone.
    """
    if not cases:
        return []
    in_turn = _one_at_a_time(connect)
    providers = [usable_providers(case.profile.llm, keys) for case in cases]
    every_key = [provider.key for each in providers for provider in each]
    to_ask = [case for case, each in zip(cases, providers, strict=True) if each]
    by_rules = [case for case, each in zip(cases, providers, strict=True) if not each]

    def ask(case: Case) -> Consultation:
        return _consult(in_turn, case, keys, clock, run_id)

    # Chains hide their own keys alone, and come and go beside each other.
    with keys_hidden(scrubber(every_key)), ThreadPoolExecutor(AT_ONCE, "ask") as pool:
        asked = pool.map(ask, to_ask)
        reviewed = _review_by_rules(in_turn, by_rules, clock, run_id)
        found = {
            case.profile.id: consultation
            for case, consultation in chain(
                zip(to_ask, asked, strict=True), zip(by_rules, reviewed, strict=True)
            )
        }
    return [found[case.profile.id] for case in cases]


def _one_at_a_time(connect: Connect) -> Connect:
    """The warehouse has one writer: nobody opens it while another athlete's rows are written."""
    lock = Lock()

    @contextmanager
    def in_turn() -> Iterator[duckdb.DuckDBPyConnection]:
        with lock, connect() as con:
            yield con

    return in_turn


def _consult(
    connect: Connect, case: Case, keys: Mapping[str, str], clock: Clock, run_id: str
) -> Consultation:
    profile, situation, decision = case.profile, case.situation, case.decision
    providers = usable_providers(profile.llm, keys)
    refinement: Refinement | None = None
    remarked: tuple[Remarked, ...] = ()
    problems: list[str] = []
    errors: list[Exception] = []

    def attempt(step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:
            if tells_of_a_lost_catalog(error):
                raise
            # No fault around a model may take away what the rules decided, or are to decide next.
            errors.append(error)
            problems.append(f"{type(error).__name__}: {error}")

    def ask_for_plan(chain: Chain) -> None:
        nonlocal refinement
        if decision is not None and providers:
            refinement = refine_next(
                connect, profile, situation, decision, chain, clock=clock, run_id=run_id
            )
            problems.extend(problems_of(refinement.records))

    def ask_beside(chain: Chain) -> None:
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
        problems.extend(_problems_beside(remarked))

    def ask() -> None:
        with chain_of(connect, profile, providers, clock) as chain:
            attempt(partial(ask_for_plan, chain))
            attempt(partial(ask_beside, chain))

    attempt(ask)
    records = tuple(record for each in remarked for record in each.records)
    return Consultation(refinement, records, tuple(problems), tuple(errors))


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
) -> tuple[Remarked, ...]:
    """Settle what is open about the latest workout, stalled lifts and the last week, and keep it.

    `can_ask`: the chain has somebody to ask; else weeks are reviewed by the rules.
    """
    with connect() as con:

        def known(kind: SmallQuestion, subject: str) -> Remark | None:
            return read_remark(con, profile.id, kind, subject)

        found = open_questions(situation, profile, plan, known, can_ask=can_ask)
    remarked = []
    for asked in found:
        asked_at = clock()
        done = remark_on(asked, chain, asked_at)
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
            if done.remark is not None:
                record_remark(con, profile.id, done.remark, run_id=run_id)
        remarked.append(done)
    return tuple(remarked)


def _review_by_rules(
    connect: Connect, cases: Sequence[Case], clock: Clock, run_id: str
) -> list[Consultation]:
    """What came of athletes of whom no model is asked, in this order.

    What the rules say of their week is read and kept once; where that fails, each has its turn.
    """
    if not cases:
        return []
    try:
        with connect() as con:
            before = read_remarks_of(con, [case.profile.id for case in cases])
        remarks = [
            (case.profile.id, remark)
            for case in cases
            for remark in _said_by_rules(case, before, clock())
        ]
        if remarks:
            with connect() as con:
                committed(con, lambda: record_remarks(con, remarks, run_id=run_id))
    except Exception as error:
        if tells_of_a_lost_catalog(error):
            raise
        # No fault around what is said may take away what the rules decided, or are to decide next.
        if len(cases) == 1 or is_machines(error):
            told = Consultation(None, (), (f"{type(error).__name__}: {error}",), (error,))
            return [told for _ in cases]
        return [
            alone for case in cases for alone in _review_by_rules(connect, [case], clock, run_id)
        ]
    return [Consultation(None, (), (), ()) for _ in cases]


def _said_by_rules(
    case: Case, before: Mapping[tuple[str, SmallQuestion, str], Remark], now: datetime
) -> Iterator[Remark]:
    profile = case.profile
    plan = None if case.decision is None else case.decision.plan

    def known(kind: SmallQuestion, subject: str) -> Remark | None:
        return before.get((profile.id, kind, subject))

    for asked in open_questions(case.situation, profile, plan, known, can_ask=False):
        remark = said_by_rules(asked, now)
        if remark is not None:
            yield remark


def _problems_beside(remarked: Sequence[Remarked]) -> Iterator[str]:
    """Who did not answer the small questions; who was not asked any more was told of before."""
    for each in remarked:
        asked = [record for record in each.records if record.outcome != "skipped"]
        yield from (f"{each.kind}: {problem}" for problem in problems_of(asked))
