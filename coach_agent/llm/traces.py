"""Traces of questions to language models: all messages of a conversation, with its tool calls."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from coach_agent.domain.model_calls import CallName
from coach_agent.domain.values import Value


class Trace(Value):
    """One question to one provider. `messages` is JSON of the library, keys hidden.

    `error` is null for a valid answer.
    """

    name: CallName
    provider: str
    model: str
    prompt_version: str
    seconds: float
    error: str | None
    messages: list[Any]


@dataclass(frozen=True)
class Tracing:
    """Where traces go. `write` receives each one; `is_instrumented` turns on the spans of
    OpenTelemetry, without any text.
    """

    write: Callable[[Trace], None] | None = None
    is_instrumented: bool = False
