"""Stored inputs of a publication: earlier publications, the known routine, facts on its safety."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb

from coach_agent.domain.plan import Plan
from coach_agent.journal.plan_basis import PlanBasis, read_basis
from coach_agent.journal.publications import publications_of
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.publication_safety import StoredFacts
from coach_agent.publishing.states import PublicationRow
from coach_agent.store.check_ins import read_open_red_flags
from hevy_connector.schemas import JsonObject


@dataclass(frozen=True)
class PublicationInputs:
    """Stored inputs of the publication of a plan.

    `rows` are the athlete's publications, newest first. `known` is the routine that the plan was
    built for; None if the raw tables lack it.
    """

    rows: Sequence[PublicationRow]
    known: JsonObject | None
    facts: StoredFacts


def read_publication_inputs(
    con: duckdb.DuckDBPyConnection, athlete: AthleteProfile, plan_id: str, plan: Plan, now: datetime
) -> PublicationInputs:
    """Return the inputs of the publication of a plan at the aware moment `now`."""
    basis = read_basis(con, athlete.id, plan_id)
    known_sha256 = None if basis is None else basis.routine_sha256
    return PublicationInputs(
        publications_of(con, athlete.id),
        _known_routine(con, athlete.id, plan.routine_id, known_sha256),
        read_facts(con, athlete, plan, basis, now),
    )


def read_facts(
    con: duckdb.DuckDBPyConnection,
    athlete: AthleteProfile,
    plan: Plan,
    basis: PlanBasis | None,
    now: datetime,
) -> StoredFacts:
    """Return the facts at the aware moment `now` that can block the publication of a plan.

    `basis` is that of the plan.
    """
    return StoredFacts(
        at=now,
        is_red_flagged=bool(read_open_red_flags(con, athlete, now)),
        read_at=last_reads(con, [athlete.id]).get(athlete.id),
        later_workouts=_later_workouts(con, athlete.id, plan, basis),
        last_trained_at=None if basis is None else basis.last_trained_at,
        template_ids=_template_ids(con, athlete.id),
        account_unit=_account_unit(con, athlete.id),
    )


def last_reads(con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]) -> dict[str, datetime]:
    """Return by athlete the time (UTC) of the last complete read of workouts and routines."""
    rows: list[tuple[str, datetime]] = con.execute(
        """
        select athlete_id, min(last_complete_at) from raw.sync_state
        where
            athlete_id in (select unnest($1))
            and entity in ('hevy_workouts', 'hevy_routines')
        group by athlete_id
        having count(last_complete_at) = 2
        """,
        [list(athlete_ids)],
    ).fetchall()
    return {athlete_id: at.replace(tzinfo=UTC) for athlete_id, at in rows}


def news_since(con: duckdb.DuckDBPyConnection, athlete_id: str, since: datetime) -> bool:
    """Return true if any of the athlete's workouts was loaded after an aware moment."""
    rows = con.execute(
        "select 1 from raw.hevy_workouts where athlete_id = $1 and loaded_at > $2 limit 1",
        [athlete_id, since.astimezone(UTC).replace(tzinfo=None)],
    ).fetchall()
    return bool(rows)


def _later_workouts(
    con: duckdb.DuckDBPyConnection, athlete_id: str, plan: Plan, basis: PlanBasis | None
) -> tuple[datetime, ...]:
    """Return the starts of the routine's workouts that were loaded after the decision."""
    if basis is None:
        return ()
    rows: list[tuple[str]] = con.execute(
        """
        select payload ->> '$.start_time' from raw.hevy_workouts
        where
            athlete_id = $1
            and loaded_at > $2
            and not is_deleted
            and (payload ->> '$.routine_id') in (
                select $3
                union all
                select written_routine_id from coach.publications
                where athlete_id = $1 and routine_id = $3
            )
        """,
        [athlete_id, basis.decided_at.replace(tzinfo=None), plan.routine_id],
    ).fetchall()
    return tuple(datetime.fromisoformat(started) for (started,) in rows)


def _template_ids(con: duckdb.DuckDBPyConnection, athlete_id: str) -> frozenset[str]:
    """Return the exercises of the account's catalogue."""
    rows: list[tuple[str]] = con.execute(
        """
        select record_id from raw.hevy_exercise_templates
        where athlete_id = $1
        group by record_id
        having not arg_max(is_deleted, loaded_at)
        """,
        [athlete_id],
    ).fetchall()
    return frozenset(template for (template,) in rows)


def _account_unit(con: duckdb.DuckDBPyConnection, athlete_id: str) -> str | None:
    """Return the unit of loads that the account shows; None if it was never read."""
    rows: list[tuple[str | None]] = con.execute(
        """
        select arg_max(payload, loaded_at) from raw.hevy_users
        where athlete_id = $1 and not is_deleted
        """,
        [athlete_id],
    ).fetchall()
    payload = rows[0][0]
    shown: str | None = None if payload is None else json.loads(payload).get("weight_unit")
    return shown


def _known_routine(
    con: duckdb.DuckDBPyConnection, athlete_id: str, routine_id: str, sha256: str | None
) -> JsonObject | None:
    """Return the routine with this content, or else its latest version."""
    rows: list[tuple[str | None]] = con.execute(
        """
        select coalesce(
            arg_max(payload, loaded_at) filter (payload_sha256 = $3),
            arg_max(payload, loaded_at)
        )
        from raw.hevy_routines
        where athlete_id = $1 and record_id = $2
        """,
        [athlete_id, routine_id, sha256],
    ).fetchall()
    payload: JsonObject | None = json.loads(rows[0][0]) if rows[0][0] else None
    return payload
