"""Records of questions: request, response and cost."""

from typing import TypeVar

from pydantic import BaseModel

from coach_agent.domain.model_calls import CallOutcome, CallRecord, TypedCall
from coach_agent.profile.llm_settings import Provider

T = TypeVar("T", bound=BaseModel)


def unsent_record(
    provider: Provider, call: TypedCall[T], outcome: CallOutcome, reason: str
) -> CallRecord:
    """Build the row of a provider without a known request."""
    return CallRecord(
        name=call.name,
        provider=provider.name,
        model=provider.settings.model(call.tier),
        tier=call.tier,
        attempt=0,
        outcome=outcome,
        error=reason,
        prompt_sha256=call.prompt.sha256,
        prompt_version=call.prompt_version,
        input_tokens=None,
        cached_tokens=None,
        cache_write_tokens=None,
        output_tokens=None,
        reasoning_tokens=None,
        cost_usd=None,
        seconds=0.0,
    )
