"""Easy and hard sets have one definition, which all facts share."""

from datetime import date

import pytest

from tests.warehouse.payloads import Json
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.stories import EASY

MONDAY = date(2026, 3, 9)


def rows_of(warehouse: ScratchWarehouse, query: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in warehouse.rows(query, athlete=EASY)]


def test_warm_ups_loads_of_zero_and_easy_sets_are_not_hard(warehouse: ScratchWarehouse) -> None:
    """60 kg have 30 repetitions to failure for a maximum of 120 kg; 90 kg have ten."""
    assert rows_of(
        warehouse,
        """
        select weight_kg, is_hard, is_assumed_hard, easy_reason from marts.fct_set
        where athlete_id = $athlete and workout_id = 'easy' order by set_index
        """,
    ) == [
        (60, False, False, "warm_up"),
        (0, False, False, None),
        (108, False, False, "rated"),
        (90, True, True, None),
    ]


@pytest.mark.parametrize(
    "query",
    [
        "select hard_set_count from marts.fct_workout where workout_id = 'easy' and",
        "select hard_set_count from marts.fct_exercise_session where workout_id = 'easy' and",
        "select direct_set_count from marts.fct_muscle_week where week_start_date = $monday and",
        "select push_set_count from marts.fct_consistency_week where week_start_date = $monday and",
        "select training_load from marts.fct_training_load_day where date_day = '2026-03-11' and",
    ],
)
def test_every_fact_counts_the_one_hard_set(warehouse: ScratchWarehouse, query: str) -> None:
    query = query.replace("$monday", f"'{MONDAY}'")
    assert rows_of(warehouse, f"{query} athlete_id = $athlete") == [(1,)]


def test_an_easy_set_is_no_record_and_no_best(warehouse: ScratchWarehouse) -> None:
    """108 kg x 3 at RPE 6 would be 108 x (1 + 7 / 30) = 133.2 kg; 90 x (1 + 5 / 30) = 105."""
    assert rows_of(
        warehouse,
        """
        select record_kind, record_value from marts.fct_personal_record
        where athlete_id = $athlete and is_current and record_kind in ('load', 'e1rm')
        order by record_kind, record_value
        """,
    ) == [("e1rm", 105), ("e1rm", 120), ("load", 100)]
    assert rows_of(
        warehouse,
        """
        select workout_id, e1rm_kg, top_weight_kg from marts.fct_exercise_session
        where athlete_id = $athlete order by started_at
        """,
    ) == [("best", 120, 100), ("easy", 105, 108)]


def test_intensity_is_relative_to_the_own_maximum(warehouse: ScratchWarehouse) -> None:
    """50, 90 and 75 % of 120 kg: 5 / 50 + 3 / 10 + 5 / 25 = 0.6."""
    assert rows_of(
        warehouse,
        """
        select intensity_pct, intensity_zone from marts.fct_set
        where athlete_id = $athlete and workout_id = 'easy' order by set_index
        """,
    ) == [(50, "below_55"), (None, None), (90, "from_90"), (75, "70_to_80")]
    [session] = warehouse.rows(
        "select * from marts.fct_exercise_session where athlete_id = $athlete "
        "and workout_id = 'easy'",
        athlete=EASY,
    )
    assert session["inol"] == pytest.approx(0.6)
    assert session["mean_intensity_pct"] == pytest.approx((50 + 90 + 75) / 3)
    assert (session["top_intensity_pct"], session["own_max_kg"]) == (90, 120)


def test_all_facts_agree_on_hard_sets_also_in_deloads_and_with_doubts(
    warehouse: ScratchWarehouse,
) -> None:
    by_day = """
        select athlete_id, {day} as day, {count}::bigint as hard from marts.{mart}
        group by all having hard > 0 order by all
    """
    expected = warehouse.rows(
        by_day.format(day="workout_date", count="count(*) filter (is_hard)", mart="fct_set")
    )
    for mart, day, count in (
        ("fct_workout", "workout_date", "sum(hard_set_count)"),
        ("fct_exercise_session", "workout_date", "sum(hard_set_count)"),
        (
            "fct_training_load_day",
            "date_day",
            "sum(training_load) filter (load_method = 'hard_sets')",
        ),
    ):
        assert warehouse.rows(by_day.format(day=day, count=count, mart=mart)) == expected, mart
    by_muscle = """
        select athlete_id, primary_muscle_group as muscle_group, week_start_date,
            count(*) filter (is_hard)::double as direct
        from marts.fct_set inner join marts.dim_exercise using (athlete_id, exercise_key)
        where primary_muscle_group is not null group by all having direct > 0 order by all
    """
    in_weeks = """
        select athlete_id, muscle_group, week_start_date, direct_set_count as direct
        from marts.fct_muscle_week where direct_set_count > 0 order by all
    """
    assert warehouse.rows(in_weeks) == warehouse.rows(by_muscle)
    reasons = warehouse.rows("select distinct easy_reason from marts.fct_set")
    assert {row["easy_reason"] for row in reasons} == {None, "deload", "rated", "warm_up"}
    [doubted] = warehouse.rows(
        "select bool_or(is_hard) as hard from marts.fct_set where is_typo_suspect"
    )
    assert doubted["hard"]


def test_a_set_has_the_target_that_it_is_compared_with(warehouse: ScratchWarehouse) -> None:
    names = (
        *("planned_weight_kg", "planned_reps_low", "planned_reps_high", "planned_duration_s"),
        *("planned_distance_m", "planned_custom_metric"),
    )
    differing = " or ".join(f"sets.{name} is distinct from plans.{name}" for name in names)
    compared: list[Json] = warehouse.rows(
        f"""
        select
            count(*) as performed,
            count(plans.set_key) as paired,
            count(sets.target_key) as targeted,
            count(*) filter (
                plans.is_plan_known and plans.planned_set_index is not null
                and (
                    {differing}
                    or sets.target_key is distinct from plans.plan_compliance_key
                    or sets.execution_status is distinct from plans.execution_status
                )
            ) as different
        from marts.fct_set as sets
        left join marts.fct_plan_compliance as plans using (set_key)
        """
    )
    [found] = compared
    assert found["performed"] == found["paired"] > found["targeted"] > 100
    assert found["different"] == 0
    [skipped] = warehouse.rows(
        "select count(*) as n, count(set_key) as keys from marts.fct_plan_compliance "
        "where performed_set_index is null"
    )
    assert skipped["n"] > skipped["keys"] == 0
