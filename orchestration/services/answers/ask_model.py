"""Answer a question by rules, and by the athlete's language model where rules do not."""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from uuid import uuid4

import duckdb

from coach_agent.asking.wish import Wish, wish_in
from coach_agent.domain.model_calls import Outcome
from coach_agent.domain.redaction import Scrub
from coach_agent.domain.secret_values import secrets_scrubber
from coach_agent.llm.ask_answer import AskAnswer, Proven, ask_call, proven_claims
from coach_agent.llm.ledger import record_calls
from coach_agent.llm.rejected_texts import record_rejected_texts
from coach_agent.llm.traces import Tracing
from coach_agent.profile.llm_settings import Provider
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.proposals import ProposalError
from orchestration.config.settings import Settings
from orchestration.services.answers.ask import Reply, ask, models_for
from orchestration.services.answers.proposals import WishError, proposal_text, propose, request_of
from orchestration.services.answers.read_tools import Conversation, shown_lines
from orchestration.services.answers.training import Training
from orchestration.services.language_models.traces import tracing_of
from orchestration.services.planning.refine import chain_of, problems_of
from orchestration.storage.warehouse import Connect, open_warehouse

_REST = "Your data does not answer the rest of the question."
_NO_ANSWER = "{model} found no answer in your data."
_BUSY_S = 10.0
"""Time to wait for a busy warehouse, which holds the ledger (s)."""

_log = logging.getLogger(__name__)


def answer_question(
    settings: Settings,
    profile: AthleteProfile,
    training: Training,
    question: str,
    clock: Callable[[], datetime],
) -> Reply:
    """Return the rules' answer; if they do not understand the question, that of a model.

    A wish for an action is stored as a proposal. The model only selects lines of read tools, and
    code shows them. Without a provider, without "ask" in `llm.questions`, with a red flag, and
    after any failure the rules' reply stays, with the reason in `note`.
    """
    reply = ask(training, secrets_scrubber(settings.keys)(question))
    wish = wish_in(reply.question) if reply.status in {"not_understood", "declined"} else None
    providers = models_for(profile, settings.keys, training, reply)
    if wish is None and not providers:
        return reply

    def connect() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return open_warehouse(settings.warehouse, wait_s=_BUSY_S)

    try:
        if wish is not None:
            return _proposed(connect, profile, training, reply, [wish], "rules", clock)
        tracing = tracing_of(settings, profile)
        return _ask_model(connect, profile, training, reply, providers, clock, tracing)
    except Exception as error:
        # A failure around a model or the warehouse must not cost the rules' reply.
        _log.exception("The question got no further answer")
        what = "The language model was not asked" if wish is None else "Nothing was proposed"
        return reply.model_copy(update={"note": f"{what}: {type(error).__name__}."})


def _ask_model(
    connect: Connect,
    profile: AthleteProfile,
    training: Training,
    reply: Reply,
    providers: tuple[Provider, ...],
    clock: Callable[[], datetime],
    tracing: Tracing | None,
) -> Reply:
    llm = profile.llm
    conversation = Conversation(training, frozenset(llm.leave_out), frozenset(llm.ask_reads))
    titles = tuple(each.title for each in training.exercises)
    call = ask_call(reply.question, conversation.tools, lambda: conversation.lines, titles)
    asked_at = clock()
    with chain_of(connect, profile, providers, clock, tracing) as chain:
        outcome = chain.ask(call)
        proven = Proven((), ())
        if outcome.answer is not None:
            proven = proven_claims(outcome.answer, conversation.lines, titles)
        _record(connect, profile, outcome, proven, chain.scrub, asked_at)
    if outcome.answer is None:
        return reply.model_copy(update={"note": "; ".join(problems_of(outcome.records)) or None})
    # Titles and notes that a tool returned could make a model wish for something.
    if outcome.answer.wishes and not conversation.was_called:
        wishes, by = outcome.answer.wishes, outcome.decided_by
        return _proposed(connect, profile, training, reply, wishes, by, clock)
    if not proven.lines:
        note = _NO_ANSWER.format(model=outcome.decided_by)
        return reply.model_copy(update={"note": note})
    text, facts = shown_lines(conversation.results, proven.lines)
    if not outcome.answer.is_complete or proven.rejected:
        text += f"\n{_REST}"
    return Reply(
        question=reply.question,
        status="answered",
        text=text,
        facts=facts,
        answered_by=outcome.decided_by,
    )


def _proposed(
    connect: Connect,
    profile: AthleteProfile,
    training: Training,
    reply: Reply,
    wishes: Sequence[Wish],
    proposed_by: str,
    clock: Callable[[], datetime],
) -> Reply:
    """Store the wishes as proposals, and reply with them; those that cannot be are reasons."""
    lines: list[str] = []
    numbers: list[int] = []
    for wish in wishes:
        try:
            request = request_of(wish, training, profile)
            with connect() as con:
                stored = propose(con, request, proposed_by=proposed_by, now=clock())
        except (WishError, ProposalError) as error:
            lines.append(f"I cannot propose this. {error}")
            continue
        numbers.append(stored.number)
        lines += [
            f"Proposal {stored.number}: {proposal_text(request)}",
            f"Nothing is done until you accept it: spotter ask --accept {stored.number}",
        ]
    return Reply(
        question=reply.question,
        status="proposed" if numbers else "declined",
        text="\n".join(lines),
        answered_by=proposed_by,
        proposals=tuple(numbers),
    )


def _record(
    connect: Connect,
    profile: AthleteProfile,
    outcome: Outcome[AskAnswer],
    proven: Proven,
    scrub: Scrub,
    asked_at: datetime,
) -> None:
    """Record the requests and the rejected claims in the ledger."""
    run_id = f"ask {uuid4()}"
    with connect() as con:
        record_calls(con, profile.id, outcome.records, asked_at=asked_at, run_id=run_id)
        record_rejected_texts(
            con,
            profile.id,
            proven.rejected,
            call_name="ask",
            decided_by=outcome.decided_by,
            scrub=scrub,
            now=asked_at,
            run_id=run_id,
        )
