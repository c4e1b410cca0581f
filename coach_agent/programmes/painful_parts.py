"""Changes of a programme because of pain, and the advice to see a professional."""

from collections.abc import Iterable, Sequence

from coach_agent.domain.pain import A_LOT, Pain, load_on, may_replace
from coach_agent.programmes.catalogue import Catalogue
from coach_agent.programmes.numbers import CAREFUL_REPS, CAREFUL_RESERVE
from coach_agent.programmes.request import Finding, ProgrammeRequest
from coach_agent.programmes.selection import Choice, allowed_exercises
from coach_agent.programmes.volume import Week, is_timed

_MOST_NAMES = 6


def pain_findings(week: Week, request: ProgrammeRequest, catalogue: Catalogue) -> list[Finding]:
    """Return for each painful part what is left out, done with care or chosen last because of it.

    Parts that the same exercises load are one, such as both knees. Of the exercises left out the
    usual ones are named.
    """
    if not request.pain:
        return []
    possible = allowed_exercises(request.model_copy(update={"pain": ()}), catalogue)
    alike: dict[tuple[object, ...], list[Pain]] = {}
    for pain in request.pain:
        loads = tuple(load_on(pain.part, each.exercise) for each in possible)
        alike.setdefault((pain.level, loads), []).append(pain)
    return [
        Finding(rule="pain", subject=names, text=text)
        for pains in alike.values()
        if (names := " and ".join(pain.part for pain in pains))
        if (text := _text(pains[0], names, week, possible))
    ]


def professional_notes(pains: Iterable[Pain]) -> list[str]:
    """Return the advice to see a professional, for all parts with severe pain."""
    parts = [pain.part for pain in pains if pain.level == "severe"]
    return [_advice(" and ".join(parts))] if parts else []


def _advice(part: str) -> str:
    return f"Severe pain ({part}): see a doctor or physiotherapist before you train it."


def _text(pain: Pain, names: str, week: Week, possible: Sequence[Choice]) -> str:
    because = f"because of {names} ({pain.level})"
    sentences = [_advice(names)] if pain.level == "severe" else []
    left_out = [each for each in possible if not may_replace([pain], each.exercise)]
    if left_out:
        sentences.append(f"Left out {because}: {_names(left_out)}.")
    loading = {
        entry.choice.title
        for entry in week.all_entries()
        if entry.choice.is_careful
        and not is_timed(entry.choice)
        and load_on(pain.part, entry.choice.exercise)
    }
    if pain.level == "moderate" and loading:
        care = f"{CAREFUL_REPS.value} repetitions or more with {CAREFUL_RESERVE.value} in reserve"
        sentences.append(f"With {care} {because}: {', '.join(sorted(loading))}.")
    last = [each for each in possible if load_on(pain.part, each.exercise) == A_LOT]
    if pain.level == "mild" and last:
        sentences.append(f"Only where nothing easier fits {because}: {_names(last)}.")
    return " ".join(sentences)


def _names(choices: Sequence[Choice]) -> str:
    """Return the usual exercises, else the first ones, and the number of the others."""
    usual = [each.title for each in choices if each.tags.is_usual]
    titles = (usual or [each.title for each in choices])[:_MOST_NAMES]
    more = len(choices) - len(titles)
    return ", ".join(titles) + (f" and {more} more" if more else "")
