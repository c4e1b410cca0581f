"""The data tests find planted faults, and name the rule, the columns and the rows."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from orchestration.dbt.runner import broken_rules, ensure_manifest
from tests.warehouse.scratch import ScratchWarehouse


@dataclass(frozen=True)
class Fault:
    """A fault, the test that finds it, and the rule, the columns and the number of its rows."""

    sql: str
    test: str
    rule: str
    columns: str
    row_count: int


def first(table: str, where: str = "true", count: int = 1) -> str:
    """Return the SQL that restricts a statement to the first rows of a table."""
    rows = f"select rowid from {table} where {where} order by rowid limit {count}"
    return f"where rowid in ({rows})"


FAULTS = {
    "a null key": Fault(
        "update staging.stg_hevy__workouts set started_at = null "
        + first("staging.stg_hevy__workouts"),
        "rules_of_stg_hevy__workouts",
        "not_null",
        "started_at",
        1,
    ),
    "a null identity": Fault(
        "update intermediate.int_sets_performed set exercise_key = null "
        + first("intermediate.int_sets_performed"),
        "rules_of_int_sets_performed",
        "not_null",
        "exercise_key",
        1,
    ),
    "a key three times": Fault(
        """
        insert into marts.fct_set by name
        select facts.* from marts.fct_set as facts cross join range(2)
        where set_key = (select min(set_key) from marts.fct_set)
        """,
        "rules_of_fct_set",
        "unique",
        "set_key",
        3,
    ),
    "a key twice in a table without constraints": Fault(
        """
        insert into intermediate.int_workouts_planned
        from intermediate.int_workouts_planned limit 1
        """,
        "rules_of_int_workouts_planned",
        "unique",
        "athlete_id, workout_id",
        2,
    ),
    "a profile twice": Fault(
        "insert into raw.athlete_profiles from raw.athlete_profiles limit 1",
        "rules_of_stg_coach__athlete_profiles",
        "unique",
        "athlete_id",
        2,
    ),
    "a column twice that is no key": Fault(
        """
        insert into seeds.built_in_exercises
        select * replace ('another' as id) from seeds.built_in_exercises limit 1
        """,
        "rules_of_built_in_exercises",
        "unique",
        "title",
        2,
    ),
    "a gap between versions": Fault(
        """
        update marts.dim_routine_version set valid_to = valid_to - interval 1 minute
        where routine_version_key = (
            select min(routine_version_key) from marts.dim_routine_version where not is_current
        )
        """,
        "rules_of_dim_routine_version",
        "versions",
        "valid_from, valid_to",
        1,
    ),
    "versions that overlap": Fault(
        """
        update marts.dim_routine_version set known_to = known_to + interval 1 minute
        where routine_version_key = (
            select max(routine_version_key) from marts.dim_routine_version where not is_current
        )
        """,
        "rules_of_dim_routine_version",
        "versions",
        "known_from, known_to",
        1,
    ),
    "an empty version": Fault(
        "update snapshots.snp_hevy__exercise_templates set valid_to = valid_from "
        + first("snapshots.snp_hevy__exercise_templates"),
        "rules_of_snp_hevy__exercise_templates",
        "versions",
        "valid_from, valid_to",
        1,
    ),
    "a day that the calendar lacks": Fault(
        "update marts.fct_training_load_day set date_day = '1999-01-01' "
        + first("marts.fct_training_load_day"),
        "rules_of_fct_training_load_day",
        "references",
        "date_day",
        1,
    ),
    "a muscle group that is unknown": Fault(
        "update seeds.built_in_exercises set primary_muscle_group = 'wings' "
        + first("seeds.built_in_exercises", count=2),
        "references_of_built_in_exercises",
        "references",
        "primary_muscle_group",
        2,
    ),
    "a record of a workout that is gone": Fault(
        "update marts.fct_personal_record set workout_id = 'gone' "
        + first("marts.fct_personal_record"),
        "rules_of_fct_personal_record",
        "references",
        "athlete_id, workout_id",
        1,
    ),
    "a set of an exercise of somebody else": Fault(
        "update marts.fct_set set exercise_key = 'title:of nobody' " + first("marts.fct_set"),
        "references_of_fct_set",
        "references",
        "athlete_id, exercise_key",
        1,
    ),
    "stale sets of a workout that is gone": Fault(
        """
        delete from marts.fct_workout where workout_key = (
            select min(workout_key) from marts.fct_workout where set_count = 4
        )
        """,
        "references_of_fct_set",
        "references",
        "athlete_id, workout_id",
        4,
    ),
    "a value that is not accepted": Fault(
        "update marts.fct_set set set_type = 'giant' " + first("marts.fct_set", count=2),
        "rules_of_fct_set",
        "accepted_values",
        "set_type",
        2,
    ),
    "a state that nobody knows": Fault(
        "update coach.publications set state = 'lost' " + first("coach.publications"),
        "rules_of_stg_coach__publications",
        "accepted_values",
        "state",
        1,
    ),
    "a muscle group of a set that is unknown, which is a warning": Fault(
        "update marts.fct_muscle_week set muscle_group = 'wings' " + first("marts.fct_muscle_week"),
        "warnings_of_fct_muscle_week",
        "references",
        "muscle_group",
        1,
    ),
    "a share above one": Fault(
        "update marts.fct_consistency_week set adherence = 1.2 "
        + first("marts.fct_consistency_week", where="adherence is not null"),
        "rules_of_fct_consistency_week",
        "within",
        "adherence",
        1,
    ),
    "a number that is none": Fault(
        "update marts.fct_set set volume_kg = 'nan' " + first("marts.fct_set"),
        "rules_of_fct_set",
        "finite",
        "volume_kg",
        1,
    ),
    "a number that is infinite": Fault(
        "update marts.fct_exercise_session set e1rm_kg = '-inf' "
        + first("marts.fct_exercise_session", count=2),
        "rules_of_fct_exercise_session",
        "finite",
        "e1rm_kg",
        2,
    ),
}

BETWEEN_MODELS = {
    "assert_no_set_of_a_workout_is_lost": (
        "update marts.fct_workout set set_count = set_count - 1 " + first("marts.fct_workout")
    ),
    "assert_each_planned_and_performed_set_is_compared_once": (
        "delete from marts.fct_plan_compliance "
        + first("marts.fct_plan_compliance", where="planned_set_index > 0")
    ),
    "assert_a_status_agrees_with_what_was_planned_and_done": (
        "update marts.fct_plan_compliance set execution_status = 'Skipped' "
        "where plan_compliance_key = (select min(plan_compliance_key) "
        "from marts.fct_plan_compliance where is_plan_known and performed_set_index is not null)"
    ),
    "assert_pairs_keep_the_order_of_the_sets": """
        update marts.fct_plan_compliance set performed_set_index = -1 where plan_compliance_key = (
            select max(plan_compliance_key) from marts.fct_plan_compliance
            where planned_set_index > 0 and performed_set_index > 0 and set_class = 'working'
        )
    """,
    "assert_sets_stay_alone_on_one_side_only": """
        update marts.fct_plan_compliance as facts set
            planned_set_index = if(place = 1, null, planned_set_index),
            performed_set_index = if(place = 2, null, performed_set_index)
        from (
            select plan_compliance_key, row_number() over (order by plan_compliance_key) as place
            from marts.fct_plan_compliance
            where (athlete_id, workout_id, exercise_key, occurrence, set_class) = (
                select (athlete_id, workout_id, exercise_key, occurrence, set_class)
                from marts.fct_plan_compliance
                where
                    plan_basis is not null
                    and planned_set_index is not null
                    and performed_set_index is not null
                group by all
                having count(*) > 2
                order by all desc
                limit 1
            )
        ) as block
        where facts.plan_compliance_key = block.plan_compliance_key
    """,
    "assert_the_snapshot_knows_no_routine_that_the_history_lacks": (
        "update snapshots.snp_hevy__routines set payload_sha256 = 'of nobody' where rowid = "
        "(select max(rowid) from snapshots.snp_hevy__routines where is_deleted = 'False')"
    ),
}


@pytest.fixture(scope="module")
def manifest() -> Mapping[str, Any]:
    """Return the manifest of the project."""
    content: Mapping[str, Any] = json.loads(ensure_manifest().read_text())
    return content


@pytest.fixture(scope="module")
def tests(compiled_sql: Path) -> dict[str, str]:
    """Return the SQL of each data test of a night, by name."""
    files = [*compiled_sql.rglob("*.yml/*.sql"), *compiled_sql.rglob("singular/*.sql")]
    return {path.stem: path.read_text() for path in files}


@pytest.fixture(scope="module")
def untested(
    warehouse: ScratchWarehouse, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return the scenario's warehouse before the tests of its last night."""
    folder = tmp_path_factory.mktemp("faults")
    warehouse.copy(folder).close()
    with duckdb.connect(folder / "warehouse.duckdb") as con:
        states = con.execute(
            "select table_name from duckdb_columns() "
            "where schema_name = 'state' and column_name = 'is_tested'"
        ).fetchall()
        for (table,) in states:
            con.execute(f"update state.{table} set is_tested = false")
        yield con


@pytest.fixture
def con(untested: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield the same for one test."""
    untested.begin()
    yield untested
    untested.rollback()


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found_and_named(
    con: duckdb.DuckDBPyConnection, tests: dict[str, str], fault: Fault
) -> None:
    assert broken_rules(con, tests[fault.test]) == ()
    con.execute(fault.sql)
    (broken,) = broken_rules(con, tests[fault.test])
    found = (broken.rule, broken.column_names, broken.row_count)
    assert found == (fault.rule, fault.columns, fault.row_count)


@pytest.mark.parametrize("test", BETWEEN_MODELS)
def test_a_fault_between_models_is_found(
    con: duckdb.DuckDBPyConnection, tests: dict[str, str], test: str
) -> None:
    assert con.execute(tests[test]).fetchall() == []
    con.execute(BETWEEN_MODELS[test])
    assert con.execute(tests[test]).fetchall()


def test_a_broken_rule_names_a_row_by_its_key(
    con: duckdb.DuckDBPyConnection, tests: dict[str, str]
) -> None:
    con.execute("update coach.publications set state = 'lost' where publication_id = 'plan 1'")
    (broken,) = broken_rules(con, tests["rules_of_stg_coach__publications"])
    assert broken.row_key == "{'publication_id': plan 1, 'state': lost}"


def test_a_mart_refuses_nulls_where_its_contract_does(
    warehouse: ScratchWarehouse, manifest: Mapping[str, Any]
) -> None:
    marts = [node for node in manifest["nodes"].values() if node["schema"] == "marts"]
    declared = {
        (node["name"], column["name"])
        for node in marts
        if node["resource_type"] == "model"
        for column in node["columns"].values()
        if any(each["type"] == "not_null" for each in column["constraints"])
    }
    refused = warehouse.rows(
        "select table_name, column_name from duckdb_columns() "
        "where schema_name = 'marts' and not is_nullable"
    )
    assert len(declared) > 100
    assert declared <= {(row["table_name"], row["column_name"]) for row in refused}


def test_each_model_has_one_test_for_all_its_rules(manifest: Mapping[str, Any]) -> None:
    """One more for references, so that they pass while a failed key holds the fact back."""
    tests = [node for node in manifest["nodes"].values() if node["resource_type"] == "test"]
    generic = [test for test in tests if test.get("test_metadata")]
    for test in generic:
        assert test["test_metadata"]["name"] == "rules", test["name"]
        kind, _, model = test["name"].partition("_of_")
        assert kind in {"rules", "references", "warnings"}
        assert test["attached_node"].endswith(f".{model}")
        assert ("key" in test["test_metadata"]["kwargs"]) == (kind == "rules")
