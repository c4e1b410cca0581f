"""Wishes for an action: a form with closed values, filled in by rules, a model or an assistant.

A wish has no load, no repetitions and no free text. It has no effect by itself.
"""

import re
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from coach_agent.asking.question import LONGEST_QUESTION
from coach_agent.domain.pain import LEVELS
from coach_agent.domain.values import Value

WishKind = Literal[
    "check_in", "swap", "approve", "exclude_workout", "accept_sets", "what_if", "programme"
]
Feeling = Literal["very-low", "low", "normal", "high", "very-high"]
_LONGEST_NAME = 100
_Name = Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME)]

_BLANKS = re.compile(r"[\s?!.,]+")
_THE = r"(?:the |my )?"
_MINUTES = r"(?P<minutes>\d{1,3}) ?(?:min|mins|minutes)"
_PROGRAMME = rf"{_THE}(?:programme|program) (?P<programme>[\w +/-]+)"
_PAIN = rf"(?P<level>{'|'.join(LEVELS)}) pain in {_THE}(?P<part>[a-z ]+)"
_PATTERNS: tuple[tuple[WishKind, str], ...] = (
    ("approve", rf"(?:approve|publish) {_THE}(?:plan|next workout|next plan|workout)(?: now)?"),
    ("swap", r"(?:swap|replace|exchange) (?P<exercise>.+?) (?:for|with|by) (?P<substitute>.+)"),
    ("check_in", rf"(?:check in(?: with)?|i (?:only )?have(?: only)?) {_MINUTES}(?: today)?"),
    ("check_in", rf"check in(?: with)? {_PAIN}"),
    ("check_in", rf"make {_THE}(?:it|next workout|workout) (?P<easy>easy|easier|lighter)"),
    (
        "check_in",
        r"(?:i am|i feel|im) (?:very |so |really )?(?P<tired>tired|exhausted)(?: today)?",
    ),
    ("exclude_workout", rf"(?:exclude|ignore|dont count) {_THE}(?:last|latest) workout"),
    ("accept_sets", r"accept (?:all |the |all the )?doubted sets of (?P<exercise>.+)"),
    ("what_if", rf"what if i (?:follow|use|run|do|train) {_PROGRAMME}"),
    ("what_if", rf"what if i (?:only )?train {_MINUTES}"),
    ("programme", rf"(?:follow|use|start|run) {_PROGRAMME}"),
)


class Wish(Value):
    """A wish for an action. Only the fields of its kind count.

    check_in: `minutes`, `energy`, `pains` such as `left knee:mild`, `is_easy`. swap: `exercise` and
    `substitute`. accept_sets: `exercise`. what_if: `minutes` or `programme`. programme:
    `programme`. approve and exclude_workout, which is about the latest workout, have none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: WishKind
    exercise: _Name | None = None
    substitute: _Name | None = None
    minutes: Annotated[int, Field(ge=5, le=600)] | None = None
    energy: Feeling | None = None
    pains: Annotated[tuple[_Name, ...], Field(max_length=4)] = ()
    is_easy: bool = False
    programme: _Name | None = None


def wish_in(text: str) -> Wish | None:
    """Return the wish of a sentence that consists of nothing else; None without one.

    A text longer than a question, or with a longer name than a wish can have, is none.
    """
    if len(" ".join(text.split())) > LONGEST_QUESTION:
        return None
    sentence = _BLANKS.sub(" ", text.lower().replace("'", "")).strip()
    sentence = re.sub(r"^(?:please|can you|could you) | please$", "", sentence)
    for kind, pattern in _PATTERNS:
        found = re.fullmatch(pattern, sentence)
        if found is None:
            continue
        words = found.groupdict()
        names = (words.get(each) for each in ("exercise", "substitute", "programme"))
        if any(len(name) > _LONGEST_NAME for name in names if name):
            return None
        minutes = words.get("minutes")
        if minutes is not None and not 5 <= int(minutes) <= 600:
            return None
        pains = (f"{words['part']}:{words['level']}",) if words.get("level") else ()
        if any(len(each) > _LONGEST_NAME for each in pains):
            return None
        return Wish(
            kind=kind,
            exercise=words.get("exercise"),
            substitute=words.get("substitute"),
            minutes=None if minutes is None else int(minutes),
            energy="low" if words.get("tired") else None,
            pains=pains,
            is_easy=bool(words.get("easy")),
            programme=words.get("programme"),
        )
    return None
