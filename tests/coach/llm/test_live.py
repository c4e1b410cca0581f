"""One small question to each real provider, only where its key is set: before a release.

The schema is accepted, the answer keeps the rule, and tokens and price are known.
"""

import os
from dataclasses import replace
from decimal import Decimal

import pytest

from coach_agent.domain.model_calls import Tier
from coach_agent.llm.chain import Chain
from coach_agent.profile.llm_settings import Limits, Provider, ProviderKind, ProviderSettings
from tests.coach.llm.questions import PROMPT, question

KEYS: dict[ProviderKind, str] = {
    "google": "GEMINI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
}
RULES = "Answer with the load 60 kg and a note of three words."


@pytest.mark.live
@pytest.mark.enable_socket
@pytest.mark.parametrize("tier", ["cheap", "strong"])
@pytest.mark.parametrize("kind", KEYS)
def test_a_real_provider_answers(kind: ProviderKind, tier: Tier) -> None:
    key = os.environ.get(KEYS[kind], "")
    if not key:
        pytest.skip(f"{KEYS[kind]} is not set")
    prompt = replace(PROMPT, static=RULES)
    provider = Provider(ProviderSettings(kind=kind), key)
    with Chain([provider], Limits(60, 3, Decimal("0.05")), lambda: Decimal(0)) as chain:
        found = chain.ask(question(tier, prompt))
    assert found.answer is not None, [record.error for record in found.records]
    assert found.answer.load_kg == 60
    assert found.records[-1].input_tokens
    assert found.records[-1].cost_usd
