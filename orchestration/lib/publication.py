"""Publishing the plans that stand, athlete by athlete, with what only the run knows."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import duckdb

from coach_agent.journal import JournaledPlan, read_current_plans, read_interrupted_plans
from coach_agent.profile import AthleteProfile
from coach_agent.publisher import Publication, Publisher, State
from coach_agent.routine_changes import Change
from hevy_connector.client import HevyClient
from hevy_connector.errors import HevyError
from hevy_connector.exact_json import canonical_json
from hevy_connector.landing import Record, land
from hevy_connector.schemas import JsonObject, Routine
from orchestration.lib.settings import SettingsError
from orchestration.lib.warehouse import Connect

# A night and a half: one failed night is not yet a reason to stop, two are.
LONGEST_SYNC_AGE = timedelta(hours=36)

MakeClient = Callable[[AthleteProfile], HevyClient]


@dataclass(frozen=True)
class PublicationOutcome:
    """How one publication stands; `problem` says what somebody should look at.

    `state` is None where Hevy could not be asked or the data were too old.
    """

    athlete_id: str
    routine_title: str
    state: State | None
    changes: tuple[Change, ...] = ()
    problem: str | None = None
    is_new: bool = False

    @property
    def was_sent(self) -> bool:
        """Whether this run made, or found made, the change in Hevy."""
        return self.is_new and self.state == "published"


def publish_all(
    athletes: Sequence[AthleteProfile],
    make_client: MakeClient,
    connect: Connect,
    *,
    run_id: str,
) -> list[PublicationOutcome]:
    """Publish the plan of each athlete who has one and an account to publish it to.

    First it is settled what became of publications that were interrupted and whose plan stands no
    more. One athlete's trouble is that athlete's outcome and nobody else's.
    """
    with connect() as con:
        current = read_current_plans(con)
        interrupted = read_interrupted_plans(con)
    outcomes = []
    for athlete in athletes:
        plans = [each for each in interrupted if each.plan.athlete_id == athlete.id]
        stands = current.get(athlete.id)
        if athlete.hevy.account != "none" and (plans or stands):
            outcomes += _publish_for(athlete, plans, stands, make_client, connect, run_id)
    return outcomes


def _publish_for(
    athlete: AthleteProfile,
    interrupted: Sequence[JournaledPlan],
    current: JournaledPlan | None,
    make_client: MakeClient,
    connect: Connect,
    run_id: str,
) -> list[PublicationOutcome]:
    def land_routine(con: duckdb.DuckDBPyConnection, payload: JsonObject) -> str:
        return land_published(con, athlete.id, payload, run_id)

    outcomes = []
    try:
        with make_client(athlete) as client:
            publisher = Publisher(client, connect, land_routine, lambda: datetime.now(UTC), run_id)
            for plan in interrupted:
                settled = publisher.settle(plan.plan_id, plan.plan)
                outcomes.append(_outcome(athlete, plan, settled))
            if current is not None:
                outcomes.append(_publish_current(athlete, current, publisher))
    except (HevyError, SettingsError) as error:
        title = (current or interrupted[0]).plan.routine_title
        outcomes.append(PublicationOutcome(athlete.id, title, None, problem=str(error)))
    return outcomes


def _publish_current(
    athlete: AthleteProfile, current: JournaledPlan, publisher: Publisher
) -> PublicationOutcome:
    with publisher.connect() as con:
        stale = staleness(con, athlete.id, datetime.now(UTC))
        known = _known_routine(con, athlete.id, current.plan.routine_id)
    if stale or known is None:
        title = current.plan.routine_title
        return PublicationOutcome(athlete.id, title, None, problem=stale or "Unknown routine.")
    done = publisher.publish(current.plan_id, current.plan, athlete.publish.mode, known)
    return _outcome(athlete, current, done)


def _outcome(
    athlete: AthleteProfile, plan: JournaledPlan, done: Publication | None
) -> PublicationOutcome:
    title = plan.plan.routine_title
    if done is None:
        return PublicationOutcome(athlete.id, title, None)
    problem = done.detail if done.state in {"conflict", "failed"} else None
    return PublicationOutcome(athlete.id, title, done.state, done.changes, problem, done.is_new)


def _known_routine(
    con: duckdb.DuckDBPyConnection, athlete_id: str, routine_id: str
) -> JsonObject | None:
    """The routine as it was last read."""
    rows: list[tuple[str | None]] = con.execute(
        """
        select arg_max(payload, loaded_at) from raw.hevy_routines
        where athlete_id = $1 and record_id = $2
        """,
        [athlete_id, routine_id],
    ).fetchall()
    payload: JsonObject | None = json.loads(rows[0][0]) if rows[0][0] else None
    return payload


def land_published(
    con: duckdb.DuckDBPyConnection, athlete_id: str, payload: JsonObject, run_id: str
) -> str:
    """Keep a routine as it was read back after publishing; returns its content's hash."""
    routine = Routine.model_validate(payload)
    record = Record(routine.id, canonical_json(payload), routine.updated_at)
    land(
        con,
        "hevy_routines",
        athlete_id,
        [record],
        now=datetime.now(UTC),
        run_id=run_id,
        origin="publication",
    )
    return record.payload_sha256


def staleness(con: duckdb.DuckDBPyConnection, athlete_id: str, now: datetime) -> str | None:
    """Why the athlete's data are too old to publish from, or None."""
    rows: list[tuple[datetime | None]] = con.execute(
        """
        select min(last_complete_at) from raw.sync_state
        where athlete_id = $1 and entity in ('hevy_workouts', 'hevy_routines')
        having count(*) = 2
        """,
        [athlete_id],
    ).fetchall()
    if not rows or rows[0][0] is None:
        return "Workouts and routines were never read completely; nothing is published."
    age = now - rows[0][0].replace(tzinfo=UTC)
    if age <= LONGEST_SYNC_AGE:
        return None
    return f"Hevy was last read {age.total_seconds() / 3600:.0f} hours ago; nothing is published."
