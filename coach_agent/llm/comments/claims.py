"""Validation of a clause: each claim is compared with facts of its role and its exercise."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from coach_agent.domain.units import KILOGRAMS_PER_POUND, Unit, in_unit
from coach_agent.llm.comments.grammar import Clause
from coach_agent.llm.comments.known import Known, Lift, Measure, SetFact, same
from coach_agent.llm.comments.sentences import Number
from coach_agent.llm.comments.statement import Stated

Problem = Literal["number", "direction", "claim", "exercise"]
"""Reason to reject a clause: a number, a direction, another claim, or no exercise for it."""

_MEASURES: Mapping[str, Measure] = {
    "load": "load",
    "reps": "reps",
    "seconds": "seconds",
    "sets": "sets",
}
_DIRECTIONS = {"up": 1, "same": 0, "down": -1}
_ONLY = frozenset({"only", "just"})
T = TypeVar("T")


@dataclass(frozen=True)
class CheckedClause:
    """A clause with its exercises; `is_named`: the sentence names one."""

    clause: Clause
    lifts: tuple[Lift, ...]
    is_named: bool

    def numbers(self, role: str) -> tuple[Number, ...]:
        """Return the numbers under a role of the pattern."""
        return self.clause.numbers.get(role, ())

    @property
    def has_numbers(self) -> bool:
        """Return whether the clause has a number."""
        return any(self.clause.numbers.values())


def problem_of(checked: CheckedClause, known: Known) -> Problem | None:
    """Return the reason to reject a clause; None if it is true or claims nothing."""
    claim = checked.clause.claim
    words = checked.clause.text.split()
    if "today" in words and "last" not in words and is_told_of_last_time(checked.clause):
        return "claim"  # today is still to come
    if claim in _FREE:
        return "number" if checked.has_numbers else None
    stated = checked.clause.stated
    if checked.numbers("count") and stated is not None and stated.is_missed and checked.is_named:
        return _missed_in_a_row(checked, stated, known)
    if checked.numbers("count") and checked.clause.stated is not None:
        return _count_of_changes(checked, checked.clause.stated, known)
    if checked.clause.stated is not None and checked.clause.stated.is_none:
        return _no_changes(checked.clause.stated, known)
    if claim in _OF_THE_WHOLE:
        return _OF_THE_WHOLE[claim](checked, known)
    if not checked.lifts or (checked.has_numbers and not checked.is_named):
        return "exercise"
    for lift in checked.lifts:
        if problem := _of_lift(claim, checked, lift, known):
            return problem
    return None


def is_told_of_last_time(clause: Clause) -> bool:
    """Return whether a clause has a result of the latest workout, and nothing of the plan."""
    stated = clause.stated
    return clause.claim in _OF_LAST_TIME or (
        stated is not None and stated.is_past and not stated.changes and not stated.is_future
    )


_OF_LAST_TIME = frozenset({"last", "hit", "hit_planned", "missed", "all_hit", "went_well"})


def _missed_in_a_row(checked: CheckedClause, statement: Stated, known: Known) -> Problem | None:
    """Workouts in a row with a missed target, as in "down to 110 kg after three misses"."""
    [count, *others] = checked.numbers("count")
    if others or count.unit == "lift" or any(each.misses != count.value for each in checked.lifts):
        return "number"
    kept = {role: each for role, each in statement.numbers.items() if role != "count"}
    # The change is that of the plan; the misses are compared above.
    rest = replace(statement, numbers=kept, is_past=False, is_missed=False)
    plan = CheckedClause(replace(checked.clause, numbers=kept), checked.lifts, checked.is_named)
    for lift in checked.lifts:
        if lift.hit_targets is not False:
            return "claim"
        if rest.is_claim and (problem := _meant(rest, plan, lift, known)):
            return problem
    return None


def _count_of_changes(checked: CheckedClause, statement: Stated, known: Known) -> Problem | None:
    """So many exercises of the plan have a change, as in "three lifts keep their weight"."""
    [count, *others] = checked.numbers("count")
    if len(others) == 1 and same(others[0].value, len(known.trained)):
        others = []  # "four of your five lifts"
    is_other = others or set(statement.numbers) - {"count"} or statement.condition is not None
    if is_other or count.unit != "lift":
        return "number"
    if statement.is_missed and not statement.changes:
        results = [each.hit_targets for each in known.trained]
        return None if same(count.value, results.count(False)) else "number"
    if len(statement.changes) != 1 or statement.is_past:
        return "number"
    [(measure, sign)] = statement.changes
    name = "any" if measure == "any" else _MEASURES[measure]
    is_named = checked.is_named and bool(checked.clause.mentions)
    for by_targets in (False, True):
        changed = [each for each in known.trained if _sign_of(each, name, by_targets) == sign]
        is_so = not is_named or all(lift in changed for lift in checked.lifts)
        if same(count.value, len(changed)) and is_so:
            return None
    return "number"


def _sign_of(lift: Lift, measure: Measure | Literal["any"], by_targets: bool) -> int | None:
    """The direction of an exercise, or with `by_targets` 0 where its targets are repeated."""
    is_repeated = lift.repeats_reps and not lift.hit_targets
    if by_targets and is_repeated and lift.direction("load") in {0, None}:
        return 0
    return lift.direction(measure)


def _no_changes(statement: Stated, known: Known) -> Problem | None:
    """No exercise of the plan has a change, as in "no lift gets lighter"."""
    is_other = statement.has_numbers or statement.is_past or statement.condition is not None
    if is_other or statement.is_changed or len(statement.changes) != 1:
        return "claim"
    [(measure, sign)] = statement.changes
    name = "any" if measure == "any" else _MEASURES[measure]
    return "direction" if any(each.direction(name) == sign for each in known.trained) else None


def _of_lift(claim: str, checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    if claim in _OF_A_LIFT:
        return _OF_A_LIFT[claim](checked, lift, known)
    measure, _, direction = claim.rpartition("_")
    return _direction(checked, lift, known, measure, _DIRECTIONS[direction])


def _direction(
    checked: CheckedClause, lift: Lift, known: Known, measure: str, direction: int
) -> Problem | None:
    """Check a change since last time: `from`, `to` and `at` are values, `by` is the difference."""
    given = {role: _one(checked.numbers(role)) for role in ("from", "to", "at", "by")}
    stated = [number for number in given.values() if number is not None]
    kinds = {number.kind for number in stated} - {"bare", "percent"}
    if measure == "any" and len(kinds) == 1 and (kind := kinds.pop()) in _MEASURES:
        measure = kind
    if measure == "any" and stated:
        measure = "load" if lift.step("load") is not None else "reps"
    found = lift.direction("any" if measure == "any" else _MEASURES[measure])
    if measure in {"any", "reps"} and checked.numbers("place") and not lift.direction("load"):
        found = _direction_at_places(checked, lift)
    if direction == 0 and lift.repeats_reps and not lift.hit_targets:
        # Targets are repeated that were not reached, so there are more repetitions than were done.
        is_same = measure == "reps" or (measure == "any" and lift.direction("load") in {0, None})
        if is_same and not stated:
            return None
    if measure == "any" and direction == 0 and not checked.numbers("place"):
        if lift.direction("load") == 0 and lift.hit_targets is False and not stated:
            return None  # a missed target is repeated
        steps = [lift.direction(each) for each in _MEASURES.values()]
        if any(step not in {0, None} for step in steps) or found is None:
            return "direction"
    elif found != direction:
        return "direction"
    if measure == "reps" and checked.numbers("place") and direction:
        changes = _at_places(checked, _rep_changes(lift))
        if not all((change or 0) * direction > 0 for change in changes):
            return "number"
        is_only = not _ONLY.isdisjoint(checked.clause.text.split())
        if is_only and not _only_places(checked, lift):
            return "number"
    if now := _one(checked.numbers("one")):
        return _changed_set(checked, lift, _one(checked.numbers("was")), now)
    if not stated:
        return None
    if (number := given["by"]) and (problem := _by(number, lift, measure, known, checked)):
        return problem
    for role, sets in (("from", lift.last), ("to", lift.planned), ("at", lift.planned)):
        number = given[role]
        if number is not None and not _is_value(number, sets, measure, known):
            return "number"
    if given["from"] is not None and given["to"] is None:
        return "number"
    return None


def _by(
    number: Number, lift: Lift, measure: str, known: Known, checked: CheckedClause
) -> Problem | None:
    if number.kind == "percent":
        then = max((each.load_kg or 0.0 for each in lift.last), default=0.0)
        step = lift.step("load")
        is_equal = bool(then) and step is not None
        if is_equal and step is not None:
            share = abs(100 * step / then)
            is_equal = _near(number, share) or number.value == round(share)
        return None if is_equal else "number"
    places = [each.value for each in checked.numbers("place")]
    if measure == "reps":
        changes = [
            change
            for at, change in enumerate(_rep_changes(lift), start=1)
            if (float(at) in places if places else change)
        ]
        is_equal = bool(changes) and all(same(abs(each), number.value) for each in changes)
        return None if is_equal else "number"
    step = lift.step(_MEASURES[measure])
    if step is None:
        return "number"
    if measure == "load":
        return None if _is_load(number, abs(step), known.unit) else "number"
    return None if same(abs(step), number.value) else "number"


def _rep_changes(lift: Lift) -> list[int]:
    """Return by set the additional repetitions since last time, if both are known."""
    pairs = zip(lift.planned, lift.last, strict=False)
    return [(now.reps or 0) - (then.reps or 0) for now, then in pairs]


def _is_value(number: Number, sets: Sequence[SetFact], measure: str, known: Known) -> bool:
    """Return whether a number equals the value of all these sets, or of the heaviest of them."""
    if not sets:
        return False
    if measure == "sets":
        return number.kind in {"sets", "bare"} and same(number.value, len(sets))
    if measure == "load":
        loads = [each.load_kg for each in sets if each.load_kg is not None]
        return bool(loads) and _is_load(number, max(loads), known.unit)
    if number.kind not in {measure, "bare"}:
        return False
    values = {each.reps if measure == "reps" else each.seconds for each in sets}
    return values == {number.value}


def _is_load(number: Number, load_kg: float, unit: Unit) -> bool:
    if number.kind not in {"load", "bare"}:
        return False
    stated: Unit = "lb" if number.unit == "lb" else "kg" if number.unit == "kg" else unit
    if same(in_unit(load_kg, stated), number.value):
        return True
    exact = load_kg if stated == "kg" else load_kg / KILOGRAMS_PER_POUND
    return number.decimals > 0 and _near(number, exact)


def _near(number: Number, value: float) -> bool:
    """Equality within half of the last digit that was given."""
    if not number.decimals:
        return same(number.value, value)
    half = 0.5 * float(10**-number.decimals)
    return abs(number.value - value) <= half + 1e-9


def _one(numbers: Sequence[Number]) -> Number | None:
    return numbers[0] if numbers else None


def _sets_of(sets: Sequence[SetFact], checked: CheckedClause, known: Known) -> Problem | None:
    """Check stated sets: `sets` many with `reps` (one, a range or a list), `load` or `seconds`."""
    if not sets:
        return "number"
    chosen = list(sets)
    if load := _one(checked.numbers("load")):
        chosen = [
            each
            for each in chosen
            if each.load_kg is not None and _is_load(load, each.load_kg, known.unit)
        ]
    places = [int(each.value) if each.value > 0 else len(sets) for each in checked.numbers("place")]
    if places:
        if not all(1 <= place <= len(sets) for place in places):
            return "number"
        chosen = [sets[place - 1] for place in places if sets[place - 1] in chosen]
    if not chosen:
        return "number"
    count = _one(checked.numbers("sets"))
    if count is not None and not same(count.value, len(chosen)):
        return "number"
    for role, values in (
        ("reps", [each.reps for each in chosen]),
        ("seconds", [each.seconds for each in chosen]),
    ):
        stated = [each.value for each in checked.numbers(role)]
        if not stated:
            continue
        is_list = len(stated) > 1
        is_equal = stated == values if is_list else set(values) == {stated[0]}
        if not is_equal:
            return "number"
    if low := _one(checked.numbers("low")):
        high = _one(checked.numbers("high"))
        if high is None or any((each.low, each.high) != (low.value, high.value) for each in chosen):
            return "number"
    return None


def _planned(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    return _sets_of(lift.planned, checked, known)


def _warmup(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    return _sets_of(lift.warmups, checked, known)


def _last(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    return _sets_of(lift.last, checked, known)


def _hit(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    """Check that all sets reached their targets, the upper end of a range, with the stated
    numbers.
    """
    if not lift.hit_goals:
        return "claim"
    return _counts_of_hits(checked, lift, known)


def _hit_planned(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    if not lift.hit_targets:
        return "claim"
    return _counts_of_hits(checked, lift, known)


def _counts_of_hits(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    if (sets := _one(checked.numbers("sets"))) and not same(sets.value, len(lift.last)):
        return "number"
    if (reps := _one(checked.numbers("reps"))) and {each.reps for each in lift.last} != {
        reps.value
    }:
        return "number"
    if (load := _one(checked.numbers("load"))) and not _is_value(load, lift.last, "load", known):
        return "number"
    return None


def _top(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    has_range = any(each.low != each.high for each in lift.planned if each.high is not None)
    return _hit(checked, lift, known) if has_range else "claim"


def _short(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    """Check that some sets did not reach their goal yet; `reps` is that goal."""
    if lift.hit_goals is not False:
        return "claim"
    reps = _one(checked.numbers("reps"))
    return None if reps is None or reps.value in lift.goals else "number"


def _missed(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    return None if lift.hit_targets is False else "claim"


def _stalled(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    return None if lift.is_stalled else "claim"


def _improved(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    goes_on = lift.progress == 0 and lift.hit_goals is True and lift.direction("any") == 1
    return None if (lift.progress == 1 or goes_on) and not lift.is_stalled else "claim"


def _fell(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    return None if lift.progress == -1 else "claim"


def _praised(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    went_badly = lift.hit_targets is False or lift.progress == -1 or lift.is_stalled
    return "claim" if went_badly else None


def _easy(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    return None if lift.is_easy or known.is_deload else "claim"


def _stands_in(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    return None if lift.replaces is not None else "claim"


def _heaviest(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    """Check that the plan has more load than each known set."""
    best, step = lift.best, lift.step("load")
    if best is None or best.load_kg is None or step is None or lift.is_assisted:
        return "claim"
    planned = max((each.load_kg or 0.0 for each in lift.planned), default=0.0)
    return None if planned > best.load_kg else "claim"


def _statement(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    """Check that each meaning of a statement is true of the exercise."""
    statement = checked.clause.stated
    if statement is None:
        return "claim"
    if statement.condition is not None:
        return _conditional(statement, statement.condition, checked, lift, known)
    return _meant(statement, checked, lift, known)


def _conditional(
    statement: Stated, condition: Stated, checked: CheckedClause, lift: Lift, known: Known
) -> Problem | None:
    """Check a condition: "until" the goal is reached describes the plan, "once" it is, a higher
    load.
    """
    reps = condition.numbers.get("reps", ())
    is_goal = all(each.value in lift.goals for each in reps)
    if lift.hit_goals is not False or set(condition.numbers) - {"reps", "sets"} or not is_goal:
        return "claim"
    if (sets := _one(condition.numbers.get("sets", ()))) and sets.value != len(lift.planned):
        return "number"
    if statement.conditional == "until":
        return _meant(statement, checked, lift, known) if statement.is_claim else None
    if statement.has_numbers:
        return "number"
    return None if all(sign == 1 for _, sign in statement.changes) else "direction"


def _meant(statement: Stated, checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    if statement.is_future and statement.is_missed:
        return "claim"
    if (
        statement.is_future
        and not statement.changes
        and not statement.is_room
        and statement.is_short
    ):
        return "claim"
    is_rise = any(sign == 1 and measure in {"any", "load"} for measure, sign in statement.changes)
    if (
        is_rise
        and statement.is_command
        and not set(statement.numbers) & {"load", "reps", "seconds", "by", "from"}
    ):
        return "direction"  # "use more weight" may be read as more than the plan has
    if statement.is_rising and (problem := _improved(checked, lift, known)):
        return problem
    if statement.is_missed and lift.hit_targets is not False:
        return "claim"
    if checked.numbers("place") and (
        statement.is_missed or statement.is_short or statement.is_hit or statement.is_top
    ):
        wanted = False if statement.is_missed else True if statement.is_hit else None
        is_told = statement.is_hit and (statement.is_future or bool(statement.numbers.get("reps")))
        if not is_told and (
            wanted is None or any(hit is not wanted for hit in _at_places(checked, lift.hits))
        ):
            return "claim"
    if statement.is_changed and not statement.changes and not set(statement.numbers) - {"place"}:
        is_so = (
            statement.is_only
            and bool(checked.numbers("place"))
            and lift.direction("load") in {0, None}
        )
        is_so = is_so and _only_places(checked, lift)
        return None if is_so and all(_at_places(checked, _rep_changes(lift))) else "number"
    is_of_goal = (
        statement.is_goal
        and not statement.changes
        and not statement.is_past
        and not statement.is_hit
    )
    if is_of_goal and statement.numbers.get("reps") and _are_goals(statement, lift):
        return None
    if statement.is_cause and statement.changes and statement.numbers.get("reps"):
        return _caused(statement, checked, lift, known)
    if statement.is_short and (lift.hit_goals is not False or not _are_goals(statement, lift)):
        return "claim"
    if statement.is_short:
        has_range = any(each.low != each.high for each in lift.planned if each.high is not None)
        return None if has_range or not statement.is_of_range else "claim"
    if statement.is_top and not statement.is_future and (problem := _top(checked, lift, known)):
        return problem
    is_done = lift.hit_targets if statement.of_targets else lift.hit_goals
    if (
        statement.is_hit
        and not statement.is_future
        and not statement.numbers.get("reps")
        and not is_done
    ):
        return "claim"
    stated = CheckedClause(
        replace(checked.clause, numbers=statement.numbers), checked.lifts, checked.is_named
    )
    if statement.changes and statement.is_past and _is_within_last(statement, lift):
        return None
    if statement.changes and statement.is_past:
        is_so = all(
            lift.progress == sign and (sign or lift.direction("any") == 0)
            for _, sign in statement.changes
        )
        return None if is_so and not statement.has_numbers else "direction"
    if statement.changes:
        for each, sign in statement.changes:
            if problem := _stated_change(
                statement, stated, lift, known, _measure(each, statement), sign
            ):
                return problem
    elif statement.is_only or set(statement.numbers) & {"from", "by"}:
        return "number"
    if not set(statement.numbers) & {"load", "reps", "seconds", "sets", "low", "place"}:
        return None
    if statement.is_top and not statement.is_future and not statement.changes:
        return _sets_of(lift.last, stated, known)
    if (
        statement.changes
        and set(statement.numbers) & {"from", "by"}
        and "sets" not in statement.numbers
    ):
        return _values(stated, lift, known)
    return _sets_of(lift.last if statement.is_past else lift.planned, stated, known)


def _caused(statement: Stated, checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    """The sets of last time that earned a change: "three sets of 12 earned the step to 16 kg"."""
    of_last = {
        role: statement.numbers[role] for role in ("reps", "sets") if role in statement.numbers
    }
    kept = {role: each for role, each in statement.numbers.items() if role not in of_last}
    then = CheckedClause(replace(checked.clause, numbers=of_last), checked.lifts, checked.is_named)
    change = replace(statement, is_cause=False, numbers=kept, is_past=False)
    now = CheckedClause(replace(checked.clause, numbers=kept), checked.lifts, checked.is_named)
    return _sets_of(lift.last, then, known) or _meant(change, now, lift, known)


def _is_within_last(statement: Stated, lift: Lift) -> bool:
    """Return whether repetitions fell from the first to the last set: "faded from 5 to 3"."""
    given = (_one(statement.numbers.get("from", ())), _one(statement.numbers.get("reps", ())))
    if set(statement.numbers) != {"from", "reps"} or None in given or len(lift.last) < 2:
        return False
    stated = [each.value for each in given if each is not None]
    is_down = all(sign == -1 and measure in {"any", "reps"} for measure, sign in statement.changes)
    return is_down and stated == [lift.last[0].reps, lift.last[-1].reps]


def _stated_change(
    statement: Stated, checked: CheckedClause, lift: Lift, known: Known, measure: str, sign: int
) -> Problem | None:
    if problem := _changed(checked, lift, known, measure, sign):
        return problem
    if statement.is_every and sign == 1 and measure in {"any", "load", "reps"}:
        # "Every set goes up" may be read as from set to set.
        if measure != "reps" and lift.direction("load") == 1:
            return "direction"
        if not _all_rise(checked, lift):
            return "number"
    is_of_sets = checked.numbers("place") and not checked.numbers("by") and measure != "load"
    if sign == 1 and is_of_sets and _direction_at_places(checked, lift) != 1:
        return "number"
    if statement.is_only and checked.numbers("place"):
        return "number" if measure == "load" or not _only_places(checked, lift) else None
    return "direction" if statement.is_only and _others(lift, known, measure, sign) else None


def _measure(measure: str, statement: Stated) -> str:
    """A direction without a measure is that of the number with it."""
    by = _one(statement.numbers.get("by", ()))
    if measure == "any" and by is not None and by.kind in {"reps", "seconds", "sets"}:
        return by.kind
    return "load" if measure == "any" and statement.numbers.get("load") else measure


def _are_goals(statement: Stated, lift: Lift) -> bool:
    if set(statement.numbers) - {"reps", "sets"}:
        return False
    sets = _one(statement.numbers.get("sets", ()))
    reps = statement.numbers.get("reps", ())
    return all(each.value in lift.goals for each in reps) and (
        sets is None or same(sets.value, len(lift.last))
    )


def _changed(
    checked: CheckedClause, lift: Lift, known: Known, measure: str, sign: int
) -> Problem | None:
    """A direction with the numbers of the change; values of sets are compared on their own."""
    kept = {
        role: checked.numbers(role) for role in ("from", "by", "place") if checked.numbers(role)
    }
    if given := kept.get("from"):
        values = next(
            (
                checked.numbers(role)
                for role in ("load", "reps", "seconds")
                if checked.numbers(role)
            ),
            (),
        )
        if not values:
            return _only_from(checked, lift, known, given[0], sign)
        if given[0].kind == "bare":
            kept["from"] = (replace(given[0], kind=values[-1].kind),)
        if checked.numbers("place"):
            is_rise = values[0].value > given[0].value
            problem = _changed_set(checked, lift, given[0], values[0])
            return problem if is_rise == (sign == 1) else "direction"
        kept["to"] = values[:1]
    changed = CheckedClause(replace(checked.clause, numbers=kept), checked.lifts, checked.is_named)
    return _direction(changed, lift, known, measure, sign)


def _only_from(
    checked: CheckedClause, lift: Lift, known: Known, then: Number, sign: int
) -> Problem | None:
    """A load of last time, or the repetitions of its first set, as in "up from 13"."""
    if then.kind in {"load", "bare"} and _is_value(then, lift.last, "load", known):
        return None if lift.direction("load") == sign else "direction"
    is_so = bool(lift.last) and then.kind in {"bare", "reps"} and lift.last[0].reps == then.value
    return None if is_so and lift.direction("reps") == sign else "number"


def _changed_set(
    checked: CheckedClause, lift: Lift, then: Number | None, now: Number
) -> Problem | None:
    """A change of the repetitions of one set, by default the first."""
    place = next((int(each.value) for each in checked.numbers("place")), 1)
    if not 1 <= place <= min(len(lift.planned), len(lift.last)):
        return "number"
    was, is_now = lift.last[place - 1].reps, lift.planned[place - 1].reps
    is_so = is_now == now.value != was and (then is None or then.value == was)
    return None if is_so else "number"


def _values(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    """Check values stated with a change: those of the plan's heaviest sets, or of each set."""
    for role in ("load", "reps", "seconds"):
        number = _one(checked.numbers(role))
        if number is None:
            continue
        if role == "reps" and checked.numbers("place"):
            planned = [each.reps for each in lift.planned]
            if set(_at_places(checked, planned)) != {number.value}:
                return "number"
            continue
        if not _is_value(number, lift.planned, role, known):
            return "number"
    return None


def _all_rise(checked: CheckedClause, lift: Lift) -> bool:
    """Return whether each set has more repetitions, `by` as many."""
    by = _one(checked.numbers("by"))
    changes = _rep_changes(lift)
    is_of_reps = any(each.reps is not None for each in lift.planned)
    return not is_of_reps or all(
        change > 0 and (by is None or change == by.value) for change in changes
    )


def _at_places(checked: CheckedClause, values: Sequence[T]) -> list[T | None]:
    """The values of the sets that a clause names; None for a set that there is not."""
    places = (int(each.value) for each in checked.numbers("place"))
    found = (place - 1 if place > 0 else len(values) - 1 for place in places)
    return [values[at] if 0 <= at < len(values) else None for at in found]


def _direction_at_places(checked: CheckedClause, lift: Lift) -> int | None:
    """The direction that the repetitions of all sets have which a clause names."""
    changes = _at_places(checked, _rep_changes(lift))
    signs = {None if each is None else (each > 0) - (each < 0) for each in changes}
    return signs.pop() if len(signs) == 1 else None


def _only_places(checked: CheckedClause, lift: Lift) -> bool:
    """Return whether no other set than those named has other repetitions."""
    places = {
        int(each.value) if each.value > 0 else len(lift.planned)
        for each in checked.numbers("place")
    }
    changes = enumerate(_rep_changes(lift), start=1)
    return not any(change for at, change in changes if at not in places)


def _others(lift: Lift, known: Known, measure: str, sign: int) -> bool:
    """Return whether another exercise of the plan changes in the same way."""
    name = "any" if measure == "any" else _MEASURES[measure]
    return any(each.index != lift.index and each.direction(name) == sign for each in known.trained)


def _mentioned(checked: CheckedClause, lift: Lift, known: Known) -> Problem | None:
    """Accept a mention of the exercise without a claim."""
    return None


_OF_A_LIFT: Mapping[str, Callable[[CheckedClause, Lift, Known], Problem | None]] = {
    "planned": _planned,
    "last": _last,
    "warmup": _warmup,
    "hit": _hit,
    "hit_planned": _hit_planned,
    "top_of_range": _top,
    "short_of_goal": _short,
    "missed": _missed,
    "stalled": _stalled,
    "improved": _improved,
    "fell": _fell,
    "praised": _praised,
    "easy": _easy,
    "stands_in": _stands_in,
    "heaviest": _heaviest,
    "mentioned": _mentioned,
    "statement": _statement,
}


def _order(checked: CheckedClause, known: Known) -> Problem | None:
    """Check exercises against the order of the plan; a single one is the first."""
    places = [lift.index for lift in checked.lifts]
    if not places or not checked.is_named:
        return "exercise"
    first = min(lift.index for lift in known.trained)
    is_right = places == sorted(places) if len(places) > 1 else places[0] == first
    return None if is_right else "claim"


def _count(checked: CheckedClause, known: Known) -> Problem | None:
    """Count the exercises, sets and minutes of the plan, or the workouts of the week."""
    trained = known.trained
    counts: dict[str, float | None] = {
        "exercises": float(len(trained)),
        "total_sets": float(sum(len(each.planned) for each in trained)),
        "workouts": None if known.workouts is None else float(known.workouts),
    }
    for role, count in counts.items():
        for number in checked.numbers(role):
            if count is None or not same(number.value, count):
                return "number"
    for number in checked.numbers("minutes"):
        if known.minutes is None or not known.minutes[0] <= number.value <= known.minutes[1]:
            return "number"
    return None


def _all_up(checked: CheckedClause, known: Known) -> Problem | None:
    directions = [lift.direction("any") for lift in known.trained]
    return None if directions and all(each == 1 for each in directions) else "direction"


def _mostly(wanted: int) -> Callable[[CheckedClause, Known], Problem | None]:
    def check(checked: CheckedClause, known: Known) -> Problem | None:
        directions = [lift.direction("any") for lift in known.trained]
        return None if 2 * directions.count(wanted) > len(directions) else "direction"

    return check


def _progress(checked: CheckedClause, known: Known) -> Problem | None:
    """Check that more exercises progress, by the plan or in the latest workout, than regress."""
    changes = [lift.direction("any") if lift.planned else lift.progress for lift in known.trained]
    return None if changes.count(1) > changes.count(-1) else "claim"


def _went_well(checked: CheckedClause, known: Known) -> Problem | None:
    """Check that at most half of the exercises missed their targets in the latest workout."""
    results = [lift.hit_targets for lift in known.trained]
    return "claim" if 2 * results.count(False) > len(results) else None


def _all_hit(checked: CheckedClause, known: Known) -> Problem | None:
    results = [lift.hit_targets for lift in known.trained if lift.last]
    return None if results and all(results) else "claim"


def _all_same_load(checked: CheckedClause, known: Known) -> Problem | None:
    directions = [lift.direction("load") for lift in known.trained]
    stated = [each for each in directions if each is not None]
    return None if stated and not any(stated) else "direction"


def _deload(checked: CheckedClause, known: Known) -> Problem | None:
    return None if known.is_deload else "claim"


def _time(checked: CheckedClause, known: Known) -> Problem | None:
    return None if known.is_time_short else "claim"


_OF_THE_WHOLE: Mapping[str, Callable[[CheckedClause, Known], Problem | None]] = {
    "order": _order,
    "count": _count,
    "all_up": _all_up,
    "mostly_up": _mostly(1),
    "mostly_same": _mostly(0),
    "all_same_load": _all_same_load,
    "progress": _progress,
    "went_well": _went_well,
    "all_hit": _all_hit,
    "deload": _deload,
    "time": _time,
}

_FREE = frozenset({"none", "cue"})

CLAIMS = frozenset(
    {
        *_FREE,
        *_OF_THE_WHOLE,
        *_OF_A_LIFT,
        *(f"{measure}_{direction}" for measure in ("any", *_MEASURES) for direction in _DIRECTIONS),
    }
)
"""All claims that a grammar may name."""
