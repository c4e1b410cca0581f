"""A plan on a terminal as narrow as a phone."""

from collections.abc import Mapping
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.plan import DoneSet, Plan
from coach_agent.domain.units import KILOGRAMS_PER_POUND
from coach_agent.engine.engine import build_input, prescribe
from coach_agent.engine.explain.plan_texts import done_text, target_text
from coach_agent.journal.current_plans import JournaledPlan
from coach_agent.planning.decide import decide
from coach_agent.profile.equipment import PoundEquipment
from coach_agent.profile.model import AthleteProfile, Rules
from coach_agent.publishing.routine_changes import Change
from coach_agent.store.check_ins import CheckIn
from coach_agent.store.comments import CommentAuthor
from orchestration.text.plan import last_workout_text, show_plan
from orchestration.text.wording import change_text, changes_markdown, plan_markdown
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    exposure,
    fixed,
    planned,
    profile,
    ranged,
    routine,
    situation,
    slot,
)


def shown(
    plan: Plan,
    *,
    state: str | None = "published",
    width: int = 44,
    athlete: AthleteProfile | None = None,
    **how: Any,
) -> str:
    console = Console(file=StringIO(), width=width)
    show_plan(
        console,
        athlete or profile(),
        JournaledPlan("plan_1", plan, datetime(2026, 3, 2, tzinfo=UTC), state, ()),
        **how,
    )
    written = console.file
    assert isinstance(written, StringIO)
    return written.getvalue()


def in_pounds() -> Plan:
    sets = fixed(3, 61.23, 5)
    context = routine(slot(BENCH, sets, [exposure([(61.23, 5)] * 3, sets)]))
    return prescribe(build_input("demo", context, Rules(equipment=PoundEquipment().in_kg())))


def decided(context: RoutineContext, said: Mapping[str, Any] | None = None, **values: Any) -> Plan:
    found = decide(situation([context], **(said or {})), profile(**values))
    assert found is not None
    return found.plan


def test_a_pound_gym_reads_pounds() -> None:
    """135 lb were printed as 61.23 kg, and its plates as 63.5 kg."""
    plan = in_pounds()
    for text in (shown(plan), shown(plan, why=True), plan_markdown(plan)):
        assert "3 × 5 @ 140 lb" in text
        assert "135 lb × 5, 5, 5" in text
        assert "kg" not in text


def test_changes_in_hevy_are_told_in_the_unit_of_the_gym() -> None:
    change = Change(0, "Bench Press (Barbell)", 0, "normal", "weight_kg", 61.23, 63.5)
    assert change_text(change, "lb") == "135 → 140 lb"
    assert change_text(change, "kg") == "61.23 → 63.5 kg"
    assert "135 → 140 lb" in changes_markdown([change], "lb")
    added = Change(0, "Bench Press (Barbell)", 0, "normal", "weight_kg", None, 63.5)
    assert change_text(added, "lb") == "sets 140 lb"
    reps = Change(0, "Bench Press (Barbell)", 0, "normal", "reps", 8, 9)
    assert change_text(reps, "lb") == "8 → 9 reps"


def test_numbers_of_the_plan_stay_kilograms() -> None:
    (prescribed,) = in_pounds().slots
    assert prescribed.sets[0].weight_kg == pytest.approx(140 * KILOGRAMS_PER_POUND)


def test_what_is_left_out_has_no_arrow() -> None:
    """It pointed up, at an exercise without any set."""
    sets = fixed(3, 100, 5)
    context = routine(
        slot(BENCH, sets, [exposure([(100, 5)] * 3, sets)]),
        slot(CURL, ranged(1, 20, 8, 12), [exposure([(20, 8)], ranged(1, 20, 8, 12))]),
    )
    text = shown(decided(context, avoid=[BENCH["exercise_title"]]))
    assert "- 1. Bench Press (Barbell)" in text
    assert "↑ 2. Bicep Curl (Dumbbell)" in text
    assert text.lower().count("left out") == 1


def test_the_reasons_of_training_and_of_the_day_are_both_told_and_each_once() -> None:
    """The reason of the day replaced that of training, and was printed twice."""
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
    assert text.count("Deload, as you asked") == 1
    assert text.count("Right shoulder pain: no increase today.") == 1
    assert text.count("Without that: 4 × 102.5 kg × 5. All 4 sets reached 5 reps at 100 kg") == 1
    assert text.count("Without that: 20 kg × 9 (8-12), 20 kg × 8 (8-12). Not all sets") == 1
    assert "limits: pain_moderate, deload_asked" in text
    assert "rule: linear (all_sets_hit)" in text
    markdown = plan_markdown(plan)
    assert "as you asked" in markdown
    assert "Without that: 4 × 102.5 kg × 5. All 4 sets" in markdown


def test_what_to_do_about_a_stall_is_told_once() -> None:
    sets = fixed(3, 100, 5)
    days = [
        exposure([(100 if age < 6 else 97.5, 5)] * 3, sets, days_ago=3 * age) for age in range(1, 7)
    ]
    trend = {"verdict": "stalled", "slope_pct": -0.06, "upper_pct": 0.02, "exposure_count": 8}
    plan = decided(routine(slot(BENCH, sets, days, trend=trend)))
    assert plan.slots[0].stall is not None
    fix = plan.slots[0].stall.suggested_fix
    assert " ".join(shown(plan, why=True).split()).count(fix) == 1


def test_with_every_reason_it_is_told_which_model_tells_of_the_last_workout() -> None:
    author = CommentAuthor(
        kind="insight",
        subject="workout-1",
        said_at=NOW,
        decided_by="google:flash",
        prompt_version="1",
    )
    console = Console(file=StringIO(), width=80)
    stands = JournaledPlan("plan_1", in_pounds(), NOW, "published", (), remarks=(author,))
    show_plan(console, profile(), stands, why=True)
    assert isinstance(console.file, StringIO)
    assert "Comment on the last workout by google:flash." in console.file.getvalue()
    assert "Comment on" not in shown(in_pounds(), why=True)


def test_letters_of_sets_are_explained() -> None:
    sets = [
        {"set_type": "warmup", "weight_kg": 60, "reps": 5},
        *fixed(2, 100, 5),
        {"set_type": "dropset", "weight_kg": 80, "reps": 8},
    ]
    plan = decided(routine(slot(BENCH, sets)))
    assert "Sets: W to warm up, D drop set." in " ".join(shown(plan, why=True).split())
    assert "Sets:" not in shown(in_pounds(), why=True)


def test_percentages_are_explained_once_where_there_are_some() -> None:
    sets = fixed(3, 60, 5)
    history = [exposure([(60.0, 5 - each % 2)] * 3, sets, days_ago=3 * each) for each in range(9)]
    plan = decided(routine(slot(BENCH, sets, history)))
    for why in (False, True):
        words = " ".join(shown(plan, why=why).split())
        assert words.count("chance to hit the target") == 1
    without = plan.model_copy(
        update={"slots": tuple(each.model_copy(update={"predictions": ()}) for each in plan.slots)}
    )
    assert "%" not in shown(without)


def test_a_plan_that_is_only_shown_says_so_before_it_was_previewed_too() -> None:
    """After a check-in it was printed as not published yet, although it is never published."""
    plan = in_pounds()
    assert 'publish.mode is "preview"' in shown(plan, state=None, width=100)
    auto = profile(hevy={"account": "simulator"}, publish={"mode": "auto"})
    assert "the next run publishes it" in shown(plan, state=None, athlete=auto, width=100)
    assert "published to Hevy" in shown(plan, state="published", athlete=auto)


def test_a_load_below_the_last_one_is_told_to_be_the_plan_of_that_day() -> None:
    """112.5 kg were tried instead of 110 and missed: "repeat 110 kg" was printed with them."""
    sets = fixed(3, 110, 5)
    heavier = slot(BENCH, sets, [exposure([(112.5, 5), (112.5, 4), (112.5, 4)], sets)])
    (prescribed,) = decided(routine(heavier)).slots
    assert prescribed.reason == (
        "Missed 5 reps on sets 2 and 3: repeat the 110 kg that were planned."
    )


def test_a_load_says_whether_it_is_added_or_taken_off() -> None:
    """20 kg of assistance looked like a load of 20 kg."""
    (target,) = planned({"weight_kg": 20.0, "reps": 8})
    assert target_text(target, "kg", "bodyweight_assisted") == "20 kg of assistance × 8"
    assert target_text(target, "kg", "bodyweight_weighted") == "bw+20 kg × 8"
    done = DoneSet(set_index=0, set_type="normal", weight_kg=0.0, reps=8, rpe=9.0)
    assert done_text(done, "kg", "bodyweight_weighted") == "bw × 8 @9"
    assert done_text(done, "kg", "bodyweight_assisted") == "bw × 8 @9"


def test_one_repetition_is_one_rep() -> None:
    singles = fixed(3, 100, 1)
    done = slot(BENCH, singles, [exposure([(100, 1)] * 3, singles)])
    missed = slot(BENCH, singles, [exposure([(100, 1), (100, 1), (100, 0)], singles)])
    text = " ".join(shown(decided(routine(done, missed)), why=True).split())
    assert "All 3 sets reached 1 rep at 100 kg" in text
    assert "Missed 1 rep on set 3" in text
    assert target_text(planned({"reps": 1})[0], "kg", None) == "1 rep"
    assert target_text(planned({"reps": 9})[0], "kg", None) == "9 reps"


def test_the_table_of_a_plan_keeps_sets_apart_without_markup() -> None:
    """Dagster's page ignored `<br>`: 45 kg × 8 and 65 kg × 5 were shown as 45 kg × 865 kg."""
    sets = fixed(3, 100, 5)
    plan = decided(routine(slot(BENCH, sets, [exposure([(100, 5)] * 3, sets, days_ago=3)])))
    row = plan_markdown(plan).splitlines()[-1]
    assert "<" not in row
    assert row.startswith("| ↑ ")
    assert "| 3 × 5 @ 102.5 kg | 100 kg × 5, 5, 5 |" in row


@pytest.mark.parametrize(("days_ago", "goes_on"), [(3, True), (60, False)])
def test_a_plan_that_holds_back_is_not_told_to_be_the_next_step(
    days_ago: int, goes_on: bool
) -> None:
    """After a break of months it printed "take the next step as planned" above lighter sets."""
    sets = fixed(3, 100, 5)
    done = [
        exposure([(100, 5)] * 3, sets, days_ago=days_ago),
        exposure([(97.5, 5)] * 3, sets, days_ago=days_ago + 7),
    ]
    plan = decided(routine(slot(BENCH, sets, done), days_ago=days_ago))
    told = last_workout_text(plan)
    assert told.startswith("Bench Press (Barbell) improved from 97.5 kg × 5 to 100 kg × 5.")
    assert ("Take the next step as planned." in told) is goes_on
    assert told in " ".join(shown(plan, why=True).split())
