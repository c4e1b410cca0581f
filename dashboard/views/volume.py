"""Hard sets of each muscle in a week, with ranges from studies, and their balance."""

from collections.abc import Sequence
from datetime import date, timedelta

import streamlit as st

from coach_agent.language.messages import (
    DEFAULT,
    capitalise,
    decimals,
    in_language,
    name_of,
    phrase,
)
from dashboard.charts import show_chart, volume_chart, week_strip
from dashboard.page import Page
from dashboard.released import Row
from dashboard.tables import show_table
from orchestration.text.measures import day_text, name_text, short_day_text

MUSCLES = """
    select
        week_start_date, muscle_group, fractional_set_count, direct_set_count, change_pct,
        volume_band
    from fct_muscle_week
    where athlete_id = $1 and volume_band is not null
    order by week_start_date desc, fractional_set_count desc, muscle_group
"""
BALANCE = """
    select
        push_set_count, pull_set_count, upper_set_count, lower_set_count, quad_set_count,
        hamstring_set_count
    from fct_consistency_week
    where
        athlete_id = $1
        and week_start_date between cast($2 as date) - interval 3 week and cast($2 as date)
    order by week_start_date desc
"""
RESPONSES = """
    select
        muscle_group, verdict, period_count, least_weekly_sets, most_weekly_sets, slope_pct,
        lower_pct, upper_pct
    from fct_volume_response
    where athlete_id = $1 and next_change_date is null
    order by muscle_group
"""

PERIOD_WEEKS, LEAST_PERIODS = 8, 6
"""Length of a period, and periods before an answer, in fct_volume_response."""

# The number that fits a phone's width.
_STRIP_WEEKS = 6
_SIDES = (
    ("Push to pull", "push_set_count", "pull_set_count"),
    ("Upper to lower body", "upper_set_count", "lower_set_count"),
    ("Quadriceps to hamstrings", "quad_set_count", "hamstring_set_count"),
)


def show_volume(page: Page) -> None:
    """Draw a week at a time, the latest first, then a comparison of the weeks before."""
    found = page.rows(MUSCLES)
    if not found:
        st.info(
            "No hard set of a known muscle yet; volume shows after the first workout with an "
            "exercise of Hevy's lists, or with one of your own that names its muscle."
        )
        return
    weeks = list(dict.fromkeys(row["week_start_date"] for row in found))
    week = st.selectbox("Week from", weeks, format_func=day_text)
    is_over = week + timedelta(days=7) <= page.now.astimezone(page.zone).date()
    _show_week([row for row in found if row["week_start_date"] == week], is_over=is_over)
    _show_balance(page, week)
    until = weeks.index(week)
    _show_strip(found, weeks[until : until + _STRIP_WEEKS])
    _show_response(page)


def _show_week(found: Sequence[Row], *, is_over: bool) -> None:
    rows = [
        {
            "muscle": name_text(row["muscle_group"]),
            "sets": row["fractional_set_count"],
            "direct sets": row["direct_set_count"],
            "change": "" if row["change_pct"] is None else f"{row['change_pct']:+.0f} %",
            "band": _band(row),
        }
        for row in found
    ]
    few = [row["muscle"].lower() for row in rows if row["band"] == "low"]
    words = "Low is below 4 sets a week, effective below 10, high up to 20, above it recovery may "
    words += "suffer."
    if few:
        words += f" Low in this week{'' if is_over else ', which is not over'}: {', '.join(few)}."
    show_chart(volume_chart(rows), words, rows)


def _show_balance(page: Page, week: date) -> None:
    """Draw the balance of one week, and of four: training sides in turns is balanced, too."""
    st.header("Balance")
    found = page.rows(BALANCE, week.isoformat())
    show_table(
        [
            {
                "Direct hard sets": name,
                "This week": _side_text(found[:1], one, other),
                "Four weeks": _side_text(found, one, other),
            }
            for name, one, other in _SIDES
        ]
    )


def _side_text(weeks: Sequence[Row], one: str, other: str) -> str:
    return f"{sum(row[one] for row in weeks):g} to {sum(row[other] for row in weeks):g}"


def _show_strip(found: Sequence[Row], weeks: Sequence[date]) -> None:
    """Draw the weeks as columns; a muscle that was not trained in one has no field there."""
    st.header("Week by week")
    rows = [
        {
            "muscle": name_text(row["muscle_group"]),
            "week": short_day_text(row["week_start_date"]),
            "sets": row["fractional_set_count"],
            "band": _band(row),
        }
        for row in reversed(found)
        if row["week_start_date"] in weeks
    ]
    enough = {row["muscle"] for row in rows if row["band"] != "low"}
    always_low = sorted({row["muscle"] for row in rows} - enough)
    words = f"Hard sets in {len(weeks)} weeks, each named by its Monday."
    if always_low:
        words += f" Low in all of them: {', '.join(always_low).lower()}."
    show_chart(week_strip(rows), words, rows)


def _show_response(page: Page) -> None:
    """Draw how gains went with weekly sets, in the athlete's language."""
    found = page.rows_of("fct_volume_response", RESPONSES)
    with in_language(page.profile.preferences.language if page.profile else DEFAULT):
        st.header(phrase("response-title"))
        st.caption(response_words(found))
        if rows := response_rows(found):
            show_table(rows)


def response_words(responses: Sequence[Row]) -> str:
    """Return what the estimates show, or what is missing for one and when it can be there."""
    if any(each["verdict"] != "not_enough_data" for each in responses):
        return phrase("response-meaning")
    most = max((each["period_count"] for each in responses), default=0)
    if most >= LEAST_PERIODS:
        return phrase("response-alike")
    return phrase(
        "response-few",
        least=LEAST_PERIODS,
        length=PERIOD_WEEKS,
        count=most,
        weeks=PERIOD_WEEKS * (LEAST_PERIODS - most),
    )


def response_rows(responses: Sequence[Row]) -> list[dict[str, str]]:
    """Return a row for each muscle with an answer."""
    return [
        {
            phrase("response-muscle"): capitalise(name_of("muscle", each["muscle_group"])),
            phrase("response-slope"): phrase(
                "response-interval",
                slope=_signed(each["slope_pct"]),
                low=_signed(each["lower_pct"]),
                high=_signed(each["upper_pct"]),
            ),
            phrase("response-sets"): phrase(
                "response-range",
                least=round(each["least_weekly_sets"]),
                most=round(each["most_weekly_sets"]),
            ),
        }
        for each in responses
        if each["verdict"] != "not_enough_data"
    ]


def _signed(value: float) -> str:
    return decimals(f"{value:+.2f}")


def _band(row: Row) -> str:
    return name_text(row["volume_band"]).lower()
