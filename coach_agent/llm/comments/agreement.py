"""Sentences that a clause-by-clause reading leaves open: do all their words agree with the facts?

Only sentences about one exercise are read this way. Each number has to be a value of its sets, each
direction that of its plan, and each result that of its last workout.
"""

from collections.abc import Iterable, Iterator, Sequence

from coach_agent.domain.units import Unit
from coach_agent.llm.comments.clauses import CLAIMS, SIGNS, Clause, joined_clauses
from coach_agent.llm.comments.known import Lift, SetFact
from coach_agent.llm.comments.numbers import is_load, rep_changes
from coach_agent.llm.comments.words import Number, Token

_UNREAD = frozenset(
    {
        *("none", "not", "else", "once", "until", "modal", "warmup", "record", "flat", "easy"),
        *("fault", "most", "ordinal", "rise", "change", "compared with the plan", "before"),
    }
)
_RESULTS = frozenset({"past", "done", "short", "top", "compare"})
_MOVES = frozenset({"up", "down", "more", "less", "step"})
_BESIDE_CUES = frozenset({"fault", "praise", "none", "same", "hold"})
_NOT_BESIDE_CUES = frozenset({"past", "else", "modal", "warmup", "ordinal", "than"})
_FEWEST_CLAUSES = 2
_LEAST_EVIDENCE = 4


def agreed_kinds(tokens: Sequence[Token], lift: Lift, unit: Unit) -> list[str]:
    """Return the kinds of statements of an exercise that a sentence agrees with; empty for none.

    The kinds are those of `Statement`. The sentence has several clauses, and enough numbers that
    they do not agree by chance.
    """
    clauses, rest = joined_clauses(tokens)
    labels = {label for token in tokens for label in token.labels}
    if len(clauses) < _FEWEST_CLAUSES or not lift.planned or not lift.last:
        return []
    if _is_unread(labels, clauses, lift):
        return []
    if not _has_directions(labels, lift) or not _has_results(labels, lift):
        return []
    found: list[str] = []
    evidence = 0
    for clause in (*clauses, rest):
        kinds = _of_numbers(clause, lift, unit)
        if kinds is None:
            return []
        found += kinds
        evidence += sum(_evidence(number, lift, unit) for number in clause.numbers)
    if evidence < _LEAST_EVIDENCE:
        return []
    loads = [each for clause in clauses for each in clause.numbers if each.kind == "load"]
    is_new = [_is_value(each, lift.planned, unit) for each in loads]
    if loads and not any(is_new) and not labels & _RESULTS and not _are_steps(loads, lift, unit):
        return []  # "a lighter day with 120 kg"
    if "short" in labels:
        found.insert(0, "misses" if lift.misses > 1 else "short")
    elif labels & {"done", "top"}:
        found.insert(0, "done")
    cues = sorted(each for each in labels if each.startswith("cue "))
    found += [each for each in cues if each.removeprefix("cue ") in lift.cues][:1]
    return list(dict.fromkeys(found))


def _are_steps(loads: Iterable[Number], lift: Lift, unit: Unit) -> bool:
    step = abs(lift.step("load") or 0.0)
    return bool(step) and all(is_load(each, step, unit) for each in loads)


def _evidence(number: Number, lift: Lift, unit: Unit) -> int:
    """Return 2 for a load, its step or a count of workouts, which are rarely true by chance."""
    loads = [each.load_kg for each in (*lift.planned, *lift.last)] + [abs(lift.step("load") or 0.0)]
    is_rare = number.kind == "workouts" or any(is_load(number, each, unit) for each in loads)
    return 2 if is_rare else 1


def agreed_cues(tokens: Sequence[Token], lift: Lift | None) -> list[str]:
    """Return the codes of the cues that a sentence without numbers gives; empty for none.

    A fault such as swinging needs a negation in its clause, other cues have none.
    """
    clauses, _ = joined_clauses(tokens)
    labels = {label for token in tokens for label in token.labels}
    codes = sorted(each.removeprefix("cue ") for each in labels if each.startswith("cue "))
    if labels & ((CLAIMS - _BESIDE_CUES) | _NOT_BESIDE_CUES) or any(
        token.number is not None or any(e.startswith("place ") for e in token.labels)
        for token in tokens
    ):
        return []
    for clause in clauses:
        if ("fault" in clause.labels) != bool(clause.labels & {"not", "none"}):
            return []
    if "before" in labels and len([each for each in clauses if each.cues]) < _FEWEST_CLAUSES:
        return []  # "load before form"
    return [each for each in codes if lift is None or each in lift.cues]


def _is_unread(labels: set[str], clauses: Sequence[Clause], lift: Lift) -> bool:
    """Return whether there is a meaning that this reading does not compare."""
    unread = labels & _UNREAD
    if {"past", "done"} <= labels and lift.hit_targets:
        unread -= {"once"}  # "up to 145 kg after you finished all sets"
    if all("not" in clause.labels for clause in clauses if "fault" in clause.labels):
        faults = {"fault", "not"} if "fault" in labels else set()
        unread -= faults
        if faults and any("not" in e.labels for e in clauses if "fault" not in e.labels):
            return True
    return bool(unread)


def _of_numbers(clause: Clause, lift: Lift, unit: Unit) -> list[str] | None:
    """Return the kinds of statements that a clause's numbers are from; None if one is from none."""
    is_result = bool(clause.labels & _RESULTS) and not clause.labels & {"plan", "up", "down"}
    is_planned = bool(clause.labels & {"plan", "up", "down"}) and not clause.labels & _RESULTS
    kinds: list[str] = []
    counts = [each for each in clause.numbers if each.kind == "reps"]
    counts += [each for each in clause.numbers if each.kind == "bare"]
    if len(counts) > 2 and [each.value for each in counts] not in _lists(lift, clause, is_result):
        return None
    is_of_all = "all" in clause.labels and [each.kind for each in counts] == ["reps"]
    if is_of_all and not any(
        set(each) == {counts[0].value} for each in _lists(lift, clause, is_result)
    ):
        return None
    for place in clause.places:
        if not -1 <= place <= min(len(lift.planned), len(lift.last)):
            return None
        if "short" in clause.labels and lift.hits and lift.hits[place - 1 if place > 0 else place]:
            return None
    for number in clause.numbers:
        if number.kind == "workouts":
            if number.value != lift.misses or lift.hit_targets is not False:
                return None
            kinds.append("misses")
            continue
        roles = list(_roles(number, clause, lift, unit))
        if is_result:
            roles = [each for each in roles if each in {"last", "count", "goal"}]
        elif is_planned and number.role != "from":
            roles = [each for each in roles if each != "last"]
        if number.role == "by":
            roles = [each for each in roles if each == "step"]
        elif number.role == "to" and not clause.labels & _RESULTS:
            roles = [each for each in roles if each != "last"]
        if not roles:
            return None
        if "planned" in roles or "step" in roles:
            kinds.append("planned")
        elif "last" in roles:
            kinds.append("last_time")
    return kinds


def _lists(lift: Lift, clause: Clause, is_result: bool) -> list[list[int | None]]:
    """Return the repetitions of all sets that a clause can list: of the last workout or planned."""
    last = [each.reps for each in lift.last]
    planned = [each.reps for each in lift.planned]
    if is_result:
        return [last]
    return [planned] if "plan" in clause.labels else [last, planned]


def _roles(number: Number, clause: Clause, lift: Lift, unit: Unit) -> Iterator[str]:
    """Yield what a number can be: a planned or last value, a step, a count of sets, or a goal."""
    for role, sets in (("planned", lift.planned), ("last", lift.last)):
        if _is_value(number, _at(sets, clause.places), unit):
            yield role
        if number.kind == "sets" and number.value == len(sets):
            yield "count"
        if number.kind == "bare" and "all" in clause.labels and number.value == len(sets):
            yield "count"
    if number.kind == "sets" and number.value in {lift.hits.count(True), lift.hits.count(False)}:
        yield "count"
    if number.kind in {"reps", "bare"} and number.value in lift.goals:
        yield "goal"
    if not clause.labels & _MOVES:
        return
    load, seconds = lift.step("load"), lift.step("seconds")
    if number.kind in {"load", "bare"} and load and is_load(number, abs(load), unit):
        yield "step"
    if number.kind in {"seconds", "bare"} and seconds and number.value == abs(seconds):
        yield "step"
    moved = rep_changes(lift)
    places = [each - 1 if each > 0 else each for each in clause.places]
    changes = {abs(moved[at]) for at in places or range(len(moved)) if moved[at]}
    if number.kind in {"reps", "bare"} and not load and number.value in changes:
        yield "step"


def _at(sets: Sequence[SetFact], places: Iterable[int]) -> Sequence[SetFact]:
    return [sets[each - 1 if each > 0 else each] for each in places if each <= len(sets)] or sets


def _is_value(number: Number, sets: Iterable[SetFact], unit: Unit) -> bool:
    for each in sets:
        if number.kind in {"load", "bare"} and is_load(number, each.load_kg, unit):
            return True
        if number.kind in {"reps", "bare"} and number.value == each.reps:
            return True
        if number.kind in {"seconds", "bare"} and number.value == each.seconds:
            return True
    return False


def _has_directions(labels: set[str], lift: Lift) -> bool:
    """Return whether all directions are true, the direction of the exercise among them."""
    own = lift.direction("any")
    true = {own, *(lift.direction(each) for each in ("load", "reps", "seconds"))}
    signs = {sign for name, sign in SIGNS.items() if name in labels}
    if signs - {0}:
        signs -= {0}  # "down to 45 kg, so that you get your reps again"
    if labels & {"more", "step"} and 1 not in true:
        return False
    if "less" in labels and -1 not in true:
        return False
    if {"measure load", "up"} <= labels and lift.direction("load") == 0:
        return False
    if "hold" in labels and not (lift.direction("load") == 0 or lift.planned[0].seconds):
        return False
    return signs <= true and (not signs or own in signs or lift.direction("load") in signs)


def _has_results(labels: set[str], lift: Lift) -> bool:
    if "short" in labels and lift.hit_targets is not False:
        return False
    if "top" in labels and not lift.hit_goals:
        return False
    return "done" not in labels or bool(lift.hit_targets) or True in lift.hits
