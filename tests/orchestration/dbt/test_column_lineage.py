"""Column lineage, parsed from SQL."""

import json
from pathlib import Path

import duckdb
import pytest

from orchestration.dbt.column_lineage import (
    Column,
    Lineage,
    cached_lineage,
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

SETS_REPS: Column = (("marts", "fct_set"), "reps")
SETS_KG: Column = (("marts", "fct_set"), "kg")


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


class Project:
    """A project of one model, its compiled SQL and its warehouse."""

    def __init__(self, folder: Path, con: duckdb.DuckDBPyConnection) -> None:
        self.con, self.cache = con, folder / "column_lineage.json"
        self._folder = folder / "compiled"
        (self._folder / "spotter").mkdir(parents=True)
        con.execute("create schema marts; create table marts.fct_set (reps integer, kg double)")
        con.execute("create table marts.fct_workout (total double)")

    def lineage(self, sql: str, *, digest: str = "a", is_complete: bool = True) -> Lineage:
        (self._folder / "spotter" / "fct_workout.sql").write_text(sql)
        node = {
            "resource_type": "model",
            "schema": "marts",
            "alias": "fct_workout",
            "package_name": "spotter",
            "original_file_path": "fct_workout.sql",
        }
        sets = {"schema": "marts", "identifier": "fct_set"}
        manifest = {"nodes": {"fct_workout": node}, "sources": {"fct_set": sets}}
        return cached_lineage(
            manifest, digest, self._folder, self.con, self.cache, is_complete=is_complete
        )


OF_REPS = "select reps as total from marts.fct_set"
OF_BOTH = "select reps * kg as total from marts.fct_set"


def test_a_lineage_is_kept_until_the_project_or_its_columns_change(tmp_path: Path) -> None:
    """SQL of the same digest never differs in a project; here it shows what was parsed."""
    with duckdb.connect() as con:
        project = Project(tmp_path, con)
        of_reps = {FACT: {"total": of_sets("reps")}}
        of_both = {FACT: {"total": frozenset({SETS_REPS, SETS_KG})}}
        assert project.lineage(OF_REPS) == of_reps
        assert project.lineage(OF_BOTH) == of_reps
        assert project.lineage(OF_BOTH, digest="b") == of_both
        assert project.lineage(OF_REPS, digest="b") == of_both
        con.execute("create table marts.of_a_stranger (note varchar)")
        assert project.lineage(OF_REPS, digest="b") == of_both
        con.execute("alter table marts.fct_set add column rpe double")
        assert project.lineage(OF_REPS, digest="b") == of_reps


def test_the_lineage_of_an_incomplete_build_is_not_kept(tmp_path: Path) -> None:
    with duckdb.connect() as con:
        project = Project(tmp_path, con)
        project.lineage(OF_REPS, is_complete=False)
        assert not project.cache.exists()
        assert project.lineage(OF_BOTH) == {FACT: {"total": frozenset({SETS_REPS, SETS_KG})}}


@pytest.mark.parametrize(
    "damaged",
    [
        *(b"", b'{"key": ', b"null", b"[]", b"{}", b"\xff"),
        *(b'{"key": "KEY"}', b'{"key": "KEY", "lineage": [[["marts", "fct_workout"], []]]}'),
    ],
)
def test_a_damaged_lineage_is_computed_and_stored_again(tmp_path: Path, damaged: bytes) -> None:
    with duckdb.connect() as con:
        project = Project(tmp_path, con)
        expected = project.lineage(OF_REPS)
        sound = project.cache.read_bytes()
        key = json.loads(sound)["key"].encode()
        project.cache.write_bytes(damaged.replace(b"KEY", key))
        assert project.lineage(OF_REPS) == expected
        assert project.cache.read_bytes() == sound


def test_a_lineage_that_cannot_be_read_is_computed(tmp_path: Path) -> None:
    with duckdb.connect() as con:
        project = Project(tmp_path, con)
        project.cache.mkdir()
        found = project.lineage(OF_REPS, is_complete=False)
    assert found == {FACT: {"total": of_sets("reps")}}
