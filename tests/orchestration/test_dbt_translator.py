import pytest

from orchestration.lib.dbt_translator import layer_of


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
