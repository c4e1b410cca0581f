"""Format numbers, times and external texts in the athlete's unit and time zone."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from coach_agent.domain.plan import Prediction
from coach_agent.domain.units import Unit
from coach_agent.language.messages import capitalise, decimals, phrase
from coach_agent.language.messages import day_text as language_day
from coach_agent.profile.model import AthleteProfile
from orchestration.services.answers.training import done_set
from orchestration.services.briefing.brief import ahead
from orchestration.services.releases.released import Row
from orchestration.text.measures import day_text
from orchestration.text.sets import done_notation
from orchestration.text.wording import age_text

# A day and month within it need no year.
_YEAR_DAYS = 300


def moment_text(moment: datetime, zone: ZoneInfo) -> str:
    """Format an aware time in the athlete's zone: `Wed 18 Nov 2026, 17:32`."""
    local = moment.astimezone(zone)
    return f"{day_text(local)}, {local:%H:%M}"


def near_day_text(day: date, today: date) -> str:
    """Format a day: `Today`, `Yesterday`, `Tomorrow`, `Wed 4 Mar`; far ones with the year."""
    days = (day - today).days
    if abs(days) <= 1:
        return capitalise(phrase(("yesterday", "today", "tomorrow")[days + 1]))
    return language_day(day, "day-near" if abs(days) < _YEAR_DAYS else "day-short")


def season_lines(profile: AthleteProfile, today: date) -> Iterator[tuple[str, str]]:
    """Yield name and text of the event, the phase and a planned easy week."""
    for item in ahead(profile, today):
        yield item.name or phrase("easy-week"), item.text


def distinct_names(athletes: Iterable[Row]) -> dict[str, str]:
    """Return the name of each athlete by id; a name of several athletes is followed by the id."""
    named = {row["athlete_id"]: row["name"] or row["athlete_id"] for row in athletes}
    counts = Counter(named.values())
    return {
        athlete_id: name if counts[name] == 1 else f"{name} ({athlete_id})"
        for athlete_id, name in named.items()
    }


def natural_order(text: str) -> list[tuple[int, str]]:
    """Return a key that sorts without regard to case, and numbers by value: 2 before 10."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part)
        for part in re.split(r"(\d+)", text.casefold())
    ]


def ago_text(seconds: float) -> str:
    """Format a duration: `3 hours ago`; `just now` within two minutes."""
    return "just now" if seconds < 120 else f"{age_text(seconds)} ago"


def done_rows_text(rows: Sequence[Row], unit: Unit, exercise_type: str | None) -> str:
    """Format rows of `fct_set`: `80 kg × 8, 8, 7`."""
    return done_notation([done_set(row) for row in rows], unit, exercise_type)


def chance_text(prediction: Prediction | None) -> str:
    """Format the chance to reach a target and the 80 % interval: `92% (4.8-6.1)`; empty if unknown.

    Seconds and metres have their unit: `92% (55-66 s)`.
    """
    if prediction is None:
        return ""
    interval = decimals(f"{prediction.low:.1f}-{prediction.high:.1f}")
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
