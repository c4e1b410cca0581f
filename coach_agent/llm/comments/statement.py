"""Statements about exercises in any order of words: the meanings of a clause, phrase by phrase.

A clause is a statement if each of its words belongs to a phrase of the lexicon. Each meaning is
compared with facts, so that the order of words does not matter. Phrases without a meaning are
fillers: they cannot form an instruction.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from coach_agent.llm.comments.sentences import Number, Tokens

Kind = Literal[
    "filler",
    "it",
    "measure",
    "at",
    "command",
    "rising",
    "add",
    "weak",
    "up",
    "urge",
    "down",
    "same",
    "past",
    "future",
    "only",
    "every",
    "reach",
    "goal",
    "top",
    "there",
    "none",
    "room",
    "missed",
    "not",
    "until",
    "once",
    "from",
    "to",
    "by",
    "more",
    "place",
    "cause",
    "changes",
    "needs",
    "before",
]
"""The meaning of a phrase of the lexicon."""

_LIST_MARKS = frozenset({",", "and", "then"})
_LONGEST_PHRASE = 6  # words
_SILENT = frozenset({"filler", "it", "at", "command", "measure", "past", "future", "every", "goal"})


@dataclass(frozen=True)
class Phrase:
    """A meaning of the lexicon; `value` is a measure, or the number of a set (-1 the last)."""

    kind: Kind
    value: str = ""


Lexicon = Mapping[tuple[str, ...], Phrase]


@dataclass(frozen=True)
class Stated:
    """The meanings of a clause; numbers by role as claims.py compares them.

    `changes` are directions with their measure. `condition` is the condition of the sentence's main
    part: "until" or "once" a value is reached.
    """

    changes: tuple[tuple[str, int], ...] = ()
    numbers: Mapping[str, tuple[Number, ...]] = field(default_factory=dict)
    is_past: bool = False
    is_future: bool = False
    is_only: bool = False
    is_hit: bool = False
    is_top: bool = False
    is_short: bool = False
    is_missed: bool = False
    is_room: bool = False
    is_rising: bool = False
    is_command: bool = False
    is_every: bool = False
    is_none: bool = False
    of_targets: bool = False
    is_cause: bool = False
    is_of_range: bool = False
    is_goal: bool = False
    is_changed: bool = False
    condition: "Stated | None" = None
    conditional: Literal["", "until", "once"] = ""

    @property
    def has_numbers(self) -> bool:
        """Return whether a number is stated."""
        return any(self.numbers.values())

    @property
    def is_claim(self) -> bool:
        """Return whether the clause states anything at all."""
        results = (self.is_hit, self.is_top, self.is_short, self.is_missed, self.is_rising)
        return (
            bool(self.changes)
            or self.is_changed
            or any(results)
            or bool(self.numbers.keys() - {"place"})
        )


def read_lexicon(data: Mapping[str, Sequence[str]]) -> Lexicon:
    """Parse the lexicon of a grammar file: phrases by meaning, with a value after its underscore.

    Raises:
        ValueError: a meaning is unknown.
    """
    found: dict[tuple[str, ...], Phrase] = {}
    for name, phrases in data.items():
        kind, _, value = name.partition("_")
        known: Kind | None = next((each for each in get_args(Kind) if each == kind), None)
        if known is None:
            raise ValueError(f"{kind} is no meaning of a phrase")
        for phrase in phrases:
            words = tuple(phrase.split())
            if words in found:
                raise ValueError(f"{phrase} has two meanings")
            found[words] = Phrase(known, value)
    return found


@dataclass(frozen=True)
class _Part:
    phrase: Phrase | None = None
    numbers: tuple[Number, ...] = ()
    is_mention: bool = False
    is_command: bool = False


def stated(parts: Sequence[str], found: Tokens, lexicon: Lexicon) -> Stated | None:
    """Return the meanings of a clause; None if a word is in no phrase, or it states nothing."""
    read = _parts(parts, found, lexicon)
    if read is None:
        return None
    read = _without_lead(read)
    kinds = [part.phrase.kind if part.phrase else None for part in read]
    if "needs" in kinds:
        needed = _needed(read, kinds)
        if needed is not None:
            return needed
        read = [_AIM if part.phrase == _NEED else part for part in read]
    for word in _CONDITIONS:
        if word in kinds:
            return _conditional(read, kinds.index(word), word)
    if any(part.phrase == _COMMA for part in read):
        return None
    result = _meaning(read)
    return result if result is not None and result.is_claim else None


_WORKOUTS = (["sessions"], ["workouts"])
_MISSES = (["consecutive"], ["misses"], ["missed"], ["straight"])
_BARS = (["dumbbell"], ["dumbbells"], ["barbell"], ["kettlebell"])
_Condition = Literal["until", "once"]
_CONDITIONS: Sequence[_Condition] = ("until", "once")
_COMMA = Phrase("filler", ",")


def _conditional(read: Sequence[_Part], at: int, word: _Condition) -> Stated | None:
    """Split at a condition, which reaches to the next comma; the rest depends on it."""
    end = next((i for i in range(at, len(read)) if read[i].phrase == _COMMA), len(read))
    before = [part for part in read[:at] if part.phrase != _COMMA]
    rest = [*before, *read[end + 1 :]]
    if any(part.phrase == _COMMA for part in rest):
        return None
    condition = _meaning(read[at + 1 : end])
    if condition is None or not (condition.is_hit or condition.is_top):
        return None
    main = _meaning(rest)
    if main is None or (rest and not main.is_claim and any(not _is_silent(p) for p in rest)):
        return None
    return replace(main, condition=condition, conditional=word)


def _needed(read: Sequence[_Part], kinds: Sequence[str | None]) -> Stated | None:
    """Return an increase with its condition: "the row needs 10, 10, 10 before the weight moves"."""
    at = kinds.index("needs")
    end = kinds.index("before", at) if "before" in kinds[at:] else len(read)
    subject, condition, rest = read[:at], _meaning([_REACH, *read[at + 1 : end]]), read[end + 1 :]
    if condition is None or not (condition.is_hit or condition.is_top):
        return None
    main = _meaning([*subject, *rest])
    is_rise = main is not None and any(sign == 1 for _, sign in main.changes)
    if main is None or not (is_rise or (main.is_changed and not main.has_numbers)):
        return None
    changes = main.changes or (("load", 1),)
    return replace(main, changes=changes, condition=condition, conditional="once")


_REACH = _Part(phrase=Phrase("reach"))
_NEED = Phrase("needs")
_AIM = _Part(phrase=Phrase("future"))


def _without_lead(read: list[_Part]) -> list[_Part]:
    """The parts without the comma after "compared with last time" or "in the last session"."""
    at = next((at for at, part in enumerate(read) if part.phrase == _COMMA), 0)
    leads = all(part.phrase is not None and part.phrase.kind in _LEADS for part in read[:at])
    return [*read[:at], *read[at + 1 :]] if at and leads else read


_LEADS = frozenset({"filler", "past", "it", "at"})


def _is_silent(part: _Part) -> bool:
    return part.is_mention or (part.phrase is not None and part.phrase.kind in _SILENT)


def _parts(parts: Sequence[str], found: Tokens, lexicon: Lexicon) -> list[_Part] | None:
    parts = without_inner_names(parts)
    read: list[_Part] = []
    at = 0
    while at < len(parts):
        if re.fullmatch(r"[a-z]\d+", parts[at]):
            numbers, at = _list(parts, at, found)
            if numbers[-1].kind == "bare" and parts[at : at + 1] == ["sets"]:
                numbers, at = (*numbers[:-1], replace(numbers[-1], kind="sets")), at + 1
            if numbers[-1].kind == "bare" and parts[at : at + 1] in _WORKOUTS:
                numbers, at = (*numbers[:-1], replace(numbers[-1], kind="count")), at + 1
            if numbers[-1].kind == "bare" and parts[at : at + 1] in _MISSES:
                numbers = (*numbers[:-1], replace(numbers[-1], kind="count"))
            if numbers[-1].kind == "load" and parts[at : at + 1] in _BARS:
                at += 1
            read.append(_Part(numbers=numbers))
            continue
        if parts[at].startswith("@"):
            read.append(_Part(is_mention=True))
            at += 1
            continue
        if parts[at] == ",":
            read.append(_Part(phrase=_COMMA))
            at += 1
            continue
        for size in range(min(_LONGEST_PHRASE, len(parts) - at), 0, -1):
            phrase = lexicon.get(tuple(parts[at : at + size]))
            if phrase is not None:
                first = lexicon.get((parts[at],))
                is_command = first is not None and first.kind in {"command", "add"}
                read.append(_Part(phrase=phrase, is_command=is_command))
                at += size
                break
        else:
            return None
    return read


def without_inner_names(parts: Sequence[str]) -> Sequence[str]:
    """Move names to the front, "the first squat set" as "squat the first set"."""
    text = re.sub(
        r"(\S+) (@\d+) (sets?|reps?|sessions?|workouts?)(?= |$)", r"\2 \1 \3", " ".join(parts)
    )
    return text.split()


def _list(parts: Sequence[str], at: int, found: Tokens) -> tuple[tuple[Number, ...], int]:
    """Parse numbers joined as a list, "5, 4 and 3 reps"; the last one may have the unit."""
    numbers = [found.numbers[int(parts[at][1:])]]
    at += 1
    while numbers[-1].kind == "bare":
        ahead = at
        while ahead < len(parts) and parts[ahead] in _LIST_MARKS:
            ahead += 1
        if ahead == at or ahead == len(parts) or not re.fullmatch(r"[nrt]\d+", parts[ahead]):
            break
        numbers.append(found.numbers[int(parts[ahead][1:])])
        at = ahead + 1
    return tuple(numbers), at


def _meaning(read: Sequence[_Part]) -> Stated | None:
    kinds = [part.phrase.kind for part in read if part.phrase is not None]
    measures = {part.phrase.value for part in read if part.phrase and part.phrase.kind == "measure"}
    changes = tuple(
        (part.phrase.value or "any", _DIRECTIONS[part.phrase.kind])
        for part in read
        if part.phrase is not None and part.phrase.kind in _DIRECTIONS
    )
    # "Keeps climbing", "hold it longer": the other word is the direction.
    if "weak" in kinds and not any(sign for _, sign in changes):
        changes = (*changes, ("any", 0))
    roles = _roles(read)
    if roles is None:
        return None
    has_subject = (
        roles or measures or {"it", "none"} & set(kinds) or any(part.is_mention for part in read)
    )
    if changes and not has_subject and all(measure == "any" for measure, _ in changes):
        return None  # "jump" alone may be an instruction
    if not changes and "more" in kinds and "by" in roles:
        changes = (("any", 1),)
    if not changes and (sign := _implied_sign(roles)):
        changes = (("any", sign),)
    if "goal" in kinds:
        changes = tuple(("reps" if each == "any" else each, sign) for each, sign in changes)
    if len(measures - {"sets"}) > 1:
        own = iter(_nearest_measures(read))
        changes = tuple((next(own) if each == "any" else each, sign) for each, sign in changes)
    if len(measures) == 1:
        [measure] = measures
        changes = tuple((measure if each == "any" else each, sign) for each, sign in changes)
    is_not = "not" in kinds
    hits = any(part.phrase == Phrase("reach", "hit") for part in read[1:])
    is_done = (hits and "future" not in kinds) or any(
        part.phrase == Phrase("reach", "past") for part in read
    )
    measures = measures - {"sets"} if len(measures) > 1 else measures
    reaches = "reach" in kinds and (
        "every" in kinds or "goal" in kinds or "there" in kinds or bool(roles.get("reps"))
    )
    is_top = "top" in kinds
    if is_not and (changes or "missed" in kinds or not (reaches or is_top)):
        return None
    is_future = "future" in kinds
    if any(part.phrase == Phrase("reach", "past") for part in read):
        # "All planned sets were completed" is about the last time.
        is_future = any(part.phrase == Phrase("future") for part in read)
    if (is_top or (reaches and is_done)) and changes:
        return None
    reaches = reaches and not changes
    is_hit = (
        reaches
        and not is_not
        and "room" not in kinds
        and ("goal" in kinds or "every" in kinds or "there" in kinds or "reps" in roles)
    )
    numbers = {role: given for role, given in roles.items() if given}
    return Stated(
        changes=changes,
        numbers=numbers,
        is_past="past" in kinds or is_done,
        is_future=is_future or (is_hit and not is_done and "past" not in kinds),
        is_only="only" in kinds,
        is_hit=is_hit and not is_top,
        is_top=is_top and not is_not,
        is_short=is_not or "room" in kinds,
        is_room="room" in kinds,
        is_missed="missed" in kinds,
        is_rising="rising" in kinds and "from" not in roles,
        is_goal="goal" in kinds,
        is_every="every" in kinds,
        is_cause="cause" in kinds,
        is_of_range=is_top,
        is_changed="changes" in kinds,
        is_none="none" in kinds,
        is_command=is_future or _is_command(read),
        of_targets=any(part.phrase == Phrase("goal", "target") for part in read),
    )


def _nearest_measures(read: Sequence[_Part]) -> Iterator[str]:
    """For each change without a measure of its own, the last measure before it, else the next."""
    named = [
        (at, part.phrase.value)
        for at, part in enumerate(read)
        if part.phrase is not None and part.phrase.kind == "measure"
    ]
    for at, part in enumerate(read):
        phrase = part.phrase
        if phrase is not None and phrase.kind in _DIRECTIONS and not phrase.value:
            before = [measure for place, measure in named if place < at]
            yield before[-1] if before else named[0][1]
    while True:  # a direction that a word like "more" stands for
        yield "any"


def _implied_sign(roles: Mapping[str, tuple[Number, ...]]) -> int:
    """The direction of "from 13 to 14 reps"; 0 without one."""
    values = [each for role, each in roles.items() if role in {"load", "reps", "seconds"}]
    if len(values) != 1 or len(values[0]) != 1 or len(roles.get("from", ())) != 1:
        return 0
    then, now = roles["from"][0].value, values[0][0].value
    return (now > then) - (now < then)


def _is_command(read: Sequence[_Part]) -> bool:
    """Return whether a verb comes before each subject."""
    has_subject = len(read) > 1 and any(part.is_mention for part in read[1:])
    urges = any(part.phrase is not None and part.phrase.kind == "urge" for part in read)
    if urges and not (has_subject and not read[0].is_command):
        return True
    for part in read:
        kind = part.phrase.kind if part.phrase else None
        if part.is_mention or kind in {"it", "measure"}:
            return False
        if part.is_command or (part.phrase == Phrase("up") and part is read[0]):
            return True
    return False


_DIRECTIONS: Mapping[str, int] = {"up": 1, "add": 1, "urge": 1, "same": 0, "down": -1}


def _roles(read: Sequence[_Part]) -> dict[str, tuple[Number, ...]] | None:
    """Return the numbers by role: from, to, by, and the values of sets; None if one has no role."""
    roles: dict[str, tuple[Number, ...]] = {}
    # Fillers between a number and the word that determines its role do not matter.
    kept = [part for part in read if part.phrase is None or part.phrase.kind != "filler"]
    is_range = False
    for at, part in enumerate(kept):
        if part.phrase is not None and part.phrase.kind == "place":
            roles["place"] = (
                *roles.get("place", ()),
                Number("bare", float(part.phrase.value), ""),
            )
        if part.numbers and is_range:
            is_range = False
            continue
        if not part.numbers:
            is_of_number = part.phrase is not None and part.phrase.kind in {"by", "more", "from"}
            if is_of_number and not _has_number_beside(kept, at):
                return None
            continue
        before = kept[at - 1].phrase if at else None
        after = kept[at + 1].phrase if at + 1 < len(kept) else None
        following = kept[at + 2].numbers if at + 2 < len(kept) else ()
        role: str | None
        numbers = part.numbers
        is_to = after is not None and after.kind == "to" and len(following) == 1
        if before is not None and before.kind == "from":
            role = "from"
        elif _is_difference(before, after, numbers[0], _is_adjacent(read, part, kept, at)):
            role = "by"
        elif is_to and len(numbers) == 1 and numbers[0].kind == "bare":
            roles["low"], roles["high"] = numbers, following
            is_range = True
            continue
        else:
            role = _VALUES.get(numbers[-1].kind)
        if role == "count":
            roles["count"] = (*roles.get("count", ()), *numbers)
            continue
        if role is None or role in roles:
            return None
        if role == "reps" and any(each.kind not in {"bare", "reps"} for each in numbers):
            return None
        if len(numbers) > 1 and role not in {"reps", "seconds"}:
            return None
        roles[role] = numbers
    return roles


def _has_number_beside(kept: Sequence[_Part], at: int) -> bool:
    return any(part.numbers for part in (*kept[max(at - 1, 0) : at], *kept[at + 1 : at + 2]))


def _is_difference(
    before: Phrase | None, after: Phrase | None, number: Number, is_adjacent: bool
) -> bool:
    """Return whether a number is a difference: "up 2.5 kg", "2 reps more"."""
    if before is not None and before.kind in {"by", "more", "up", "add", "urge", "down"}:
        return True
    if after is None or after.kind not in {"more", "up", "urge", "down"}:
        return False
    has_unit = number.kind in {"load", "percent", "seconds"} or after.value == "reps"
    return after.kind == "more" or (is_adjacent and has_unit)


def _is_adjacent(read: Sequence[_Part], part: _Part, kept: Sequence[_Part], at: int) -> bool:
    """Return whether a number and the next word are adjacent, without a filler between them."""
    if at + 1 == len(kept):
        return False
    place = next(place for place, each in enumerate(read) if each is part)
    return read[place + 1] is kept[at + 1]


_VALUES: Mapping[str, str] = {
    "load": "load",
    "reps": "reps",
    "bare": "reps",
    "seconds": "seconds",
    "sets": "sets",
    "count": "count",
}


def phrases(lexicon: Lexicon) -> Iterator[str]:
    """Yield each word of the lexicon."""
    for phrase in lexicon:
        yield from phrase
