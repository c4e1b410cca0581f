"""Addresses of notifications: secrets come from outside and are shown nowhere."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from coach_agent.profile.model import AthleteProfile, ProfileError, parse_profile

SECRET = "tk-geheim_4711"  # noqa: S105 - of nobody


def with_urls(*urls: str, **more: str) -> AthleteProfile:
    lines = ['id = "one"', "[notify]", f"urls = {json.dumps(urls)}"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in more.items()]
    return parse_profile("\n".join(lines), Path("one.toml"))


def test_placeholders_stand_for_what_variables_hold() -> None:
    profile = with_urls(
        "mailto://kim:${NOTIFY_MAIL_PASSWORD}@example.org",
        "tgram://${NOTIFY_BOT}/${NOTIFY_CHAT}",
        "${NOTIFY_WHOLE}",
        "json://example.org",
    )
    held = {
        "NOTIFY_MAIL_PASSWORD": " pw\n",
        "NOTIFY_BOT": "1:a",
        "NOTIFY_CHAT": "2",
        "NOTIFY_WHOLE": "ntfys://topic",
    }
    assert profile.notify.destinations(held) == (
        ("1 mailto", "mailto://kim:pw@example.org"),
        ("2 tgram", "tgram://1:a/2"),
        ("3 ntfys", "ntfys://topic"),
        ("4 json", "json://example.org"),
    )


def test_what_is_not_set_is_named_and_keeps_its_place() -> None:
    profile = with_urls(
        "tgram://${NOTIFY_BOT}/${NOTIFY_CHAT}", "ntfy://topic", urls_env="NOTIFY_MORE"
    )
    assert profile.notify.destinations({"NOTIFY_BOT": "1:a", "NOTIFY_CHAT": " "}) == (
        ("1 NOTIFY_CHAT", None),
        ("2 ntfy", "ntfy://topic"),
        ("3 NOTIFY_MORE", None),
    )


def test_a_variable_may_hold_whole_addresses() -> None:
    profile = with_urls(urls_env="NOTIFY_MORE")
    assert profile.notify.destinations({"NOTIFY_MORE": f" ntfy://a\n  json://b/{SECRET} "}) == (
        ("1 ntfy", "ntfy://a"),
        ("2 json", f"json://b/{SECRET}"),
    )


def test_a_secret_in_the_place_of_an_address_is_no_name() -> None:
    [(name, _)] = with_urls(urls_env="NOTIFY_MORE").notify.destinations({"NOTIFY_MORE": SECRET})
    assert name == "1 unknown"


def test_nobody_is_told_of_anything_by_default() -> None:
    assert AthleteProfile.model_validate({"id": "one"}).notify.destinations({"URLS": "a://b"}) == ()


@pytest.mark.parametrize(
    "urls",
    [
        '["me@example.org"]',
        f'["{SECRET}"]',
        '["tgram://${bot}/1"]',
        '["tgram://${NOTIFY_BOT/1"]',
        f'"{SECRET}://x"',
        f'["ntfy://a", {{ url = "{SECRET}" }}]',
    ],
    ids=["a mail address", "a token", "lower case", "not closed", "no list", "a table"],
)
def test_a_wrong_address_is_told_by_its_line_and_never_repeated(urls: str) -> None:
    with pytest.raises(ProfileError) as told:
        parse_profile(f'id = "one"\n[notify]\nurls = {urls}', Path("one.toml"))
    assert str(told.value).startswith("one.toml, line 3: notify.urls")
    assert "= …: " in str(told.value)
    # Logging the whole exception chain, as Dagster does, shows no secret either.
    assert isinstance(told.value.__cause__, ValidationError)
    for text in (str(told.value), str(told.value.__cause__)):
        assert SECRET not in text
        assert "me@example.org" not in text


def test_an_address_is_shown_and_kept_by_its_kind_alone() -> None:
    profile = with_urls(f"mailto://kim:{SECRET}@example.org", "${NOTIFY_WHOLE}")
    for text in (
        repr(profile),
        str(profile.notify),
        profile.model_dump_json(),
        json.dumps(profile.public_payload()),
        profile.recorded_json().decode(),
    ):
        assert SECRET not in text
        assert "example.org" not in text
    assert profile.notify.model_dump(mode="json")["urls"] == ["mailto://…", "${NOTIFY_WHOLE}"]
    assert "notify" not in json.loads(profile.recorded_json())
