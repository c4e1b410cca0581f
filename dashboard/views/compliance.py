"""Compliance: planned and performed sets, by week and set by set."""

from itertools import groupby

import streamlit as st

from coach_agent.domain.units import Unit, load_text
from dashboard.charts import adherence_chart, show_chart
from dashboard.page import Page
from dashboard.released import Row
from dashboard.tables import show_table
from dashboard.wording import plain, unbroken
from orchestration.text.measures import day_text

WEEKS = """
    select week_start_date, met_set_count, skipped_set_count, planned_set_count, adherence
    from fct_consistency_week
    where athlete_id = $1 and adherence is not null
    order by week_start_date desc limit 12
"""
WORKOUTS = """
    select workout_id, any_value(title) as title, any_value(fct_workout.workout_date) as day
    from fct_plan_compliance
    inner join fct_workout using (athlete_id, workout_id)
    where athlete_id = $1 and is_plan_known
    group by workout_id
    order by max(fct_workout.started_at) desc, workout_id limit 30
"""
SETS = """
    select
        exercise_title, occurrence, planned_set_type, performed_set_type, planned_weight_kg,
        planned_reps_low, planned_reps_high, planned_duration_s, weight_kg, reps, duration_s,
        execution_status, substitution_exercise_key,
        (
            select title from dim_exercise
            where
                dim_exercise.athlete_id = fct_plan_compliance.athlete_id
                and exercise_key = substitution_exercise_key
        ) as other_title
    from fct_plan_compliance
    where athlete_id = $1 and workout_id = $2
    order by
        coalesce(planned_exercise_index, performed_exercise_index),
        coalesce(planned_set_index, performed_set_index),
        compliance_key
"""


def show(page: Page) -> None:
    """Draw the last weeks, then a workout at a time, the latest first."""
    st.title("Compliance")
    workouts = {row["workout_id"]: row for row in page.rows(WORKOUTS)}
    if not workouts:
        st.info(
            "No workout has a known plan yet: a plan counts for the workouts after it. "
            "Train the next one, and it shows here."
        )
        return
    _show_weeks(page)
    chosen = st.selectbox(
        "Workout",
        list(workouts),
        format_func=lambda key: f"{day_text(workouts[key]['day'])}: {workouts[key]['title']}",
    )
    for (title, _), sets in groupby(
        page.rows(SETS, chosen), key=lambda row: (row["exercise_title"], row["occurrence"])
    ):
        st.markdown(f"**{plain(title)}**")
        show_table([compliance_row(row, page.unit) for row in sets])


def _show_weeks(page: Page) -> None:
    rows = [
        {
            "week": day_text(row["week_start_date"]),
            "day": row["week_start_date"].isoformat(),
            "as planned (%)": round(100 * row["adherence"], 1),
            "met": row["met_set_count"],
            "skipped": row["skipped_set_count"],
            "planned": row["planned_set_count"],
        }
        for row in reversed(page.rows(WEEKS))
    ]
    if not rows:
        return
    latest = rows[-1]
    words = (
        f"In the week from {latest['week']}, {latest['met']} of {latest['planned']} planned sets "
        f"were done as planned or better, {latest['skipped']} were skipped."
    )
    show_chart(adherence_chart(rows), words, rows)


def compliance_row(row: Row, unit: Unit) -> dict[str, str]:
    """Build the row of a planned set, its performed set and their comparison."""
    how = row["execution_status"] or ""
    if row["other_title"] is not None:
        instead = "instead of" if how == "Unplanned" else "replaced by"
        how = f"{how}, {instead} {row['other_title']}"
    return {
        "Planned": _planned_text(row, unit),
        "Done": _done_text(row, unit),
        "How": how,
    }


def _planned_text(row: Row, unit: Unit) -> str:
    if row["planned_set_type"] is None:
        return ""
    low, high = row["planned_reps_low"], row["planned_reps_high"]
    reps = None if low is None else f"{low}+" if high is None else f"{low}-{high}"
    if low is not None and low == high:
        reps = f"{low}"
    return _text(row["planned_weight_kg"], reps, row["planned_duration_s"], unit) or "free"


def _done_text(row: Row, unit: Unit) -> str:
    if row["performed_set_type"] is None:
        return ""
    reps = None if row["reps"] is None else f"{row['reps']}"
    return _text(row["weight_kg"], reps, row["duration_s"], unit) or "done"


def _text(load_kg: float | None, reps: str | None, duration_s: int | None, unit: Unit) -> str:
    parts = [
        None if load_kg is None else load_text(load_kg, unit),
        reps,
        None if duration_s is None else f"{duration_s} s",
    ]
    return unbroken(" × ".join(part for part in parts if part))
