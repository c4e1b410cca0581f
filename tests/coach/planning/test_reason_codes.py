"""A14: each reason that a model may give is given for some history."""

from collections.abc import Mapping
from typing import get_args

import pytest

from coach_agent.domain.block import BlockDemand, BlockWeek
from coach_agent.domain.context import Exposure, LiftTrend
from coach_agent.domain.plan import SlotPrescription
from coach_agent.engine.limits.conditions import Circumstances
from coach_agent.engine.models.block import ReasonCode
from coach_agent.engine.models.select import KeepCode, Model
from coach_agent.profile.model import Rules
from tests.coach.builders import (
    BENCH,
    CURL,
    PLANK,
    PULL_UP,
    exposure,
    fixed,
    plan_for,
    prescribe_slot,
    ranged,
    routine,
    rules,
    slot,
    timed_exposure,
)

FIVES = fixed(2, 100, 5)
RANGE = ranged(2, 24, 8, 12)
TOP = [*ranged(1, 100, 4, 6), *ranged(1, 90, 6, 10)]
HIT = exposure([(100, 5)] * 2, FIVES)
MISS = exposure([(100, 5), (100, 4)], FIVES)
CARRY = {**CURL, "exercise_title": "Carry", "exercise_type": "short_distance_weight"}
TREADMILL = {**PULL_UP, "exercise_title": "Treadmill", "exercise_type": "distance_duration"}
ONE_WEEK = (("80x5+",),)
AT_80 = ranged(1, 80, 5, None)


def decided(
    exercise: dict[str, str],
    sets: list[dict[str, object]],
    *exposures: Exposure,
    **rule: object,
) -> SlotPrescription:
    given = rules(exercise, **rule) if rule else Rules()
    return prescribe_slot(slot(exercise, sets, exposures), given)


def carried(metres: int) -> Exposure:
    done = exposure([(24, None)], [{"weight_kg": 24}])
    walked = done.sets[0].model_copy(update={"distance_m": metres})
    return done.model_copy(update={"sets": (walked,)})


def taking_turns(*newest: float) -> list[Exposure]:
    loads = (*newest, *newest)
    return [exposure([(kg, 5)] * 2, days_ago=2 + 3 * at) for at, kg in enumerate(loads)]


def waved(reps: int, tm_change: str = "amrap") -> SlotPrescription:
    done = exposure([(80, reps)], AT_80)
    return decided(BENCH, AT_80, done, model="training_max", wave=ONE_WEEK, tm_change=tm_change)


STEP = {"then": {"add_reps": 1}}
DISTANCE: list[dict[str, object]] = [{"weight_kg": 24, "distance_m": 40}]
T3 = ranged(1, 20, 15, None)
REACHED: Mapping[ReasonCode | KeepCode, SlotPrescription] = {
    "add_load": decided(PULL_UP, ranged(1, None, 5, 8), exposure([(None, 8)])),
    "add_reps": decided(CURL, RANGE, exposure([(24, 9)] * 2, RANGE)),
    "all_sets_hit": decided(BENCH, FIVES, HIT),
    "amrap_reached": decided(CURL, T3, exposure([(20, 25)], T3), model="stages", stages=("1x15+",)),
    "amrap_short": decided(CURL, T3, exposure([(20, 20)], T3), model="stages", stages=("1x15+",)),
    "back_to_old_load": decided(
        CURL, RANGE, exposure([(24, 9)] * 2), exposure([(30, 10)] * 2, days_ago=60)
    ),
    "back_too_fast": decided(
        BENCH,
        FIVES,
        exposure([(127.5, 3, 10)] * 2, FIVES),
        exposure([(140, 5)] * 2, FIVES, days_ago=180),
    ),
    "below_range": decided(CURL, RANGE, exposure([(24, 7)] * 2, RANGE)),
    "distance_reached": decided(CARRY, DISTANCE, carried(40)),
    "far_above": decided(
        BENCH, FIVES, exposure([(80, 5)] * 2), exposure([(50, 5)] * 2, days_ago=5)
    ),
    "follows_top_set": decided(BENCH, TOP, exposure([(110, 6), (97.5, 8)]), model="top_backoff"),
    "heavy_day": decided(BENCH, FIVES, *taking_turns(80, 100)),
    "light_before": decided(
        BENCH, FIVES, exposure([(80, 5)] * 2), exposure([(100, 5)] * 2, days_ago=5)
    ),
    "light_day": decided(BENCH, FIVES, *taking_turns(100, 80)),
    "lighter_than_planned": decided(BENCH, FIVES, exposure([(95, 5)] * 2, FIVES)),
    "load_unavailable": decided(BENCH, FIVES, exposure([(61.3, 4)] * 2)),
    "medium_day": decided(BENCH, FIVES, *taking_turns(80, 100, 90)),
    "missed_distance": decided(CARRY, DISTANCE, carried(30)),
    "missed_goal": decided(PLANK, [{"duration_s": 60}], timed_exposure([50], [60])),
    "missed_reps": decided(BENCH, FIVES, MISS),
    "next_stage": decided(BENCH, FIVES, MISS, model="stages", stages=("2x5", "3x3")),
    "no_heavier_load": decided(CURL, fixed(1, 50, 8), exposure([(50, 8)])),
    "no_history": decided(BENCH, FIVES),
    "no_lighter_load": decided(BENCH, fixed(1, 20, 5), *[exposure([(20, 3)], fixed(1, 20, 5))] * 3),
    "no_own_step": decided(
        BENCH, FIVES, HIT, model="steps", steps=({"when": {"any_set_below": 3}, **STEP},)
    ),
    "no_target": decided(BENCH, fixed(1, 100, None), HIT),  # a habit needs two workouts
    "not_progressed": decided(TREADMILL, [{"duration_s": 60}], timed_exposure([60])),
    "other_work": decided(
        BENCH, FIVES, exposure([(120, 1)] * 2), exposure([(100, 5)] * 2, FIVES, days_ago=3)
    ),
    "own_step": decided(BENCH, FIVES, HIT, model="steps", steps=(STEP,)),
    "rep_sum_missed": decided(BENCH, FIVES, HIT, model="rep_sum", rep_sum=11),
    "rep_sum_reached": decided(BENCH, FIVES, HIT, model="rep_sum", rep_sum=10),
    "reset": decided(BENCH, FIVES, MISS, MISS, MISS),
    "rpe_cap": decided(BENCH, FIVES, exposure([(100, 5, 9.5)] * 2, FIVES), rpe_cap=9.0),
    "rpe_unknown": decided(BENCH, FIVES, HIT),
    "sets_left_out": decided(BENCH, FIVES, exposure([(100, 5)], FIVES[:1])),
    "sets_missing": decided(BENCH, FIVES, exposure([(100, 5)], FIVES, skipped=[1])),
    "stalled": prescribe_slot(
        slot(BENCH, FIVES, [HIT]).model_copy(
            update={"trend": LiftTrend(verdict="stalled", exposure_count=8, slope_pct=0.0)}
        )
    ),
    "stage_start": decided(BENCH, FIVES, HIT, model="stages"),
    "step_down": decided(CURL, RANGE, *[exposure([(24, 7)] * 2, RANGE)] * 2),
    "step_infeasible": decided(CURL, ranged(1, 6, 8, 12), exposure([(3, 12)])),
    "suspected_typo": decided(BENCH, FIVES, exposure([(1000, 5)] * 2, FIVES), HIT),
    "target_changed": decided(BENCH, ranged(2, 75, 8, 12), HIT),
    "reserve": plan_for(
        routine(slot(BENCH, fixed(1, 100, 5), [exposure([(100, 5, 10.0)])])),
        circumstances=Circumstances(
            block=BlockWeek(
                programme_id="prog_1",
                programme_title="Block",
                week=1,
                weeks=4,
                phase="accumulate",
                demands=(
                    BlockDemand(exercise_title=BENCH["exercise_title"], occurrence=1, reserve=3),
                ),
            )
        ),
    ).slots[0],
    "tested_max": plan_for(
        routine(slot(BENCH, fixed(1, 100, 1), [exposure([(100, 1, 10.0)])])),
        circumstances=Circumstances(tested_maxima={BENCH["exercise_title"]: 100.0}),
    ).slots[0],
    "tm_down": waved(4),
    "tm_held": waved(5),
    "tm_proposed": decided(BENCH, FIVES, exposure([(100, 1)]), model="training_max"),
    "tm_up": waved(6),
    "too_soon": decided(BENCH, FIVES, HIT, min_exposures=2),
    "top_of_range": decided(CURL, RANGE, exposure([(24, 12)] * 2, RANGE)),
    "wave_week": decided(
        BENCH, FIVES, HIT, model="training_max", training_max_kg=90.0, wave=(("50x8",),)
    ),
}


def test_every_reason_has_a_history() -> None:
    assert set(REACHED) == {*get_args(ReasonCode), *get_args(KeepCode)}


@pytest.mark.parametrize("code", REACHED)
def test_a14_every_reason_can_be_given(code: ReasonCode | KeepCode) -> None:
    assert code in REACHED[code].reason_codes
    assert REACHED[code].reason.endswith(".")
    assert "RPE" not in REACHED[code].reason or code == "rpe_cap"


def test_a14_every_model_can_decide() -> None:
    used = {model for each in REACHED.values() for model in each.rule.split(", ")}
    opened = ranged(1, 60, 8, None)
    used.add(decided(BENCH, opened, exposure([(60, 9)], opened)).rule)
    used.add(decided(PULL_UP, fixed(1, None, 8), exposure([(None, 8)])).rule)
    assert used == set(get_args(Model))
