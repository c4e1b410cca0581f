"""Regularity and balance of each week equal a count by hand."""

from datetime import date, timedelta

import pytest

from tests.warehouse.payloads import Json
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.years_of_training import MUSCLES, VETERAN, sessions

_PUSH = {"chest", "shoulders", "triceps"}
_PULL = {"lats", "upper_back", "biceps"}
_LOWER = {"quadriceps", "hamstrings", "glutes"}


@pytest.fixture(scope="module")
def weeks(warehouse: ScratchWarehouse) -> list[Json]:
    return warehouse.rows(
        """
        select * from marts.fct_consistency_week where athlete_id = $athlete
        order by week_start_date
        """,
        athlete=VETERAN,
    )


def all_weeks() -> list[date]:
    first, last = sessions()[0].week, sessions()[-1].week
    return [first + timedelta(weeks=past) for past in range((last - first).days // 7 + 1)]


def hard_sets(week: date, groups: set[str]) -> int:
    return sum(
        one.is_hard and one.exercise in MUSCLES and MUSCLES[one.exercise][0] in groups
        for session in sessions()
        if session.week == week
        for one in session.sets
    )


def test_weeks_follow_each_other_and_streaks_restart(weeks: list[Json]) -> None:
    done = sessions()
    streak, expected = 0, []
    for week in all_weeks():
        days = [session.day for session in done if session.week == week]
        streak = streak + 1 if days else 0
        expected.append((week, len(days), len(set(days)), streak))
    names = ("week_start_date", "workout_count", "training_day_count", "streak_weeks")
    assert [tuple(row[name] for name in names) for row in weeks] == expected
    assert {0, 1, 2} <= {row["streak_weeks"] for row in weeks}


def test_a_break_of_an_account_that_is_read_ends_the_streak(warehouse: ScratchWarehouse) -> None:
    """The account was last read on Friday, 10 April; the last workout was on 3 March."""
    rows = warehouse.rows("""
        select week_start_date, workout_count, streak_weeks from marts.fct_consistency_week
        where athlete_id = 'demo' order by week_start_date desc limit 5
    """)
    assert [tuple(row.values()) for row in rows] == [
        (date(2026, 3, 30) - timedelta(weeks=back), 0, 0) for back in range(4)
    ] + [(date(2026, 3, 2), 1, rows[4]["streak_weeks"])]
    assert rows[4]["streak_weeks"] > 1
    muscles = warehouse.rows("""
        select muscle_group, max(week_start_date) as last from marts.fct_muscle_week
        where athlete_id = 'demo' group by muscle_group
    """)
    assert {row["last"] for row in muscles} == {date(2026, 3, 30)}


def test_balance_is_of_direct_hard_sets(weeks: list[Json]) -> None:
    for row in weeks:
        week = row["week_start_date"]
        push, pull, lower = (hard_sets(week, groups) for groups in (_PUSH, _PULL, _LOWER))
        assert (row["push_set_count"], row["pull_set_count"]) == (push, pull)
        assert row["push_pull_ratio"] == (push / pull if pull else None)
        assert row["upper_lower_ratio"] == ((push + pull) / lower if lower else None)


def test_without_a_plan_there_is_no_adherence(weeks: list[Json]) -> None:
    assert {(row["planned_set_count"], row["adherence"]) for row in weeks} == {(0, None)}


@pytest.mark.parametrize(
    ("athlete", "expected"),
    [
        ("a substitution is skipped and unplanned", (2, 0, 2, 1, 0)),
        ("an added warm-up shifts nothing", (3, 2, 0, 0, 2 / 3)),
        ("no target", (0, 0, 0, 0, None)),
    ],
)
def test_adherence_is_of_planned_sets(
    warehouse: ScratchWarehouse, athlete: str, expected: tuple[float | None, ...]
) -> None:
    (row,) = warehouse.rows(
        """
        select
            planned_set_count, met_set_count, skipped_set_count, unplanned_set_count, adherence
        from marts.fct_consistency_week where athlete_id = $athlete
        """,
        athlete=athlete,
    )
    assert tuple(row.values()) == expected
