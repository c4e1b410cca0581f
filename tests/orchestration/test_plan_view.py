"""A plan as the athlete reads it on a terminal as narrow as a phone."""

from collections.abc import Mapping
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

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
