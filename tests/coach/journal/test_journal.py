"""The plans that a routine may hold, by the outcome of their publications."""

from datetime import timedelta

import duckdb
import pytest

from coach_agent.domain.plan import Plan
from coach_agent.journal.decisions import record_decision
from coach_agent.planning.decide import decide
from coach_agent.store.schema import create_coach_tables
from coach_agent.store.sent_plans import read_sent_plans
from tests.coach.builders import BENCH, NOW, fixed, profile, routine, situation, slot

SENT = ("published", "publishing", "failed", "superseded")


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": 1})
    create_coach_tables(connection)
    return connection


def published(con: duckdb.DuckDBPyConnection, *states: str) -> list[Plan]:
    """One plan after the other for the same routine, each with how its publication ended."""
    plans = []
    for number, state in enumerate(states, start=1):
        context = routine(slot(BENCH, fixed(3, 50 + number, 5)))
        decision = decide(situation([context]), profile())
        assert decision is not None
        record_decision(con, decision, now=NOW, run_id="run")
        moment = NOW + timedelta(days=number)
        con.execute(
            """
            insert into coach.publications by name
            select
                $id as publication_id, $number as publication_number, $plan as plan_id,
                $athlete as athlete_id, $routine as routine_id, 'auto' as mode, $state as state,
                $now as staged_at, $effective as effective_at, 'run' as run_id
            """,
            {
                "id": f"pub_{number}",
                "number": number,
                "plan": decision.plan_id,
                "athlete": decision.plan.athlete_id,
                "routine": decision.plan.routine_id,
                "state": state,
                "now": moment,
                "effective": moment if state in SENT else None,
            },
        )
        plans.append(decision.plan)
    return plans


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([], []),
        (["previewed"], []),
        (["conflict"], []),
        (["publishing"], [1]),
        (["published", "published"], [2]),
        (["published", "unchanged"], [2]),
        (["published", "previewed"], [1]),
        (["published", "publishing"], [2, 1]),
        (["published", "failed", "superseded", "publishing"], [4, 3, 2, 1]),
        (["publishing", "published", "failed"], [3, 2]),
    ],
    ids=lambda value: "-".join(map(str, value)) or "none",
)
def test_a_routine_holds_the_last_plan_seen_in_it_or_one_sent_since(
    con: duckdb.DuckDBPyConnection, states: list[str], expected: list[int]
) -> None:
    plans = published(con, *states)
    sent = read_sent_plans(con, ["demo"]).get("demo", {})
    assert sorted(sent) == sorted({plan.routine_id for plan in plans} if expected else set())
    for found in sent.values():
        assert [plans.index(Plan.model_validate_json(each)) + 1 for each in found] == expected


def test_what_others_were_sent_is_not_told(con: duckdb.DuckDBPyConnection) -> None:
    published(con, "published")
    assert read_sent_plans(con, ["somebody"]) == {}
