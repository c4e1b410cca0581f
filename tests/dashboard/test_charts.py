"""Text of charts is readable in both themes: axe-core cannot see into a canvas."""

import pytest

from dashboard import charts
from dashboard.charts import AnyChart, volume_chart, with_text_colour
from orchestration.server.dashboard import STREAMLIT_OPTIONS


def luminance(colour: str) -> float:
    """Return the relative luminance of `#RRGGBB` (WCAG 2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    darker, lighter = sorted(luminance(colour) for colour in (first, second))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_labels_of_charts_are_readable(theme: str) -> None:
    """One grey for both themes had a contrast of 3.9 and 4.3, the axes of the light one 3.5."""
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    rows = [{"muscle": "Chest", "sets": 9.0, "band": "effective", "key": "effective"}]
    chart = with_text_colour(volume_chart(rows), theme).to_dict()
    config, background = chart["config"], STREAMLIT_OPTIONS[f"theme.{theme}.backgroundColor"]
    texts = (
        config["text"]["color"],
        config["axis"]["labelColor"],
        config["axis"]["titleColor"],
        config["legend"]["labelColor"],
    )
    assert min(contrast(text, str(background)) for text in texts) >= 4.5
    assert "color" not in chart["layer"][1]["mark"]


DAYS = ("2026-03-01", "2026-03-08")
WEEK = [{"muscle": "Chest", "week": "1 Mar", "sets": 9.0, "band": "low", "key": "low"}]
CHARTS = {
    "strength": charts.strength_chart(
        [{"day": day, "estimate": 100.0, "low": 95.0, "high": 105.0, "basis": day} for day in DAYS],
        "kg",
    ),
    "body": charts.body_chart(
        [{"day": day, "weight": 80.0, "trend": 80.0, "source": day} for day in DAYS], "kg"
    ),
    "load": charts.load_chart(
        [{"day": day, "fitness (CTL)": 5.0, "fatigue (ATL)": 6.0} for day in DAYS], "sets"
    ),
    "plan": charts.plan_chart([{"day": day, "planned": 5.0, "done": 6.0} for day in DAYS], "kg"),
    "adherence": charts.adherence_chart([{"day": day, "as planned (%)": 90.0} for day in DAYS]),
    "week": charts.week_strip(WEEK),
}


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_labels_beside_lines_have_the_colour_of_the_theme(chart: AnyChart) -> None:
    """Labels had the colour of their line: a contrast of 3.6 on the light page."""
    labels = [
        each
        for each in chart.to_dict()["layer"]
        if isinstance(each["mark"], dict) and each["mark"]["type"] == "text"
    ]
    assert labels
    for each in labels:
        assert "color" not in each["encoding"]
        assert each["mark"].get("color", "white") == "white"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_of_charts_stand_out_and_carry_white_numbers(theme: str) -> None:
    """White numbers on the weeks' fields had a contrast of 3.9."""
    pages = [
        str(STREAMLIT_OPTIONS[f"theme.{theme}.{name}Color"])
        for name in ("background", "secondaryBackground")
    ]
    for colour in charts.BAND_COLOURS.values():
        assert contrast("#FFFFFF", colour) >= 4.5
        assert min(contrast(colour, page) for page in pages) >= 3
