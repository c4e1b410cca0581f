"""Conditions that block a publication, each with a message."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from coach_agent.domain.plan import Plan
from coach_agent.journal.plan_basis import PlanBasis
from coach_agent.journal.publication_inputs import read_facts
from coach_agent.profile.model import AthleteProfile, parse_profile
from coach_agent.publishing.publication_safety import why_unsafe
from coach_agent.store.check_ins import CheckInNote, record_note
from hevy_connector.canonical_json import canonical_json
from hevy_connector.raw.landing import land
from hevy_connector.raw.sync_state import save_sync_state
from hevy_connector.records import Record
from hevy_connector.schemas import Routine
from orchestration.storage.warehouse import open_warehouse
from tests.coach.publishing_world import PUSH, plan_with_heavier_sets

NOW = datetime(2026, 3, 4, 4, tzinfo=UTC)
DECIDED_AT = NOW - timedelta(hours=1)
BASIS = PlanBasis("plan", "sha", NOW - timedelta(days=3), DECIDED_AT)


def athlete(text: str = "") -> AthleteProfile:
    return parse_profile(f'id = "demo"\n{text}', Path("demo.toml"))


def plan() -> Plan:
    exercises = [
        {**each, "index": at, "title": f"Exercise {at}", "sets": [
            {**one, "index": place} for place, one in enumerate(each["sets"])
        ]}
        for at, each in enumerate(PUSH["exercises"])
    ]  # fmt: skip
    routine = {**PUSH, "id": "push", "exercises": exercises}
    return plan_with_heavier_sets(Routine.model_validate(routine))


def landed(con: duckdb.DuckDBPyConnection, table: str, at: datetime, *payloads: Any) -> None:
    records = [Record(each["id"], canonical_json(each)) for each in payloads]
    land(con, table, "demo", records, now=at, run_id="run", origin="api")


def workout(name: str, start: datetime, routine_id: str) -> dict[str, Any]:
    return {"id": name, "routine_id": routine_id, "start_time": start.isoformat()}


@pytest.fixture
def con(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Build a warehouse without any blocking condition."""
    with open_warehouse(tmp_path / "warehouse.duckdb") as made:
        read_at = NOW - timedelta(hours=2)
        for entity in ("hevy_workouts", "hevy_routines"):
            save_sync_state(made, entity, "demo", cursor_at=read_at, completed_at=read_at)
        templates = [{"id": each["exercise_template_id"]} for each in PUSH["exercises"]]
        landed(made, "hevy_exercise_templates", read_at, *templates)
        landed(made, "hevy_users", read_at, {"id": "me", "weight_unit": "kg"})
        done = workout("of the plan's basis", NOW - timedelta(days=3), "push")
        landed(made, "hevy_workouts", read_at, done)
        yield made


def unsafe(
    con: duckdb.DuckDBPyConnection,
    text: str = "",
    now: datetime = NOW,
    basis: PlanBasis | None = BASIS,
) -> str | None:
    kim = athlete(text)
    return why_unsafe(kim, plan(), read_facts(con, kim, plan(), basis, now))


def test_nothing_stands_in_the_way(con: duckdb.DuckDBPyConnection) -> None:
    assert unsafe(con) is None
    assert unsafe(con, basis=None) is None


def test_a_red_flag_that_came_after_the_plan_holds_it_back(con: duckdb.DuckDBPyConnection) -> None:
    record_note(con, "demo", CheckInNote(noted_at=NOW, red_flags=("chest",)))
    assert unsafe(con, now=NOW - timedelta(minutes=1)) is None
    assert (unsafe(con) or "").startswith("A red flag was reported; nothing is published.")
    record_note(con, "demo", CheckInNote(noted_at=NOW, is_clearance=True))
    assert unsafe(con, now=NOW + timedelta(minutes=1)) is not None, "said in the same moment"
    later = NOW + timedelta(minutes=2)
    record_note(con, "demo", CheckInNote(noted_at=later, is_clearance=True))
    assert unsafe(con, now=later) is None


@pytest.mark.parametrize(("hours", "is_told"), [(36, False), (35, False), (12, True)])
def test_data_may_be_as_old_as_the_profile_allows(
    con: duckdb.DuckDBPyConnection, hours: int, is_told: bool
) -> None:
    found = unsafe(con, f"[publish]\nmax_sync_age_hours = {hours}", now=NOW + timedelta(hours=20))
    assert (found is not None) == is_told
    assert not is_told or found == "Hevy was last read 22 hours ago; nothing is published."


def test_what_was_never_read_is_told(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("delete from raw.sync_state")
    assert "never read completely" in (unsafe(con) or "")


@pytest.mark.parametrize(
    ("routine_id", "start", "is_told"),
    [
        ("push", NOW - timedelta(hours=2), True),
        ("pull", NOW - timedelta(hours=2), False),
        ("push", NOW - timedelta(days=9), False),
    ],
    ids=["of this routine", "of another one", "an older one, corrected"],
)
def test_a_workout_that_came_in_after_the_plan_was_made(
    con: duckdb.DuckDBPyConnection, routine_id: str, start: datetime, is_told: bool
) -> None:
    landed(con, "hevy_workouts", NOW, workout("late", start, routine_id))
    assert (unsafe(con) is not None) == is_told


def test_so_does_one_of_a_routine_that_we_wrote_for_it(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        """
        insert into coach.publications by name
        select
            'pub' as publication_id, 1 as publication_number, 'plan' as plan_id,
            'demo' as athlete_id, 'push' as routine_id, 'copy' as written_routine_id,
            'auto' as mode, 'published' as state, now() as staged_at, 'run' as run_id
        """
    )
    landed(con, "hevy_workouts", NOW, workout("late", NOW - timedelta(hours=2), "copy"))
    assert "newer than the plan" in (unsafe(con) or "")


def test_an_exercise_that_the_account_does_not_have(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("delete from raw.hevy_exercise_templates where record_id = '55E6546F'")
    assert unsafe(con) == "Exercise 1 is not in the account's catalogue; nothing is published."


@pytest.mark.parametrize(
    ("shown", "text", "is_told"),
    [
        ("lbs", "", True),
        ("lbs", '[equipment]\nunit = "lb"', False),
        ("lbs", '[equipment]\nunit = "kg"', False),
        ("stone", "", False),
    ],
)
def test_a_unit_that_nobody_told_is_in_doubt_where_the_account_shows_another(
    con: duckdb.DuckDBPyConnection, shown: str, text: str, is_told: bool
) -> None:
    landed(con, "hevy_users", NOW, json.loads(f'{{"id": "me", "weight_unit": "{shown}"}}'))
    assert (unsafe(con, text) is not None) == is_told
