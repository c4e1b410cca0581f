from datetime import datetime

from tests.warehouse.payloads import Json, naive
from tests.warehouse.scratch import ScratchWarehouse

FOREVER = datetime(9999, 12, 31)  # noqa: DTZ001 - as stored: no zone, meaning UTC


def versions(warehouse: ScratchWarehouse, athlete: str) -> list[Json]:
    return warehouse.rows(
        "select * from marts.dim_routine_version where athlete_id = $athlete order by valid_from",
        athlete=athlete,
    )


def statuses(warehouse: ScratchWarehouse, athlete: str, workout: str) -> set[str | None]:
    rows = warehouse.rows(
        """
        select execution_status from marts.fct_plan_compliance
        where athlete_id = $athlete and workout_id = $workout
        """,
        athlete=athlete,
        workout=workout,
    )
    return {row["execution_status"] for row in rows}


def test_a_version_is_in_force_when_it_was_made_and_not_when_it_was_read(
    warehouse: ScratchWarehouse,
) -> None:
    (version,) = versions(warehouse, "late reader")
    assert version["valid_from"] == naive("2026-03-01 09:00")
    assert version["known_from"] == naive("2026-03-10 06:00")
    assert version["valid_to"] == version["known_to"] == FOREVER
    assert statuses(warehouse, "late reader", "late") == {"Target Met"}


def test_an_edit_between_two_loads_takes_effect_when_it_was_made(
    warehouse: ScratchWarehouse,
) -> None:
    first, second = versions(warehouse, "editor")
    assert first["valid_to"] == second["valid_from"] == naive("2026-03-08 09:00")
    assert first["known_to"] == second["known_from"] == naive("2026-03-10 07:00")
    assert statuses(warehouse, "editor", "before the edit") == {"Target Met"}
    assert statuses(warehouse, "editor", "after the edit") == {"Underperformed: Lighter"}


def test_a_workout_from_before_the_routine_that_it_resembles_is_not_judged(
    warehouse: ScratchWarehouse,
) -> None:
    rows = warehouse.rows(
        "select distinct workout_id, routine_version_key, plan_basis, execution_status "
        "from marts.fct_plan_compliance where athlete_id = 'freestyler' order by workout_id"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("like it", "freestyler/push/1", "matched", "Target Met"),
        ("long before", "freestyler/push/1", "assumed", None),
    ]


def test_our_own_publication_is_in_force_from_publishing_and_is_one_version(
    warehouse: ScratchWarehouse,
) -> None:
    first, published = versions(warehouse, "publisher")
    assert (first["published_plan_id"], first["origin"]) == (None, "api")
    assert (published["published_plan_id"], published["origin"]) == ("plan 1", "publication")
    assert published["valid_from"] == first["valid_to"] == naive("2026-03-12 18:00")
    assert published["known_from"] == naive("2026-03-12 18:00:03")


def test_two_versions_between_two_builds_are_both_kept(warehouse: ScratchWarehouse) -> None:
    assert [row["valid_from"] for row in versions(warehouse, "busy")] == [
        naive("2026-03-01 09:00"),
        naive("2026-04-01 05:00"),
        naive("2026-04-02 05:00"),
    ]
    assert [row["version_number"] for row in versions(warehouse, "busy")] == [1, 2, 3]


def test_a_deletion_is_a_version_that_ends_the_one_before(warehouse: ScratchWarehouse) -> None:
    routine, deletion = versions(warehouse, "leaver")
    assert (routine["is_deleted"], deletion["is_deleted"]) == (False, True)
    assert routine["valid_to"] == deletion["valid_from"] == naive("2026-04-02 06:10")
    assert (routine["is_current"], deletion["is_current"]) == (False, True)


def test_a_routine_that_returns_with_its_old_stamp_is_in_force_when_seen_again(
    warehouse: ScratchWarehouse,
) -> None:
    assert [
        (row["is_deleted"], row["valid_from"], row["valid_to"])
        for row in versions(warehouse, "returner")
    ] == [
        (False, naive("2026-03-01 09:00"), naive("2026-03-09 10:00")),
        (True, naive("2026-03-09 10:00"), naive("2026-03-09 11:00")),
        (False, naive("2026-03-09 11:00"), FOREVER),
    ]


def test_the_snapshot_holds_what_each_build_saw(warehouse: ScratchWarehouse) -> None:
    rows = warehouse.rows(
        """
        select athlete_id, is_deleted, valid_to = '9999-12-31' as is_current
        from snapshots.snp_hevy__routines where athlete_id in ('busy', 'leaver')
        order by athlete_id, valid_from
        """
    )
    assert [tuple(row.values()) for row in rows] == [
        ("busy", "False", False),
        ("busy", "False", True),
        ("leaver", "False", False),
        ("leaver", "True", True),
    ]


def test_a_deleted_workout_leaves_the_marts_and_stays_in_the_raw_table(
    warehouse: ScratchWarehouse,
) -> None:
    marts = warehouse.rows("select workout_id from marts.fct_workout where athlete_id = 'eraser'")
    assert marts == [{"workout_id": "kept"}]
    raw = warehouse.rows(
        """
        select record_id, is_deleted from raw.hevy_workouts where athlete_id = 'eraser'
        order by loaded_at, record_id desc
        """
    )
    assert [tuple(row.values()) for row in raw] == [
        ("kept", False),
        ("erased", False),
        ("kept", False),
        ("erased", True),
    ]


def test_an_edited_workout_counts_as_it_is_now(warehouse: ScratchWarehouse) -> None:
    rows = warehouse.rows("select weight_kg from marts.fct_set where athlete_id = 'eraser'")
    assert rows == [{"weight_kg": 110}]
