"""Recovery from the raw table to its words, and no plan depends on its display."""

import math
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb

from coach_agent.planning.decide import decide
from coach_agent.planning.progress import Progress
from health_connector.days import METRICS, HealthDay
from health_connector.landing import land_days
from orchestration.services.brief import briefing_of
from orchestration.services.readiness import read_readiness_of
from orchestration.text.readiness import readiness_lines
from tests.coach.builders import BENCH, exposure, fixed, profile, routine, situation, slot
from tests.warehouse.scratch import ScratchWarehouse

TODAY = date(2026, 3, 4)
BASELINE = [TODAY - timedelta(days=10 + past) for past in range(30)]
WEEK = [TODAY - timedelta(days=past) for past in (4, 2, 0)]


def days() -> list[HealthDay]:
    """Return thirty days of ln rMSSD 4.0 and 4.2, then three of 4.0; nights of 7 hours at last."""
    before = [
        HealthDay("oura", day, {"hrv_ms": math.exp(4.0 + 0.2 * (at % 2))}, "rmssd")
        for at, day in enumerate(BASELINE)
    ]
    return before + [
        HealthDay("oura", day, {"hrv_ms": math.exp(4.0), "sleep_minutes": 420}, "rmssd")
        for day in WEEK
    ]


def test_the_example_by_hand_is_read_from_the_mart(tmp_path: Path) -> None:
    """exp(4.1 - 0.5 x 0.1017) = 57.3 ms begins the band, exp(4.1 + 0.0509) = 63.5 ends it."""
    warehouse = ScratchWarehouse(tmp_path)
    with warehouse.connection() as con:
        now = datetime(2026, 3, 4, 6, tzinfo=UTC)
        land_days(con, "kim", days(), covered=METRICS, now=now, run_id="run", origin="csv")
    warehouse.build("--select", "+fct_readiness_day", "--exclude-resource-type", "unit_test")
    with warehouse.connection() as con:
        known = read_readiness_of(con, {"kim": TODAY, "ben": TODAY})
        assert known.keys() == {"kim"}
        assert read_readiness_of(con, {}) == {}
        assert read_readiness_of(con, {"kim": TODAY + timedelta(days=1)}) == known
        assert read_readiness_of(con, {"kim": TODAY + timedelta(days=2)}) == {}
        earlier = read_readiness_of(con, {"kim": TODAY - timedelta(days=1)})
        assert earlier["kim"].day == TODAY - timedelta(days=2)
        assert earlier["kim"].readiness == "not_enough_data"
    assert list(readiness_lines(known["kim"], TODAY)) == [
        (
            "Heart rate variability",
            "mean of 3 days 55 ms, below your usual 57 to 63 ms (oura, rMSSD).",
        ),
        (
            "Sleep",
            "7 h 00 min last night; 0 h 00 min short of 7 h 00 min a night over 3 nights (oura).",
        ),
        (
            "Together",
            "1 of 2 signals worse than your usual. For display only: no plan depends on it.",
        ),
    ]
    briefing = briefing_of(profile(), None, Progress(), TODAY, readiness=known["kim"])
    [section] = [each for each in briefing.sections if each.heading == "Recovery"]
    assert [(item.name, item.text) for item in section.items] == list(
        readiness_lines(known["kim"], TODAY)
    )
    warehouse.close()


def test_marts_of_an_older_version_have_no_recovery() -> None:
    with duckdb.connect() as con:
        assert read_readiness_of(con, {"kim": TODAY}) == {}


def test_no_byte_of_a_decision_depends_on_the_display() -> None:
    sets = fixed(3, 60, 5)
    known = situation([routine(slot(BENCH, sets, [exposure([(60, 5)] * 3, sets)]))])
    shown = decide(known, profile())
    hidden = decide(known, profile(recovery={"show": False}))
    assert shown is not None
    assert shown == hidden
