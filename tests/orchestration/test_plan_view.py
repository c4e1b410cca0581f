"""A plan as the athlete reads it on a terminal as narrow as a phone."""

from collections.abc import Mapping
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from coach_agent.check_ins import CheckIn
from coach_agent.coach import decide
from coach_agent.context import RoutineContext
from coach_agent.equipment import PoundEquipment
from coach_agent.journal import JournaledPlan
from coach_agent.plan import Plan
from coach_agent.profile import Rules
from coach_agent.progression.engine import prescribe, settled
from coach_agent.routine_changes import Change
from coach_agent.units import KILOGRAMS_PER_POUND
from orchestration.lib.plan_view import show_plan
from orchestration.lib.wording import change_text, changes_markdown, plan_markdown
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    exposure,
    fixed,
    profile,
    ranged,
    routine,
    situation,
    slot,
)


def shown(plan: Plan, *, state: str | None = "published", width: int = 44, **how: Any) -> str:
    console = Console(file=StringIO(), width=width)
    show_plan(
        console,
        "demo",
        JournaledPlan("plan_1", plan, datetime(2026, 3, 2, tzinfo=UTC), state, ()),
        **how,
    )
    written = console.file
    assert isinstance(written, StringIO)
    return written.getvalue()


def in_pounds() -> Plan:
    sets = fixed(3, 61.23, 5)
    context = routine(slot(BENCH, sets, [exposure([(61.23, 5)] * 3, sets)]))
    return prescribe(settled("demo", context, Rules(equipment=PoundEquipment().in_kg())))


def decided(context: RoutineContext, said: Mapping[str, Any] | None = None, **values: Any) -> Plan:
    found = decide(situation([context], **(said or {})), profile(**values))
    assert found is not None
    return found.plan


def test_a_pound_gym_reads_pounds() -> None:
    """135 lb were told as 61.23 kg, and its plates as 63.5 kg."""
    plan = in_pounds()
    for text in (shown(plan), shown(plan, why=True), plan_markdown(plan)):
        assert "140 lb × 5" in text
        assert "135 lb × 5" in text
        assert "kg" not in text


def test_changes_in_hevy_are_told_in_the_unit_of_the_gym() -> None:
    change = Change(0, "Bench Press (Barbell)", 0, "normal", "weight_kg", 61.23, 63.5)
    assert change_text(change, "lb") == "135 → 140 lb"
    assert change_text(change, "kg") == "61.23 → 63.5 kg"
    assert "135 → 140 lb" in changes_markdown([change], "lb")
    added = Change(0, "Bench Press (Barbell)", 0, "normal", "weight_kg", None, 63.5)
    assert change_text(added, "lb") == "none → 140 lb"
    reps = Change(0, "Bench Press (Barbell)", 0, "normal", "reps", 8, 9)
    assert change_text(reps, "lb") == "8 → 9 reps"


def test_numbers_of_the_plan_stay_kilograms() -> None:
    (prescribed,) = in_pounds().slots
    assert prescribed.sets[0].weight_kg == pytest.approx(140 * KILOGRAMS_PER_POUND)


def test_what_is_left_out_has_no_arrow() -> None:
    """It pointed up, beside an exercise of which nothing was to be done."""
    sets = fixed(3, 100, 5)
    context = routine(
        slot(BENCH, sets, [exposure([(100, 5)] * 3, sets)]),
        slot(CURL, ranged(1, 20, 8, 12), [exposure([(20, 8)], ranged(1, 20, 8, 12))]),
    )
    text = shown(decided(context, avoid=[BENCH["exercise_title"]]))
    assert "- 1. Bench Press (Barbell)" in text
    assert "↑ 2. Bicep Curl (Dumbbell)" in text
    assert "left out" in text


def test_the_reasons_of_training_and_of_the_day_are_both_told_and_each_once() -> None:
    """The day's took the place of training's, and stood above the exercises and in each of them."""
    sets = fixed(4, 100, 5)
    bench = slot(BENCH, sets, [exposure([(100, 5)] * 4, sets, days_ago=2)])
    curls = ranged(2, 20, 8, 12)
    curl = slot(CURL, curls, [exposure([(20, 8)] * 2, curls, days_ago=2)])
    plan = decided(
        routine(bench, curl),
        {"latest_check_in": CheckIn(checked_in_at=NOW, deload=("all",))},
        pain={"right shoulder": "moderate"},
    )
    text = " ".join(shown(plan, why=True).split())
    assert text.count("Easy on purpose, as you asked") == 1
    assert text.count("No increase with pain (right shoulder)") == 1
    assert text.count("Without that: All 4 sets reached 5 reps at 100 kg: next step 102.5 kg.") == 1
    assert text.count("Without that: Not all sets reached 12 reps") == 1
    assert "limits: pain_moderate, deload_asked" in text
    assert "rule: linear (all_sets_hit)" in text
    markdown = plan_markdown(plan)
    assert "as you asked" in markdown
    assert "Without that: All 4 sets" in markdown


def test_what_to_do_about_a_stall_is_told_once() -> None:
    sets = fixed(3, 100, 5)
    days = [exposure([(100, 5)] * 3, sets, days_ago=3 * age) for age in range(1, 7)]
    trend = {"verdict": "stalled", "slope_pct": -0.06, "upper_pct": 0.02, "exposure_count": 8}
    plan = decided(routine(slot(BENCH, sets, days, trend=trend)))
    assert plan.slots[0].stall is not None
    fix = plan.slots[0].stall.suggested_fix
    assert " ".join(shown(plan, why=True).split()).count(fix) == 1


def test_letters_of_sets_are_explained() -> None:
    sets = [
        {"set_type": "warmup", "weight_kg": 60, "reps": 5},
        *fixed(2, 100, 5),
        {"set_type": "dropset", "weight_kg": 80, "reps": 8},
    ]
    plan = decided(routine(slot(BENCH, sets)))
    assert "Sets: W to warm up, D drop set." in " ".join(shown(plan, why=True).split())
    assert "Sets:" not in shown(in_pounds(), why=True)
