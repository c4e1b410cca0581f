"""Publishing the plans that stand, athlete by athlete, with what only the run knows."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import duckdb

from coach_agent.journal import JournaledPlan, read_current_plans
from coach_agent.profile import AthleteProfile
from coach_agent.publisher import Change, Publication, publish
from hevy_connector.client import HevyClient, JsonObject
from hevy_connector.errors import HevyError
from hevy_connector.landing import Record, canonical_json, land
from hevy_connector.schemas import Routine
from orchestration.lib.settings import SettingsError

# A night and a half: one failed night is not yet a reason to stop, two are.
LONGEST_SYNC_AGE = timedelta(hours=36)

Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]
MakeClient = Callable[[AthleteProfile], HevyClient]


@dataclass(frozen=True)
class PublicationOutcome:
    """How one athlete's publication ended; `problem` says what somebody should look at."""

    athlete_id: str
    routine_title: str
    state: str
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
    """Publish the plan of each athlete who has one and an account to publish it to."""
    with connect() as con:
        plans = read_current_plans(con)
    return [
        _publish_one(athlete, plans[athlete.id], make_client, connect, run_id)
        for athlete in athletes
        if athlete.id in plans and athlete.hevy.account != "none"
    ]


def _publish_one(
    athlete: AthleteProfile,
    current: JournaledPlan,
    make_client: MakeClient,
    connect: Connect,
    run_id: str,
) -> PublicationOutcome:
    title = current.plan.routine_title
    with connect() as con:
        stale = staleness(con, athlete.id, datetime.now(UTC))
    if stale:
        return PublicationOutcome(athlete.id, title, "waiting", problem=stale)
    try:
        with make_client(athlete) as client:
            done = publish(
                current.plan_id,
                current.plan,
                athlete.publish.mode,
                client,
                connect,
                lambda con, payload: land_published(con, athlete.id, payload, run_id),
                now=lambda: datetime.now(UTC),
                run_id=run_id,
            )
    except (HevyError, SettingsError) as error:
        return PublicationOutcome(athlete.id, title, "waiting", problem=str(error))
    return PublicationOutcome(
        athlete.id, title, done.state, done.changes, _problem(done), done.is_new
    )


def _problem(done: Publication) -> str | None:
    return done.detail if done.state in {"conflict", "failed"} else None


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
