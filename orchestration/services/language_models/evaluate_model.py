"""Ask language models about stored decisions again, and score their answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import duckdb

from coach_agent.domain.model_calls import CallRecord
from coach_agent.llm.chain import Chain, known_cost
from coach_agent.llm.ledger import record_calls
from coach_agent.llm.model_scores import AnswerScore, score_answer
from coach_agent.llm.planner import Proposal, proposal, refine
from coach_agent.llm.traces import Tracing
from coach_agent.planning.decide import decide
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.profile.llm_settings import Limits, Provider
from coach_agent.profile.model import AthleteProfile
from coach_agent.verification.chain import parse_recorded_profile, stored_situation
from coach_agent.verification.replay import read_decision
from hevy_connector.raw.transactions import run_in_transaction
from orchestration.config.settings import SettingsError
from orchestration.storage.warehouse import Connect

Clock = Callable[[], datetime]


@dataclass(frozen=True)
class EvaluatedModel:
    """A model, and the score of each of its answers."""

    model: str
    scores: tuple[AnswerScore, ...]


def with_model(profile: AthleteProfile, name: str) -> AthleteProfile:
    """Return the profile with one provider, and one of its models for all questions.

    Raises:
        SettingsError: `name` is not PROVIDER:MODEL with a provider of the profile.
    """
    kind, _, model = name.partition(":")
    found = [each for each in profile.llm.providers if each.kind == kind and model]
    if not found:
        kinds = ", ".join(each.kind for each in profile.llm.providers)
        raise SettingsError(f"--model {name}: use PROVIDER:MODEL with a provider of: {kinds}.")
    provider = found[0].model_copy(update={"cheap": model, "strong": model})
    llm = profile.llm.model_copy(update={"providers": (provider,)})
    return profile.model_copy(update={"llm": llm})


def stored_proposal(con: duckdb.DuckDBPyConnection, profile: AthleteProfile, name: str) -> Proposal:
    """Return the question about a past decision, from its stored situation and profile.

    Raises:
        SettingsError: the decision has no stored situation, or leads to no plan now.
    """
    decided = read_decision(con, name, profile.id)
    situation = None if decided.stored is None else stored_situation(decided.stored)
    if situation is None or decided.profile_json is None:
        raise SettingsError(
            f"{name} was made before situations were stored, so it cannot be made again."
        )
    racks = decided.engine_input.rules.guessed_racks
    then = parse_recorded_profile(decided.profile_json, racks)
    then = then.model_copy(update={"llm": profile.llm})
    try:
        decision = decide(situation, then)
    except GuardrailError:
        decision = None
    if decision is None:
        raise SettingsError(f"By the rules of this version nothing is planned for {name}.")
    return proposal(situation, then, decision)


def stored_questions(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, count: int
) -> list[Proposal]:
    """Return the questions about the last decisions of the rules, newest first, each once.

    Decisions from before situations were stored are left out.
    """
    rows: list[tuple[str]] = con.execute(
        """
        select decision_id from coach.decisions
        where athlete_id = $1 and model is null
        order by decided_at desc, decision_id
        """,
        [profile.id],
    ).fetchall()
    questions: dict[str, Proposal] = {}
    for (decision_id,) in rows:
        if len(questions) == count:
            break
        try:
            question = stored_proposal(con, profile, decision_id)
        except SettingsError:
            # It cannot be asked again; the caller compares the number with the one it asked for.
            continue
        questions.setdefault(question.call.prompt.sha256, question)
    return list(questions.values())


def evaluate_models(
    connect: Connect,
    profile: AthleteProfile,
    providers: Mapping[str, Provider],
    questions: Sequence[Proposal],
    limits: Limits,
    *,
    at_once: int,
    clock: Clock,
    run_id: str,
    on_answer: Callable[[], None] = lambda: None,
    tracing: Tracing | None = None,
) -> list[EvaluatedModel]:
    """Ask each model all questions, `at_once` at a time, and score the answers.

    `providers` are by the name of their model. `limits` hold for each model: the timeout for all of
    its questions, and the cost, which the questions under way may exceed. Requests are recorded in
    the ledger; plans and stored answers do not change.
    """
    evaluated = []
    for name, provider in providers.items():
        records: list[CallRecord] = []
        scores: dict[int, AnswerScore] = {}
        with (
            Chain([provider], limits, partial(known_cost, records), tracing=tracing) as chain,
            _pool(at_once) as pool,
        ):
            asked = {pool.submit(refine, each, chain): i for i, each in enumerate(questions)}
            for answer in as_completed(asked):
                question, refined = questions[asked[answer]], answer.result()
                records += refined.records
                _record(connect, profile, question, refined.records, clock(), f"{run_id} {name}")
                scores[asked[answer]] = score_answer(question, refined)
                on_answer()
        evaluated.append(EvaluatedModel(name, tuple(scores[i] for i in range(len(questions)))))
    return evaluated


@contextmanager
def _pool(size: int) -> Iterator[ThreadPoolExecutor]:
    """Yield a pool of threads; after an error or an interrupt no further question begins."""
    pool = ThreadPoolExecutor(size)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _record(
    connect: Connect,
    profile: AthleteProfile,
    question: Proposal,
    records: Sequence[CallRecord],
    answered_at: datetime,
    run_id: str,
) -> None:
    """Record the requests of a question at once: their cost counts for the day."""

    def write() -> None:
        record_calls(
            con,
            profile.id,
            records,
            asked_at=answered_at,
            run_id=run_id,
            decision_id=question.decision.decision_id,
        )

    with connect() as con:
        run_in_transaction(con, write)
