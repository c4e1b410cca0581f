"""Telling people what is wrong, where they want to be told anything."""

from datetime import UTC, datetime

import dagster as dg

from coach_agent.profile import AthleteProfile, ProfileError
from orchestration.lib.alerts import (
    Alert,
    News,
    alerts_of_home,
    news,
    read_told,
    recipients,
    remembered,
    written,
)
from orchestration.lib.athletes import configured_athletes
from orchestration.lib.notifying import Message, send
from orchestration.lib.run_history import recent_runs_of
from orchestration.lib.settings import Settings, SettingsError, load_settings
from orchestration.lib.warehouse import WarehouseBusyError, open_warehouse

_LOOK_EVERY_S = 300


@dg.sensor(minimum_interval_seconds=_LOOK_EVERY_S, default_status=dg.DefaultSensorStatus.RUNNING)
def alerts(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Tells the athletes and the operator what is wrong: once, once a day again, and when healed.

    It starts no runs. What reached nobody is tried again by the next look.
    """
    settings, now = load_settings(), datetime.now(UTC)
    try:
        athletes = configured_athletes(settings)
        wrong = _wrong_now(context.instance, settings, athletes, now)
    except (WarehouseBusyError, SettingsError, ProfileError) as error:
        return dg.SensorResult(skip_reason=str(error))
    told = read_told(context.cursor)
    sent, problems = _send(settings, athletes, news(wrong, told, now))
    for problem in problems:
        context.log.warning("An alert did not arrive: %s", problem)
    lines = "; ".join(sent.lines) or f"{len(wrong)} causes, nothing new to tell of."
    return dg.SensorResult(skip_reason=lines, cursor=written(remembered(told, sent, now)))


def _wrong_now(
    instance: dg.DagsterInstance,
    settings: Settings,
    athletes: tuple[AthleteProfile, ...],
    now: datetime,
) -> tuple[Alert, ...]:
    runs = recent_runs_of(instance)
    if not settings.warehouse_path.exists():
        return alerts_of_home(None, settings, athletes, runs, now)
    with open_warehouse(settings.warehouse_path, read_only=True, wait_s=10.0) as con:
        return alerts_of_home(con, settings, athletes, runs, now)


def _send(
    settings: Settings, athletes: tuple[AthleteProfile, ...], fresh: News
) -> tuple[News, list[str]]:
    """Send the news; those that reached somebody or are nobody's, and what did not arrive."""
    arrived: set[str] = set()
    problems: list[str] = []
    for destinations, whose in recipients(settings, athletes):
        own = fresh.of(whose)
        if not own.lines:
            continue
        body = "\n\n".join(own.lines)
        message = Message("Spotter: look at this" if own.causes else "Spotter: healed", body, body)
        outcomes = send(destinations, message, lambda: datetime.now(UTC))
        problems += [
            f"{each.destination}: {each.detail}" for each in outcomes if each.state == "failed"
        ]
        if any(each.state == "sent" for each in outcomes):
            arrived |= {each.key for each in (*own.causes, *own.healed)}
    return News(
        tuple(each for each in fresh.causes if each.key in arrived),
        tuple(each for each in fresh.healed if each.key in arrived),
    ), problems


@dg.definitions
def defs() -> dg.Definitions:
    """The sensor, where anybody is to be told; without an address it is not there."""
    settings = load_settings()
    try:
        athletes = configured_athletes(settings)
    except (ProfileError, SettingsError):
        athletes = ()
    return dg.Definitions(sensors=[alerts] if recipients(settings, athletes) else [])
