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
        *("fault", "most", "ordinal", "rise", "compared with the plan", "before"),
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

    The kinds are those of `Statement`. The sentence needs enough numbers that they do not agree by
    chance.
    """
    clauses, rest = joined_clauses(tokens)
    labels = {label for token in tokens for label in token.labels}
    if not lift.planned or not lift.last or _is_unread(labels, clauses, lift):
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
        evidence += sum(_evidence(number, clause, lift, unit) for number in clause.numbers)
    if evidence < _LEAST_EVIDENCE:
        return []
    if "last_time" in found and not labels & (_RESULTS | {"than", "from"}):
        return []  # "a lighter day with 120 kg"
    if "short" in labels:
        found.insert(0, "misses" if lift.misses > 1 else "short")
    elif labels & {"done", "top"}:
        found.insert(0, "done")
    cues = sorted(each for each in labels if each.startswith("cue "))
    found += [each for each in cues if each.removeprefix("cue ") in lift.cues][:1]
    return list(dict.fromkeys(found))


def _evidence(number: Number, clause: Clause, lift: Lift, unit: Unit) -> int:
    """Return 2 for a number that is rarely true by chance, 1 for another one.

    Rare are loads, their steps, counts of workouts, values of one of the two workouts alone, and
    what a set fell short by.
    """
    loads = [each.load_kg for each in (*lift.planned, *lift.last)] + [abs(lift.step("load") or 0.0)]
    sides = (_at(sets, clause) for sets in (lift.planned, lift.last))
    is_one = len({_is_value(number, side, unit) for side in sides}) > 1
    is_load_of = any(is_load(number, each, unit) for each in loads)
    is_missing = bool(clause.places) and "short" in clause.labels
    return 2 if is_one or is_load_of or number.kind == "workouts" or is_missing else 1


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
    if not (_has_places(clause, lift) and _has_lists(clause, lift, unit)):
        return None
    kinds: list[str] = []
    for number in clause.numbers:
        if number.kind == "workouts":
            if number.value != lift.misses or lift.hit_targets is not False:
                return None
            kinds.append("misses")
            continue
        roles = set(_roles(number, clause, lift, unit)) & _possible_roles(number, clause)
        if not roles:
            return None
        if roles & {"planned", "step"}:
            kinds.append("planned")
        elif "last" in roles:
            kinds.append("last_time")
    return kinds


def _possible_roles(number: Number, clause: Clause) -> set[str]:
    """Return the roles that the words of a clause leave for one of its numbers."""
    is_result = bool(clause.labels & _RESULTS)
    is_planned = bool(clause.labels & {"plan", *_MOVES})
    if number.role == "by":
        return {"step"}
    if number.role == "from":
        is_start = number.kind != "reps" or bool(clause.labels & SIGNS.keys())
        return {"last"} if is_start else {"last", "planned", "count"}  # "3 séries de 6"
    if is_result and not is_planned:
        return {"last", "count", "goal", "shortfall"}
    has_counts = any(each.kind in {"sets", "reps"} and not each.role for each in clause.numbers)
    is_end = number.role == "to" and not has_counts  # "3 x 10 op 90 kg"
    if "plan" in clause.labels or ((is_planned or is_end) and not is_result):
        return {"planned", "count", "goal", "step"}
    return {"planned", "last", "count", "goal", "step", "shortfall"}


def _has_places(clause: Clause, lift: Lift) -> bool:
    """Return whether the sets exist, and fell short if the clause says so."""
    for place in clause.places:
        if not -1 <= place <= min(len(lift.planned), len(lift.last)):
            return False
        if "short" in clause.labels and lift.hits and lift.hits[place - 1 if place > 0 else place]:
            return False
    return True


def _has_lists(clause: Clause, lift: Lift, unit: Unit) -> bool:
    """Return whether repetitions are those of one workout, together with the loads beside them."""
    counts = [
        each
        for each in clause.numbers
        if each.role not in {"by", "from", "to"}
        and (each.kind == "reps" or (each.kind == "bare" and not _is_a_load(each, lift, unit)))
    ]
    loads = [each for each in clause.numbers if _is_a_load(each, lift, unit)]
    values = [each.value for each in counts]
    starts = [each.value for each in clause.numbers if each.role == "from"]
    if starts and starts == [each.value for each in clause.numbers if each.role == "to"]:
        return False  # "from 9 to 9 reps"
    if not counts or (len(counts) == 1 and not loads and "all" not in clause.labels):
        return True
    is_planned = bool(clause.labels & {"plan", *_MOVES})
    is_result = bool(clause.labels & _RESULTS) and not is_planned
    is_both = bool(clause.labels & _RESULTS) and is_planned  # "15 reps earned you 65 kg"
    for sets in (lift.last,) if is_result else (lift.last, lift.planned):
        if len(loads) == 1 and not is_both and not _is_value(loads[0], sets, unit):
            continue
        done = [each.reps for each in _at(sets, clause)]
        if len(values) == 1 and "all" in clause.labels and not clause.places:
            found = set(done) == {*values}
        elif len(values) == 1:
            found = values[0] in done
        else:
            tails = [done[at:] for at in range(len(done) - 1)]
            found = values in tails or values == [sets[0].low, sets[0].high]
        if found or _counts_sets(values, sets):
            return True
    return False


def _counts_sets(values: Sequence[float], sets: Sequence[SetFact]) -> bool:
    """Return whether the numbers are a count of sets and the repetitions of each."""
    return len(values) == 2 and [len(sets), {each.reps for each in sets}] == [
        values[0],
        {values[1]},
    ]


def _is_a_load(number: Number, lift: Lift, unit: Unit) -> bool:
    """Return whether a number is a load of the exercise, or has the unit of one."""
    loads = (each.load_kg for each in (*lift.planned, *lift.last))
    return number.kind == "load" or (
        number.kind == "bare" and any(is_load(number, each, unit) for each in loads)
    )


def _roles(number: Number, clause: Clause, lift: Lift, unit: Unit) -> Iterator[str]:
    """Yield what a number can be: a planned or last value, a step, a count of sets, or a goal."""
    for role, sets in (("planned", lift.planned), ("last", lift.last)):
        if _is_value(number, _at(sets, clause), unit):
            yield role
        if number.kind == "sets" and number.value == len(sets):
            yield "count"
        if number.kind == "bare" and "all" in clause.labels and number.value == len(sets):
            yield "count"
    if number.kind == "sets" and number.value in {lift.hits.count(True), lift.hits.count(False)}:
        yield "count"
    if number.kind in {"reps", "bare"}:
        ends = {end for each in lift.planned for end in (each.low, each.high)}
        is_goal = bool(clause.labels & {"until", "top", "target", "short", "done"})
        if (is_goal and number.value in lift.goals) or (number.value in ends and _is_range(clause)):
            yield "goal"
        missing = [goal - (e.reps or 0) for e in _at(lift.last, clause) for goal in lift.goals]
        if "short" in clause.labels and number.value in {*missing, sum(missing)}:
            yield "shortfall"
    if number.role != "by" and not clause.labels & _MOVES:
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


def _is_range(clause: Clause) -> bool:
    return len([each for each in clause.numbers if each.kind in {"reps", "bare"}]) > 1


def _at(sets: Sequence[SetFact], clause: Clause) -> Sequence[SetFact]:
    """Return the sets that a clause is about: those at its places, or all of them for a list."""
    counts = [each for each in clause.numbers if each.kind in {"reps", "bare"} and not each.role]
    if len(counts) > 1:
        return sets
    places = [each - 1 if each > 0 else each for each in clause.places if each <= len(sets)]
    return [sets[at] for at in places] or sets


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
    """Return whether all directions are true, each of the load, the repetitions or the time."""
    true = {lift.direction("any"), *(lift.direction(each) for each in ("load", "reps", "seconds"))}
    true |= {0} if lift.repeats_reps else set()
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
    return signs <= true


def _has_results(labels: set[str], lift: Lift) -> bool:
    if "short" in labels and lift.hit_targets is not False:
        return False
    if "top" in labels and not lift.hit_goals:
        return False
    return "done" not in labels or bool(lift.hit_targets) or True in lift.hits
