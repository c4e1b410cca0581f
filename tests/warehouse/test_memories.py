"""Memories are learned from marts that dbt built."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC
from pathlib import Path

import duckdb

from coach_agent.profile.model import AthleteProfile
from orchestration.services.memories import learn_memories
from tests.warehouse.conftest import Nights
from tests.warehouse.nights import LAST


def test_all_athletes_of_the_nights_are_learned_once(nights: Nights, tmp_path: Path) -> None:
    warehouse = nights.copy(LAST, tmp_path / "copy")
    ids = [row["athlete_id"] for row in warehouse.rows("from marts.dim_athlete")]
    somebody = AthleteProfile.model_validate({"id": "a"})
    # Some ids of the nights are no valid ones of a profile.
    profiles = [somebody.model_copy(update={"id": each}) for each in ids]
    [latest] = warehouse.rows("select max(started_at) as at from marts.fct_workout")
    now = latest["at"].replace(tzinfo=UTC)

    @contextmanager
    def connect() -> Iterator[duckdb.DuckDBPyConnection]:
        with warehouse.connection() as con:
            yield con

    first = learn_memories(connect, profiles, nullcontext, now=now, run_id="run")
    assert first.failed == {}
    assert first.changes > 0
    again = learn_memories(connect, profiles, nullcontext, now=now, run_id="run")
    assert (again.changes, again.failed) == (0, {})
    sources = [
        source
        for row in warehouse.rows("select sources from coach.memories")
        for source in json.loads(row["sources"])
    ]
    columns = {"fct_workout": "workout_key", "fct_plan_compliance": "plan_compliance_key"}
    for mart, column in columns.items():
        keys = {row[column] for row in warehouse.rows(f"select {column} from marts.{mart}")}
        assert {each["key"] for each in sources if each["mart"] == mart} <= keys
    assert "fct_workout" in {each["mart"] for each in sources}
    warehouse.close()
