"""Selection of a set's target and progression model: the profile's, or a fitting default."""

from collections import Counter
from typing import Literal, get_args

from coach_agent.domain.constants.progression import BACKOFF_REPS, TOP_REPS
from coach_agent.domain.context import Slot, SlotContext
from coach_agent.domain.plan import SetPrescription
from coach_agent.domain.values import Value
from coach_agent.engine.history.attempts import WORKING_TYPES, Measure, attempt_of, done_sets
from coach_agent.engine.loads.increments import ASSISTED, REPS_ONLY, WEIGHTED
from coach_agent.engine.loads.ladder import load_of
from coach_agent.profile.exercise_rules import ExerciseRule, RuleModel
from coach_agent.profile.model import Rules

Model = Literal[
    "linear",
    "open",
    "double",
    "top_set",
    "backoff",
    "training_max",
    "stages",
    "rep_sum",
    "steps",
    "distance",
    "reps",
    "reps_range",
    "timed",
    "keep",
]
KeepCode = Literal["no_history", "target_changed", "suspected_typo", "no_target", "not_progressed"]
Group = tuple[SetPrescription, ...]

LOAD_MODELS: frozenset[Model] = frozenset(get_args(Model)) - {
    "reps",
    "reps_range",
    "timed",
    "keep",
}
SCHEME_MODELS: frozenset[Model] = frozenset({"training_max", "stages"})
"""Programmes that define the number of working sets, and the open ones."""

# Distances, floors and steps are endurance work: there is no rule for their progress.
_ENDURANCE = frozenset({"distance_duration", "floors_duration", "steps_duration"})
_CARRIED = "short_distance_weight"
_LOADED = "weight_reps"


class Target(Value):
    """The reference for the repetitions of a set, or its metres; null ends are open.

    `is_routines`: the target is the routine's own, and its versions hold the earlier ones.
    `is_default`: neither routine nor profile has one, and the routine stays without.
    """

    low: int | None
    high: int | None
    is_routines: bool
    is_default: bool = False
    metres: int | None = None

    def goes_with(self, low: int | None, high: int | None) -> bool:
        """Return whether another target is the same, apart from an open end ("8-10", "8+")."""
        return self.low == low and (self.high == high or None in {self.high, high})


class Block(Value):
    """Working sets that progress together by `model`; `keep_code` is the reason for kept ones."""

    model: Model
    set_indexes: tuple[int, ...]
    target: Target | None = None
    keep_code: KeepCode | None = None


def block_of(slot: SlotContext, group: Group, rules: Rules) -> Block:
    """Return the block of a group of sets, with or without a history."""
    indexes = tuple(planned.set_index for planned in group)
    measure = _measure(slot)
    if _is_endurance(slot, measure):
        return Block(model="keep", set_indexes=indexes, keep_code="not_progressed")
    if measure is None:
        return Block(model="keep", set_indexes=indexes, keep_code="no_history")
    rule = rules.for_exercise(slot.exercise_title)
    if measure == "load" and rule.model is None and _is_of_body_alone(slot, indexes):
        measure = "reps"
    chosen = _chosen_model(slot, measure, rules)
    first = next((each for each in slot.planned_sets if each.set_type in WORKING_TYPES), None)
    is_first = first is not None and first.set_index == indexes[0]
    targets = [_target(planned, slot, measure, rule, chosen, is_first) for planned in group]
    # Sets of a group differ only in an open end: the closed one has the end of the range.
    target = next((each for each in targets if each and each.high is not None), targets[0])
    if target is None:
        return Block(model="keep", set_indexes=indexes, keep_code="no_target")
    if target.is_default and any(each and not each.is_default for each in targets):
        target = target.model_copy(update={"is_default": False})
    model = _model(measure, target, chosen, is_first=is_first)
    return Block(model=model, set_indexes=indexes, target=target)


def working_sets(sets: Group) -> Group:
    """Return the working sets of these, in order."""
    return tuple(planned for planned in sets if planned.set_type in WORKING_TYPES)


def _is_endurance(slot: Slot, measure: Measure | None) -> bool:
    """Return whether the exercise is left to the athlete: also a carry done without a load."""
    is_bare_carry = slot.exercise_type == _CARRIED and measure is None and bool(slot.exposures)
    is_cardio = slot.primary_muscle_group == "cardio"
    return slot.exercise_type in _ENDURANCE or is_cardio or is_bare_carry


def _measure(slot: Slot) -> Measure | None:
    """Return the measure recorded in the latest workout; None without one.

    For a loaded exercise, a workout without any load is ignored: it was not logged.
    """
    has_load = slot.exercise_type == _LOADED and any(
        done.weight_kg and done.reps for exposure in slot.exposures for done in exposure.sets
    )
    if has_load:
        return "load"
    for exposure in slot.exposures:
        done = done_sets(exposure, WORKING_TYPES)
        if slot.exercise_type == _CARRIED:
            if any(each.distance_m is not None and each.weight_kg for each in done):
                return "distance"
            continue
        with_reps = [each for each in done if each.reps is not None]
        if any(load_of(slot.exercise_type, each.weight_kg) is not None for each in with_reps):
            return "load"
        if any(each.reps is not None or each.duration_s is not None for each in done):
            return "reps" if with_reps else "duration"
    return None


def _is_of_body_alone(slot: SlotContext, indexes: tuple[int, ...]) -> bool:
    """Return whether these sets were done without a load the last time, deliberately.

    Other sets of the workout may have one. A dropped load must not come back unasked. For the
    athlete's own exercise it is unknown whether it works without one: it is accepted.
    """
    if slot.exercise_type not in {None, REPS_ONLY, WEIGHTED}:
        return False
    working = tuple(each.set_index for each in working_sets(slot.planned_sets))
    for exposure in slot.exposures:
        latest = attempt_of(exposure, working, indexes, slot.exercise_type, "reps")
        if latest is not None:
            return all(answer.load is None for answer in latest.done)
    return False


def select_model(slot: Slot, rules: Rules) -> RuleModel | None:
    """Return the model that the athlete chose, if there is a load for it.

    Percentages of a load that is only a part of the moved weight are meaningless.
    """
    return _chosen_model(slot, _measure(slot), rules)


def _chosen_model(slot: Slot, measure: Measure | None, rules: Rules) -> RuleModel | None:
    if measure != "load" or _is_endurance(slot, measure):
        return None
    model = rules.for_exercise(slot.exercise_title).model
    is_part = slot.exercise_type in {ASSISTED, WEIGHTED}
    return None if is_part and model in {"top_backoff", "training_max"} else model


def _target(
    planned: SetPrescription,
    slot: Slot,
    measure: Measure,
    rule: ExerciseRule,
    chosen: RuleModel | None,
    is_first: bool,
) -> Target | None:
    """Return the routine's target of a set, otherwise the athlete's rule, otherwise the habit.

    None without any of them.
    """
    if measure == "duration":
        is_timed = planned.duration_s is not None
        return Target(low=None, high=None, is_routines=False) if is_timed else None
    if measure == "distance":
        if not planned.distance_m:
            return None
        return Target(low=None, high=None, is_routines=False, metres=planned.distance_m)
    if chosen in {"training_max", "stages"}:
        return Target(low=None, high=None, is_routines=False)
    if planned.rep_range_start is not None:
        is_routines = chosen != "rep_sum"
        return Target(
            low=planned.rep_range_start, high=planned.rep_range_end, is_routines=is_routines
        )
    is_backoff = chosen == "top_backoff" and not is_first
    if rule.rep_range is not None and not is_backoff:
        return Target(low=rule.rep_range[0], high=rule.rep_range[1], is_routines=False)
    if measure == "reps" or chosen in {"rep_sum", "steps"}:
        # Here repetitions are the progress, so their present number is no structure.
        is_default = planned.reps is None
        return Target(low=None, high=None, is_routines=False, is_default=is_default)
    if planned.reps is not None:
        return Target(low=planned.reps, high=planned.reps, is_routines=True)
    if chosen == "top_backoff":
        low, high = (BACKOFF_REPS if is_backoff else TOP_REPS).value
        return Target(low=low, high=high, is_routines=False, is_default=True)
    habit = _habit(slot)
    if habit is None:
        return None
    return Target(low=habit[0], high=habit[1], is_routines=False, is_default=True)


def _habit(slot: Slot) -> tuple[int, int] | None:
    """Return the athlete's minimum and maximum repetitions with the usual load of a workout.

    That is the load of most sets, the heavier of two. The latest workout is excluded: it must not
    be its own reference.
    """
    reps: list[int] = []
    for exposure in slot.exposures[1:]:
        done = [(each.weight_kg or 0.0, each.reps) for each in done_sets(exposure, WORKING_TYPES)]
        counts = Counter(load for load, _ in done)
        usual = max(counts, key=lambda load: (counts[load], load), default=0.0)
        reps += [count for load, count in done if count and load == usual]
    return (min(reps), max(reps)) if reps else None


def _model(measure: Measure, target: Target, chosen: RuleModel | None, *, is_first: bool) -> Model:
    if measure == "duration":
        return "timed"
    if measure == "distance":
        return "distance"
    if measure == "reps":
        return "reps" if target.high is None else "reps_range"
    if chosen == "top_backoff":
        return "top_set" if is_first else "backoff"
    if chosen is not None and chosen != "double":
        return chosen
    if target.high is None:
        return "open"
    if chosen == "double" or target.low != target.high:
        return "double"
    return "linear"
