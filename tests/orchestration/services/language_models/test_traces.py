"""Traces: off by default, complete in a file, and without keys, addresses and names."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from coach_agent.profile.model import AthleteProfile
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.services.answers.ask import Reply
from orchestration.services.answers.ask_model import answer_question
from orchestration.services.answers.training import Training, read_training
from orchestration.services.language_models.traces import forget_traces, traces_folder
from orchestration.services.releases.released import read_release
from orchestration.storage.warehouse import open_warehouse
from tests.orchestration.services.answers.scenario import NOW, write_release
from tests.orchestration.services.answers.scripted_model import (
    Turn,
    answers,
    reads,
    scripted_model,
)

KEY = "marker-key-0123456789"
QUESTION = (
    "compare my bench and squat, says Annabel, write ann.lee@example.org or +49 170 1234567, "
    f"the key is {KEY}"
)
TURN = reads(
    ("get_records", {"exercise": "bench"}), then=lambda seen: answers(("The bench records.", [1]))
)


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Training:
    released = read_release(write_release(tmp_path_factory.mktemp("scenario")))
    assert released is not None
    return read_training(released, "ann", None, NOW)


@pytest.fixture(autouse=True)
def _may_ask_loopback() -> Iterator[None]:
    from pydantic_ai import models

    with models.override_allow_model_requests(True):
        yield


def asked(
    tmp_path: Path, training: Training, traces: str, turn: Turn = TURN
) -> tuple[Reply, Settings]:
    settings = load_settings(
        {"SPOTTER_HOME": str(tmp_path), "SPOTTER_TRACES": traces, "HEVY_API_KEY": KEY}
    )
    with open_warehouse(settings.warehouse):
        pass
    with scripted_model(turn) as model:
        table = {"id": "ann", "name": "Annabel", "llm": model.settings}
        profile = AthleteProfile.model_validate_json(json.dumps(table))
        own = replace(training, profile=profile)
        reply = answer_question(settings, profile, own, QUESTION, lambda: NOW)
    return reply, settings


def test_a_trace_has_the_whole_conversation_and_no_secret(
    tmp_path: Path, training: Training
) -> None:
    reply, settings = asked(tmp_path, training, "file")
    assert reply.answered_by == "compatible:liar", reply.note
    [file] = traces_folder(settings).glob("*.jsonl")
    text = file.read_text(encoding="utf-8")
    for secret in (KEY, "ann.lee@example.org", "170 1234567", "Annabel"):
        assert secret not in text
    [trace] = [json.loads(line) for line in text.splitlines()]
    assert (trace["name"], trace["athlete_id"], trace["model"]) == ("ask", "ann", "liar")
    assert trace["error"] is None
    parts = [part for message in trace["messages"] for part in message["parts"]]
    kinds = [part["part_kind"] for part in parts]
    assert kinds == ["user-prompt", "tool-call", "tool-return", "tool-call", "tool-return"]
    assert "heaviest load 82.5 kg" in json.dumps(parts[2], ensure_ascii=False)
    assert trace["messages"][1]["usage"]["input_tokens"] == 1000


def test_a_failed_question_is_traced_with_its_error(tmp_path: Path, training: Training) -> None:
    reply, settings = asked(tmp_path, training, "file", lambda seen: b"{not json")
    assert reply.answered_by == "rules"
    [file] = traces_folder(settings).glob("*.jsonl")
    [trace] = [json.loads(line) for line in file.read_text().splitlines()]
    assert trace["error"]


@pytest.mark.parametrize("traces", ["", "otel"])
def test_no_file_is_written_unless_it_is_enabled(
    tmp_path: Path, training: Training, traces: str
) -> None:
    reply, settings = asked(tmp_path, training, traces)
    assert reply.answered_by == "compatible:liar", reply.note
    assert not traces_folder(settings).exists()


def test_a_folder_that_cannot_be_written_costs_no_answer(
    tmp_path: Path, training: Training
) -> None:
    (tmp_path / "traces").write_text("a file")
    reply, _ = asked(tmp_path, training, "file")
    assert reply.answered_by == "compatible:liar", reply.note


def test_opentelemetry_gets_spans_without_any_text(
    tmp_path: Path, training: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator's SDK is replaced by a provider that keeps the spans."""
    from opentelemetry import trace

    spans = _Spans()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", spans)
    reply, _ = asked(tmp_path, training, "otel")
    assert reply.answered_by == "compatible:liar", reply.note
    assert {name.split()[0] for name in spans.names} >= {"invoke_agent", "chat", "execute_tool"}
    told = json.dumps(spans.values, default=str)
    assert "gen_ai.usage.input_tokens" in told
    for text in ("82.5", "compare my bench", KEY, "Annabel", "example.org"):
        assert text not in told


def test_old_files_are_deleted(tmp_path: Path) -> None:
    settings = load_settings({"SPOTTER_HOME": str(tmp_path)})
    traces_folder(settings).mkdir()
    for day in ("2026-01-01", "2026-03-01"):
        (traces_folder(settings) / f"{day}.jsonl").write_text("{}\n")
    assert forget_traces(settings, date(2026, 3, 1)) == 1
    assert [each.stem for each in traces_folder(settings).iterdir()] == ["2026-03-01"]


def test_another_value_is_refused() -> None:
    with pytest.raises(SettingsError, match="SPOTTER_TRACES is 'yes'; use file or otel"):
        load_settings({"SPOTTER_TRACES": "yes"})


class _Spans:
    """A tracer provider of OpenTelemetry's API that keeps names and attributes."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.values: list[Any] = []

    def get_tracer(self, *_: Any, **__: Any) -> Any:
        from opentelemetry.trace import NonRecordingSpan, NoOpTracer
        from opentelemetry.trace.span import SpanContext

        kept = self

        class Span(NonRecordingSpan):
            def is_recording(self) -> bool:
                return True

            def set_attribute(self, key: str, value: Any) -> None:
                kept.values.append({key: value})

            def set_attributes(self, attributes: Any) -> None:
                kept.values.append(dict(attributes))

            def update_name(self, name: str) -> None:
                kept.names.append(name)

            def add_event(self, name: str, attributes: Any = None, timestamp: Any = None) -> None:
                kept.values.append({name: dict(attributes or {})})

        class Tracer(NoOpTracer):
            def start_span(self, name: str, *_: Any, attributes: Any = None, **__: Any) -> Any:
                kept.names.append(name)
                kept.values.append(dict(attributes or {}))
                return Span(SpanContext(1, 1, is_remote=False))

            def start_as_current_span(self, name: str, *args: Any, **options: Any) -> Any:
                from contextlib import nullcontext

                return nullcontext(self.start_span(name, **options))

        return Tracer()
