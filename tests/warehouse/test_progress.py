"""Progress of an athlete in the marts, and in the briefing."""

from datetime import date, datetime
from pathlib import Path

import duckdb

from coach_agent.profile.model import AthleteProfile
from coach_agent.sessions.catalogue import bundled_sessions
from coach_agent.situation.progress import Progress, read_progress_of
from hevy_connector.raw.sync_state import save_sync_state
from orchestration.services.briefing.brief import DayState, read_day_states, write_briefing
from orchestration.services.briefing.sessions import FACTS_OF_ONE, read_session_days
from orchestration.text.briefing import Briefing
from tests.warehouse.conftest import Nights
from tests.warehouse.payloads import at
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.stories import BERLIN, CLIMBER


def briefing(con: duckdb.DuckDBPyConnection, athlete: AthleteProfile, now: datetime) -> Briefing:
    return write_briefing(con, athlete, read_day_states(con, [athlete], now)[athlete.id], now)


def progress(warehouse: ScratchWarehouse, today: date) -> Progress:
    with warehouse.connection() as con:
        return read_progress_of(con, {CLIMBER: today})[CLIMBER]


def test_weeks_records_trend_and_doubts_use_the_athletes_days(
    warehouse: ScratchWarehouse,
) -> None:
    found = progress(warehouse, date(2026, 3, 2))
    assert found.this_week is not None
    assert found.last_week is not None
    assert (found.this_week.workouts, found.this_week.streak_weeks) == (1, 9)
    assert (found.last_week.week_start, found.last_week.workouts) == (date(2026, 2, 23), 1)
    assert found.latest is not None
    assert (found.latest.day, found.latest.working_sets) == (date(2026, 3, 2), 3)
    [record] = found.records
    assert (record.kind, record.value, record.gain, record.reps) == ("load", 120, 2.5, 5)
    [rise] = found.rises
    assert rise.workouts == 9
    # From 100 to 120 kg in eight steps: a hundredth and a half to two and a half each time.
    assert 2 < rise.slope_pct < 2.5
    assert found.doubted == 1


def test_of_several_athletes_each_has_the_own_day(warehouse: ScratchWarehouse) -> None:
    days = {CLIMBER: date(2026, 3, 2), "ben": date(2026, 5, 4)}
    with warehouse.connection() as con:
        assert read_progress_of(con, days) == {
            CLIMBER: progress(warehouse, days[CLIMBER]),
            "ben": Progress(),
        }


def test_what_is_long_ago_is_no_news(warehouse: ScratchWarehouse) -> None:
    found = progress(warehouse, date(2026, 5, 4))
    assert (found.this_week, found.last_week, found.records, found.rises, found.doubted) == (
        None,
        None,
        (),
        (),
        0,
    )
    assert found.latest is not None


def test_the_briefing_is_of_the_athletes_day(warehouse: ScratchWarehouse) -> None:
    """At a quarter to midnight in UTC it is Monday in Berlin."""
    athlete = AthleteProfile.model_validate(BERLIN)
    with warehouse.connection() as con:
        told = briefing(con, athlete, at("2026-03-01 23:45")).markdown()
        assert "Ann, Monday, 2 March 2026." in told
        assert "heaviest yet, 120 kg × 5 (+2.5 kg), today" in told
        assert "1 set of the last weeks looks mistyped" in told
        assert "There is no plan for 'climber' yet" in told
        assert "last read" not in told


def test_the_briefing_names_sessions_that_fit_the_day(warehouse: ScratchWarehouse) -> None:
    """The steady athlete trained chest and lats on Monday, 9 March."""
    now = at("2026-03-10 04:00")
    athlete = AthleteProfile(id="steady")

    def known_of(profile: AthleteProfile) -> DayState:
        with warehouse.connection() as con:
            return read_day_states(con, [profile], now, bundled_sessions())[profile.id]

    with warehouse.connection() as con:
        told = write_briefing(con, athlete, known_of(athlete), now).markdown()
    assert "## Besides lifting" in told
    assert "**Shoulder mobility**: 15 min, for chest after your last workout" in told
    assert "no endurance session in the last 3 days" in told
    painful = athlete.model_copy(update={"pain": {"right shoulder": "mild"}})
    assert "shoulder-mobility" not in [each.session.id for each in known_of(painful).sessions]
    flagged = athlete.model_copy(update={"pain": {"chest pain": "severe"}})
    assert flagged.red_flags
    assert known_of(flagged).sessions == ()


def test_the_page_reads_the_same_facts_of_one_athlete(warehouse: ScratchWarehouse) -> None:
    day = date(2026, 3, 3)
    with warehouse.connection() as con:
        many = read_session_days(con, {CLIMBER: day, "ben": day})
        assert many["ben"]["last_workout_date"] is None
        [one] = con.execute(FACTS_OF_ONE, [CLIMBER, day.isoformat()]).fetchall()
        assert one == tuple(many[CLIMBER].values())


def test_a_stale_account_is_reported_with_its_day(nights: Nights, tmp_path: Path) -> None:
    copied = nights.copy(1, tmp_path)
    read_at = at("2026-02-27 23:30")
    with copied.connection() as con:
        for entity in ("hevy_workouts", "hevy_routines"):
            save_sync_state(con, entity, CLIMBER, cursor_at=read_at, completed_at=read_at)
        athlete = AthleteProfile.model_validate(BERLIN)
        told = briefing(con, athlete, at("2026-03-02 04:00")).markdown()
        assert "Your account was last read completely on Saturday, 28 February 2026" in told
        early = briefing(con, athlete, at("2026-02-28 04:00")).markdown()
        assert "last read" not in early
