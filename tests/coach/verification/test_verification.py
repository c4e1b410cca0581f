"""One changed byte anywhere in a decision's chain is found; an unchanged chain is verified."""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import duckdb
import pytest
from pydantic import ValidationError

from coach_agent.domain.model_calls import Outcome, TypedCall
from coach_agent.journal.decisions import record_decision
from coach_agent.journal.plan_record import _first_seal
from coach_agent.journal.publications import publications_of, record
from coach_agent.llm.answers import record_answer
from coach_agent.llm.exchanges import forget_exchanges
from coach_agent.llm.planner import proposal, refine
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.publishing.publication_rows import latest_of_plan
from coach_agent.store.schema import PAYLOADS_SEALED, SEALED
from coach_agent.verification.chain import read_stored_chain
from coach_agent.verification.replay import (
    DamagedDecisionError,
    Replay,
    UnknownDecisionError,
    read_decision,
    replay,
)
from tests.coach.builders import BENCH, exposure, fixed, profile, routine, situation, slot
from tests.coach.llm.requests import request
from tests.coach.llm.usual_day import as_proposed
from tests.coach.publishing_world import NOW, World, exercise, planned

CHAIN = {
    "coach.decisions": "decision_id",
    "coach.plans": "plan_id",
    "coach.plan_sets": "plan_id",
    "coach.plan_records": "plan_id",
    "coach.publications": "plan_id",
    "coach.publication_events": "publication_id",
    "coach.llm_answers": "decision_id",
}
"""The tables of a decision's chain, each with the column by which its rows are found."""


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
    except (DamagedDecisionError, UnknownDecisionError, ValidationError):
        return True


def changed(value: Any, chance: random.Random) -> Any:
    """The value with one letter or digit replaced."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, datetime):
        return value + timedelta(microseconds=1)
    if not isinstance(value, str):
        return value + 7
    places = [place for place, char in enumerate(value) if char.isascii() and char.isalnum()]
    if not places:
        return f"{value}x"
    place = chance.choice(places)
    other = str((int(value[place]) + 1) % 10) if value[place].isdigit() else value[place].swapcase()
    return value[:place] + other + value[place + 1 :]


def stored_values(
    con: duckdb.DuckDBPyConnection, decision: Decision
) -> Iterator[tuple[str, str, int, Any]]:
    """Table, column, row and value of each value of a decision's chain that is not null."""
    names = {
        "decision_id": [decision.decision_id],
        "plan_id": [decision.plan_id],
        "publication_id": [
            name
            for (name,) in con.execute("select publication_id from coach.publications").fetchall()
        ],
    }
    for table, key in CHAIN.items():
        cursor = con.execute(
            f"select rowid, * from {table} where {key} in (select unnest($1))", [names[key]]
        )
        columns = [column[0] for column in cursor.description or ()]
        for rowid, *values in cursor.fetchall():
            for column, value in zip(columns[1:], values, strict=True):
                if value is not None:
                    yield table, column, rowid, value


@pytest.mark.parametrize("by_model", [False, True], ids=["rules", "model"])
def test_an_unchanged_chain_is_verified_to_what_was_sent(by_model: bool) -> None:
    with published(by_model=by_model) as (con, decision):
        found = replayed(con, decision)
        assert (found.verdict, found.problem) == ("equal", None)
        states = {part.name.split()[0]: part.state for part in found.parts}
        expected = ["guardrails", "plan", "sets", "publication", *(["answer"] if by_model else [])]
        assert states == dict.fromkeys(expected, "equal")


@pytest.mark.long
@pytest.mark.parametrize("by_model", [False, True], ids=["rules", "model"])
def test_one_changed_byte_in_each_stored_column_is_found(by_model: bool) -> None:
    """A weight that was changed in coach.plans was reported as equal, byte for byte."""
    chance = random.Random(5)  # noqa: S311 - places, not secrets
    with published(by_model=by_model) as (con, decision):
        tried = set()
        for table, column, rowid, before in list(stored_values(con, decision)):
            if (table, column) in tried:
                continue
            tried.add((table, column))
            after = changed(before, chance)
            con.begin()
            try:
                con.execute(f"update {table} set {column} = $1 where rowid = $2", [after, rowid])
            except duckdb.ConversionException:
                pass  # JSON that is none any more cannot be stored
            else:
                assert is_found(con, decision), (table, column, before, after)
            con.rollback()
        assert len(tried) > (75 if by_model else 65)
        assert replayed(con, decision).verdict == "equal"


def test_later_steps_of_a_publication_and_forgotten_prompts_leave_the_chain_whole() -> None:
    with published(by_model=True) as (con, decision):
        row = latest_of_plan(publications_of(con, "demo"), decision.plan_id)
        assert row is not None
        taken_back = replace(
            row,
            publication_id="pub_back",
            number=row.number + 1,
            kind="rollback",
            rolls_back=row.publication_id,
            state="previewed",
        )
        for state in ("previewed", "publishing", "published"):
            record(con, replace(taken_back, state=state), reason="test", at=NOW)
        forget_exchanges(con, NOW + timedelta(days=1))
        assert replayed(con, decision).verdict == "equal"
        [(by,)] = con.execute(
            "select rolled_back_by from coach.publications where publication_id = $1",
            [row.publication_id],
        ).fetchall()
        assert by == "pub_back"


HASHES = {
    "coach.publications": ("sha256", "payload_sha256"),
    "coach.llm_answers": ("sha256",),
}


def _migrate(con: duckdb.DuckDBPyConnection, hours_later: int) -> None:
    """Record the migrations that added hashes, at a time relative to the decision."""
    con.execute("create schema meta")
    con.execute("create table meta.migrations (name varchar, applied_at timestamp)")
    at = (NOW + timedelta(hours=hours_later)).replace(tzinfo=None)
    for name in (SEALED, PAYLOADS_SEALED):
        con.execute("insert into meta.migrations values ($1, $2)", [name, at])


_MIGRATED = pytest.mark.parametrize(
    "hours_later", [-1, 1], ids=["since the migration", "before it"]
)


@_MIGRATED
@pytest.mark.parametrize("by_model", [False, True], ids=["rules", "model"])
def test_a_deleted_record_is_found_since_records_are_stored(
    by_model: bool, hours_later: int
) -> None:
    """A plan without a record was taken for one of a version that stored none."""
    with published(by_model=by_model) as (con, decision):
        _migrate(con, hours_later)
        con.execute("delete from coach.plan_records")
        con.execute(
            "update coach.publications set made_from = null, payload_sha256 = null, sha256 = null"
        )
        found = replayed(con, decision)
        assert (found.verdict == "damaged") == (hours_later < 0)
        assert ("plan_records" in (found.problem or "")) == (hours_later < 0)


@_MIGRATED
def test_a_removed_hash_is_found_in_each_row_since_hashes_are_stored(hours_later: int) -> None:
    """A row without a hash was taken for one of a version that stored none."""
    with published(by_model=True) as (con, decision):
        _migrate(con, hours_later)
        assert replayed(con, decision).verdict == "equal"
        for table, columns in HASHES.items():
            for column in columns:
                con.begin()
                con.execute(f"update {table} set {column} = null")
                if column == "payload_sha256" and hours_later > 0:
                    con.execute(f"update {table} set sha256 = null")
                is_damaged = replayed(con, decision).verdict == "damaged"
                assert is_damaged == (hours_later < 0), (table, column)
                con.rollback()


def test_a_seal_of_the_first_form_is_still_verified() -> None:
    with published(by_model=False) as (con, decision):
        whole = read_stored_chain(con, decision.decision_id, decision.plan_id)
        assert whole.record is not None
        first = _first_seal(whole.record, whole.plan, whole.sets)
        con.execute("update coach.plan_records set sha256 = $1", [first])
        con.execute("update coach.publications set sha256 = null")
        assert replayed(con, decision).verdict == "equal"
        con.execute("update coach.plan_sets set weight_kg = weight_kg + 1")
        assert replayed(con, decision).verdict == "damaged"


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
        monkeypatch.setattr("coach_agent.verification.chain.is_sealed", lambda _: True)
        found = replayed(con, decision)
        assert found.verdict == "differs"
        states = {part.name.split()[0]: part.state for part in found.parts}
        assert states["plan"] == states["sets"] == states["publication"] == "differs"
        assert states["guardrails"] == "equal"


def test_a_changed_plan_of_before_is_found_and_what_is_not_verified_is_named() -> None:
    with published(by_model=False) as (con, decision):
        con.execute("delete from coach.plan_records")
        con.execute(
            "update coach.publications set made_from = null, payload_sha256 = null, sha256 = null"
        )
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
