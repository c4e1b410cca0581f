import math

import duckdb
import pytest
from pydantic import ValidationError

from coach_agent.store.schema import create_coach_tables
from coach_agent.store.session_rpes import SessionRpe, is_session_rpe, record_session_rpe
from tests.coach.builders import NOW


@pytest.mark.parametrize("value", [0, 0.5, 8, 10])
def test_a_session_rpe_is_stored_with_its_time(value: float) -> None:
    with duckdb.connect() as con:
        create_coach_tables(con)
        record_session_rpe(con, "kim", SessionRpe(recorded_at=NOW, session_rpe=value))
        rows = con.execute(
            "select athlete_id, recorded_at, session_rpe from coach.session_rpes"
        ).fetchall()
    assert rows == [("kim", NOW.replace(tzinfo=None), value)]


@pytest.mark.parametrize("value", [-0.5, 10.5, 11, math.nan, math.inf])
def test_a_value_off_the_scale_is_refused(value: float) -> None:
    assert not is_session_rpe(value)
    with pytest.raises(ValidationError):
        SessionRpe(recorded_at=NOW, session_rpe=value)
