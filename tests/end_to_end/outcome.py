"""Results of nights, to compare a disturbed home with an undisturbed one."""

from typing import Any

from hevy_connector.simulator import RunningSimulator
from tests.end_to_end.world import Home, routines

# Times of the machine differ between two runs, and so does the reporter of a published routine: the
# publication or, if its run was killed before, the next sync. Everything else must be equal.
LEARNED = {
    ("dim_athlete_version", "known_from"),
    ("dim_exercise_version", "known_from"),
    ("dim_routine_folder", "changed_at"),
    ("dim_routine_version", "known_from"),
    ("dim_routine_version", "known_to"),
    ("dim_routine_version", "last_seen_at"),
    ("dim_routine_version", "origin"),
    ("fct_prescription_outcome", "decided_at"),
    ("fct_prescription_outcome", "published_at"),
}


def marts(home: Home) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all marts, in a fixed order."""
    tables = home.query(
        """
        select table_name, list(column_name order by column_index)
        from duckdb_columns() where not internal and table_name not like 'manifest%'
        group by all order by all
        """,
        home.release,
    )
    assert len(tables) > 5
    found = {}
    for table, columns in tables:
        kept = ", ".join(f'"{column}"' for column in columns if (table, column) not in LEARNED)
        found[table] = home.query(f"select {kept} from marts.{table} order by all", home.release)
    return found


def result(home: Home, simulator: RunningSimulator) -> dict[str, Any]:
    """Return the result of a run in the marts and in Hevy."""
    return {
        "marts": marts(home),
        "routines": routines(simulator),
        "publications": home.query("select plan_id, state, diff from coach.publications"),
        "plans": home.query("select plan_id, plan from coach.plans"),
    }
