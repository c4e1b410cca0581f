import re
from datetime import date

import pytest

from orchestration.dbt.runner import DBT_PROJECT_DIR
from tests.warehouse.payloads import Json
from tests.warehouse.scratch import ScratchWarehouse


def workout(warehouse: ScratchWarehouse, athlete: str, workout_id: str) -> Json:
    (row,) = warehouse.rows(
        "select * from marts.fct_workout where athlete_id = $athlete and workout_id = $workout",
        athlete=athlete,
        workout=workout_id,
    )
    return row


def performed_sets(warehouse: ScratchWarehouse, athlete: str, workout_id: str) -> list[Json]:
    return warehouse.rows(
        """
        select * from marts.fct_set where athlete_id = $athlete and workout_id = $workout
        order by exercise_index, set_index
        """,
        athlete=athlete,
        workout=workout_id,
    )


@pytest.mark.parametrize(
    ("workout_id", "expected"),
    [
        ("no exercises", (0, 0, 0, None, None)),
        ("null exercises", (0, 0, 0, None, None)),
        ("no sets", (2, 1, 1, 800, None)),
        ("unknown fields", (1, 3, 2, 740, 5400)),
    ],
)
def test_a_workout_is_counted_whatever_it_lacks(
    warehouse: ScratchWarehouse, workout_id: str, expected: tuple[int | None, ...]
) -> None:
    row = workout(warehouse, "odd", workout_id)
    names = ("exercise_count", "set_count", "working_set_count", "volume_kg", "duration_s")
    assert tuple(row[name] for name in names) == expected


def test_old_names_are_read_and_unknown_fields_ignored(warehouse: ScratchWarehouse) -> None:
    first, second, third = performed_sets(warehouse, "odd", "unknown fields")
    assert first["superset_id"] == 2
    assert (second["weight_kg"], second["reps"], second["rpe"], second["volume_kg"]) == (None,) * 4
    assert (third["set_type"], third["is_working"]) == ("dropset", False)


def test_an_exercise_without_sets_still_is_an_occurrence(warehouse: ScratchWarehouse) -> None:
    (row,) = performed_sets(warehouse, "odd", "no sets")
    assert (row["exercise_index"], row["occurrence"], row["reps"]) == (1, 2, 8)


def test_load_added_to_the_body_is_neither_volume_nor_a_maximum(
    warehouse: ScratchWarehouse,
) -> None:
    """Only the bench counts: 60 * 5 kg, and 60 * (30 + 5) / 30 kg."""
    rows = performed_sets(warehouse, "odd", "body")
    assert [(row["weight_kg"], row["volume_kg"], row["e1rm_kg"]) for row in rows] == [
        (20, None, None),
        (40, None, None),
        (60, 300, 70),
    ]
    assert workout(warehouse, "odd", "body")["volume_kg"] == 300


def test_a_distance_is_not_rounded(warehouse: ScratchWarehouse) -> None:
    assert performed_sets(warehouse, "odd", "body")[2]["distance_m"] == 400.5


def test_a_workout_from_a_file_that_the_account_has_counts_once(
    warehouse: ScratchWarehouse,
) -> None:
    """And a workout deleted in the account does not come back from the file."""
    rows = warehouse.rows(
        "select workout_id, origin, set_count from marts.fct_workout "
        "where athlete_id = 'importer' order by all"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("only in a file", "csv", 1),
        ("pull", "api", 3),
    ]


def test_a_title_from_a_file_may_stand_for_an_exercise(warehouse: ScratchWarehouse) -> None:
    (row,) = performed_sets(warehouse, "importer", "only in a file")
    assert (row["exercise_key"], row["exercise_title"]) == ("T1", "Supino  Reto")


def test_a_day_begins_at_midnight_of_the_athlete(warehouse: ScratchWarehouse) -> None:
    row = workout(warehouse, "berliner", "night")
    assert (row["workout_date"], row["week_start_date"]) == (date(2026, 1, 12), date(2026, 1, 12))
    (performed,) = performed_sets(warehouse, "berliner", "night")
    assert performed["workout_date"] == date(2026, 1, 12)


def test_an_athlete_without_a_profile_lives_in_utc(warehouse: ScratchWarehouse) -> None:
    rows = warehouse.rows(
        """
        select athlete_id, name, timezone
        from marts.dim_athlete where athlete_id in ('berliner', 'odd') order by athlete_id
        """
    )
    assert [tuple(row.values()) for row in rows] == [
        ("berliner", "Sample", "Europe/Berlin"),
        ("odd", None, "UTC"),
    ]


def test_a_set_from_a_file_belongs_to_the_exercise_with_its_title(
    warehouse: ScratchWarehouse,
) -> None:
    rows = performed_sets(warehouse, "coached", "from a file")
    assert [(row["exercise_key"], row["exercise_template_id"]) for row in rows] == [
        ("curl", None),
        ("title:sled drag", None),
    ]
    assert [row["exercise_title"] for row in rows] == ["curl  (dumbbell)", "Sled  Drag"]


@pytest.mark.parametrize(
    ("exercise_key", "expected"),
    [
        ("curl", ("curl", "Curl (Dumbbell)", "weight_reps", "dumbbell", "biceps", [], False)),
        ("press", ("press", "press", "weight_reps", "barbell", "chest", ["triceps"], True)),
        ("row", ("row", "row", None, None, None, None, None)),
        ("title:sled drag", (None, "Sled  Drag", None, None, None, None, None)),
    ],
    ids=["in the catalogue", "never done", "only in a routine", "only in a file"],
)
def test_an_exercise_is_described_as_far_as_it_is_known(
    warehouse: ScratchWarehouse, exercise_key: str, expected: tuple[object, ...]
) -> None:
    (row,) = warehouse.rows(
        """
        select * exclude (athlete_exercise_key, athlete_id, exercise_key) from marts.dim_exercise
        where athlete_id = 'coached' and exercise_key = $exercise_key
        """,
        exercise_key=exercise_key,
    )
    assert tuple(row.values()) == expected


def test_no_model_reads_the_clock() -> None:
    """The same raw rows have to give the same marts."""
    clock = re.compile(r"\b(now|today|current_date|current_timestamp|get_current_\w+|random)\b")
    models = sorted((DBT_PROJECT_DIR / "models").rglob("*.sql"))
    assert models
    assert [path.name for path in models if clock.search(path.read_text())] == []
