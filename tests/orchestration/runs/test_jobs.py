from collections.abc import Mapping
from typing import Any

import pytest

from orchestration.runs.jobs import JobOutcome


def outcome(**counts: int) -> JobOutcome:
    metadata: Mapping[str, Mapping[str, Any]] = {"raw/hevy_workouts": counts}
    return JobOutcome("run", True, {}, frozenset(), metadata, (), {})


@pytest.mark.parametrize("name", ["new_versions", "deleted", "quarantined", "left_quarantine"])
def test_a_change_of_a_raw_table_is_news(name: str) -> None:
    """A run whose only change was a record that left quarantine printed "No new data"."""
    assert outcome(read=3, **{name: 1}).has_news
    assert not outcome(read=3, **{name: 0}).has_news
