"""Comparison of a clause's numbers with the facts of an exercise. Loads are kg."""

from collections.abc import Sequence

from coach_agent.domain.units import KILOGRAMS_PER_POUND, Unit, in_unit
from coach_agent.llm.comments.clauses import Clause
from coach_agent.llm.comments.known import Known, Lift, SetFact, same
from coach_agent.llm.comments.words import Number

_POUNDS = ("lb", "pound", "pfund", "libra", "livre", "libbr", "pond", "funt")
"""Beginnings of the word in all languages."""


def fits(clause: Clause, sets: Sequence[SetFact], lift: Lift, known: Known) -> bool:
    """Return whether each number is true: a value of these sets, or of the change to them.

    `sets` are done or planned sets of the exercise; only planned ones have a change.
    """
    if not sets:
        return False
    is_plan = sets is lift.planned
    numbers = list(clause.numbers)
    then = [lift.last[at - 1] for at in places_of(clause, len(lift.last)) if at <= len(lift.last)]
    then = then or list(lift.last)
    if is_plan and len(numbers) > 1 and numbers[0].role != "by":
        [first, second, *_] = numbers
        is_pair = first.kind == second.kind and first.role in {"", "from"}
        if is_pair and second.role != "by" and _is_value(first, then, known):
            is_start = first.role == "from" or not _is_value(first, sets, known)
            if is_start and _is_value(second, sets, known):
                numbers = numbers[1:]  # "from 100 to 102.5 kg"
    counts: list[Number] = []
    for number in numbers:
        if number.kind in {"lifts", "workouts"}:
            return False
        if number.role == "by" or number.kind == "percent":
            if not is_plan or not _is_step(number, clause, lift, known.unit):
                return False
        elif number.role == "from" and is_plan and (_moves(clause) or _has_end(number, numbers)):
            if not (_is_value(number, then, known) or _is_step(number, clause, lift, known.unit)):
                return False
        elif number.kind == "load":
            is_own = any(is_load(number, each.load_kg, known.unit) for each in sets)
            is_step = is_plan and number.role != "to" and _moves(clause)
            if not is_own and not (is_step and _is_step(number, clause, lift, known.unit)):
                return False
        elif number.kind != "sets":
            counts.append(number)
    set_counts = [int(each.value) for each in numbers if each.kind == "sets"]
    may_be_step = is_plan and _moves(clause) and len(counts) == 1 and counts[0].role != "to"
    if may_be_step and _is_step(counts[0], clause, lift, known.unit):
        return not set_counts or set_counts == [len(sets)]
    return _counts_fit(counts, set_counts, clause, sets, known.unit)


def _has_end(start: Number, numbers: Sequence[Number]) -> bool:
    """Return whether there is a "to" of the same kind beside a "from"."""
    return any(each.role == "to" and each.kind == start.kind for each in numbers)


def _moves(clause: Clause) -> bool:
    return bool(clause.labels & {"up", "down", "more", "less", "step"})


def _counts_fit(
    counts: Sequence[Number],
    set_counts: Sequence[int],
    clause: Clause,
    sets: Sequence[SetFact],
    unit: Unit,
) -> bool:
    """Compare repetitions or seconds: a list in order, one for all sets, or those at places."""
    done = [each.seconds if each.reps is None else each.reps for each in sets]
    is_timed = any(each.reps is None and each.seconds is not None for each in sets)
    if any(each.kind == ("reps" if is_timed else "seconds") for each in counts):
        return False
    values = [each.value for each in counts]
    if (
        len(values) == 1
        and counts[0].kind == "bare"
        and any(is_load(counts[0], each.load_kg, unit) for each in sets)
    ):
        values = []
    places = places_of(clause, len(done))
    if any(not 1 <= at <= len(done) for at in places):
        return False
    if places and values:
        return len(set(values)) == 1 and all(done[at - 1] == values[0] for at in places)
    if values and set_counts and len(values) == 1:
        matching = done.count(int(values[0]))
        return all(each in {matching} for each in set_counts)
    if len(values) == 2 and (sets[0].low, sets[0].high) == tuple(values):
        return True
    if len(values) > 1:
        if len(set_counts) == 1 and values[0] == done[0]:  # "9, then two sets of 8"
            return done.count(int(values[1])) == set_counts[0] and len(values) == 2
        return values == done and all(each == len(done) for each in set_counts)
    if any(each != len(done) for each in set_counts):
        return False
    if not values:
        return True
    is_all = bool(clause.labels & {"all"})
    return set(done) == {values[0]} if is_all else values[0] == max(e or 0 for e in done)


def places_of(clause: Clause, count: int) -> list[int]:
    """Return the places of the clause's sets from 1; the last one is `count`."""
    return [place if place > 0 else count for place in clause.places]


def _is_value(number: Number, sets: Sequence[SetFact], known: Known) -> bool:
    if number.kind in {"load", "bare"} and any(
        is_load(number, each.load_kg, known.unit) for each in sets
    ):
        return True
    if number.kind == "load":
        return False
    return any(number.value in {each.reps, each.seconds} for each in sets)


def _is_step(number: Number, clause: Clause, lift: Lift, unit: Unit) -> bool:
    load = lift.step("load")
    if number.kind == "percent":
        then = max((each.load_kg or 0.0 for each in lift.last), default=0.0)
        share = abs(100 * (load or 0.0) / then) if then else 0.0
        return bool(share) and (_near(number, share) or number.value == round(share))
    if number.kind in {"load", "bare"} and load and is_load(number, abs(load), unit):
        return True
    if number.kind == "load":
        return False
    if number.kind == "sets":
        return same(abs(lift.step("sets") or 0.0), number.value)
    seconds = lift.step("seconds")
    if seconds and number.kind in {"seconds", "bare"}:
        return same(abs(seconds), number.value)
    if number.kind == "seconds":
        return False
    changes = rep_changes(lift)
    places = places_of(clause, len(changes))
    if places:
        changes = [changes[at - 1] for at in places if 1 <= at <= len(changes)]
    moved = [abs(each) for each in changes if each or "all" in clause.labels]
    return bool(moved) and all(each == number.value for each in moved)


def is_load(number: Number, load_kg: float | None, unit: Unit) -> bool:
    """Return whether a number is a load, in its own unit or in that of the athlete."""
    if load_kg is None:
        return False
    stated: Unit = "lb" if number.unit.startswith(_POUNDS) else "kg" if number.unit else unit
    if number.kind == "bare":
        stated = unit
    if same(in_unit(load_kg, stated), number.value):
        return True
    exact = load_kg if stated == "kg" else load_kg / KILOGRAMS_PER_POUND
    return number.decimals > 0 and _near(number, exact)


def _near(number: Number, value: float) -> bool:
    """Equality within half of the last digit that was given."""
    if not number.decimals:
        return same(number.value, value)
    return abs(number.value - value) <= 0.5 * float(10**-number.decimals) + 1e-9


def rep_changes(lift: Lift) -> list[int]:
    """Return by set the additional repetitions since last time."""
    pairs = zip(lift.planned, lift.last, strict=False)
    return [(now.reps or 0) - (then.reps or 0) for now, then in pairs]


def sign_of(value: int) -> int:
    """Return 1, 0 or -1."""
    return (value > 0) - (value < 0)
