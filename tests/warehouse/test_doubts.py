"""A doubted set affects nothing, and is evaluated again after an edit."""

import pytest

from coach_agent.store.contexts import read_context
from tests.warehouse.conftest import Nights
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.stories import CONFIRMS, DROPS, EDITS, PLANNED, SUSPECT, a_night_later


def sets(warehouse: ScratchWarehouse, athlete: str) -> list[tuple[str, bool]]:
    """Return the sets of the last workout, with their doubt."""
    rows = warehouse.rows(
        "select set_key, is_typo_suspect from marts.fct_set where athlete_id = $athlete "
        "and workout_id = 'last' order by all",
        athlete=athlete,
    )
    return [(row["set_key"], row["is_typo_suspect"]) for row in rows]


@pytest.mark.parametrize("athlete", EDITS)
def test_an_edited_set_is_evaluated_again_and_stays_one_set(nights: Nights, athlete: str) -> None:
    """Also if one of both has nothing recorded; half a ton is doubted by itself."""
    is_suspect = athlete == SUSPECT
    for name, told in (
        (athlete, {1: True, 2: is_suspect, 3: True}),
        (a_night_later(athlete), {2: True, 3: is_suspect}),
    ):
        key = f"{name}/last/0/0"
        assert {night: sets(nights.after(night), name) for night in told} == {
            night: [(key, is_doubted)] for night, is_doubted in told.items()
        }


def test_a_drop_set_is_light_on_purpose(warehouse: ScratchWarehouse) -> None:
    doubted = warehouse.rows(
        "select weight_kg from marts.fct_set where athlete_id = $athlete and is_typo_suspect "
        "order by 1",
        athlete=DROPS,
    )
    assert [row["weight_kg"] for row in doubted] == [10, 350]


def test_the_coach_receives_the_correction_of_a_set(nights: Nights) -> None:
    """Also of a set with inconspicuous numbers: previously the coach received doubts only."""

    def told(night: int) -> list[tuple[bool, bool | None]]:
        """Return the doubt and the correction of each set of the newest workout."""
        with nights.after(night).connection() as con:
            (context,) = read_context(con, CONFIRMS)
        newest = context.slots[0].exposures[0]
        return [(each.is_typo_suspect, each.is_confirmed) for each in newest.sets]

    assert told(1) == [(True, None), (False, None), (False, None)]
    assert told(2) == [(False, True), (True, False), (False, True)]


def test_a_doubted_set_neither_keeps_nor_breaks_a_plan_and_moves_no_load(
    warehouse: ScratchWarehouse,
) -> None:
    rows = warehouse.rows(
        """
        select execution_status, counts_for_adherence, is_met from marts.fct_plan_compliance
        where athlete_id = $athlete and workout_id = 'last' order by planned_set_index
        """,
        athlete=PLANNED,
    )
    assert [tuple(row.values()) for row in rows] == [
        ("Target Met", True, True),
        ("Overperformed: Heavier", False, None),
        ("Underperformed: Fewer Reps", True, False),
    ]
    for mart, totals in (
        ("fct_workout", {"working_set_count": 3, "volume_kg": 900}),
        ("fct_exercise_session", {"working_set_count": 3, "volume_kg": 900, "reps": 9}),
    ):
        (row,) = warehouse.rows(
            f"select * from marts.{mart} where athlete_id = $athlete and workout_id = 'last'",
            athlete=PLANNED,
        )
        assert {name: row[name] for name in totals} == totals
