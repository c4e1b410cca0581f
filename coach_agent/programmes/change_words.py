"""Words of changes of a programme: which kind of change a clause is, and its parts."""

import re

from coach_agent.domain.pain import LEVELS as PAIN_LEVELS
from coach_agent.programmes.model import Aim, Level
from coach_agent.programmes.request import MISSING_KINDS, MissingKind

EXAMPLES = "4 days; 45 minutes; for strength; intermediate; no barbell; no rows; prefer dips; "
EXAMPLES += "left knee hurts; meet on 2027-03-20"

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven")
TIMES = {"once": 1, "twice": 2, "every other day": 3, "every second day": 3}
GOALS: dict[str, Aim] = {
    **dict.fromkeys(("strength", "strong", "stronger", "powerlifting"), "strength"),
    **dict.fromkeys(("size", "muscle", "muscles", "hypertrophy", "bodybuilding"), "hypertrophy"),
    **dict.fromkeys(("bigger", "mass"), "hypertrophy"),
    **dict.fromkeys(("health", "healthy", "fitness", "fit"), "health"),
    **dict.fromkeys(("both", "strength and size", "size and strength"), "both"),
    **dict.fromkeys(("strength and muscle", "strength and hypertrophy"), "both"),
}
EXPERIENCE: dict[str, Level] = {
    **dict.fromkeys(("novice", "beginner", "new", "new to this", "new to lifting"), "novice"),
    "intermediate": "intermediate",
    "advanced": "advanced",
}
EQUIPMENT: dict[str, MissingKind] = {
    **{kind: kind for kind in MISSING_KINDS},
    **{f"{kind}s": kind for kind in MISSING_KINDS},
    **dict.fromkeys(("pull up bar", "pullup bar", "chin up bar", "chin-up bar"), "pull-up bar"),
    **dict.fromkeys(("squat rack", "power rack"), "rack"),
    **dict.fromkeys(("dip bar", "rings"), "dip bars"),
}
BENCH = "bench"
"""It is equipment for somebody who has none; `no bench` is the press."""
FREE_WEIGHTS: tuple[MissingKind, ...] = ("barbell", "dumbbell", "kettlebell")
BODY_WEIGHT = ("body weight", "bodyweight", "my body weight", "calisthenics")

ARTICLE = r"(?:an? |the |my |any |some |more )*"
_PART = r"(?P<part>[a-z ]+?)"
DEGREES: dict[str, str] = {
    **dict.fromkeys(("a bit", "a little", "slightly", "slight", "light"), "mild"),
    **dict.fromkeys(("badly", "a lot"), "severe"),
}
_DEGREE = rf"(?P<degree>{'|'.join((*PAIN_LEVELS, *DEGREES))})"
CONDITIONS = {
    "tennis elbow": "elbow",
    "golfers elbow": "elbow",
    "shoulder impingement": "shoulder",
    "runners knee": "knee",
    "jumpers knee": "knee",
    "plantar fasciitis": "foot",
}
_PER = r"(?: (?:a|per|each) (?:week|session|workout|day)| weekly)?"
_MOST = (
    r"(?:i (?:only |just )?have |i (?:can )?(?:only )?train )?"
    r"(?:only |just |at most |up to |max |maximum |no more than |not more than |with |in )?"
)
_WANT = r"(?:i want (?:to )?|i like to |id like to )?"
_AVOID = (
    r"(?:no more|no|without|avoid|drop|remove|skip|leave out|i (?:really )?(?:hate|dislike)"
    r"|i (?:really )?dont like|(?:i )?(?:cant|cannot)(?: do)?|dont (?:want|do))"
)
_PREFER = r"(?:prefer|more|include|add|keep|i (?:like|love|prefer|want))"
_PATTERNS: tuple[tuple[str, str], ...] = (
    (
        "days",
        rf"{_MOST}(?P<days>\d+|{'|'.join(NUMBERS)})(?: ?x|"
        rf" (?:training )?(?:days?|times|sessions?|workouts?)){_PER}",
    ),
    ("times", rf"{_MOST}(?P<times>{'|'.join(TIMES)}){_PER}"),
    ("minutes", rf"{_MOST}(?P<minutes>\d+) ?(?:min|mins|minutes){_PER}"),
    ("hours", rf"{_MOST}(?P<hours>\d)(?: ?h ?|:)(?P<rest>\d\d){_PER}"),
    ("hours", rf"{_MOST}(?P<hours>\d+(?:\.\d+)?|an|one|two) ?(?:h|hours?){_PER}"),
    ("hours", rf"{_MOST}(?P<hours>an|one) hour and a (?P<half>half){_PER}"),
    ("half", rf"{_MOST}(?:half an hour|half hour){_PER}"),
    ("event", r"(?:no|without) (?:event|meet|competition)"),
    (
        "event",
        r"(?:an? |the |my |powerlifting )*(?:event|meet|competition|wedding|race)"
        r"(?: is)?(?: on| in)? (?P<when>.*\d.*)",
    ),
    (
        "no_pain",
        rf"(?:i have )?no (?:more )?(?:pain in {ARTICLE}{_PART}|(?P<other>[a-z ]+) pain|pain)",
    ),
    ("no_pain", r"nothing hurts"),
    ("no_pain", rf"{ARTICLE}{_PART} (?:is|are) (?:fine|ok|okay|good|better)(?: again| now)?"),
    ("no_pain", rf"{ARTICLE}{_PART} (?:doesnt|dont|does not|do not) hurt"),
    (
        "pain",
        rf"{ARTICLE}{_PART} (?:hurts?|aches?|is sore|are sore)(?: {_DEGREE})?(?: when .+)?",
    ),
    ("pain", rf".+ hurts? {ARTICLE}{_PART}"),
    (
        "pain",
        rf"(?:i have )?{ARTICLE}(?:{_DEGREE} )?"
        rf"(?:pain in {ARTICLE}{_PART}|(?P<other>[a-z ]+?) pain)",
    ),
    ("pain", rf"(?:i have )?{ARTICLE}bad (?P<part>[a-z ]+)"),
    ("pain", rf"(?:i have )?{ARTICLE}(?P<condition>{'|'.join(CONDITIONS)})"),
    (
        "goal",
        rf"{_WANT}(?:for |more |only |just |goal |get |be |become |build |stay )*"
        rf"(?P<goal>{'|'.join(GOALS)})",
    ),
    ("experience", rf"(?:i am |im )?{ARTICLE}(?P<level>{'|'.join(EXPERIENCE)})(?: lifter)?"),
    ("only", rf"(?:i )?(?:only|just) (?:have |use |with )?{ARTICLE}(?P<name>.+)"),
    ("only", r"(?P<name>.+) only"),
    ("only", rf"(?:no equipment|(?P<name>{'|'.join(BODY_WEIGHT)}))"),
    ("swap", rf"{ARTICLE}(?P<name>.+) instead of {ARTICLE}(?P<former>.+)"),
    (
        "swap",
        rf"(?:swap|replace|change|exchange) {ARTICLE}(?P<former>.+)"
        rf" (?:for|with|by|to) {ARTICLE}(?P<name>.+)",
    ),
    ("lack", rf"(?:i have no|i dont have|there is no) {ARTICLE}(?P<name>.+)"),
    ("have", rf"(?:with|i have|there is) {ARTICLE}(?P<name>.+)"),
    ("avoid", rf"{_AVOID} {ARTICLE}(?P<name>.+)"),
    ("prefer", rf"{_PREFER} {ARTICLE}(?P<name>.+)"),
)
_MEDICAL = re.compile(
    r"\b(?:pregnan|osteopor|sciatica|herniated|slipped disc|surgery|heart|blood pressure|diabet)"
    r"|\bstroke\b"
)
_ASK_DOCTOR = (
    "Ask your doctor or physiotherapist first. Then name what you may not do, as in: no deadlifts, "
    "lower back hurts, for health."
)
# What a programme cannot follow, with what to do instead.
_REFUSED = (
    (
        re.compile(r"^(?:i am|im|aged?) \d+|\byears? old\b"),
        "Age changes nothing. Name what you want, as in: for health, 45 minutes, left knee hurts.",
    ),
    (
        re.compile(
            r"\b(?:volume|sets|easier|harder|too hard|too easy|rest days|full body|upper|ppl"
            r"|push pull|split|focus)\b"
        ),
        "Split and sets follow from days, minutes, goal and level: change one of these.",
    ),
)
_SEPARATORS = re.compile(r"(?:[,;!]|\.(?!\d))\s*(?:and |but )?")
# Words after an "and" that separates two changes; elsewhere it is part of one.
_AND = re.compile(
    r" (?:and|but) (?=(?:no|without|avoid|prefer|with|only|i|my|swap|for|add|include|half) |\d)"
    r"|(?<=days) (?:of |at |with )?(?=\d)|(?<=week) (?:for |of )?(?=\d)"
)
LISTED = re.compile(r" and | or |, ")
_POLITE = frozenset({"please", "thanks"})
_ENDINGS = re.compile(r" (?:at all|anymore|any more|again|this time|for now)$")
DATE_FORMS = ("%Y-%m-%d", "%d.%m.%Y", "%B %d %Y", "%b %d %Y", "%d %B %Y", "%d %b %Y")


class ChangeError(ValueError):
    """Words that name no possible change; the message has the words and examples."""


def clauses_of(text: str) -> list[str]:
    """Return the changes of a text, in lower case; ChangeError without any."""
    found = []
    for sentence in _SEPARATORS.split(re.sub(r"['\u2019]", "", text.lower())):
        plain = " ".join(word for word in sentence.split() if word not in _POLITE)
        found += [_ENDINGS.sub("", each) for each in _AND.split(plain) if each]
    if not found:
        raise ChangeError(f"Write what to change, for example: {EXAMPLES}.")
    return found


def parsed(clause: str, former: str) -> tuple[str, dict[str, str]]:
    """Return the kind of change that a clause is, and its words by name.

    A clause without a verb continues the `former` one, as in "no squats, deadlifts".

    Raises:
        ChangeError: it is none, or one that a programme cannot follow.
    """
    if _MEDICAL.search(clause):
        raise ChangeError(f"{clause!r}: {_ASK_DOCTOR}")
    for kind, pattern in _PATTERNS:
        if found := re.fullmatch(pattern, clause):
            return kind, {name: each for name, each in found.groupdict().items() if each}
    for refused, advice in _REFUSED:
        if refused.search(clause):
            raise ChangeError(f"{clause!r}: {advice}")
    if former:
        return former, {"name": clause}
    raise ChangeError(f"I do not understand {clause!r}. Examples: {EXAMPLES}.")
