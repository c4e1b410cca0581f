"""The log of each run: `<home>/logs/<run id>.jsonl`, one event or log record per line.

    {"at": "2026-03-04T02:17:03.120000+00:00", "level": "ERROR", "job": "nightly",
     "step": "dbt_models", "event": "STEP_FAILURE", "message": "...", "error": "..."}

`dagster.yaml` configures the handler, so every process that runs steps writes it. Secrets are
redacted: values of variables with a secret's name, and strings that look like a key.
"""

import errno
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from coach_agent.domain.redaction import Scrub
from coach_agent.domain.secret_values import secrets_scrubber
from orchestration.config.settings import Settings, SettingsError, load_settings

LOGS_FOLDER = "logs"

_RUNS_AT_ONCE = 16
_STEP_START = "STEP_START"

_on_step: dict[str, Callable[[str], None]] = {}


class LogLine(BaseModel):
    """A line of a log; `at` is UTC, `event` Dagster's event type, `error` has the stack trace."""

    model_config = ConfigDict(frozen=True)

    at: datetime
    level: str
    job: str | None = None
    step: str | None = None
    event: str | None = None
    message: str
    error: str | None = None


class RunLogHandler(logging.Handler):
    """Append Dagster's log records of a run to the run's file.

    A failed write does not fail the run: it is reported once, and no partial line remains.
    """

    _is_told = False

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record of a run as a line."""
        told: Mapping[str, Any] = getattr(record, "dagster_meta", {})
        run_id = told.get("run_id")
        if not run_id:
            return
        event = told.get("dagster_event")
        if event is not None and event.event_type_value == _STEP_START and run_id in _on_step:
            _on_step[run_id](event.step_key)
        try:
            path, scrub = _log_of(run_id)
            path.parent.mkdir(parents=True, exist_ok=True)
            _append(path, _line(record, told, scrub))
        except Exception as error:
            # The run continues; its page in Dagster has the same records.
            if not self._is_told:
                print(f"The log of this run cannot be written: {error}", file=sys.stderr)
            RunLogHandler._is_told = True


@contextmanager
def step_starts(run_id: str, on_step: Callable[[str], None]) -> Iterator[None]:
    """Call `on_step` with the name of each step of a run in this process when it starts."""
    _on_step[run_id] = on_step
    try:
        yield
    finally:
        del _on_step[run_id]


def log_path(settings: Settings, run_id: str) -> Path:
    """Return the path of a run's log."""
    return settings.home / LOGS_FOLDER / f"{run_id}.jsonl"


def find_log(settings: Settings, run: str | None) -> Path:
    """Return the log of the run with this id prefix, or of the latest run.

    Raises:
        SettingsError: there is none, or there are several.
    """
    folder = settings.home / LOGS_FOLDER
    found = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    if run is None:
        if not found:
            raise SettingsError(f"There is no log in {folder} yet. Run: spotter run")
        return found[-1]
    named = [path for path in found if path.stem.startswith(run)]
    if len(named) != 1:
        many = "is no log" if not named else "are several logs"
        raise SettingsError(
            f"There {many} of a run {run} in {folder}. See: spotter status --json, last_runs"
        )
    return named[0]


def read_log(path: Path) -> Iterator[LogLine]:
    """Yield the lines of a log; a truncated last line is omitted."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                yield LogLine.model_validate_json(line)


def _append(path: Path, line: str) -> None:
    """Append a line completely or not at all."""
    content = f"{line}\n".encode(errors="replace")
    with path.open("ab", buffering=0) as file:
        before = file.seek(0, os.SEEK_END)
        if file.write(content) != len(content):
            file.truncate(before)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


@lru_cache(_RUNS_AT_ONCE)
def _log_of(run_id: str) -> tuple[Path, Scrub]:
    """Return a run's log file, and the redaction of the secrets at its start."""
    settings = load_settings()
    return log_path(settings, run_id), secrets_scrubber(settings.keys)


def _line(record: logging.LogRecord, told: Mapping[str, Any], scrub: Scrub) -> str:
    event = told.get("dagster_event")
    failure = getattr(getattr(event, "event_specific_data", None), "error", None)
    error = failure.to_string() if failure is not None else None
    if error is None and record.exc_info:
        error = logging.Formatter().formatException(record.exc_info)
    line = {
        "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
        "level": record.levelname,
        "job": told.get("job_name"),
        "step": told.get("step_key"),
        "event": None if event is None else event.event_type.name,
        "message": scrub(str(told.get("orig_message", record.getMessage()))),
        "error": None if error is None else scrub(error),
    }
    return json.dumps({name: value for name, value in line.items() if value}, ensure_ascii=False)
