"""Clauses of a sentence: parts with one claim, with their exercises and their numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from coach_agent.llm.comments.known import Measure
from coach_agent.llm.comments.words import Number, Token

SIGNS: Mapping[str, int] = {"up": 1, "same": 0, "down": -1}
TENSES = frozenset({"past", "plan", "compare"})
CLAIMS = frozenset(
    {
        *("up", "same", "down", "more", "less", "done", "short", "record", "rise", "flat", "top"),
        *("until", "once", "easy", "praise", "fault", "change", "none", "step", "hold"),
    }
)
"""Meanings that claim something; `words.toml` explains them."""

_MARKS = frozenset(",;:()–—-")  # noqa: RUF001
_NAMED: Sequence[Measure] = ("load", "reps", "seconds")


@dataclass
class Clause:
    """A part of a sentence with one claim: its meanings, numbers, mentions and places of sets."""

    labels: set[str] = field(default_factory=set)
    numbers: list[Number] = field(default_factory=list)
    mentions: list[tuple[int, ...]] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    @property
    def makes_a_claim(self) -> bool:
        """True if a statement can be compared with it."""
        return bool(
            self.numbers or self.labels & CLAIMS or any(e.startswith("cue ") for e in self.labels)
        )

    @property
    def cues(self) -> list[str]:
        """Codes of the cues that its words stand for."""
        return sorted(e.removeprefix("cue ") for e in self.labels if e.startswith("cue "))

    @property
    def measure(self) -> Measure | Literal["any"]:
        """The compared quantity: named by a word, or by the unit of a number."""
        kinds = {each.kind for each in self.numbers}
        for name in _NAMED:
            if {f"measure {name}", f"unit {name}"} & self.labels or name in kinds:
                return name
        is_added = "unit sets" in self.labels and bool(self.labels & {"step", "less"})
        return "sets" if is_added and "all" not in self.labels and not self.places else "any"


def joined_clauses(tokens: Sequence[Token]) -> tuple[list[Clause], Clause]:
    """Return the clauses of a sentence that make a claim, and the rest after the last of them.

    Names, tenses and quantities of a clause without a claim belong to the next one, or to the last.
    """
    found: list[Clause] = []
    carried = Clause()
    for clause in _clauses(tokens):
        if found and "before" in clause.labels and "up" in clause.labels:
            found[-1].labels.add("once")  # "it needs 10 reps before the weight goes up"
        if not clause.makes_a_claim:
            carried.mentions += clause.mentions
            carried.labels |= clause.labels & (
                TENSES | {"not", "all", "ordinal", "most", "only", "else", "before"}
            )
            continue
        has_only_numbers = bool(clause.numbers) and not clause.labels & CLAIMS
        if has_only_numbers and all(each.kind == "workouts" for each in clause.numbers):
            carried.numbers += clause.numbers
            carried.mentions += clause.mentions
            continue
        is_bare = has_only_numbers and not clause.labels & TENSES and not clause.mentions
        clause.mentions = [*carried.mentions, *clause.mentions]
        clause.labels |= carried.labels
        clause.numbers = [*carried.numbers, *clause.numbers]
        carried = Clause()
        if found and is_bare and found[-1].labels & SIGNS.keys() and not found[-1].numbers:
            found[-1].labels |= clause.labels  # "stays the same, with 80 kg"
            found[-1].numbers += clause.numbers
            found[-1].places += clause.places
            continue
        is_joined = "and" in clause.labels or "split" not in clause.labels
        if found and is_bare and is_joined and not any(e.role == "to" for e in clause.numbers):
            clause.labels |= found[-1].labels & TENSES
            if "praise" in found[-1].labels:
                clause.labels.add("past")  # "well done on the curls: 12, 12 and 12"
        found.append(clause)
    if found:
        found[-1].mentions += carried.mentions
        found[-1].labels |= carried.labels & (TENSES | {"ordinal"})
        found[-1].numbers += carried.numbers
    elif carried.numbers:
        return [carried], Clause()  # "three workouts this week"
    return found, carried


def _clauses(tokens: Sequence[Token]) -> Iterator[Clause]:
    clause = Clause()
    place: int | None = None
    has_sets = False  # "on the first set and 10 on the second"
    for at, token in enumerate(tokens):
        has_sets = has_sets or "unit sets" in token.labels
        is_list = _is_between_numbers(tokens, at)
        is_break = token.text in _MARKS or bool(token.labels & {"split", "until", "once", "before"})
        if is_break and not is_list:
            yield clause
            clause = Clause()
        if token.number is not None and _is_place(tokens, at):
            clause.places.append(int(token.number.value))  # "sets two and three"
        elif token.number is not None:
            clause.numbers.append(token.number)
        if token.mention is not None:
            clause.mentions.append(token.mention)
        for label in token.labels:
            if label.startswith("place "):
                place = int(label.removeprefix("place "))
        clause.labels |= token.labels
        if _is_compared(tokens, at):
            clause.labels -= token.labels & {"past", "plan"}
            clause.labels.add("compare" if "past" in token.labels else "compared with the plan")
        if place is not None and ("unit sets" in token.labels or has_sets):
            clause.places.append(place)
            place = None
    if place is not None:
        clause.labels.add("ordinal")
    yield clause


def _is_between_numbers(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    is_joint = token.text in {",", "-", "/"} or "and" in token.labels
    if not is_joint or at == 0 or at + 1 == len(tokens):
        return False
    before = tokens[at - 1].number is not None
    after = next((e for e in tokens[at + 1 : at + 3] if "and" not in e.labels), None)
    return before and after is not None and after.number is not None


def _is_place(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a number is that of a set, as in "set one" or "sets two and three"."""
    number = tokens[at].number
    if number is None or number.kind != "bare" or at == 0:
        return False
    if "unit sets" in tokens[at - 1].labels:
        return all(each.number is None for each in tokens[max(at - 3, 0) : at - 1])
    return "and" in tokens[at - 1].labels and _is_place(tokens, at - 2)


def _is_compared(tokens: Sequence[Token], at: int) -> bool:
    """Return whether "than" comes right before a time."""
    if not tokens[at].labels & {"past", "plan"}:
        return False
    return any("than" in each.labels for each in tokens[max(at - 3, 0) : at])
