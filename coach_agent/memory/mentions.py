"""Mentions of a preference or a pain in a note, as a model reads them and code checks them.

A note is the athlete's or a stranger's text. A mention counts only if a verbatim quote of the note
has words for it, and no note counts that addresses a machine.
"""

import re
import unicodedata
from collections.abc import Sequence
from datetime import date
from typing import Literal

from pydantic import ConfigDict

from coach_agent.domain.pain import known_parts, part_with_side
from coach_agent.domain.red_flags import red_flags_in
from coach_agent.domain.values import Value

MentionKind = Literal["against_exercise", "for_exercise", "injury_pattern"]

LONGEST_QUOTE = 160
"""Characters of a quote: a sentence."""

# Words of the languages of the comments (en, de, es, fr, it, pt, nl, pl), without accents.
# The athlete's own words: "hates" and "loves" are of somebody else.
_DISLIKES = re.compile(
    r"\b(hate|hated|hating|dislike|disliked|don'?t like|do not like|can'?t stand|despise|"
    r"hasse|mag .{0,40}nicht|odio|detesto|no me gusta|je deteste|je n'aime pas|non mi piace|"
    r"nao gosto|haat|niet leuk|nie lubie|nienawidze)\b"
)
_LIKES = re.compile(
    r"\b(love|loved|loving|i like|enjoy|enjoyed|i prefer|my favou?rite|liebe|ich mag|lieber|"
    r"me gusta|me encanta|j'adore|j'aime|mi piace|gosto|adoro|leuk|lubie|uwielbiam|wole)\b"
)
_PAINS = re.compile(
    r"\b(hurt|hurts|hurting|pain|painful|ache|aches|aching|stings|stinging|twinge|twinges|"
    r"pinches|pinching|schmerz\w*|tut weh|zwickt|duele|dolor|douleur|dolore|dor|doi|pijn|boli|bol)"
    r"\b"
)
# Words of a text to a machine. A note with one of them is not read: most notes have none.
_ADDRESSED = re.compile(
    r"ignor|disregard|overrid|overrul|bypass|instruc|anweisung|system|prompt|assistant|chatbot|"
    r"gpt|llm|json|admin|developer|memor|remember|recuerda|gedachtnis|erinner|souvien|ricord|"
    r"lembr|onthoud|zapamietaj|speicher|guarda|enregistr|salva|opsla|zapisz|preferenc|setting|"
    r"config|databas|profil|notebook|base64|https?:|www\.|important|confirm|approv|publish|"
    r"</?\w|[{}\[\]<>`|#=;]|"
    r"\b(?:ai|ki|ia|sql|role|record|save|store|learn|write|update|delete|drop|insert|execute|run|"
    r"sudo|set|raise|tell|say|reply|respond|answer|output|print|act|pretend|note|fact|rule|"
    r"coach|bot|model|modell\w*|user|athlete|lifter|client|always|never|must|please|bitte|"
    r"merk\w*|sage?|schreib\w*|por favor|per favore|s'il|alsjeblieft|prosze|"
    r"you\w*|dein\w*|du|ihr|tu|tus|tuo|tua|teu|sua|vous|votre|ton|jij|jouw|twoj\w*)\b"
)
_NEGATED = re.compile(
    r"\b(no|not|never|without|gone|better|kein\w*|nicht|ohne|sin|sans|senza|sem|geen|bez|isn'?t|"
    r"doesn'?t|didn'?t|don'?t|used to|free|painless|less|anymore|any more|nor|"
    r"\w*frei|schmerzlos|fruher|non|nao|niet|nie|ne|plus)\b"
)
_SENTENCES = re.compile(r"[.!?]+(?:\s|$)")
_CLAUSES = re.compile(r"[.!?,:]+(?:\s|$)")


class Mention(Value):
    """A mention of a preference or pain in a note; `subject` is an exercise's key or a part."""

    model_config = ConfigDict(hide_input_in_errors=True)

    kind: MentionKind
    subject: str
    title: str
    mart: str
    key: str
    day: date


def is_plain_note(text: str) -> bool:
    """Return whether a note speaks of training alone, and to nobody."""
    return not _ADDRESSED.search(_folded(text)) and not red_flags_in(text)


def is_mentioned(
    kind: MentionKind, quote: str, note: str, names: Sequence[str], *, is_about: bool = False
) -> bool:
    """Return whether a verbatim quote of a plain note mentions a subject by one of its names.

    `is_about`: the note is about the subject, such as one on an exercise of a workout.
    """
    said, whole = _folded(quote), _folded(note)
    if not said or len(said) > LONGEST_QUOTE or said not in whole or not is_plain_note(note):
        return False
    is_named = is_about or any(
        re.search(rf"\b{re.escape(_folded(name))}\b", said) for name in names if name
    )
    if not is_named:
        return False
    # A quote may leave out the words that reverse it.
    around = _around(said, whole, _CLAUSES if kind == "injury_pattern" else _SENTENCES)
    if kind == "injury_pattern":
        return bool(_PAINS.search(said)) and not _NEGATED.search(around)
    if kind == "against_exercise":
        # "don't like" has a negation of its own.
        rest = _DISLIKES.sub(" ", around)
        return bool(_DISLIKES.search(said)) and not (_LIKES.search(rest) or _NEGATED.search(rest))
    return bool(_LIKES.search(said)) and not (_DISLIKES.search(around) or _NEGATED.search(around))


def _around(said: str, whole: str, ends: re.Pattern[str]) -> str:
    """Return all places of a quote, each up to the ends around it."""
    found: list[str] = []
    at = whole.find(said)
    while at >= 0:
        before, after = whole[:at], whole[at + len(said) :]
        found.append(ends.split(before)[-1] + said + ends.split(after)[0])
        at = whole.find(said, at + 1)
    return " ".join(found)


def known_part(text: str) -> str | None:
    """Return a part of the body under its name in the table; None for another."""
    part = part_with_side(text)
    bare = part.removeprefix("left ").removeprefix("right ")
    return part if part in known_parts() or bare in known_parts() else None


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.replace("\u2019", "'")).lower()
    kept = "".join(each for each in plain if not unicodedata.combining(each))
    return " ".join(kept.replace("ł", "l").split())
