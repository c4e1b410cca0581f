"""A session RPE that is recorded after a night is in the marts of the next one."""

from pathlib import Path

import pytest

from coach_agent.store.session_rpes import SessionRpe, record_session_rpe
from tests.warehouse.payloads import at, exercise, lift, workout
from tests.warehouse.scratch import MODELS, ScratchWarehouse

NIGHT = at("2026-03-03 04:00")
LOADS = """
    select load_method, date_day::varchar as day, training_load
    from marts.fct_training_load_day
    order by load_method, date_day
"""


@pytest.mark.long
def test_the_next_night_has_the_load_of_a_check_in(tmp_path: Path) -> None:
    """60 minutes x 5 of the note, then x 8 of the later check-in."""
    warehouse = ScratchWarehouse(tmp_path)
    squat = exercise("squat", [lift(100, 5)])
    warehouse.land(
        "hevy_workouts",
        "kim",
        [
            workout(
                "one",
                "2026-03-02 17:00",
                [squat],
                end_time=at("2026-03-02 18:00").isoformat(),
                description="sRPE 5",
            )
        ],
        now=NIGHT,
    )
    warehouse.build(*MODELS)
    hard_sets = {"load_method": "hard_sets", "day": "2026-03-02", "training_load": 1}
    noted = {"load_method": "srpe", "day": "2026-03-02", "training_load": 300}
    assert warehouse.rows(LOADS) == [hard_sets, noted]
    with warehouse.connection() as con:
        recorded = SessionRpe(recorded_at=at("2026-03-02 18:30"), session_rpe=8)
        record_session_rpe(con, "kim", recorded)
    warehouse.build(*MODELS)
    assert warehouse.rows(LOADS) == [hard_sets, {**noted, "training_load": 480}]
    assert warehouse.rows(
        "select session_rpe, session_rpe_source, session_load from marts.fct_workout"
    ) == [{"session_rpe": 8, "session_rpe_source": "check_in", "session_load": 480}]
    warehouse.close()
