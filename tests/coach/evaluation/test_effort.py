"""The effort of sets in simulations is that of the marts: compared with the macros of dbt."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pytest
import yaml

from coach_agent.evaluation import effort
from tests.coach.evaluation.test_diary import Done, bench_only, trained

PROJECT = Path(__file__).parents[3] / "dbt_project"
VARS: dict[str, Any] = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())["vars"]
AT = datetime(2026, 3, 2, 18, tzinfo=UTC)


def macros() -> Any:
    """The macros of effort as functions of SQL expressions."""
    # The result is SQL for constants of this test.
    environment = jinja2.Environment()  # noqa: S701
    environment.globals["var"] = VARS.__getitem__
    text = "".join(
        (PROJECT / "macros" / name).read_text() for name in ("exercises.sql", "effort.sql")
    )
    return environment.from_string(text).module


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("rpe.hard_set_min", effort.HARD_SET_MIN_RPE),
        ("effort.easy_reserve_min", effort.EASY_RESERVE_MIN),
        ("effort.warm_up_reserve_min", effort.WARM_UP_RESERVE_MIN),
        ("effort.maximum_days", effort.MAXIMUM_DAYS),
    ],
)
def test_the_bounds_are_those_of_the_marts(name: str, ours: float) -> None:
    assert VARS[name] == ours


def test_easy_and_hard_sets_are_those_of_the_macros() -> None:
    sql = macros()
    # A rating decides alone, so the reserve matters for sets without one.
    has_estimate = "rpe is null and kg > 0 and reps between 1 and 12"
    reserve = sql.reserve_of_maximum("kg", "reps", "max_kg")
    reason = sql.easy_reason("'working'", "set_type", "rpe", "is_eased", "reserve")
    hard = sql.is_hard_set("'working'", "reps", "kg", "exercise_type", "rpe", "reason")
    with duckdb.connect() as con:
        rows = con.execute(
            f"""
            with sets as (select unnest(['normal', 'failure']) as set_type),
            rated as (
                select *, case when {has_estimate} then {reserve} end as reserve
                from sets
                cross join (select unnest([null, 0, 60, 100]::double[]) as kg)
                cross join (select unnest([null, 0, 1, 5, 10]) as reps)
                cross join (select unnest([null, 5, 6, 6.5, 7, 10]::double[]) as rpe)
                cross join (select unnest([true, false]) as is_eased)
                cross join (select unnest([null, 120]::double[]) as max_kg)
                cross join (
                    select unnest(
                        ['weight_reps', 'short_distance_weight', 'reps_only', 'bodyweight_x', null]
                    ) as exercise_type
                )
            ),
            eased as (select *, {reason} as reason from rated)
            select *, {hard} as is_hard from eased
            """
        ).fetchall()
    assert {row[-2] for row in rows} == {"rated", "deload", "warm_up", None}
    assert {row[-1] for row in rows} == {True, False}
    for set_type, kg, reps, rpe, is_eased, max_kg, exercise_type, *expected in rows:
        left = None if rpe is not None else effort.reserve_of_maximum(kg, reps, rpe, max_kg)
        why = effort.easy_reason(set_type, rpe, is_eased=is_eased, reserve=left)
        found = [left, why, effort.is_hard_set(kg, reps, exercise_type, rpe, why)]
        assert found == [pytest.approx(expected[0]), *expected[1:]], (kg, reps, rpe, max_kg)


def test_the_own_maximum_is_that_of_the_latest_days_without_easy_sets() -> None:
    maxima = effort.OwnMaxima()
    maxima.add(AT - timedelta(days=121), 130, 1, 10.0)
    maxima.add(AT - timedelta(days=120), 100, 5, None)
    maxima.add(AT - timedelta(days=1), 100, 5, 6.0)  # 4 in reserve
    maxima.add(AT - timedelta(days=1), 100, 11, None)  # too many repetitions
    assert maxima.on(AT) == pytest.approx(100 * (1 + 5 / 30))
    assert maxima.on(AT + timedelta(days=1)) is None


def test_a_simulated_week_counts_no_set_that_is_a_warm_up_for_the_own_maximum() -> None:
    """50 kg x 5 leave 35 repetitions in reserve by a maximum of 116.7 kg."""
    found = trained(bench_only(Done(50, 5), Done(100, 5)))
    assert {group: sets for (group, _), sets in found.weekly_sets().items()} == {
        "chest": 1,
        "triceps": 0.5,
    }


def test_a_simulated_deload_counts_what_was_rated_as_hard() -> None:
    found = trained(bench_only(Done(90, 5, 8.0), Done(90, 5), is_easy=True))
    assert sum(found.weekly_sets().values()) == 1.5
