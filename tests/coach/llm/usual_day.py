"""An upper-body day of six exercises, the windows of its plan, and answers of a model to it."""

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from pydantic import ValidationError

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.plan import Plan
from coach_agent.llm.answer_schema import PlanAnswer
from coach_agent.llm.plan_answer import apply_answer, broken_rules
from coach_agent.llm.windows import MayChange, PlanWindows, plan_windows
from coach_agent.planning.decide import decide
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from coach_agent.store.check_ins import CheckIn
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    PLANK,
    PULL_UP,
    exposure,
    fixed,
    profile,
    ranged,
    routine,
    situation,
    slot,
    timed_exposure,
)

ROW = {
    "exercise_template_id": "55E6546F",
    "exercise_title": "Bent Over Row (Barbell)",
    "exercise_type": "weight_reps",
    "equipment": "barbell",
    "primary_muscle_group": "upper_back",
}
RAISE = {
    "exercise_template_id": "422B08F1",
    "exercise_title": "Lateral Raise (Dumbbell)",
    "exercise_type": "weight_reps",
    "equipment": "dumbbell",
    "primary_muscle_group": "shoulders",
}
INCLINE = {
    "exercise_template_id": "50DFDFAB",
    "exercise_title": "Incline Bench Press (Dumbbell)",
    "exercise_type": "weight_reps",
    "equipment": "dumbbell",
    "primary_muscle_group": "chest",
}
WARMUPS = [
    {"set_type": "warmup", "weight_kg": 60, "reps": 5},
    {"set_type": "warmup", "weight_kg": 80, "reps": 3},
]
BENCH_SETS = [*WARMUPS, *fixed(4, 100, 5)]
ROW_SETS, CURL_SETS, RAISE_SETS = ranged(3, 80, 6, 10), ranged(3, 14, 8, 12), ranged(3, 8, 10, 15)
INCLINE_SETS = ranged(3, 30, 8, 12)
BENCH_SLOT, ROW_SLOT, PULL_UP_SLOT, CURL_SLOT, RAISE_SLOT, PLANK_SLOT = range(6)


def days_of(sets: list[dict[str, Any]], done: list[Any], count: int = 3) -> list[Any]:
    return [exposure(done, sets, days_ago=2 + 7 * week) for week in range(count)]


def upper(**of_bench: Any) -> RoutineContext:
    """All went as planned, so that most of it goes up; the row missed its range."""
    return routine(
        slot(
            BENCH,
            BENCH_SETS,
            days_of(BENCH_SETS, [(60, 5), (80, 3), *[(100, 5)] * 4]),
            rest_s=180,
            **of_bench,
        ),
        slot(ROW, ROW_SETS, days_of(ROW_SETS, [(80, 9), (80, 8), (80, 8)]), rest_s=120),
        slot(PULL_UP, fixed(3, None, 8), days_of(fixed(3, None, 8), [(None, 8)] * 3)),
        slot(CURL, CURL_SETS, days_of(CURL_SETS, [(14, 14), (14, 12), (14, 12)])),
        slot(RAISE, RAISE_SETS, days_of(RAISE_SETS, [(8, 13), (8, 12), (8, 12)])),
        slot(
            PLANK,
            [{"duration_s": 60}] * 2,
            [timed_exposure([60, 60], [60, 60], days_ago=2 + 7 * week) for week in range(3)],
        ),
    )


def other_day() -> RoutineContext:
    done = days_of(INCLINE_SETS, [(30, 10)] * 3)
    return routine(slot(INCLINE, INCLINE_SETS, done), title="Upper B", days_ago=1)


def usual_situation(*routines: RoutineContext, **other: Any) -> Situation:
    return situation(routines or [upper(), other_day()], **other)


def usual_windows(
    told: Situation | None = None,
    athlete: AthleteProfile | None = None,
    may_change: MayChange = "within_windows",
) -> PlanWindows:
    if told is None and athlete is None:
        return _windows_of_the_usual_day(may_change)
    return _windows(told or usual_situation(), athlete or usual_athlete(), may_change)


@cache
def _windows_of_the_usual_day(may_change: MayChange) -> PlanWindows:
    return _windows(usual_situation(), usual_athlete(), may_change)


def _windows(told: Situation, athlete: AthleteProfile, may_change: MayChange) -> PlanWindows:
    decision = decide(told, athlete)
    assert decision is not None
    return plan_windows(told, athlete, decision, may_change)


def usual_athlete(**values: Any) -> AthleteProfile:
    return profile(**{"routines": ["Upper A", "Upper B"], **values})


def hurting(part: str, level: str) -> Situation:
    said = CheckIn.model_validate({"checked_in_at": NOW, "pain": [{"part": part, "level": level}]})
    return usual_situation(check_ins=(said,), latest_check_in=said)


def as_proposed(windows: PlanWindows) -> dict[str, Any]:
    """Return the answer with every number of the proposal and short texts."""
    unit = windows.plan.load_unit
    assert unit == "kg"
    return {
        "slots": [
            {
                "slot": window.number,
                "exercise": window.own.option.slot.exercise_template_id,
                "blocks": [
                    {
                        "load": block.proposed.load_kg,
                        "sets": block.proposed.sets,
                        "reps": list(block.proposed.counts),
                    }
                    for block in window.own.blocks
                ],
                "reason": None,
                "cues": ["same_form"],
                "facts": [],
            }
            for window in windows.slots
        ],
        "order": None,
        "summary": "A solid day.",
        "adjustments": [],
        "reasoning": "It follows the proposal.",
    }


Change = Callable[[dict[str, Any]], None]


def changed(answer: dict[str, Any], *changes: Change) -> dict[str, Any]:
    found = copy.deepcopy(answer)
    for change in changes:
        change(found)
    return found


def block(index: int, **values: Any) -> Change:
    """Other values in the only block of a slot."""
    return lambda answer: answer["slots"][index]["blocks"][0].update(values)


def slot_values(index: int, **values: Any) -> Change:
    return lambda answer: answer["slots"][index].update(values)


def top(**values: Any) -> Change:
    return lambda answer: answer.update(values)


def reasons_against(raw: str, windows: PlanWindows) -> tuple[str, ...]:
    """Return the reasons to reject an unmodified answer; empty if it becomes a plan."""
    try:
        answer = PlanAnswer.model_validate_json(raw)
    except ValidationError as error:
        return tuple(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
    return broken_rules(answer, windows)


def plan_of(answer: dict[str, Any], windows: PlanWindows, language: str = "en") -> Plan:
    parsed = PlanAnswer.model_validate_json(json.dumps(answer))
    return apply_answer(
        parsed, windows, decided_by="fake:model", prompt_version="p1", language=language
    )
