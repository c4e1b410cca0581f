"""Two plans for the same day side by side, in 80 columns."""

from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from coach_agent.llm.choices import index_before
from coach_agent.plan import Plan, SlotPrescription
from coach_agent.units import Unit
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
    chosen = {} if model is None else _by_place(model)
    for index, own in enumerate(engine.slots):
        other = chosen.get(index)
        rules, text = _sets(own, engine.load_unit), ""
        if other is not None:
            text = _titled(own, other, _sets(other, engine.load_unit))
        table.add_row(
            Text(own.exercise_title), Text(rules), Text(text, style="" if text == rules else "bold")
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


def _by_place(plan: Plan) -> dict[int, SlotPrescription]:
    """By index of the place in the routine what is to be done there."""
    places: dict[int, SlotPrescription] = {}
    for slot in plan.slots:
        # What stands in comes after the exercise that is left out for it.
        places[index_before(slot)] = slot
    return places


def _titled(own: SlotPrescription, other: SlotPrescription, sets: str) -> str:
    """The sets, under what is another exercise or in another place."""
    lines = [sets]
    if other.exercise_title != own.exercise_title:
        lines.insert(0, other.exercise_title)
    elif other.moved_from is not None:
        lines.insert(0, f"as number {other.exercise_index + 1}")
    return "\n".join(lines)


def _sets(slot: SlotPrescription, unit: Unit) -> str:
    shown = [
        f"{set_mark(each.set_type)} {target_text(each, unit, slot.exercise_type)}".strip()
        for each in slot.sets
        if each.set_type != "warmup"
    ]
    lines = []
    for text, group in groupby(shown):
        count = len(list(group))
        lines.append(text if count == 1 else f"{count} × {text}")
    return "\n".join(lines) or "left out"
