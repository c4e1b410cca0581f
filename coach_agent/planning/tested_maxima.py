"""Maxima that were tested recently, by exercise."""

from datetime import timedelta

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.strength import E1RM_TESTED_DAYS, E1RM_TRAINED_WORKOUTS
from coach_agent.engine.forecast.e1rm import is_planned_single, is_tested_max
from coach_agent.engine.loads.increments import ASSISTED
from coach_agent.planning.rotation import local_date
from coach_agent.planning.situation import Situation
from coach_agent.profile.model import AthleteProfile


def tested_maxima(situation: Situation, profile: AthleteProfile) -> dict[str, float]:
    """Return the recently tested maxima in kg by title, from any routine.

    A heavier set in these days proves that more is possible, and more than one repetition with the
    heaviest load that it is no maximum. Neither are planned singles with a load from before these
    days, or from `e1rm.trained_workouts` ago: it is that of the training.
    """
    since = situation.today - timedelta(days=E1RM_TESTED_DAYS.value)
    heaviest: dict[str, float] = {}
    repeated: dict[str, float] = {}
    earlier: dict[str, float] = {}
    tested: set[str] = set()
    trained: set[str] = set()
    for routine in situation.routines:
        for slot in (*routine.slots, *routine.left_out):
            if slot.exercise_type == ASSISTED:
                continue
            for place, exposure in enumerate(slot.exposures):
                is_recent = local_date(exposure.started_at, profile.timezone) >= since
                for done in exposure.sets:
                    if done.is_typo_suspect or done.is_confirmed is False or not done.reps:
                        continue
                    title, load = slot.exercise_title, done.weight_kg or 0.0
                    if not is_recent or place >= E1RM_TRAINED_WORKOUTS.value:
                        earlier[title] = max(earlier.get(title, 0.0), load)
                    if not is_recent:
                        continue
                    heaviest[title] = max(heaviest.get(title, 0.0), load)
                    if done.reps > 1:
                        repeated[title] = max(repeated.get(title, 0.0), load)
                    if not load or not is_tested_max(done.reps, done.rpe):
                        continue
                    plan = done.planned_weight_kg, done.planned_reps_low
                    is_training = is_planned_single(done.rpe, load, *plan)
                    (trained if is_training else tested).add(title)
    tolerance = LOAD_TOLERANCE.value
    tested |= {each for each in trained if earlier.get(each, 0.0) < heaviest[each] - tolerance}
    return {
        title: heaviest[title]
        for title in tested
        if repeated.get(title, 0.0) < heaviest[title] - tolerance
    }
