"""Charts with colours for colour-blind people on light and dark, and a text for each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import streamlit as st

from dashboard.released import Row

if TYPE_CHECKING:
    # Most pages have no chart, and it takes half a second to import.
    import altair as alt

# Of the palette of Okabe and Ito (2008), lightened where it is too dark for a dark page. The
# contrast is over 3:1 on white and on Streamlit's dark.
BLUE, ORANGE, GREEN, PURPLE = "#2A86C8", "#D55E00", "#00936B", "#B8659A"
BAND_COLOURS = {"low": ORANGE, "effective": BLUE, "high": GREEN, "check_recovery": PURPLE}

_HEIGHT, _BAR_HEIGHT, _LEGEND_HEIGHT = 260, 24, 60
_DAY = "%a %d %b %Y"

AnyChart: TypeAlias = "alt.Chart | alt.LayerChart | alt.FacetChart"


def show_chart(chart: AnyChart, words: str, rows: Sequence[Row]) -> None:
    """Draw a chart with its content in words below, and its numbers as a table."""
    st.altair_chart(chart, width="stretch", alt=words)
    st.caption(words)
    with st.expander("The same as a table"):
        st.dataframe(list(rows), hide_index=True, width="stretch")


def strength_chart(rows: Sequence[Row], unit: str) -> AnyChart:
    """Build a chart of the estimated maximum by day with its 80 % band and a line.

    `rows` have `day` (YYYY-MM-DD), `estimate`, `low` and `high` in `unit`, and `basis`; each basis
    has a separate line, because only maxima of one basis are comparable.
    """
    import altair as alt

    # A bare day would be midnight in UTC, which is the day before in the west.
    values = [{**row, "day": f"{row['day']}T00:00:00"} for row in rows]
    base = alt.Chart(alt.InlineData(values, format=alt.JsonDataFormat(parse={"day": "date"})))
    day = _day_axis()
    scale = alt.Scale(zero=False)
    band = base.mark_area(opacity=0.18, color=BLUE).encode(
        x=day, y=alt.Y("low:Q", title=f"e1RM ({unit})", scale=scale), y2="high:Q", detail="basis:N"
    )
    points = base.mark_point(filled=True, size=45, opacity=1, color=BLUE).encode(
        x=day,
        y=alt.Y("estimate:Q", scale=scale),
        shape=alt.Shape(
            "basis:N", title=None, legend=alt.Legend(orient="bottom", columns=1, labelLimit=300)
        ),
        tooltip=[
            alt.Tooltip("day:T", format=_DAY, title="day"),
            alt.Tooltip("estimate:Q", title=f"e1RM ({unit})"),
            alt.Tooltip("low:Q", title="80 % from"),
            alt.Tooltip("high:Q", title="to"),
            alt.Tooltip("basis:N", title="how"),
        ],
    )
    trend = (
        base.transform_regression("day", "estimate", groupby=["basis"])
        .mark_line(color=ORANGE, strokeDash=[6, 4])
        .encode(x=day, y=alt.Y("estimate:Q", scale=scale), detail="basis:N")
    )
    return alt.layer(band, points, trend).properties(height=_HEIGHT + _LEGEND_HEIGHT)


def adherence_chart(rows: Sequence[Row]) -> AnyChart:
    """Build a chart of the share of done sets by week; `rows` have `day` and `as planned (%)`."""
    import altair as alt

    values = [{**row, "day": f"{row['day']}T00:00:00"} for row in rows]
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values, format=alt.JsonDataFormat(parse={"day": "date"})))
        .mark_bar(color=BLUE, size=14)
        .encode(
            x=_day_axis(),
            y=alt.Y(
                "as planned (%):Q", title="sets as planned (%)", scale=alt.Scale(domain=[0, 100])
            ),
            tooltip=["week:N", "as planned (%):Q", "met:Q", "skipped:Q", "planned:Q"],
        )
        .properties(height=_HEIGHT)
    )
    return chart


def load_chart(rows: Sequence[Row]) -> AnyChart:
    """Build a chart of daily load with fitness, fatigue and balance; see `load` for `rows`."""
    import altair as alt

    names = ["fitness (CTL)", "fatigue (ATL)", "balance (TSB)"]
    values = [
        {"day": f"{row['day']}T00:00:00", "what": name, "value": row[name]}
        for row in rows
        for name in ("load", *names)
    ]
    data = alt.InlineData(values, format=alt.JsonDataFormat(parse={"day": "date"}))
    day = _day_axis()
    bars = (
        alt.Chart(data)
        .transform_filter("datum.what == 'load'")
        .mark_bar(opacity=0.3, color=PURPLE)
        .encode(x=day, y=alt.Y("value:Q", title="load"))
    )
    lines = (
        alt.Chart(data)
        .transform_filter("datum.what != 'load'")
        .mark_line()
        .encode(
            x=day,
            y="value:Q",
            color=alt.Color(
                "what:N",
                title=None,
                scale=alt.Scale(domain=names, range=[BLUE, ORANGE, GREEN]),
                legend=alt.Legend(orient="bottom", columns=2),
            ),
            strokeDash=alt.StrokeDash("what:N", legend=None, sort=names),
        )
    )
    return alt.layer(bars, lines).properties(height=_HEIGHT)


def volume_chart(rows: Sequence[Row]) -> AnyChart:
    """Build a chart of one week's sets by muscle, coloured by band; see `volume` for `rows`."""
    import altair as alt

    chart: alt.Chart = (
        alt.Chart(alt.InlineData(list(rows)))
        .mark_bar()
        .encode(
            y=alt.Y("muscle:N", sort="-x", title=None, axis=_name_axis()),
            x=alt.X("sets:Q", title="hard sets, helping muscles by half"),
            color=_band_colour(),
            tooltip=["muscle:N", "sets:Q", "band:N"],
        )
        .properties(height=_BAR_HEIGHT * len(rows) + 90)
    )
    return chart


def week_strip(rows: Sequence[Row]) -> AnyChart:
    """Build a strip of sets by muscle and week, coloured by their band; see `volume` for `rows`."""
    import altair as alt

    weeks = list(dict.fromkeys(row["week"] for row in rows))
    muscles = sorted({row["muscle"] for row in rows})
    week_axis = alt.Axis(
        orient="top", labelAngle=0, labelOverlap=False, labelFlush=False, labelFontSize=11
    )
    base = alt.Chart(alt.InlineData(list(rows))).encode(
        x=alt.X("week:O", sort=weeks, title=None, axis=week_axis),
        y=alt.Y("muscle:N", sort=muscles, title=None, axis=_name_axis()),
    )
    fields = base.mark_rect(stroke="transparent", strokeWidth=2).encode(
        color=_band_colour(),
        tooltip=["muscle:N", "week:O", "sets:Q", "band:N"],
    )
    counts = base.mark_text(color="white", fontWeight="bold", fontSize=13).encode(text="sets:Q")
    return alt.layer(fields, counts).properties(height=_BAR_HEIGHT * len(muscles) + 90)


def plan_chart(rows: Sequence[Row], measure: str) -> AnyChart:
    """Build a chart of planned and done by workout; `rows` have `day`, `planned`, `done`.

    `measure` is the unit of both, for the axis.
    """
    import altair as alt

    names = ["planned", "done"]
    values = [
        {"day": f"{row['day']}T00:00:00", "what": name, "value": row[name]}
        for row in rows
        for name in names
        if row[name] is not None
    ]
    colour = alt.Color(
        "what:N",
        title=None,
        scale=alt.Scale(domain=names, range=[ORANGE, BLUE]),
        legend=alt.Legend(orient="bottom"),
    )
    base = alt.Chart(
        alt.InlineData(values, format=alt.JsonDataFormat(parse={"day": "date"}))
    ).encode(
        x=_day_axis(),
        y=alt.Y("value:Q", title=measure, scale=alt.Scale(zero=False)),
        tooltip=[
            alt.Tooltip("day:T", format=_DAY, title="day"),
            alt.Tooltip("what:N", title="what"),
            alt.Tooltip("value:Q", title=measure),
        ],
    )
    lines = base.mark_line(strokeDash=[6, 4]).encode(color=colour)
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        color=colour, shape=alt.Shape("what:N", scale=alt.Scale(domain=names), title=None)
    )
    return alt.layer(lines, points).properties(height=_HEIGHT + _LEGEND_HEIGHT)


def _day_axis() -> "alt.X":
    import altair as alt

    # Labels stay inside: the last day is mostly at the very edge.
    axis = alt.Axis(format="%d %b", labelOverlap=True, labelFlush=True, tickCount=6)
    return alt.X("day:T", title=None, axis=axis)


def _name_axis() -> "alt.Axis":
    import altair as alt

    # Each in the middle of its row: Vega would omit some, and move the first.
    return alt.Axis(labelOverlap=False, labelFlush=False)


def _band_colour() -> "alt.Color":
    import altair as alt

    names = [name.replace("_", " ") for name in BAND_COLOURS]
    return alt.Color(
        "band:N",
        title=None,
        scale=alt.Scale(domain=names, range=list(BAND_COLOURS.values())),
        legend=alt.Legend(orient="bottom", columns=2),
    )
