"""A typing error is doubted until the athlete speaks; an excluded workout counts nowhere."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import duckdb
import pytest

from coach_agent.corrections import (
    Correction,
    CorrectionError,
    of_set,
    of_workout,
    read_corrections,
    read_doubted_sets,
    record_correction,
)
from tests.warehouse.payloads import Json, at, exercise, lift, workout
from tests.warehouse.scratch import ScratchWarehouse

NOW = at("2026-03-01 03:00")
TYPED = "ann/w5/0/0"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> ScratchWarehouse:
    """Four weeks of bench with 86 kg, and 846 kg in the fifth."""
    warehouse = ScratchWarehouse(tmp_path_factory.mktemp("corrections"))
    warehouse.land("hevy_workouts", "ann", [benched(day, 86) for day in range(1, 5)], now=NOW)
    warehouse.land("hevy_workouts", "ann", [benched(5, 846)], now=NOW + timedelta(hours=1))
    warehouse.build()
    return warehouse


@pytest.fixture
def con(warehouse: ScratchWarehouse) -> Iterator[duckdb.DuckDBPyConnection]:
    with warehouse.connection() as con:
        yield con


def benched(day: int, weight_kg: float) -> Json:
    return workout(f"w{day}", f"2026-02-{day:02} 17:00", [exercise("bench", [lift(weight_kg, 8)])])


def record(warehouse: ScratchWarehouse, correction: Correction, now: datetime) -> None:
    with warehouse.connection() as con:
        record_correction(con, correction, now=now)
    warehouse.build("--exclude-resource-type", "test", "unit_test")


def test_the_athlete_has_the_last_word(warehouse: ScratchWarehouse) -> None:
    """Accepted it counts, edited it is judged anew, called an error it does not count."""
    best = "select max(e1rm_kg) as kg from marts.fct_exercise_session where athlete_id = 'ann'"

    def best_kg() -> float:
        return round(warehouse.rows(best)[0]["kg"])

    with warehouse.connection() as con:
        (doubted,) = read_doubted_sets(con, "ann")
        accepted = of_set(con, TYPED, "accept_set", "it was a leg press")
    assert (doubted.set_key, doubted.done.weight_kg, round(doubted.median_e1rm_kg or 0)) == (
        TYPED,
        846,
        109,
    )
    assert best_kg() == 109

    record(warehouse, accepted, NOW + timedelta(hours=2))
    assert best_kg() == round(846 * 38 / 30)
    with warehouse.connection() as con:
        assert read_doubted_sets(con, "ann") == []
        with pytest.raises(CorrectionError, match="You said already that the set"):
            of_set(con, TYPED, "accept_set", "again")
        doubt = of_set(con, TYPED, "doubt_set", "no, 84.6 kg")

    record(warehouse, doubt, NOW + timedelta(hours=3))
    assert best_kg() == 109

    warehouse.land("hevy_workouts", "ann", [benched(5, 84.5)], now=NOW + timedelta(hours=4))
    warehouse.build()
    with warehouse.connection() as con:
        assert read_doubted_sets(con, "ann") == []

    with warehouse.connection() as con:
        left_out = of_workout(con, "ann", "w1", "exclude_workout", "another person's")
    record(warehouse, left_out, NOW + timedelta(hours=5))
    for mart in ("fct_workout", "fct_set", "fct_plan_compliance", "fct_exercise_session"):
        found = warehouse.rows(f"select distinct workout_id from marts.{mart} order by 1")
        assert [row["workout_id"] for row in found] == ["w2", "w3", "w4", "w5"]
    assert warehouse.rows("select count(*) as n from raw.hevy_workouts")[0]["n"] == 6
    with warehouse.connection() as con:
        assert [one.action for one in read_corrections(con, "ann")] == [
            "accept_set",
            "doubt_set",
            "exclude_workout",
        ]
        with pytest.raises(CorrectionError, match="left out already"):
            of_workout(con, "ann", "w1", "exclude_workout", "again")
        again = of_workout(con, "ann", "w1", "include_workout", "it was mine")
    record(warehouse, again, NOW + timedelta(hours=6))
    assert warehouse.rows("select count(*) as n from marts.fct_workout")[0]["n"] == 5


def test_what_is_not_there_cannot_be_corrected(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(CorrectionError, match="'bob' has no workout 'w1'"):
        of_workout(con, "bob", "w1", "exclude_workout", "why")
    with pytest.raises(CorrectionError, match="no set 'ann/w1/7/0'"):
        of_set(con, "ann/w1/7/0", "doubt_set", "why")
    assert of_set(con, "ann/w2/0/0", "accept_set", "the coach doubts it").place == (0, 0)
    with pytest.raises(CorrectionError, match="not left out"):
        of_workout(con, "ann", "w2", "include_workout", "why")
