"""Delivery by Apprise's own services, to a mail server and an HTTP service on loopback."""

import logging
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO

import pytest

from orchestration.services.operations.notify import Message, send, without_secrets
from tests.orchestration.sinks import http_sink, mail_sink

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)
TITLE = "Next: Upper A"
MESSAGE = Message(
    TITLE,
    markdown="## What to do\n\n- ↑ **Squat (Barbell)**: 3 × 82.5 kg × 8\n",
    plain="WHAT TO DO\n↑ Squat (Barbell): 3 × 82.5 kg × 8\n",
)
SECRET = "tk-geheim_4711"  # noqa: S105 - of nobody


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def test_a_mail_arrives_with_title_and_formatted_text() -> None:
    with mail_sink() as sink:
        url = (
            f"mailto://kim:{SECRET}@127.0.0.1:{sink.port}"
            "?from=coach@example.org&to=kim@example.org&mode=insecure"
        )
        [told] = send([("1 mailto", url)], MESSAGE, lambda: NOW)
    assert (told.destination, told.state, told.detail, told.tried_at) == (
        "1 mailto",
        "sent",
        None,
        NOW,
    )
    [mail] = sink.mails
    assert sink.logins == [f"\0kim\0{SECRET}"]
    assert mail["Subject"] == TITLE
    assert "kim@example.org" in mail["To"]
    html = mail.get_body(("html",))
    assert html is not None
    assert "<strong>Squat (Barbell)</strong>: 3 × 82.5 kg × 8" in html.get_content()


def test_json_takes_markdown_and_ntfy_plain_text() -> None:
    with http_sink() as sink:
        told = send(
            [
                ("1 json", f"json://kim:{SECRET}@127.0.0.1:{sink.port}/morning"),
                ("2 ntfy", f"ntfy://127.0.0.1:{sink.port}/topic-of-kim"),
            ],
            MESSAGE,
            lambda: NOW,
        )
    assert [(each.destination, each.state) for each in told] == [
        ("1 json", "sent"),
        ("2 ntfy", "sent"),
    ]
    found = {
        "title" if "topic" in body else "json": (path, body) for path, _, body in sink.requests
    }
    path, body = found["json"]
    assert path.startswith("/morning")
    assert body["title"] == TITLE
    assert body["message"] == MESSAGE.markdown.strip()
    _, pushed = found["title"]
    assert (pushed["topic"], pushed["title"]) == ("topic-of-kim", TITLE)
    assert pushed["message"] == MESSAGE.plain.strip()


@pytest.fixture
def root_log() -> Iterator[StringIO]:
    """Capture the root logger; pytest's own capture includes other records."""
    told, root = StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(told), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield told
    root.removeHandler(handler)
    root.setLevel(level)


def test_one_that_fails_fails_alone_and_shows_nothing_of_its_address(
    root_log: StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    logging.getLogger("spotter").debug("heard")
    with http_sink(status=401) as refusing, http_sink() as sink:
        told = send(
            [
                ("1 json", f"json://kim:{SECRET}@127.0.0.1:{refusing.port}/{SECRET}"),
                ("2 json", f"json://kim:{SECRET}@127.0.0.1:{closed_port()}/{SECRET}"),
                ("3 unknown", f"nonsense-{SECRET}"),
                ("4 NTFY_TOPIC", None),
                ("5 json", f"json://127.0.0.1:{sink.port}"),
            ],
            MESSAGE,
            lambda: NOW,
        )
    assert [each.state for each in told] == ["failed"] * 4 + ["sent"]
    refused, unreachable, unusable, unset, _ = (each.detail or "" for each in told)
    assert "401" in refused
    assert "onnection" in unreachable
    assert "cannot use the URL" in unusable
    assert unset == "NTFY_TOPIC is not set in .env."
    written = " ".join([refused, unreachable, unusable, root_log.getvalue(), *capfd.readouterr()])
    assert "heard" in written
    assert SECRET not in written
    assert "127.0.0.1" not in refused + unreachable


def test_one_that_does_not_answer_is_waited_for_no_longer_than_allowed() -> None:
    with http_sink(is_silent=True) as silent, http_sink() as sink:
        began = time.monotonic()
        told = send(
            [
                ("1 json", f"json://127.0.0.1:{silent.port}"),
                ("2 json", f"json://127.0.0.1:{sink.port}"),
            ],
            MESSAGE,
            lambda: NOW,
            answer_within_s=3,  # Apprise itself gives up after four
        )
        assert time.monotonic() - began < 30
    assert [(each.state, each.detail) for each in told] == [
        ("failed", "No answer within 3 s."),
        ("sent", None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Failed to reach mailto://kim:p%40ss-word@mail.example.org/?to=a@b.org",
        "login of kim with p@ss-word refused",
        "GET /bot123456:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw failed",
        "host MAIL.EXAMPLE.ORG refused",
    ],
)
def test_no_part_of_an_address_stays_in_a_text(text: str) -> None:
    url = "mailto://kim:p%40ss-word@mail.example.org/?to=a@b.org"
    cleaned = without_secrets(text, url).casefold()
    for part in ("kim", "p%40ss-word", "p@ss-word", "mail.example.org", "aahdqtcvch1"):
        assert part not in cleaned
    assert len(without_secrets("word " * 100, url)) <= 200
