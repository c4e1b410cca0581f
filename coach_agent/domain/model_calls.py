"""What is asked of a language model and what comes back: plain values, no provider."""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

Tier = Literal["cheap", "strong"]
SmallQuestion = Literal["insight", "stall", "weekly_review"]
CallName = Literal["plan"] | SmallQuestion
CallOutcome = Literal["ok", "retry", "error", "skipped"]
ENGINE = "engine"

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class Prompt:
    """What is sent, the part that changes least first: providers cache a common beginning.

    `static` are instructions of ours, literally a file; `profile` is what seldom changes (phase,
    profile, equipment); `recent` has the day (history, proposal, windows) and, at its very end and
    as data, what the athlete wrote.
    """

    static: str
    profile: str
    recent: str

    @property
    def text(self) -> str:
        """All of it, as it is sent."""
        return f"{self.static}\n{self.profile}\n{self.recent}"

    @property
    def sha256(self) -> str:
        """The hash of the three parts in hex; parts that are cut elsewhere hash differently."""
        parts = (self.static, self.profile, self.recent)
        return sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class TypedCall(Generic[T]):
    """One question with the type of its answer.

    `check` returns a sentence for each broken rule, naming slot, rule, given and allowed, and
    nothing if the answer may stand. `prompt_version` is the hash of the static prompt and of the
    answer's schema.
    """

    name: CallName
    tier: Tier
    prompt: Prompt
    output: type[T]
    check: Callable[[T], tuple[str, ...]]
    prompt_version: str


@dataclass(frozen=True)
class CallRecord:
    """A request and how it ended: a row of `coach.llm_calls`.

    Tokens are null where the provider told none; `input_tokens` includes the cached ones.
    `cost_usd` is null where the price is unknown, never zero. `error` is scrubbed of keys and at
    most 300 characters. `feedback` is what the next attempt was told. `prompt_text` is what was
    sent first, None of a request that was never sent, and `answer_text` what came back, whether it
    was taken or not; keys are hidden in both.
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
    """What came of a call; without an answer the caller's rule-based twin stands.

    `decided_by` is provider and model, such as "google:gemini-3.8-flash", or "engine".
    """

    answer: T | None
    decided_by: str
    records: tuple[CallRecord, ...] = ()
