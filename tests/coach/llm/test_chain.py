"""Real clients of the providers against servers on loopback: a failed one is skipped."""

import json
import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from coach_agent.domain.model_calls import CallRecord, Outcome, Prompt
from coach_agent.llm.chain import Chain
from coach_agent.profile.llm_settings import Limits
from tests.all_commands import imported
from tests.coach.llm.fakes import KEY, KINDS, Fail, Kind, Raw, Say, Step, fake_provider
from tests.coach.llm.questions import (
    BAD_SCHEMA,
    GOOD,
    HEAVIER_THAN_ALLOWED,
    NO_JSON,
    PROMPT,
    TOO_HEAVY,
    chain,
    provider,
    question,
)

ROOT = Path(__file__).parents[3]
MODELS = {
    "google": "gemini-3.8-flash",
    "anthropic": "claude-sonnet-5-5",
    "openai": "gpt-6.1-terra",
    "compatible": "qwen3",
}


def outcomes(records: tuple[CallRecord, ...]) -> list[tuple[str, int, str]]:
    return [(each.provider, each.attempt, each.outcome) for each in records]


@pytest.mark.parametrize("kind", KINDS)
def test_a_good_answer_is_taken_at_once(kind: Kind) -> None:
    with fake_provider(kind, GOOD) as fake, chain(provider(fake)) as providers:
        found = providers.ask(question())
    assert found.answer is not None
    assert found.answer.load_kg == 60
    assert found.decided_by == f"{kind}:{MODELS[kind]}"
    (record,) = found.records
    assert (record.provider, record.model, record.tier) == (kind, MODELS[kind], "strong")
    assert (record.attempt, record.outcome, record.error) == (1, "ok", None)
    assert record.prompt_sha256 == PROMPT.sha256
    assert record.prompt_version == "v1"
    assert record.feedback == ()
    assert record.seconds > 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_third_answer_is_taken_after_two_targeted_corrections(kind: Kind) -> None:
    script = (BAD_SCHEMA, TOO_HEAVY, GOOD)
    with fake_provider(kind, *script) as fake, chain(provider(fake)) as providers:
        found = providers.ask(question())
    assert found.answer is not None
    assert outcomes(found.records) == [(kind, 1, "retry"), (kind, 2, "retry"), (kind, 3, "ok")]
    assert HEAVIER_THAN_ALLOWED not in fake.said(1)
    assert "load_kg" in fake.said(1).removeprefix(fake.said(0))
    assert HEAVIER_THAN_ALLOWED in fake.said(2)
    assert found.records[0].feedback[0].startswith("load_kg: Input should be a valid number")
    assert found.records[0].feedback[1].startswith("link: Extra inputs are not permitted")
    assert found.records[1].feedback == (HEAVIER_THAN_ALLOWED,)
    assert {each.prompt_text for each in found.records} == {PROMPT.text}
    assert len({each.answer_text for each in found.records if each.answer_text}) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_correction_leaves_the_beginning_as_it_was(kind: Kind) -> None:
    """Another beginning would be charged again; bug: the client put its own text there."""
    with fake_provider(kind, TOO_HEAVY, GOOD) as fake, chain(provider(fake)) as providers:
        found = providers.ask(question())
    assert fake.said(1).startswith(fake.said(0))
    first, second = found.records
    assert first.input_tokens is not None
    assert second.cached_tokens is not None
    assert second.cached_tokens >= first.input_tokens - 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("step", [NO_JSON, TOO_HEAVY, BAD_SCHEMA], ids=["prose", "rule", "schema"])
def test_three_refused_answers_are_enough(kind: Kind, step: Step) -> None:
    with (
        fake_provider(kind, step) as bad,
        fake_provider("compatible", GOOD) as good,
        chain(provider(bad), provider(good, strong="other")) as providers,
    ):
        found = providers.ask(question())
    assert found.decided_by == "compatible:other"
    assert len(bad.requests) == 3
    assert [each.outcome for each in found.records] == ["retry", "retry", "error", "ok"]
    assert all(each.feedback for each in found.records[:3])
    assert all(each.input_tokens for each in found.records[:3])


DOWN: dict[str, tuple[Step, int]] = {
    "rejected": (Fail(400), 1),
    "refused_key": (Fail(401), 1),
    "forbidden": (Fail(403), 1),
    "unknown_model": (Fail(404), 1),
    "error": (Fail(500, {"Retry-After": "0"}), 3),
    "unavailable": (Fail(503, {"Retry-After": "0"}), 3),
    "overloaded": (Fail(529, {"Retry-After": "0"}), 3),
    "busy": (Fail(429, {"Retry-After": "0"}), 3),
    "busy_for_long": (Fail(429, {"Retry-After": "600"}), 1),
    "moved": (Fail(307, {"Location": "http://127.0.0.1:1/elsewhere"}), 1),
    "safety": (Say("", stop="safety"), 1),
    "refusal": (Say("", stop="refusal"), 1),
    "max_tokens": (Say('{"load_kg":6', stop="max_tokens"), 1),
    "html": (Raw(b"<html>It works!</html>"), 1),
    "cut_off": (Raw(b'{"candidates":[{"content"'), 1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", DOWN)
def test_a_provider_that_is_down_is_passed_over(kind: Kind, case: str) -> None:
    step, requests = DOWN[case]
    with (
        fake_provider(kind, step) as down,
        fake_provider("openai", GOOD) as other,
        chain(provider(down), provider(other)) as providers,
    ):
        found = providers.ask(question())
    assert found.decided_by == "openai:gpt-6.1-terra"
    assert outcomes(found.records) == [
        *[(kind, 1, "error")] * requests,
        ("openai", 1, "ok"),
    ]
    assert len(down.requests) == requests
    assert all(each.error and len(each.error) <= 300 for each in found.records[:-1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", [b"{}", b"[]", b"null", b'"text"', b'{"candidates":[null]}'])
def test_an_answer_that_nobody_thought_of_raises_nothing(kind: Kind, content: bytes) -> None:
    with fake_provider(kind, Raw(content)) as fake, chain(provider(fake)) as providers:
        found = providers.ask(question())
    assert (found.answer, found.decided_by) == (None, "engine")
    assert found.records[-1].outcome == "error"
    assert all(each.cost_usd is None for each in found.records)


@pytest.mark.parametrize("kind", KINDS)
def test_an_asked_for_pause_is_kept(kind: Kind) -> None:
    script = (Fail(429, {"Retry-After": "1"}), GOOD)
    with fake_provider(kind, *script) as fake, chain(provider(fake)) as providers:
        began = monotonic()
        found = providers.ask(question())
        took_s = monotonic() - began
    assert outcomes(found.records) == [(kind, 1, "error"), (kind, 1, "ok")]
    assert took_s >= 1


@pytest.mark.parametrize("step", [Say(GOOD.text, wait_s=60), Say(GOOD.text, drip_s=60)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_slow_provider_leaves_the_next_one_its_time(kind: Kind, step: Step) -> None:
    with (
        fake_provider(kind, step) as slow,
        fake_provider("compatible", GOOD) as quick,
        chain(provider(slow), provider(quick), seconds=3) as providers,
    ):
        found = providers.ask(question())
    assert found.decided_by == "compatible:qwen3"
    assert found.records[0].outcome == "error"
    # Half of what there is; on a machine with other work somewhat more.
    assert 1.4 < found.records[0].seconds < 3


def test_a_question_ends_in_its_time() -> None:
    slow = Say(GOOD.text, wait_s=60)
    with (
        fake_provider("google", slow) as one,
        fake_provider("openai", slow) as two,
        chain(provider(one), provider(two), seconds=2) as providers,
    ):
        began = monotonic()
        found = providers.ask(question())
        took_s = monotonic() - began
    assert (found.answer, found.decided_by) == (None, "engine")
    assert took_s < 20
    assert [each.outcome for each in found.records] == ["error", "error"]


def test_a_provider_that_gave_no_answer_is_not_asked_again() -> None:
    with (
        fake_provider("google", Fail(401)) as down,
        fake_provider("openai", GOOD) as other,
        chain(provider(down), provider(other)) as providers,
    ):
        providers.ask(question())
        second = providers.ask(question("cheap"))
    assert len(down.requests) == 1
    assert outcomes(second.records) == [("google", 0, "skipped"), ("openai", 1, "ok")]
    assert second.records[0].model == "gemini-3.5-flash-lite"


def test_one_that_was_only_refused_is_asked_again() -> None:
    with fake_provider("google", NO_JSON) as fake, chain(provider(fake), attempts=1) as providers:
        for _ in range(2):
            assert providers.ask(question()).answer is None
    assert len(fake.requests) == 2


def test_the_time_is_that_of_all_questions_together() -> None:
    """A night with several questions took several budgets."""
    now = [100.0]
    limits = Limits(60, 3, Decimal(1))
    with (
        fake_provider("google", GOOD) as fake,
        Chain([provider(fake)], limits, lambda: Decimal(0), clock=lambda: now[0]) as providers,
    ):
        now[0] += 1000  # what passes before the first question does not count
        first = providers.ask(question())
        now[0] += 61
        second = providers.ask(question())
    assert (first.decided_by, second.decided_by) == ("google:gemini-3.8-flash", "engine")
    assert second.records[0].error == "The 60 s for the questions are over."
    assert len(fake.requests) == 1


def test_nobody_is_asked_over_the_budget() -> None:
    with (
        fake_provider("google", GOOD) as fake,
        chain(provider(fake), budget="0.25", spent="0.25") as providers,
    ):
        found = providers.ask(question())
    assert (found.decided_by, fake.requests) == ("engine", [])
    assert found.records[0].error == "Today's budget of 0.25 USD is spent."


def test_the_budget_also_ends_the_corrections() -> None:
    """20 tokens read at 1 USD each, so that the first answer is over the budget."""
    prices = {"gemini-3.8-flash": {"input": 1000.0, "output": 1000.0}}
    with (
        fake_provider("google", NO_JSON) as fake,
        fake_provider("openai", GOOD) as other,
        chain(provider(fake, prices=prices), provider(other), budget="0.001") as providers,
    ):
        found = providers.ask(question())
    assert (len(fake.requests), other.requests) == (1, [])
    assert [each.outcome for each in found.records] == ["error", "skipped"]
    assert found.records[0].error is not None
    assert "over the budget" in found.records[0].error


def test_the_day_is_asked_for_before_each_question() -> None:
    spent = iter([Decimal(0), Decimal(1)])
    with (
        fake_provider("google", GOOD) as fake,
        Chain([provider(fake)], Limits(60, 3, Decimal("0.5")), lambda: next(spent)) as providers,
    ):
        first, second = providers.ask(question()), providers.ask(question())
    assert (first.decided_by, second.decided_by) == ("google:gemini-3.8-flash", "engine")


# Tokens that the fakes count, at the prices of November 2026 in USD per million.
COSTS = {"google": ("0.75", "3.75"), "anthropic": ("2", "10"), "openai": ("1", "5")}


@pytest.mark.parametrize("kind", COSTS)
def test_what_an_answer_cost_is_known(kind: Kind) -> None:
    with fake_provider(kind, GOOD) as fake, chain(provider(fake)) as providers:
        (record,) = providers.ask(question()).records
    read, written = (Decimal(each) for each in COSTS[kind])
    assert record.input_tokens is not None
    assert record.output_tokens is not None
    expected = (record.input_tokens * read + record.output_tokens * written) / 1_000_000
    assert record.cost_usd == expected


def test_cached_tokens_are_cheaper() -> None:
    with fake_provider("google", GOOD) as fake, chain(provider(fake)) as providers:
        providers.ask(question())
        (record,) = providers.ask(question()).records
    assert record.input_tokens is not None
    assert record.output_tokens is not None
    assert record.cached_tokens == len(fake.said(0)) // 4
    fresh = record.input_tokens - record.cached_tokens
    millions = fresh * Decimal("0.75") + record.cached_tokens * Decimal("0.075")
    assert record.cost_usd == (millions + record.output_tokens * Decimal("3.75")) / 1_000_000


@pytest.mark.parametrize(
    ("kind", "model"), [("compatible", "gpt-6.1-sol"), ("google", "gemini-99-unheard-of")]
)
def test_an_unknown_price_is_not_zero(kind: Kind, model: str) -> None:
    """A server of one's own may call its model as it likes: that is no price."""
    with fake_provider(kind, GOOD) as fake, chain(provider(fake, strong=model)) as providers:
        (record,) = providers.ask(question()).records
    assert record.output_tokens
    assert record.cost_usd is None


def test_the_profile_may_price_a_model() -> None:
    prices = {"qwen3": {"input": 2.0, "cached": 0.5, "output": 4.0}}
    with fake_provider("compatible", GOOD) as fake, chain(provider(fake, prices=prices)) as asked:
        asked.ask(question())
        (record,) = asked.ask(question()).records
    assert record.input_tokens is not None
    assert record.cached_tokens
    assert record.output_tokens is not None
    fresh = record.input_tokens - record.cached_tokens
    assert record.cost_usd == (
        fresh * Decimal(2) + record.cached_tokens * Decimal("0.5") + record.output_tokens * 4
    ) / Decimal(1_000_000)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Incorrect API key provided: KEY", "code": 401}},
        {"error": "Bearer KEY is not valid"},
        ["KEY"],
        {"KEY": "KEY" * 100},
    ],
)
def test_a_key_that_is_echoed_is_kept_nowhere(
    kind: Kind, body: Any, caplog: pytest.LogCaptureFixture
) -> None:
    key = "A9-very/secret+key=="
    caplog.set_level(logging.DEBUG)
    with (
        fake_provider(kind, Fail(401, body=body)) as fake,
        chain(provider(fake, key)) as providers,
    ):
        found = providers.ask(question())
    assert fake.requests[0].key == key
    assert key not in str(found)
    assert key not in repr(provider(fake, key))
    assert key not in caplog.text


def test_an_answer_with_the_key_is_refused() -> None:
    leak = Say(json.dumps({"load_kg": 60, "note": f"Key {KEY}"}))
    with fake_provider("google", leak, GOOD) as fake, chain(provider(fake)) as providers:
        found = providers.ask(question())
    assert len(fake.requests) == 2
    assert found.records[0].feedback == ("The texts hold a key: leave it out.",)
    assert KEY not in fake.said(1).removeprefix(fake.said(0)).replace(leak.text, "")


@pytest.mark.parametrize("kind", KINDS)
def test_what_changes_least_is_sent_first(kind: Kind) -> None:
    prompt = Prompt("the rules", "the profile", "the day")
    with fake_provider(kind, GOOD) as fake, chain(provider(fake)) as providers:
        providers.ask(question(prompt=prompt))
    assert fake.said(0).split("\n") == ["the rules", "the profile", "the day"]


def test_where_to_cache_is_marked_for_those_that_want_it() -> None:
    with fake_provider("anthropic", GOOD) as fake, chain(provider(fake)) as providers:
        providers.ask(question())
    body = fake.requests[0].body
    assert body["system"][-1]["cache_control"]["type"] == "ephemeral"
    assert "cache_control" in body["messages"][0]["content"][0]
    assert "cache_control" not in body["messages"][0]["content"][1]


SCHEMAS = {
    "google": lambda body: body["generationConfig"]["responseJsonSchema"],
    "anthropic": lambda body: body["output_config"]["format"]["schema"],
    "openai": lambda body: body["response_format"]["json_schema"]["schema"],
    "compatible": lambda body: body["response_format"]["json_schema"]["schema"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_server_keeps_to_the_schema_and_has_no_tools(kind: Kind) -> None:
    with fake_provider(kind, GOOD) as fake, chain(provider(fake)) as providers:
        providers.ask(question())
    body = fake.requests[0].body
    assert set(SCHEMAS[kind](body)["properties"]) == {"load_kg", "note"}
    assert not body.get("tools")


def test_a_weak_server_is_told_the_schema_in_the_prompt() -> None:
    fenced = Say(f"```json\n{GOOD.text}\n```")
    with (
        fake_provider("compatible", fenced) as fake,
        chain(provider(fake, output="prompted")) as providers,
    ):
        found = providers.ask(question())
    assert found.answer is not None
    assert "load_kg" in fake.said(0)
    assert fake.requests[0].body.get("response_format", {}).get("type") != "json_schema"


def test_the_addresses_of_the_clients_own_variables_are_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("GOOGLE_GEMINI_BASE_URL", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another")
    for kind in KINDS:
        with fake_provider(kind, GOOD) as fake, chain(provider(fake)) as providers:
            assert providers.ask(question()).answer is not None
            assert fake.requests[0].key == KEY


def test_many_threads_may_ask_one_chain() -> None:
    """Clients that are shared by loops fail now and then."""
    with fake_provider("google", GOOD) as fake, chain(provider(fake)) as providers:

        def ask(_: int) -> Outcome[Any]:
            return providers.ask(question())

        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(ask, range(12)))
    assert [each.decided_by for each in found] == ["google:gemini-3.8-flash"] * 12


def test_without_providers_the_engine_stands_and_nothing_is_loaded() -> None:
    script = """
import sys
from tests.coach.llm.questions import chain, question
with chain() as providers:
    assert providers.ask(question()).decided_by == "engine"
assert not {"pydantic_ai", "httpx2", "google.genai", "anthropic", "openai"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_the_definitions_load_no_client() -> None:
    clients = {"pydantic_ai", "httpx2", "google.genai", "anthropic", "openai"}
    assert not clients & imported().with_definitions
