"""A prescription is compared with the first workout under its published version."""

import pytest

from coach_agent.domain.e1rm import epley_max
from tests.warehouse.payloads import Json, naive
from tests.warehouse.prescriptions import ATHLETE, REBASED
from tests.warehouse.scratch import ScratchWarehouse


@pytest.fixture(scope="module")
def outcomes(warehouse: ScratchWarehouse) -> dict[str, Json]:
    rows = warehouse.rows(
        "select * from marts.fct_prescription_outcome where athlete_id = $athlete", athlete=ATHLETE
    )
    return {row["prescription_outcome_key"]: row for row in rows}


def test_each_published_set_has_its_outcome(outcomes: dict[str, Json]) -> None:
    """Legs were trained only after the athlete had edited them."""
    assert {key: row["outcome"] for key, row in outcomes.items()} == {
        "push plan/0/0": "hit",
        "push plan/0/1": "exceeded",
        "push plan/0/2": "missed",
        "push plan/0/3": "hit",
        "push plan/0/4": "hit",
        "push plan/1/0": "exceeded",
        "push plan/1/1": "not_done",
        "legs plan/0/0": "superseded",
        "pull plan/0/0": "pending",
    }


def test_only_the_first_workout_counts(outcomes: dict[str, Json]) -> None:
    workouts = {row["plan_id"]: row["workout_id"] for row in outcomes.values()}
    assert workouts == {"push plan": "first push", "legs plan": None, "pull plan": None}


def test_errors_exist_if_both_sides_are_known(outcomes: dict[str, Json]) -> None:
    """Repetitions at the same load, maxima of loaded working sets, for any RPE."""

    def gain_pct(done: tuple[float, int], planned: tuple[float, int]) -> float:
        return 100 * (epley_max(*done) / epley_max(*planned) - 1)

    expected = {
        "push plan/0/0": (0, None),
        "push plan/0/1": (None, gain_pct((102.5, 5), (100, 5))),
        "push plan/0/2": (-1, gain_pct((100, 4), (100, 5))),
        "push plan/0/3": (1, gain_pct((90, 9), (90, 8))),
        "push plan/0/4": (0, 0.0),
        "push plan/1/0": (4, None),
        "push plan/1/1": (None, None),
        "legs plan/0/0": (None, None),
        "pull plan/0/0": (None, None),
    }
    for key, (reps_error, e1rm_error_pct) in expected.items():
        assert outcomes[key]["reps_error"] == reps_error
        assert outcomes[key]["e1rm_error_pct"] == pytest.approx(e1rm_error_pct, abs=1e-9)


def test_an_outcome_contains_the_decision(outcomes: dict[str, Json]) -> None:
    row = outcomes["push plan/0/4"]
    assert (row["rule"], row["reason"], row["decided_by"], row["rule_version"]) == (
        "a rule",
        "A reason.",
        "engine",
        "1.test",
    )
    assert (row["decided_at"], row["published_at"], row["started_at"]) == (
        naive("2026-03-14 08:00"),
        naive("2026-03-14 09:00"),
        naive("2026-03-16 17:00"),
    )
    assert (row["prescribed_reps"], row["prescribed_reps_low"], row["prescribed_reps_high"]) == (
        10,
        8,
        12,
    )


def test_the_coach_has_stated_neither_probability_nor_interval(outcomes: dict[str, Json]) -> None:
    predictions = ("success_probability", "e1rm_low_kg", "e1rm_high_kg")
    stated = {row[f"predicted_{name}"] for row in outcomes.values() for name in predictions}
    assert stated == {None}


def test_sets_that_the_athlete_added_or_removed_move_no_other(warehouse: ScratchWarehouse) -> None:
    """Paired by place alone, a heavy set would be compared with the athlete's own warm-up."""
    rows = warehouse.rows(
        """
        select prescription_outcome_key, outcome, actual_weight_kg, actual_reps
        from marts.fct_prescription_outcome where athlete_id = $athlete
        order by prescription_outcome_key
        """,
        athlete=REBASED,
    )
    assert [tuple(row.values()) for row in rows] == [
        ("rebased plan/0/0", "hit", 100, 5),
        ("rebased plan/0/1", "missed", 100, 3),
        ("rebased plan/1/0", None, None, None),
        ("rebased plan/1/1", "exceeded", 22.5, 9),
        ("rebased plan/1/2", "hit", 25, 6),
    ]
