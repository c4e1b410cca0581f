"""A decision is reproduced from the same tables; deviations and unverifiable ones are reported."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from coach_agent.profile.equipment import Equipment, PoundEquipment
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import read_situation
from coach_agent.verification.audit import Audit, audit
from coach_agent.verification.replay import JournaledDecision, read_decision
from orchestration.services.planning.plan import decide_next
from tests.warehouse.scenario import at
from tests.warehouse.scratch import ScratchWarehouse

NOW = at("2026-03-20 06:00")
GYMS = (
    None,
    Equipment(bar_kg=15.0),
    Equipment(dumbbells_kg=(10.0, 12.5, 30.0), kettlebells_kg=(16.0,)),
    PoundEquipment(plate_pairs_lb=(45.0, 25.0, 10.0)),
)


@pytest.fixture
def con(warehouse: ScratchWarehouse, tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield the scenario's warehouse for one test."""
    warehouse.copy(tmp_path).close()
    with duckdb.connect(tmp_path / "warehouse.duckdb") as copied:
        yield copied


def decided(con: duckdb.DuckDBPyConnection, **said: Any) -> JournaledDecision:
    """Decide for an athlete with this profile and return the journalled decision."""
    profile = AthleteProfile(**{"id": "coached", **said})
    situation = read_situation(con, profile.id, profile.timezone, NOW)
    decide_next(con, profile, situation, now=NOW, run_id="night")
    return read_decision(con, "latest", profile.id)


def audited(con: duckdb.DuckDBPyConnection, journaled: JournaledDecision) -> Audit:
    return audit(con, journaled, snapshot=7)


@pytest.mark.parametrize("gym", GYMS)
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_the_same_tables_give_the_same_input(
    con: duckdb.DuckDBPyConnection, gym: Equipment | PoundEquipment | None, zone: str
) -> None:
    said = {"equipment": gym}
    if gym is not None and zone == "UTC":
        said = {"places": {"home": gym}, "place": "home"}
    found = audited(con, decided(con, timezone=zone, **said))
    assert (found.verdict, found.differences, found.snapshot) == ("equal", (), 7)
    assert found.seen_sha256 == found.input_sha256


def test_an_input_that_was_changed_with_its_hash_is_found(con: duckdb.DuckDBPyConnection) -> None:
    decided(con)
    [(text,)] = con.execute("select input from coach.decisions where run_id = 'night'").fetchall()
    changed = text.replace('"weight_kg":', '"weight_kg":1', 1)
    assert changed != text
    con.execute(
        "update coach.decisions set input = $1, input_sha256 = $2 where run_id = 'night'",
        [changed, hashlib.sha256(changed.encode()).hexdigest()],
    )
    found = audited(con, read_decision(con, "latest", "coached"))
    assert found.verdict == "differs"
    [difference] = found.differences
    assert difference.place.endswith(".weight_kg")
    assert str(difference.decided) == f"1{difference.seen}"


def test_tables_without_the_athlete_give_nothing(con: duckdb.DuckDBPyConnection) -> None:
    journaled = decided(con)
    con.execute("delete from marts.coach_context")
    found = audited(con, journaled)
    assert (found.verdict, found.problem) == (
        "differs",
        "By these tables there is nothing to plan.",
    )


def test_rules_of_then_are_not_asked_by_those_of_now(con: duckdb.DuckDBPyConnection) -> None:
    decided(con)
    con.execute("update coach.decisions set rule_version = '1.older'")
    assert audited(con, read_decision(con, "latest", "coached")).verdict == "other_rules"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("update coach.decisions set profile = null", "profile was not stored"),
        (
            """update coach.decisions set profile = '{"id": 1}'""",
            "another version of the code: id: ",
        ),
        ("update coach.decisions set input = '{}'", "another version of the code: "),
        ("drop table marts.fct_muscle_week", "fct_muscle_week does not exist"),
        (
            "create or replace table marts.coach_context as "
            "select * exclude (routine_title) from marts.coach_context",
            "routine_title",
        ),
    ],
)
def test_what_is_of_another_form_is_unreadable(
    con: duckdb.DuckDBPyConnection, change: str, told: str
) -> None:
    decided(con)
    con.execute(change)
    found = audited(con, read_decision(con, "latest", "coached"))
    assert found.verdict == "unreadable"
    assert found.problem is not None
    assert told in found.problem
