"""Language model plans in the marts: an exchange of exercises, and the distance to the training."""

import pytest

from coach_agent.llm.shadow import Score, read_shadow_score
from coach_agent.situation.situation import read_situation
from tests.warehouse.payloads import at, naive
from tests.warehouse.prescriptions import EXCHANGED
from tests.warehouse.scratch import ScratchWarehouse


def test_only_what_both_planned_otherwise_is_compared(warehouse: ScratchWarehouse) -> None:
    """20 kg x 11 was done: 10 and 9 repetitions were 1 and 2 of 41 too few. No bench, no fly."""
    (row,) = warehouse.rows(
        "select * from marts.fct_plan_comparison where athlete_id = $athlete", athlete=EXCHANGED
    )
    assert (row["exercise_title"], row["occurrence"], row["workout_id"]) == (
        "curl",
        1,
        "with the fly",
    )
    assert (row["engine_plan_id"], row["model_plan_id"], row["published_by"]) == (
        "rules arms",
        "model arms",
        "model",
    )
    assert row["engine_miss_pct"] == pytest.approx(100 / 41, abs=1e-5)
    assert row["model_miss_pct"] == pytest.approx(200 / 41, abs=1e-5)
    assert row["difference_pct"] == pytest.approx(100 / 41, abs=1e-5)
    assert row["decided_at"] == naive("2026-03-13 08:00:00")


def test_the_coach_reads_the_score_of_a_model(warehouse: ScratchWarehouse) -> None:
    with warehouse.connection() as con:
        found = read_shadow_score(con, EXCHANGED, "google:flash", "p1")
        other = read_shadow_score(con, EXCHANGED, "google:flash", "p2")
    assert (found.under_model.slots, found.under_model.workouts) == (1, 1)
    assert found.under_engine == other.under_model == Score(0, 0)


def test_a_stand_in_has_its_outcome_and_what_it_stood_in_for_has_none(
    warehouse: ScratchWarehouse,
) -> None:
    rows = warehouse.rows(
        """
        select exercise_title, outcome from marts.fct_prescription_outcome
        where plan_id = 'model arms' order by exercise_index
        """
    )
    assert [tuple(row.values()) for row in rows] == [("fly", "hit"), ("curl", "exceeded")]
    compared = warehouse.rows(
        """
        select distinct exercise_key, execution_status from marts.fct_plan_compliance
        where athlete_id = $athlete and workout_id = 'with the fly' order by 1
        """,
        athlete=EXCHANGED,
    )
    assert [row["exercise_key"] for row in compared] == ["curl", "fly"]
    assert all("Skipped" not in row["execution_status"] for row in compared)


def test_the_coach_knows_both_and_starts_from_the_routine_without_the_stand_in(
    warehouse: ScratchWarehouse,
) -> None:
    rows = warehouse.rows(
        """
        select exercise_title, is_left_out, rest_s, notes, len(exposures) as exposures
        from marts.coach_context where athlete_id = $athlete order by exercise_index
        """,
        athlete=EXCHANGED,
    )
    assert [tuple(row.values()) for row in rows] == [
        ("fly", False, 150, None, 1),
        ("curl", False, None, None, 2),
        ("bench", True, 150, "elbows in", 1),
    ]
    with warehouse.connection() as con:
        situation = read_situation(con, EXCHANGED, "UTC", at("2026-03-20 06:00"))
    (arms,) = situation.routines
    assert [slot.exercise_title for slot in arms.slots] == ["bench", "curl"]
    assert [place.exercise_title for place in arms.stand_ins] == ["fly"]
    bench = arms.slots[0]
    assert (bench.rest_s, bench.notes, bench.types_in_hevy) == (150, "elbows in", ())
    assert [each.workout_id for each in bench.exposures] == ["with the bench"]
