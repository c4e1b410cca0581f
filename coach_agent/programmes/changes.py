"""Changes of a request for a programme, in words: `no barbell rows, 4 days`."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any

from pydantic import ValidationError

from coach_agent.domain.pain import Pain, PainError, parse_part, part_with_side
from coach_agent.domain.red_flags import red_flags_in, stop_text
from coach_agent.domain.titles import did_you_mean, normalize_title
from coach_agent.programmes.change_words import (
    ARTICLE,
    BENCH,
    BODY_WEIGHT,
    CONDITIONS,
    DATE_FORMS,
    DEGREES,
    EQUIPMENT,
    EXPERIENCE,
    FREE_WEIGHTS,
    GOALS,
    LISTED,
    NUMBERS,
    TIMES,
    ChangeError,
    clauses_of,
    parsed,
)
from coach_agent.programmes.exercise_words import (
    is_ambiguous,
    is_muscle,
    meant_to_avoid,
    meant_to_prefer,
)
from coach_agent.programmes.request import (
    MISSING_KINDS,
    MissingKind,
    ProgrammeRequest,
    event_fields,
)


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
    known, former = tuple(titles), ""
    for clause in clauses_of(text):
        kind, words = parsed(clause, former)
        fields = _fields(kind, words, request, clause, known, today)
        former = kind if kind in {"avoid", "prefer"} else ""
        try:
            request = ProgrammeRequest.model_validate({**request.model_dump(), **fields})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = str(first["loc"][0]).replace("_", " ")
            raise ChangeError(f"{clause!r}: {field}: {first['msg'].lower()}.") from error
    return request


def _fields(
    kind: str,
    words: Mapping[str, str],
    request: ProgrammeRequest,
    clause: str,
    titles: tuple[str, ...],
    today: date,
) -> dict[str, Any]:
    """Return the fields that a clause changes."""
    match kind:
        case "days":
            written = words["days"]
            return {"days": NUMBERS.index(written) + 1 if written in NUMBERS else int(written)}
        case "times":
            return {"days": TIMES[words["times"]]}
        case "minutes" | "hours" | "half":
            return {"minutes": _minutes(words)}
        case "event":
            return _event(words, clause, today)
        case "pain" | "no_pain":
            return {"pain": _pains(request, words, clause, is_over=kind == "no_pain")}
        case "goal":
            return {"goal": GOALS[words["goal"]]}
        case "experience":
            return {"level": EXPERIENCE[words["level"]]}
        case "only":
            return {"lacks": _lacks_but(words.get("name", BODY_WEIGHT[0]), clause)}
        case "swap":
            without = _listed(_without, request, words["former"], titles)
            return without | _listed(
                _with, request.model_copy(update=without), words["name"], titles
            )
        case "lack":
            return _listed(_lacking, request, words["name"], titles)
        case "have":
            return _listed(_having, request, words["name"], titles)
        case "avoid":
            return _listed(_without, request, words["name"], titles)
        case _:
            return _listed(_with, request, words["name"], titles)


def _minutes(words: Mapping[str, str]) -> int:
    if "minutes" in words:
        return int(words["minutes"])
    if "hours" not in words:
        return 30
    hours = {"an": 1.0, "one": 1.0, "two": 2.0}.get(words["hours"])
    minutes = 60 * (float(words["hours"]) if hours is None else hours)
    return round(minutes) + int(words.get("rest", "30" if "half" in words else "0"))


def _event(words: Mapping[str, str], clause: str, today: date) -> dict[str, Any]:
    """Return the fields of the event that a clause names, or those without one."""
    if "when" not in words:
        return {"weeks_to_event": None, "days_in_last_week": 7}
    if span := re.fullmatch(r"(\d+) (week|month)s?", words["when"]):
        weeks = int(span[1]) * (1 if span[2] == "week" else 52 / 12)
        return {"weeks_to_event": round(weeks), "days_in_last_week": 7}
    if (day := _day(words["when"], today)) is None:
        raise ChangeError(f"{clause!r}: write the day, as in: meet on 2027-03-20.")
    if not (found := event_fields(day, today)):
        raise ChangeError(f"{clause!r}: must be within a year from tomorrow on.")
    return found


def _day(text: str, today: date) -> date | None:
    """Return the day of `2027-03-20`, `20.03.2027`, `March 20th`; without a year the next one."""
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th|\.)(?= |$)", "", text)
    for written in (plain, f"{plain} {today.year}", f"{plain} {today.year + 1}"):
        for form in DATE_FORMS:
            try:
                found = datetime.strptime(f"{written} +0000", f"{form} %z").date()
            except ValueError:
                continue
            if written == plain or found >= today:
                return found
    return None


def _pains(
    request: ProgrammeRequest, words: Mapping[str, str], clause: str, *, is_over: bool
) -> tuple[Pain, ...]:
    written = words.get("part") or words.get("other") or CONDITIONS.get(words.get("condition", ""))
    if written is None:
        return ()
    found = {part_with_side(each.part): each for each in request.pain}
    degree = words.get("degree", "moderate")
    level = DEGREES.get(degree, degree)
    for each in written.split(" and "):
        try:
            part = parse_part(each.removeprefix("my "))
        except PainError as error:
            raise ChangeError(f"{clause!r}: {error}.") from error
        if is_over:
            found.pop(part_with_side(part), None)
        else:
            found[part_with_side(part)] = Pain.model_validate({"part": part, "level": level})
    return tuple(sorted(found.values(), key=lambda each: each.part))


def _lacks_but(text: str, clause: str) -> tuple[MissingKind, ...]:
    """Return all equipment but that of the text; body weight needs none."""
    names = [re.sub(rf"^{ARTICLE}", "", each) for each in LISTED.split(text)]
    kept = {EQUIPMENT[name] for name in names if name in EQUIPMENT}
    if unknown := [each for each in names if each not in {*EQUIPMENT, *BODY_WEIGHT}]:
        kinds = ", ".join(MISSING_KINDS)
        raise ChangeError(f"{clause!r}: {unknown[0]!r} is none of {kinds}, body weight.")
    if "barbell" in kept:
        kept.add("rack")  # squats and presses need one
    return tuple(kind for kind in MISSING_KINDS if kind not in kept)


def _listed(
    change: Callable[[ProgrammeRequest, str, tuple[str, ...]], dict[str, Any]],
    request: ProgrammeRequest,
    names: str,
    titles: tuple[str, ...],
) -> dict[str, Any]:
    """Return the fields after a change for each name of a list: `leg press or squats`."""
    whole = set(map(normalize_title, titles))
    parts = [names] if normalize_title(names) in whole else LISTED.split(names)
    found: dict[str, Any] = {}
    for part in parts:
        name = re.sub(rf"^{ARTICLE}", "", part)
        found |= change(request.model_copy(update=found), name, titles)
    return found


def _lacking(request: ProgrammeRequest, name: str, titles: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of an athlete without some equipment; other names are exercises."""
    kinds = FREE_WEIGHTS if name == "free weights" else (EQUIPMENT.get(name),)
    lacks = [kind for kind in kinds if kind is not None]
    if not lacks:
        return _without(request, name, titles)
    return {"lacks": tuple(dict.fromkeys((*request.lacks, *lacks)))}


def _having(request: ProgrammeRequest, name: str, titles: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of an athlete with some equipment; other names are exercises."""
    if (kind := EQUIPMENT.get(name)) is None:
        return _with(request, name, titles)
    return {"lacks": tuple(each for each in request.lacks if each != kind)}


def _without(request: ProgrammeRequest, name: str, titles: tuple[str, ...]) -> dict[str, Any]:
    if name != BENCH and (name in EQUIPMENT or name == "free weights"):
        return _lacking(request, name, titles)
    found = meant_to_avoid(name, titles)
    if not is_muscle(name):
        _require_clear(name, found, titles)
    return {
        "avoid": tuple(dict.fromkeys((*request.avoid, *found))),
        "prefer": _others(request.prefer, found),
    }


def _with(request: ProgrammeRequest, name: str, titles: tuple[str, ...]) -> dict[str, Any]:
    if name != BENCH and name in EQUIPMENT:
        return _having(request, name, titles)
    if is_muscle(name):
        raise ChangeError(f"Name an exercise for {name}, as in: add lateral raises.")
    found = meant_to_prefer(name, titles)
    _require_clear(name, found, titles)
    return {
        "prefer": tuple(dict.fromkeys((*request.prefer, *found))),
        "avoid": _others(request.avoid, found),
    }


def _require_clear(name: str, found: tuple[str, ...], titles: tuple[str, ...]) -> None:
    if not found:
        raise ChangeError(f"No programme has an exercise {name!r}.{did_you_mean(name, titles)}")
    if is_ambiguous(found):
        raise ChangeError(f"{name!r} can be {', '.join(found[:4])} and others: say which.")


def _others(titles: Iterable[str], found: Iterable[str]) -> tuple[str, ...]:
    taken = {normalize_title(each) for each in found}
    return tuple(each for each in titles if normalize_title(each) not in taken)
