"""Two plans for the same day side by side, in 80 columns."""

from itertools import groupby, zip_longest

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from coach_agent.plan import Plan, SlotPrescription
from orchestration.lib.wording import set_mark, target_text

_WIDTH = 80


def compare_view(engine: Plan, model: Plan | None, answered_by: str) -> Group:
    """The exercises of both plans, what differs in bold, and what the model wrote."""
    parts: list[RenderableType] = [Text(engine.routine_title, style="bold")]
    if model is None:
        parts.append(Text("No model answered by the rules: the rules' own plan stands."))
    table = Table("exercise", "rules", answered_by, box=None, pad_edge=False)
    table.width = _WIDTH
    table.columns[0].ratio = 1
    slots = () if model is None else model.slots
    for own, other in zip_longest(engine.slots, slots):
        if own is None:
            continue
        rules, chosen = _sets(own, engine), "" if other is None else _sets(other, engine)
        is_same = other is not None and rules == chosen
        table.add_row(
            Text(own.exercise_title),
            Text(rules),
            Text(_titled(own, other, chosen), style="" if is_same else "bold"),
        )
        if other is not None and other.note:
            table.add_row("", "", Text(other.note, style="italic"))
    parts.append(table)
    if model is not None and model.words is not None:
        words = model.words
        told = [words.summary, *words.adjustments, words.reasoning]
        parts += [Text(text) for text in told if text]
        if words.dropped_sentences:
            parts.append(Text(f"Sentences left out: {words.dropped_sentences}.", style="dim"))
    return Group(*parts)


def _titled(own: SlotPrescription, other: SlotPrescription | None, sets: str) -> str:
    """The sets, under their title where the model has another exercise in this place."""
    if other is None or other.exercise_title == own.exercise_title:
        return sets
    return f"{other.exercise_title}\n{sets}"


def _sets(slot: SlotPrescription, plan: Plan) -> str:
    shown = [
        f"{set_mark(each.set_type)} {target_text(each, plan.load_unit)}".strip()
        for each in slot.sets
        if each.set_type != "warmup"
    ]
    lines = []
    for text, group in groupby(shown):
        count = len(list(group))
        lines.append(text if count == 1 else f"{count} × {text}")
    return "\n".join(lines) or "left out"
