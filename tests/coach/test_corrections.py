"""A correction of a set belongs to its recorded values."""

import duckdb
import pytest

from coach_agent.store.corrections import Correction, Done, read_corrections, record_correction
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
        (Done(weight_kg=102.5, reps=5), "102.5 kg x 5"),
        (Done(reps=15), "x 15"),
        (Done(duration_s=6000), "6000 s"),
        (Done(weight_kg=20, distance_m=40.5, duration_s=60), "20 kg, 40.5 m, 60 s"),
        (Done(duration_s=300, custom_metric=20), "300 s, 20 times"),
        (Done(), "nothing"),
    ],
)
def test_a_set_is_told_by_what_was_recorded_of_it(done: Done, told: str) -> None:
    assert done.text("kg") == told


def test_a_set_is_told_in_the_unit_of_the_gym() -> None:
    assert Done(weight_kg=61.23, reps=5).text("lb") == "135 lb x 5"


def test_an_old_warehouse_keeps_its_corrections_and_takes_new_ones() -> None:
    plank = Correction("ann", "w", "doubt_set", "too long", (1, 0), Done(duration_s=6000))
    with duckdb.connect() as con:
        con.execute(OLD_TABLE)
        for _ in range(2):
            create_coach_tables(con)
        record_correction(con, plank, now=at("2026-03-02 09:00"))
        old = Correction("ann", "w", "doubt_set", "a typing error", (0, 1), Done(100, 5))
        assert read_corrections(con, "ann") == [old, plank]
