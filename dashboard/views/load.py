"""Training load compared with the usual, and check-ins. For display only."""

import streamlit as st

from coach_agent.store.check_ins import FEELINGS, CheckIn
from dashboard.charts import load_chart, show_chart
from dashboard.page import Page
from dashboard.released import Row
from dashboard.tables import show_table
from dashboard.wording import moment_text
from orchestration.text.measures import day_text, name_text

_RATED_DAYS = 28
"""Days of whole weeks up to the last workout whose load must be known to show session RPE."""

METHOD = """
    with days as (
        select *, max(date_day) filter (where workout_count > 0) over () as last_trained_day
        from fct_training_load_day
        where athlete_id = $1
    )

    select if(count(training_load) = $2::integer, 'srpe', 'hard_sets') as load_method
    from days
    where
        load_method = 'srpe'
        and date_day > last_trained_day - $2::integer
        and date_day <= last_trained_day
"""

# Two weeks after the last training the series is complete: more days would be zero.
DAYS = """
    with shown as (
        select *, max(date_day) filter (where training_load > 0) over () as last_trained_day
        from fct_training_load_day
        where athlete_id = $1 and load_method = $2
    )

    select
        date_day, training_load, load_method, ctl, atl, tsb, is_warming_up, last_trained_day,
        max(date_day) over () > last_trained_day + 14 as is_long_ago
    from shown
    where date_day > last_trained_day - 106
    qualify date_day <= last_trained_day + 14
    order by date_day
"""
WEEKS = """
    select week_start_date, weekly_load, monotony, strain
    from fct_training_load_day
    where
        athlete_id = $1
        and load_method = $2
        and weekly_load is not null
        and date_day = week_start_date + 6
        and date_day < $3::date + 7
    order by date_day desc limit 8
"""
SAID = """
    select checked_in_at, energy, soreness, available_minutes, pains, deloads
    from fct_check_in
    where athlete_id = $1
    order by checked_in_at desc, check_in_id limit 20
"""
_FEELINGS = dict(zip(FEELINGS.values(), FEELINGS, strict=True))
_UNITS = {"srpe": "session RPE × minutes", "hard_sets": "hard sets"}


def show_load(page: Page) -> None:
    """Draw the last four months of training by day and by complete weeks, with check-ins."""
    _show_days(page)
    _show_check_ins(page)


def _show_days(page: Page) -> None:
    method = page.rows(METHOD, f"{_RATED_DAYS}")[0]["load_method"]
    days = page.rows(DAYS, method)
    if not days:
        st.info("Nothing has been trained yet; load shows after the first workout.")
        return
    st.info("For display only: no plan depends on these numbers, and studies disagree on them.")
    rows = [
        {
            "day": row["date_day"].isoformat(),
            "load": _rounded(row["training_load"]),
            "fitness (CTL)": round(row["ctl"], 2),
            "fatigue (ATL)": round(row["atl"], 2),
            "balance (TSB)": round(row["tsb"], 2),
        }
        for row in days
    ]
    latest = days[-1]
    words = (
        f"On {day_text(latest['date_day'])}: fitness {latest['ctl']:.1f}, fatigue "
        f"{latest['atl']:.1f}, in {_UNITS[latest['load_method']]} a day. Balance before that day's "
        f"training, fitness less fatigue: {latest['tsb']:+.1f}."
    )
    if latest["is_warming_up"]:
        words += " The first two months read too low: earlier training is not in the data."
    if latest["is_long_ago"]:
        words += f" Nothing has been trained since {day_text(latest['last_trained_day'])}."
    show_chart(load_chart(rows, f"{_UNITS[latest['load_method']]} a day"), words, rows)
    st.header("Full weeks")
    weeks = page.rows(WEEKS, method, latest["last_trained_day"].isoformat())
    if not weeks:
        st.markdown("Shows after the first week from Monday to Sunday.")
        return
    show_table(
        [
            {
                "Week from": day_text(row["week_start_date"]),
                "Load": f"{round(row['weekly_load'], 1):g}",
                "Monotony": "" if row["monotony"] is None else f"{row['monotony']:.2f}",
                "Strain": "" if row["strain"] is None else f"{row['strain']:.0f}",
            }
            for row in weeks
        ]
    )
    st.caption(
        "Monotony: the mean of a week's daily loads over their spread. Strain: load × monotony."
    )


def _rounded(load: float | None) -> float | None:
    """Return the load of a day for the chart; None where it is unknown."""
    return None if load is None else round(load, 1)


def _show_check_ins(page: Page) -> None:
    st.header("What you said before training")
    said = page.rows_of("fct_check_in", SAID)
    newer = page.released.newer_plan_of(page.athlete_id)
    if newer is not None:
        known = {page.utc(row["checked_in_at"]) for row in said}
        later = [each for each in newer.check_ins if each.checked_in_at not in known]
        said = sorted(
            [*said, *map(_check_in_row, later)], key=lambda row: row["checked_in_at"], reverse=True
        )
    if not said:
        st.markdown("Nothing so far. Check in on the page Today before you train.")
        return
    show_table(
        [
            {
                "When": moment_text(page.utc(row["checked_in_at"]), page.zone),
                "Energy": name_text(_FEELINGS.get(row["energy"], "")),
                "Soreness": name_text(_FEELINGS.get(row["soreness"], "")),
                "Minutes": row["available_minutes"] or "",
                "Hurts": row["pains"] or "",
                "Easy": row["deloads"] or "",
            }
            for row in said
        ]
    )


def _check_in_row(said: CheckIn) -> Row:
    """Return a check-in that is not released yet as a row of `SAID`."""
    return {
        "checked_in_at": said.checked_in_at.replace(tzinfo=None),
        "energy": said.energy,
        "soreness": said.soreness,
        "available_minutes": said.minutes,
        "pains": ", ".join(sorted(f"{each.part}: {each.level}" for each in said.pain)),
        "deloads": ", ".join(sorted(said.deload)),
    }
