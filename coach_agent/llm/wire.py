"""Requests to one provider. The only module that imports the providers' clients: seconds to load.

No module imports it at its top; `chain.py` does so on the first question.
"""

import asyncio
import json
import ssl
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from time import monotonic
from types import TracebackType
from typing import Any, Self, TypeVar, cast

import httpx2
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    CachePoint,
    ModelRetry,
    NativeOutput,
    PromptedOutput,
    Tool,
    ToolOutput,
    capture_run_messages,
)
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelConnectionError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    ToolRetryError,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    RetryFeedbackPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage, RunUsage, UsageLimits
from pydantic_core import ErrorDetails

from coach_agent.domain.model_calls import CallOutcome, CallRecord, ReadTool, TypedCall
from coach_agent.domain.redaction import Scrub
from coach_agent.llm.background import BackgroundLoop
from coach_agent.llm.records import unsent_record
from coach_agent.llm.traces import Trace, Tracing
from coach_agent.profile.llm_settings import NO_KEY, Provider

T = TypeVar("T", bound=BaseModel)

# Above it Anthropic's client insists on streaming; a plan needs an eighth, thinking included.
_MAX_OUTPUT_TOKENS = 8192
_LONGEST_REQUEST_S = 60.0
_CONNECT_S = 5.0
_CLOSING_S = 5.0
# Grace period: every question times out by itself, unless the loop's thread is gone or stuck.
_GRACE_S = 5.0
# A transient failure is retried twice.
_SENDS = 3
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 20.0
_LONGEST_ERROR = 300
_ANSWER_TOOL = "answer"
"""Name of the tool that takes the answer, where tools of ours precede it: Gemini has no schema of
answers next to tools.
"""
_INVALID_CALLS = 2
"""Calls of unknown tools that get feedback; the next one ends the question."""
_MILLION = Decimal(1_000_000)

_MOMENTARY = (ModelRateLimitError, ModelUnavailableError, ModelServerError, ModelConnectionError)
_LASTING = (ModelTimeoutError, ModelQuotaExceededError)


@cache
def _tls() -> ssl.SSLContext:
    """Return the system's certificates, cached: loading them takes longer than a short request."""
    return httpx2.create_ssl_context()


class BudgetSpentError(AgentRunError):
    """Today's budget is spent; the next attempt is skipped."""


class Wire:
    """Context manager: the connection to all providers."""

    def __init__(self, scrub: Scrub) -> None:
        self._scrub = scrub
        self._loop = BackgroundLoop()
        # No redirects: the key would be sent along. A proxy of the environment could read
        # unencrypted requests, so only TLS may pass through one.
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(_LONGEST_REQUEST_S, connect=_CONNECT_S),
            verify=_tls(),
            mounts={"http://": None},
        )

    def __enter__(self) -> Self:
        self._loop.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._loop.run(self._client.aclose(), _CLOSING_S)
        finally:
            self._loop.__exit__(kind, error, trace)

    def ask(
        self,
        provider: Provider,
        call: TypedCall[T],
        *,
        attempts: int,
        seconds: float,
        budget_usd: Decimal,
        tracing: Tracing | None = None,
    ) -> tuple[T | None, tuple[CallRecord, ...]]:
        """Return a provider's valid answer, or None, and a record of each request.

        A rejected answer gets feedback and a retry, up to `attempts` answers in total. A failure is
        a record, never an exception: another provider can answer.
        """
        is_instrumented = tracing is not None and tracing.is_instrumented
        coroutine = _ask(
            *(provider, call, self._client, attempts, seconds, budget_usd, self._scrub),
            is_instrumented=is_instrumented,
        )
        began = monotonic()
        try:
            answer, records, messages = self._loop.run(coroutine, seconds + _GRACE_S)
        except TimeoutError:
            return None, (unsent_record(provider, call, "error", "It timed out."),)
        if tracing is not None and tracing.write is not None:
            said = self._scrub(ModelMessagesTypeAdapter.dump_json(messages).decode())
            trace = Trace(
                name=call.name,
                provider=provider.name,
                model=provider.settings.model(call.tier),
                prompt_version=call.prompt_version,
                seconds=monotonic() - began,
                error=records[-1].error,
                messages=json.loads(said),
            )
            tracing.write(trace)
        return answer, records


@dataclass
class _Request:
    """One sent request and its result."""

    attempt: int
    began: float
    seconds: float = 0.0
    response: ModelResponse | None = None
    error: BaseException | None = None


@dataclass
class _Meter:
    """The requests of one question to one provider, and their cost so far."""

    provider: Provider
    model: str
    budget_usd: Decimal
    requests: list[_Request] = field(default_factory=list)

    def begin(self) -> _Request:
        """Start a new request.

        Raises:
            BudgetSpentError: earlier requests used up the budget.
        """
        spent = sum((self.cost(each) or Decimal(0) for each in self.requests), Decimal(0))
        if spent >= self.budget_usd:
            raise BudgetSpentError(f"over the budget: {spent:.4f} USD were spent")
        answered = sum(each.response is not None for each in self.requests)
        self.requests.append(_Request(answered + 1, monotonic()))
        return self.requests[-1]

    def cost(self, request: _Request) -> Decimal | None:
        """Return the cost of a request; None without an answer or a known price."""
        if request.response is None:
            return None
        return cost_usd(self.provider, self.model, request.response)


class _MeteredModel(WrapperModel):
    """A model with a record of every request, and retries of transient failures.

    The clients' own retries are off: their delays are not configurable, and they leave no record.
    """

    def __init__(self, wrapped: Model, meter: _Meter) -> None:
        super().__init__(wrapped)
        self._meter = meter

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        sent = 0
        while True:
            sent += 1
            request = self._meter.begin()
            try:
                request.response = await self.wrapped.request(
                    messages, model_settings, model_request_parameters
                )
            except ModelAPIError as error:
                request.error = error
                wait_s = retry_delay_s(error, sent) if sent < _SENDS else None
                if wait_s is None:
                    raise
            else:
                return request.response
            finally:
                request.seconds = monotonic() - request.began
            await asyncio.sleep(wait_s)


async def _ask(
    provider: Provider,
    call: TypedCall[T],
    client: httpx2.AsyncClient,
    attempts: int,
    seconds: float,
    budget_usd: Decimal,
    scrub: Scrub,
    *,
    is_instrumented: bool,
) -> tuple[T | None, tuple[CallRecord, ...], list[ModelMessage]]:
    meter = _Meter(provider, provider.settings.model(call.tier), budget_usd)
    answer: T | None = None
    error: Exception | None = None
    refusals: list[tuple[str, ...]] = []
    with capture_run_messages() as messages:
        try:
            model = _MeteredModel(_build(provider, meter.model, client), meter)
            agent = _agent(provider, call, attempts, refusals, is_instrumented=is_instrumented)
            run = await agent.run(
                _user_prompt(call),
                model=model,
                model_settings=_settings(provider, min(_LONGEST_REQUEST_S, seconds)),
                usage_limits=UsageLimits(
                    request_limit=attempts + call.most_tool_calls,
                    tool_calls_limit=call.most_tool_calls if call.tools else None,
                ),
                usage=RunUsage(),
                timeout=seconds,
            )
            answer = run.output
        except Exception as raised:
            # Clients also raise undocumented exceptions on unexpected responses.
            error = raised
    records = _records(call, meter, error, _feedback(messages, error, refusals), scrub)
    return answer, tuple(records), messages


def retry_delay_s(error: ModelAPIError, sent: int) -> float | None:
    """Return the delay in seconds before retry number `sent`.

    The provider's Retry-After by default; None if that is too long, or if a retry cannot help.
    """
    if not isinstance(error, _MOMENTARY) or isinstance(error, _LASTING):
        return None
    wait_s = error.retry_after
    if wait_s is None:
        wait_s = _FIRST_WAIT_S * 2 ** (sent - 1)
    return wait_s if wait_s <= _LONGEST_WAIT_S else None


def cost_usd(provider: Provider, model: str, response: ModelResponse) -> Decimal | None:
    """Return the cost of an answer; None if the price is unknown.

    Only the owner of a self-hosted server knows its cost: its models are priced by the profile or
    not at all, even if their names look like known models.
    """
    usage = _token_usage(response)
    if usage is None:
        return None
    price = provider.settings.prices.get(model)
    if price is not None:
        cached = price.input if price.cached is None else price.cached
        fresh_tokens = usage.input_tokens - usage.cache_read_tokens
        return (
            fresh_tokens * Decimal(str(price.input))
            + usage.cache_read_tokens * Decimal(str(cached))
            + usage.output_tokens * Decimal(str(price.output))
        ) / _MILLION
    if provider.settings.kind == "compatible":
        return None
    try:
        return response.cost().total_price
    except LookupError:
        return None


def _build(provider: Provider, name: str, client: httpx2.AsyncClient) -> Model:
    """Build the model; its client's module is imported here, so only for a provider in use."""
    key, url = provider.key, provider.settings.url
    if provider.settings.kind == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(
            name, provider=GoogleProvider(api_key=key, base_url=url, http_client=client)
        )
    if provider.settings.kind == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(
            name, provider=AnthropicProvider(api_key=key, base_url=url, http_client=client)
        )
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIChatModel(
        name, provider=OpenAIProvider(api_key=key, base_url=url, http_client=client)
    )


def _agent(
    provider: Provider,
    call: TypedCall[T],
    attempts: int,
    refusals: list[tuple[str, ...]],
    *,
    is_instrumented: bool,
) -> Agent[None, T]:
    # Spans have tokens, cost and durations, no text.
    spans = InstrumentationSettings(include_content=False, include_model_request_parameters=False)
    agent: Agent[None, T] = Agent(
        output_type=_output(provider, call),
        instructions=call.prompt.static,
        retries={"output": attempts - 1, "tools": _INVALID_CALLS},
        name=call.name,
        tools=[_tool(each) for each in call.tools],
        capabilities=[Instrumentation(settings=spans)] if is_instrumented else [],
    )

    @agent.output_validator
    def keeps_the_rules(answer: T) -> T:
        broken = call.check(answer)
        if provider.key != NO_KEY and provider.key in answer.model_dump_json():
            broken = (*broken, "The texts hold a key: leave it out.")
        if broken:
            refusals.append(broken)
            raise ModelRetry("Rejected:\n- " + "\n- ".join(broken) + "\nChange only these items.")
        return answer

    return agent


def _output(provider: Provider, call: TypedCall[T]) -> Any:
    """Return the mode of the answer: a schema that the server enforces, a tool, or the prompt."""
    if provider.settings.output != "native":
        return PromptedOutput(call.output)
    return ToolOutput(call.output, name=_ANSWER_TOOL) if call.tools else NativeOutput(call.output)


def _tool(tool: ReadTool) -> Tool[None]:
    def run(**arguments: Any) -> str:
        return tool.run(arguments)

    return Tool.from_schema(run, tool.name, tool.description, dict(tool.parameters))


def _user_prompt(call: TypedCall[T]) -> Sequence[str | CachePoint]:
    parts: list[str | CachePoint] = [call.prompt.recent]
    if call.prompt.profile:
        parts = [call.prompt.profile, CachePoint(), *parts]
    return parts


def _settings(provider: Provider, request_s: float) -> ModelSettings:
    """Return the settings of a request: little thinking, and the static part marked for the
    cache.
    """
    settings: dict[str, Any] = {
        "max_tokens": _MAX_OUTPUT_TOKENS,
        "request_timeout": request_s,
        "max_retries": 0,
        # By default the library adds its own text first from the second attempt on, and a different
        # beginning prevents caching of the prompt.
        "framing_announcement": "never",
    }
    if provider.settings.kind == "google":
        # The general setting would also request the thoughts themselves.
        settings["google_thinking_config"] = {"thinking_level": "LOW"}
    elif provider.settings.kind != "compatible":
        settings |= {"thinking": "low", "cache": {"messages": False}}
    return cast("ModelSettings", settings)


def _feedback(
    messages: Sequence[ModelMessage],
    error: Exception | None,
    refusals: Iterable[tuple[str, ...]],
) -> Iterator[tuple[str, ...]]:
    """Yield the problems of each rejected answer: our sentences, or the schema violation."""
    parts = [part for message in messages for part in message.parts]
    if error is not None and isinstance(error.__cause__, ToolRetryError):
        parts.append(error.__cause__.tool_retry)
    ours = iter(refusals)
    for part in parts:
        if not isinstance(part, RetryFeedbackPart | ToolReturnPart):
            continue
        is_of_answer = isinstance(part, RetryFeedbackPart) or (
            part.tool_name == _ANSWER_TOOL and part.outcome == "retried"
        )
        if not is_of_answer:
            continue
        if isinstance(part.content, list):
            yield tuple(_schema_problem(each) for each in part.content)
        elif part.retry is not None and part.retry.cause == "model_retry":
            yield next(ours)
        else:
            yield (str(part.content),)


def _schema_problem(details: ErrorDetails) -> str:
    place = ".".join(map(str, details["loc"])) or "the answer"
    return f"{place}: {details['msg']}"


def _records(
    call: TypedCall[T],
    meter: _Meter,
    error: Exception | None,
    feedback: Iterator[tuple[str, ...]],
    scrub: Scrub,
) -> Iterator[CallRecord]:
    if not meter.requests:
        meter.requests.append(_Request(1, monotonic()))
    last = meter.requests[-1]
    for request in meter.requests:
        response, problem = request.response, request.error
        outcome: CallOutcome = "error"
        if request is last:
            problem = error
            outcome = "ok" if error is None else "error"
        elif response is not None:
            outcome = "ok" if _only_reads(response) else "retry"
        problems = next(feedback, ()) if response is not None and outcome != "ok" else ()
        usage = None if response is None else _token_usage(response)
        yield CallRecord(
            name=call.name,
            provider=meter.provider.name,
            model=meter.model,
            tier=call.tier,
            attempt=request.attempt,
            outcome=outcome,
            error=None if problem is None else _format_error(problem, scrub),
            prompt_sha256=call.prompt.sha256,
            prompt_version=call.prompt_version,
            input_tokens=None if usage is None else usage.input_tokens,
            cached_tokens=None if usage is None else usage.cache_read_tokens,
            cache_write_tokens=None if usage is None else usage.cache_write_tokens,
            output_tokens=None if usage is None else usage.output_tokens,
            reasoning_tokens=None if usage is None else usage.output_reasoning_tokens,
            cost_usd=meter.cost(request),
            seconds=request.seconds or monotonic() - request.began,
            feedback=tuple(scrub(each) for each in problems),
            prompt_text=scrub(call.prompt.text),
            answer_text=None if response is None else scrub(_answer_text(response)),
        )


def _only_reads(response: ModelResponse) -> bool:
    """Return whether a response calls tools before the answer."""
    calls = [part.tool_name for part in response.parts if isinstance(part, ToolCallPart)]
    return bool(calls) and _ANSWER_TOOL not in calls


def _answer_text(response: ModelResponse) -> str:
    """Return the text of a response; of calls, name and arguments."""
    calls = [
        f"{part.tool_name}({part.args_as_json_str()})"
        for part in response.parts
        if isinstance(part, ToolCallPart)
    ]
    return "\n".join([*([response.text] if response.text else []), *calls])


def _token_usage(response: ModelResponse) -> RequestUsage | None:
    """Return the token usage of the answer; None if the provider did not return it."""
    return None if response.usage.unmeasured_requests else response.usage


def _format_error(error: BaseException, scrub: Scrub) -> str:
    """Format the error's kind and its first line: the rest is the answer, or a page of links."""
    first_line = (str(error).splitlines() or [""])[0]
    return scrub(f"{type(error).__name__}: {first_line}")[:_LONGEST_ERROR]
