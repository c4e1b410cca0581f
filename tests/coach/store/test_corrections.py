"""A correction of a set belongs to its recorded values."""

from collections.abc import Iterator
from datetime import date

import duckdb
import pytest

from coach_agent.store.corrections import (
    Correction,
    CorrectionError,
    Done,
    doubted_sets_of,
    read_corrections,
    record_correction,
)
from coach_agent.store.schema import create_coach_tables
from tests.warehouse.payloads import at

# As the table was when a word knew only of load and repetitions.
OLD_TABLE = """
    create schema coach;
    create table coach.corrections (
        correction_id varchar primary key,
        athlete_id varchar not null,
        workout_id varchar not null,
        exercise_index integer,
        set_index integer,
        action varchar not null,
        weight_kg double,
        reps integer,
        reason varchar not null,
        corrected_at timestamp not null
    );
    insert into coach.corrections values
    ('c', 'ann', 'w', 0, 1, 'doubt_set', 100, 5, 'a typing error', '2026-03-01 09:00:00')
"""


@pytest.mark.parametrize(
    ("done", "told"),
    [
        (Done(weight_kg=102.5, reps=5), "102.5 kg × 5"),
        (Done(reps=15), "15 reps"),
        (Done(duration_s=6000), "6000 s"),
        (Done(weight_kg=20, distance_m=40.5, duration_s=60), "20 kg, 40.5 m, 60 s"),
        (Done(duration_s=300, custom_metric=20), "300 s, 20 times"),
        (Done(), "nothing"),
    ],
)
def test_a_set_is_told_by_what_was_recorded_of_it(done: Done, told: str) -> None:
    assert done.text("kg") == told


def test_a_set_is_told_in_the_unit_of_the_gym() -> None:
    assert Done(weight_kg=61.23, reps=5).text("lb") == "135 lb × 5"


def test_an_old_warehouse_keeps_its_corrections_and_takes_new_ones() -> None:
    plank = Correction("ann", "w", "doubt_set", "too long", (1, 0), Done(duration_s=6000))
    with duckdb.connect() as con:
        con.execute(OLD_TABLE)
        for _ in range(2):
            create_coach_tables(con)
        record_correction(con, plank, now=at("2026-03-02 09:00"))
        old = Correction("ann", "w", "doubt_set", "a typing error", (0, 1), Done(100, 5))
        assert read_corrections(con, "ann") == [old, plank]


@pytest.fixture
def doubted() -> Iterator[duckdb.DuckDBPyConnection]:
    """Doubted sets of two exercises and athletes, one of them called an error by the athlete."""
    with duckdb.connect() as con:
        con.execute("create schema marts")
        con.execute("""
            create table marts.fct_set as
            select
                concat_ws('/', athlete_id, workout_id, '0', set_index) as set_key,
                athlete_id, workout_id, 0 as exercise_index, set_index,
                if(exercise_title = 'Bench', 'key:2', 'key:1') as exercise_key,
                exercise_title, workout_date, workout_date::timestamp as started_at,
                is_typo_suspect, is_confirmed, load as weight_kg, 5 as reps,
                null::double as distance_m, null::integer as duration_s,
                null::double as custom_metric
            from (values
                ('ann', 'w1', 0, 'Squat', date '2026-01-05', true, null, 180),
                ('ann', 'w2', 0, 'Back Squat', date '2026-02-05', true, null, 185),
                ('ann', 'w2', 1, 'Squat', date '2026-02-05', true, false, 1850),
                ('ann', 'w2', 2, 'Squat', date '2026-02-05', false, null, 100),
                ('ann', 'w3', 0, 'Bench', date '2026-01-05', true, null, 900),
                ('ben', 'w4', 0, 'Squat', date '2026-01-05', true, null, 190)
            ) as sets (
                athlete_id, workout_id, set_index, exercise_title, workout_date,
                is_typo_suspect, is_confirmed, load
            )
        """)
        con.execute(
            "create table marts.dim_exercise (athlete_id text, exercise_key text, title text)"
        )
        con.execute("insert into marts.dim_exercise values ('ann', 'key:1', 'High Bar Squat')")
        yield con


@pytest.mark.parametrize(
    ("until", "loads"),
    [(None, [180, 185]), (date(2026, 2, 5), [180, 185]), (date(2026, 2, 4), [180])],
)
@pytest.mark.parametrize("title", ["squat", "back squat", "high bar squat", "key:1"])
def test_all_doubted_sets_of_an_exercise_are_accepted_up_to_a_day(
    doubted: duckdb.DuckDBPyConnection, until: date | None, loads: list[float], title: str
) -> None:
    """It was renamed twice, the second time without a workout since."""
    found = doubted_sets_of(doubted, "ann", title, until, "a new bar")
    assert [each.done.weight_kg for each in found if each.done] == loads
    assert {(each.athlete_id, each.action, each.reason) for each in found} == {
        ("ann", "accept_set", "a new bar")
    }


def test_an_exercise_without_doubted_sets_is_an_error(doubted: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(CorrectionError, match="No set of 'Bench' is doubted until 2026-01-04"):
        doubted_sets_of(doubted, "ann", "Bench", date(2026, 1, 4), "a new bar")
