"""Retries of transient failures of a provider, each within the budget of its question."""

import asyncio
from time import monotonic

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from coach_agent.llm.budget import Meter

# A transient failure is retried twice.
_SENDS = 3
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 20.0

_MOMENTARY = (ModelRateLimitError, ModelUnavailableError, ModelServerError, ModelConnectionError)
_LASTING = (ModelTimeoutError, ModelQuotaExceededError)


class MeteredModel(WrapperModel):
    """A model with a record of every request, and retries of transient failures.

    The clients' own retries are off: their delays are not configurable, and they leave no record.
    """

    def __init__(self, wrapped: Model, meter: Meter) -> None:
        super().__init__(wrapped)
        self._meter = meter

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the model's response; record each request that is sent for it.

        Raises:
            BudgetSpentError: the requests so far used up the budget.
            ModelAPIError: the last one failed, or a retry cannot help.
        """
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
