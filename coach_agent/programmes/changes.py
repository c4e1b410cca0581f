"""Changes of a request for a programme, in words: `no barbell rows, 4 days`."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, get_args

from pydantic import ValidationError

from coach_agent.asking.exercises import Titles
from coach_agent.asking.vocabulary import words_of
from coach_agent.domain.pain import LEVELS, Pain, PainError, parse_part, part_with_side
from coach_agent.domain.red_flags import red_flags_in, stop_text
from coach_agent.domain.titles import did_you_mean, normalize_title
from coach_agent.profile.equipment import Kind as EquipmentKind
from coach_agent.programmes.model import Aim, Level
from coach_agent.programmes.request import ProgrammeRequest, weeks_until

EXAMPLES = "4 days; 45 minutes; for strength; intermediate; no barbell; no rows; prefer dips; "
EXAMPLES += "left knee hurts; meet on 2027-03-20"

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven")
_GOALS: dict[str, Aim] = {
    "strength": "strength",
    "strong": "strength",
    "powerlifting": "strength",
    "size": "hypertrophy",
    "muscle": "hypertrophy",
    "hypertrophy": "hypertrophy",
    "health": "health",
    "fitness": "health",
    "both": "both",
    "strength and size": "both",
    "size and strength": "both",
    "strength and muscle": "both",
}
_LEVELS: dict[str, Level] = {
    "novice": "novice",
    "beginner": "novice",
    "intermediate": "intermediate",
    "advanced": "advanced",
}
_EQUIPMENT: dict[str, EquipmentKind] = {
    **{kind: kind for kind in get_args(EquipmentKind)},
    **{f"{kind}s": kind for kind in get_args(EquipmentKind)},
    "bar": "barbell",
    "bars": "barbell",
}
_BODY_WEIGHT = ("body weight", "bodyweight")

_ARTICLE = r"(?:an? |the |my |any )?"
_PART = r"(?P<part>[a-z ]+?)"
_DEGREES: dict[str, str] = {
    "a bit": "mild",
    "a little": "mild",
    "badly": "severe",
    "a lot": "severe",
}
_PER = r"(?: (?:a|per|each) (?:week|session|workout|day))?"
_MOST = r"(?:only |at most |up to )?"
_PATTERNS: tuple[tuple[str, str], ...] = (
    (
        "days",
        rf"{_MOST}(?P<days>\d+|{'|'.join(_NUMBERS)})"
        rf" (?:training )?(?:days?|times|sessions?|workouts?){_PER}",
    ),
    ("minutes", rf"{_MOST}(?P<minutes>\d+) ?(?:min|mins|minutes){_PER}"),
    ("hours", rf"{_MOST}(?P<hours>\d+(?:\.\d+)?|an|one|two) ?(?:h|hours?){_PER}"),
    ("event", r"(?:no|without) (?:event|meet|competition)"),
    (
        "event",
        r"(?:event|meet|competition) (?:on (?P<date>\d{4}-\d\d-\d\d)|in (?P<weeks>\d+) weeks?)",
    ),
    ("no_pain", rf"no (?:more )?(?:pain in {_ARTICLE}{_PART}|(?P<other>[a-z ]+) pain|pain)"),
    (
        "pain",
        rf"{_ARTICLE}{_PART} (?:hurts?|aches?|is sore|are sore)"
        rf"(?: (?P<degree>{'|'.join(_DEGREES)}))?",
    ),
    (
        "pain",
        rf"(?:(?P<level>{'|'.join(LEVELS)}) )?"
        rf"(?:pain in {_ARTICLE}{_PART}|(?P<other>[a-z ]+?) pain)",
    ),
    ("goal", rf"(?:for |more |goal )?(?P<goal>{'|'.join(_GOALS)})"),
    ("experience", rf"(?:i am |im )?{_ARTICLE}(?P<level>{'|'.join(_LEVELS)})(?: lifter)?"),
    ("only", rf"only {_ARTICLE}(?P<name>.+)"),
    ("only", r"(?P<name>.+) only"),
    ("swap", rf"{_ARTICLE}(?P<name>.+) instead of {_ARTICLE}(?P<former>.+)"),
    ("swap", rf"(?:swap|replace) {_ARTICLE}(?P<former>.+) (?:for|with|by) {_ARTICLE}(?P<name>.+)"),
    (
        "avoid",
        r"(?:no|without|avoid|drop|remove|leave out|i have no|i dont have|there is no)"
        rf" {_ARTICLE}(?P<name>.+)",
    ),
    ("prefer", rf"(?:prefer|with|include|add|i like|i have) {_ARTICLE}(?P<name>.+)"),
)
_SEPARATORS = re.compile(r"(?:[,;!]|\.(?!\d))\s*(?:and |but )?")
# Words after an "and" that separates two changes; elsewhere it is part of one.
_AND = re.compile(r" (?:and|but) (?=(?:no|without|avoid|prefer|with|only|i|my|swap|for) |\d)")


class ChangeError(ValueError):
    """Words that name no possible change; the message has the words and examples."""


def changed(
    request: ProgrammeRequest, text: str, titles: Iterable[str], today: date
) -> ProgrammeRequest:
    """Return the request with the changes that a text names, all of them or none.

    Several are separated by commas or "and". `titles` are the exercises that programmes use.
    Without a level pain is moderate. `today` is the first day that an event can be after.

    Raises:
        ChangeError: a part of the text names no change, an unknown exercise or part of the body, a
            number out of range, or a red flag.
    """
    if flags := red_flags_in(text):
        raise ChangeError(stop_text(flags))
    known = tuple(titles)
    for clause in _clauses(text):
        fields = _fields(request, clause, known, today)
        try:
            request = ProgrammeRequest.model_validate({**request.model_dump(), **fields})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = str(first["loc"][0]).replace("_", " ")
            raise ChangeError(f"{clause!r}: {field}: {first['msg'].lower()}.") from error
    return request


def _clauses(text: str) -> list[str]:
    found = []
    for sentence in _SEPARATORS.split(text.lower().replace("'", "")):
        plain = " ".join(word for word in sentence.split() if word != "please")
        found += [each for each in _AND.split(plain) if each]
    if not found:
        raise ChangeError(f"Write what to change, for example: {EXAMPLES}.")
    return found


def _fields(
    request: ProgrammeRequest, clause: str, titles: tuple[str, ...], today: date
) -> dict[str, object]:
    """Return the fields that a clause changes."""
    kind, words = _parsed(clause)
    match kind:
        case "days":
            written = words["days"]
            return {"days": _NUMBERS.index(written) + 1 if written in _NUMBERS else int(written)}
        case "minutes":
            return {"minutes": int(words["minutes"])}
        case "hours":
            hours = {"an": 1.0, "one": 1.0, "two": 2.0}.get(words["hours"])
            return {"minutes": round(60 * (float(words["hours"]) if hours is None else hours))}
        case "event":
            return {"weeks_to_event": _weeks(words, clause, today)}
        case "pain" | "no_pain":
            return {"pain": _pains(request, words, clause)}
        case "goal":
            return {"goal": _GOALS[words["goal"]]}
        case "experience":
            return {"level": _LEVELS[words["level"]]}
        case "only":
            return {"lacks": _lacks_but(words["name"], clause)}
        case "swap":
            without = _without(request, words["former"], titles)
            return without | _with(request.model_copy(update=without), words["name"], titles)
        case "avoid":
            return _without(request, words["name"], titles)
        case _:
            return _with(request, words["name"], titles)


def _parsed(clause: str) -> tuple[str, dict[str, str]]:
    """Return the kind of change that a clause is, and its words by name."""
    for kind, pattern in _PATTERNS:
        if found := re.fullmatch(pattern, clause):
            return kind, {name: each for name, each in found.groupdict().items() if each}
    raise ChangeError(f"I do not understand {clause!r}. Examples: {EXAMPLES}.")


def _weeks(words: Mapping[str, str], clause: str, today: date) -> int | None:
    if "weeks" in words:
        return int(words["weeks"])
    if "date" not in words:
        return None
    try:
        day = date.fromisoformat(words["date"])
    except ValueError as error:
        raise ChangeError(f"{clause!r}: there is no such day.") from error
    if (weeks := weeks_until(day, today)) is None:
        raise ChangeError(f"{clause!r}: must be within a year from tomorrow on.")
    return weeks


def _pains(request: ProgrammeRequest, words: Mapping[str, str], clause: str) -> tuple[Pain, ...]:
    written = words.get("part") or words.get("other")
    if written is None:
        return ()
    try:
        part = parse_part(written)
    except PainError as error:
        raise ChangeError(f"{clause!r}: {error}.") from error
    name = part_with_side(part)
    others = [each for each in request.pain if part_with_side(each.part) != name]
    if clause.startswith("no "):
        return tuple(others)
    level = words.get("level") or _DEGREES.get(words.get("degree", ""), "moderate")
    pain = Pain.model_validate({"part": part, "level": level})
    return tuple(sorted([*others, pain], key=lambda each: each.part))


def _lacks_but(text: str, clause: str) -> tuple[EquipmentKind, ...]:
    """Return all equipment but that of the text; body weight needs none."""
    names = re.split(r" and | or ", text)
    kept = {_EQUIPMENT[name] for name in names if name in _EQUIPMENT}
    if unknown := [each for each in names if each not in {*_EQUIPMENT, *_BODY_WEIGHT}]:
        kinds = ", ".join(get_args(EquipmentKind))
        raise ChangeError(f"{clause!r}: {unknown[0]!r} is none of {kinds}, body weight.")
    return tuple(kind for kind in get_args(EquipmentKind) if kind not in kept)


def _without(request: ProgrammeRequest, name: str, titles: tuple[str, ...]) -> dict[str, Any]:
    if kind := _EQUIPMENT.get(name):
        return {"lacks": tuple(dict.fromkeys((*request.lacks, kind)))}
    found = _exercises(name, titles)
    return {
        "avoid": tuple(dict.fromkeys((*request.avoid, *found))),
        "prefer": _others(request.prefer, found),
    }


def _with(request: ProgrammeRequest, name: str, titles: tuple[str, ...]) -> dict[str, Any]:
    if kind := _EQUIPMENT.get(name):
        return {"lacks": tuple(each for each in request.lacks if each != kind)}
    found = _exercises(name, titles)
    return {
        "prefer": tuple(dict.fromkeys((*request.prefer, *found))),
        "avoid": _others(request.avoid, found),
    }


def _others(titles: Iterable[str], found: Iterable[str]) -> tuple[str, ...]:
    taken = {normalize_title(each) for each in found}
    return tuple(each for each in titles if normalize_title(each) not in taken)


def _exercises(name: str, titles: tuple[str, ...]) -> tuple[str, ...]:
    """Return the exercises with all words of a name: `rows` are all rows."""
    found = Titles(titles).matching(words_of(name))
    if found is None:
        raise ChangeError(f"No programme has an exercise {name!r}.{did_you_mean(name, titles)}")
    return found.titles
