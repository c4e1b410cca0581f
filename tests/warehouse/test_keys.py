"""Each mart has one key, with the same convention of names and the same type everywhere."""

import json
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import duckdb
import pytest

from orchestration.dbt.runner import ensure_manifest
from tests.warehouse.scratch import ScratchWarehouse

GROWING = {
    "fct_exercise_session",
    "fct_exercise_trend_change",
    "fct_personal_constant",
    "fct_personal_constant_change",
    "fct_personal_record",
    "fct_plan_compliance",
    "fct_prescription_outcome",
    "fct_set",
}
"""Facts without a declared key: an index of every set costs a release more memory than its rows."""


def own_key(mart: str) -> str:
    """Return the name of a mart's key; exercises are keyed together with their athlete."""
    if mart == "dim_exercise":
        return "athlete_exercise_key"
    for prefix in ("fct_", "dim_", "bridge_"):
        mart = mart.removeprefix(prefix)
    return f"{mart}_key"


@pytest.fixture(scope="module")
def marts(warehouse: ScratchWarehouse) -> dict[str, list[tuple[str, str, bool]]]:
    """Return name, type and nullability of each mart's columns, in order."""
    columns = warehouse.rows("""
        select table_name, column_name, data_type, is_nullable
        from duckdb_columns() where schema_name = 'marts' order by table_name, column_index
    """)
    return {
        mart: [(row["column_name"], row["data_type"], row["is_nullable"]) for row in rows]
        for mart, rows in groupby(columns, itemgetter("table_name"))
    }


def test_the_first_column_of_each_mart_is_its_key(
    marts: dict[str, list[tuple[str, str, bool]]], warehouse: ScratchWarehouse
) -> None:
    assert len(marts) > 20
    for mart, columns in marts.items():
        key = own_key(mart)
        assert columns[0] == (key, "VARCHAR", False), mart
        [count] = warehouse.rows(
            f"select count(*) as n_rows, count(distinct {key}) as n_keys from marts.{mart}"
        )
        assert count["n_rows"] == count["n_keys"], mart


def test_a_key_has_one_type_and_its_row_wherever_it_occurs(
    marts: dict[str, list[tuple[str, str, bool]]], warehouse: ScratchWarehouse
) -> None:
    parents = {own_key(mart): mart for mart in marts}
    references = [
        (mart, name, type_)
        for mart, columns in marts.items()
        for name, type_, _ in columns
        if name in parents and parents[name] != mart
    ]
    assert {("fct_plan_compliance", "set_key"), ("fct_personal_record", "set_key")} <= {
        (mart, name) for mart, name, _ in references
    }
    for mart, key, type_ in references:
        assert type_ == "VARCHAR", (mart, key)
        orphans = warehouse.rows(f"""
            select {key} from marts.{mart} where {key} is not null
            except select {key} from marts.{parents[key]}
        """)
        assert orphans == [], (mart, key)


def test_a_nightly_test_checks_the_key_of_each_mart(
    marts: dict[str, list[tuple[str, str, bool]]],
) -> None:
    """The warehouse itself enforces none: an index slows a night down more than its rows."""
    nodes = json.loads(ensure_manifest().read_text(encoding="utf-8"))["nodes"].values()
    tested = {
        (node["attached_node"].split(".")[-1], *key)
        for node in nodes
        if node["resource_type"] == "test" and node.get("attached_node")
        for rules in [node["test_metadata"]["kwargs"]]
        for key in [rules.get("key", ()), *rules.get("unique", ())]
    }
    assert {(mart, own_key(mart)) for mart in marts} <= tested


def test_the_warehouse_has_no_index_of_a_mart(warehouse: ScratchWarehouse) -> None:
    """A night that replaced all rows of a mart took ten times as long with an index of its key."""
    assert (
        warehouse.rows("""
            select table_name from duckdb_constraints()
            where schema_name = 'marts' and constraint_type in ('PRIMARY KEY', 'UNIQUE')
        """)
        == []
    )


def test_a_release_declares_the_keys_that_the_documents_promise(home: Path) -> None:
    with duckdb.connect(home / "release" / "marts.duckdb", read_only=True) as con:
        declared = dict(
            con.execute("""
                select table_name, constraint_column_names from duckdb_constraints()
                where constraint_type = 'PRIMARY KEY' and not starts_with(table_name, 'manifest')
            """).fetchall()
        )
        tables = {
            name
            for (name,) in con.execute("select table_name from duckdb_tables()").fetchall()
            if not name.startswith("manifest")
        }
    assert declared == {mart: [own_key(mart)] for mart in tables - GROWING}
    assert tables >= GROWING
