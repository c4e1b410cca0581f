"""A build of what changed gives the rows of a complete one, and a fault is built again."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

from coach_agent.store.check_ins import CheckIn, record_check_in
from orchestration.dbt import changed_sources
from orchestration.dbt.runner import ensure_manifest
from orchestration.storage.table_digests import table_digests
from orchestration.storage.warehouse import open_warehouse
from tests.once import Once
from tests.warehouse.payloads import exercise, lift, template, workout
from tests.warehouse.random_changes import BEGINNING
from tests.warehouse.scratch import MODELS, ScratchWarehouse

MANIFEST: Mapping[str, Any] = json.loads(ensure_manifest().read_text(encoding="utf-8"))


def train(warehouse: ScratchWarehouse, day: int) -> None:
    lifted = [exercise("bench", [lift(60, 5)])]
    session = workout(f"w{day}", f"2026-02-{day:02} 18:00", lifted)
    warehouse.land("hevy_workouts", "ann", [session], now=BEGINNING)


def check_in(con: duckdb.DuckDBPyConnection) -> None:
    record_check_in(con, "ann", CheckIn(checked_in_at=BEGINNING, energy=2))


def build_complete(folder: Path) -> None:
    warehouse = ScratchWarehouse(folder)
    warehouse.land("hevy_exercise_templates", "ann", [template("bench")], now=BEGINNING)
    train(warehouse, 1)
    assert len(warehouse.build_changed()) > 150
    warehouse.close()


@pytest.fixture
def warehouse(once: Once, tmp_path: Path) -> Iterator[ScratchWarehouse]:
    """Yield a warehouse after a complete build."""
    copy = ScratchWarehouse.copied(once("complete_build", build_complete), tmp_path)
    yield copy
    copy.close()


def test_without_a_change_nothing_is_built(warehouse: ScratchWarehouse) -> None:
    assert warehouse.build_changed() == []
    assert warehouse.build_changed() == []


def test_a_workout_builds_what_depends_on_workouts_and_runs_its_tests(
    warehouse: ScratchWarehouse,
) -> None:
    train(warehouse, 2)
    built = {outcome.unique_id.split(".")[2] for outcome in warehouse.build_changed()}
    assert {"fct_set", "fct_workout", "coach_context", "rules_of_fct_set"} <= built
    assert not {"dim_routine_folder", "stg_hevy__users", "built_in_exercises"} & built
    assert len(warehouse.rows("select 1 from marts.fct_workout")) == 2
    assert warehouse.build_changed() == []


@pytest.mark.long
@pytest.mark.parametrize(
    "fault",
    [
        "update state.built_from set digest = 'older code' where source_name = 'project'",
        "drop table marts.fct_workout",
    ],
)
def test_other_code_or_a_missing_table_builds_everything(
    warehouse: ScratchWarehouse, fault: str
) -> None:
    with warehouse.connection() as con:
        con.execute(fault)
    assert len(warehouse.build_changed()) > 150
    assert warehouse.build_changed() == []


@pytest.mark.long
def test_any_other_run_of_dbt_is_followed_by_a_complete_build(
    warehouse: ScratchWarehouse,
) -> None:
    """As by hand, with other variables; what was killed had emptied the record, too."""
    warehouse.build(*MODELS, "--vars", '{"as_of": "2026-02-01"}')
    assert not warehouse.rows("select 1 from marts.fct_workout")
    assert len(warehouse.build_changed()) > 150
    assert warehouse.rows("select 1 from marts.fct_workout")


@pytest.mark.long
def test_a_failed_test_is_run_until_it_passes(warehouse: ScratchWarehouse) -> None:
    with warehouse.connection() as con:
        con.execute(
            "insert into coach.publications (publication_id, publication_number, plan_id, "
            "athlete_id, routine_id, mode, state, staged_at, run_id) "
            "values ('one', 1, 'plan', 'ann', 'push', 'auto', 'lost', '2026-02-01', 'run')"
        )
    for _ in range(2):
        failed = [outcome for outcome in warehouse.build_changed() if not outcome.is_ok]
        assert failed
    with warehouse.connection() as con:
        con.execute("delete from coach.publications")
    outcomes = warehouse.build_changed()
    assert len(outcomes) > 150
    assert all(outcome.is_ok for outcome in outcomes)


def test_a_selected_build_leaves_its_sources_to_the_next_one(warehouse: ScratchWarehouse) -> None:
    """Also if the source is then again as it was: the selected models would be of the other."""
    with warehouse.connection() as con:
        check_in(con)
    warehouse.build_changed("--select", "+fct_check_in")
    assert warehouse.rows("select 1 from marts.fct_check_in")
    with warehouse.connection() as con:
        con.execute("delete from coach.check_ins")
    warehouse.build_changed()
    assert not warehouse.rows("select 1 from marts.fct_check_in")


def test_a_source_that_changes_during_a_build_is_built_next(
    warehouse: ScratchWarehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although it is then again as it was when the build read the sources."""
    build = changed_sources.build_locked

    def disturbed(path: Path, *arguments: Any) -> Any:
        with open_warehouse(path) as con:
            check_in(con)
        return build(path, *arguments)

    with warehouse.connection() as con:
        check_in(con)
    monkeypatch.setattr(changed_sources, "build_locked", disturbed)
    warehouse.build_changed()
    monkeypatch.undo()
    assert len(warehouse.rows("select 1 from marts.fct_check_in")) == 2
    with warehouse.connection() as con:
        con.execute("delete from coach.check_ins where rowid > 0")
    warehouse.build_changed()
    assert len(warehouse.rows("select 1 from marts.fct_check_in")) == 1


def test_each_source_that_a_model_reads_has_a_digest(warehouse: ScratchWarehouse) -> None:
    with warehouse.connection() as con:
        digested = {(schema, table) for schema, table, *_ in table_digests(con)}
    read = {
        (source["schema"], source["identifier"])
        for unique_id, source in MANIFEST["sources"].items()
        if MANIFEST["child_map"][unique_id]
    }
    assert read
    assert read <= digested
