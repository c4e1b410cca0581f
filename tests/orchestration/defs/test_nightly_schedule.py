"""Nights run once a day in each athlete's zone, for all clocks and downtimes."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import dagster as dg
import pytest

from coach_agent.profile.model import AthleteProfile
from orchestration.defs.automation import nightly_schedule
from orchestration.runs.backoff import PastRun, consecutive_failures, retry_at
from orchestration.runs.schedule import (
    by_zone,
    catch_up_runs,
    is_full_read_due,
    last_night,
    next_night,
    night_of,
    night_on_time,
)
from orchestration.services.operations.status import next_nightly_at

BERLIN = "Europe/Berlin"
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
# 03:17 in Berlin of a Wednesday in winter.
DUE = datetime(2026, 3, 4, 2, 17, tzinfo=UTC)

ZONES = (
    "UTC",
    BERLIN,
    "Europe/Helsinki",
    "Africa/Cairo",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Kiritimati",
)


def run(state: Any, created_at: datetime, **known: Any) -> PastRun:
    """Build a run for all athletes that took two minutes, if it ended."""
    ended_at = None if state in {"waiting", "running"} else created_at + timedelta(minutes=2)
    facts = {"run_id": f"{created_at:%d%H%M}-id", "athletes": None, "asked_for": None}
    return PastRun(
        **{**facts, "is_full": False, **known},
        state=state,
        created_at=created_at,
        ended_at=ended_at,
    )


def owed(runs: list[PastRun], now: datetime, since: datetime = LONG_AGO) -> list[tuple[str, ...]]:
    """Return the owed runs in a home of one athlete in Berlin."""
    return [each.athletes for each in catch_up_runs({BERLIN: ("anna",)}, runs, since, now)]


@pytest.mark.parametrize("zone", ZONES)
def test_the_next_night_is_when_the_schedule_fires_on_each_day_of_years(zone: str) -> None:
    """Gaps and repeated hours of the clock included; one night a day, each at its own date."""
    now = datetime(2018, 1, 1, tzinfo=UTC)
    athlete = AthleteProfile(id="anna", timezone=zone)
    schedule = nightly_schedule(zone)
    with dg.DagsterInstance.ephemeral():
        ticks = _ticks(schedule, now)
        days = []
        for _ in range(3 * 366):
            due = next(ticks)
            assert next_night(now, zone) == due
            assert next_nightly_at(now, (athlete,), "UTC").astimezone(UTC) == due
            assert last_night(due, zone) == due
            assert last_night(due - timedelta(seconds=1), zone) < due
            days.append(due.astimezone(ZoneInfo(zone)).date())
            now = due
    assert days == [days[0] + timedelta(days=n) for n in range(len(days))]


def _ticks(schedule: dg.ScheduleDefinition, start: datetime) -> Any:
    from dagster._utils.schedules import schedule_execution_time_iterator

    zone = schedule.execution_timezone
    for each in schedule_execution_time_iterator(start.timestamp(), schedule.cron_schedule, zone):
        yield each.astimezone(UTC)


def test_where_the_clock_skips_the_hour_the_night_begins_when_it_goes_on() -> None:
    """In Helsinki 03:00 is followed by 04:00 on the last Sunday of March."""
    assert night_of(date(2026, 3, 29), "Europe/Helsinki") == datetime(2026, 3, 29, 1, tzinfo=UTC)
    # And on the last of October 03:17 comes twice: the second one, at +02:00.
    assert night_of(date(2026, 10, 25), "Europe/Helsinki") == datetime(
        2026, 10, 25, 1, 17, tzinfo=UTC
    )


def test_athletes_of_one_zone_share_a_run_and_who_names_none_has_the_homes() -> None:
    athletes = [
        AthleteProfile(id="dora", timezone="Asia/Tokyo"),
        AthleteProfile(id="bob", timezone=BERLIN),
        AthleteProfile(id="anna"),
        AthleteProfile(id="carl", timezone="UTC"),
    ]
    assert by_zone(athletes, BERLIN) == {
        "Asia/Tokyo": ("dora",),
        BERLIN: ("anna", "bob"),
        "UTC": ("carl",),
    }
    at_noon = datetime(2026, 3, 4, 12, tzinfo=UTC)
    shown = next_nightly_at(at_noon, tuple(athletes), BERLIN)
    assert shown.isoformat() == "2026-03-05T03:17:00+09:00"


def test_a_tick_on_time_begins_the_night_and_a_late_one_leaves_it() -> None:
    begun = night_on_time(BERLIN, ("anna",), [], DUE, DUE + timedelta(minutes=1))
    assert begun is not None
    assert begun.athletes == ("anna",)
    assert night_on_time(BERLIN, ("anna",), [], DUE, DUE + timedelta(minutes=10)) is None
    assert night_on_time(BERLIN, (), [], DUE, DUE) is None


@pytest.mark.parametrize("days_asleep", [1, 2, 30])
def test_after_any_number_of_missed_nights_one_run_is_owed(days_asleep: int) -> None:
    runs = [run("ok", DUE)]
    woken = DUE + timedelta(days=days_asleep, hours=6)
    [night] = catch_up_runs({BERLIN: ("anna", "bob")}, runs, LONG_AGO, woken)
    assert night.athletes == ("anna", "bob")
    assert owed([run("waiting", woken), *runs], woken + timedelta(minutes=1)) == []
    assert owed([run("running", woken), *runs], woken + timedelta(minutes=1)) == []
    assert owed([run("ok", woken), *runs], woken + timedelta(minutes=5)) == []


def test_on_time_nothing_is_owed() -> None:
    """The schedule has ten minutes before its night counts as missed."""
    yesterday = [run("ok", DUE - timedelta(days=1))]
    assert owed(yesterday, DUE - timedelta(minutes=1)) == []
    assert owed(yesterday, DUE + timedelta(minutes=9)) == []
    assert owed(yesterday, DUE + timedelta(minutes=10)) == [("anna",)]


def test_nights_before_the_home_was_first_looked_after_were_not_missed() -> None:
    assert owed([], DUE + timedelta(hours=5), since=DUE + timedelta(hours=4)) == []


def test_a_run_by_hand_after_the_night_was_due_is_the_night() -> None:
    by_hand = run("ok", DUE + timedelta(hours=4))
    assert owed([by_hand], DUE + timedelta(hours=6)) == []
    for_another = run("ok", DUE + timedelta(hours=4), athletes=frozenset({"bob"}))
    assert owed([for_another], DUE + timedelta(hours=6)) == [("anna",)]


def test_a_failed_run_is_asked_for_again_each_time_later() -> None:
    """10, 20, 40, 80, 160 and 320 minutes, then every six hours; never at every look."""
    now, runs, waits = DUE, [run("failed", DUE)], []
    while len(runs) < 9:
        last_end = runs[0].ended_at
        assert last_end is not None
        while not owed(runs, now):
            now += timedelta(minutes=1)
        waits.append((now - last_end) // timedelta(minutes=1))
        runs.insert(0, run("failed", now))
    assert waits == [10, 20, 40, 80, 160, 320, 360, 360]
    now += timedelta(hours=6)
    assert owed([run("ok", now), *runs], now + timedelta(minutes=30)) == []


def test_a_night_that_failed_for_two_is_asked_for_again_for_both_at_once() -> None:
    failed = run("failed", DUE, athletes=frozenset({"anna", "bob"}))
    [again] = catch_up_runs(
        {BERLIN: ("anna", "bob"), "UTC": ("carl",)},
        [failed, run("ok", DUE - timedelta(hours=1))],
        LONG_AGO,
        DUE + timedelta(minutes=30),
    )
    assert again.athletes == ("anna", "bob")


def test_each_try_has_a_key_of_its_own_that_does_not_depend_on_who_looks_when() -> None:
    zones, runs = {BERLIN: ("anna",)}, [run("failed", DUE)]
    keys = {
        catch_up_runs(zones, runs, LONG_AGO, DUE + timedelta(minutes=minutes))[0].key
        for minutes in (13, 14, 50)
    }
    assert len(keys) == 1
    runs.insert(0, run("failed", DUE + timedelta(minutes=14)))
    assert catch_up_runs(zones, runs, LONG_AGO, DUE + timedelta(hours=2))[0].key not in keys


def test_a_clock_that_was_ahead_for_a_while_costs_no_night() -> None:
    """A run in a wrong year is no proof of this night."""
    ahead = run("ok", DUE + timedelta(days=1000))
    before = run("ok", DUE - timedelta(days=1))
    assert owed([ahead, before], DUE + timedelta(minutes=30)) == [("anna",)]
    made_up = run("ok", DUE + timedelta(minutes=30))
    assert owed([ahead, made_up, before], DUE + timedelta(hours=1)) == []


def test_a_clock_that_goes_back_brings_no_second_night() -> None:
    done = run("ok", DUE + timedelta(minutes=30))
    day_before = run("ok", DUE - timedelta(days=1))
    again = catch_up_runs(
        {BERLIN: ("anna",)}, [done, day_before], LONG_AGO, DUE + timedelta(0, 900)
    )
    first = catch_up_runs({BERLIN: ("anna",)}, [day_before], LONG_AGO, DUE + timedelta(0, 1800))
    # Dagster starts a key once.
    assert {each.key for each in again} == {each.key for each in first}
    assert owed([done, day_before], DUE - timedelta(hours=2)) == []


def test_the_first_night_of_a_week_reads_in_full_also_when_it_is_made_up_for() -> None:
    sunday, monday = DUE - timedelta(days=3), DUE - timedelta(days=2)
    before = [run("ok", sunday)]

    def is_full(runs: list[PastRun], due: datetime) -> bool:
        return is_full_read_due(("anna",), BERLIN, runs, due)

    assert is_full(before, monday)
    assert is_full(before, DUE), "Monday's night was missed"
    assert is_full([run("failed", monday, is_full=True), *before], DUE), "it failed"
    read = [run("ok", monday + timedelta(seconds=9), is_full=True), *before]
    assert not is_full(read, DUE)
    assert not is_full(read, monday + timedelta(days=6))
    assert is_full(read, monday + timedelta(days=7))


def test_a_home_in_its_first_week_has_read_everything_anyway() -> None:
    assert not is_full_read_due(("anna",), BERLIN, [], DUE)
    begun = [run("ok", DUE - timedelta(hours=30))]
    assert not is_full_read_due(("anna",), BERLIN, begun, DUE)


def test_whom_a_run_left_out_is_owed_one_alone() -> None:
    """Of two athletes one's plan could not be sent; the run succeeded for the other."""
    zones = {BERLIN: ("anna", "ben")}
    left = run("ok", DUE, left=frozenset({"ben"}))
    before = run("ok", LONG_AGO)

    def athletes(runs: list[PastRun], minutes: int) -> list[tuple[str, ...]]:
        now = DUE + timedelta(minutes=minutes)
        return [each.athletes for each in catch_up_runs(zones, runs, LONG_AGO, now)]

    assert athletes([left, before], 5) == []
    assert athletes([left, before], 12) == [("ben",)]
    again = run("failed", DUE + timedelta(minutes=13), athletes=frozenset({"ben"}))
    assert athletes([again, left, before], 30) == [], "it waits longer each time"
    assert athletes([again, left, before], 35) == [("ben",)]
    good = run("ok", DUE + timedelta(minutes=36), athletes=frozenset({"ben"}))
    assert athletes([good, again, left, before], 120) == []


def test_who_is_worked_for_has_no_failures_to_make_up_for() -> None:
    failed = run("failed", DUE)
    assert consecutive_failures([run("running", DUE + timedelta(minutes=5)), failed]) == []
    assert consecutive_failures([failed, run("ok", LONG_AGO)]) == [failed]
    assert retry_at([failed]) == DUE + timedelta(minutes=12)
