"""Athletes: a list, most urgent first."""

from datetime import date
from typing import Any

import streamlit as st

from dashboard.page import OPEN_ATHLETE, Page
from dashboard.released import Row
from dashboard.wording import distinct_names, natural_order

EVERYBODY = """
    select
        athlete_id,
        name,
        (
            select max(workout_date) from fct_workout
            where fct_workout.athlete_id = dim_athlete.athlete_id
        ) as last_trained,
        (
            select sum(met_set_count) / nullif(sum(planned_set_count), 0)
            from fct_consistency_week
            where
                fct_consistency_week.athlete_id = dim_athlete.athlete_id
                and week_start_date >= cast($1 as date) - interval 4 week
        ) as adherence,
        (
            select count(*) from fct_exercise_trend
            where
                fct_exercise_trend.athlete_id = dim_athlete.athlete_id and verdict = 'stalled'
        ) as stalled_count
    from dim_athlete
    order by athlete_id
"""
# A plan that is pending or could not be sent comes before an athlete who is merely away.
_ATTENTION = {
    "conflict": (3, "the routine was edited"),
    "failed": (3, "publishing failed"),
    "withheld": (3, "held back for safety"),
    "waiting": (2, "waits for approval"),
}
_AWAY_DAYS = 10


def show(page: Page) -> None:
    """Draw a row per athlete, sortable by heading; selecting one opens that athlete."""
    st.title("Athletes")
    today = page.now.astimezone(page.zone).date()
    found = page.released.rows(EVERYBODY, today.isoformat())
    names = distinct_names(found)
    rows = sorted(
        (
            athlete_row(
                {**row, "name": names[row["athlete_id"]]},
                page.released.state_of(row["athlete_id"]),
                today,
            )
            for row in found
        ),
        key=lambda row: (-row["urgency"], natural_order(row["Athlete"])),
    )
    needing = sum(row["urgency"] > 0 for row in rows)
    shown = [{name: cell for name, cell in row.items() if name[0].isupper()} for row in rows]
    chosen: Any = st.dataframe(
        shown,
        hide_index=True,
        width="stretch",
        on_select="rerun",
        selection_mode="single-row",
        placeholder="",
        alt="Athletes, who needs attention first",
    )
    # Below: on a phone the tools of the table cover the content above it.
    st.caption(f"{needing} of {len(rows)} need attention. Choose a row to open that athlete.")
    if chosen.selection.rows:
        athlete_id = rows[chosen.selection.rows[0]]["athlete_id"]
        if athlete_id != page.athlete_id:
            st.session_state[OPEN_ATHLETE] = athlete_id
            st.rerun()


def athlete_row(row: Row, state: str | None, today: date) -> dict[str, Any]:
    """Build the row of an athlete, with its urgency (0: nothing to do)."""
    urgency, why = _ATTENTION.get(state or "", (0, ""))
    last = row["last_trained"]
    away = None if last is None else (today - last).days
    reasons = [why] if why else []
    if away is None or away > _AWAY_DAYS:
        urgency = max(urgency, 1)
        reasons.append("never trained" if away is None else f"away for {away} days")
    if row["stalled_count"]:
        urgency = max(urgency, 1)
        reasons.append(f"{row['stalled_count']} stalled")
    return {
        "athlete_id": row["athlete_id"],
        "urgency": urgency,
        "Athlete": row["name"] or row["athlete_id"],
        "Attention": ", ".join(reasons),
        "Days off": away,
        "As planned (%)": None if row["adherence"] is None else round(100 * row["adherence"]),
        "Stalled lifts": row["stalled_count"],
    }
