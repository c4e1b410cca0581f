"""Check that the numbers of a reply are those of its source rows."""

import re

from orchestration.services.answers.answer import PLANS
from orchestration.services.answers.ask import Reply
from orchestration.services.answers.training import Training


def check_sources(training: Training, reply: Reply) -> None:
    """Check that each number of the text is in a fact, and each fact in its source rows."""
    titles = [each.title for each in training.exercises]
    # What studies recommend, and the repetitions in the question, are no data.
    text = reply.text.replace("Studies: 4 to 20 sets a week.", "")
    text = re.sub(r"at least \d+ reps:", "", text)
    for shown in sorted([fact.shown for fact in reply.facts] + titles, key=len, reverse=True):
        text = text.replace(shown, "")
    assert re.findall(r"\d+", text) == []
    for fact in reply.facts:
        source = fact.source
        if source.mart == PLANS:
            assert source.key["plan_id"] == "plan of ann"
            continue
        where = " and ".join(
            f"cast({name} as varchar) = '{key}'" for name, key in source.key.items()
        )
        rows = training.rows(
            f"select {source.column} from {source.mart} where athlete_id = $1 and {where or 'true'}"
        )
        assert rows, source
        if source.how == "value" and len(rows) == 1:
            for value in rows[0].values():
                assert _is_shown(value, fact.shown), (value, fact)
        if source.how == "count":
            assert fact.shown.startswith(str(len(rows)))
        if source.how == "sum":
            [name] = rows[0]
            assert _is_shown(sum(row[name] for row in rows), fact.shown)


def _is_shown(value: object, shown: str) -> bool:
    if value is None:
        return True
    if isinstance(value, bool | str):
        return (
            isinstance(value, bool)
            or value in shown
            or value in {"stalled", "not_stalled", "insufficient"}
        )
    if isinstance(value, int | float):
        minutes = f"{value / 60:.0f} min"
        return any(each in shown for each in (f"{value:g}", f"{round(value, 1):,g}", minutes))
    day = getattr(value, "day", None)
    return day is not None and str(day) in shown
