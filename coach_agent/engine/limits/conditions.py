"""Circumstances of a decision in addition to the training itself.

All of them can only hold or reduce: no circumstance ever raises a load or repetitions. Only the
week of a followed programme may add sets.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Literal

from pydantic import Field

from coach_agent.domain.block import BlockWeek
from coach_agent.domain.constants.recovery import (
    DELOAD_BLOCK_RIR,
    DELOAD_CALENDAR_WEEKS,
    DELOAD_DAYS,
    DELOAD_RIR_MIN,
    DELOAD_TRIGGER_DRIFT_EXPOSURES,
    DELOAD_TRIGGER_READINESS_MEAN,
    DELOAD_TRIGGER_READINESS_N,
    DELOAD_TRIGGER_RPE_DRIFT,
    DELOAD_TRIGGER_STALLED_LIFTS,
    READINESS_LOW_MAX,
    READINESS_VERY_LOW_MAX,
)
from coach_agent.domain.context import Slot
from coach_agent.domain.pain import Pain
from coach_agent.domain.plan import Adjustment, Insight
from coach_agent.domain.recovery import LoweredRecovery
from coach_agent.domain.values import Value, is_null
from coach_agent.engine.forecast.accuracy import Accuracy
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.profile.equipment import Kind
from coach_agent.profile.season import MeetPhase

Readiness = Literal["low", "very_low"]
DeloadReason = Literal["asked", "calendar", "block", "running", "stalls", "rpe_drift", "readiness"]


class Circumstances(Value):
    """Circumstances of the whole workout; null and empty if there are none.

    `meet` is the phase around an event, `minutes` is the available time, `pains` the painful parts,
    `deloaded_titles` exercises to take easy and `avoided_titles` exercises to leave out;
    `substitutes` has the athlete's substitutes by title, `unfit_substitutes` those unfit today with
    the reason, and `trainable_titles` exercises that load nothing with severe pain. `tested_maxima`
    are the recently tested maxima in kg, by title, and `lacks` is equipment missing at the place.
    `body_kg` is the body weight, measured or from the profile. `block` is the week of the followed
    programme, for a routine of it. `recovery` is the lowered one that makes `readiness` low, if the
    check-in does not; `is_sore`: soreness makes it low.
    """

    deload: DeloadReason | None = None
    is_taper: bool = False
    meet: MeetPhase | None = None
    readiness: Readiness | None = None
    minutes: int | None = None
    tested_maxima: dict[str, float] = Field(default_factory=dict)
    lacks: tuple[Kind, ...] = ()
    body_kg: float | None = None
    pains: tuple[Pain, ...] = ()
    deloaded_titles: tuple[str, ...] = ()
    avoided_titles: tuple[str, ...] = ()
    substitutes: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    unfit_substitutes: dict[str, dict[str, str]] = Field(default_factory=dict)
    trainable_titles: tuple[str, ...] = ()
    block: BlockWeek | None = Field(default=None, exclude_if=is_null)
    recovery: LoweredRecovery | None = Field(default=None, exclude_if=is_null)
    is_sore: bool = Field(default=False, exclude_if=lambda value: not value)

    def deload_of(self, exercise_title: str) -> DeloadReason | None:
        """Return why an exercise is in a deload; a request is stricter than a programme's week."""
        is_asked = exercise_title in self.deloaded_titles
        return "asked" if is_asked and self.deload in {None, "block"} else self.deload


class Background(Value):
    """Data of the athlete beyond the routine.

    `accuracy` is that of earlier forecasts; `minutes_a_set` the athlete's own pace in
    `paced_workouts` sessions; `advice` and `insight` are only for the athlete to read, no decision
    depends on them.
    """

    accuracy: Accuracy = Accuracy()
    minutes_a_set: float | None = None
    paced_workouts: int = 0
    advice: tuple[Adjustment, ...] = ()
    insight: Insight | None = None


def readiness_of(score: int | None) -> Readiness | None:
    """Return the restraint of a readiness of 1 to 5; None for 3 and more, or without a check-in."""
    if score is None or score > READINESS_LOW_MAX.value:
        return None
    return "very_low" if score <= READINESS_VERY_LOW_MAX.value else "low"


def spare_in_deload(reason: DeloadReason) -> int:
    """Return the repetitions to spare in a deload."""
    return (DELOAD_BLOCK_RIR if reason == "block" else DELOAD_RIR_MIN).value


def reactive_deload(
    today: date,
    slots: Sequence[Slot],
    stalled: Sequence[str],
    readiness_scores: Sequence[int],
    last_deload: date | None,
) -> DeloadReason | None:
    """Return the reason of a deload without a calendar: one is running, or a trigger fires; or
    None.

    `stalled` are the exercises with a flat trend, `readiness_scores` those of the last 14 days,
    `last_deload` the first day of the latest trained deload. One deload lasts a week, and for the
    weeks of a block after it there is no other.
    """
    if last_deload is not None:
        if today < last_deload + timedelta(days=DELOAD_DAYS.value):
            return "running"
        if today < last_deload + timedelta(weeks=DELOAD_CALENDAR_WEEKS.value):
            return None
    if len(set(stalled)) >= DELOAD_TRIGGER_STALLED_LIFTS.value:
        return "stalls"
    if any(has_rpe_drift(slot) for slot in slots):
        return "rpe_drift"
    is_tired = (
        len(readiness_scores) >= DELOAD_TRIGGER_READINESS_N.value
        and sum(readiness_scores) / len(readiness_scores) <= DELOAD_TRIGGER_READINESS_MEAN.value
    )
    return "readiness" if is_tired else None


def has_rpe_drift(slot: Slot) -> bool:
    """Return whether the same first working set got harder: one RPE more over 3 exposures.

    Only with load, repetitions and an RPE each time; never inferred without.
    """
    tops = []
    for exposure in slot.exposures[: DELOAD_TRIGGER_DRIFT_EXPOSURES.value]:
        working = [done for done in exposure.sets if done.set_type in WORKING_TYPES]
        if not working or exposure.is_easy:
            return False
        tops.append(working[0])
    if len(tops) < DELOAD_TRIGGER_DRIFT_EXPOSURES.value:
        return False
    if any(each.rpe is None or each.weight_kg is None or each.reps is None for each in tops):
        return False
    is_same_work = all(
        (one.weight_kg, one.reps) == (other.weight_kg, other.reps) for one, other in pairwise(tops)
    )
    newest, oldest = tops[0].rpe, tops[-1].rpe
    if newest is None or oldest is None:
        return False
    return is_same_work and newest - oldest >= DELOAD_TRIGGER_RPE_DRIFT.value
