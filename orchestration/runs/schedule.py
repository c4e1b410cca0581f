"""Nightly schedule: daily at 03:17 in each athlete's time zone."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from coach_agent.domain.days import monday_of
from coach_agent.profile.model import AthleteProfile
from orchestration.runs.backoff import (
    PastRun,
    consecutive_failures,
    retry_at,
    runs_covering,
    runs_for,
)

NIGHTLY_AT = time(3, 17)  # the service asks clients to avoid full hours

# Until then the schedule starts the nightly run; afterwards it counts as missed.
PATIENCE = timedelta(minutes=10)


@dataclass(frozen=True)
class NightRun:
    """A nightly run to request, for these athletes of one time zone.

    `key` is deterministic, so repeated requests start one run.
    """

    key: str
    athletes: tuple[str, ...]
    is_full: bool


def night_zone(profile: AthleteProfile, default: str) -> str:
    """Return the time zone of the athlete's nightly runs: the profile's, or the home's."""
    return profile.timezone if "timezone" in profile.model_fields_set else default


def by_zone(profiles: Iterable[AthleteProfile], default: str) -> dict[str, tuple[str, ...]]:
    """Group the athletes' ids by time zone; the athletes of a zone share a run."""
    zones: defaultdict[str, list[str]] = defaultdict(list)
    for profile in profiles:
        zones[night_zone(profile, default)].append(profile.id)
    return {zone: tuple(sorted(zones[zone])) for zone in sorted(zones)}


def night_of(day: date, zone: str) -> datetime:
    """Return the start of a day's nightly run in UTC, like Dagster's schedules.

    If clocks skip 03:17 it starts at 04:00; if they show it twice, at the second time.
    """
    wall = datetime.combine(day, NIGHTLY_AT, ZoneInfo(zone)).replace(fold=1)
    begins = wall.astimezone(UTC)
    if begins.astimezone(wall.tzinfo).time() == NIGHTLY_AT:
        return begins
    return wall.replace(hour=NIGHTLY_AT.hour + 1, minute=0).astimezone(UTC)


def last_night(now: datetime, zone: str) -> datetime:
    """Return the latest scheduled time up to the aware `now`, in UTC."""
    today = _day(now, zone)
    tonight = night_of(today, zone)
    return tonight if tonight <= now else night_of(today - timedelta(days=1), zone)


def next_night(now: datetime, zone: str) -> datetime:
    """Return the next scheduled time after the aware `now`, in UTC."""
    today = _day(now, zone)
    tonight = night_of(today, zone)
    return tonight if tonight > now else night_of(today + timedelta(days=1), zone)


def is_full_read_due(
    athletes: Iterable[str], zone: str, runs: list[PastRun], due: datetime
) -> bool:
    """Return true if the due nightly run must read accounts in full, as the first one of a week.

    Not in the home's first week: its first run reads everything anyway. `runs` are newest first.
    """
    day = _day(due, zone)
    monday = night_of(monday_of(day), zone)
    done = [run for run in runs_covering(runs, athletes) if run.state == "ok"]
    was_alive = any(run.created_at < monday for run in done)
    return was_alive and not any(run.is_full and run.created_at >= monday for run in done)


def night_on_time(
    zone: str, athletes: tuple[str, ...], runs: list[PastRun], due: datetime, now: datetime
) -> NightRun | None:
    """Return the nightly run of a schedule tick; None if the tick is too late."""
    if not athletes or now - due >= PATIENCE:
        return None
    return _night(zone, athletes, runs, due, attempt=0)


def catch_up_runs(
    zones: Mapping[str, tuple[str, ...]], runs: list[PastRun], since: datetime, now: datetime
) -> tuple[NightRun, ...]:
    """Return the runs to catch up: missed nightly runs since `since`, and retries of failed runs.

    Only the latest missed nightly run is caught up. Retries back off; an athlete in an unfinished
    run waits for its end. Runs from the future, left by a clock that was set back, are ignored.
    `runs` are newest first.
    """
    past = [run for run in runs if run.created_at <= now]
    owed: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for zone, athletes in zones.items():
        due = last_night(now, zone)
        is_missed = due >= since and now - due >= PATIENCE
        for athlete in athletes:
            own = runs_for(past, athlete)
            failed = consecutive_failures(own)
            if failed:
                if retry_at(failed) <= now:
                    owed[zone, len(failed)].append(athlete)
            elif is_missed and not any(run.is_unfinished or run.created_at >= due for run in own):
                owed[zone, 0].append(athlete)
    return tuple(
        _night(zone, tuple(athletes), past, last_night(now, zone), attempt)
        for (zone, attempt), athletes in owed.items()
    )


def _night(
    zone: str, athletes: tuple[str, ...], runs: list[PastRun], due: datetime, attempt: int
) -> NightRun:
    latest = runs_covering(runs, athletes[:1])
    after = latest[0].run_id[:8] if attempt and latest else "first"
    key = f"night/{zone}/{_day(due, zone)}/{after}/{','.join(athletes)}"
    return NightRun(key, athletes, is_full_read_due(athletes, zone, runs, due))


def _day(moment: datetime, zone: str) -> date:
    return moment.astimezone(ZoneInfo(zone)).date()
