"""Conventions of all assets and sources in Dagster: group, owner, kind, description, columns."""

import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

import dagster as dg
import pytest

from orchestration.definitions import defs

pytestmark = [
    # Dagster's own.
    pytest.mark.filterwarnings("ignore:The `__fields__` attribute is deprecated"),
    pytest.mark.filterwarnings("ignore:.* is currently in beta"),
]

Specs = Mapping[str, dg.AssetSpec]

# SQL, or a block of code.
CODE = re.compile(r"```|\bselect\b.+\bfrom\b|\b(insert into|create table|left join)\b", re.I | re.S)


@pytest.fixture(scope="module")
def specs() -> Specs:
    graph = defs().resolve_asset_graph()
    return {node.key.to_user_string(): node.to_asset_spec() for node in graph.asset_nodes}


def faults(specs: Specs) -> Iterator[str]:
    """Yield the faults of assets and sources, each with the name of the convention first."""
    for name, spec in specs.items():
        if not re.fullmatch(r"[a-z_]+/[a-z0-9_]+", name):
            yield f"key: {name}"
        if spec.group_name in {None, "default"}:
            yield f"group: {name}"
        if not spec.owners:
            yield f"owner: {name}"
        if not spec.kinds:
            yield f"kind: {name}"
        description = spec.description or ""
        if not re.match(r"[A-Z][^`]{15,}", description):
            yield f"description: {name}"
        if not re.search(r"\bone row per\b", description, re.I):
            yield f"grain: {name}"
        if CODE.search(description):
            yield f"code: {name}"
        if name.startswith(("raw/", "coach_journal/", "marts/")):
            schema = spec.metadata.get("dagster/column_schema")
            columns = schema.columns if isinstance(schema, dg.TableSchema) else []
            if not columns or not all(column.description for column in columns):
                yield f"columns: {name}"
    groups: dict[str, set[str]] = {}
    for spec in specs.values():
        parents = [specs[dep.asset_key.to_user_string()].group_name or "" for dep in spec.deps]
        groups.setdefault(spec.group_name or "", set()).update(parents)
    try:
        TopologicalSorter({each: of - {each} for each, of in groups.items()}).prepare()
    except CycleError as error:
        yield f"cycle: {error.args[1]}"


def test_all_assets_and_sources_keep_the_conventions(specs: Specs) -> None:
    assert len(specs) > 100
    assert list(faults(specs)) == []


@pytest.mark.parametrize(
    ("asset", "changes", "fault"),
    [
        ("raw/quarantine", {"group_name": "default"}, "group"),
        ("raw/quarantine", {"owners": []}, "owner"),
        ("coach_journal/plans", {"kinds": set()}, "kind"),
        ("marts/fct_set", {"description": ""}, "description"),
        ("marts/fct_set", {"description": "The sets that were done in workouts."}, "grain"),
        ("marts/fct_set", {"description": "One row per set.\n```sql\n1\n```"}, "code"),
        ("marts/fct_set", {"description": "One row per set: select a from b."}, "code"),
        ("raw/hevy_workouts", {"metadata": {}}, "columns"),
        ("coach_journal/plans", {"group_name": "coach"}, "cycle"),
        ("marts/fct_set", {"key": dg.AssetKey("fct_set")}, "key"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fault_of_each_kind_is_found(
    specs: Specs, asset: str, changes: dict[str, Any], fault: str
) -> None:
    changed = specs[asset].replace_attributes(**changes)
    name = changed.key.to_user_string()
    planted = {**specs, name: changed}
    assert {each.partition(":")[0] for each in faults(planted)} >= {fault}


@pytest.mark.parametrize(
    ("asset", "owner"),
    [
        ("staging/stg_hevy__workouts", "team:data"),
        ("snapshots/snp_hevy__routines", "team:data"),
        ("marts/fct_set", "team:data"),
        ("marts/coach_context", "team:coach"),
        ("coach_journal/decisions", "team:coach"),
    ],
)
def test_a_dbt_asset_belongs_to_the_owner_of_its_group(
    specs: Specs, asset: str, owner: str
) -> None:
    assert list(specs[asset].owners) == [owner]
