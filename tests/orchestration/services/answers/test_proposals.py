"""Wishes become proposals, which run only after acceptance and only while they fit."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from coach_agent.asking.wish import Wish
from coach_agent.journal.decisions import record_decisions
from coach_agent.planning.decide import decide
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.proposals import ProposalError, read_proposals
from orchestration.config.settings import Settings, load_settings
from orchestration.services.answers.ask_model import answer_question
from orchestration.services.answers.proposals import (
    WishError,
    accept,
    proposal_text,
    propose,
    refuse,
    request_of,
    shown_proposals,
)
from orchestration.services.answers.training import Training, read_training
from orchestration.services.releases.release_contents import PLANS_FILE
from orchestration.services.releases.released import read_release
from orchestration.services.requests.athlete_requests import Request, RequestError, read_request
from orchestration.storage.warehouse import open_warehouse
from tests.coach.builders import NOW
from tests.coach.llm.usual_day import hurting, usual_athlete, usual_situation
from tests.orchestration.services.answers import scenario
from tests.orchestration.services.answers.scripted_model import (
    Seen,
    Turn,
    answers,
    calls,
    scripted_model,
)

ANN = AthleteProfile(id="ann")
RUN = ["run", "--athlete=ann", "--wait"]
WISHES: dict[str, tuple[Wish, str, list[list[str]]]] = {
    "check-in": (
        Wish(kind="check_in", minutes=30, pains=("left knee:mild",), energy="low"),
        "Check in: energy low; 30 minutes; pain left knee, mild.",
        [
            ["check-in", "--energy=low", "--minutes=30", "--pain=left knee:mild", "--athlete=ann"],
            RUN,
        ],
    ),
    "swap": (
        Wish(kind="swap", exercise="bench", substitute="incline bench press dumbbell"),
        "Allow Incline Bench Press (Dumbbell) as the first substitute for Bench Press (Barbell).",
        [
            [
                *("profile", "set", "--athlete=ann"),
                'preferences.swap."Bench Press (Barbell)"=["Incline Bench Press (Dumbbell)"]',
            ],
            RUN,
        ],
    ),
    "approve": (
        Wish(kind="approve"),
        "Publish the plan that waits for your approval.",
        [["plan", "approve", "plan_of_ann", "--athlete=ann"]],
    ),
    "exclude the last workout": (
        Wish(kind="exclude_workout"),
        "Leave workout Push, Tue 10 Mar 2026 out of all analysis.",
        [["correct", "exclude", "w4", "--because=I asked for it.", "--athlete=ann"], RUN],
    ),
    "accept sets": (
        Wish(kind="accept_sets", exercise="squat"),
        "Accept all doubted sets of Squat (Barbell) as real.",
        [
            [
                *("correct", "accept", "--exercise=Squat (Barbell)", "--because=I asked for it."),
                "--athlete=ann",
            ],
            RUN,
        ],
    ),
    "what if": (
        Wish(kind="what_if", programme="5/3/1"),
        "Try 531 on your own training; it changes nothing.",
        [["what-if", "--program=531", "--athlete=ann"]],
    ),
    "programme": (
        Wish(kind="programme", programme="GZCLP"),
        "Follow the programme gzclp from today on.",
        [["program", "use", "gzclp", "--athlete=ann"], RUN],
    ),
}
IMPOSSIBLE = (
    Wish(kind="check_in"),
    Wish(kind="check_in", pains=("chest:severe",)),
    Wish(kind="check_in", pains=("--athlete=bob",)),
    Wish(kind="swap", exercise="bench"),
    Wish(kind="swap", exercise="bench", substitute="bench press"),
    Wish(kind="swap", exercise="row", substitute="squat"),
    Wish(kind="swap", exercise="bench", substitute="Sled 777"),
    Wish(kind="accept_sets"),
    Wish(kind="what_if"),
    Wish(kind="what_if", minutes=30, programme="531"),
    Wish(kind="programme", programme="../../etc/passwd"),
)


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Training:
    released = read_release(scenario.write_release(tmp_path_factory.mktemp("scenario")))
    assert released is not None
    plans = released.folder / PLANS_FILE
    plans.write_text(plans.read_text().replace("plan of ann", "plan_of_ann"))
    return read_training(released, "ann", None, scenario.NOW)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path / "athletes"))
    return load_settings()


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that ran, without their program; those of `fail` fail."""
    commands: list[list[str]] = []

    others = subprocess.run

    def run(command: list[str], **options: Any) -> Any:
        if Path(command[0]).name != "spotter":
            return others(command, **options)
        commands.append(command[1:])
        failed = "approve" in command
        return SimpleNamespace(
            returncode=int(failed), stdout="done", stderr="Error: refused." if failed else ""
        )

    monkeypatch.setattr(subprocess, "run", run)
    return commands


def clock(hours: float = 0) -> Callable[[], datetime]:
    return lambda: NOW + timedelta(hours=hours)


def stored(settings: Settings, request: Request) -> int:
    with open_warehouse(settings.warehouse) as con:
        return propose(con, request, proposed_by="rules", now=NOW).number


def states(settings: Settings, athlete: str = "ann") -> list[str]:
    with open_warehouse(settings.warehouse, read_only=True) as con:
        return [each.state for each in read_proposals(con, athlete)]


@pytest.mark.parametrize("name", WISHES)
def test_a_wish_runs_nothing_until_it_is_accepted_and_then_the_usual_commands(
    settings: Settings, training: Training, ran: list[list[str]], name: str
) -> None:
    wish, text, commands = WISHES[name]
    request = request_of(wish, training, ANN)
    assert proposal_text(request) == text
    number = stored(settings, request)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        [shown] = shown_proposals(con, "ann", NOW)
    assert (shown.text, shown.problem, read_request(shown.proposal.action)) == (text, None, request)
    assert ran == []
    if name == "approve":
        with pytest.raises(RequestError, match="refused"):
            accept(settings, "ann", number, lambda line: None, clock())
        assert (ran, states(settings)) == (commands, ["failed"])
        return
    accept(settings, "ann", number, lambda line: None, clock())
    assert (ran, states(settings)) == (commands, ["done"])
    with pytest.raises(ProposalError, match="was done before"):
        accept(settings, "ann", number, lambda line: None, clock())
    assert ran == commands


@pytest.mark.parametrize("wish", IMPOSSIBLE, ids=str)
def test_a_wish_that_is_incomplete_or_unknown_is_not_proposed(
    training: Training, wish: Wish
) -> None:
    with pytest.raises(WishError):
        request_of(wish, training, ANN)


def test_a_former_substitute_stays_behind_the_new_one(training: Training) -> None:
    table = {"id": "ann", "preferences": {"swap": {"Bench Press (Barbell)": ["Dips"]}}}
    profile = AthleteProfile.model_validate_json(json.dumps(table))
    wish = Wish(kind="swap", exercise="bench", substitute="incline bench press dumbbell")
    request = request_of(wish, training, profile)
    assert '["Incline Bench Press (Dumbbell)", "Dips"]' in request.commands[0][-1]


def test_an_open_red_flag_approves_nothing(training: Training) -> None:
    table = {"id": "ann", "pain": {"chest": "severe"}}
    profile = AthleteProfile.model_validate_json(json.dumps(table))
    with pytest.raises(WishError, match="red flag"):
        request_of(Wish(kind="approve"), replace(training, profile=profile), profile)


def test_expired_refused_and_unknown_proposals_do_not_run(
    settings: Settings, training: Training, ran: list[list[str]]
) -> None:
    first, second = (
        stored(settings, request_of(WISHES[name][0], training, ANN)) for name in ("swap", "what if")
    )
    with pytest.raises(ProposalError, match="has expired"):
        accept(settings, "ann", first, lambda line: None, clock(24))
    refuse(settings, "ann", second, NOW)
    with pytest.raises(ProposalError, match="was refused before"):
        accept(settings, "ann", second, lambda line: None, clock())
    with pytest.raises(ProposalError, match="no proposal 99"):
        accept(settings, "ann", 99, lambda line: None, clock())
    assert ran == []


def test_another_athletes_proposal_does_not_exist(
    settings: Settings, training: Training, ran: list[list[str]]
) -> None:
    number = stored(settings, request_of(WISHES["swap"][0], training, ANN))
    for act in (
        lambda: accept(settings, "bob", number, lambda line: None, clock()),
        lambda: refuse(settings, "bob", number, NOW),
    ):
        with pytest.raises(ProposalError, match="There is no proposal"):
            act()
    assert (ran, states(settings)) == ([], ["open"])


@pytest.mark.parametrize("name", WISHES)
def test_a_proposal_of_another_plan_no_longer_fits(
    settings: Settings, training: Training, ran: list[list[str]], name: str
) -> None:
    athlete = usual_athlete()
    request = request_of(WISHES[name][0], training, ANN.model_copy(update={"id": athlete.id}))

    def plan(situation: Any, now: datetime) -> None:
        decision = decide(situation, athlete)
        assert decision is not None
        with open_warehouse(settings.warehouse) as con:
            record_decisions(con, [decision], now=now, run_id="run")

    plan(usual_situation(), NOW)
    number = stored(settings, request)
    plan(hurting("shoulders", "moderate"), NOW + timedelta(hours=1))
    if name in {"exclude the last workout", "accept sets", "what if"}:
        accept(settings, athlete.id, number, lambda line: None, clock(2))
        assert ran
        return
    with pytest.raises(ProposalError, match="The plan has changed"):
        accept(settings, athlete.id, number, lambda line: None, clock(2))
    assert ran == []


def asked(settings: Settings, training: Training, turn: Turn, question: str) -> Any:
    from pydantic_ai import models

    with scripted_model(turn) as model, models.override_allow_model_requests(True):
        profile = AthleteProfile.model_validate_json(
            json.dumps({"id": "ann", "llm": model.settings})
        )
        return answer_question(
            settings, profile, replace(training, profile=profile), question, clock()
        )


def test_rules_propose_a_wish_without_any_model(
    settings: Settings, training: Training, ran: list[list[str]]
) -> None:
    with open_warehouse(settings.warehouse):
        pass
    reply = answer_question(
        settings, ANN, training, "swap bench for incline bench press dumbbell", clock()
    )
    assert (reply.status, reply.proposals, reply.answered_by) == ("proposed", (1,), "rules")
    assert reply.text.startswith("Proposal 1: Allow Incline Bench Press (Dumbbell) as")
    assert "Nothing is done until you accept it: spotter ask --accept 1" in reply.text
    reply = answer_question(settings, ANN, training, "swap bench for the moon", clock())
    assert (reply.status, reply.proposals) == ("declined", ())
    assert (ran, states(settings)) == ([], ["open"])


def test_a_model_proposes_what_the_question_asks_for(
    settings: Settings, training: Training, ran: list[list[str]]
) -> None:
    wish = {"kind": "check_in", "minutes": 30}
    reply = asked(
        settings, training, lambda seen: answers(wishes=[wish]), "half an hour is all I have"
    )
    assert (reply.status, reply.proposals) == ("proposed", (1,))
    assert reply.text.startswith("Proposal 1: Check in: 30 minutes.")
    assert (ran, states(settings)) == ([], ["open"])


def reading_first(seen: Seen) -> Any:
    wish = {"kind": "approve"}
    return answers(wishes=[wish]) if seen.turn else calls(("get_progress", {}))


INVENTED: dict[str, Turn] = {
    "a wish after a tool returned titles and notes": reading_first,
    "an unknown action": lambda seen: answers(wishes=[{"kind": "delete_workout"}]),
    "a load": lambda seen: answers(wishes=[{"kind": "swap", "load_kg": 300}]),
    "free text": lambda seen: answers(wishes=[{"kind": "check_in", "note": "I am fine"}]),
    "too many": lambda seen: answers(wishes=[{"kind": "approve"}] * 3),
    "an unknown exercise": lambda seen: answers(
        wishes=[{"kind": "swap", "exercise": "bench", "substitute": "Sled 777"}]
    ),
    "another athlete": lambda seen: answers(wishes=[{"kind": "approve", "athlete": "bob"}]),
}


@pytest.mark.parametrize("invented", INVENTED)
def test_an_invented_wish_is_not_proposed(
    settings: Settings, training: Training, ran: list[list[str]], invented: str
) -> None:
    with open_warehouse(settings.warehouse):
        pass
    reply = asked(settings, training, INVENTED[invented], "do whatever is best for me")
    assert reply.proposals == ()
    assert (ran, states(settings), states(settings, "bob")) == ([], [], [])


def test_a_lying_model_only_proposes(
    settings: Settings, training: Training, ran: list[list[str]]
) -> None:
    """Whatever it wishes for waits for the athlete, in words of the code."""
    wishes = [{"kind": "exclude_workout"}, {"kind": "programme", "programme": "nsuns-five-days"}]
    reply = asked(settings, training, lambda seen: answers(wishes=wishes), "how are you today")
    assert (ran, states(settings)) == ([], ["open", "open"])
    assert reply.text.count("Nothing is done until you accept it") == 2
