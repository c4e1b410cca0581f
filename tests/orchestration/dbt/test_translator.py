"""dbt's nodes as assets and checks of Dagster; the oracle is dagster-dbt, which no night needs."""

import json
from collections.abc import Mapping
from typing import Any

import dagster as dg
import pytest

from orchestration.dbt.runner import ensure_manifest
from orchestration.dbt.translator import (
    UNIQUE_ID,
    asset_specs,
    check_specs,
    layer_of,
    mart_keys,
)

pytestmark = pytest.mark.filterwarnings("ignore:.* is currently in beta")


@pytest.fixture(scope="module")
def manifest() -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads(ensure_manifest().read_text())
    return content


@pytest.fixture(scope="module")
def theirs(
    manifest: Mapping[str, Any],
) -> tuple[dict[dg.AssetKey, dg.AssetSpec], dict[dg.AssetCheckKey, dg.AssetCheckSpec]]:
    from dagster_dbt import DagsterDbtTranslator
    from dagster_dbt.asset_utils import build_dbt_specs

    assets, checks = build_dbt_specs(
        translator=DagsterDbtTranslator(),
        manifest=manifest,
        select="fqn:*",
        exclude="",
        selector="",
        io_manager_key=None,
        project=None,
    )
    return {each.key: each for each in assets}, {each.key: each for each in checks}


@pytest.mark.parametrize(
    ("resource_type", "fqn", "layer"),
    [
        ("model", ["spotter", "marts", "fct_set"], "marts"),
        ("model", ["spotter", "staging", "hevy", "stg_hevy__workouts"], "staging"),
        ("snapshot", ["spotter", "snp_hevy__routines", "snp_hevy__routines"], "snapshots"),
        ("seed", ["spotter", "muscle_groups"], "seeds"),
    ],
)
def test_the_layer_is_the_folder(resource_type: str, fqn: list[str], layer: str) -> None:
    assert layer_of({"resource_type": resource_type, "fqn": fqn}) == layer


def test_the_assets_are_those_of_dagster_dbt(
    manifest: Mapping[str, Any],
    theirs: tuple[Mapping[dg.AssetKey, dg.AssetSpec], Any],
) -> None:
    ours = {each.key: each for each in asset_specs(manifest)}
    assert set(ours) == set(theirs[0])
    for key, expected in theirs[0].items():
        found = ours[key]
        assert {dep.asset_key for dep in found.deps} == {dep.asset_key for dep in expected.deps}
        assert (expected.description or "").startswith(f"{found.description}\n\n#### Raw SQL")
        assert found.code_version == expected.code_version
        assert found.kinds == expected.kinds
        assert found.tags == expected.tags
        assert found.skippable == expected.skippable
        for name in (UNIQUE_ID, "dagster/table_name", "dagster/storage_kind"):
            assert found.metadata[name] == expected.metadata[name], (key, name)
        name = "dagster/column_schema"
        assert found.metadata.get(name) == expected.metadata.get(name), key


def test_the_checks_are_those_of_dagster_dbt_but_say_what_holds(
    manifest: Mapping[str, Any],
    theirs: tuple[Any, Mapping[dg.AssetCheckKey, dg.AssetCheckSpec]],
) -> None:
    ours = {each.key: each for each in check_specs(manifest)}
    assert set(ours) == set(theirs[1])
    for key, expected in theirs[1].items():
        found = ours[key]
        assert found.blocking == expected.blocking, key
        assert {dep.asset_key for dep in found.additional_deps} == {
            dep.asset_key for dep in expected.additional_deps
        }, key
        assert found.metadata == expected.metadata, key
        assert (found.description or "").endswith("."), key
        assert expected.description is None, key


def test_all_marts_are_known(manifest: Mapping[str, Any]) -> None:
    keys = {key.to_user_string() for key in mart_keys(manifest)}
    assert {"marts/fct_set", "marts/coach_context", "marts/dim_date"} <= keys
    assert all(key.startswith("marts/") for key in keys)
