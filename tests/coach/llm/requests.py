"""Records of requests, with what a test is not about filled in."""

from dataclasses import replace
from typing import Any

from coach_agent.domain.model_calls import CallRecord

_REQUEST = CallRecord(
    name="plan",
    provider="compatible",
    model="qwen3",
    tier="strong",
    attempt=1,
    outcome="ok",
    error=None,
    prompt_sha256="f" * 64,
    prompt_version="v1",
    input_tokens=None,
    cached_tokens=None,
    cache_write_tokens=None,
    output_tokens=None,
    reasoning_tokens=None,
    cost_usd=None,
    seconds=1.5,
)


def request(**values: Any) -> CallRecord:
    """A request with these values."""
    return replace(_REQUEST, **values)
