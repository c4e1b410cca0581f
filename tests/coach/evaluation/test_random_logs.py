"""For any log, the loads of a plan stay within the lifter's results."""

from dataclasses import replace
from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from coach_agent.evaluation.exposures import TrainingLog
from coach_agent.evaluation.safety import JUMP, MISTYPED, ROUNDING, STOPPED, safety_of
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from tests.coach.evaluation.logs import BENCH, SQUAT, Done, log, workout
from tests.profiles import examples

# Each with a possible first load; None without one.
EXERCISES: dict[str, float | None] = {
    BENCH: 60,
    SQUAT: 82.5,
    "Bicep Curl (Dumbbell)": 12,
    "Lat Pulldown (Cable)": 45,
    "Leg Press (Machine)": 120,
    "Pull Up": None,
    "Plank": None,
}
SESSIONS = 10
_LIGHT_KG = 20


def random_log(seed: int) -> TrainingLog:
    """Two workouts in turn by a careless lifter.

    Loads wander, are not logged or mistyped; sets and whole exercises come and go. No light
    dumbbell is 5 kg lighter than usual: that looks mistyped, and the coach doubts it.
    """
    rng = Random(seed)  # noqa: S311 - chance, not secrecy
    routines = [rng.sample(list(EXERCISES), rng.randint(1, 3)) for _ in range(2)]
    factor, day, workouts = 1.0, 0, []
    for number in range(SESSIONS):
        day += rng.choice((1, 2, 3, 3, 7, 30))
        factor *= rng.choice((0.9, 1.0, 1.0, 1.02, 1.1))
        exercises = {
            title: _sets(EXERCISES[title], factor, rng)
            for title in routines[number % 2]
            if rng.random() < 0.9
        }
        if exercises:
            workouts.append(workout(day, exercises))
    return log(*workouts)


def _sets(usual_kg: float | None, factor: float, rng: Random) -> list[Done]:
    load_kg = None if usual_kg is None else round(usual_kg * factor / 2.5) * 2.5
    return [_set(load_kg, rng) for _ in range(rng.randint(1, 4))]


def _set(load_kg: float | None, rng: Random) -> Done:
    told = rng.random()
    kind = rng.choice(("normal",) * 6 + ("warmup", "failure", "dropset", "rpe 8", "rpe 10"))
    reps = rng.choice((None, 0, 1, 3, 5, 5, 5, 8, 8, 8, 10, 12, 20))
    if load_kg is None or told < 0.15:
        return (None, reps, kind)
    if told < 0.2:
        return (0.0, reps, kind)
    if told < 0.23:
        return (10 * load_kg, reps, kind)
    change = rng.choice((0, 0, 0, 0, -5, 2.5))
    return (load_kg + (change if load_kg > _LIGHT_KG else max(change, -2.5)), reps, kind)


@examples(20, quick=3, derandomize=True)
@given(st.integers(0, 2**32))
@example(64)  # three seeds with a load that was typed tenfold and on one day alone
@example(125)
@example(226)
@example(52036)  # two of four sets of the only loaded day were typed tenfold
@example(100812)  # two of four days were typed tenfold, in turn with the others
@example(100880)  # a drop set that failed, above a tested maximum
@example(50871)  # the maximum was tested on another stack
@example(2072)  # a single repetition before a break, and 2.5 kg between the dumbbells
@example(50470)  # decided sets beside kept ones, with the load of a set without repetitions
def test_no_plan_for_a_random_log_jumps_or_has_to_be_stopped(seed: int) -> None:
    """No load is more than a step and 5 % above the best of the last five times.

    No load is based on a probable typing error, compared with all other days, and the numbers match
    the decision.
    """
    found = safety_of(random_log(seed))
    limits = (JUMP, MISTYPED, ROUNDING, STOPPED)
    assert {limit: found.violations[limit] for limit in limits} == dict.fromkeys(limits, 0)


def test_random_logs_are_ones_that_plans_are_made_for() -> None:
    found = [safety_of(random_log(seed)) for seed in range(5)]
    assert sum(each.day_count for each in found) >= 20
    assert sum(each.set_count for each in found) >= 60


def test_a_coach_that_adds_too_much_is_found_in_random_logs() -> None:
    """Twice the load wherever there is one."""

    def reckless(situation: Situation, athlete: AthleteProfile) -> Decision | None:
        decision = decide(situation, athlete)
        if decision is None:
            return None
        slots = tuple(
            slot.model_copy(
                update={
                    "sets": tuple(
                        each.model_copy(update={"weight_kg": each.weight_kg and 2 * each.weight_kg})
                        for each in slot.sets
                    )
                }
            )
            for slot in decision.plan.slots
        )
        return replace(decision, plan=decision.plan.model_copy(update={"slots": slots}))

    assert (
        sum(safety_of(random_log(seed), coach=reckless).violations[JUMP] for seed in range(3)) > 0
    )
