"""Text of charts is readable in both themes: axe-core cannot see into a canvas."""

import pytest

from dashboard.charts import volume_chart, with_text_colour
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
