"""A search reads the warehouse, keeps vectors, and sends nothing unless the profile names it."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coach_agent.llm.embeddings import EmbeddingError
from coach_agent.memory.memories import Memory, Source, Statement
from coach_agent.profile.llm_settings import LlmSettings, embedding_provider
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.memories import MemoryVersion, record_versions
from orchestration.config.settings import Settings, load_settings
from orchestration.services.search import search as searching
from orchestration.services.search.index import Space, index_file, read_index
from orchestration.services.search.search import embedder_of, forget_in_index, search
from orchestration.services.search.vectors import Vectors
from orchestration.storage.warehouse import open_warehouse
from tests.orchestration.holding import held_by_another_process

NOW = datetime.now(UTC)
KEY = "sk-fake-0123456789abcdef"
CONCEPTS = (("knee", "joint"), ("slept", "tired"), ("grip", "hands"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    found = load_settings(
        {
            "SPOTTER_HOME": str(tmp_path / "home"),
            "SPOTTER_ATHLETES_DIR": str(tmp_path / "athletes"),
            "OPENAI_API_KEY": KEY,
        },
        tmp_path,
    )
    (tmp_path / "home").mkdir()
    with open_warehouse(found.warehouse) as con:
        for athlete, note in (
            ("ann", "Left knee felt off"),
            ("ann", "Slept four hours \x1b[31m\u202e"),
            ("bob", "Knee 777"),
        ):
            con.execute(
                "insert into coach.check_in_notes values ($1, $2, $3, $1, '[]', false)",
                [note, athlete, NOW.replace(tzinfo=None)],
            )
        source = Source(mart="fct_workout", key="w", day=NOW.date())
        memory = Memory(
            athlete_id="ann",
            kind="against_exercise",
            subject="ROW",
            statement=Statement(title="Row"),
            sources=(source,) * 4,
        )
        record_versions(con, [MemoryVersion(1, 1, memory, NOW, None, "run")])
    return found


def _profile(**llm: Any) -> AthleteProfile:
    return AthleteProfile.model_validate_json(json.dumps({"id": "ann", "llm": llm}))


def _server(url: str, **more: Any) -> dict[str, Any]:
    own = {"kind": "compatible", "base_url": url, "cheap": "chat", "embeddings": "concepts"}
    return {"providers": [own], **more}


@pytest.fixture(autouse=True)
def no_local_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the model of the package, which takes a second to load."""
    monkeypatch.setattr(searching, "local_embedder", lambda: None)


@contextmanager
def _fake_embeddings(status: int = 200, answer: object = None) -> Iterator[tuple[str, list[str]]]:
    """A server with OpenAI's protocol: a dimension per concept, and one that all texts share.

    With `answer` it sends that instead.
    """
    received: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            received.extend(body["input"])
            rows = [
                [1.0 * any(word in text.lower() for word in own) for own in CONCEPTS] + [0.1]
                for text in body["input"]
            ]
            data = [
                {"object": "embedding", "index": at, "embedding": row}
                for at, row in enumerate(rows)
            ]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            vectors = {"object": "list", "data": data, "model": body["model"], "usage": usage}
            given = vectors if answer is None else answer
            content = json.dumps(given if status == 200 else {"error": {"message": KEY}}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_words_find_the_own_texts_alone(settings: Settings) -> None:
    found = search(settings, _profile(), "knee")
    assert [each.text for each in found.hits] == ["Left knee felt off"]
    assert found.hits[0].source == "coach.check_in_notes[note_id=Left knee felt off]"
    assert found.warning is not None
    memory = search(settings, _profile(), "rowing")
    assert [each.kind for each in memory.hits] == ["memory"]
    [slept] = search(settings, _profile(), "hours").hits
    assert slept.text == "Slept four hours [31m"


def test_a_forgotten_memory_leaves_the_index_at_once(settings: Settings) -> None:
    search(settings, _profile(), "row")
    file = index_file(settings.home, "ann")
    assert b"swapping" in file.read_bytes()
    forget_in_index(settings.home, "ann", 1)
    assert b"swapping" not in file.read_bytes()
    forget_in_index(settings.home, "bob", 1)
    assert not index_file(settings.home, "bob").exists()


def test_the_index_of_before_answers_while_the_warehouse_is_busy(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    search(settings, _profile(), "knee")
    monkeypatch.setattr(searching, "_BUSY_S", 0.0)
    with held_by_another_process(settings.warehouse_path):
        assert search(settings, _profile(), "knee").hits


@pytest.mark.parametrize(
    ("llm", "keys"),
    [
        ({}, {"GEMINI_API_KEY": "key"}),
        ({"providers": [{"kind": "openai"}]}, {"OPENAI_API_KEY": KEY}),
        ({"providers": [{"kind": "openai", "embeddings": "small"}]}, {}),
        (_server("http://127.0.0.1:1/v1", leave_out=["notes"]), {}),
        (_server("http://127.0.0.1:1/v1", budget_usd=0), {}),
    ],
    ids=["default", "not named", "no key", "notes left out", "no budget"],
)
def test_no_provider_receives_texts_unless_the_profile_names_a_model(
    llm: dict[str, Any], keys: dict[str, str]
) -> None:
    parsed = LlmSettings.model_validate_json(json.dumps(llm))
    assert embedding_provider(parsed, keys) is None


def test_a_named_model_compares_meanings_and_each_text_is_sent_once(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pydantic_ai.models

    monkeypatch.setattr(pydantic_ai.models, "ALLOW_MODEL_REQUESTS", True)
    with _fake_embeddings() as (url, received):
        profile = _profile(**_server(url))
        found = search(settings, profile, "joint trouble")
        assert (found.hits[0].text, found.warning) == ("Left knee felt off", None)
        assert found.hits[0].matches == ("meaning",)
        assert sorted(received) == [
            *("Check-in. Left knee felt off", "Check-in. Slept four hours [31m"),
            *("You keep swapping Row for something else", "joint trouble"),
        ]
        assert search(settings, profile, "tired").hits[0].text.startswith("Slept")
        assert received[4:] == ["tired"]
    index = read_index(index_file(settings.home, "ann"))
    assert index is not None
    assert index.space is not None
    assert (index.space.model, len(index.vectors)) == ("compatible:concepts", 3)
    # The server is gone: words still answer.
    down = search(settings, profile, "knee")
    assert [each.text for each in down.hits] == ["Left knee felt off"]
    assert "gave no vectors" in (down.warning or "")
    assert read_index(index_file(settings.home, "ann")) == index


def test_an_outage_keeps_the_vectors_before_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed request removed all vectors, so that each text was sent again."""

    class FailsOnce:
        model, version = "fails", "1"
        requests = 0

        def embed(self, texts: Sequence[str]) -> Vectors:
            FailsOnce.requests += 1
            if FailsOnce.requests == 2:
                raise EmbeddingError("down")
            return np.ones((len(texts), 1), dtype=np.float32)

    monkeypatch.setattr(searching, "local_embedder", FailsOnce)
    monkeypatch.setattr(searching, "_BATCH", 1)
    file = index_file(settings.home, "ann")
    for count, warning in ((1, "Only words are compared: down"), (3, None)):
        assert search(settings, _profile(), "knee").warning == warning
        index = read_index(file)
        assert index is not None
        assert (len(index.documents), len(index.vectors)) == (3, count)


@pytest.mark.parametrize("answer", [{}, [], {"data": [1]}, {"data": [{"embedding": ["a"]}]}])
def test_an_unusable_answer_is_an_error_of_the_model(
    monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    import pydantic_ai.models

    monkeypatch.setattr(pydantic_ai.models, "ALLOW_MODEL_REQUESTS", True)
    with _fake_embeddings(answer=answer) as (url, _):
        model = embedder_of(_profile(**_server(url)), {})
        assert model is not None
        with pytest.raises(EmbeddingError, match="gave no vectors"):
            model.embed(["text"])


def test_the_key_is_in_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import pydantic_ai.models

    monkeypatch.setattr(pydantic_ai.models, "ALLOW_MODEL_REQUESTS", True)
    with _fake_embeddings(401) as (url, _):
        own = {**_server(url)["providers"][0], "api_key_env": "OPENAI_API_KEY"}
        profile = _profile(providers=[own])
        model = embedder_of(profile, {"OPENAI_API_KEY": KEY})
        assert model is not None
        with pytest.raises(EmbeddingError) as error:
            model.embed(["text"])
    assert KEY not in str(error.value)


def test_anthropic_has_no_embeddings() -> None:
    with pytest.raises(ValueError, match="no embeddings"):
        _profile(providers=[{"kind": "anthropic", "embeddings": "x"}])


def test_a_search_adds_vectors_of_the_newest_texts_first(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lengths:
        model, version = "lengths", "1"

        def embed(self, texts: Sequence[str]) -> Vectors:
            return np.asarray([[len(each), 1.0] for each in texts], dtype=np.float32)

    monkeypatch.setattr(searching, "local_embedder", Lengths)
    monkeypatch.setattr(searching, "_MOST_NEW", 2)
    file = index_file(settings.home, "ann")
    for count in (2, 3, 3):
        search(settings, _profile(), "knee")
        index = read_index(file)
        assert index is not None
        assert len(index.vectors) == count
    # Of another version none is compared, and all are made anew.
    Lengths.version = "2"
    search(settings, _profile(), "knee")
    index = read_index(file)
    assert index is not None
    assert (index.space, len(index.vectors)) == (Space("lengths", "2"), 2)
