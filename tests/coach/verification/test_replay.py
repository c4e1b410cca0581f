"""Every decision of the journal can be rebuilt, byte for byte, or has a reason why not."""

import hashlib
import json
from collections.abc import Iterator

import duckdb
import pytest

from coach_agent.domain.constants.catalogue import rule_version
from coach_agent.evaluation.closed_loop import run
from coach_agent.evaluation.diary import Diary
from coach_agent.evaluation.planned_workouts import Workout
from coach_agent.evaluation.policies import engine
from coach_agent.journal.decisions import record_decision
from coach_agent.journal.plan_record import rows_of, seal, stored_rows
from coach_agent.planning.decide import decide
from coach_agent.store.schema import create_coach_tables
from coach_agent.verification.replay import (
    Difference,
    Replay,
    UnknownDecisionError,
    read_decision,
    replay,
)
from hevy_connector.simulator.athletes.cohort import cohort
from hevy_connector.simulator.athletes.trainee import Trainee
from orchestration.services.simulations.simulation import diary_of, profile_of
from tests.coach.builders import BENCH, NOW, exposure, fixed, profile, routine, situation, slot
from tests.profiles import count, randomized


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        create_coach_tables(connection)
        yield connection


def decided(con: duckdb.DuckDBPyConnection, load_kg: float = 60) -> str:
    sets = fixed(3, load_kg, 5)
    context = routine(slot(BENCH, sets, [exposure([(load_kg, 5)] * 3, sets)]))
    decision = decide(situation([context]), profile())
    assert decision is not None
    record_decision(con, decision, now=NOW, run_id="run")
    return decision.decision_id


def replayed(con: duckdb.DuckDBPyConnection, decision_id: str, **how: bool) -> Replay:
    return replay(read_decision(con, decision_id), **how)


def rewrite_output(con: duckdb.DuckDBPyConnection, old: str, new: str) -> None:
    """Simulate another answer of the engine: the text and its hashes are replaced together."""
    [(text,)] = con.execute("select output from coach.decisions").fetchall()
    changed = text.replace(old, new)
    assert changed != text
    con.execute(
        "update coach.decisions set output = $1, output_sha256 = $2",
        [changed, hashlib.sha256(changed.encode()).hexdigest()],
    )
    for record in rows_of(con, "coach.plan_records where true or $1 = ''", ""):
        rows = stored_rows(con, record["decision_id"], record["plan_id"])
        con.execute("update coach.plan_records set sha256 = $1", [seal(record, *rows)])


def as_of_before(con: duckdb.DuckDBPyConnection) -> None:
    """Simulate decisions from before their situation was stored."""
    con.execute("delete from coach.plan_records")


@randomized
def test_weeks_of_a_simulated_lifter_replay_byte_for_byte(
    con: duckdb.DuckDBPyConnection,
) -> None:
    weeks = count(quick=5, thorough=12)
    [lifter] = cohort(seed=3, count=1, weeks=weeks)
    athlete = profile_of(lifter)
    ids = []

    def journaled(diary: Diary, day: int) -> Workout:
        decision = decide(diary.situation(day), diary.profile)
        assert decision is not None
        assert record_decision(con, decision, now=NOW, run_id=f"night {day}")
        ids.append(decision.decision_id)
        return engine(diary, day)

    run(Trainee(lifter), lifter.days, diary_of(lifter), journaled, is_judged=False)
    assert len(ids) >= 2.5 * weeks
    for decision_id in ids:
        decision = read_decision(con, decision_id, athlete.id)
        found = replay(decision)
        assert found.verdict == "equal", (decision_id, found.differences)
        assert {part.name: part.state for part in found.parts} == dict.fromkeys(
            ("guardrails", "plan", "sets"), "equal"
        )
        assert found.replayed is not None
        assert found.replayed.to_json().decode() == decision.output_json
    changes = [read_decision(con, each).plan.summary for each in ids]
    assert len(set(changes)) > 3, "a history in which nothing happens proves nothing"


def test_the_profile_is_kept_without_how_anybody_is_reached(
    con: duckdb.DuckDBPyConnection,
) -> None:
    found = read_decision(con, decided(con))
    assert found.profile_json is not None
    assert found.profile_sha256 == hashlib.sha256(found.profile_json.encode()).hexdigest()
    kept = json.loads(found.profile_json)
    assert kept["limits"]["jump_pct"] == profile().limits.jump_pct
    assert not {"hevy", "notify", "llm"} & set(kept)


def test_what_differs_is_told_by_exercise_set_and_field(con: duckdb.DuckDBPyConnection) -> None:
    decision_id = decided(con)
    second = '"set_index":1,"set_type":"normal","weight_kg":'
    rewrite_output(con, f"{second}62.5", f"{second}65.0")
    found = replayed(con, decision_id)
    assert found.verdict == "differs"
    assert found.differences == (
        Difference(
            exercise=1,
            exercise_title="Bench Press (Barbell)",
            set=2,
            field="weight_kg",
            decided=65.0,
            replayed=62.5,
        ),
    )


def test_fields_that_plans_did_not_have_then_make_no_difference(
    con: duckdb.DuckDBPyConnection,
) -> None:
    decision_id = decided(con)
    rewrite_output(con, '"stall":null,', "")
    found = replayed(con, decision_id)
    assert (found.verdict, found.differences) == ("same_plan", ())


def test_other_rules_are_named_and_held_against_todays_only_when_asked(
    con: duckdb.DuckDBPyConnection,
) -> None:
    decision_id = decided(con)
    as_of_before(con)
    rewrite_output(con, '"weight_kg":62.5', '"weight_kg":60.0')
    rewrite_output(con, f'"{rule_version()}"', '"1.older"')
    con.execute("update coach.decisions set rule_version = '1.older'")
    con.execute("update coach.plans set plan = (select output from coach.decisions)")
    con.execute("update coach.plan_sets set weight_kg = 60.0")
    found = replayed(con, decision_id)
    assert (found.verdict, found.rule_version) == ("other_rules", "1.older")
    assert (found.current_rule_version, found.replayed, found.differences) == (
        rule_version(),
        None,
        (),
    )
    asked = replayed(con, decision_id, with_current_rules=True)
    assert asked.verdict == "other_rules"
    assert [(each.set, each.field, each.decided, each.replayed) for each in asked.differences] == [
        (number, "weight_kg", 60.0, 62.5) for number in (1, 2, 3)
    ]


@pytest.mark.parametrize("column", ["input", "output", "profile"])
def test_a_record_that_was_tampered_with_is_called_damaged(
    con: duckdb.DuckDBPyConnection, column: str
) -> None:
    decision_id = decided(con)
    con.execute(f"update coach.decisions set {column} = '{{}}'")
    found = replayed(con, decision_id)
    assert found.verdict == "damaged"
    assert found.problem is not None
    assert f"The {column} in coach.decisions" in found.problem


def test_an_input_of_another_form_is_unreadable_and_not_an_error(
    con: duckdb.DuckDBPyConnection,
) -> None:
    decision_id = decided(con)
    text = '{"athlete_id":"demo"}'
    as_of_before(con)
    con.execute(
        "update coach.decisions set input = $1, input_sha256 = $2",
        [text, hashlib.sha256(text.encode()).hexdigest()],
    )
    found = replayed(con, decision_id)
    assert found.verdict == "unreadable"
    assert found.problem is not None
    assert "routine_id" in found.problem


def test_the_latest_is_the_plan_that_stands_and_a_plans_id_will_do(
    con: duckdb.DuckDBPyConnection,
) -> None:
    first, second = decided(con, 60), decided(con, 80)
    assert read_decision(con, "latest", "demo").decision_id == second
    decided(con, 60)  # it returns, and is active again
    latest = read_decision(con, "latest", "demo")
    assert latest.decision_id == first
    assert read_decision(con, latest.plan_id) == latest
    for athlete, asked in (("demo", "dec_nothing"), ("somebody", first), ("somebody", "latest")):
        with pytest.raises(UnknownDecisionError, match=f"of '{athlete}'"):
            read_decision(con, asked, athlete)


def test_a_journal_of_before_is_brought_up_to_date_and_still_replays() -> None:
    """Older rows only have the answer's hash: it proves equality, the plan shows differences."""
    with duckdb.connect() as con:
        create_coach_tables(con)
        decision_id = decided(con)
        as_of_before(con)
        for column in ("output", "profile_sha256", "profile", "prompt_version", "model", "seed"):
            con.execute(f"alter table coach.decisions drop column {column}")
        create_coach_tables(con)
        create_coach_tables(con)
        old = read_decision(con, decision_id)
        assert (old.output_json, old.profile_json) == (None, None)
        assert replay(old).verdict == "equal"
        con.execute("update coach.decisions set output_sha256 = 'another'")
        con.execute(
            "update coach.plans set plan = replace(plan, $1, $2)",
            ['"weight_kg":62.5', '"weight_kg":70.0'],
        )
        con.execute("update coach.plan_sets set weight_kg = 70.0")
        found = replayed(con, decision_id)
        assert found.verdict == "differs"
        assert {(each.field, each.decided) for each in found.differences} == {("weight_kg", 70.0)}
        assert decided(con, 80), "and new ones are kept beside them"
