"""Volume: hard sets of each muscle in a week, beside what studies found."""

import streamlit as st

from dashboard.charts import show_chart, volume_chart
from dashboard.page import Page
from dashboard.wording import day_text, name_text

WEEKS = """
    select distinct week_start_date from fct_muscle_week
    where athlete_id = $1 order by week_start_date desc
"""
MUSCLES = """
    select muscle_group, fractional_set_count, direct_set_count, change_pct, volume_band
    from fct_muscle_week
    where athlete_id = $1 and week_start_date = cast($2 as date) and volume_band is not null
    order by fractional_set_count desc, muscle_group
"""


def show(page: Page) -> None:
    """A week at a time, the latest first."""
    st.title("Volume")
    weeks = [row["week_start_date"] for row in page.rows(WEEKS)]
    if not weeks:
        st.info(
            "No hard set of a known muscle yet; volume shows after the first workout with an "
            "exercise of Hevy's lists, or with one of your own that names its muscle."
        )
        return
    week = st.selectbox("Week from", weeks, format_func=day_text)
    found = page.rows(MUSCLES, week.isoformat())
    rows = [
        {
            "muscle": name_text(row["muscle_group"]),
            "sets": row["fractional_set_count"],
            "direct sets": row["direct_set_count"],
            "change": "" if row["change_pct"] is None else f"{row['change_pct']:+.0f} %",
            "band": name_text(row["volume_band"]).lower(),
        }
        for row in found
    ]
    few = [row["muscle"].lower() for row in rows if row["band"] == "low"]
    words = "Low is below 4 sets a week, effective below 10, high up to 20, above it recovery may "
    words += "suffer."
    if few:
        words += f" Low in this week: {', '.join(few)}."
    show_chart(volume_chart(rows), words, rows)
