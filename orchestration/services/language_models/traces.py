"""Traces of questions to language models, in files of the home or as OpenTelemetry; off by default.

A file has one JSON object per line, and the day (UTC) in its name.
"""

import json
import logging
import re
from datetime import UTC, date, datetime
from pathlib import Path

from coach_agent.domain.redaction import Scrub
from coach_agent.domain.secret_values import secrets_scrubber
from coach_agent.llm.traces import Trace, Tracing
from coach_agent.profile.model import AthleteProfile
from orchestration.config.settings import Settings
from orchestration.storage.file_lock import serialized

_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
# At least nine digits with the usual separators. Dates and sets have fewer in a row.
_PHONE = re.compile(r"\+\d(?:[ ()/.-]?\d){8,14}")
_HIDDEN = "***"
_SHORTEST_NAME = 3

_log = logging.getLogger(__name__)


def tracing_of(settings: Settings, profile: AthleteProfile) -> Tracing | None:
    """Return where the athlete's questions are traced; None if traces are off."""
    if settings.traces == "otel":
        return Tracing(is_instrumented=True)
    if settings.traces == "file":
        scrub = secrets_scrubber(settings.keys)
        return Tracing(write=lambda trace: _write(settings, profile, trace, scrub))
    return None


def traces_folder(settings: Settings) -> Path:
    """Return the folder of the trace files."""
    return settings.home / "traces"


def forget_traces(settings: Settings, before: date) -> int:
    """Delete the files of days before a date; returns their number."""
    old = [each for each in traces_folder(settings).glob("*.jsonl") if each.stem < f"{before}"]
    for file in old:
        file.unlink()
    return len(old)


def _write(settings: Settings, profile: AthleteProfile, trace: Trace, scrub: Scrub) -> None:
    """Append a trace without secrets; a failure is logged, and the question goes on."""
    now = datetime.now(UTC)
    record = {"at": now.isoformat(), "athlete_id": profile.id, **trace.model_dump(mode="json")}
    line = _without_secrets(json.dumps(record, ensure_ascii=False), profile, scrub)
    folder = traces_folder(settings)
    file = folder / f"{now.date()}.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (
            serialized(folder / "traces.lock", "a trace"),
            file.open("a", encoding="utf-8") as lines,
        ):
            lines.write(f"{line}\n")
    except OSError as error:
        _log.warning("A trace was not written: %s", error.strerror)


def _without_secrets(text: str, profile: AthleteProfile, scrub: Scrub) -> str:
    """Hide keys, e-mail addresses, telephone numbers and the athlete's name in a text."""
    text = _PHONE.sub(_HIDDEN, _ADDRESS.sub(_HIDDEN, scrub(text)))
    if profile.name and len(profile.name) >= _SHORTEST_NAME and profile.name != profile.id:
        text = re.sub(rf"\b{re.escape(profile.name)}\b", _HIDDEN, text)
    return text
