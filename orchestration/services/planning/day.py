"""Read the state of an athlete's day from the warehouse, with a short timeout."""

from datetime import UTC, datetime, timedelta

from coach_agent.journal.current_plans import read_current_plan
from coach_agent.planning.between_sets import Day
from coach_agent.situation.situation import read_body_weights
from coach_agent.store.check_ins import read_open_red_flags_of, read_valid_check_in
from coach_agent.store.tables import has_table
from orchestration.storage.warehouse import (
    Warehouse,
    WarehouseBusyError,
    WarehouseMissingError,
    open_warehouse,
)

# Short: an athlete waits at the bar.
_WAIT_S = 2.0


def day_of(warehouse: Warehouse, athlete_id: str, *, wait_s: float = _WAIT_S) -> Day:
    """Return the check-in, the active plan and the body weight; empty before the first ones.

    While another process writes to the warehouse, `unknown` of the day has the reason.
    """
    try:
        with open_warehouse(warehouse, read_only=True, wait_s=wait_s) as con:
            said = plan = body_kg = None
            now = datetime.now(UTC)
            red_flags = read_open_red_flags_of(con, [athlete_id], now).get(athlete_id, ())
            if has_table(con, "coach.check_ins"):
                said = read_valid_check_in(con, athlete_id, now)
            if has_table(con, "coach.current_plans"):
                journaled = read_current_plan(con, athlete_id)
                plan = None if journaled is None else journaled.plan
            if has_table(con, "raw.hevy_body_measurements"):
                # A measurement of the athlete's day may be of tomorrow in UTC.
                tomorrow = now.date() + timedelta(days=1)
                measured = read_body_weights(con, {athlete_id: tomorrow}).get(athlete_id)
                body_kg = None if measured is None else measured.kg_on(now.date())
    except WarehouseMissingError:
        return Day()
    except WarehouseBusyError:
        return Day(unknown="A run is busy with the warehouse: your check-in was not looked at.")
    return Day(said, plan, red_flags=red_flags, body_kg=body_kg)
