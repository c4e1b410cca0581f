"""Format sets, plans and changes for the terminal and for Dagster."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from coach_agent.domain.plan import Plan
from coach_agent.domain.units import Unit, in_unit
from coach_agent.engine.explain.plan_texts import number, reasons, set_mark
from coach_agent.language.messages import day_text, in_language, phrase
from coach_agent.publishing.routine_changes import Change
from orchestration.text.sets import done_notation, plan_notation

ARROWS = {"up": "↑", "same": "=", "down": "↓", "out": "-"}
"""Direction of an exercise compared with the last time."""

_UNITS = {
    "reps": "reps",
    "duration_seconds": "s",
    "distance_meters": "m",
}


def age_text(seconds: float) -> str:
    """Format an age in the largest unit with at least two: 90 minutes, 47 hours, 3 days."""
    for unit, length_s in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length_s:
            return f"{int(seconds // length_s)} {unit}"
    return f"{max(int(seconds), 0)} seconds"


def change_place(change: Change) -> str:
    """Return the changed set of an exercise, such as `2W`, or the field of the exercise."""
    if change.set_index is None:
        return change.field
    return f"{change.set_index + 1}{set_mark(change.set_type or 'normal')}"


def change_text(change: Change, unit: Unit) -> str:
    """Format the change of one set: `80 → 82.5 kg`, `130 → 135 lb`, `sets 9 reps`."""
    is_load = change.field == "weight_kg"
    before, after = (
        number(in_unit(value, unit)) if is_load and value is not None else _value_text(value)
        for value in (change.before, change.after)
    )
    measure = unit if is_load else _UNITS.get(change.field, "")
    if change.before is None:
        return f"sets {after} {measure}".rstrip()
    return f"{before} → {after} {measure}".rstrip()


def plan_markdown(plan: Plan) -> str:
    """Format a plan as a Markdown table, one row per exercise, with reasons in its language."""
    with in_language(plan.language):
        return _plan_markdown(plan)


def _plan_markdown(plan: Plan) -> str:
    lines = [
        f"### {plan.routine_title}",
        "",
        "| exercise | next | last time | why |",
        "| --- | --- | --- | --- |",
    ]
    for slot in plan.slots:
        unit, kind = plan.load_unit, slot.exercise_type
        # Dagster renders no line breaks within a cell and would run the sets together.
        sets = plan_notation(slot, unit)
        done = done_notation(slot.last_done, unit, kind)
        title = f"{ARROWS[slot.direction]} {slot.exercise_title}"
        lines.append(f"| {title} | {sets} | {done} | {' '.join(reasons(slot, unit))} |")
    return "\n".join(lines)


def changes_markdown(changes: Sequence[Change], unit: Unit) -> str:
    """Format the difference to the routine as a Markdown table, one row per field of a set."""
    lines = ["| exercise | set | change |", "| --- | --- | --- |"]
    lines += [
        f"| {change.exercise_title} | {change_place(change)} | {change_text(change, unit)} |"
        for change in changes
    ]
    return "\n".join(lines)


def _value_text(value: Any) -> str:
    return (
        number(value) if isinstance(value, int | float) else "none" if value is None else str(value)
    )


def days_ago(day: date, today: date) -> str:
    """Format a day as seen from today: "yesterday", "on Monday", "on 3 March"."""
    days = (today - day).days
    if days in (0, 1):
        return phrase("today") if days == 0 else phrase("yesterday")
    pattern = "weekday" if 0 < days < 7 else "day-with-weekday"
    return phrase("on-day", day=day_text(day, pattern))
