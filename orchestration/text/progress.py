"""Progress of an athlete as lines of the briefing: weeks, records and rises."""

from collections.abc import Iterator
from datetime import date

from coach_agent.domain.units import Unit, load_text
from coach_agent.engine.explain.plan_texts import number
from coach_agent.engine.explain.reasons import format_set_load
from coach_agent.language.messages import decimals, phrase
from coach_agent.situation.progress import BrokenRecord, Progress, Week
from orchestration.text.briefing import Item
from orchestration.text.wording import days_ago

_MOST_RECORDS = 5
_MOST_RISES = 3


def progress_items(progress: Progress, unit: Unit, today: date) -> Iterator[Item]:
    """Return the lines: the week, the latest records and the fastest rises, in the unit."""
    yield from _weeks(progress.this_week, progress.last_week)
    for record in progress.records[:_MOST_RECORDS]:
        yield Item(
            mark="★",
            name=record.exercise_title,
            text=f"{_record_text(record, unit)}, {days_ago(record.day, today)}",
        )
    if len(progress.records) > _MOST_RECORDS:
        yield Item(text=phrase("brief-more-records", count=len(progress.records) - _MOST_RECORDS))
    rises = [
        phrase(
            "brief-rise",
            exercise=each.exercise_title,
            slope=decimals(f"{each.slope_pct:+.1f}"),
            workouts=each.workouts,
        )
        for each in progress.rises[:_MOST_RISES]
    ]
    if rises:
        yield Item(name=phrase("brief-rising"), text=", ".join(rises))


def _weeks(this_week: Week | None, last_week: Week | None) -> Iterator[Item]:
    if this_week is not None:
        week = this_week
        streak = phrase("count-weeks-in-a-row", count=week.streak_weeks)
        text = f"{phrase('count-workouts', count=week.workouts)}, {streak}"
        name = phrase("this-week")
    elif last_week is not None:
        week, name = last_week, phrase("brief-last-week")
        text = phrase("count-workouts", count=week.workouts)
    else:
        return
    if week.planned_sets:
        met = phrase("brief-met-sets", met=week.met_sets, planned=week.planned_sets)
        text += f"; {met}"
    yield Item(name=name, text=text)


def _record_text(record: BrokenRecord, unit: Unit) -> str:
    """Format a record: `heaviest yet, 100 kg × 5 (+2.5 kg)`."""
    load = ""
    if record.weight_kg is not None:
        load = format_set_load(record.weight_kg, record.exercise_type, unit)
    done = load if record.reps is None else f"{load} × {record.reps}".strip()
    gain = f"+{load_text(record.gain, unit)}"
    if record.kind == "load" and record.value < 0:
        return phrase("record-least-help", sets=done, gain=gain)
    if record.kind == "load":
        return phrase("record-heaviest", sets=done, gain=gain)
    if record.kind == "e1rm":
        kg = load_text(round(record.value, 1), unit)
        if not load:
            return phrase("record-maximum", maximum=kg)
        return phrase("record-maximum-from", maximum=kg, sets=done)
    unit_name = {"reps": "reps", "duration": "s", "distance": "m"}[record.kind]
    most = f"{number(record.value)} {phrase(f'unit-{unit_name}')}"
    gain = f"+{number(record.gain)}"
    if not load:
        return phrase("record-most", most=most, gain=gain)
    return phrase("record-most-with", most=most, load=load, gain=gain)
