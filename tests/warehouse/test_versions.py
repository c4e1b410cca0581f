"""A workout refers to the athlete and the exercises as they were described when it began."""

from datetime import datetime

from tests.warehouse.payloads import Json, naive
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.stories import CLIMBER, EVENINGS, MOVER

BEGINNING = naive("1970-01-01")
FOREVER = datetime(9999, 12, 31)  # noqa: DTZ001 - as stored: no zone, meaning UTC


def as_of_each_workout(warehouse: ScratchWarehouse) -> list[Json]:
    return warehouse.rows(
        """
        select
            sets.workout_id, athletes.timezone, athletes.load_unit, exercises.title,
            exercises.primary_muscle_group,
            sessions.exercise_version_key = sets.exercise_version_key as is_same
        from marts.fct_set as sets
        inner join marts.fct_exercise_session as sessions using (athlete_id, workout_id)
        inner join marts.fct_workout as workouts using (athlete_id, workout_id)
        inner join marts.dim_athlete_version as athletes using (athlete_version_key)
        inner join marts.dim_exercise_version as exercises
            on sets.exercise_version_key = exercises.exercise_version_key
        where sets.athlete_id = $athlete
        order by sets.started_at
        """,
        athlete=MOVER,
    )


def test_a_workout_keeps_the_title_the_muscles_and_the_zone_of_its_day(
    warehouse: ScratchWarehouse,
) -> None:
    before, after = as_of_each_workout(warehouse)
    assert before == {
        "workout_id": "before",
        "timezone": "Europe/Berlin",
        "load_unit": "kg",
        "title": "bench",
        "primary_muscle_group": "chest",
        "is_same": True,
    }
    assert after == {
        "workout_id": "after",
        "timezone": "America/New_York",
        "load_unit": "lb",
        "title": "Bench",
        "primary_muscle_group": "triceps",
        "is_same": True,
    }


def test_the_dimensions_without_versions_are_the_current_ones(warehouse: ScratchWarehouse) -> None:
    rows = warehouse.rows(
        """
        select timezone, title from marts.dim_athlete
        inner join marts.dim_exercise using (athlete_id) where athlete_id = $athlete
        """,
        athlete=MOVER,
    )
    assert rows == [{"timezone": "America/New_York", "title": "Bench"}]


def test_versions_follow_each_other_and_the_first_counts_from_the_beginning(
    warehouse: ScratchWarehouse,
) -> None:
    for mart in ("dim_athlete_version", "dim_exercise_version"):
        rows = warehouse.rows(
            f"""
            select version_number, is_current, valid_from, valid_to, known_from
            from marts.{mart} where athlete_id = $athlete order by valid_from
            """,
            athlete=MOVER,
        )
        first, second = rows
        changed_at = second["known_from"]
        assert changed_at.date() == EVENINGS[1].date(), mart
        assert first["known_from"].date() == EVENINGS[0].date(), mart
        assert [tuple(row.values())[:4] for row in rows] == [
            (1, False, BEGINNING, changed_at),
            (2, True, changed_at, FOREVER),
        ], mart


def test_a_profile_that_changes_something_else_has_one_version(
    warehouse: ScratchWarehouse,
) -> None:
    rows = warehouse.rows(
        """
        select load_unit, version_number
        from marts.dim_athlete_version where athlete_id = $athlete
        """,
        athlete=CLIMBER,
    )
    assert rows == [{"load_unit": None, "version_number": 1}]


def test_each_set_and_workout_has_a_version(warehouse: ScratchWarehouse) -> None:
    [lacking] = warehouse.rows("""
        select
            (select count(*) from marts.fct_set where exercise_version_key is null) as n_sets,
            (select count(*) from marts.fct_workout where athlete_version_key is null) as n_workouts
    """)
    assert lacking == {"n_sets": 0, "n_workouts": 0}
