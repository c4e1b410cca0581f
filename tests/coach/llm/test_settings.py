"""The providers of an athlete, and their settings."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from coach_agent.profile.llm_settings import Limits, LlmSettings, usable_providers
from coach_agent.profile.model import ProfileError, load_profile


def settings(tmp_path: Path, text: str = "") -> LlmSettings:
    path = tmp_path / "one.toml"
    path.write_text(f'id = "one"\n{text}', encoding="utf-8")
    return load_profile(path).llm


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, []),
        ({"GEMINI_API_KEY": ""}, []),
        ({"GEMINI_API_KEY": "  "}, []),
        ({"GEMINI_API_KEY": "g"}, [("google", "g")]),
        ({"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}, []),
    ],
)
def test_by_default_it_is_gemini_where_its_key_is_set(
    tmp_path: Path, keys: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    found = usable_providers(settings(tmp_path), keys)
    assert [(each.name, each.key) for each in found] == expected


def test_the_athletes_order_counts_and_who_has_no_key_is_left_out(tmp_path: Path) -> None:
    text = """
    [[llm.providers]]
    kind = "openai"
    api_key_env = "KIMS_OPENAI_KEY"
    [[llm.providers]]
    kind = "anthropic"
    [[llm.providers]]
    kind = "google"
    [[llm.providers]]
    kind = "compatible"
    base_url = "http://127.0.0.1:11434/v1/"
    cheap = "qwen3"
    """
    keys = {"KIMS_OPENAI_KEY": "k", "GEMINI_API_KEY": "g", "OPENAI_API_KEY": "not hers"}
    found = usable_providers(settings(tmp_path, text), keys)
    assert [(each.name, each.key, each.settings.url) for each in found] == [
        ("openai", "k", "https://api.openai.com/v1"),
        ("google", "g", "https://generativelanguage.googleapis.com"),
        ("compatible", "none", "http://127.0.0.1:11434/v1"),
    ]


def test_nobody_may_be_named(tmp_path: Path) -> None:
    assert usable_providers(settings(tmp_path, "llm.providers = []"), {"GEMINI_API_KEY": "g"}) == ()


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"kind": "google"}, ("gemini-3.5-flash-lite", "gemini-3.8-flash")),
        ({"kind": "anthropic"}, ("claude-haiku-5-5", "claude-sonnet-5-5")),
        ({"kind": "openai"}, ("gpt-6-luna", "gpt-6.1-terra")),
        (
            {"kind": "google", "strong": "gemini-4-argon"},
            ("gemini-3.5-flash-lite", "gemini-4-argon"),
        ),
        ({"kind": "compatible", "strong": "big"}, ("big", "big")),
        ({"kind": "compatible", "cheap": "small"}, ("small", "small")),
        ({"kind": "compatible", "cheap": "small", "strong": "big"}, ("small", "big")),
    ],
)
def test_each_tier_has_its_model(names: dict[str, Any], expected: tuple[str, str]) -> None:
    if names["kind"] == "compatible":
        names["base_url"] = "http://127.0.0.1/v1"
    (provider,) = LlmSettings.model_validate({"providers": (names,)}).providers
    assert (provider.model("cheap"), provider.model("strong")) == expected


def test_money_is_exact() -> None:
    limits = Limits.of(LlmSettings(budget_usd=0.1))
    assert limits == Limits(120, 3, Decimal("0.1"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'kind = "gemini"',
            "llm.providers[0].kind = 'gemini': must be 'google', 'anthropic', 'openai' or "
            "'compatible'",
        ),
        ('kind = "compatible"\nstrong = "m"', "base_url is missing: must be the server's address"),
        (
            'kind = "compatible"\nbase_url = "http://127.0.0.1/v1"',
            "strong is missing: must be the name of a model of this server; or give cheap",
        ),
        ('kind = "google"\nbase_url = "ftp://x"', "must be a URL such as"),
        (
            'kind = "google"\nbase_url = "http://example.org"',
            "base_url = 'http://example.org': must begin with https: the key would be sent",
        ),
        ('kind = "google"\nkey = "x"', "unknown key llm.providers[0].key; allowed are kind"),
    ],
)
def test_a_provider_that_cannot_be_asked_is_told(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(ProfileError) as error:
        settings(tmp_path, f"[[llm.providers]]\n{text}")
    assert expected in str(error.value)


@pytest.mark.parametrize("key", ["api_key_env", "base_url", "kind", "strong"])
@pytest.mark.parametrize("pasted", ["AIzaSyA0123456789abcdefghij", "sk-ant-0123456789"])
def test_a_key_in_the_wrong_place_is_not_repeated(tmp_path: Path, key: str, pasted: str) -> None:
    text = f'[[llm.providers]]\nkind = "google"\nbase_url = "x"\n{key} = "{pasted}"'
    if key in {"base_url", "kind"}:
        text = text.replace('base_url = "x"\n', "").replace('kind = "google"\n', "")
    with pytest.raises(ProfileError) as error:
        settings(tmp_path, text)
    assert pasted not in str(error.value)
