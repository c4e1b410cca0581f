"""Maxima and bands of the mart equal those of the coach, to nine decimals."""

import pytest

from coach_agent.domain.e1rm import effective_reps, estimated_max
from tests.warehouse.payloads import Json
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.stories import GRID, GRID_LIFTER


@pytest.fixture(scope="module")
def sets(warehouse: ScratchWarehouse) -> list[Json]:
    """Return a set for each point of the grid, in order."""
    return warehouse.rows(
        "select * from marts.fct_set where athlete_id = $athlete order by set_index",
        athlete=GRID_LIFTER,
    )


def test_e17_maximum_band_and_method_are_those_of_the_coach(sets: list[Json]) -> None:
    told = 0
    for (load_kg, reps, rpe), row in zip(GRID, sets, strict=True):
        estimate = estimated_max(load_kg, reps, rpe)
        found = (row["e1rm_kg"], row["e1rm_low_kg"], row["e1rm_high_kg"])
        if estimate is None:
            assert (found, row["e1rm_method"]) == ((None, None, None), None), (load_kg, reps, rpe)
            continue
        told += 1
        expected = (estimate.kg, estimate.low_kg, estimate.high_kg)
        assert found == pytest.approx(expected, rel=0, abs=1e-9), (load_kg, reps, rpe)
        assert row["e1rm_method"] == estimate.method
        assert row["effective_reps"] == effective_reps(reps, rpe)
        assert row["is_e1rm_lower_bound"] == ("assumes_failure" in estimate.tags)
        assert row["is_e1rm_low_confidence"] == ("low_confidence" in estimate.tags)
    assert 0 < told < len(GRID)


def test_e23_no_reserve_and_nothing_recorded_differ(sets: list[Json]) -> None:
    """RPE 10 is no repetition in reserve; without an RPE the maximum is only a lower bound."""
    assert [row["rpe"] for row in sets] == [rpe for _, _, rpe in GRID]
    (at_limit, unrated) = (
        next(
            row
            for (load_kg, reps, rpe), row in zip(GRID, sets, strict=True)
            if (load_kg, reps, rpe) == (142.5, 5, asked)
        )
        for asked in (10.0, None)
    )
    assert at_limit["e1rm_kg"] == unrated["e1rm_kg"]
    assert (at_limit["is_e1rm_lower_bound"], unrated["is_e1rm_lower_bound"]) == (False, True)
    assert (at_limit["is_assumed_hard"], unrated["is_assumed_hard"]) == (False, True)
