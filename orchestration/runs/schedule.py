"""When nights are due: once a day at 03:17 in each athlete's own time zone."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from coach_agent.profile.model import AthleteProfile
from orchestration.runs.backoff import (
    PastRun,
    as_went_for,
    covering,
    retry_at,
    trailing_failures,
)

NIGHTLY_AT = time(3, 17)  # the service asks not to be called at full hours

# Until then a night is the schedule's to begin; from then on it counts as missed.
PATIENCE = timedelta(minutes=10)


@dataclass(frozen=True)
class NightRun:
    """A run of the nightly job that is to be asked for, for these athletes of one zone.

    `key` is the same however often and by however many it is asked for.
    """

    key: str
    athletes: tuple[str, ...]
    is_full: bool


def night_zone(profile: AthleteProfile, otherwise: str) -> str:
    """The zone of the athlete's nights: the one that the profile names, or the home's."""
    return profile.timezone if "timezone" in profile.model_fields_set else otherwise


def by_zone(profiles: Iterable[AthleteProfile], otherwise: str) -> dict[str, tuple[str, ...]]:
    """The athletes' ids by the zone of their nights; one zone's share a run."""
    zones: defaultdict[str, list[str]] = defaultdict(list)
    for profile in profiles:
        zones[night_zone(profile, otherwise)].append(profile.id)
    return {zone: tuple(sorted(zones[zone])) for zone in sorted(zones)}


def night_of(day: date, zone: str) -> datetime:
    """When the night of that day of the zone begins, in UTC, as Dagster's schedules have it.

    Where clocks skip 03:17 it begins when they go on, at 04:00; where they show it twice, at the
    second time.
    """
    wall = datetime.combine(day, NIGHTLY_AT, ZoneInfo(zone)).replace(fold=1)
    begins = wall.astimezone(UTC)
    if begins.astimezone(wall.tzinfo).time() == NIGHTLY_AT:
        return begins
    return wall.replace(hour=NIGHTLY_AT.hour + 1, minute=0).astimezone(UTC)


def last_night(now: datetime, zone: str) -> datetime:
    """The latest moment up to the aware time `now` at which a night was due, in UTC."""
    today = _day(now, zone)
    tonight = night_of(today, zone)
    return tonight if tonight <= now else night_of(today - timedelta(days=1), zone)


def next_night(now: datetime, zone: str) -> datetime:
    """The next moment after the aware time `now` at which a night is due, in UTC."""
    today = _day(now, zone)
    tonight = night_of(today, zone)
    return tonight if tonight > now else night_of(today + timedelta(days=1), zone)


def is_full_read_due(
    athletes: Iterable[str], zone: str, runs: list[PastRun], due: datetime
) -> bool:
    """Whether the night that is due is to read the accounts whole, as the first of each week is.

    The home's first week is spared it: its first night reads all anyway. `runs` are newest first.
    """
    day = _day(due, zone)
    monday = night_of(day - timedelta(days=day.weekday()), zone)
    done = [run for run in covering(runs, athletes) if run.state == "ok"]
    was_alive = any(run.created_at < monday for run in done)
    return was_alive and not any(run.is_full and run.created_at >= monday for run in done)


def night_on_time(
    zone: str, athletes: tuple[str, ...], runs: list[PastRun], due: datetime, now: datetime
) -> NightRun | None:
    """The night that a schedule's tick for `due` begins; None where it is too late for it."""
    if not athletes or now - due >= PATIENCE:
        return None
    return _night(zone, athletes, runs, due, attempt=0)


def made_up_runs(
    zones: Mapping[str, tuple[str, ...]], runs: list[PastRun], since: datetime, now: datetime
) -> tuple[NightRun, ...]:
    """Runs that are owed: for nights since `since` that did not take place, and for failed runs.

    However many nights were missed, the latest alone is made up for. After a failure the next try
    waits, each time longer; who is being worked for waits for the end of it. Runs from the future,
    which a clock that went back leaves behind, count for nothing. `runs` are newest first.
    """
    past = [run for run in runs if run.created_at <= now]
    owed: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for zone, athletes in zones.items():
        due = last_night(now, zone)
        is_missed = due >= since and now - due >= PATIENCE
        for athlete in athletes:
            own = as_went_for(past, athlete)
            failed = trailing_failures(own)
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
    latest = covering(runs, athletes[:1])
    after = latest[0].run_id[:8] if attempt and latest else "first"
    key = f"night/{zone}/{_day(due, zone)}/{after}/{','.join(athletes)}"
    return NightRun(key, athletes, is_full_read_due(athletes, zone, runs, due))


def _day(moment: datetime, zone: str) -> date:
    return moment.astimezone(ZoneInfo(zone)).date()
