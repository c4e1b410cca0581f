"""Memories are learned from marts that dbt built."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC
from pathlib import Path

import duckdb

from coach_agent.profile.model import AthleteProfile
from orchestration.services.memory.memories import learn_memories
from orchestration.services.search.documents import read_documents
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


def test_notes_of_workouts_and_exercises_are_read_for_a_search(
    nights: Nights, tmp_path: Path
) -> None:
    warehouse = nights.copy(LAST, tmp_path / "copy")
    [noted] = warehouse.rows(
        """
        from marts.fct_workout where exercise_count > 0 order by athlete_id, workout_id limit 1
        """
    )
    athlete, workout = noted["athlete_id"], noted["workout_id"]
    with warehouse.connection() as con:
        # Of a later version of the workout, which is not read.
        con.execute(
            """
            insert into raw.hevy_workouts by name
            select * replace ('{"description": "other"}' as payload, 'other' as payload_sha256)
            from raw.hevy_workouts where athlete_id = $1 and record_id = $2
            """,
            [athlete, workout],
        )
        con.execute(
            """
            update raw.hevy_workouts
            set payload = json_merge_patch(payload, '{"description": "Tired [Spotter: x] today"}')
            where athlete_id = $1 and record_id = $2 and payload_sha256 <> 'other'
            """,
            [athlete, workout],
        )
        con.execute(
            """
            update staging.stg_hevy__workouts
            set exercises = list_transform(
                exercises, lambda each: struct_update(each, notes := 'elbows in')
            )
            where athlete_id = $1 and workout_id = $2
            """,
            [athlete, workout],
        )
        profile = AthleteProfile.model_validate({"id": "a"}).model_copy(update={"id": athlete})
        found = read_documents(con, profile, noted["workout_date"])
    own = [each for each in found if each.key.get("workout_id") == workout]
    assert {each.text for each in own} == {"Tired today", "elbows in"}
    assert {each.day for each in own} == {noted["workout_date"]}
    [indexed] = {each.source for each in own if each.key.get("exercise_index") == 0}
    assert indexed == f"staging.stg_hevy__workouts[workout_id={workout}, exercise_index=0]"
    warehouse.close()
