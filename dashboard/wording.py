"""Format numbers, times and external texts in the athlete's unit and time zone."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from coach_agent.domain.plan import Prediction
from orchestration.text.measures import day_text
from orchestration.text.wording import age_text


def moment_text(moment: datetime, zone: ZoneInfo) -> str:
    """Format an aware time in the athlete's zone: `Wed 18 Nov 2026, 17:32`."""
    local = moment.astimezone(zone)
    return f"{day_text(local)}, {local:%H:%M}"


def ago_text(seconds: float) -> str:
    """Format a duration: `3 hours ago`; `just now` within two minutes."""
    return "just now" if seconds < 120 else f"{age_text(seconds)} ago"


def chance_text(prediction: Prediction | None) -> str:
    """Format the chance to reach a target and the 80 % interval: `92% (4.8-6.1)`; empty if unknown.

    Seconds and metres have their unit: `92% (55-66 s)`.
    """
    if prediction is None:
        return ""
    interval = f"{prediction.low:.1f}-{prediction.high:.1f}"
    if prediction.unit != "reps":
        interval = f"{prediction.low:.0f}-{prediction.high:.0f} {prediction.unit}"
    if prediction.p_success is None:
        return interval
    return f"{prediction.p_success:.0%} ({interval})"


# Markup of Markdown and Streamlit: characters anywhere, and at the beginning of a line.
_MARKS = re.compile(r"[\\`*_\[\]<>~$|]|:(?=[A-Za-z])")
_FIRST_MARKS = re.compile(r"^(\s*)([#+=-](?![\w.])|\d+(?=[.)](?:\s|$)))", re.MULTILINE)


def plain(text: str) -> str:
    """Escape a text of an athlete, Hevy or a model, so that it is shown unchanged.

    Otherwise an exercise named `*` would change the page, and an image in a note would report the
    visitor to its server.
    """
    return _FIRST_MARKS.sub(_as_text, _MARKS.sub(r"\\\g<0>", text))


def _as_text(found: re.Match[str]) -> str:
    space, mark = found.groups()
    # A number marks a list by the next character, and a digit cannot be escaped.
    return f"{space}{mark}\\" if mark.isdigit() else f"{space}\\{mark}"


def unbroken(text: str) -> str:
    """Format a set for a narrow column: line breaks only before a range."""
    whole = text.replace(" ", "\N{NO-BREAK SPACE}").replace("-", "\N{NON-BREAKING HYPHEN}")
    return whole.replace("\N{NO-BREAK SPACE}(", " (")
