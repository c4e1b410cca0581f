"""Maxima that were tested recently, by exercise."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import takewhile

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.strength import E1RM_TESTED_DAYS, E1RM_TRAINED_WORKOUTS
from coach_agent.domain.context import Exposure, ExposureSet
from coach_agent.domain.days import local_date
from coach_agent.domain.e1rm import is_planned_single, is_tested_max, is_trained_single
from coach_agent.engine.loads.increments import ASSISTED
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation

_SAME_KG = LOAD_TOLERANCE.value


@dataclass
class _Lifted:
    """The loads of an exercise in kg, `heaviest` and `repeated` of the last days.

    `earlier` are the workouts before, `repeated` is of more than one repetition. `is_tested`: a
    maximum was tested; `is_trained`: a single of the training was as hard.
    """

    heaviest: float = 0.0
    repeated: float = 0.0
    earlier: list[Exposure] = field(default_factory=list)
    is_tested: bool = False
    is_trained: bool = False

    @property
    def has_maximum(self) -> bool:
        if self.repeated >= self.heaviest - _SAME_KG:
            return False
        return self.is_tested or (self.is_trained and not self._was_lifted_earlier)

    @property
    def _was_lifted_earlier(self) -> bool:
        return any(
            abs((done.weight_kg or 0.0) - self.heaviest) <= _SAME_KG
            for exposure in self.earlier
            for done in exposure.sets
            if _counts(done)
        )


def tested_maxima(situation: Situation, profile: AthleteProfile) -> dict[str, float]:
    """Return the recently tested maxima in kg by title, from any routine.

    A heavier set in these days proves that more is possible, and more than one repetition with the
    heaviest load that it is no maximum. Neither are singles of the training, planned or usual, with
    a load from before these days, or from `e1rm.trained_workouts` ago.
    """
    since = situation.today - timedelta(days=E1RM_TESTED_DAYS.value)
    lifts: defaultdict[str, _Lifted] = defaultdict(_Lifted)
    for routine in situation.routines:
        for slot in (*routine.slots, *routine.left_out):
            if slot.exercise_type == ASSISTED:
                continue
            lifted = lifts[slot.exercise_title]
            recent = sum(
                1
                for _ in takewhile(
                    lambda each: local_date(each.started_at, profile.timezone) >= since,
                    slot.exposures,
                )
            )
            lifted.earlier += slot.exposures[min(recent, E1RM_TRAINED_WORKOUTS.value) :]
            for place in range(recent):
                _read(lifted, slot.exposures, place)
    return {title: each.heaviest for title, each in lifts.items() if each.has_maximum}


def _read(lifted: _Lifted, exposures: Sequence[Exposure], place: int) -> None:
    """Add the sets of one of the exposures, a recent one."""
    for done in exposures[place].sets:
        if not _counts(done):
            continue
        load = done.weight_kg or 0.0
        lifted.heaviest = max(lifted.heaviest, load)
        if (done.reps or 0) > 1:
            lifted.repeated = max(lifted.repeated, load)
        if not load or not is_tested_max(done.reps, done.rpe):
            continue
        others = (*exposures[:place], *exposures[place + 1 :])
        if is_planned_single(
            load, done.planned_weight_kg, done.planned_reps_low
        ) or is_trained_single(load, (_heaviest_single(each) for each in others)):
            lifted.is_trained = True
        else:
            lifted.is_tested = True


def _counts(done: ExposureSet) -> bool:
    """Return whether a set was done and nobody doubts it."""
    return bool(done.reps) and not done.is_typo_suspect and done.is_confirmed is not False


def _heaviest_single(exposure: Exposure) -> float:
    """Return the heaviest single of a workout in kg, 0 without one or after heavier work."""
    known = [
        done
        for done in exposure.sets
        if not done.is_typo_suspect and done.is_confirmed is not False
    ]
    heaviest = max(known, key=lambda done: done.weight_kg or 0.0, default=None)
    return (heaviest.weight_kg or 0.0) if heaviest is not None and heaviest.reps == 1 else 0.0
