"""Requests of a page become commands of Spotter, and input never becomes an option."""

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from orchestration.cli.app import app
from orchestration.config.settings import load_settings
from orchestration.services.requests.athlete_requests import (
    AcceptAliases,
    AcceptSets,
    Approve,
    CheckIn,
    CorrectSet,
    CorrectWorkout,
    DecideMemory,
    DecideProposal,
    EditProfile,
    FollowProgramme,
    ImportFile,
    NextPlan,
    Reject,
    Request,
    RequestError,
    RollBack,
    Swap,
    WhatIf,
    carry_out,
    read_output,
    read_request,
    uploads_folder,
)

ANN = "ann"
DIGEST = "0a" * 32
RUN = ("run", "--athlete=ann", "--wait")
EACH: list[tuple[Request, tuple[tuple[str, ...], ...]]] = [
    (
        CheckIn(athlete_id=ANN, energy="low", minutes=30, pain=("right knee:mild",), is_easy=True),
        (
            (
                "check-in",
                "--energy=low",
                "--minutes=30",
                "--pain=right knee:mild",
                "--deload=all",
                "--athlete=ann",
            ),
            RUN,
        ),
    ),
    (
        CheckIn(athlete_id=ANN, note="-- chest hurts", is_cleared=True),
        (("check-in", "--note=-- chest hurts", "--cleared", "--athlete=ann"), RUN),
    ),
    (NextPlan(athlete_id=ANN), (RUN,)),
    (
        Swap(athlete_id=ANN, exercise='Bench "Press"', substitutes=("Dips", "Fly")),
        (
            (
                *("profile", "set", "--athlete=ann"),
                'preferences.swap."Bench \\"Press\\""=["Dips", "Fly"]',
            ),
            RUN,
        ),
    ),
    (
        WhatIf(athlete_id=ANN, programme="531", minutes=45),
        (("what-if", "--program=531", "--set=session_minutes=45", "--athlete=ann"),),
    ),
    (
        FollowProgramme(athlete_id=ANN, programme="gzclp"),
        (("program", "use", "gzclp", "--athlete=ann"), RUN),
    ),
    (
        DecideProposal(athlete_id=ANN, number=3, action="accept"),
        (("ask", "--accept=3", "--athlete=ann"),),
    ),
    (Approve(athlete_id=ANN, plan_id="plan_1"), (("plan", "approve", "plan_1", "--athlete=ann"),)),
    (
        Reject(athlete_id=ANN, plan_id="plan_1", because="--athlete=ben"),
        (("plan", "reject", "plan_1", "--because=--athlete=ben", "--athlete=ann"), RUN),
    ),
    (RollBack(athlete_id=ANN, plan_id="plan_1"), (("rollback", "plan_1", "--athlete=ann"),)),
    (
        CorrectWorkout(athlete_id=ANN, workout_id="w-1", action="exclude", because="not mine"),
        (("correct", "exclude", "w-1", "--because=not mine", "--athlete=ann"), RUN),
    ),
    (
        CorrectSet(athlete_id=ANN, set_key="0a1b", action="accept", because="it was so"),
        (("correct", "accept", "0a1b", "--because=it was so"), RUN),
    ),
    (
        AcceptSets(athlete_id=ANN, exercise="--all", because="-x"),
        (("correct", "accept", "--exercise=--all", "--because=-x", "--athlete=ann"), RUN),
    ),
    (
        AcceptAliases(athlete_id=ANN, proposals_sha256=DIGEST),
        (("aliases", "accept", "--all", f"--if-sha256={DIGEST}", "--athlete=ann"), RUN),
    ),
    (
        DecideMemory(athlete_id=ANN, number=3, version=2, action="forget"),
        (("memory", "forget", "3", "--if-version=2", "--athlete=ann"),),
    ),
    (
        EditProfile(athlete_id=ANN, changes=("goal.kind=strength", "goal.date=")),
        (("profile", "set", "--athlete=ann", "goal.kind=strength", "goal.date="), RUN),
    ),
    (
        ImportFile(athlete_id=ANN, file_name="x.csv", weight_unit="kg"),
        (("import-csv", "--weight-unit=kg", "--athlete=ann", "x.csv"), RUN),
    ),
]


@pytest.mark.parametrize(("request_", "commands"), EACH, ids=lambda each: getattr(each, "kind", ""))
def test_each_request_is_commands_that_there_are(
    request_: Request, commands: tuple[tuple[str, ...], ...]
) -> None:
    import typer.main

    assert request_.commands == commands
    assert read_request(request_.model_dump_json()) == request_
    root: Any = typer.main.get_command(app)
    for command in request_.commands:
        group, rest = root, list(command)
        while hasattr(group, "commands"):
            group = group.commands[rest.pop(0)]
        context = group.make_context("spotter", rest)
        if "athlete" in context.params and command[0] != "correct":
            assert context.params["athlete"] == ANN
        assert context.params.get("because") in {None, getattr(request_, "because", None)}


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "approve", "athlete_id": "--all", "plan_id": "plan_1"}',
        '{"kind": "approve", "athlete_id": "ann", "plan_id": "--help"}',
        '{"kind": "approve", "athlete_id": "ann"}',
        '{"kind": "check-in", "athlete_id": "ann", "minutes": 4}',
        '{"kind": "import", "athlete_id": "ann", "file_name": "/etc/passwd"}',
        '{"kind": "import", "athlete_id": "ann", "file_name": "../warehouse.duckdb"}',
        '{"kind": "import", "athlete_id": "ann", "file_name": "a/../../warehouse.duckdb"}',
        '{"kind": "reject", "athlete_id": "ann", "plan_id": "plan_1", "because": ""}',
        '{"kind": "profile", "athlete_id": "ann", "changes": ["--athlete=ben"]}',
        '{"kind": "profile", "athlete_id": "ann", "changes": []}',
        '{"kind": "uninstall", "athlete_id": "ann"}',
    ],
)
def test_what_is_no_request_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        read_request(text)


def test_after_a_command_that_failed_none_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_settings({"SPOTTER_HOME": str(tmp_path)})
    begun: list[str] = []

    def fail(command: list[str], **options: object) -> SimpleNamespace:
        begun.append(command[1])
        told = "Reading\nError: Hevy does not answer.\n  Try again later.\n"
        return SimpleNamespace(returncode=2, stdout="Noted.\n", stderr=told)

    monkeypatch.setattr(subprocess, "run", fail)
    heard: list[str] = []
    with pytest.raises(RequestError) as refused:
        carry_out(settings, CheckIn(athlete_id=ANN, energy="low"), heard.append)
    assert str(refused.value) == "Hevy does not answer. Try again later."
    assert begun == ["check-in"]
    assert heard[0] == "Noted."


def test_a_file_that_was_sent_is_read_where_it_lies_and_then_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_settings({"SPOTTER_HOME": str(tmp_path)})
    folder = uploads_folder(settings)
    folder.mkdir()
    (folder / "x.csv").write_text("title\n")
    seen: list[str] = []

    def note(command: list[str], *, cwd: Path, **options: object) -> SimpleNamespace:
        seen.extend(path.name for path in cwd.iterdir())
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    monkeypatch.setattr(subprocess, "run", note)
    carry_out(settings, ImportFile(athlete_id=ANN, file_name="x.csv"), print)
    assert seen == ["x.csv", "x.csv"]
    assert not list(folder.iterdir())


@pytest.mark.parametrize("code", [0, 1])
def test_what_a_reading_command_says_is_told_whatever_it_found(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A replay with differences exits with 1 and lists them."""
    settings = load_settings({"SPOTTER_HOME": str(tmp_path)})
    said = SimpleNamespace(returncode=code, stdout="It differs:   \n  a: 1 → 2  \n\n", stderr="")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: said)
    assert read_output(settings, ("replay", "x")) == "It differs:\n  a: 1 → 2"
    said.stdout, said.stderr = "", "Error: There is no decision x.\n"
    with pytest.raises(RequestError, match=r"^There is no decision x\.$"):
        read_output(settings, ("replay", "x"))
