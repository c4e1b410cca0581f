"""Muscle groups of the advice on weekly sets."""

import pytest

from coach_agent.engine.limits.volume import volume_advice


@pytest.mark.parametrize(("group", "count"), [("calves", 1), ("cardio", 0), ("other", 0)])
def test_only_muscles_have_advice_on_sets(group: str, count: int) -> None:
    """A run a week was advised as too few hard sets of cardio."""
    assert len(volume_advice({group: [1.0, 1.0]}, {}, 20)) == count
