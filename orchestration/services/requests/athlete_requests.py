"""Requests that an athlete makes on a page, each as a list of Spotter commands.

Each command runs in its own process: page, Dagster and command line behave the same, and the
requesting process never opens the warehouse.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from coach_agent.domain.values import Value
from coach_agent.store.check_ins import LONGEST_MINUTES
from orchestration.config.settings import Settings

JOB = "athlete_request"
"""The job that runs a request, and its step."""

STEP = "carry_out"

REQUEST_TAG = "spotter/request"
"""Tag on the run of a request: its id, which makes it run at most once."""

_ERROR = "Error: "

# Wider than any line: the output is not for a terminal.
_COLUMNS = "4000"

# Sent as `--option=value`, so a value may begin with a dash.
Id = Annotated[str, Field(pattern=r"^[\w][\w:.|/-]*$", max_length=300)]
Text = Annotated[str, Field(min_length=1, max_length=500)]
# Keys of a profile are split at the first equals sign.
Title = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f=]+$", max_length=200)]
EDITABLE_KEYS = ("goal.kind", "goal.event", "goal.date", "session_minutes", "publish.mode")
"""The profile keys that `EditProfile` can set; accepted aliases are added by a command."""

_KEYS = "|".join(re.escape(key) for key in EDITABLE_KEYS)
# A line break would start another key of the file.
_Change = Annotated[str, Field(pattern=rf"^({_KEYS})=[^\x00-\x1f\x7f]*$", max_length=300)]
Feeling = Literal["very-low", "low", "normal", "high", "very-high"]
Command = tuple[str, ...]


class RequestError(Exception):
    """A request failed; the message has the reason and the fix."""


class _Request(Value):
    athlete_id: Id

    @property
    def _whose(self) -> str:
        return f"--athlete={self.athlete_id}"

    @property
    def _next_plan(self) -> Command:
        """Ingest, build, decide, publish and release, so the request takes effect everywhere."""
        return ("run", self._whose, "--wait")


class CheckIn(_Request):
    """The athlete's check-in; at least one field is set. `pain` is like `right knee:mild`."""

    kind: Literal["check-in"] = "check-in"
    energy: Feeling | None = None
    soreness: Feeling | None = None
    minutes: Annotated[int, Field(ge=5, le=LONGEST_MINUTES)] | None = None
    pain: tuple[Text, ...] = ()
    is_easy: bool = False
    note: Text | None = None
    is_cleared: bool = False

    @property
    def commands(self) -> tuple[Command, ...]:
        """The check-in comes first, so it is stored even if Hevy does not answer."""
        said = [f"--energy={self.energy}"] if self.energy else []
        said += [f"--soreness={self.soreness}"] if self.soreness else []
        said += [f"--minutes={self.minutes}"] if self.minutes else []
        said += [f"--pain={each}" for each in self.pain]
        said += ["--deload=all"] if self.is_easy else []
        said += [f"--note={self.note}"] if self.note else []
        said += ["--cleared"] if self.is_cleared else []
        return (("check-in", *said, self._whose), self._next_plan)


class NextPlan(_Request):
    """Run the nightly job now."""

    kind: Literal["next-plan"] = "next-plan"

    @property
    def commands(self) -> tuple[Command, ...]:
        """The nightly job for this athlete."""
        return (self._next_plan,)


class Approve(_Request):
    """Publish the plan that is pending approval."""

    kind: Literal["approve"] = "approve"
    plan_id: Id

    @property
    def commands(self) -> tuple[Command, ...]:
        """The approval itself starts the build of marts and release."""
        return (("plan", "approve", self.plan_id, self._whose),)


class Reject(_Request):
    """Reject the plan, with a reason."""

    kind: Literal["reject"] = "reject"
    plan_id: Id
    because: Text

    @property
    def commands(self) -> tuple[Command, ...]:
        """The coach reads the reason and decides again."""
        return (
            ("plan", "reject", self.plan_id, f"--because={self.because}", self._whose),
            self._next_plan,
        )


class RollBack(_Request):
    """Restore the routine to its state before the plan."""

    kind: Literal["rollback"] = "rollback"
    plan_id: Id

    @property
    def commands(self) -> tuple[Command, ...]:
        """The rollback itself starts the build of marts and release."""
        return (("rollback", self.plan_id, self._whose),)


class CorrectWorkout(_Request):
    """Exclude a workout from all analysis, or include it again. `about` is its title and day."""

    kind: Literal["correct-workout"] = "correct-workout"
    workout_id: Id
    action: Literal["exclude", "include"]
    because: Text
    about: Text | None = None

    @property
    def commands(self) -> tuple[Command, ...]:
        """A new decision follows, since its input changed."""
        why = f"--because={self.because}"
        return (("correct", self.action, self.workout_id, why, self._whose), self._next_plan)


class CorrectSet(_Request):
    """Accept a set as real, or mark it as a typing error."""

    kind: Literal["correct-set"] = "correct-set"
    set_key: Id
    action: Literal["accept", "doubt"]
    because: Text

    @property
    def commands(self) -> tuple[Command, ...]:
        """A new decision follows, since its input changed."""
        why = f"--because={self.because}"
        return (("correct", self.action, self.set_key, why), self._next_plan)


class AcceptSets(_Request):
    """Accept all doubted sets of an exercise, named by its key or title."""

    kind: Literal["accept-sets"] = "accept-sets"
    exercise: Text
    because: Text

    @property
    def commands(self) -> tuple[Command, ...]:
        """A new decision follows, since its input changed."""
        given = (f"--exercise={self.exercise}", f"--because={self.because}")
        return (("correct", "accept", *given, self._whose), self._next_plan)


class AcceptAliases(_Request):
    """Join all titles of files with the proposed exercises, if they are those of the digest."""

    kind: Literal["accept-aliases"] = "accept-aliases"
    proposals_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

    @property
    def commands(self) -> tuple[Command, ...]:
        """A new decision follows, since exercises were joined."""
        seen = f"--if-sha256={self.proposals_sha256}"
        return (("aliases", "accept", "--all", seen, self._whose), self._next_plan)


class DecideMemory(_Request):
    """Confirm or forget a memory, if its version is the one that the athlete has seen."""

    kind: Literal["memory"] = "memory"
    number: Annotated[int, Field(ge=1)]
    version: Annotated[int, Field(ge=1)]
    action: Literal["confirm", "forget"]

    @property
    def commands(self) -> tuple[Command, ...]:
        """No plan depends on memories, so nothing follows."""
        seen = f"--if-version={self.version}"
        return (("memory", self.action, f"{self.number}", seen, self._whose),)


class ImportFile(_Request):
    """Import an uploaded file; an unknown athlete is created."""

    kind: Literal["import"] = "import"
    file_name: Annotated[str, Field(pattern=r"^\w[\w.-]*$", max_length=200)]
    weight_unit: Literal["kg", "lb"] | None = None

    @property
    def commands(self) -> tuple[Command, ...]:
        """Exports of Strong do not contain their unit."""
        unit = (f"--weight-unit={self.weight_unit}",) if self.weight_unit else ()
        return (("import-csv", *unit, self._whose, self.file_name), self._next_plan)


class EditProfile(_Request):
    """Set profile keys that the page offers: `goal.kind=strength`, or `goal.date=` to clear one."""

    kind: Literal["profile"] = "profile"
    changes: Annotated[tuple[_Change, ...], Field(min_length=1)]

    @property
    def commands(self) -> tuple[Command, ...]:
        """A new decision follows, since its input changed."""
        return (("profile", "set", self._whose, *self.changes), self._next_plan)


class Swap(_Request):
    """Set the allowed substitutes of an exercise, the best one first."""

    kind: Literal["swap"] = "swap"
    exercise: Title
    substitutes: Annotated[tuple[Title, ...], Field(min_length=1)]

    @property
    def commands(self) -> tuple[Command, ...]:
        """A new decision follows, since its input changed."""
        key = f"preferences.swap.{json.dumps(self.exercise, ensure_ascii=False)}"
        titles = json.dumps(list(self.substitutes), ensure_ascii=False)
        return (("profile", "set", self._whose, f"{key}={titles}"), self._next_plan)


class WhatIf(_Request):
    """Try a programme or another length of workouts on the athlete's own training."""

    kind: Literal["what-if"] = "what-if"
    programme: Id | None = None
    minutes: Annotated[int, Field(ge=5, le=600)] | None = None

    @property
    def commands(self) -> tuple[Command, ...]:
        """It changes nothing, so nothing follows."""
        given = [f"--program={self.programme}"] if self.programme else []
        given += [f"--set=session_minutes={self.minutes}"] if self.minutes else []
        return (("what-if", *given, self._whose),)


class FollowProgramme(_Request):
    """Follow a published programme from today on."""

    kind: Literal["programme"] = "programme"
    programme: Id

    @property
    def commands(self) -> tuple[Command, ...]:
        """A new decision follows, since its input changed."""
        return (("program", "use", self.programme, self._whose), self._next_plan)


class DecideProposal(_Request):
    """Accept or refuse a proposal of an action."""

    kind: Literal["proposal"] = "proposal"
    number: Annotated[int, Field(ge=1)]
    action: Literal["accept", "refuse"]

    @property
    def commands(self) -> tuple[Command, ...]:
        """An accepted one starts what follows from it."""
        return (("ask", f"--{self.action}={self.number}", self._whose),)


Request = (
    CheckIn
    | NextPlan
    | Approve
    | Reject
    | RollBack
    | CorrectWorkout
    | CorrectSet
    | AcceptSets
    | AcceptAliases
    | DecideMemory
    | ImportFile
    | EditProfile
    | Swap
    | WhatIf
    | FollowProgramme
    | DecideProposal
)
_REQUESTS: TypeAdapter[Request] = TypeAdapter(Request)


def read_request(text: str) -> Request:
    """Parse a request from its JSON.

    Raises:
        pydantic.ValidationError: it is invalid.
    """
    return _REQUESTS.validate_json(text)


def uploads_folder(settings: Settings) -> Path:
    """Return the folder that holds the uploaded files of pending requests."""
    return settings.home / "uploads"


def carry_out(settings: Settings, request: Request, on_line: Callable[[str], None]) -> None:
    """Run the commands of a request in order; `on_line` receives each line of output.

    An uploaded file is deleted afterwards in any case: its sender has the original.

    Raises:
        RequestError: a command failed; the remaining ones were not started.
    """
    folder = uploads_folder(settings)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for command in request.commands:
            _run(command, folder, on_line)
    finally:
        if isinstance(request, ImportFile):
            (folder / request.file_name).unlink(missing_ok=True)


def read_output(settings: Settings, command: Command) -> str:
    """Return the output of a read-only command, one line per paragraph.

    Raises:
        RequestError: it printed errors only.
    """
    done = _spotter(command, settings.home)
    told = "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip()
    if not told:
        raise _failed(command, done)
    return told


def _run(command: Command, folder: Path, on_line: Callable[[str], None]) -> None:
    done = _spotter(command, folder)
    for line in f"{done.stdout}\n{done.stderr}".splitlines():
        if line.strip():
            on_line(line.rstrip())
    if done.returncode != 0:
        raise _failed(command, done)


def _spotter(command: Command, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own program; what an athlete typed is no option
        [str(Path(sys.executable).with_name("spotter")), *command],
        cwd=folder,
        env={**os.environ, "COLUMNS": _COLUMNS, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def _failed(command: Command, done: subprocess.CompletedProcess[str]) -> RequestError:
    return RequestError(_why(done.stderr) or f"spotter {command[0]} failed.")


def _why(told: str) -> str:
    """Return the output of a command from its first error on, as sentences for a page."""
    lines = [" ".join(line.split()) for line in told.splitlines()]
    first = next((n for n, line in enumerate(lines) if line.startswith(_ERROR)), 0)
    return " ".join(line.removeprefix(_ERROR) for line in lines[first:] if line)
