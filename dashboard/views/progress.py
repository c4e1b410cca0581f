"""Progress: strength of each lift with its band, planned and performed sets, and records."""

import streamlit as st

from coach_agent.domain.units import in_unit
from dashboard.charts import plan_chart, show_chart, strength_chart
from dashboard.page import Page
from dashboard.released import Row
from dashboard.tables import show_table
from orchestration.text.measures import day_text, estimate_in, estimate_text, verdict_text

LIFTS = """
    select exercise_key, title, verdict, plateau_reason, slope_pct, last_trained_date
    from fct_exercise_trend
    inner join dim_exercise using (athlete_id, exercise_key)
    where athlete_id = $1
    order by exposure_count desc nulls last, title
"""
STRENGTH = """
    select workout_date, e1rm_kg, e1rm_low_kg, e1rm_high_kg, e1rm_family
    from fct_exercise_session
    where athlete_id = $1 and exercise_key = $2 and e1rm_kg is not null
    order by started_at
"""
PLANNED = """
    select
        workout_date,
        max(planned_weight_kg) as planned_kg, max(weight_kg) as done_kg,
        max(planned_reps_low) as planned_reps, max(reps) as done_reps,
        bool_and(is_met) as is_met
    from fct_plan_compliance
    where
        athlete_id = $1 and exercise_key = $2 and is_plan_known
        and set_class = 'working' and planned_set_type is not null
        and not coalesce(is_typo_suspect, false)
    group by workout_id, workout_date, started_at
    order by started_at
"""
RECORDS = """
    select record_kind, e1rm_family, record_value, previous_value, weight_kg, reps, workout_date
    from fct_personal_record
    where athlete_id = $1 and exercise_key = $2 and is_current and not is_first
    order by started_at desc, record_kind
"""

_FAMILIES = {
    "tested": "tested",
    "epley_rated": "estimated with RPE",
    "epley_assumed_failure": "estimated without RPE, at least this",
}
_SHORT = {"tested": "tested", "epley_rated": "RPE", "epley_assumed_failure": "no RPE"}
_UNITS = {"reps": "reps", "distance": "m", "duration": "s"}
_KINDS = {"load": "Heaviest load", "e1rm": "Estimated maximum", "volume": "Volume of a workout"}


def show(page: Page) -> None:
    """Draw one lift at a time; those with most workouts in their trend come first."""
    st.title("Progress")
    lifts = {lift["exercise_key"]: lift for lift in page.rows(LIFTS)}
    if not lifts:
        st.info("Nothing has been trained yet; strength shows after the first workouts.")
        return
    chosen = st.selectbox("Exercise", list(lifts), format_func=lambda key: lifts[key]["title"])
    lift = lifts[chosen]
    verdict = verdict_text(lift["verdict"], lift["plateau_reason"], lift["slope_pct"])
    st.markdown(f"**{verdict}** Last trained {day_text(lift['last_trained_date'])}.")
    _show_strength(page, lift)
    _show_plan(page, chosen)
    st.subheader("Records that stand")
    records = [_record_row(record, page) for record in page.rows(RECORDS, chosen)]
    if records:
        show_table(records)
    else:
        st.markdown("None yet: the first workout of an exercise sets no record.")


def _show_strength(page: Page, lift: Row) -> None:
    found = page.rows(STRENGTH, lift["exercise_key"])
    if not found:
        st.markdown("No set of it gives an estimated maximum; its records are below.")
        return
    best, last = max(found, key=lambda row: float(row["e1rm_kg"])), found[-1]
    with st.container(horizontal=True):
        now, ever = (estimate_text(one["e1rm_kg"], page.unit) for one in (last, best))
        st.metric("Estimated maximum, last", now, width="content")
        st.metric("Best", ever, width="content")
    rows = [
        {
            "day": row["workout_date"].isoformat(),
            "estimate": estimate_in(row["e1rm_kg"], page.unit),
            "low": estimate_in(row["e1rm_low_kg"], page.unit),
            "high": estimate_in(row["e1rm_high_kg"], page.unit),
            "basis": _FAMILIES[row["e1rm_family"]],
        }
        for row in found
    ]
    words = (
        f"Estimated one-repetition maximum of {len(found)} workouts, from "
        f"{estimate_text(found[0]['e1rm_kg'], page.unit)} on {day_text(found[0]['workout_date'])} "
        f"to {estimate_text(last['e1rm_kg'], page.unit)} on {day_text(last['workout_date'])}. "
        "The band holds the true one with 80 %; a dashed line goes through all estimates of a kind."
    )
    show_chart(strength_chart(rows, page.unit), words, rows)


def _show_plan(page: Page, exercise_key: str) -> None:
    """Draw the heaviest planned and performed set, of an unloaded exercise the repetitions."""
    st.subheader("Planned and done")
    found = page.rows(PLANNED, exercise_key)
    if not found:
        st.markdown("No workout of it has a known plan yet: a plan counts for those after it.")
        return
    is_loaded = any(row["planned_kg"] is not None for row in found)
    measure = f"largest load ({page.unit})" if is_loaded else "most repetitions"
    rows = [
        {
            "day": row["workout_date"].isoformat(),
            "planned": _load(row["planned_kg"], page) if is_loaded else row["planned_reps"],
            "done": _load(row["done_kg"], page) if is_loaded else row["done_reps"],
        }
        for row in found
    ]
    judged = [row["is_met"] for row in found if row["is_met"] is not None]
    words = (
        f"The {measure} planned, and done. In {sum(judged)} of {len(judged)} workouts each set of "
        "it was done as planned or better; the page Compliance has every set."
    )
    show_chart(plan_chart(rows, measure), words, rows)


def _load(load_kg: float | None, page: Page) -> float | None:
    return None if load_kg is None else in_unit(load_kg, page.unit)


def _record_row(record: Row, page: Page) -> dict[str, str]:
    kind = record["record_kind"]

    def told(value: float | None) -> str:
        if value is None:
            return ""
        unit = _UNITS.get(kind)
        return estimate_text(value, page.unit) if unit is None else f"{value:g} {unit}"

    at_load = ""
    if kind not in _KINDS and record["weight_kg"] is not None:
        at_load = f" at {estimate_text(record['weight_kg'], page.unit)}"
    basis = "" if record["e1rm_family"] is None else f", {_SHORT[record['e1rm_family']]}"
    return {
        "Record": _KINDS.get(kind, f"Most {kind}{at_load}") + basis,
        "Value": told(record["record_value"]),
        "Before": told(record["previous_value"]),
        "Day": day_text(record["workout_date"]),
    }
