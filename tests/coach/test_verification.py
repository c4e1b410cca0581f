"""One changed byte anywhere in a decision's chain is found; an unchanged chain is verified."""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import pytest
from pydantic import ValidationError

from coach_agent.coach import decide
from coach_agent.decision import Decision
from coach_agent.journal import record_decision
from coach_agent.llm.answers import record_answer
from coach_agent.llm.calls import Outcome, TypedCall
from coach_agent.llm.planner import proposal, refine
from coach_agent.replay import DamagedDecisionError, Replay, read_decision, replay
from tests.coach.builders import BENCH, exposure, fixed, profile, routine, situation, slot
from tests.coach.publishing import NOW, World, exercise, planned
from tests.llm.requests import request
from tests.llm.usual_day import as_proposed

CHAIN = {
    "coach.decisions": (
        "athlete_id",
        "routine_id",
        "rule_version",
        "input_sha256",
        "input",
        "output_sha256",
        "output",
        "profile_sha256",
        "profile",
    ),
    "coach.plans": (
        "athlete_id",
        "routine_id",
        "routine_title",
        "decided_by",
        "summary",
        "plan",
    ),
    "coach.plan_sets": (
        "athlete_id",
        "exercise_index",
        "set_index",
        "exercise_template_id",
        "exercise_title",
        "set_type",
        "weight_kg",
        "reps",
        "rule",
        "reason",
        "predicted_reps",
    ),
    "coach.plan_records": ("situation", "sha256"),
    "coach.publications": (
        "athlete_id",
        "routine_id",
        "base",
        "request",
        "diff",
        "made_from",
        "published_sha256",
        "payload_sha256",
    ),
}
OF_MODELS = {
    "coach.decisions": ("model", "prompt_version"),
    "coach.plan_records": ("engine_decision_id", "wishes"),
    "coach.llm_answers": ("engine_decision_id", "answer", "decided_by", "prompt_version"),
}


class Answers:
    """A model that takes the proposal."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self._answer = answer

    def ask(self, call: TypedCall[Any]) -> Outcome[Any]:
        answer = call.output.model_validate_json(json.dumps(self._answer))
        return Outcome(answer, "google:flash", (request(provider="google", model="flash"),))


@contextmanager
def published(*, by_model: bool) -> Iterator[tuple[duckdb.DuckDBPyConnection, Decision]]:
    sets = fixed(3, 60, 5)
    bench = exercise(BENCH["exercise_template_id"], [planned(60, 5)] * 3)
    world = World({"title": "Upper A", "exercises": [bench]})
    try:
        context = routine(slot(BENCH, sets, [exposure([(60, 5)] * 3, sets)]))
        known = situation([context.model_copy(update={"routine_id": world.routine_id})])
        decision = decide(known, profile())
        assert decision is not None
        con = world.warehouse.cursor()
        record_decision(con, decision, now=NOW, run_id="run")
        if by_model:
            asked = proposal(known, profile(), decision)
            refined = refine(asked, Answers(as_proposed(asked.windows)))
            assert refined.decision is not None
            assert refined.answered is not None
            ids = {
                "decision_id": refined.decision.decision_id,
                "engine_decision_id": decision.decision_id,
            }
            record_answer(con, "demo", refined.answered, **ids, is_shadow=False, now=NOW)
            decision = refined.decision
            record_decision(con, decision, now=NOW, run_id="run")
        row = world.publish(plan=decision.plan, plan_id=decision.plan_id)
        assert row.state == "published"
        yield con, decision
    finally:
        world.close()


def replayed(con: duckdb.DuckDBPyConnection, decision: Decision) -> Replay:
    return replay(read_decision(con, decision.decision_id))


def is_found(con: duckdb.DuckDBPyConnection, decision: Decision) -> bool:
    try:
        return replayed(con, decision).verdict not in {"equal", "same_plan"}
    except (DamagedDecisionError, ValidationError):
        return True


def changed(value: Any, chance: random.Random) -> Any:
    """The value with one letter or digit replaced."""
    if not isinstance(value, str):
        return value + 7
    places = [place for place, char in enumerate(value) if char.isascii() and char.isalnum()]
    place = chance.choice(places)
    other = str((int(value[place]) + 1) % 10) if value[place].isdigit() else value[place].swapcase()
    return value[:place] + other + value[place + 1 :]


@pytest.mark.parametrize("by_model", [False, True], ids=["rules", "model"])
def test_an_unchanged_chain_is_verified_to_what_was_sent(by_model: bool) -> None:
    with published(by_model=by_model) as (con, decision):
        found = replayed(con, decision)
        assert (found.verdict, found.problem) == ("equal", None)
        states = {part.name.split()[0]: part.state for part in found.parts}
        expected = ["guardrails", "plan", "sets", "publication", *(["answer"] if by_model else [])]
        assert states == dict.fromkeys(expected, "equal")


@pytest.mark.parametrize("by_model", [False, True], ids=["rules", "model"])
def test_one_changed_byte_anywhere_is_found(by_model: bool) -> None:
    """A weight that was changed in coach.plans was reported as equal, byte for byte."""
    chance = random.Random(5)  # noqa: S311 - places, not secrets
    with published(by_model=by_model) as (con, decision):
        chain = [*CHAIN.items(), *(OF_MODELS.items() if by_model else ())]
        for table, columns in chain:
            key = "decision_id" if table in {"coach.decisions", "coach.llm_answers"} else "plan_id"
            name = decision.decision_id if key == "decision_id" else decision.plan_id
            for column in columns:
                for _ in range(5):
                    con.begin()
                    [(before, rowid)] = con.execute(
                        f"select {column}, rowid from {table} where {key} = $1 limit 1", [name]
                    ).fetchall()
                    after = changed(before, chance)
                    try:
                        con.execute(
                            f"update {table} set {column} = $1 where rowid = $2", [after, rowid]
                        )
                    except duckdb.ConversionException:
                        pass  # JSON that is none any more cannot be stored
                    else:
                        assert is_found(con, decision), (table, column, before, after)
                    con.rollback()
        assert replayed(con, decision).verdict == "equal"


@pytest.mark.parametrize("by_model", [False, True], ids=["rules", "model"])
def test_a_plan_that_was_changed_with_its_hashes_is_found_by_making_it_again(
    by_model: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with published(by_model=by_model) as (con, decision):
        con.execute(
            "update coach.plans set plan = replace(plan, $1, $2)",
            ['"weight_kg":62.5', '"weight_kg":170.0'],
        )
        con.execute("update coach.plan_sets set weight_kg = 170 where weight_kg = 62.5")
        monkeypatch.setattr("coach_agent.verification.is_sealed", lambda _: True)
        found = replayed(con, decision)
        assert found.verdict == "differs"
        states = {part.name.split()[0]: part.state for part in found.parts}
        assert states["plan"] == states["sets"] == states["publication"] == "differs"
        assert states["guardrails"] == "equal"


def test_a_changed_plan_of_before_is_found_and_what_is_not_verified_is_named() -> None:
    with published(by_model=False) as (con, decision):
        con.execute("delete from coach.plan_records")
        con.execute("update coach.publications set made_from = null, payload_sha256 = null")
        found = replayed(con, decision)
        assert found.verdict == "equal"
        assert {part.state for part in found.parts} == {"unverified"}
        con.execute(
            "update coach.plans set plan = replace(plan, $1, $2)",
            ['"weight_kg":62.5', '"weight_kg":300.0'],
        )
        found = replayed(con, decision)
        assert found.verdict == "damaged"
        assert "coach.plans" in (found.problem or "")


def test_a_plan_that_is_brought_up_to_date_is_verified_from_its_new_situation() -> None:
    with published(by_model=False) as (con, first):
        sets = fixed(3, 80, 5)
        context = routine(slot(BENCH, sets, [exposure([(80, 5)] * 3, sets)]))
        decision = decide(situation([context]), profile())
        assert decision is not None
        record_decision(con, decision, now=NOW, run_id="run")
        noted = context.slots[0].model_copy(update={"types_in_hevy": ("normal",), "notes": "new"})
        later = decide(situation([context.model_copy(update={"slots": (noted,)})]), profile())
        assert later is not None
        assert later.plan_id == decision.plan_id != first.plan_id
        assert later.plan != decision.plan
        record_decision(con, later, now=NOW, run_id="next")
        found = replayed(con, decision)
        assert (found.verdict, found.problem) == ("equal", None)
        assert read_decision(con, decision.decision_id).plan == later.plan
