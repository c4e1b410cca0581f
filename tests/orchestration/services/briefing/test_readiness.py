"""Recovery from the raw table to its words, and no plan depends on its display."""

import math
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from coach_agent.planning.decide import decide
from coach_agent.situation.progress import Progress
from coach_agent.store.lowered_recovery import read_lowered_recovery
from health_connector.days import METRICS, HealthDay, HrvMethod, Metric, Number
from health_connector.landing import land_days
from orchestration.services.briefing.brief import briefing_of
from orchestration.services.briefing.readiness import read_readiness_of
from orchestration.text.readiness import readiness_lines
from tests.coach.builders import BENCH, exposure, fixed, loads, profile, routine, situation, slot
from tests.warehouse.scratch import ScratchWarehouse

TODAY = date(2026, 3, 4)
# A test of check-ins compares them with their pains.
MODELS = (
    *("--select", "+fct_readiness_day", "+fct_check_in_pain"),
    *("--exclude-resource-type", "unit_test"),
)
SETS = fixed(3, 60, 5)
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
    warehouse.build(*MODELS)
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


SOURCES = ("apple_health", "fit", "garmin_export", "intervals", "oura_api", "ring")
TRAINED = situation([routine(slot(BENCH, SETS, [exposure([(60, 5)] * 3, SETS)]))])


def random_days(draw: random.Random) -> list[HealthDay]:
    """Ten weeks of several sources with any metrics; the last week is mostly bad."""
    found = []
    for source in draw.sample(SOURCES, draw.randint(1, 4)):
        metrics = draw.sample(METRICS, draw.randint(1, len(METRICS)))
        for past in range(70):
            if draw.random() < 0.2:
                continue
            bad = 1 if past < 7 and draw.random() < 0.9 else 0
            values: dict[Metric, Number] = {
                "sleep_minutes": draw.randint(420, 540) - 180 * bad,
                "hrv_ms": round(draw.uniform(55, 65) - 20 * bad, 1),
                "resting_hr": draw.randint(48, 52) + 12 * bad,
                "readiness": draw.randint(0, 100),
                "weight_kg": round(draw.uniform(79, 81), 1),
                "body_fat_pct": round(draw.uniform(14, 16), 1),
            }
            known = {metric: values[metric] for metric in metrics}
            method: HrvMethod = "sdnn" if source == "apple_health" else "rmssd"
            day = TODAY - timedelta(days=past)
            found.append(HealthDay(source, day, known, method if "hrv_ms" in known else None))
    return found


@pytest.mark.long
def test_plans_use_random_recovery_of_all_sources_only_if_it_is_on(tmp_path: Path) -> None:
    draw = random.Random(36)  # noqa: S311 - the same each time
    warehouse = ScratchWarehouse(tmp_path)
    now = datetime(2026, 3, 4, 6, tzinfo=UTC)
    everybody = {f"athlete-{number:02}": TODAY for number in range(60)}
    with warehouse.connection() as con:
        for athlete in everybody:
            days = random_days(draw)
            land_days(con, athlete, days, covered=METRICS, now=now, run_id="run", origin="csv")
    warehouse.build(*MODELS)
    with warehouse.connection() as con:
        verdicts = read_readiness_of(con, everybody)
        lowered = read_lowered_recovery(con, everybody)
    warehouse.close()
    assert {each for each in verdicts if verdicts[each].readiness == "lowered"} == lowered.keys()
    assert 10 < len(lowered) < 50
    used = {each.signal for found in lowered.values() for each in found.signals}
    assert used == {"hrv", "resting_hr", "sleep"}
    held = TRAINED.model_copy(update={"today": TODAY})
    free = decide(held, profile())
    assert free is not None
    for athlete in everybody:
        known = held.model_copy(update={"recovery": lowered.get(athlete)})
        for settings in ({}, {"show": False}, {"show": False, "adjust": True}):
            off = decide(known, profile(recovery=settings))
            assert off is not None
            assert (off.plan.to_json(), off.input_json) == (free.plan.to_json(), free.input_json)
            assert (off.plan_id, off.profile_json) == (free.plan_id, free.profile_json)
        on = decide(known, profile(recovery={"adjust": True}))
        assert on is not None
        [easier], [usual] = on.plan.slots, free.plan.slots
        if athlete not in lowered:
            assert on.plan.to_json() == free.plan.to_json()
        else:
            assert len(easier.sets) == len(usual.sets) - 1
            assert max(loads(easier)) <= max(loads(usual))
            text = " ".join(each.text for each in easier.adjustments)
            assert all(each.source in text for each in lowered[athlete].signals)
