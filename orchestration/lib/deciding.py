"""Deciding the next workout of an athlete from the warehouse, and keeping the decision."""

from datetime import datetime

import duckdb

from coach_agent.coach import decide
from coach_agent.decision import Decision
from coach_agent.guardrails import GuardrailError
from coach_agent.journal import clear_current_plan, record_decision
from coach_agent.profile import AthleteProfile
from coach_agent.publishing.plan_basis import record_basis
from coach_agent.situation import Situation, read_situation
from hevy_connector.transactions import again_after_conflict, committed

NOTHING_LEFT = (
    "No workout is left: all of it is left out, for pain or because you avoid it. Have what hurts "
    "looked at before you train it again. Once it is better, say so: "
    "spotter check-in --pain PART:mild"
)


def decide_next(
    con: duckdb.DuckDBPyConnection,
    profile: AthleteProfile,
    situation: Situation,
    *,
    now: datetime,
    run_id: str,
) -> tuple[Decision | None, bool]:
    """The decision that stands from now on, and whether it is new; None if nothing can be planned.

    Raises:
        GuardrailError: the plan breaks its limits; no plan stands any more.
        ProfileError: the profile names a routine that is not there; no plan stands any more.
    """
    again_after_conflict(lambda: clear_current_plan(con, profile.id))
    decision = decide(situation, profile)
    if decision is None:
        return None, False

    def record() -> bool:
        is_new = record_decision(con, decision, now=now, run_id=run_id)
        record_basis(con, decision, situation.routines, now=now)
        return is_new

    return decision, committed(con, record)


def known_situation(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, now: datetime
) -> Situation | None:
    """What is known of the athlete; None before the marts were built for the first time."""
    has_marts = con.execute(
        "select 1 from duckdb_tables() where schema_name = 'marts' and table_name = 'coach_context'"
    ).fetchall()
    return read_situation(con, profile.id, profile.timezone, now) if has_marts else None


def why_no_plan(con: duckdb.DuckDBPyConnection, profile: AthleteProfile, now: datetime) -> str:
    """Why no plan stands for the athlete, and what to do about it.

    Raises:
        ProfileError: the profile names a routine that is not there.
    """
    situation = known_situation(con, profile, now)
    if profile.hevy.account == "none" and not (situation and situation.routines):
        return (
            f"There is no plan for '{profile.id}': no file told of any training yet. "
            f"Run: spotter import-csv FILE --athlete {profile.id}, then spotter run"
        )
    try:
        is_left = situation is None or not situation.routines or decide(situation, profile)
    except GuardrailError as error:
        return f"There is no plan for '{profile.id}': none that is safe came of it: {error}"
    if is_left:
        return f"There is no plan for '{profile.id}' yet. Run: spotter run"
    return NOTHING_LEFT
