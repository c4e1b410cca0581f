"""Two plans for the same day side by side, in 80 columns."""

from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from coach_agent.domain.plan import Plan, SlotPrescription
from coach_agent.domain.units import Unit
from coach_agent.engine.explain.plan_texts import set_mark, target_text
from coach_agent.llm.choices import index_before
from coach_agent.llm.shadow import FEWEST_SLOTS, FEWEST_WORKOUTS, Score, ShadowScore

_WIDTH = 80


def compare_view(
    engine: Plan, model: Plan | None, answered_by: str, standing: ShadowScore | None = None
) -> Group:
    """Return the exercises of both plans, differences in bold, the model's texts and record.

    `standing` is the record of the model.
    """
    parts: list[RenderableType] = [Text(engine.routine_title, style="bold")]
    if model is None:
        parts.append(Text("No model gave a valid answer: the rules' own plan stays active."))
    table = Table("exercise", "rules", answered_by, box=None, pad_edge=False)
    table.width = _WIDTH
    table.columns[0].ratio = 1
    chosen = {} if model is None else _by_place(model)
    for index, own in enumerate(engine.slots):
        other = chosen.get(index)
        rules, text = _sets(own, engine.load_unit), ""
        if other is not None:
            text = _format_sets(own, other, _sets(other, engine.load_unit))
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
    if standing is not None:
        parts += [Text(text, style="dim") for text in shadow_score_texts(standing)]
    return Group(*parts)


def shadow_score_texts(standing: ShadowScore) -> tuple[str, ...]:
    """Return the model's record against the rules: a sentence for each side and the verdict."""
    sides = (("the rules'", standing.under_engine), ("its own", standing.under_model))
    told = [_score_text(whose, score) for whose, score in sides if score.slots]
    if standing.is_earned:
        verdict = "It was closer to what was done than the rules: it may now change numbers."
    else:
        verdict = (
            "To earn a say in numbers it must be surely nearer to what was done than the rules, in "
            f"at least {FEWEST_SLOTS} exercises of {FEWEST_WORKOUTS} workouts under their plan."
        )
    return (*(told or ["Nothing was done yet that compares the model with the rules."]), verdict)


def _score_text(whose: str, score: Score) -> str:
    exercises = f"{score.slots} exercises" if score.slots != 1 else "1 exercise"
    workouts = f"{score.workouts} workouts" if score.workouts != 1 else "1 workout"
    mean_pct = score.mean_pct or 0.0
    sign, where = (-1, "nearer to") if mean_pct < 0 else (1, "farther from")
    interval = ""
    if score.low_pct is not None and score.high_pct is not None:
        low, high = sorted((sign * score.low_pct, sign * score.high_pct))
        interval = f" [{low:.1f}, {high:.1f}]"
    return (
        f"Under {whose} plan, in {exercises} of {workouts}, the model was {sign * mean_pct:.1f} % "
        f"{where} what was done than the rules{interval}."
    )


def _by_place(plan: Plan) -> dict[int, SlotPrescription]:
    """Return the exercises by their index in the routine."""
    places: dict[int, SlotPrescription] = {}
    for slot in plan.slots:
        # A substitute comes after the exercise that it replaces.
        places[index_before(slot)] = slot
    return places


def _format_sets(own: SlotPrescription, other: SlotPrescription, sets: str) -> str:
    """Format the sets, with a title if the exercise or its position differs."""
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
