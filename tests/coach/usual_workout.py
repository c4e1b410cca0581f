"""A successful workout of two exercises, planned again on a day with a check-in."""

from coach_agent.domain.context import LiftTrend, SlotContext
from coach_agent.domain.plan import Plan
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.check_ins import CheckIn
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    Done,
    exposure,
    fixed,
    profile,
    ranged,
    routine,
    situation,
    slot,
)

FIVES = fixed(3, 100, 5)
RANGE = ranged(3, 24, 8, 12)
FIVE: Done = (100.0, 5)
TODAY = NOW.date()
SQUAT = {**BENCH, "exercise_title": "Squat (Barbell)", "primary_muscle_group": "quadriceps"}
SQUAT["exercise_template_id"] = "D04AC939"
STALLED = LiftTrend(
    verdict="stalled", slope_pct=0.0, upper_pct=0.1, exposure_count=8, mean_reps=5.0
)


def bench(*done: Done, **other: object) -> SlotContext:
    return slot(BENCH, FIVES, [exposure(done or [FIVE] * 3, FIVES, days_ago=2)], **other)


def curl() -> SlotContext:
    return slot(CURL, RANGE, [exposure([(24, 12)] * 3, RANGE, days_ago=2)])


def check_in(**said: object) -> CheckIn:
    return CheckIn.model_validate({"checked_in_at": NOW, **said})


def decided(
    *slots: SlotContext,
    said: CheckIn | None = None,
    athlete: AthleteProfile | None = None,
    **other: object,
) -> Decision:
    known = {"check_ins": () if said is None else (said,), "latest_check_in": said, **other}
    decision = decide(situation([routine(*slots)], **known), athlete or profile())
    assert decision is not None
    return decision


def plan(*slots: SlotContext, **other: object) -> Plan:
    return decided(*slots, **other).plan  # type: ignore[arg-type]
