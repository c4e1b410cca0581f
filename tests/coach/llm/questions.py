"""A small question with a rule of its own, and chains that ask fakes."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from coach_agent.domain.model_calls import Prompt, Tier, TypedCall
from coach_agent.llm.chain import Chain
from coach_agent.profile.llm_settings import Limits, Provider, ProviderSettings
from tests.coach.llm.fakes import KEY, FakeProvider, Say

PROMPT = Prompt("Choose a load.", '<data name="profile">{}</data>', '<data name="day">{}</data>')
GOOD = Say('{"load_kg":60,"note":"As last time."}')
TOO_HEAVY = Say('{"load_kg":70,"note":"More."}')
NO_JSON = Say("I think 60 kg would be fine.")
BAD_SCHEMA = Say('{"load_kg":"heavy","note":"More.","link":"x"}')
HEAVIER_THAN_ALLOWED = "Slot 1, load: given 70 kg, allowed 57.5, 60 or 62.5 kg."


class Load(BaseModel):
    """The answer to the question."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    load_kg: float = Field(ge=0, le=500)
    note: str = Field(max_length=100)


def loads_that_exist(answer: Load) -> tuple[str, ...]:
    """The rule: one of three loads."""
    return () if answer.load_kg in {57.5, 60, 62.5} else (HEAVIER_THAN_ALLOWED,)


def question(
    tier: Tier = "strong",
    prompt: Prompt = PROMPT,
    check: Callable[[Load], tuple[str, ...]] = loads_that_exist,
) -> TypedCall[Load]:
    """The question, as the coach asks one."""
    return TypedCall("plan", tier, prompt, Load, check, "v1")


def provider(fake: FakeProvider, key: str = KEY, **settings: Any) -> Provider:
    """The fake as the profile names it."""
    if fake.kind == "compatible":
        settings.setdefault("strong", "qwen3")
    return Provider(ProviderSettings(kind=fake.kind, base_url=fake.base_url, **settings), key)


def chain(
    *providers: Provider,
    seconds: float = 60,
    attempts: int = 3,
    budget: str = "1",
    spent: str = "0",
) -> Chain:
    """Build a chain of these providers, by default with enough money and time."""
    limits = Limits(seconds, attempts, Decimal(budget))
    return Chain(providers, limits, lambda: Decimal(spent))
