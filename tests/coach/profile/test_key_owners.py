"""A key is only sent to its own service, independent of the profile."""

from pathlib import Path

import pytest

from coach_agent.profile.key_owners import is_hevy_key, is_model_key, may_be_sent, variable_for
from coach_agent.profile.llm_settings import usable_providers
from coach_agent.profile.model import ProfileError, parse_profile

ELSEWHERE = ("https://evil.example", "https://evil.example/v1", "http://192.0.2.1/v1")
# What an operator's environment may hold, of which none is a profile's to give away.
FOREIGN = (
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "PGPASSWORD",
    "SPOTTER_DASHBOARD_PASSWORD",
    "SPOTTER_NOTIFY",
    "GITHUB_TOKEN",
    "PATH",
    "HEVY_API_KEY_AND_OPENAI_API_KEY",
)
MODEL_KEYS = ("GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "KIMS_OPENAI_KEY")


@pytest.mark.parametrize(
    ("variable", "url"),
    [
        ("GEMINI_API_KEY", "https://generativelanguage.googleapis.com"),
        ("ANTHROPIC_API_KEY", "https://api.anthropic.com"),
        ("KIMS_OPENAI_KEY", "https://eu.api.openai.com/v1"),
        ("OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
        ("GEMINI_API_KEY", "http://127.0.0.1:8000"),
        ("LLM_KEY_LOCAL", "http://localhost:11434/v1"),
        ("LLM_KEY_LLM_EXAMPLE_ORG", "https://llm.example.org:8443/v1"),
        ("LLM_KEY_MY__LLM_EXAMPLE_ORG", "https://my-llm.example.org/v1"),
    ],
)
def test_a_key_reaches_its_own_service(variable: str, url: str) -> None:
    assert may_be_sent(variable, url)


@pytest.mark.parametrize(
    "url",
    [
        *ELSEWHERE,
        "http://api.openai.com/v1",
        "https://api.openai.com.evil.example/v1",
        "https://evil-api.openai.com.example/v1",
        "https://evilapi.openai.com/v1",
        "https://api.openai.com@evil.example/v1",
        "https://api.openai.com:x@api.openai.com/v1",
        "https://openai.com/v1",
        "https://api.anthropic.com",
        "http://127.0.0.1.evil.example/v1",
        "http://127.0.0.1@evil.example/v1",
    ],
)
def test_a_key_reaches_no_other_service(url: str) -> None:
    assert not may_be_sent("OPENAI_API_KEY", url)


def test_two_hosts_never_share_a_variable() -> None:
    hosts = ("a.b.example", "a-b.example", "a--b.example", "a.b-example", "ab.example")
    variables = {variable_for(f"https://{host}/v1") for host in hosts}
    assert len(variables) == len(hosts)
    assert not may_be_sent(variable_for("https://a.b.example"), "https://a-b.example")


@pytest.mark.parametrize("variable", FOREIGN)
def test_no_other_variable_is_a_key(variable: str) -> None:
    assert not is_hevy_key(variable)
    assert not is_model_key(variable)
    assert not may_be_sent(variable, "http://127.0.0.1:8000")


def profile_of(text: str) -> None:
    parse_profile(f'id = "ann"\n{text}', Path("table athletes/ann.toml"))


@pytest.mark.parametrize("variable", [*FOREIGN, *MODEL_KEYS])
def test_hevy_gets_no_key_of_another_service(variable: str) -> None:
    with pytest.raises(ProfileError, match=r"hevy\.api_key_env = .*: must have HEVY in its name"):
        profile_of(f'[hevy]\napi_key_env = "{variable}"')


@pytest.mark.parametrize("kind", ["google", "anthropic", "openai", "compatible"])
@pytest.mark.parametrize("url", ELSEWHERE)
@pytest.mark.parametrize("variable", [None, "HEVY_API_KEY", *FOREIGN, *MODEL_KEYS])
def test_no_model_server_gets_a_key_of_another_service(
    kind: str, url: str, variable: str | None
) -> None:
    named = "" if variable is None else f'api_key_env = "{variable}"\n'
    text = f'[[llm.providers]]\nkind = "{kind}"\nbase_url = "{url}"\ncheap = "m"\n{named}'
    if kind == "compatible" and variable is None:
        # It is sent no key at all.
        profile = parse_profile(f'id = "ann"\n{text}', Path("ann.toml"))
        held = dict.fromkeys((*FOREIGN, *MODEL_KEYS), "marker")
        assert [each.key for each in usable_providers(profile.llm, held)] == ["none"]
        return
    with pytest.raises(ProfileError, match=r"llm\.providers\[0\]\.(api_key_env|base_url)"):
        profile_of(text)


def test_a_key_for_a_server_of_ones_own_is_named_after_it() -> None:
    text = '[[llm.providers]]\nkind = "compatible"\nbase_url = "https://llm.example.org/v1"\n'
    with pytest.raises(ProfileError, match="must be LLM_KEY_LLM_EXAMPLE_ORG: a key is sent"):
        profile_of(f'{text}strong = "m"\napi_key_env = "OPENAI_API_KEY"')
    profile_of(f'{text}strong = "m"\napi_key_env = "LLM_KEY_LLM_EXAMPLE_ORG"')


@pytest.mark.parametrize("variable", ["HEVY_API_KEY", "XNOTIFY_A", *FOREIGN, *MODEL_KEYS])
def test_an_address_of_a_notification_takes_no_other_variable(variable: str) -> None:
    for text in (
        f'urls = ["json://evil.example/${{{variable}}}"]',
        f'urls = ["json://evil.example/${{NOTIFY_A}}/${{{variable}}}"]',
        f'urls = ["${{{variable}}}"]',
        f'urls_env = "{variable}"',
    ):
        with pytest.raises(ProfileError, match="must begin with NOTIFY_"):
            profile_of(f"[notify]\n{text}")
