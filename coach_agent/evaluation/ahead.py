"""The engine's view of simulated training: loads of the athlete's gym, and minutes."""

from collections.abc import Mapping
from itertools import groupby
from statistics import median

from coach_agent.domain.context import SlotContext
from coach_agent.engine.duration import TimedSet, session_minutes
from coach_agent.engine.loads.ladder import ladder_for
from coach_agent.evaluation.closed_loop import Run
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import PersonalPace

_HIGHEST_SHARE = 3.0  # of the load, up to which loads of the gym are listed


def gym_loads(slot: SlotContext, profile: AthleteProfile, load_kg: float) -> tuple[float, ...]:
    """Return the loads in kg that the athlete's gym has for an exercise, ascending."""
    rules = profile.rules_for([slot.exercise_title])
    return ladder_for(slot, rules, load_kg, _HIGHEST_SHARE * load_kg).loads.loads_kg


def usual_minutes(run: Run, rests: Mapping[str, int], pace: PersonalPace | None) -> float:
    """Return the median minutes of a session, warm-ups excluded.

    `rests` are the seconds after a set by exercise.
    """
    sessions = groupby(run.sets, key=lambda each: each.day)
    return median(
        session_minutes(
            [TimedSet(each.reps, None, rests[each.template_id]) for each in sets],
            None if pace is None else pace.minutes_a_set,
            0 if pace is None else pace.workouts,
        ).minutes
        for _, sets in sessions
    )
