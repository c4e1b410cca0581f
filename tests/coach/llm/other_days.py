"""A day for the legs with a reset, and one for the whole body with a repeated target."""

from coach_agent.domain.context import RoutineContext
from coach_agent.llm.comments.known import Known, known_of_plan
from coach_agent.planning.decide import decide
from tests.coach.builders import CURL, PULL_UP, fixed, profile, ranged, routine, situation, slot
from tests.coach.llm.usual_day import days_of


def _exercise(id_: str, title: str, equipment: str, muscle: str) -> dict[str, str]:
    return {
        "exercise_template_id": id_,
        "exercise_title": title,
        "exercise_type": "weight_reps",
        "equipment": equipment,
        "primary_muscle_group": muscle,
    }


SQUAT = _exercise("D04AC939", "Squat (Barbell)", "barbell", "quadriceps")
ROMANIAN = _exercise("2B4B7310", "Romanian Deadlift (Barbell)", "barbell", "hamstrings")
LEG_PRESS = _exercise("C7973E0E", "Leg Press (Machine)", "machine", "quadriceps")
CALF_RAISE = _exercise("E05C2C38", "Standing Calf Raise (Machine)", "machine", "calves")
LEG_CURL = _exercise("B8127AD1", "Leg Curl (Machine)", "machine", "hamstrings")
OVERHEAD = _exercise("7B8D84E8", "Overhead Press (Barbell)", "barbell", "shoulders")
DEADLIFT = _exercise("C6272009", "Deadlift (Barbell)", "barbell", "lower_back")
PULLDOWN = _exercise("6A6C31A5", "Lat Pulldown (Cable)", "machine", "lats")


def lower_day() -> Known:
    """The squat resets to 110 kg after three misses, and the others go up."""
    squats = [{"set_type": "warmup", "weight_kg": 70, "reps": 5}, *fixed(3, 120, 5)]
    romanians, presses = ranged(3, 90, 8, 10), ranged(3, 165, 10, 15)
    raises, curls = ranged(3, 60, 12, 15), ranged(2, 40, 10, 12)
    return _known(
        routine(
            slot(SQUAT, squats, days_of(squats, [(70, 5), (120, 5), (120, 5), (120, 3)])),
            slot(ROMANIAN, romanians, days_of(romanians, [(90, 10)] * 3)),
            slot(LEG_PRESS, presses, days_of(presses, [(165, 13), (165, 12), (165, 11)])),
            slot(CALF_RAISE, raises, days_of(raises, [(60, 15)] * 3)),
            slot(LEG_CURL, curls, days_of(curls, [(40, 11), (40, 10)])),
            title="Lower A",
        )
    )


def full_day() -> Known:
    """The overhead press resets to 45 kg, and pull-ups repeat a target that was missed."""
    lifts = [{"set_type": "warmup", "weight_kg": 60, "reps": 5}, *fixed(3, 140, 5)]
    presses, pulldowns = fixed(3, 50, 6), ranged(3, 55, 8, 12)
    pulls, curls = fixed(3, None, 8), ranged(2, 12, 10, 15)
    return _known(
        routine(
            slot(DEADLIFT, lifts, days_of(lifts, [(60, 5), *[(140, 5)] * 3])),
            slot(OVERHEAD, presses, days_of(presses, [(50, 6), (50, 4), (50, 4)])),
            slot(PULLDOWN, pulldowns, days_of(pulldowns, [(55, 12), (55, 11), (55, 10)])),
            slot(PULL_UP, pulls, days_of(pulls, [(None, 8), (None, 7), (None, 6)], count=2)),
            slot(CURL, curls, days_of(curls, [(12, 17), (12, 15)])),
            title="Full Body",
        )
    )


def _known(trained: RoutineContext) -> Known:
    decision = decide(situation([trained]), profile())
    assert decision is not None
    pairs = zip(trained.slots, decision.plan.slots, strict=True)
    return known_of_plan(pairs, decision.plan, "en")
