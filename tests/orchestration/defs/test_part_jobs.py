"""The parts of a night are complete and disjoint."""

from orchestration.definitions import defs
from orchestration.runs.nights import STAGES


def test_the_parts_do_what_a_night_does() -> None:
    layers = {
        name: defs().resolve_job_def(name).asset_layer
        for name in ("nightly", *(part.job for part in STAGES))
    }
    whole = layers.pop("nightly")
    assert whole.selected_asset_keys == {
        key for layer in layers.values() for key in layer.selected_asset_keys
    }
    assert whole.asset_graph.asset_check_keys == {
        key for layer in layers.values() for key in layer.asset_graph.asset_check_keys
    }
