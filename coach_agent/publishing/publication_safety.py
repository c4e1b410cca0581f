"""Check against the warehouse that a plan may be published now; a refusal is a sentence."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import duckdb

from coach_agent.domain.plan import Plan
from coach_agent.domain.red_flags import how_to_clear
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.check_ins import read_open_red_flags
from coach_agent.store.plan_basis import PlanBasis

_UNIT_OF_ACCOUNT = {"kg": "kg", "lbs": "lb"}


def why_unsafe(
    con: duckdb.DuckDBPyConnection,
    athlete: AthleteProfile,
    plan: Plan,
    basis: PlanBasis | None,
    now: datetime,
) -> str | None:
    """Return the first reason against publishing now, or None."""
    return (
        _red_flag(con, athlete, now)
        or staleness(con, athlete, now)
        or _newer_workout(con, athlete.id, plan, basis)
        or _unknown_exercise(con, athlete.id, plan)
        or _unit_doubt(con, athlete)
    )


def _red_flag(con: duckdb.DuckDBPyConnection, athlete: AthleteProfile, now: datetime) -> str | None:
    """Return a reason if a red flag is open, also one reported after the decision."""
    if not read_open_red_flags(con, athlete, now):
        return None
    # The reason is logged: it contains no health data.
    return f"A red flag was reported; nothing is published. {how_to_clear()}"


def staleness(con: duckdb.DuckDBPyConnection, athlete: AthleteProfile, now: datetime) -> str | None:
    """Return a reason if the athlete's data are too stale to publish from, else None."""
    read_at = last_read_at(con, athlete.id)
    if read_at is None:
        return "Workouts and routines were never read completely; nothing is published."
    if not is_too_old(athlete, read_at, now):
        return None
    hours = (now - read_at).total_seconds() / 3600
    return f"Hevy was last read {hours:.0f} hours ago; nothing is published."


def last_read_at(con: duckdb.DuckDBPyConnection, athlete_id: str) -> datetime | None:
    """Return the time (UTC) of the last complete read of workouts and routines, or None."""
    return last_reads(con, [athlete_id]).get(athlete_id)


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


def is_too_old(athlete: AthleteProfile, read_at: datetime, now: datetime) -> bool:
    """Return true if data read then are too stale to publish, by the athlete's profile."""
    return now - read_at > timedelta(hours=athlete.publish.max_sync_age_hours)


def news_since(con: duckdb.DuckDBPyConnection, athlete_id: str, since: datetime) -> bool:
    """Return true if any of the athlete's workouts was loaded after an aware moment."""
    rows = con.execute(
        "select 1 from raw.hevy_workouts where athlete_id = $1 and loaded_at > $2 limit 1",
        [athlete_id, since.astimezone(UTC).replace(tzinfo=None)],
    ).fetchall()
    return bool(rows)


def _newer_workout(
    con: duckdb.DuckDBPyConnection, athlete_id: str, plan: Plan, basis: PlanBasis | None
) -> str | None:
    """Return a reason if a workout of the routine was loaded after the decision."""
    if basis is None:
        return None
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
    known = basis.last_trained_at
    for (started,) in rows:
        started_at = datetime.fromisoformat(started)
        if known is None or started_at.astimezone(UTC) > known:
            return (
                "A workout of this routine is newer than the plan; the next run makes a new plan."
            )
    return None


def _unknown_exercise(con: duckdb.DuckDBPyConnection, athlete_id: str, plan: Plan) -> str | None:
    """Return a reason if the account's catalogue lacks an exercise of the plan."""
    rows: list[tuple[str]] = con.execute(
        """
        select record_id from raw.hevy_exercise_templates
        where athlete_id = $1
        group by record_id
        having not arg_max(is_deleted, loaded_at)
        """,
        [athlete_id],
    ).fetchall()
    known = {template for (template,) in rows}
    for slot in plan.slots:
        if slot.sets and slot.exercise_template_id not in known:
            return f"{slot.exercise_title} is not in the account's catalogue; nothing is published."
    return None


def _unit_doubt(con: duckdb.DuckDBPyConnection, athlete: AthleteProfile) -> str | None:
    """Return a reason if the account's unit differs from the profile's default."""
    if "unit" in athlete.gym_table.model_fields_set:
        return None
    rows: list[tuple[str | None]] = con.execute(
        """
        select arg_max(payload, loaded_at) from raw.hevy_users
        where athlete_id = $1 and not is_deleted
        """,
        [athlete.id],
    ).fetchall()
    shown = None if rows[0][0] is None else json.loads(rows[0][0]).get("weight_unit")
    unit = _UNIT_OF_ACCOUNT.get(str(shown))
    if unit is None or unit == athlete.gym_table.unit:
        return None
    return (
        f"Your Hevy account shows {shown}, and the profile has no unit for the gym's loads; "
        f'nothing is published. Write equipment.unit = "{unit}" or "kg" into it.'
    )
