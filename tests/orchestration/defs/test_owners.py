"""Every asset and check in Dagster has an owner."""

import dagster as dg
import pytest

from orchestration.definitions import defs

pytestmark = [
    # Dagster's own.
    pytest.mark.filterwarnings("ignore:The `__fields__` attribute is deprecated"),
    pytest.mark.filterwarnings("ignore:.* is currently in beta"),
]


@pytest.fixture(scope="module")
def specs() -> dict[str, dg.AssetSpec]:
    graph = defs().resolve_asset_graph()
    return {
        node.key.to_user_string(): node.to_asset_spec()
        for node in graph.asset_nodes
        if node.is_materializable
    }


def test_every_asset_has_an_owner(specs: dict[str, dg.AssetSpec]) -> None:
    assert {name for name, spec in specs.items() if not spec.owners} == set()


@pytest.mark.parametrize(
    ("asset", "owner"),
    [
        ("staging/stg_hevy__workouts", "team:data"),
        ("snapshots/snp_hevy__routines", "team:data"),
        ("marts/fct_set", "team:data"),
        ("marts/coach_context", "team:coach"),
    ],
)
def test_a_dbt_asset_belongs_to_the_owner_of_its_group(
    specs: dict[str, dg.AssetSpec], asset: str, owner: str
) -> None:
    assert list(specs[asset].owners) == [owner]
