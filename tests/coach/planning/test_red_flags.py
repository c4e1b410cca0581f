"""Red flags in what athletes write: found in all phrasings, and not in what sounds like one."""

import tomllib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from coach_agent.domain.red_flags import all_red_flags, red_flags_in, stop_text
from coach_agent.engine.explain.plan_texts import short_reasons
from coach_agent.planning.between_sets import Day, NextSetQuestion, answer
from coach_agent.planning.decide import decide
from coach_agent.situation.progress import Progress
from coach_agent.store.check_ins import (
    CheckInNote,
    read_open_red_flags,
    read_open_red_flags_of,
    read_red_flags_of,
    record_note,
)
from coach_agent.store.schema import create_coach_tables
from orchestration.services.briefing.brief import briefing_of
from orchestration.services.planning.plan import why_no_plan
from tests.coach.builders import NOW, profile, routine, situation
from tests.coach.usual_workout import bench, curl

PHRASES = tomllib.loads(Path(__file__).with_name("red_flag_phrases.toml").read_text("utf-8"))
RED = [
    (code, phrase)
    for part in PHRASES.values()
    for code, phrases in part["red"].items()
    for phrase in phrases
]
HARMLESS = [phrase for part in PHRASES.values() for phrase in part["harmless"]]


def test_signs_are_recognised_in_all_phrasings() -> None:
    missed = [
        text
        for code, phrase in RED
        for text in (phrase, f"Slept well. {phrase.upper()}!", f"Slept well, {phrase} today")
        if code not in red_flags_in(text)
    ]
    assert not missed
    assert len(RED) >= 100


def test_what_only_sounds_like_a_sign_is_none() -> None:
    stopped = [
        text
        for phrase in HARMLESS
        for text in (phrase, f"Good sleep. {phrase.upper()}!", f"Good sleep, {phrase}.")
        if red_flags_in(text)
    ]
    assert not stopped
    assert len(HARMLESS) >= 60


@pytest.mark.parametrize(
    "phrase",
    [
        "no warm-up today, chest pain",
        "never had chest pain like this",
        "the chest pain does not stop",
        "not dizzy but chest hurts",
        "chest press was fine. Then my chest hurt",
        "no idea why but I fainted",
    ],
)
def test_a_negation_elsewhere_takes_nothing_back(phrase: str) -> None:
    assert red_flags_in(phrase)


def test_each_red_flag_has_a_source_and_says_to_stop() -> None:
    for flag in all_red_flags():
        assert flag.source
        told = stop_text([flag.code])
        assert flag.title in told
        assert "Stop training" in told
        is_emergency = flag.urgency == "emergency"
        assert ("emergency number" in told) is is_emergency


def test_the_most_urgent_one_decides_on_the_advice() -> None:
    told = stop_text(["ill", "chest"])
    assert told.startswith("You reported chest pain or pressure and fever or illness. Stop")
    assert "emergency number" in told
    assert stop_text([]) == ""


def test_a_code_of_another_version_still_stops() -> None:
    assert "see a doctor" in stop_text(["of another version"])


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        create_coach_tables(connection)
        yield connection


def note(hours_ago: int, *red_flags: str, cleared: bool = False) -> CheckInNote:
    at = NOW - timedelta(hours=hours_ago)
    return CheckInNote(noted_at=at, red_flags=red_flags, is_clearance=cleared)


def test_it_stays_until_it_is_cleared(con: duckdb.DuckDBPyConnection) -> None:
    for athlete, each in [
        ("a", note(900, "ill")),
        ("a", note(800, cleared=True)),
        ("a", note(700, "chest", "faint")),
        ("a", note(1, "chest")),
        ("a", note(-1, cleared=True)),
        ("b", note(5, "head")),
        ("b", note(4, "ill", cleared=True)),
        ("c", note(5)),
    ]:
        record_note(con, athlete, each)
    found = read_open_red_flags_of(con, ["a", "b", "c"], NOW)
    assert found == {"a": ("chest", "faint"), "b": ("ill",)}
    assert read_open_red_flags_of(con, None, NOW) == found
    assert read_open_red_flags_of(con, ["a"], NOW + timedelta(hours=1)) == {}
    assert read_open_red_flags_of(con, ["a"], NOW - timedelta(hours=750)) == {}


def test_a_warehouse_from_before_there_were_notes_has_no_red_flags() -> None:
    with duckdb.connect() as con:
        con.execute("create schema coach")
        assert read_open_red_flags_of(con, ["a"], NOW) == {}


def test_p3_nothing_is_planned_while_a_red_flag_is_open() -> None:
    known = [routine(bench(), curl())]
    assert decide(situation(known), profile()) is not None
    assert decide(situation(known, red_flags=("chest",)), profile()) is None
    told = why_no_plan(profile(), situation(known, red_flags=("chest",)))
    assert "emergency number" in told
    assert "check-in --cleared" in told


PROFILES = [
    ({"chest": "severe"}, ("chest",)),
    ({"Chest": "moderate"}, ("chest",)),
    ({"fainting": "mild"}, ("faint",)),
    ({"numbness in left hand": "moderate"}, ("nerve",)),
    ({"head": "severe"}, ("head",)),
    ({"chest": "mild", "right shoulder": "severe"}, ()),
]


@pytest.mark.parametrize(("pain", "codes"), PROFILES)
def test_a_red_flag_in_a_profile_stops_every_path(
    con: duckdb.DuckDBPyConnection, pain: dict[str, str], codes: tuple[str, ...]
) -> None:
    """Chest pain in a profile only left out the bench press; in a check-in it stopped all."""
    athlete = profile(pain=pain)
    is_stopped = bool(codes)
    assert athlete.red_flags == codes
    assert read_open_red_flags(con, athlete, NOW) == codes
    record_note(con, "demo", note(1, "ill"))
    assert read_red_flags_of(con, [athlete], NOW) == {"demo": ("ill", *codes)}
    known = situation([routine(bench(), curl())])
    assert (decide(known, athlete) is None) is is_stopped
    assert ("Stop training" in why_no_plan(athlete, known)) is is_stopped
    question = NextSetQuestion(exercise="Leg Press (Machine)", target="100x8", done=("100x8@6",))
    answered = answer(question, athlete, lambda _: None)
    assert (answered.action == "stop") is is_stopped


def test_the_briefing_of_a_profile_with_a_red_flag_has_no_workout() -> None:
    athlete = profile(pain={"chest": "severe"})
    known = situation([routine(bench(), curl())])
    why = why_no_plan(athlete, known)
    briefing = briefing_of(athlete, None, Progress(), NOW.date(), no_plan=why)
    assert why in briefing.lead
    assert "emergency number" in why
    assert "[pain] in your profile" in why


def test_a_word_that_is_no_part_of_the_body_and_no_red_flag_is_refused() -> None:
    with pytest.raises(ValueError, match="must be a part of the body"):
        profile(pain={"sadness": "severe"})


def test_mild_pain_is_a_remark_that_changes_no_set() -> None:
    """It was not mentioned at all."""
    known = situation([routine(bench(), curl())])
    plain = decide(known, profile())
    sore = decide(known, profile(pain={"right shoulder": "mild"}))
    assert plain is not None
    assert sore is not None
    press, arms = sore.plan.slots
    assert [each.sets for each in sore.plan.slots] == [each.sets for each in plain.plan.slots]
    assert press.direction == plain.plan.slots[0].direction
    assert short_reasons(press, "kg") == (
        "Mild pain (right shoulder): train as planned, and stop if it gets worse.",
    )
    assert arms.adjustments == ()
    assert not Day(plan=sore.plan).forbids_increase(press.exercise_title)
