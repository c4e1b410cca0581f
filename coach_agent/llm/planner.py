"""The entry point of the language models: from the engine's decision to a model's plan."""

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from coach_agent.domain.model_calls import ENGINE, CallRecord, Outcome, TypedCall
from coach_agent.llm.answer_schema import PlanAnswer
from coach_agent.llm.answers import Answered
from coach_agent.llm.comments.comment import RejectedText
from coach_agent.llm.plan_answer import AnswerError, apply_answer_with_texts
from coach_agent.llm.plan_call import plan_call, prompt_rejections
from coach_agent.llm.prompting import Wishes
from coach_agent.llm.shadow import ShadowScore
from coach_agent.llm.text_policy import FIRST, text_policy
from coach_agent.llm.windows import MayChange, PlanWindows, plan_windows
from coach_agent.planning.decision import Decision
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.profile.llm_settings import LlmSettings
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation

T = TypeVar("T", bound=BaseModel)


class Asks(Protocol):
    """Interface for questions to models, implemented by `Chain`."""

    def ask(self, call: TypedCall[T]) -> Outcome[T]:
        """Return the answer to a question, with its requests."""
        ...


@dataclass(frozen=True)
class Proposal:
    """A decision of the engine, and the question for a model about it."""

    decision: Decision
    windows: PlanWindows
    wishes: Wishes
    call: TypedCall[PlanAnswer]


@dataclass(frozen=True)
class RefinementResult:
    """The result of a refinement. Without a decision the engine's own is the fallback.

    `decided_by` is provider and model, or "engine"; `records` are the requests, empty for a cached
    answer. `rejected` are the rejected texts of the answer.
    """

    decision: Decision | None
    answered: Answered | None
    decided_by: str
    records: tuple[CallRecord, ...]
    rejected: tuple[RejectedText, ...] = ()


def proposal(situation: Situation, profile: AthleteProfile, decision: Decision) -> Proposal:
    """Build the question about a decision of this situation."""
    wishes = Wishes.of(profile)
    windows = plan_windows(situation, profile, decision, may_change(profile.llm))
    return Proposal(decision, windows, wishes, plan_call(windows, wishes))


def may_change(settings: LlmSettings) -> MayChange:
    """Return whether a model may change numbers; with "earned" it always may, in shadow."""
    return "never" if settings.may_change_numbers == "never" else "within_windows"


def is_in_shadow(settings: LlmSettings, shadow_score: ShadowScore) -> bool:
    """Return whether the model's plan is only stored in shadow, and the engine's is published."""
    must_earn = settings.may_change_numbers == "earned"
    return settings.shadow or (must_earn and not shadow_score.is_earned)


def refine(request: Proposal, asks: Asks) -> RefinementResult:
    """Ask for a plan and accept it only if it passes windows and guardrails."""
    outcome = asks.ask(request.call)
    if outcome.answer is None:
        return RefinementResult(None, None, ENGINE, outcome.records)
    answered = Answered(
        answer_json=outcome.answer.model_dump_json(),
        decided_by=outcome.decided_by,
        prompt_version=request.call.prompt_version,
        prompt_sha256=request.call.prompt.sha256,
    )
    try:
        decision, rejected = _decision(request, outcome.answer, answered)
    except (AnswerError, GuardrailError) as error:
        # The windows allowed a plan that the guardrails reject: a bug, so it is reported.
        *before, last = outcome.records
        refused = replace(last, outcome="error", error=f"{type(error).__name__}: {error}"[:300])
        return RefinementResult(None, None, ENGINE, (*before, refused))
    return RefinementResult(decision, answered, outcome.decided_by, outcome.records, rejected)


def refine_again(request: Proposal, answered: Answered) -> RefinementResult | None:
    """Apply a stored answer again; None if it does not fit any more.

    It does not fit if the athlete has rejected a plan of the routine since.
    """
    if answered.prompt_version != request.call.prompt_version:
        return None
    if answered.answered_at is not None and any(
        each.rejected_at > answered.answered_at
        for each in prompt_rejections(request.windows, request.wishes)
    ):
        return None
    try:
        answer = PlanAnswer.model_validate_json(answered.answer_json)
        decision, rejected = _decision(request, answer, answered)
    except (ValidationError, AnswerError, GuardrailError):
        return None
    return RefinementResult(decision, answered, answered.decided_by, (), rejected)


def _decision(
    request: Proposal, answer: PlanAnswer, answered: Answered
) -> tuple[Decision, tuple[RejectedText, ...]]:
    """Build the engine's decision with the model's plan, under its own id, and the rejected
    texts.
    """
    plan, rejected = apply_answer_with_texts(
        answer,
        request.windows,
        decided_by=answered.decided_by,
        prompt_version=answered.prompt_version,
        language=request.wishes.language,
    )
    identity = answer_identity(request.decision.decision_id, answered, text_policy())
    decision = replace(
        request.decision,
        decision_id=f"dec_{identity}",
        plan_id=f"plan_{identity}",
        plan=plan,
        prompt_version=answered.prompt_version,
        model=answered.decided_by,
        engine_decision_id=request.decision.decision_id,
        wishes_json=_wishes_json(request),
    )
    return decision, rejected


def answer_identity(engine_decision_id: str, answered: Answered, policy: str) -> str:
    """Return the hash that ends the ids of a model's decision and plan.

    `policy` is the version of the rules that the texts were rendered by.
    """
    parts = (engine_decision_id, answered.decided_by, answered.answer_json, answered.prompt_version)
    # Ids of plans of the first policy do not include it.
    versions = () if policy == FIRST else (policy,)
    return sha256("\0".join((*parts, *versions)).encode()).hexdigest()[:16]


def _wishes_json(request: Proposal) -> str:
    """Serialize the athlete's settings that windows and prompt depend on.

    The language is in the profile, which is stored with the decision.
    """
    may_change = "within_windows" if request.windows.is_free else "never"
    leave_out = sorted(request.wishes.leave_out)
    return json.dumps({"leave_out": leave_out, "may_change_numbers": may_change}, sort_keys=True)


def rebuilt(
    situation: Situation,
    profile: AthleteProfile,
    engines: Decision,
    wishes_json: str,
    answered: Answered,
) -> Decision | None:
    """Rebuild a model's decision from its stored answer, windows, guardrails and text.

    Returns None if the answer was given to another version of the prompt.

    Raises:
        AnswerError, GuardrailError: the answer does not fit the windows or the limits.
        ValidationError: the schema of settings or answer is unknown to this code.
    """
    llm = LlmSettings.model_validate_json(wishes_json)
    request = proposal(situation, profile.model_copy(update={"llm": llm}), engines)
    if answered.prompt_version != request.call.prompt_version:
        return None
    decision, _ = _decision(request, PlanAnswer.model_validate_json(answered.answer_json), answered)
    return decision
