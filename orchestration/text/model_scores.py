"""Scores of language models as a table, in 80 columns."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from coach_agent.llm.model_scores import ModelScore

_WIDTH = 80
_LEGEND = (
    "valid: answers within the windows, with the 95 % interval; first: at the first try; "
    "refused: sentences and codes that were not shown; changed: sets that differ from the rules' "
    "plan; s: median and slowest question; USD: a question."
)


def model_scores_view(scores: Sequence[ModelScore], questions: int) -> Group:
    """Return the models in the given order, and the problems of those that failed."""
    table = Table(box=None, pad_edge=False)
    table.add_column("model", ratio=1, overflow="fold")
    for name in ("valid", "first", "refused", "changed", "s", "USD"):
        table.add_column(name, justify="right")
    table.width = _WIDTH
    for each in scores:
        table.add_row(
            Text(each.model),
            f"{_percent(each.accepted)} ({each.accepted_low:.0%}-{each.accepted_high:.0%})",
            _percent(each.first_try),
            _percent(each.refused),
            _percent(each.changed_sets),
            f"{each.seconds:.1f}, {each.slowest_s:.1f}",
            "?" if each.cost_usd is None else f"{each.cost_usd:.4f}",
        )
    count = "1 decision" if questions == 1 else f"{questions} decisions"
    parts: list[RenderableType] = [Text(f"{count} of the rules, asked again", style="bold"), table]
    parts += [
        Text(f"{each.model}: {problem}", style="yellow")
        for each in scores
        for problem in each.problems
    ]
    parts.append(Text(_LEGEND, style="dim"))
    return Group(*parts)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
