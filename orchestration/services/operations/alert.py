"""Alerts for the operator and the athletes, sent once until the cause is resolved.

The current state is compared with the last one sent, not events: a persistent cause is one message
and a daily reminder, whatever happened in between. A cause that is gone is reported as resolved.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import duckdb

from coach_agent.domain.secret_values import secrets_scrubber
from coach_agent.journal.current_plans import read_current_plans
from coach_agent.llm.ledger import spent_today_of
from coach_agent.profile.model import AthleteProfile
from orchestration.config.settings import Settings
from orchestration.runs.status import RecentRuns, RunStatus
from orchestration.runs.tags import NIGHTLY
from orchestration.services.language_models.llm_health import budget_reached
from orchestration.services.operations.source_freshness import old_readings

# Kinds of causes that only the warehouse shows, and those that only Dagster's history shows. A kind
# that could not be checked is neither active nor resolved. A key is a kind, a space and an athlete
# id.
WAREHOUSE_KINDS = frozenset({"stale", "conflict", "budget"})
HISTORY_KINDS = frozenset({"run", "job", "maintenance"})

REMIND_AFTER = timedelta(hours=24)
LATE_AFTER = timedelta(hours=26)  # duration of a nightly run included
STALE_AFTER = timedelta(hours=36)  # one missed night, not caught up within half a day
HELD_AFTER = timedelta(hours=1)  # a nightly run holds the warehouse for one step at a time
LEAST_FREE_BYTES = 1_000_000_000  # a release is written before it replaces the last

Destinations = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class Alert:
    """A cause and its message, sent once the cause has lasted for `after`.

    `athlete_id` is None if the alert is for the operator.
    """

    key: str
    text: str
    athlete_id: str | None = None
    after: timedelta = timedelta(0)


@dataclass(frozen=True)
class SentAlert:
    """The last message sent for a cause and its time (UTC).

    With `is_only_noticed`, nothing was sent yet: `at` is when the cause was first noticed.
    """

    at: datetime
    text: str
    athlete_id: str | None
    is_only_noticed: bool = False


@dataclass(frozen=True)
class AlertUpdate:
    """Messages to send now: causes that are new or due again, and resolved ones."""

    causes: tuple[Alert, ...]
    healed: tuple[Alert, ...]

    def of(self, whose: frozenset[str | None]) -> "AlertUpdate":
        """Return the part for these recipients; None is the operator."""
        return AlertUpdate(
            tuple(each for each in self.causes if each.athlete_id in whose),
            tuple(each for each in self.healed if each.athlete_id in whose),
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the message lines, without duplicates across athletes."""
        return (
            *dict.fromkeys(each.text for each in self.causes),
            *dict.fromkeys(f"Resolved: {each.text}" for each in self.healed),
        )


def home_alerts(settings: Settings, runs: RecentRuns | None) -> tuple[Alert, ...]:
    """Return the alerts of a home outside its warehouse; `runs` None is an unreadable history."""
    found: list[Alert] = []
    for athlete, run in ({} if runs is None else runs.unserved).items():
        text = f"{athlete}: {run.left[athlete]}" if athlete in run.left else _failure_text(run)
        found.append(Alert(f"run {athlete}", text, athlete))
    releasing = None if runs is None else runs.last_releasing
    if releasing is not None and releasing.is_unsuccessful and releasing.job != NIGHTLY:
        found.append(Alert(f"job {releasing.job}", _failure_text(releasing)))
    cleaning = None if runs is None else runs.last_maintenance
    if cleaning is not None and cleaning.is_unsuccessful:
        why = "; ".join(cleaning.reasons) or "no reason was recorded"
        text = f"The weekly clean-up failed: {why}. Then start the job {cleaning.job} in the UI."
        found.append(Alert("maintenance", text))
    free = shutil.disk_usage(settings.home).free
    if free < LEAST_FREE_BYTES:
        found.append(
            Alert("disk", f"Only {free / 1e6:.0f} MB are free for {settings.home}: make room.")
        )
    return tuple(found)


def _failure_text(run: RunStatus) -> str:
    why = "; ".join(run.reasons) or "no reason was recorded"
    return f"The last run of {run.job} failed: {why}. Run: spotter status, then run"


def athlete_alerts(
    con: duckdb.DuckDBPyConnection, athletes: Sequence[AthleteProfile], now: datetime
) -> tuple[Alert, ...]:
    """Return the alerts on stale data, plan conflicts and reached budgets of athletes."""
    found = [
        Alert(f"stale {athlete}", f"{athlete}: {text}", athlete)
        for athlete, text in old_readings(con, athletes, STALE_AFTER, now).items()
    ]
    current = read_current_plans(con)
    money = spent_today_of(con, {each.id: each.timezone for each in athletes}, now.astimezone(UTC))
    for athlete in athletes:
        plan = current.get(athlete.id)
        if plan is not None and plan.state == "conflict":
            text = "a routine was edited in Hevy since its plan was made. Run: spotter publications"
            found.append(Alert(f"conflict {athlete.id}", f"{athlete.id}: {text}", athlete.id))
        if spent := budget_reached(athlete, money[athlete.id]):
            found.append(Alert(f"budget {athlete.id}", f"{athlete.id}: {spent}", athlete.id))
    return tuple(found)


def recipients(
    settings: Settings, athletes: Sequence[AthleteProfile], unusable: int = 0
) -> tuple[tuple[Destinations, frozenset[str | None]], ...]:
    """Return the destinations, each with the athletes whose alerts go there; None is the operator.

    The operator gets every alert. Without an operator address, the only athlete is the operator,
    unless another athlete has an unusable profile.
    """
    urls = settings.keys.get("SPOTTER_NOTIFY", "").split()
    operator = tuple((f"operator {place}", url) for place, url in enumerate(urls, start=1))
    ids: frozenset[str | None] = frozenset({athlete.id for athlete in athletes})
    own = frozenset({None}) if not urls and len(athletes) + unusable == 1 else frozenset()
    found: list[tuple[Destinations, frozenset[str | None]]] = [(operator, ids | {None})]
    found += [
        (athlete.notify.destinations(settings.keys), own | {athlete.id}) for athlete in athletes
    ]
    return tuple((where, whose) for where, whose in found if where)


def select_update(
    now_wrong: Sequence[Alert],
    told: Mapping[str, SentAlert],
    now: datetime,
    unseen: frozenset[str] = frozenset(),
) -> AlertUpdate:
    """Return the messages to send, given the last state. A change of wording alone sends nothing.

    `unseen` lists kinds or keys that could not be checked: none of them is resolved.
    """
    keys = {each.key for each in now_wrong}
    return AlertUpdate(
        causes=tuple(each for each in now_wrong if _is_due(each, told.get(each.key), now)),
        healed=tuple(
            Alert(key, each.text, each.athlete_id)
            for key, each in told.items()
            if key not in keys and not each.is_only_noticed and not unseen & {key, key.split()[0]}
        ),
    )


def next_state(
    now_wrong: Sequence[Alert], told: Mapping[str, SentAlert], sent: AlertUpdate, now: datetime
) -> dict[str, SentAlert]:
    """Return the state to store after the messages were sent."""
    healed, keys = {each.key for each in sent.healed}, {each.key for each in now_wrong}
    kept = {
        key: each
        for key, each in told.items()
        if key not in healed and (key in keys or not each.is_only_noticed)
    }
    noticed = {
        each.key: SentAlert(now, each.text, each.athlete_id, is_only_noticed=True)
        for each in now_wrong
        if each.after and each.key not in told
    }
    return (
        kept
        | noticed
        | {each.key: SentAlert(now, each.text, each.athlete_id) for each in sent.causes}
    )


def serialize_state(told: Mapping[str, SentAlert]) -> str:
    """Serialize the state as JSON for `parse_state`."""
    return json.dumps(
        {
            key: [each.at.isoformat(), each.text, each.athlete_id, each.is_only_noticed]
            for key, each in told.items()
        }
    )


def parse_state(text: str | None) -> dict[str, SentAlert]:
    """Parse the state that `serialize_state` serialized; empty for None."""
    return {
        key: SentAlert(datetime.fromisoformat(at), *said)
        for key, (at, *said) in json.loads(text or "{}").items()
    }


def redact_alerts(found: Sequence[Alert], variables: Mapping[str, str]) -> tuple[Alert, ...]:
    """Return the alerts without the values of secret variables, safe to send off the machine."""
    scrub = secrets_scrubber(variables)
    return tuple(replace(each, text=scrub(each.text)) for each in found)


def _is_due(alert: Alert, told: SentAlert | None, now: datetime) -> bool:
    if told is None:
        return not alert.after
    return now - told.at >= (alert.after if told.is_only_noticed else REMIND_AFTER)
