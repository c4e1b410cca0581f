"""Format days, estimates and verdicts of the marts for lifters."""

from datetime import date

from coach_agent.domain.units import KILOGRAMS_PER_POUND, Unit

STALL_WORDS = {
    "stalled": "Stalled: no progress",
    "not_stalled": "Not stalled",
    "insufficient": "Too few workouts to judge",
}
PLATEAU_WORDS = {
    "high_effort": "Sets were very hard: try a small deload.",
    "low_reps": "Few reps a set: try sets of 6 to 8.",
    "other": "Try a close variation for some weeks.",
}

# Shown as 0.0 %.
_STEADY_PCT = 0.05


def day_text(day: date) -> str:
    """Format a day: `Wed 18 Nov 2026`."""
    return f"{day:%a} {day.day} {day:%b %Y}"


def short_day_text(day: date) -> str:
    """Format a day of this year in short form: `18 Nov`."""
    return f"{day.day} {day:%b}"


def estimate_in(kilograms: float, unit: Unit) -> float:
    """Convert an estimated maximum to the athlete's unit, to a tenth, since it is not loaded."""
    return round(kilograms if unit == "kg" else kilograms / KILOGRAMS_PER_POUND, 1)


def estimate_text(kilograms: float, unit: Unit) -> str:
    """Format an estimated maximum or volume: `131.3 kg`, `289.4 lb`."""
    return f"{estimate_in(kilograms, unit):,g} {unit}"


def name_text(name: str) -> str:
    """Format an identifier: `upper_back` is `Upper back`, `very-low` is `Very low`."""
    return name.replace("_", " ").replace("-", " ").capitalize()


def trend_text(verdict: str | None, slope_pct: float | None) -> str:
    """Format the trend of a lift in a list: `Gaining 0.4 % a workout`."""
    if verdict not in {"stalled", "not_stalled"} or slope_pct is None:
        return "Too few workouts to judge"
    if verdict == "stalled":
        return "Stalled"
    if abs(slope_pct) < _STEADY_PCT:
        return "Steady"
    return f"{'Gaining' if slope_pct > 0 else 'Slipping'} {abs(slope_pct):.1f} % a workout"


def verdict_text(verdict: str | None, plateau_reason: str | None, slope_pct: float | None) -> str:
    """Format the verdict on a lift, with its slope (% an exposure) if there is one."""
    if verdict is None:
        return "No trend: nothing of it gives an estimated maximum."
    text = STALL_WORDS[verdict]
    if slope_pct is not None:
        text += f", {slope_pct:+.1f} % a workout"
    if plateau_reason is not None:
        return f"{text}. {PLATEAU_WORDS[plateau_reason]}"
    return f"{text}."
