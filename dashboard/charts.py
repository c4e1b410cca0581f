"""Charts with colours for colour-blind people on light and dark, and a text for each."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, TypeAlias

import streamlit as st

from dashboard.markup import Html, element, picture
from dashboard.released import Row

if TYPE_CHECKING:
    # Most pages have no chart, and it takes half a second to import.
    import altair as alt

# Of the palette of Okabe and Ito (2008), as dark as a contrast of 3:1 on the dark page permits:
# white numbers on them have 4.5:1.
BLUE, ORANGE, GREEN, PURPLE = "#277BB8", "#C15500", "#008661", "#A85C8D"
BAND_COLOURS = {"low": ORANGE, "effective": BLUE, "high": GREEN, "check_recovery": PURPLE}

# No colour has a contrast of 4.5:1 on both pages, which small text needs: labels beside a line do
# not have its colour.
TEXT = {"light": "#5F5B55", "dark": "#BDB9B2"}

_HEIGHT, _BAR_HEIGHT = 240, 24
# Labels of two lines that end close to each other stay apart; pixels.
_LABEL_SHIFT = 8
# Of the days of a chart: enough for a word on a phone.
_LABEL_MARGIN = 0.16
_DAY = "%a %d %b %Y"

AnyChart: TypeAlias = "alt.Chart | alt.LayerChart | alt.FacetChart"


def show_chart(chart: AnyChart, words: str, rows: Sequence[Row]) -> None:
    """Draw a chart with its content in words below, and its numbers as a table."""
    drawn = with_text_colour(chart, st.context.theme.type or "light")
    st.altair_chart(drawn, width="stretch", alt=words)
    st.caption(words)
    with st.expander("The same as a table"):
        st.dataframe(list(rows), hide_index=True, width="stretch")


def with_text_colour(chart: AnyChart, theme: str) -> AnyChart:
    """Set the colour of axes, legends and plain labels for the theme, `light` or `dark`."""
    colour = TEXT[theme]
    coloured: AnyChart = (
        chart.configure_text(color=colour)
        .configure_axis(labelColor=colour, titleColor=colour)
        .configure_legend(labelColor=colour, titleColor=colour)
    )
    return coloured


def strength_chart(rows: Sequence[Row], unit: str) -> AnyChart:
    """Build a chart of the estimated maximum by day, with the 80 % band of its latest basis.

    `rows` have `day` (YYYY-MM-DD), `estimate`, `low` and `high` in `unit`, and `basis`; each basis
    has its own line and label, because only maxima of one basis are comparable.
    """
    import altair as alt

    latest = rows[-1]["basis"]
    ends = {row["basis"]: index for index, row in enumerate(rows)}
    values = [
        {
            **row,
            "day": _local(row["day"]),
            "is_latest": row["basis"] == latest,
            "label": f"{row['estimate']:g} {unit}" if ends[row["basis"]] == index else "",
        }
        for index, row in enumerate(rows)
    ]
    base = alt.Chart(_days(values))
    day = _day_axis()
    estimate = alt.Y("estimate:Q", title=f"e1RM ({unit})", scale=alt.Scale(zero=False))
    band = (
        base.transform_filter("datum.is_latest")
        .mark_area(opacity=0.18, color=BLUE)
        .encode(x=day, y=alt.Y("low:Q", title=f"e1RM ({unit})"), y2="high:Q")
    )
    colour = alt.Color(
        "is_latest:N", legend=None, scale=alt.Scale(domain=[True, False], range=[BLUE, PURPLE])
    )
    lines = base.mark_line(strokeWidth=1.5).encode(
        x=day, y=estimate, color=colour, detail="basis:N"
    )
    points = base.mark_point(filled=True, size=40, opacity=1).encode(
        x=day,
        y=estimate,
        color=colour,
        shape=alt.Shape("basis:N", legend=None),
        tooltip=[
            alt.Tooltip("day:T", format=_DAY, title="day"),
            alt.Tooltip("estimate:Q", title=f"e1RM ({unit})"),
            alt.Tooltip("low:Q", title="80 % from"),
            alt.Tooltip("high:Q", title="to"),
            alt.Tooltip("basis:N", title="how"),
        ],
    )
    return alt.layer(band, lines, points, _end_labels(base, day, estimate)).properties(
        height=_HEIGHT
    )


def sparkline(values: Sequence[float], alt: str) -> Html:
    """Build a small line of values in order, with a dot at the last one; `alt` is its text."""
    width, height, edge = 120, 32, 4
    low, span = min(values), (max(values) - min(values)) or 1.0
    step = (width - 2 * edge) / max(len(values) - 1, 1)
    points = [
        (edge + index * step, height - edge - (value - low) / span * (height - 2 * edge))
        for index, value in enumerate(values)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    drawing = element(
        "svg",
        element("polyline", points=line, fill="none", stroke=BLUE, stroke_width="2"),
        element("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r="3", fill=BLUE),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=f"{width}",
        height=f"{height}",
    )
    return picture(drawing, alt)


def adherence_chart(rows: Sequence[Row]) -> AnyChart:
    """Build a chart of the share of done sets by week; `rows` have `day` and `as planned (%)`."""
    values = [
        {**row, "label": f"{row['as planned (%)']:.0f}", "value": row["as planned (%)"]}
        for row in rows
    ]
    return _labelled_bars(values, "sets as planned (%)")


def volume_bars(rows: Sequence[Row], unit: str) -> AnyChart:
    """Build a chart of load times reps by workout; `rows` have `day` and `volume` in `unit`."""
    latest = len(rows) - 1
    values = [
        {**row, "value": row["volume"], "label": f"{row['volume']:,.0f}" if n == latest else ""}
        for n, row in enumerate(rows)
    ]
    return _labelled_bars(values, f"load × reps ({unit})")


def body_chart(rows: Sequence[Row], unit: str) -> AnyChart:
    """Build a chart of body weight with the trend of each source.

    `rows` have `day`, `weight`, `trend` and `source`. Trends of two scales do not share a line.
    """
    import altair as alt

    ends = {row["source"]: index for index, row in enumerate(rows)}
    values = [
        {
            **row,
            "day": _local(row["day"]),
            "label": (row["source"] if len(ends) > 1 else "trend")
            if ends[row["source"]] == index
            else "",
            "shift": 0,
        }
        for index, row in enumerate(rows)
    ]
    base = alt.Chart(_days(values))
    day, scale = _day_axis(rows), alt.Scale(zero=False)
    points = base.mark_point(filled=True, size=30, opacity=0.7, color=PURPLE).encode(
        x=day, y=alt.Y("weight:Q", title=f"body weight ({unit})", scale=scale)
    )
    trend = alt.Y("trend:Q", scale=scale)
    line = base.mark_line(color=BLUE).encode(x=day, y=trend, detail="source:N")
    label = _margin_labels(base).encode(x=day, y=trend, text="label:N")
    return alt.layer(points, line, label).properties(height=_HEIGHT)


def recovery_chart(rows: Sequence[Row], measure: str) -> AnyChart:
    """Build a line of one recovery metric by day; `rows` have `day` and `value`."""
    import altair as alt

    values = [{**row, "day": _local(row["day"])} for row in rows]
    chart: alt.Chart = (
        alt.Chart(_days(values))
        .mark_line(color=BLUE, point=True)
        .encode(x=_day_axis(), y=alt.Y("value:Q", title=measure, scale=alt.Scale(zero=False)))
        .properties(height=_HEIGHT)
    )
    return chart


def load_chart(rows: Sequence[Row], measure: str) -> AnyChart:
    """Build a chart of fitness and fatigue by day; `rows` as in `load`, `measure` is their unit."""
    import altair as alt

    names = ["fitness (CTL)", "fatigue (ATL)"]
    values = [
        {
            "day": _local(row["day"]),
            "what": name,
            "value": row[name],
            "label": name.split(" ")[0] if row is rows[-1] else "",
            "shift": _LABEL_SHIFT
            if row[name] < max(row[each] for each in names)
            else -_LABEL_SHIFT,
        }
        for row in rows
        for name in names
    ]
    base = alt.Chart(_days(values))
    day, value = _day_axis(rows), alt.Y("value:Q", title=measure)
    colour = alt.Color("what:N", legend=None, scale=alt.Scale(domain=names, range=[BLUE, ORANGE]))
    dash = alt.StrokeDash("what:N", legend=None, sort=names)
    lines = base.mark_line().encode(x=day, y=value, color=colour, strokeDash=dash)
    labels = _margin_labels(base).encode(x=day, y=value, text="label:N")
    return alt.layer(lines, labels).properties(height=_HEIGHT)


def volume_chart(rows: Sequence[Row]) -> AnyChart:
    """Build a chart of one week's sets by muscle, coloured by band; see `volume` for `rows`."""
    import altair as alt

    values = [{**row, "label": f"{row['sets']:g} {row['band']}"} for row in rows]
    most = max(row["sets"] for row in rows)
    base = alt.Chart(alt.InlineData(values)).encode(
        y=alt.Y("muscle:N", sort=[row["muscle"] for row in rows], title=None, axis=_name_axis()),
        x=alt.X(
            "sets:Q",
            title="hard sets (assisting muscles count half)",
            scale=alt.Scale(domain=[0, 1.6 * most]),
        ),
    )
    bars = base.mark_bar().encode(
        color=_band_colour(is_labelled=True), tooltip=["muscle:N", "sets:Q", "band:N"]
    )
    labels = base.mark_text(align="left", dx=4).encode(text="label:N")
    return alt.layer(bars, labels).properties(height=_BAR_HEIGHT * len(rows) + 50)


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
    ends = {
        name: max((n for n, row in enumerate(rows) if row[name] is not None), default=None)
        for name in names
    }
    values = [
        {
            "day": _local(row["day"]),
            "what": name,
            "value": row[name],
            "label": name if ends[name] == n else "",
        }
        for n, row in enumerate(rows)
        for name in names
        if row[name] is not None
    ]
    colour = alt.Color("what:N", legend=None, scale=alt.Scale(domain=names, range=[ORANGE, BLUE]))
    base = alt.Chart(_days(values))
    day = _day_axis()
    value = alt.Y("value:Q", title=measure, scale=alt.Scale(zero=False))
    tooltip = [
        alt.Tooltip("day:T", format=_DAY, title="day"),
        alt.Tooltip("what:N", title="what"),
        alt.Tooltip("value:Q", title=measure),
    ]
    lines = base.mark_line(strokeDash=[6, 4]).encode(x=day, y=value, color=colour)
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=day,
        y=value,
        color=colour,
        shape=alt.Shape("what:N", scale=alt.Scale(domain=names), legend=None),
        tooltip=tooltip,
    )
    return alt.layer(lines, points, _end_labels(base, day, value)).properties(height=_HEIGHT)


def _labelled_bars(values: Sequence[Row], measure: str) -> AnyChart:
    """Build bars by day with labels on top; `values` have `day`, `value` and `label`."""
    import altair as alt

    # Each label names the day of a bar: Vega would name Sundays below the bars of Mondays.
    days = [_day_of(date.fromisoformat(row["day"])) for row in values]
    axis = alt.Axis(values=days, format="%-d %b", labelOverlap=True, labelFlush=True)
    base = alt.Chart(_days([{**row, "day": _local(row["day"])} for row in values])).encode(
        x=alt.X("day:T", title=None, axis=axis), y=alt.Y("value:Q", title=measure)
    )
    bars = base.mark_bar(color=BLUE, size=max(4, min(14, 240 // len(values))))
    labels = base.mark_text(dy=-7).encode(text="label:N")
    return alt.layer(bars, labels).properties(height=_HEIGHT)


def _end_labels(base: "alt.Chart", day: "alt.X", value: "alt.Y") -> "alt.Chart":
    """Build the labels beside the last points; other points have an empty `label`."""
    labels: alt.Chart = base.mark_text(align="right", dy=-12, fontWeight="bold").encode(
        x=day, y=value, text="label:N"
    )
    return labels


def _margin_labels(base: "alt.Chart") -> "alt.Chart":
    """Build the labels in the margin of `_day_axis(rows)`, `shift` pixels below their points."""
    import altair as alt

    labels: alt.Chart = base.mark_text(
        align="left", dx=6, dy=alt.expr("datum.shift"), fontWeight="bold"
    )
    return labels


def _local(day: str) -> str:
    """Return a time without a zone: a bare day is midnight in UTC, in the west the day before."""
    return f"{day}T00:00:00"


def _days(values: Sequence[Row]) -> "alt.InlineData":
    import altair as alt

    return alt.InlineData(list(values), format=alt.JsonDataFormat(parse={"day": "date"}))


def _day_axis(rows: Sequence[Row] = ()) -> "alt.X":
    """Build the axis of days; with `rows` it has a margin for labels after the last one."""
    import altair as alt

    # Labels stay inside: the last day is mostly at the very edge, or a few pixels before.
    axis = alt.Axis(
        format="%-d %b", labelOverlap=True, labelFlush=True, labelBound=True, tickCount=6
    )
    if not rows:
        return alt.X("day:T", title=None, axis=axis)
    first, last = (date.fromisoformat(row["day"]) for row in (rows[0], rows[-1]))
    end = last + max(last - first, timedelta(days=1)) * _LABEL_MARGIN
    scale = alt.Scale(domain=[_day_of(first), _day_of(end)])
    return alt.X("day:T", title=None, axis=axis, scale=scale)


def _day_of(day: date) -> "alt.DateTime":
    import altair as alt

    return alt.DateTime(year=day.year, month=day.month, date=day.day)


def _name_axis() -> "alt.Axis":
    import altair as alt

    # Each in the middle of its row: Vega would omit some, and move the first.
    return alt.Axis(labelOverlap=False, labelFlush=False)


def _band_colour(*, is_labelled: bool = False) -> "alt.Color":
    import altair as alt

    names = [name.replace("_", " ") for name in BAND_COLOURS]
    return alt.Color(
        "band:N",
        title=None,
        scale=alt.Scale(domain=names, range=list(BAND_COLOURS.values())),
        legend=None if is_labelled else alt.Legend(orient="bottom", columns=2),
    )
