"""The budget of a question to a model: its requests, and what they cost."""

from dataclasses import dataclass, field
from decimal import Decimal
from time import monotonic

from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import RequestUsage

from coach_agent.profile.llm_settings import Provider

_MILLION = Decimal(1_000_000)


class BudgetSpentError(AgentRunError):
    """Today's budget is spent; the next attempt is skipped."""


@dataclass
class Request:
    """One sent request and its result."""

    attempt: int
    began: float
    seconds: float = 0.0
    response: ModelResponse | None = None
    error: BaseException | None = None


@dataclass
class Meter:
    """The requests of one question to one provider, and their cost so far."""

    provider: Provider
    model: str
    budget_usd: Decimal
    requests: list[Request] = field(default_factory=list)

    def begin(self) -> Request:
        """Start a new request.

        Raises:
            BudgetSpentError: earlier requests used up the budget.
        """
        spent = sum((self.cost(each) or Decimal(0) for each in self.requests), Decimal(0))
        if spent >= self.budget_usd:
            raise BudgetSpentError(f"over the budget: {spent:.4f} USD were spent")
        answered = sum(each.response is not None for each in self.requests)
        self.requests.append(Request(answered + 1, monotonic()))
        return self.requests[-1]

    def cost(self, request: Request) -> Decimal | None:
        """Return the cost of a request; None without an answer or a known price."""
        if request.response is None:
            return None
        return cost_usd(self.provider, self.model, request.response)


def cost_usd(provider: Provider, model: str, response: ModelResponse) -> Decimal | None:
    """Return the cost of an answer; None if the price is unknown.

    Only the owner of a self-hosted server knows its cost: its models are priced by the profile or
    not at all, even if their names look like known models.
    """
    usage = token_usage(response)
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


def token_usage(response: ModelResponse) -> RequestUsage | None:
    """Return the token usage of the answer; None if the provider did not return it."""
    return None if response.usage.unmeasured_requests else response.usage
