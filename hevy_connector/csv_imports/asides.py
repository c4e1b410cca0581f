"""Gives rests and notes that stand in rows of their own to the sets that they belong to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from hevy_connector.csv_imports.neutral import Aside, Repeated, SetRow, rejected
from hevy_connector.csv_imports.rows import CsvRow
from hevy_connector.raw.quarantine import Rejected


@dataclass(frozen=True)
class Attached:
    """The sets with what their asides told, and the asides that belong to none."""

    sets: Sequence[SetRow]
    rejected: Sequence[Rejected]
    repeated: Sequence[Repeated]


def attach_asides(items: Iterable[SetRow | Aside | Rejected]) -> Attached:
    """Attach each rest to the set before it and each note to the exercise around it.

    `items` are all rows in file order, the rejected ones too: a rest after a row that could not be
    read is that row's, not that of the set before. A note belongs to the next set of its
    exercise; after the last one, to the set before it.
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
    state.settle_notes()
    return Attached(state.sets, state.rejected, state.repeated)


@dataclass
class _State:
    """What was seen so far; `notes` wait for the next set."""

    sets: list[SetRow] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    repeated: list[Repeated] = field(default_factory=list)
    notes: list[Aside] = field(default_factory=list)
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

    def add_rest(self, rest: Aside) -> None:
        before = self.sets[-1] if self.sets and self.is_set_known else None
        if before is None or not _is_same_exercise(rest, before):
            self._reject(rest.row, "the rest follows no set of its exercise that could be read")
        elif before.rest_s is None:
            self.sets[-1] = _with(before, rest)
        elif before.rest_s == rest.rest_s and not rest.notes.strip():
            reason = f"tells the rest of the set of line {before.line} again"
            self.repeated.append(Repeated(rest.line, reason))
        else:
            self._reject(rest.row, f"the set of line {before.line} has another rest already")

    def settle_notes(self) -> None:
        for note in self.notes:
            self._add_late_note(note)
        self.notes.clear()

    def _add_late_note(self, note: Aside) -> None:
        if self.sets and _is_same_exercise(note, self.sets[-1]):
            self.sets[-1] = _with(self.sets[-1], note)
        else:
            self._reject(note.row, "the note stands beside no set of its exercise")

    def _reject(self, row: CsvRow, reason: str) -> None:
        self.rejected.append(rejected(row, reason))


def _is_same_exercise(aside: Aside, one: SetRow) -> bool:
    return aside.head.key == one.head.key and aside.exercise_title == one.exercise_title


def _with(one: SetRow, aside: Aside) -> SetRow:
    notes = [text for text in (one.notes, aside.notes) if text.strip()]
    return replace(
        one,
        notes="\n".join(notes),
        rest_s=one.rest_s if aside.rest_s is None else aside.rest_s,
        attached=(*one.attached, aside.line),
    )
