"""How sets, plans and changes read: the same words on the terminal and in Dagster."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from coach_agent.plan import DoneSet, Plan, SetPrescription
from coach_agent.progression.wording import told_load
from coach_agent.publishing.routine_changes import Change
from coach_agent.units import Unit, in_unit

ARROWS = {"up": "↑", "same": "=", "down": "↓", "out": "-"}
"""Whether an exercise gets heavier or harder than the last time."""

_SET_MARKS = {"warmup": "W", "failure": "F", "dropset": "D", "normal": ""}

_UNITS = {
    "reps": "reps",
    "duration_seconds": "s",
    "distance_meters": "m",
}


def number(value: float) -> str:
    """A number as people write it: 80, 82.5, 61.23."""
    return f"{round(value, 2):g}"


def age_text(seconds: float) -> str:
    """How long ago, in the largest unit of which there are two: 90 minutes, 47 hours, 3 days."""
    for unit, length_s in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length_s:
            return f"{int(seconds // length_s)} {unit}"
    return f"{max(int(seconds), 0)} seconds"


def target_text(target: SetPrescription, unit: Unit, exercise_type: str | None) -> str:
    """A prescribed set: `82.5 kg × 8 (8-12)`, `bw+10 lb × 5`, `10 reps`, `60 s`."""
    reps = None if target.reps is None else number(target.reps)
    span = _range_text(target.rep_range_start, target.rep_range_end)
    if reps is not None and span is not None:
        reps = f"{reps} ({span})"
    load = None if target.weight_kg is None else told_load(target.weight_kg, exercise_type, unit)
    return _set_text(load, reps or span, target.duration_s, target.distance_m)


def targets_text(sets: Sequence[SetPrescription], unit: Unit, exercise_type: str | None) -> str:
    """Prescribed sets, equal ones together: `W 20 kg × 10, 3 × 82.5 kg × 8`; empty without any."""
    shown = ((set_mark(each.set_type), target_text(each, unit, exercise_type)) for each in sets)
    return ", ".join(
        f"{mark} {times(text, sum(1 for _ in group))}".strip()
        for (mark, text), group in groupby(shown)
    )


def times(text: str, count: int) -> str:
    """A set that is done so often: `3 × 82.5 kg × 8`."""
    return text if count == 1 else f"{count} × {text}"


def done_text(done: DoneSet, unit: Unit, exercise_type: str | None) -> str:
    """A performed set: `80 kg × 10 @8`, `20 kg of assistance × 8`."""
    reps = None if done.reps is None else number(done.reps)
    load = None if done.weight_kg is None else told_load(done.weight_kg, exercise_type, unit)
    text = _set_text(load, reps, done.duration_s, done.distance_m)
    return text if done.rpe is None else f"{text} @{number(done.rpe)}"


def set_mark(set_type: str) -> str:
    """The letter that Hevy shows beside a set: W, F, D or none."""
    return _SET_MARKS[set_type]


def change_place(change: Change) -> str:
    """Which set of an exercise changes, as `2W`; of the exercise itself what does."""
    if change.set_index is None:
        return change.field
    return f"{change.set_index + 1}{set_mark(change.set_type or 'normal')}"


def change_text(change: Change, unit: Unit) -> str:
    """What changes in one set: `80 → 82.5 kg`, `130 → 135 lb`."""
    is_load = change.field == "weight_kg"
    before, after = (
        number(in_unit(value, unit)) if is_load and value is not None else _value_text(value)
        for value in (change.before, change.after)
    )
    return f"{before} → {after} {unit if is_load else _UNITS.get(change.field, '')}".rstrip()


def plan_markdown(plan: Plan) -> str:
    """A plan as a Markdown table, an exercise a row."""
    lines = [
        f"### {plan.routine_title}",
        "",
        "| exercise | next | last time | why |",
        "| --- | --- | --- | --- |",
    ]
    for slot in plan.slots:
        unit, kind = plan.load_unit, slot.exercise_type
        # Dagster shows no line breaks within a cell: it would run the sets together.
        sets = targets_text(slot.sets, unit, kind)
        done = ", ".join(done_text(each, unit, kind) for each in slot.last_done)
        title = f"{ARROWS[slot.direction]} {slot.exercise_title}"
        lines.append(f"| {title} | {sets} | {done} | {' '.join(slot.told)} |")
    return "\n".join(lines)


def changes_markdown(changes: Sequence[Change], unit: Unit) -> str:
    """The difference to the routine as a Markdown table, a field of a set a row."""
    lines = ["| exercise | set | change |", "| --- | --- | --- |"]
    lines += [
        f"| {change.exercise_title} | {change_place(change)} | {change_text(change, unit)} |"
        for change in changes
    ]
    return "\n".join(lines)


def _range_text(start: int | None, end: int | None) -> str | None:
    if start is None:
        return None
    return f"{start}+" if end is None else f"{start}-{end}"


def _set_text(
    load: str | None, reps: str | None, duration_s: float | None, distance_m: float | None
) -> str:
    if load and reps:
        parts = [f"{load} × {reps}"]
    elif reps:
        parts = [f"{reps} rep" if reps == "1" else f"{reps} reps"]
    else:
        parts = [load] if load else []
    parts += [] if duration_s is None else [f"{number(duration_s)} s"]
    parts += [] if distance_m is None else [f"{number(distance_m)} m"]
    return ", ".join(parts) or "-"


def _value_text(value: Any) -> str:
    return (
        number(value) if isinstance(value, int | float) else "none" if value is None else str(value)
    )
