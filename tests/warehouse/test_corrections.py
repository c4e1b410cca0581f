"""A typing error is doubted until the athlete speaks; an excluded workout counts nowhere."""

import pytest

from coach_agent.corrections import (
    CorrectionError,
    of_set,
    of_workout,
    read_corrections,
    read_doubted_sets,
)
from tests.warehouse.conftest import Nights
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.stories import LEFT_OUT, TYPIST

TYPED = f"{TYPIST}/w5/0/0"


def doubted(warehouse: ScratchWarehouse) -> list[tuple[str, float | None, int]]:
    with warehouse.connection() as con:
        return [
            (each.set_key, each.done.weight_kg, round(each.median_e1rm_kg or 0))
            for each in read_doubted_sets(con, TYPIST)
        ]


def workouts(warehouse: ScratchWarehouse, mart: str, athlete: str) -> set[str]:
    rows = warehouse.rows(
        f"select workout_id from marts.{mart} where athlete_id = $athlete", athlete=athlete
    )
    return {row["workout_id"] for row in rows}


def test_the_athlete_has_the_last_word(nights: Nights) -> None:
    """Accepted it counts, called an error it does not, edited it is judged anew."""
    best_kg = [
        round(
            nights.after(night).rows(
                "select max(e1rm_kg) as kg from marts.fct_exercise_session "
                "where athlete_id = $athlete",
                athlete=TYPIST,
            )[0]["kg"]
        )
        for night in (1, 2, 3, 4)
    ]
    assert best_kg == [109, round(846 * 38 / 30), 109, 109]
    assert doubted(nights.after(1)) == [(TYPED, 846, 109)]
    assert doubted(nights.after(2)) == doubted(nights.after(4)) == []
    with (
        nights.after(2).connection() as con,
        pytest.raises(CorrectionError, match="You said already that the set"),
    ):
        of_set(con, TYPED, "accept_set", "again")


def test_a_workout_that_is_left_out_counts_nowhere(nights: Nights) -> None:
    """Its rows stay as they came: five workouts and the edit."""
    warehouse = nights.after(4)
    for mart in ("fct_workout", "fct_set", "fct_plan_compliance", "fct_exercise_session"):
        assert workouts(warehouse, mart, TYPIST) == {"w2", "w3", "w4", "w5"}
    (landed,) = warehouse.rows(
        "select count(*) as n from raw.hevy_workouts where athlete_id = $athlete", athlete=TYPIST
    )
    assert landed["n"] == 6
    with warehouse.connection() as con:
        assert [one.action for one in read_corrections(con, TYPIST)] == [
            "accept_set",
            "doubt_set",
            "exclude_workout",
        ]
        with pytest.raises(CorrectionError, match="left out already"):
            of_workout(con, TYPIST, "w1", "exclude_workout", "again")


def test_a_workout_that_is_taken_back_in_counts_again(nights: Nights) -> None:
    counts = [len(workouts(nights.after(n), "fct_workout", LEFT_OUT)) for n in (1, 2, 3)]
    assert counts == [20, 19, 20]


def test_what_is_not_there_cannot_be_corrected(nights: Nights) -> None:
    with nights.after(1).connection() as con:
        with pytest.raises(CorrectionError, match="'bob' has no workout 'w1'"):
            of_workout(con, "bob", "w1", "exclude_workout", "why")
        with pytest.raises(CorrectionError, match=f"no set '{TYPIST}/w1/7/0'"):
            of_set(con, f"{TYPIST}/w1/7/0", "doubt_set", "why")
        believed = of_set(con, f"{TYPIST}/w2/0/0", "accept_set", "the coach doubts it")
        assert believed.place == (0, 0)
        with pytest.raises(CorrectionError, match="not left out"):
            of_workout(con, TYPIST, "w2", "include_workout", "why")
