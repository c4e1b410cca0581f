"""Questions to language models and their answers, as values independent of a provider."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

Tier = Literal["cheap", "strong"]
SmallQuestion = Literal["insight", "stall", "weekly_review"]
CallName = Literal["plan", "ask", "memories"] | SmallQuestion
ExtraQuestion = Literal["insight", "stall", "weekly_review", "ask", "memories"]
CallOutcome = Literal["ok", "retry", "error", "skipped"]
ENGINE = "engine"

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class Prompt:
    """A prompt, most stable part first: providers cache a common beginning.

    `static` holds our instructions, unchanged from a file; `profile` changes seldom (phase,
    profile, equipment); `recent` holds the day (history, proposal, windows) and, at its very end
    and as data, the athlete's own text.
    """

    static: str
    profile: str
    recent: str

    @property
    def text(self) -> str:
        """The whole prompt as it is sent."""
        return f"{self.static}\n{self.profile}\n{self.recent}"

    @property
    def sha256(self) -> str:
        """The hex hash of the three parts; the same text split elsewhere hashes differently."""
        parts = (self.static, self.profile, self.recent)
        return sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class ReadTool:
    """A function that a model may call before it answers. It reads, and has no effect.

    `parameters` is the JSON schema of its arguments. `run` receives them unchecked, on any thread,
    and returns a text also for invalid ones.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True)
class TypedCall(Generic[T]):
    """One question with the type of its answer.

    `tools` may be called up to `most_tool_calls` times in all.
    `check` returns a sentence for each broken rule, with slot, rule, given and allowed value, and
    nothing for a valid answer. `prompt_version` is the hash of the static prompt and of the
    answer's schema.
    """

    name: CallName
    tier: Tier
    prompt: Prompt
    output: type[T]
    check: Callable[[T], tuple[str, ...]]
    prompt_version: str
    tools: tuple[ReadTool, ...] = ()
    most_tool_calls: int = 0


@dataclass(frozen=True)
class CallRecord:
    """A request and its outcome: a row of `coach.llm_calls`.

    Tokens are null if the provider did not return them; `input_tokens` includes the cached ones.
    `cost_usd` is null if the price is unknown, never zero. `error` has keys removed and at most 300
    characters. `feedback` is the text sent to the next attempt. `prompt_text` is the first prompt
    sent, None for a request that was never sent. `answer_text` is the response, accepted or not.
    Keys are hidden in both.
    """

    name: CallName
    provider: str
    model: str
    tier: Tier
    attempt: int
    outcome: CallOutcome
    error: str | None
    prompt_sha256: str
    prompt_version: str
    input_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: Decimal | None
    seconds: float
    feedback: tuple[str, ...] = ()
    prompt_text: str | None = field(default=None, repr=False)
    answer_text: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """The result of a call; without an answer the caller falls back to its rule-based twin.

    `decided_by` is provider and model, such as "google:gemini-3.8-flash", or "engine".
    """

    answer: T | None
    decided_by: str
    records: tuple[CallRecord, ...] = ()
