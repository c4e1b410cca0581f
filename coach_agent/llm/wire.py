"""Questions to one provider. The only module that imports the providers' clients: seconds to load.

No module imports it at its top; `chain.py` does so on the first question. `retries.py` sends the
requests, within `budget.py`.
"""

import json
import ssl
from collections.abc import Sequence
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
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
)
from pydantic_ai.models import Model
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from coach_agent.domain.model_calls import CallRecord, ReadTool, TypedCall
from coach_agent.domain.redaction import Scrub
from coach_agent.llm.background import BackgroundLoop
from coach_agent.llm.budget import Meter
from coach_agent.llm.records import unsent_record
from coach_agent.llm.request_records import ANSWER_TOOL, feedback_of, records_of
from coach_agent.llm.retries import MeteredModel
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
_INVALID_CALLS = 2
"""Calls of unknown tools that get feedback; the next one ends the question."""


@cache
def _tls() -> ssl.SSLContext:
    """Return the system's certificates, cached: loading them takes longer than a short request."""
    return httpx2.create_ssl_context()


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
    meter = Meter(provider, provider.settings.model(call.tier), budget_usd)
    answer: T | None = None
    error: Exception | None = None
    refusals: list[tuple[str, ...]] = []
    with capture_run_messages() as messages:
        try:
            model = MeteredModel(_build(provider, meter.model, client), meter)
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
    records = records_of(call, meter, error, feedback_of(messages, error, refusals), scrub)
    return answer, tuple(records), messages


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
    return ToolOutput(call.output, name=ANSWER_TOOL) if call.tools else NativeOutput(call.output)


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
