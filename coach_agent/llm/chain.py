"""Provider chain: try an athlete's providers in order until one returns a valid answer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from decimal import Decimal
from functools import partial
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import BaseModel

from coach_agent.domain.model_calls import ENGINE, CallRecord, Outcome, ReadTool, TypedCall
from coach_agent.domain.redaction import hide_keys, scrubber
from coach_agent.llm.records import unsent_record
from coach_agent.llm.traces import Tracing
from coach_agent.profile.llm_settings import Limits, Provider

if TYPE_CHECKING:
    from coach_agent.llm.wire import Wire

T = TypeVar("T", bound=BaseModel)


class Chain:
    """Context manager: the providers in the athlete's order.

    Each provider gets its share of the remaining time, so that a slow one does not block the
    others. The timeout covers all questions together, from the first one on. `spent_today` returns
    the cost of the athlete's questions of today so far, in USD; it is called before each question.
    A provider without any answer is not tried again. Thread-safe. Clients load lazily on the first
    question; without providers nothing loads, and the engine answers every question.
    """

    def __init__(
        self,
        providers: Sequence[Provider],
        limits: Limits,
        spent_today: Callable[[], Decimal],
        clock: Callable[[], float] = monotonic,
        tracing: Tracing | None = None,
    ) -> None:
        self._providers = tuple(providers)
        self._limits = limits
        self._spent_today = spent_today
        self._clock = clock
        self._tracing = tracing
        self._scrub = scrubber(secret for each in providers for secret in (each.key, *each.secrets))
        self._silent: set[int] = set()
        self._ends: float | None = None
        self._wire: Wire | None = None
        self._opening = Lock()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def scrub(self, text: str) -> str:
        """Hide the secrets of the environment, and anything that looks like a key, in a text."""
        return self._scrub(text)

    def ask(self, call: TypedCall[T]) -> Outcome[T]:
        """Return the first valid answer; without one the caller falls back to its rule-based twin.

        Ends within the limits' timeout, and never raises for a provider's failure.
        """
        if not self._providers:
            return Outcome(None, ENGINE)
        call = self._without_secrets(call)
        wire, ends = self._open()
        budget_usd = self._limits.budget_usd - self._spent_today()
        records: list[CallRecord] = []
        for index, provider in enumerate(self._providers):
            seconds = ends - self._clock()
            left_usd = budget_usd - known_cost(records)
            if reason := self._why_not(index, seconds, left_usd):
                records.append(unsent_record(provider, call, "skipped", reason))
                continue
            answer, new = wire.ask(
                provider,
                call,
                attempts=self._limits.attempts,
                seconds=seconds / (len(self._providers) - index),
                budget_usd=left_usd,
                tracing=self._tracing,
            )
            records += new
            if answer is not None:
                return Outcome(answer, f"{provider.name}:{new[-1].model}", tuple(records))
            if all(record.output_tokens is None for record in new):
                self._silent.add(index)
        return Outcome(None, ENGINE, tuple(records))

    def _without_secrets(self, call: TypedCall[T]) -> TypedCall[T]:
        """Return the question without secrets that the athlete typed or a tool returns."""
        prompt = replace(
            call.prompt,
            profile=self._scrub(call.prompt.profile),
            recent=self._scrub(call.prompt.recent),
        )
        tools = tuple(replace(each, run=partial(self._run, each)) for each in call.tools)
        return replace(call, prompt=prompt, tools=tools)

    def _run(self, tool: ReadTool, arguments: Mapping[str, Any]) -> str:
        return self._scrub(tool.run(arguments))

    def _open(self) -> "tuple[Wire, float]":
        """Open the connection on the first question; returns it with the deadline."""
        with self._opening:
            if self._wire is None:
                from coach_agent.llm.wire import Wire

                self._stack.enter_context(hide_keys(self._scrub))
                self._wire = self._stack.enter_context(Wire(self._scrub))
            if self._ends is None:
                self._ends = self._clock() + self._limits.time_budget_s
            return self._wire, self._ends

    def _why_not(self, index: int, seconds: float, left_usd: Decimal) -> str | None:
        if left_usd <= 0:
            return f"Today's budget of {self._limits.budget_usd} USD is spent."
        if seconds <= 0:
            return f"The {self._limits.time_budget_s:g} s for the questions are over."
        if index in self._silent:
            return "It gave no answer before."
        return None


def known_cost(records: Iterable[CallRecord]) -> Decimal:
    """Return the total known cost of these requests in USD."""
    return sum((record.cost_usd or Decimal(0) for record in records), Decimal(0))
