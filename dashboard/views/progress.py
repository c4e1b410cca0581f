"""Progress: all lifts, current records, the plan and block, muscles, and training load."""

from collections.abc import Sequence

import streamlit as st

from dashboard.charts import adherence_chart, show_chart, sparkline
from dashboard.markup import Html, element, show_markup
from dashboard.page import Page, choose_exercise, choose_part
from dashboard.released import Row
from dashboard.views.exercise import RECORDS_WITH, record_row, show_exercise
from dashboard.views.load import show_load
from dashboard.views.programme import show_programme
from dashboard.views.volume import show_volume
from dashboard.wording import near_day_text, plain
from orchestration.text.measures import day_text, estimate_text, trend_text

LIFTS = """
    select
        exercise_key, title, verdict, plateau_reason, slope_pct, last_trained_date, exposure_count,
        (
            select list(e1rm_kg order by started_at)
            from fct_exercise_session as sessions
            where
                sessions.athlete_id = fct_exercise_trend.athlete_id
                and sessions.exercise_key = fct_exercise_trend.exercise_key
                and sessions.e1rm_kg is not null
        ) as maxima_kg
    from fct_exercise_trend
    inner join dim_exercise using (athlete_id, exercise_key)
    where athlete_id = $1
    order by
        verdict = 'stalled' desc nulls last, exposure_count desc nulls last, title
"""
BOARD = (
    RECORDS_WITH
    + """
    and is_current and record_kind in ('load', 'e1rm', 'reps')
    order by started_at desc, title, record_kind limit 60
    """
)
WEEKS = """
    select week_start_date, met_set_count, skipped_set_count, planned_set_count, adherence
    from fct_consistency_week
    where athlete_id = $1 and adherence is not null
    order by week_start_date desc limit 12
"""

PARTS = ("Lifts", "Records", "Plan", "Muscles", "Load")
_SPARK_SESSIONS = 20


def show(page: Page) -> None:
    """Draw the chosen part."""
    st.title("Progress")
    match choose_part(PARTS):
        case "Records":
            _show_records(page)
        case "Plan":
            _show_plan(page)
        case "Muscles":
            show_volume(page)
        case "Load":
            show_load(page)
        case _:
            _show_lifts(page)


def _show_lifts(page: Page) -> None:
    """Draw all lifts, stalled ones first, or the chosen one."""
    lifts = {lift["exercise_key"]: lift for lift in page.rows(LIFTS)}
    if not lifts:
        st.info("Nothing has been trained yet; each lift shows here after its first workout.")
        return
    titles = {key: lift["title"] for key, lift in lifts.items()}
    chosen = choose_exercise("Open a lift", titles)
    if chosen is not None:
        show_exercise(page, chosen)
        return
    drawn = [lift for lift in lifts.values() if lift["maxima_kg"]]
    judged = [lift for lift in drawn if lift["verdict"] in {"stalled", "not_stalled"}]
    young = [lift for lift in drawn if lift not in judged]
    stalled = sum(lift["verdict"] == "stalled" for lift in judged)
    if judged:
        st.caption(
            f"{stalled} of {len(judged)} lifts stalled. Lines: estimated one-rep maximum (e1RM) of "
            f"up to {_SPARK_SESSIONS} workouts."
        )
        show_markup(element("div", *(lift_markup(lift, page) for lift in judged), class_="lifts"))
    else:
        st.caption(
            "Trends of your lifts show here after more workouts. Lines: estimated one-rep maximum "
            "(e1RM)."
        )
    if young:
        count = "1 lift" if len(young) == 1 else f"{len(young)} lifts"
        label = f"{count} with too few estimated maxima for a trend"
        cards = element("div", *(lift_markup(lift, page) for lift in young), class_="lifts")
        folded = element("details", element("summary", label), cards)
        show_markup(folded if judged else cards)
    if others := [lift["title"] for lift in lifts.values() if not lift["maxima_kg"]]:
        st.caption(plain(f"Without an estimated maximum: {', '.join(others)}."))


def lift_markup(lift: Row, page: Page) -> Html:
    """Build the card of a lift: last maximum, sparkline and trend in words."""
    maxima: Sequence[float] = lift["maxima_kg"][-_SPARK_SESSIONS:]
    first, last = (estimate_text(value, page.unit) for value in (maxima[0], maxima[-1]))
    trend = trend_text(lift["verdict"], lift["slope_pct"])
    when = near_day_text(lift["last_trained_date"], page.today)
    alt = f"e1RM from {first} to {last} in {len(maxima)} workouts"
    line = (sparkline(maxima, alt),) if len(maxima) > 1 else ()
    return element(
        "div",
        element(
            "span",
            element("h2", lift["title"]),
            element("span", last, class_="change"),
            class_="head",
        ),
        element(
            "span",
            element(
                "span", element("span", trend, class_="block"), element("span", when, class_="last")
            ),
            *line,
            class_="spark",
        ),
        class_="lift stalled" if lift["verdict"] == "stalled" else "lift",
    )


def _show_records(page: Page) -> None:
    found = page.rows(BOARD)
    if not found:
        st.info("No record yet. The second workout of an exercise can set the first one.")
        return
    st.caption("Current records, newest first.")
    show_markup(records_markup(found, page))


def records_markup(found: Sequence[Row], page: Page) -> Html:
    """Build the list of exercises, each with a line per record."""
    by_exercise: dict[str, list[Html]] = {}
    for row in found:
        by_exercise.setdefault(row["title"], []).append(_record_line(row, page))
    items = (
        element("li", element("strong", title), *lines) for title, lines in by_exercise.items()
    )
    return element("ul", *items, class_="facts columns")


def _record_line(row: Row, page: Page) -> Html:
    """Build the line of a record: `Most reps at 80 kg: 8 reps, before 7 reps · Wed 4 Mar`."""
    record = record_row(row, page)
    before = f", before {record['Before']}" if record["Before"] else ""
    day = near_day_text(row["workout_date"], page.today)
    text = f"{record['Record']}: {record['Value']}{before}"
    return element("span", f"{text} · ", element("span", day, class_="when"), class_="block")


def _show_plan(page: Page) -> None:
    """Draw the programme and the block of the profile, and how much of the plans was done."""
    show_programme(page)
    st.header("Sets done as planned")
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
        st.info("Shows after the first workout with a plan: a plan counts for the workouts after.")
        return
    latest = rows[-1]
    words = (
        f"In the week from {latest['week']}, {latest['met']} of {latest['planned']} planned sets "
        f"were done as planned or better, {latest['skipped']} were skipped."
    )
    show_chart(adherence_chart(rows), words, rows)
