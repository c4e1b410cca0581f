"""Records of the requests of a question, with the feedback on rejected answers."""

from collections.abc import Iterable, Iterator, Sequence
from time import monotonic
from typing import Final, TypeVar

from pydantic import BaseModel
from pydantic_ai.exceptions import ToolRetryError
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryFeedbackPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_core import ErrorDetails

from coach_agent.domain.model_calls import CallOutcome, CallRecord, TypedCall
from coach_agent.domain.redaction import Scrub
from coach_agent.llm.budget import Meter, Request, token_usage

T = TypeVar("T", bound=BaseModel)

ANSWER_TOOL: Final = "answer"
"""Name of the tool that takes the answer, where tools of ours precede it: Gemini has no schema of
answers next to tools.
"""
_LONGEST_ERROR = 300


def feedback_of(
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
            part.tool_name == ANSWER_TOOL and part.outcome == "retried"
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


def records_of(
    call: TypedCall[T],
    meter: Meter,
    error: Exception | None,
    feedback: Iterator[tuple[str, ...]],
    scrub: Scrub,
) -> Iterator[CallRecord]:
    """Yield a record of each request of a question, the last with its error."""
    if not meter.requests:
        meter.requests.append(Request(1, monotonic()))
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
        usage = None if response is None else token_usage(response)
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
    return bool(calls) and ANSWER_TOOL not in calls


def _answer_text(response: ModelResponse) -> str:
    """Return the text of a response; of calls, name and arguments."""
    calls = [
        f"{part.tool_name}({part.args_as_json_str()})"
        for part in response.parts
        if isinstance(part, ToolCallPart)
    ]
    return "\n".join([*([response.text] if response.text else []), *calls])


def _format_error(error: BaseException, scrub: Scrub) -> str:
    """Format the error's kind and its first line: the rest is the answer, or a page of links."""
    first_line = (str(error).splitlines() or [""])[0]
    return scrub(f"{type(error).__name__}: {first_line}")[:_LONGEST_ERROR]
