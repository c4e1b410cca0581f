"""One exercise: verdict, estimated maximum, planned and done sets, all sessions, records, next."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from coach_agent.domain.units import Unit, in_unit, load_text
from coach_agent.engine.loads.increments import ASSISTED
from dashboard.charts import plan_chart, show_chart, strength_chart, volume_bars
from dashboard.markup import element, show_markup, whole_parts
from dashboard.page import Page
from dashboard.released import Row
from dashboard.tables import show_table
from dashboard.wording import done_rows_text, near_day_text, plain
from orchestration.text.measures import day_text, estimate_in, estimate_text, verdict_text
from orchestration.text.sets import set_groups

EXERCISE = """
    select
        exercise_key, title, exercise_type, verdict, plateau_reason, slope_pct, last_trained_date
    from dim_exercise
    left join fct_exercise_trend using (athlete_id, exercise_key)
    where athlete_id = $1 and exercise_key = $2
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
        min(planned_weight_kg) as planned_help_kg, min(weight_kg) as done_help_kg,
        max(planned_reps_low) as planned_reps, max(reps) as done_reps,
        max(planned_duration_s) as planned_s, max(duration_s) as done_s,
        max(planned_distance_m) as planned_m, max(distance_m) as done_m,
        bool_and(is_met) as is_met
    from fct_plan_compliance
    where
        athlete_id = $1 and exercise_key = $2 and is_plan_known
        and set_class = 'working' and planned_set_type is not null
        and not coalesce(is_typo_suspect, false)
    group by workout_id, workout_date, started_at
    order by started_at
"""
SESSIONS = """
    select
        workout_id, workout_date, started_at, set_type, set_index, weight_kg, reps, duration_s,
        distance_m, rpe
    from fct_set
    where athlete_id = $1 and exercise_key = $2 and set_class = 'working'
    order by started_at desc, workout_id, exercise_index, set_index
"""
VOLUME = """
    select workout_date, volume_kg, working_set_count
    from fct_exercise_session
    where athlete_id = $1 and exercise_key = $2
    order by started_at desc limit 20
"""
RECORDS_WITH = """
    select
        dim_exercise.title, record_kind, e1rm_family, record_value, previous_value, weight_kg, reps,
        workout_date
    from fct_personal_record
    inner join dim_exercise using (athlete_id, exercise_key)
    where athlete_id = $1 and not is_first
"""
RECORDS = (
    RECORDS_WITH + "and exercise_key = $2 and is_current order by started_at desc, record_kind"
)

_SHOWN = 12
_FAMILIES = {
    "tested": "tested",
    "epley_rated": "estimated with RPE",
    "epley_assumed_failure": "estimated without RPE, at least this",
}
_SHORT = {
    "tested": "tested",
    "epley_rated": "with RPE",
    "epley_assumed_failure": "without RPE",
}
_UNITS = {"reps": "reps", "distance": "m", "duration": "s"}
_KINDS = {"load": "Heaviest load", "e1rm": "Estimated maximum", "volume": "Volume of a workout"}


def show_exercise(page: Page, exercise_key: str) -> None:
    """Draw one exercise of the athlete."""
    found = page.rows(EXERCISE, exercise_key)
    if not found:
        st.info("No workout of yours has this exercise.")
        return
    exercise = found[0]
    st.header(plain(exercise["title"]))
    verdict = verdict_text(exercise["verdict"], exercise["plateau_reason"], exercise["slope_pct"])
    last = exercise["last_trained_date"]
    when = "" if last is None else f" Last trained {day_text(last)}."
    st.markdown(f"**{verdict}**{when}")
    _show_next(page, exercise_key)
    _show_strength(page, exercise)
    _show_plan(page, exercise)
    _show_volume(page, exercise)
    _show_sessions(page, exercise)
    st.header("Current records")
    records = [record_row(record, page) for record in page.rows(RECORDS, exercise_key)]
    if records:
        show_table(records)
    else:
        st.markdown("None yet: the first workout of an exercise sets no record.")


def _show_next(page: Page, exercise_key: str) -> None:
    slots = () if page.plan is None else page.plan.plan.slots
    texts = [
        ", ".join(f"{group.mark} {group.text}".strip() for group in set_groups(slot, page.unit))
        for slot in slots
        if slot.exercise_template_id == exercise_key
    ]
    sets = "; ".join(texts) or "not in the next workout"
    show_markup(element("p", element("strong", "Next:"), f" {sets}."))


def _show_strength(page: Page, exercise: Row) -> None:
    found = page.rows(STRENGTH, exercise["exercise_key"])
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
        f"Estimated one-rep maximum (e1RM) in {len(found)} workouts: "
        f"{estimate_text(found[0]['e1rm_kg'], page.unit)} on {day_text(found[0]['workout_date'])}, "
        f"{estimate_text(last['e1rm_kg'], page.unit)} on {day_text(last['workout_date'])}. "
        f"The band holds the true maximum with 80 % certainty, for maxima {rows[-1]['basis']}."
    )
    show_chart(strength_chart(rows, page.unit), words, rows)


def _show_plan(page: Page, exercise: Row) -> None:
    """Draw the best planned and performed set of each workout, in the first measure with a plan."""
    st.header("Planned and done")
    found = page.rows(PLANNED, exercise["exercise_key"])
    if not found:
        st.markdown("Shows after the first workout with a plan for this exercise.")
        return
    judged = [row["is_met"] for row in found if row["is_met"] is not None]
    result = ""
    if judged:
        result = f"In {sum(judged)} of {len(judged)} workouts you hit every set or did better."
    measure, rows = plan_rows(found, exercise["exercise_type"], page.unit)
    if rows:
        words = f"The {measure}, planned and done. {result}".strip()
        show_chart(plan_chart(rows, measure), words, rows)
    else:
        st.markdown(result or "Its plans have no target for a set.")


def plan_rows(
    found: Sequence[Row], exercise_type: str | None, unit: Unit
) -> tuple[str, list[dict[str, Any]]]:
    """Return the measure of a plan and its values by workout; no rows if no set has a target.

    Loads are in `unit`. Less help of an assisted exercise is more.
    """
    load = "help" if exercise_type == ASSISTED else "load"
    measures = {
        "load": (f"heaviest set ({unit})", "planned_kg", "done_kg"),
        "help": (f"least help ({unit})", "planned_help_kg", "done_help_kg"),
        "reps": ("most reps", "planned_reps", "done_reps"),
        "duration": ("longest set (s)", "planned_s", "done_s"),
        "distance": ("longest set (m)", "planned_m", "done_m"),
    }
    for name in (load, "reps", "duration", "distance"):
        measure, planned, done = measures[name]
        if any(row[planned] is not None for row in found):
            is_load = name == load
            return measure, [
                {
                    "day": row["workout_date"].isoformat(),
                    "planned": _load(row[planned], unit) if is_load else row[planned],
                    "done": _load(row[done], unit) if is_load else row[done],
                }
                for row in found
            ]
    return "", []


def _load(load_kg: float | None, unit: Unit) -> float | None:
    return None if load_kg is None else in_unit(load_kg, unit)


def _show_volume(page: Page, exercise: Row) -> None:
    found = [row for row in page.rows(VOLUME, exercise["exercise_key"]) if row["volume_kg"]]
    if not found:
        return
    st.header("Volume")
    rows = [
        {
            "day": row["workout_date"].isoformat(),
            "volume": estimate_in(row["volume_kg"], page.unit),
            "working sets": row["working_set_count"],
        }
        for row in reversed(found)
    ]
    latest = found[0]
    words = (
        f"Load × reps of each workout; {estimate_text(latest['volume_kg'], page.unit)} in "
        f"{latest['working_set_count']} working sets on {day_text(latest['workout_date'])}."
    )
    show_chart(volume_bars(rows, page.unit), words, rows)


def _show_sessions(page: Page, exercise: Row) -> None:
    st.header("All sessions")
    by_workout: dict[str, list[Row]] = {}
    for row in page.rows(SESSIONS, exercise["exercise_key"]):
        by_workout.setdefault(row["workout_id"], []).append(row)
    items = [
        element(
            "li",
            element("strong", near_day_text(sets[0]["workout_date"], page.today)),
            " ",
            whole_parts(done_rows_text(sets, page.unit, exercise["exercise_type"])),
        )
        for sets in by_workout.values()
    ]
    if not items:
        st.markdown("No working set yet.")
        return
    shown, older = items[:_SHOWN], items[_SHOWN:]
    show_markup(element("ul", *shown, class_="facts"))
    if older:
        label = element("summary", f"{len(older)} older")
        show_markup(element("details", label, element("ul", *older, class_="facts")))


def record_row(record: Row, page: Page) -> dict[str, str]:
    """Build the row of a record with its value, the one before and its day."""
    kind = record["record_kind"]

    def value_text(value: float | None) -> str:
        if value is None:
            return ""
        if kind == "load":
            return load_text(value, page.unit)
        unit = _UNITS.get(kind)
        return estimate_text(value, page.unit) if unit is None else f"{value:g} {unit}"

    at_load = ""
    if kind not in _KINDS and record["weight_kg"] is not None:
        at_load = f" at {load_text(record['weight_kg'], page.unit)}"
    basis = "" if record["e1rm_family"] is None else f" ({_SHORT[record['e1rm_family']]})"
    return {
        "Record": _KINDS.get(kind, f"Most {kind}{at_load}") + basis,
        "Value": value_text(record["record_value"]),
        "Before": value_text(record["previous_value"]),
        "Day": day_text(record["workout_date"]),
    }
