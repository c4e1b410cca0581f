import pytest

from tests.warehouse.compliance_cases import ALIGNMENT, CASES, STATUSES, Case
from tests.warehouse.payloads import Json
from tests.warehouse.scratch import ScratchWarehouse


def compliance(warehouse: ScratchWarehouse, athlete: str) -> list[Json]:
    return warehouse.rows(
        """
        select * from marts.fct_plan_compliance where athlete_id = $athlete
        order by exercise_key, occurrence, planned_set_index nulls last, performed_set_index
        """,
        athlete=athlete,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_sets_are_paired_and_named(warehouse: ScratchWarehouse, case: Case) -> None:
    found = [
        (row["planned_set_index"], row["performed_set_index"], row["execution_status"])
        for row in compliance(warehouse, case.name)
    ]
    assert found == list(case.rows)


def test_every_status_occurs() -> None:
    named = {status for case in (*ALIGNMENT, *STATUSES) for *_, status in case.rows}
    assert len(named) == 15 + 1  # rows 1 to 15 and null


def test_an_unknown_plan_counts_nothing(warehouse: ScratchWarehouse) -> None:
    rows = compliance(warehouse, "the plan is not known before its first version")
    assert {(row["is_plan_known"], row["counts_for_adherence"]) for row in rows} == {(False, False)}


def test_a_warm_up_has_a_status_but_does_not_count(warehouse: ScratchWarehouse) -> None:
    *working, warm_up = compliance(warehouse, "an added warm-up shifts nothing")
    assert warm_up["set_class"] == "warmup"
    assert [row["counts_for_adherence"] for row in (*working, warm_up)] == [True] * 3 + [False]
    assert [row["diff_reps"] for row in working] == [0, 0, -1]


def test_a_skipped_set_counts_and_an_unplanned_one_does_not(warehouse: ScratchWarehouse) -> None:
    rows = compliance(warehouse, "a substitution is skipped and unplanned")
    assert [row["counts_for_adherence"] for row in rows] == [True, True, False]


@pytest.mark.parametrize(
    ("athlete", "expected"),
    [
        ("inside the range", (0, 0, 2)),
        ("more", (0, 1, 2)),
        ("fewer", (0, -2, 2)),
        ("a load without repetitions", (0, None, 1)),
        ("less help is more load", (5, 0, 2)),
        ("no target", (None, None, 0)),
    ],
)
def test_differences_are_measured_from_the_target(
    warehouse: ScratchWarehouse, athlete: str, expected: tuple[float | None, int | None, int]
) -> None:
    (row,) = compliance(warehouse, athlete)
    assert (row["diff_weight_kg"], row["diff_reps"], row["target_count"]) == expected


def test_no_target_is_null_and_not_zero(warehouse: ScratchWarehouse) -> None:
    (row,) = compliance(warehouse, "a load without repetitions")
    targets = [name for name in row if name.startswith("planned_") and not name.endswith("index")]
    assert {name for name in targets if row[name] is not None} == {
        "planned_set_type",
        "planned_weight_kg",
    }


def test_a_set_without_any_target_is_left_out_of_adherence(warehouse: ScratchWarehouse) -> None:
    (row,) = compliance(warehouse, "no target")
    assert not row["counts_for_adherence"]


@pytest.mark.parametrize(
    ("athlete", "is_met"),
    [
        ("bodyweight", True),
        ("nothing recorded", False),
        ("a load not recorded", False),
        ("a load not recorded but more", False),
        ("no target", None),
    ],
)
def test_a_planned_load_that_was_not_recorded_is_not_met(
    warehouse: ScratchWarehouse, athlete: str, is_met: bool | None
) -> None:
    (row,) = compliance(warehouse, athlete)
    assert row["is_met"] is is_met


def test_the_same_lift_twice_keeps_two_prescriptions(warehouse: ScratchWarehouse) -> None:
    first, second, _ = compliance(warehouse, "the same lift twice pairs first with first")
    assert (first["occurrence"], first["planned_exercise_index"], first["planned_weight_kg"]) == (
        1,
        0,
        100,
    )
    assert (
        second["occurrence"],
        second["planned_exercise_index"],
        second["planned_weight_kg"],
    ) == (
        2,
        2,
        80,
    )
