"""Differences, changes and imports in the terminal."""

import json
from collections.abc import Sequence

from coach_agent.domain.units import Unit
from coach_agent.publishing.routine_changes import Change
from hevy_connector.raw.differences import Difference
from orchestration.cli.views.terminal import console, plain, show_rows
from orchestration.services.ingestion.import_outcome import ImportOutcome
from orchestration.services.ingestion.import_report import import_lines
from orchestration.text.wording import change_place, change_text

_MOST_DIFFERENCES = 40
_MOST_FIELDS = 6
_LONGEST_VALUE = 60


def show_differences(differences: Sequence[Difference]) -> None:
    """Print the differences of a sync, one record per line with its changed fields, truncated."""
    if not differences:
        console.print("Nothing differs from what was known.")
        return
    rows = []
    for found in differences[:_MOST_DIFFERENCES]:
        fields = [
            f"{field.path}: {_short(field.before)} → {_short(field.after)}"
            for field in found.fields[:_MOST_FIELDS]
        ]
        if len(found.fields) > _MOST_FIELDS:
            fields.append(f"and {len(found.fields) - _MOST_FIELDS} more fields")
        kind = found.entity.removeprefix("hevy_").replace("_", " ")
        rows.append((found.athlete_id, kind, found.title, "\n".join([found.kind, *fields])))
    show_rows(("athlete", "what", "which", "how"), rows)
    if len(differences) > _MOST_DIFFERENCES:
        more = len(differences) - _MOST_DIFFERENCES
        console.print(f"And {more} more; --json shows all of them.")


def _short(value: object) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def show_changes(
    routine_title: str, changes: Sequence[Change], unit: Unit, heading: str = "changed in Hevy"
) -> None:
    """Print the changes in Hevy, one field of a set per line, loads in the gym's unit."""
    if not changes:
        console.print("Nothing changed in Hevy.")
        return
    rows = []
    for index, change in enumerate(changes):
        is_first = index == 0 or changes[index - 1].exercise_index != change.exercise_index
        title = change.exercise_title if is_first else ""
        rows.append((title, change_place(change), change_text(change, unit)))
    show_rows((f"{heading}: {routine_title}", "set", "from → to"), rows)


def show_import(outcome: ImportOutcome) -> None:
    """Print the result of each row of an imported file."""
    for line in import_lines(outcome):
        # A line stays whole in a file; a terminal breaks it between words.
        console.print(plain(line), highlight=False, soft_wrap=not console.is_terminal)
