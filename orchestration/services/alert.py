"""What an operator or an athlete should hear of, told once until it is healed.

The state is looked at, not the events: a cause that is still there is one message and a reminder a
day, whatever happened in between, and what is gone is told as healed.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import duckdb

from coach_agent.journal.decisions import read_current_plans
from coach_agent.llm.ledger import spent_today_of
from coach_agent.profile.model import AthleteProfile
from orchestration.config.secret_values import secrets_scrubber
from orchestration.config.settings import Settings
from orchestration.runs.status import RecentRuns, RunStatus
from orchestration.runs.tags import NIGHTLY
from orchestration.services.llm_health import budget_reached
from orchestration.services.source_freshness import old_readings

# The kinds of causes that only the warehouse tells, and those that only Dagster's history tells:
# what could not be looked at is neither there nor healed. A kind is the first word of a key, an
# athlete the second.
TOLD_BY_WAREHOUSE = frozenset({"stale", "conflict", "budget"})
TOLD_BY_HISTORY = frozenset({"run", "job", "maintenance"})

REMIND_AFTER = timedelta(hours=24)
LATE_AFTER = timedelta(hours=26)  # a night takes its time
STALE_AFTER = timedelta(hours=36)  # a night was missed and half of the day did not make up for it
HELD_AFTER = timedelta(hours=1)  # a night holds the warehouse for a step at a time
LEAST_FREE_BYTES = 1_000_000_000  # a release is written beside the last one before it replaces it

Destinations = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class Alert:
    """A cause with what is to be said of it, once it has lasted for `after`.

    `athlete_id` is None where it is the operator's.
    """

    key: str
    text: str
    athlete_id: str | None = None
    after: timedelta = timedelta(0)


@dataclass(frozen=True)
class Told:
    """When a cause was told last (UTC), and how; or when it was noticed, if it must last first."""

    at: datetime
    text: str
    athlete_id: str | None
    is_only_noticed: bool = False


@dataclass(frozen=True)
class News:
    """What is to be sent now: causes that are new or due again, and those that are gone."""

    causes: tuple[Alert, ...]
    healed: tuple[Alert, ...]

    def of(self, whose: frozenset[str | None]) -> "News":
        """What of it these are told; None stands for the operator."""
        return News(
            tuple(each for each in self.causes if each.athlete_id in whose),
            tuple(each for each in self.healed if each.athlete_id in whose),
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """What is read of it; what is the same for several athletes once."""
        return (
            *dict.fromkeys(each.text for each in self.causes),
            *dict.fromkeys(f"Healed: {each.text}" for each in self.healed),
        )


def alerts_of_home(settings: Settings, runs: RecentRuns | None) -> tuple[Alert, ...]:
    """What is wrong now with a home, whatever its warehouse has; None for an unreadable history."""
    found: list[Alert] = []
    for athlete, run in ({} if runs is None else runs.unserved).items():
        text = f"{athlete}: {run.left[athlete]}" if athlete in run.left else _failed(run)
        found.append(Alert(f"run {athlete}", text, athlete))
    releasing = None if runs is None else runs.last_releasing
    if releasing is not None and releasing.is_unsuccessful and releasing.job != NIGHTLY:
        found.append(Alert(f"job {releasing.job}", _failed(releasing)))
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


def _failed(run: RunStatus) -> str:
    why = "; ".join(run.reasons) or "no reason was recorded"
    return f"The last run of {run.job} failed: {why}. Run: spotter status, then run"


def alerts_of_athletes(
    con: duckdb.DuckDBPyConnection, athletes: Sequence[AthleteProfile], now: datetime
) -> tuple[Alert, ...]:
    """What is wrong now with what was read, decided and spent for each athlete."""
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
    """Where to send, and the athletes whose causes are told there; None stands for the operator.

    The operator hears of everything. In a home without one, a single athlete is the operator, but
    not who is alone because others have an unusable profile.
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


def news(
    now_wrong: Sequence[Alert],
    told: Mapping[str, Told],
    now: datetime,
    unseen: frozenset[str] = frozenset(),
) -> News:
    """What to send, given what was told: a change of the words alone is no news.

    Causes of the kinds or keys `unseen` could not be looked for now, so none of them is healed.
    """
    keys = {each.key for each in now_wrong}
    return News(
        causes=tuple(each for each in now_wrong if _is_due(each, told.get(each.key), now)),
        healed=tuple(
            Alert(key, each.text, each.athlete_id)
            for key, each in told.items()
            if key not in keys and not each.is_only_noticed and not unseen & {key, key.split()[0]}
        ),
    )


def remembered(
    now_wrong: Sequence[Alert], told: Mapping[str, Told], sent: News, now: datetime
) -> dict[str, Told]:
    """What was told or noticed, once the news are out."""
    healed, keys = {each.key for each in sent.healed}, {each.key for each in now_wrong}
    kept = {
        key: each
        for key, each in told.items()
        if key not in healed and (key in keys or not each.is_only_noticed)
    }
    noticed = {
        each.key: Told(now, each.text, each.athlete_id, is_only_noticed=True)
        for each in now_wrong
        if each.after and each.key not in told
    }
    return (
        kept | noticed | {each.key: Told(now, each.text, each.athlete_id) for each in sent.causes}
    )


def written(told: Mapping[str, Told]) -> str:
    """What was told as a text, for `read_told`."""
    return json.dumps(
        {
            key: [each.at.isoformat(), each.text, each.athlete_id, each.is_only_noticed]
            for key, each in told.items()
        }
    )


def read_told(text: str | None) -> dict[str, Told]:
    """What `written` wrote; nothing for None."""
    return {
        key: Told(datetime.fromisoformat(at), *said)
        for key, (at, *said) in json.loads(text or "{}").items()
    }


def hidden(found: Sequence[Alert], variables: Mapping[str, str]) -> tuple[Alert, ...]:
    """Alerts that may leave the machine: without the value of any secret variable."""
    scrub = secrets_scrubber(variables)
    return tuple(replace(each, text=scrub(each.text)) for each in found)


def _is_due(alert: Alert, told: Told | None, now: datetime) -> bool:
    if told is None:
        return not alert.after
    return now - told.at >= (alert.after if told.is_only_noticed else REMIND_AFTER)
