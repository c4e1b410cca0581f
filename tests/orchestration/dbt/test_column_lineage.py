"""Column lineage, parsed from SQL."""

from pathlib import Path

import duckdb
import pytest

from orchestration.dbt.column_lineage import (
    Column,
    origins_markdown,
    project_lineage,
    root_columns,
    source_columns,
)

RAW = ("raw", "hevy_workouts")
STAGED = ("staging", "stg_workouts")
COPIED = ("snapshots", "snp_workouts")
FACT = ("marts", "fct_workout")

TABLES = {"marts": {"fct_set": {"reps": "integer", "weight_kg": "double", "title": "varchar"}}}


def of_sets(*names: str) -> frozenset[Column]:
    return frozenset((("marts", "fct_set"), name) for name in names)


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("select reps from marts.fct_set", {"reps": of_sets("reps")}),
        (
            "with heavy as (select * from marts.fct_set where weight_kg > 100) "
            "select sum(reps * weight_kg) as volume_kg, count(*) as n from heavy",
            {"volume_kg": of_sets("reps", "weight_kg"), "n": frozenset()},
        ),
        (
            "select a.title, b.weight_kg as before_kg from marts.fct_set as a "
            "left join marts.fct_set as b using (title)",
            {"title": of_sets("title"), "before_kg": of_sets("weight_kg")},
        ),
        (
            "select title from marts.fct_set union all select reps::varchar from marts.fct_set",
            {"title": of_sets("title", "reps")},
        ),
    ],
    ids=["copied", "computed in steps", "joined", "put together"],
)
def test_a_column_comes_from_what_it_is_computed_of(
    sql: str, columns: dict[str, frozenset[Column]]
) -> None:
    from sqlglot import MappingSchema

    assert source_columns(sql, MappingSchema(TABLES, dialect="duckdb")) == columns


def test_the_way_goes_through_views_and_snapshots_to_the_raw_table(tmp_path: Path) -> None:
    queries = {
        STAGED: "select record_id as workout_id, payload ->> '$.title' as title "
        "from raw.hevy_workouts",
        FACT: "select workout_id, upper(title) as title, valid_from from snapshots.snp_workouts",
        ("marts", "odd"): "select from where",
    }
    for (_, name), sql in queries.items():
        (tmp_path / "spotter").mkdir(exist_ok=True)
        (tmp_path / "spotter" / f"{name}.sql").write_text(sql)
    nodes = {
        f"model.{name}": {
            "resource_type": "model",
            "schema": schema,
            "alias": name,
            "package_name": "spotter",
            "original_file_path": f"{name}.sql",
        }
        for schema, name in queries
    }
    nodes["snapshot"] = {
        "resource_type": "snapshot",
        "schema": "snapshots",
        "alias": "snp_workouts",
        "depends_on": {"nodes": ["model.stg_workouts"]},
    }
    with duckdb.connect() as con:
        con.execute("""
            create schema raw;
            create table raw.hevy_workouts (record_id varchar, payload json);
            create schema staging;
            create table staging.stg_workouts (workout_id varchar, title varchar);
            create schema snapshots;
            create table snapshots.snp_workouts (
                workout_id varchar, title varchar, valid_from timestamp
            );
        """)
        found = project_lineage({"nodes": nodes}, tmp_path, con)
    # Unparsable columns are left out, the others stay.
    assert set(found) == {STAGED, COPIED, FACT}
    assert found[COPIED]["title"] == {(STAGED, "title")}
    assert root_columns(found, (FACT, "title")) == {(RAW, "payload")}
    # A snapshot's own columns begin with it.
    assert root_columns(found, (FACT, "valid_from")) == frozenset()
    assert (
        "| title | snapshots.snp_workouts (title) | raw.hevy_workouts (payload) |"
        in origins_markdown(found, FACT).splitlines()
    )
