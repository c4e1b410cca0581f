"""History: training days, workouts set by set, exercises, body weight and recovery."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import groupby

import streamlit as st

from coach_agent.domain.days import monday_of
from coach_agent.domain.plan import DoneSet, SetPrescription
from coach_agent.domain.units import Unit
from dashboard.charts import body_chart, recovery_chart, show_chart
from dashboard.markup import Html, element, show_markup, whole_parts
from dashboard.page import Page, choose_exercise, choose_part
from dashboard.released import Row
from dashboard.tables import show_table
from dashboard.views.exercise import RECORDS_WITH, record_row, show_exercise
from dashboard.wording import done_rows_text, near_day_text, plain
from orchestration.text.measures import day_text, estimate_in, estimate_text, name_text
from orchestration.text.sets import done_notation, target_notation

WORKOUTS = """
    select
        workout_id, title, workout_date, duration_s, exercise_count, working_set_count, volume_kg,
        session_rpe
    from fct_workout where athlete_id = $1
    order by started_at desc, workout_id
"""
SETS = """
    select
        exercise_title, exercise_key, exercise_type, occurrence, planned_set_type,
        performed_set_type, planned_weight_kg, planned_reps_low, planned_reps_high,
        planned_duration_s, planned_distance_m, weight_kg, reps, duration_s, distance_m,
        execution_status, is_plan_known, substitution_exercise_key,
        (
            select title from dim_exercise as other
            where
                other.athlete_id = fct_plan_compliance.athlete_id
                and other.exercise_key = substitution_exercise_key
        ) as other_title
    from fct_plan_compliance
    left join dim_exercise using (athlete_id, exercise_key)
    where athlete_id = $1 and workout_id = $2
    order by
        coalesce(planned_exercise_index, performed_exercise_index),
        coalesce(planned_set_index, performed_set_index),
        planned_set_index, performed_set_index
"""
BROKEN = RECORDS_WITH + "and workout_id = $2 order by title, record_kind"
LAST_SETS = """
    select
        exercise_key, exercise_title, exercise_type, workout_date, set_type, set_index, weight_kg,
        reps, duration_s, distance_m, rpe
    from fct_set
    inner join dim_exercise using (athlete_id, exercise_key)
    where athlete_id = $1 and set_class = 'working'
    qualify
        dense_rank() over (partition by exercise_key order by started_at desc, workout_id) = 1
    order by started_at desc, exercise_title, exercise_key, exercise_index, set_index
"""
BODY = """
    select measurement_date, health_source, weight_kg, body_fat_pct, trend_weight_kg,
        weekly_change_kg
    from fct_body_measurement where athlete_id = $1 order by measurement_date, health_source
"""
RECOVERY = """
    select recovery_date, health_source, metric, hrv_method, metric_value
    from fct_recovery_day
    where athlete_id = $1 and recovery_date > $2::date - 90
    order by metric, health_source, hrv_method, recovery_date
"""

PARTS = ("Workouts", "Exercises", "Body")
_CALENDAR_WEEKS = 8
_SHOWN = 10
_WORKOUT = "workout"
_CALENDAR = "calendars back"
_RESULTS = {"Target Met": "hit", "Overperformed": "more", "Underperformed": "less"}
_METRICS = {
    "hrv_ms": ("Heart rate variability", "ms"),
    "resting_hr": ("Resting heart rate", "beats/min"),
    "sleep_minutes": ("Sleep", "min"),
    "readiness": ("Readiness score", "points"),
}
_METHODS = {"rmssd": "rMSSD", "sdnn": "SDNN"}


def show(page: Page) -> None:
    """Draw the chosen part; a workout opens on its own."""
    workouts = {row["workout_id"]: row for row in page.rows(WORKOUTS)}
    opened = st.query_params.get(_WORKOUT)
    if opened in workouts:
        _show_workout(page, workouts[opened])
        return
    st.title("History")
    match choose_part(PARTS):
        case "Exercises":
            _show_exercises(page)
        case "Body":
            _show_body(page)
            _show_recovery(page)
        case _:
            _show_workouts(page, list(workouts.values()))


def _show_workouts(page: Page, workouts: Sequence[Row]) -> None:
    if not workouts:
        st.info(
            "No workout yet. Your training days show here after the first night, or once you "
            "import a file on the page Data."
        )
        return
    _show_calendar({row["workout_date"] for row in workouts}, page.today)
    shown = st.session_state.get("workouts shown", _SHOWN)
    for row in workouts[:shown]:
        st.button(
            workout_label(row, page.today),
            key=f"open {row['workout_id']}",
            on_click=_open,
            args=(row["workout_id"],),
            width="stretch",
        )
    if len(workouts) > shown:
        st.button(
            f"Show {min(3 * _SHOWN, len(workouts) - shown)} older",
            on_click=_show_more,
            args=(shown + 3 * _SHOWN,),
            type="tertiary",
        )


def _show_calendar(days: Collection[date], today: date) -> None:
    back = st.session_state.get(_CALENDAR, 0)
    show_markup(calendar_markup(days, today, back))
    first, last = calendar_span(days, today, back)
    with st.container(horizontal=True):
        if min(days) < first:
            st.button("Earlier", on_click=_turn_calendar, args=(back + 1,), type="tertiary")
        if max(days) > last:
            st.button("Later", on_click=_turn_calendar, args=(back - 1,), type="tertiary")


def _turn_calendar(back: int) -> None:
    st.session_state[_CALENDAR] = back


def _open(workout_id: str) -> None:
    st.query_params[_WORKOUT] = workout_id


def _close() -> None:
    del st.query_params[_WORKOUT]


def _show_more(count: int) -> None:
    st.session_state["workouts shown"] = count


def workout_label(row: Row, today: date) -> str:
    """Format a workout in a list: `Wed 4 Mar · Push · 5 exercises, 18 sets, 52 min`."""
    about = [_count(row["exercise_count"], "exercise"), _count(row["working_set_count"], "set")]
    if row["duration_s"]:
        about.append(f"{row['duration_s'] / 60:.0f} min")
    day = near_day_text(row["workout_date"], today)
    return f"**{day}** · {plain(row['title'])} · {', '.join(about)}"


def calendar_span(days: Collection[date], today: date, back: int = 0) -> tuple[date, date]:
    """Return first and last day of a calendar; `back` counts calendars before the latest one.

    The latest one ends today, or with the last workout if that is long ago; an earlier one ends
    on a Sunday.
    """
    shown, last = timedelta(weeks=_CALENDAR_WEEKS), max(days)
    end = today if today - last < shown else last
    first = monday_of(end) + timedelta(weeks=1) - shown
    if back == 0:
        return first, end
    first -= back * shown
    return first, first + shown - timedelta(days=1)


def calendar_markup(days: Collection[date], today: date, back: int = 0) -> Html:
    """Build a calendar of eight weeks; `back` counts calendars before the latest one."""
    trained = set(days)
    first, end = calendar_span(trained, today, back)
    head = element(
        "tr",
        element("th", "Week", scope="col"),
        *(element("th", name, scope="col") for name in ("M", "T", "W", "T", "F", "S", "S")),
    )
    rows = []
    for week in range(_CALENDAR_WEEKS):
        monday = first + timedelta(weeks=week)
        cells = [element("th", f"{monday.day} {monday:%b}", scope="row")]
        for weekday in range(7):
            day = monday + timedelta(days=weekday)
            classes = ["trained"] if day in trained else []
            classes += ["today"] if day == today else []
            text = "" if day > end else f"{day.day}"
            label = {"aria-label": f"trained on {day_text(day)}"} if day in trained else {}
            mark = element("span", text, role="img", **label) if label else element("span", text)
            cells.append(element("td", mark, class_=" ".join(classes)))
        rows.append(element("tr", *cells))
    count = sum(first <= day <= end for day in trained)
    caption = element(
        "p",
        f"{_count(count, 'training day')} in the {_CALENDAR_WEEKS} weeks to {day_text(end)}.",
        class_="quiet",
    )
    table = element("table", element("thead", head), element("tbody", *rows), class_="calendar")
    return element("div", table, caption)


def _show_workout(page: Page, workout: Row) -> None:
    st.title(plain(workout["title"]))
    about = [day_text(workout["workout_date"])]
    if workout["duration_s"]:
        about.append(f"{workout['duration_s'] / 60:.0f} min")
    about.append(_count(workout["working_set_count"], "working set"))
    about.append(f"{estimate_text(workout['volume_kg'] or 0, page.unit)} lifted")
    if workout["session_rpe"] is not None:
        about.append(f"session RPE {workout['session_rpe']:g}")
    show_markup(element("p", " · ".join(about), class_="meta"))
    st.button("Back", icon=":material/arrow_back:", on_click=_close)
    rows = page.rows(SETS, workout["workout_id"])
    if not rows:
        st.markdown("This workout has no set.")
    elif not any(row["is_plan_known"] for row in rows):
        st.caption("There was no plan for this workout.")
    for (title, _), sets in groupby(
        rows, key=lambda row: (row["exercise_title"], row["occurrence"])
    ):
        st.markdown(f"**{plain(title)}**")
        show_table([compliance_row(row, page.unit) for row in sets])
    if broken := page.rows(BROKEN, workout["workout_id"]):
        st.header("Records in this workout")
        show_table(
            [{"Exercise": row["title"], **_without_day(record_row(row, page))} for row in broken]
        )


def _without_day(row: dict[str, str]) -> dict[str, str]:
    return {name: cell for name, cell in row.items() if name != "Day"}


def compliance_row(row: Row, unit: Unit) -> dict[str, str]:
    """Build the row of a set: its performance, and of a known plan the target and the result."""
    if not row["is_plan_known"]:
        return {"Done": _done_text(row, unit)}
    how = status_text(row["execution_status"])
    if row["other_title"] is not None:
        instead = "instead of" if row["execution_status"] == "Unplanned" else "replaced by"
        how = f"{how}, {instead} {row['other_title']}"
    return {"Planned": _planned_text(row, unit), "Done": _done_text(row, unit), "How": how}


def status_text(status: str | None) -> str:
    """Format a status of the marts: `hit`, `more: heavier & more reps`, `less: fewer reps`."""
    result, _, detail = (status or "").partition(": ")
    words = _RESULTS.get(result, result.lower())
    # A set without a load to compare is met like any other.
    return f"{words}: {detail.lower()}" if detail and result != "Target Met" else words


def _planned_text(row: Row, unit: Unit) -> str:
    if row["planned_set_type"] is None:
        return ""
    low, high = row["planned_reps_low"], row["planned_reps_high"]
    target = SetPrescription(
        set_index=0,
        set_type=row["planned_set_type"],
        weight_kg=row["planned_weight_kg"],
        reps=low if low == high else None,
        rep_range_start=low,
        rep_range_end=high,
        duration_s=row["planned_duration_s"],
        distance_m=_whole(row["planned_distance_m"]),
    )
    return target_notation(target, unit, row["exercise_type"])


def _done_text(row: Row, unit: Unit) -> str:
    if row["performed_set_type"] is None:
        return ""
    done = DoneSet(
        set_index=0,
        set_type=row["performed_set_type"],
        weight_kg=row["weight_kg"],
        reps=row["reps"],
        duration_s=row["duration_s"],
        distance_m=_whole(row["distance_m"]),
    )
    return done_notation([done], unit, row["exercise_type"]) or "done"


def _whole(metres: float | None) -> int | None:
    return None if metres is None else round(metres)


def _show_exercises(page: Page) -> None:
    lifts: dict[str, list[Row]] = {}
    for row in page.rows(LAST_SETS):
        lifts.setdefault(row["exercise_key"], []).append(row)
    if not lifts:
        st.info("No exercise yet. Each one shows here with its last sets after your first workout.")
        return
    titles = {key: sets[0]["exercise_title"] for key, sets in lifts.items()}
    chosen = choose_exercise("Open an exercise", titles)
    if chosen is not None:
        show_exercise(page, chosen)
        return
    items = [
        element(
            "li",
            element("strong", sets[0]["exercise_title"], class_="block"),
            f"{near_day_text(sets[0]['workout_date'], page.today)}: ",
            whole_parts(done_rows_text(sets, page.unit, sets[0]["exercise_type"])),
        )
        for sets in lifts.values()
    ]
    show_markup(element("ul", *items, class_="facts columns"))


def _show_body(page: Page) -> None:
    st.header("Body weight")
    found = [row for row in page.rows(BODY) if row["weight_kg"] is not None]
    if not found:
        st.markdown("Shows after the first body weight in Hevy, or from a device (docs/health.md).")
        return
    rows = [
        {
            "day": row["measurement_date"].isoformat(),
            "weight": estimate_in(row["weight_kg"], page.unit),
            "trend": _weight(row["trend_weight_kg"], page.unit),
            "body fat (%)": row["body_fat_pct"],
            "source": row["health_source"],
        }
        for row in found
    ]
    show_chart(body_chart(rows, page.unit), body_words(found, page.unit), rows)


def body_words(rows: Sequence[Row], unit: Unit) -> str:
    """Format the latest weight of each source: two scales do not agree."""
    latest = {row["health_source"]: row for row in rows}
    sentences = []
    for source, row in sorted(latest.items()):
        words = f"{estimate_text(row['weight_kg'], unit)} on {day_text(row['measurement_date'])}"
        if len(latest) > 1:
            words += f" from {source}"
        if row["weekly_change_kg"] is not None:
            words += f", {_weight(row['weekly_change_kg'], unit):+g} {unit} a week"
        sentences.append(f"{words}.")
    return " ".join((*sentences, "Dots are single weights, the line is their trend."))


def _weight(kilograms: float | None, unit: Unit) -> float | None:
    return None if kilograms is None else estimate_in(kilograms, unit)


def _show_recovery(page: Page) -> None:
    st.header("Recovery")
    found = page.rows_of("fct_recovery_day", RECOVERY, page.today.isoformat())
    if not found:
        st.markdown(
            "Sleep, resting heart rate and heart rate variability show here once they come in "
            "from a device or a file (docs/health.md)."
        )
        return
    for measure, words, rows in recovery_lines(found):
        show_chart(recovery_chart(rows, measure), words, rows)


def recovery_lines(rows: Iterable[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield the measure, words and days of each line; `rows` are in order of metric and source.

    Heart rate variability has a line for each method, since the two cannot be compared.
    """
    for (metric, source, method), group in groupby(
        rows, key=lambda row: (row["metric"], row["health_source"], row["hrv_method"])
    ):
        name, unit = _METRICS.get(metric, (name_text(metric), ""))
        name += f" as {_METHODS.get(method, method)}" if method else ""
        days = [
            {"day": row["recovery_date"].isoformat(), "value": round(row["metric_value"], 1)}
            for row in group
        ]
        latest = days[-1]
        words = (
            f"{name} from {source}: {latest['value']:g} {unit} on "
            f"{day_text(date.fromisoformat(latest['day']))}. For display only: no plan depends on "
            "it."
        )
        yield f"{name} ({unit})", words, days


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
