"""Keys are hidden wherever a text is kept."""

import logging

import pytest

from coach_agent.domain.redaction import RedactSecrets, hide_keys, scrubber

KEY = "A9-very/secret+key=="
scrub = scrubber([KEY, "none", ""])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"API key {KEY} is not valid", "API key *** is not valid"),
        ("?key=A9-very%2Fsecret%2Bkey%3D%3D&x=1", "?key=***&x=1"),
        ("AIzaSyA0123456789abcdef refused", "*** refused"),
        (
            "Incorrect key: sk-proj-abc***456 and sk-ant-api03-xyz",
            "Incorrect key: ******456 and ***",
        ),
        ("Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.e30", "Authorization: ***"),
        ('{"authorization":"bearer abcdefgh.ijkl"}', '{"authorization":"***"}'),
        (
            "none of it, the task-list of a bearer of news",
            "none of it, the task-list of a bearer of news",
        ),
    ],
)
def test_what_is_or_looks_like_a_key_is_hidden(text: str, expected: str) -> None:
    assert scrub(text) == expected


def test_a_key_within_another_leaves_no_rest() -> None:
    assert scrubber(["secret-1", "secret-1-and-more"])("secret-1-and-more") == "***"


def test_handlers_write_no_key_while_providers_are_asked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """On the handlers: records of a library's own logger pass them as well."""
    with hide_keys(scrub):
        try:
            raise ValueError(f"refused: {KEY}")
        except ValueError:
            logging.getLogger("httpx2").exception("request with %s failed", KEY)
    assert KEY not in caplog.text
    assert "request with *** failed" in caplog.text
    assert "ValueError: refused: ***" in caplog.text
    assert not any(isinstance(each, RedactSecrets) for each in caplog.handler.filters)
