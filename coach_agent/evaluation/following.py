"""A programme that is begun again after its end, as policy of a closed loop and in replays."""

from dataclasses import dataclass

from coach_agent.domain.block import FollowedProgramme
from coach_agent.evaluation.diary import Diary
from coach_agent.evaluation.planned_workouts import Workout
from coach_agent.evaluation.policies import IllegalPlanError, workout_of
from coach_agent.planning.block_week import place_on
from coach_agent.planning.decide import decide
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation


@dataclass(frozen=True)
class ProgrammePolicy:
    """The coach for a lifter who follows a programme and begins it again after each end."""

    programme: FollowedProgramme

    def __call__(self, diary: Diary, day: int) -> Workout:
        """Return the coach's decision for a day, guardrails included.

        Raises:
            GuardrailError: the engine broke a limit.
        """
        situation = following(diary.situation(day), self.programme, diary.profile)
        decision = decide(situation, diary.profile)
        if decision is None:
            raise IllegalPlanError("the coach had no plan for a lifter with routines")
        return workout_of(decision.plan, diary)


def following(
    situation: Situation, programme: FollowedProgramme, profile: AthleteProfile
) -> Situation:
    """Return the situation with the programme in force: week 1 follows the last one at once."""
    while True:
        followed = situation.model_copy(update={"programme": programme})
        place = place_on(followed, profile, situation.today)
        if place is None or not place.is_over:
            return followed
        programme = programme.model_copy(update={"start": place.begins})
