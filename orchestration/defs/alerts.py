"""Send alerts to the athletes and the operator, if they have configured addresses."""

from dataclasses import dataclass
from datetime import UTC, datetime

import dagster as dg
import duckdb
from sqlalchemy.exc import DatabaseError

from coach_agent.profile.model import AthleteProfile, ProfileError
from orchestration.config.athletes import configured_athletes, exclusion_message, unusable_profiles
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.runs.history import recent_runs_of
from orchestration.services.operations.alert import (
    HELD_AFTER,
    HISTORY_KINDS,
    WAREHOUSE_KINDS,
    Alert,
    AlertUpdate,
    Destinations,
    athlete_alerts,
    home_alerts,
    next_state,
    parse_state,
    recipients,
    redact_alerts,
    select_update,
    serialize_state,
)
from orchestration.services.operations.notify import Message, send
from orchestration.storage.migrations import WarehouseNewerError
from orchestration.storage.warehouse import (
    WarehouseBusyError,
    WarehouseMissingError,
    open_warehouse,
)
from orchestration.storage.warehouse_damage import WarehouseDamagedError

_INTERVAL_S = 300
_NOTHING: frozenset[str] = frozenset()
_ATHLETE_KINDS = WAREHOUSE_KINDS | {"run"}


@dataclass(frozen=True)
class _Inspection:
    """Result of one check: alerts, and the kinds of causes that could not be checked."""

    found: tuple[Alert, ...] = ()
    unseen: frozenset[str] = _NOTHING


@dg.sensor(
    minimum_interval_seconds=_INTERVAL_S,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Alerts athletes and operator to problems: once, then daily until resolved.",
)
def alerts(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Alert athletes and operator to problems: once, then daily, and when resolved.

    Starts no runs. A failed check is an alert itself and hides no others. An alert without a
    successful delivery is retried at the next tick.
    """
    settings, now = load_settings(), datetime.now(UTC)
    athletes, profiles, unusable = _athletes(settings)
    home = _home(settings, athletes, context.instance)
    warehouse = _warehouse(settings, athletes, now)
    wrong = redact_alerts((*profiles.found, *home.found, *warehouse.found), settings.keys)
    told = parse_state(context.cursor)
    fresh = select_update(wrong, told, now, profiles.unseen | home.unseen | warehouse.unseen)
    sent, problems = _send(recipients(settings, athletes, unusable), fresh)
    for problem in problems:
        context.log.warning("An alert did not arrive: %s", problem)
    lines = "; ".join(sent.lines) or f"{len(wrong)} causes, nothing new to send."
    if fresh.lines and not sent.lines:
        lines = f"No alert was delivered: {'; '.join(fresh.lines)}"
    cursor = serialize_state(next_state(wrong, told, sent, now))
    return dg.SensorResult(skip_reason=lines, cursor=cursor)


def _athletes(settings: Settings) -> tuple[tuple[AthleteProfile, ...], _Inspection, int]:
    """Return the athletes with usable profiles, alerts on the others, and the number of those.

    An unusable profile has no known address, so its alert goes to the operator.
    """
    try:
        unusable = unusable_profiles(settings)
    except SettingsError as error:
        return (), _unreadable_profiles(error), 0
    found = tuple(
        Alert(f"profile {athlete}", exclusion_message(athlete, why))
        for athlete, why in unusable.items()
    )
    unseen = frozenset(f"{kind} {athlete}" for kind in _ATHLETE_KINDS for athlete in unusable)
    try:
        return configured_athletes(settings), _Inspection(found, unseen), len(unusable)
    except ProfileError:
        return (), _Inspection(found, _ATHLETE_KINDS), len(unusable)
    except SettingsError as error:
        return (), _unreadable_profiles(error), len(unusable)


def _unreadable_profiles(error: SettingsError) -> _Inspection:
    text = f"No run starts until this is fixed: {error}"
    return _Inspection((Alert("profiles", text),), _ATHLETE_KINDS)


def _home(
    settings: Settings, athletes: tuple[AthleteProfile, ...], instance: dg.DagsterInstance
) -> _Inspection:
    try:
        runs = recent_runs_of(instance, [athlete.id for athlete in athletes])
    except DatabaseError as error:
        text = f"Dagster's history cannot be read: {error.orig}. Run: spotter doctor"
        unread = Alert("history", text)
        return _Inspection((unread, *home_alerts(settings, None)), HISTORY_KINDS)
    return _Inspection(home_alerts(settings, runs))


def _warehouse(
    settings: Settings, athletes: tuple[AthleteProfile, ...], now: datetime
) -> _Inspection:
    try:
        with open_warehouse(settings.warehouse, read_only=True, wait_s=10.0) as con:
            return _Inspection(athlete_alerts(con, athletes, now))
    except WarehouseMissingError:
        return _Inspection()  # before the first run
    except WarehouseBusyError as error:
        held = Alert("held", str(error), after=HELD_AFTER)
        return _Inspection((held,), WAREHOUSE_KINDS)
    except (WarehouseDamagedError, WarehouseNewerError) as error:
        return _Inspection((Alert("warehouse", str(error)),), WAREHOUSE_KINDS)
    except (duckdb.Error, OSError) as error:
        text = f"The warehouse cannot be read: {str(error).splitlines()[0]}. Run: spotter doctor"
        return _Inspection((Alert("warehouse", text),), WAREHOUSE_KINDS)


def _send(
    to: tuple[tuple[Destinations, frozenset[str | None]], ...], fresh: AlertUpdate
) -> tuple[AlertUpdate, list[str]]:
    """Send alerts; returns those that were delivered or have no recipient, and the failures."""
    arrived: set[str] = set()
    problems: list[str] = []
    for destinations, whose in to:
        own = fresh.of(whose)
        if not own.lines:
            continue
        body = "\n\n".join(own.lines)
        message = Message("Spotter: problem" if own.causes else "Spotter: resolved", body, body)
        outcomes = send(destinations, message, lambda: datetime.now(UTC))
        problems += [
            f"{each.destination}: {each.detail}" for each in outcomes if each.state == "failed"
        ]
        if any(each.state == "sent" for each in outcomes):
            arrived |= {each.key for each in (*own.causes, *own.healed)}
    return AlertUpdate(
        tuple(each for each in fresh.causes if each.key in arrived),
        tuple(each for each in fresh.healed if each.key in arrived),
    ), problems


@dg.definitions
def defs() -> dg.Definitions:
    """Define the sensor only if there is a recipient.

    With an unusable profile it is defined too, since that profile may contain an address.
    """
    settings = load_settings()
    athletes, profiles, _ = _athletes(settings)
    is_wanted = bool(profiles.found or recipients(settings, athletes))
    return dg.Definitions(sensors=[alerts] if is_wanted else [])
