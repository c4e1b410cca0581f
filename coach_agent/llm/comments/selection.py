"""Selection of the permitted statements that a sentence expresses.

A sentence is split into clauses. Each clause has the meanings of its words, its numbers and its
exercises, and selects a statement only if all of them agree with the facts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from coach_agent.llm.comments.agreement import agreed_cues, agreed_kinds
from coach_agent.llm.comments.clauses import CLAIMS, SIGNS, Clause, joined_clauses
from coach_agent.llm.comments.known import Known, Lift
from coach_agent.llm.comments.numbers import fits, places_of, rep_changes, sign_of
from coach_agent.llm.comments.statements import Statement, next_count, statement_text
from coach_agent.llm.comments.words import Token

Problem = Literal[
    "characters",
    "too_long",
    "unknown_word",
    "wording",
    "number",
    "direction",
    "claim",
    "exercise",
    "cue",
]
"""Reason to select nothing."""

_BESIDE_CUES = frozenset({"fault", "praise", "none", "same", "hold", "once"})
_MOST_UNKNOWN = 0.5
_MOST_UNKNOWN_WITHOUT_A_FACT = 0.34


@dataclass(frozen=True)
class Selected:
    """The statements of a sentence, or the reason for none, and the exercises it is about.

    `is_final`: it has words that forbid every statement.
    """

    statements: tuple[Statement, ...] = ()
    problem: Problem | None = None
    topic: tuple[int, ...] = ()
    is_final: bool = False


def select_statements(tokens: Sequence[Token], known: Known, topic: tuple[int, ...]) -> Selected:
    """Return the statements of a sentence. `topic` are the exercises of the sentence before it."""
    read = _read_by_clauses(tokens, known, topic)
    if read.problem is None or read.is_final:
        return read
    return _read_as_a_whole(tokens, known, topic) or read


def _read_as_a_whole(
    tokens: Sequence[Token], known: Known, topic: tuple[int, ...]
) -> Selected | None:
    """Return the statements of a sentence about one exercise that agrees with its facts."""
    named = {index for token in tokens for index in token.mention or ()}
    if len(named) > 1 or any(token.mention == () for token in tokens):
        return None
    about = tuple(named) or topic
    if len(about) != 1 and (about or len(known.lifts) != 1):
        about = ()
    lift = known.lifts[about[0]] if about else None
    words = [token for token in tokens if token.text.isalpha()]
    unknown = sum(token.is_unknown for token in words) / max(len(words), 1)
    kinds: list[str] = []
    if lift is not None and unknown <= _MOST_UNKNOWN:
        kinds = agreed_kinds(tokens, lift, known.unit)
    if not kinds and unknown <= _MOST_UNKNOWN_WITHOUT_A_FACT:
        kinds = [f"cue {code}" for code in agreed_cues(tokens, lift)][:2]
    found = [Statement(kind, about[0] if about else None) for kind in kinds]
    shown = tuple(each for each in found if statement_text(each, known) is not None)
    return Selected(shown, None, about) if shown else None


def _read_by_clauses(tokens: Sequence[Token], known: Known, topic: tuple[int, ...]) -> Selected:
    labels = {label for token in tokens for label in token.labels}
    if "forbidden" in labels or any(token.text == "?" for token in tokens):
        return Selected(problem="wording", is_final=True)
    clauses, rest = joined_clauses(tokens)
    if rest.labels & {"not", "ordinal"} or rest.places:
        return Selected(problem="wording")  # "the row goes up, not the curl"
    if any("until" in clause.labels for clause in clauses):
        for clause in clauses:  # "it stays there until all sets reach 10" is about its load
            if "same" in clause.labels and not clause.numbers:
                clause.labels.add("measure load")
    is_conditional = any("once" in clause.labels and not clause.cues for clause in clauses)
    if any("once" in each.labels and each.cues for each in clauses) and any(
        not each.cues for each in clauses
    ):
        return Selected(problem="wording")  # "keep going when your form slips"
    mentioned = tuple(dict.fromkeys(i for c in clauses for m in c.mentions for i in m))
    if any(not mention for clause in clauses for mention in clause.mentions):
        return Selected(problem="exercise")
    found: list[Statement] = []
    current: tuple[int, ...] = ()
    only = (0,) if len(known.lifts) == 1 else ()
    for clause in clauses:
        own = tuple(dict.fromkeys(index for mention in clause.mentions for index in mention))
        current = own or current or mentioned[:1] or topic or only
        if is_conditional and "up" in clause.labels and not clause.numbers:
            continue  # a step that depends on the condition is none of today
        chosen = _of_clause(clause, current, known, is_named=bool(own))
        if isinstance(chosen, str):
            return Selected(problem=chosen)
        found += [each for each in chosen if statement_text(each, known) is not None]
    if not found:
        return Selected(problem="wording")
    words = [token for token in tokens if token.text.isalpha() or " " in token.text]
    is_fact = any(each.lift is not None and " " not in each.kind for each in found)
    most = _MOST_UNKNOWN if is_fact else _MOST_UNKNOWN_WITHOUT_A_FACT
    if sum(token.is_unknown for token in words) > most * max(len(words), 1):
        return Selected(problem="unknown_word")
    return Selected(tuple(dict.fromkeys(found)), None, mentioned or topic)


def _of_clause(
    clause: Clause, lifts: tuple[int, ...], known: Known, *, is_named: bool
) -> list[Statement] | Problem:
    labels = clause.labels
    if "compared with the plan" in labels or ("than" in labels and len(clause.mentions) > 1):
        return "wording"
    if "ordinal" in labels or any(each.kind in {"unclear", "minutes"} for each in clause.numbers):
        return "number"
    if not is_named and not clause.numbers and (whole := _of_the_whole(clause, known)) is not None:
        return whole
    kinds = {each.kind for each in clause.numbers}
    if kinds & {"lifts", "workouts"} <= {*kinds} - {"load", "reps", "seconds"} and (
        kinds & {"lifts", "workouts"} and (counted := _counted(clause, known))
    ):
        return counted
    cues = [] if labels & (CLAIMS - _BESIDE_CUES) else clause.cues
    if cues and not clause.numbers:
        return _cues(clause, lifts if is_named else (), known)
    if "fault" in labels:
        return "cue"
    is_praise = "praise" in labels and labels & CLAIMS <= {"praise", "same", "hold"}
    if not is_named and is_praise and not clause.numbers and lifts:
        return [] if "not" not in labels else "wording"
    if not lifts:
        return _praise(clause) if is_praise and not clause.numbers else "exercise"
    found: list[Statement] = []
    for index in lifts:
        chosen = _of_lift(clause, known.lifts[index], known)
        if chosen in {"unknown_word", "wording", "number", "direction", "claim", "exercise", "cue"}:
            return chosen  # type: ignore[return-value]
        found += [Statement(kind, index) for kind in chosen.split()]
    return found


def _of_the_whole(clause: Clause, known: Known) -> list[Statement] | Problem | None:
    """Return statements about all exercises; None if the clause is about none of them."""
    labels = clause.labels
    counts = _counts(clause, known)
    signs = {name for name in SIGNS if name in labels}
    if "none" in labels and signs:
        return "direction" if any(counts[each] for each in signs) else [Statement("day")]
    if "all" in labels or "most" in labels:
        if labels & {"not", "else", "only"}:
            return "wording"
        if (signs or "rise" in labels) and not labels & {"unit sets", "unit reps"}:
            total = len(known.trained)
            share = min(counts[each] for each in signs or {"up"})
            is_true = share == total if "all" in labels else 2 * share > total
            return [Statement("day")] if total and is_true else "direction"
        if "done" in labels:
            return [Statement("all_done")] if _holds("all_done", known) else "claim"
    if "whole" in labels and "done" in labels and "not" not in labels:
        return [Statement("went_well")] if _holds("went_well", known) else "claim"
    return None


def _counts(clause: Clause, known: Known) -> dict[str, int]:
    """Return the number of planned exercises by direction of the clause's measure."""
    found = [each.direction(clause.measure) for each in known.trained if each.planned]
    return {name: found.count(sign) for name, sign in SIGNS.items()}


def _holds(kind: str, known: Known) -> bool:
    return statement_text(Statement(kind), known) is not None


def _counted(clause: Clause, known: Known) -> list[Statement] | Problem | None:
    """Return the statement of "four lifts go up" or "three workouts this week"."""
    numbers, labels = clause.numbers, clause.labels
    if numbers[-1].kind == "lifts":
        counts = _counts(clause, known)
        signs = [name for name in SIGNS if name in labels] or ["up"] * ("rise" in labels)
        if len(signs) != 1:
            return "wording"
        values = [each.value for each in numbers]
        total = len(known.trained)
        is_true = values[0] == counts[signs[0]] and all(each == total for each in values[1:])
        return [Statement("day")] if is_true and "not" not in labels else "number"
    if labels & {"short", "not", "flat"} or known.workouts is None or len(numbers) > 1:
        return None
    return [Statement("week")] if numbers[0].value == known.workouts else "number"


def _cues(clause: Clause, lifts: tuple[int, ...], known: Known) -> list[Statement] | Problem:
    """Return cues of the catalogue. A fault such as swinging needs a negation, others none."""
    if ("fault" in clause.labels) != bool(clause.labels & {"not", "none"}):
        return "cue"
    if "before" in clause.labels:
        return "cue"  # "load before form"
    found = [Statement(f"cue {code}", index) for code in clause.cues for index in lifts or (None,)]
    shown = [each for each in found if statement_text(each, known) is not None]
    return shown[:2] or "cue"


def _praise(clause: Clause) -> list[Statement] | Problem:
    if clause.labels & {"not", "body"} or clause.places or "praise" not in clause.labels:
        return "wording"
    return [Statement("keep_going")]


def _of_lift(clause: Clause, lift: Lift, known: Known) -> str:
    """Return the kinds of statements that a clause expresses of an exercise, or the problem."""
    labels = clause.labels
    is_past = "past" in labels and not labels & {"plan", "compare"}
    if any(place > max(len(lift.planned), len(lift.last)) for place in clause.places):
        return "number"
    if "warmup" in labels or (labels & {"body", "modal"} and not clause.numbers):
        return "wording"
    if "only" in labels and not _is_only(clause, lift, known):
        return "claim"
    if "easy" in labels:
        return "easy" if lift.is_easy else "claim"
    if "record" in labels:
        best = () if lift.best is None else (lift.best,)
        is_true = clause.numbers and "not" not in labels and fits(clause, best, lift, known)
        return "record" if is_true else "claim"
    if "flat" in labels:
        return "flat" if lift.is_stalled and "not" not in labels and not clause.numbers else "claim"
    if labels & {"until", "once"}:
        return _condition(clause, lift)
    if "short" in labels or ("not" in labels and "done" in labels):
        return _short(clause, lift, known)
    if "top" in labels or ("done" in labels and not labels & {"up", "down", "same", "plan"}):
        return _done(clause, lift, known)
    return _past(clause, lift, known) if is_past else _change(clause, lift, known)


def _is_only(clause: Clause, lift: Lift, known: Known) -> bool:
    """Return whether "only" is true: of the sets at these places, or of the exercise."""
    if clause.places:
        changed = [at for at, each in enumerate(rep_changes(lift), start=1) if each]
        is_moved = bool(lift.direction("load"))
        return not is_moved and changed == sorted(places_of(clause, len(lift.planned)))
    signs = {sign for name, sign in SIGNS.items() if name in clause.labels}
    if clause.numbers or not signs:
        return True  # "it only needs one more rep"
    named = {index for mention in clause.mentions for index in mention}
    others = (each for at, each in enumerate(known.lifts) if at not in named and each.planned)
    return not any(each.direction(clause.measure) in signs for each in others)


def _condition(clause: Clause, lift: Lift) -> str:
    """The goal of a range or of fixed repetitions is not reached yet."""
    goal = next_count(lift)
    counts = [each.value for each in clause.numbers if each.kind in {"reps", "bare"}]
    others = [each for each in clause.numbers if each.kind not in {"reps", "bare", "sets"}]
    is_more = any(each.role == "by" for each in clause.numbers)
    if goal is None or is_more or clause.labels & {"not", "up", "down"}:
        return "claim"
    sets = [each.value for each in clause.numbers if each.kind == "sets"]
    is_true = all(each == goal for each in counts) and all(e == len(lift.planned) for e in sets)
    return "next" if is_true and not others else "number"


def _short(clause: Clause, lift: Lift, known: Known) -> str:
    labels = clause.labels
    is_denied = "short" in labels and "not" in labels
    if is_denied:
        return _done(_without(clause, "short", "not"), lift, known)
    workouts = [each for each in clause.numbers if each.kind == "workouts"]
    rest = replace(clause, numbers=[each for each in clause.numbers if each.kind != "workouts"])
    if lift.hit_targets is False:
        if any(each.value != lift.misses for each in workouts):
            return "number"
        if any(not 1 <= place <= len(lift.hits) for place in places_of(clause, len(lift.hits))):
            return "number"
        if any(lift.hits[place - 1] for place in places_of(clause, len(lift.hits))):
            return "claim"
        is_load = any(each.kind == "load" for each in rest.numbers)
        sets = lift.planned if is_load and labels & {"up", "down"} else lift.last
        if rest.numbers and not (fits(rest, sets, lift, known) or _is_shortfall(rest, lift)):
            return "number"
        return "misses" if workouts else "short"
    goal = next_count(lift)
    if "done" not in labels or goal is None or workouts or not rest.numbers:
        return "claim"
    is_true = all(each.value in {goal, len(lift.last)} for each in rest.numbers)
    return "next" if is_true else "number"


def _is_shortfall(clause: Clause, lift: Lift) -> bool:
    """Return whether the numbers are a target, the sets that missed it, or the missing reps."""
    if len(lift.goals) != 1:
        return False
    (goal,) = lift.goals
    missing = sum(max(goal - (each.reps or 0), 0) for each in lift.last)
    true = {"sets": {lift.hits.count(False), len(lift.last)}, "load": set[int]()}
    return all(each.value in true.get(each.kind, {goal, missing}) for each in clause.numbers)


def _done(clause: Clause, lift: Lift, known: Known) -> str:
    labels = clause.labels
    if "not" in labels:
        return "wording"
    is_whole = "all" in labels or "top" in labels or not clause.numbers
    if clause.places and "all" not in labels:
        is_whole = False
    if clause.numbers and not fits(clause, lift.last, lift, known):
        return "number"
    if not is_whole:
        return "last_time" if clause.numbers else "claim"
    reached = lift.hit_targets if "target" in labels else lift.hit_goals
    if "top" not in labels and clause.numbers and lift.hit_targets:
        reached = True  # its own numbers were compared
    if not reached:
        return "claim"
    return "done last_time" if clause.numbers else "done"


def _past(clause: Clause, lift: Lift, known: Known) -> str:
    labels = clause.labels
    if "not" in labels or "change" in labels:
        return "wording"
    if labels & {"up", "more", "rise", "down", "less"}:
        sign = -1 if labels & {"down", "less"} else 1
        if lift.progress != sign or clause.numbers:
            return "direction"
        return "trend last_time"
    if clause.numbers:
        return "last_time" if fits(clause, lift.last, lift, known) else "number"
    if "same" in labels:
        return "wording"
    return "done" if "praise" in labels and lift.hit_targets else "claim"


def _change(clause: Clause, lift: Lift, known: Known) -> str:
    """A change since last time, or the planned sets."""
    labels = clause.labels
    if not lift.planned:
        return "claim" if not ("praise" in labels and lift.hit_targets) else "done"
    signs = {sign for name, sign in SIGNS.items() if name in labels}
    if "hold" in labels and not (clause.numbers and lift.planned[0].seconds):
        signs.add(0)  # a plank is held, any other load is kept
    if labels & {"more", "step"} and not signs - {0}:
        signs.add(1)
    if "less" in labels and not signs - {0}:
        signs.add(-1)
    if labels & {"not", "none"}:
        if not labels & {"change", "up"} or not signs <= {1}:
            return "wording"
        signs = {0}
    elif "change" in labels and "only" in labels and clause.places:
        return "planned"
    elif "change" in labels and not (signs or clause.numbers):
        return "wording"
    if "rise" in labels and not signs:
        signs = {1}
    for sign in signs:
        if not _has_direction(sign, clause, lift, is_only=len(signs) == 1):
            return "direction"
    if clause.numbers and not fits(clause, lift.planned, lift, known):
        return "number"
    if signs or clause.numbers:
        return "planned"
    return "done" if "praise" in labels and lift.hit_targets else "wording"


def _has_direction(sign: int, clause: Clause, lift: Lift, *, is_only: bool) -> bool:
    if not is_only:
        return sign in {lift.direction("load"), lift.direction("reps")}
    found = lift.direction(clause.measure)
    if clause.measure in {"any", "reps"} and clause.places and not lift.direction("load"):
        changes = rep_changes(lift)
        places = places_of(clause, len(changes))
        return all(0 < at <= len(changes) and sign_of(changes[at - 1]) == sign for at in places)
    if "all" in clause.labels and "unit sets" in clause.labels and not lift.direction("load"):
        changes = rep_changes(lift)
        return bool(lift.step("seconds")) or all(sign_of(each) == sign for each in changes)
    if sign == 0 and lift.repeats_reps and clause.measure == "reps":
        return True
    if sign == 0 and lift.repeats_reps and not lift.hit_targets:
        return lift.direction("load") in {0, None}  # missed targets are repeated
    return found == sign


def _without(clause: Clause, *labels: str) -> Clause:
    return replace(clause, labels=clause.labels - set(labels))
