"""A typing error is doubted until a correction; an excluded workout counts nowhere."""

import pytest

from coach_agent.store.corrections import (
    CorrectionError,
    of_set,
    of_workout,
    read_corrections,
    read_doubted_sets,
)
from tests.warehouse.conftest import Nights
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.stories import ACCEPTS, EDITS_IT, LEFT_OUT

TYPED = f"{ACCEPTS}/w5/0/0"


def doubted(warehouse: ScratchWarehouse, athlete: str) -> list[tuple[str, float | None, int]]:
    with warehouse.connection() as con:
        return [
            (each.set_key, each.done.weight_kg, round(each.usual_weight_kg or 0))
            for each in read_doubted_sets(con, athlete)
        ]


def workouts(warehouse: ScratchWarehouse, mart: str, athlete: str) -> set[str]:
    rows = warehouse.rows(
        f"select workout_id from marts.{mart} where athlete_id = $athlete", athlete=athlete
    )
    return {row["workout_id"] for row in rows}


def best_kg(warehouse: ScratchWarehouse, athlete: str) -> int:
    (best,) = warehouse.rows(
        "select max(e1rm_kg) as kg from marts.fct_exercise_session where athlete_id = $athlete",
        athlete=athlete,
    )
    return round(best["kg"])


def test_the_athlete_has_the_last_word(nights: Nights) -> None:
    """Accepted it counts, rejected it does not, edited it is evaluated again."""
    whole = round(846 * 38 / 30)
    by_night = [nights.after(night) for night in (1, 2, 3)]
    assert [best_kg(each, ACCEPTS) for each in by_night] == [109, whole, 109]
    assert [best_kg(each, EDITS_IT) for each in by_night] == [whole, 109, 109]
    seen = {athlete: [(f"{athlete}/w5/0/0", 846, 86)] for athlete in (ACCEPTS, EDITS_IT)}
    assert [doubted(each, ACCEPTS) for each in by_night] == [seen[ACCEPTS], [], seen[ACCEPTS]]
    assert [doubted(each, EDITS_IT) for each in by_night] == [[], seen[EDITS_IT], []]
    with (
        nights.after(2).connection() as con,
        pytest.raises(CorrectionError, match="is already corrected as"),
    ):
        of_set(con, TYPED, "accept_set", "again")


def test_a_workout_that_is_left_out_counts_nowhere(nights: Nights) -> None:
    """Its rows stay unchanged: five workouts and the edit."""
    warehouse = nights.after(3)
    for mart in ("fct_workout", "fct_set", "fct_plan_compliance", "fct_exercise_session"):
        assert workouts(warehouse, mart, EDITS_IT) == {"w2", "w3", "w4", "w5"}
    (landed,) = warehouse.rows(
        "select count(*) as n from raw.hevy_workouts where athlete_id = $athlete", athlete=EDITS_IT
    )
    assert landed["n"] == 6
    with warehouse.connection() as con:
        assert [one.action for one in read_corrections(con, EDITS_IT)] == [
            "accept_set",
            "doubt_set",
            "exclude_workout",
        ]
        with pytest.raises(CorrectionError, match="left out already"):
            of_workout(con, EDITS_IT, "w1", "exclude_workout", "again")


def test_a_workout_that_is_taken_back_in_counts_again(nights: Nights) -> None:
    counts = [len(workouts(nights.after(n), "fct_workout", LEFT_OUT)) for n in (1, 2, 3)]
    assert counts == [20, 19, 20]


def test_what_is_not_there_cannot_be_corrected(nights: Nights) -> None:
    with nights.after(1).connection() as con:
        with pytest.raises(CorrectionError, match="'bob' has no workout 'w1'"):
            of_workout(con, "bob", "w1", "exclude_workout", "why")
        with pytest.raises(CorrectionError, match=f"no set '{EDITS_IT}/w1/7/0'"):
            of_set(con, f"{EDITS_IT}/w1/7/0", "doubt_set", "why")
        believed = of_set(con, f"{EDITS_IT}/w2/0/0", "accept_set", "the coach doubts it")
        assert believed.place == (0, 0)
        with pytest.raises(CorrectionError, match="not left out"):
            of_workout(con, EDITS_IT, "w2", "include_workout", "why")
