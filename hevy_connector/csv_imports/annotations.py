"""Attach rests and notes in rows of their own to the sets they belong to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from hevy_connector.csv_imports.neutral import Annotation, Repeated, SetRow, reject_row
from hevy_connector.csv_imports.rows import CsvRow
from hevy_connector.records import Rejected


@dataclass(frozen=True)
class AttachResult:
    """The sets with their rests and notes, and the rows that belong to no set."""

    sets: Sequence[SetRow]
    rejected: Sequence[Rejected]
    repeated: Sequence[Repeated]


def attach_annotations(items: Iterable[SetRow | Annotation | Rejected]) -> AttachResult:
    """Attach each rest to the set before it and each note to the exercise around it.

    `items` are all rows in file order, including rejected ones: a rest after an unreadable row
    belongs to that row, not to the set before it. A note belongs to the next set of its exercise;
    after the last one, to the set before it.
    """
    state = _State()
    for item in items:
        if isinstance(item, SetRow):
            state.add_set(item)
        elif isinstance(item, Rejected):
            state.is_set_known = False
        elif item.is_note:
            state.notes.append(item)
        else:
            state.add_rest(item)
    state.attach_remaining_notes()
    return AttachResult(state.sets, state.rejected, state.repeated)


@dataclass
class _State:
    """State of the pass; `notes` are pending until the next set."""

    sets: list[SetRow] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    repeated: list[Repeated] = field(default_factory=list)
    notes: list[Annotation] = field(default_factory=list)
    is_set_known: bool = False

    def add_set(self, one: SetRow) -> None:
        for note in self.notes:
            if _is_same_exercise(note, one):
                one = _with(one, note)
            else:
                self._add_late_note(note)
        self.notes.clear()
        self.sets.append(one)
        self.is_set_known = True

    def add_rest(self, rest: Annotation) -> None:
        before = self.sets[-1] if self.sets and self.is_set_known else None
        if before is None or not _is_same_exercise(rest, before):
            self._reject(rest.row, "the rest follows no set of its exercise that could be read")
        elif before.rest_s is None:
            self.sets[-1] = _with(before, rest)
        elif before.rest_s == rest.rest_s and not rest.notes.strip():
            reason = f"repeats the rest of the set of line {before.line} again"
            self.repeated.append(Repeated(rest.line, reason))
        else:
            self._reject(rest.row, f"the set of line {before.line} already has another rest")

    def attach_remaining_notes(self) -> None:
        for note in self.notes:
            self._add_late_note(note)
        self.notes.clear()

    def _add_late_note(self, note: Annotation) -> None:
        if self.sets and _is_same_exercise(note, self.sets[-1]):
            self.sets[-1] = _with(self.sets[-1], note)
        else:
            self._reject(note.row, "the note is next to no set of its exercise")

    def _reject(self, row: CsvRow, reason: str) -> None:
        self.rejected.append(reject_row(row, reason))


def _is_same_exercise(annotation: Annotation, one: SetRow) -> bool:
    return annotation.head.key == one.head.key and annotation.exercise_title == one.exercise_title


def _with(one: SetRow, annotation: Annotation) -> SetRow:
    notes = [text for text in (one.notes, annotation.notes) if text.strip()]
    return replace(
        one,
        notes="\n".join(notes),
        rest_s=one.rest_s if annotation.rest_s is None else annotation.rest_s,
        attached=(*one.attached, annotation.line),
    )
