"""Deciding the next workout of an athlete from the warehouse, and keeping the decision."""

from datetime import datetime

import duckdb

from coach_agent.coach import decide
from coach_agent.decision import Decision
from coach_agent.journal import clear_current_plan, record_decision
from coach_agent.profile import AthleteProfile
from coach_agent.situation import Situation


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
    clear_current_plan(con, profile.id)
    decision = decide(situation, profile)
    if decision is None:
        return None, False
    return decision, record_decision(con, decision, now=now, run_id=run_id)
