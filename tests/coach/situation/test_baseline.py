"""Parts removed for a day are restored, also through the routine in Hevy."""

from datetime import timedelta

import duckdb
import pytest

from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.pain import Pain
from coach_agent.domain.plan import SetPrescription
from coach_agent.journal.current_plans import read_current_plans
from coach_agent.journal.decisions import record_decision
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.profile.model import AthleteProfile
from coach_agent.publishing.routine_changes import merge_plan
from coach_agent.situation.baseline import restore_routine
from coach_agent.store.check_ins import CheckIn
from coach_agent.store.schema import create_coach_tables
from hevy_connector.schemas import RoutineWrite
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    PULL_UP,
    exposure,
    fixed,
    loads,
    profile,
    ranged,
    reps,
    routine,
    situation,
    slot,
)

FIVES = fixed(3, 100, 5)
RANGE = ranged(3, 24, 8, 12)
PULLS = fixed(2, None, 8)
CONTEXT = routine(
    slot(
        BENCH, FIVES, [exposure([(100, 5)] * 3, FIVES, days_ago=2)], notes="narrow grip", rest_s=200
    ),
    slot(CURL, RANGE, [exposure([(24, 12)] * 3, RANGE, days_ago=2)]),
    slot(PULL_UP, PULLS, [exposure([(None, 8)] * 2, PULLS, days_ago=2)], rest_s=100),
)
SORE_CHEST = CheckIn(checked_in_at=NOW, pain=(Pain(part="chest", level="severe"),))
EASY_DAY = CheckIn(checked_in_at=NOW, deload=("all",))
SHORT_DAY = CheckIn(checked_in_at=NOW, minutes=10)


def decided(
    context: RoutineContext, said: CheckIn | None = None, athlete: AthleteProfile | None = None
) -> Decision:
    decision = decide(situation([context], latest_check_in=said), athlete or profile())
    assert decision is not None
    return decision


def in_hevy(context: RoutineContext) -> RoutineWrite:
    """The routine as it is sent and read."""
    exercises = [
        {
            "exercise_template_id": each.exercise_template_id,
            "superset_id": each.superset_id,
            "rest_seconds": each.rest_s,
            "notes": each.notes,
            "sets": [_written(planned) for planned in each.planned_sets],
        }
        for each in context.slots
    ]
    return RoutineWrite.model_validate({"title": context.title, "exercises": exercises})


def _written(planned: SetPrescription) -> dict[str, object]:
    low, high = planned.rep_range_start, planned.rep_range_end
    return {
        "type": planned.set_type,
        "weight_kg": planned.weight_kg,
        "reps": planned.reps,
        "rep_range": None if low is None else {"start": low, "end": high},
    }


def read_back(written: RoutineWrite, before: RoutineContext) -> RoutineContext:
    """Return the situation after a publication, with the history of the parts it left out."""
    known = {each.exercise_template_id: each for each in before.slots}
    slots = []
    for at, exercise in enumerate(written.exercises):
        sets = tuple(
            SetPrescription(
                set_index=index,
                set_type=each.type,
                weight_kg=each.weight_kg,
                reps=each.reps,
                rep_range_start=each.rep_range and each.rep_range.start,
                rep_range_end=each.rep_range and each.rep_range.end,
            )
            for index, each in enumerate(exercise.sets)
        )
        slots.append(
            known[exercise.exercise_template_id].model_copy(
                update={
                    "exercise_index": at,
                    "planned_sets": sets,
                    "notes": exercise.notes,
                    "rest_s": exercise.rest_seconds,
                    "types_in_hevy": None,
                }
            )
        )
    there = {slot.exercise_template_id for slot in slots}
    left_out = tuple(
        each.model_copy(update={"planned_sets": (), "notes": None})
        for each in before.slots
        if each.exercise_template_id not in there
    )
    return before.model_copy(update={"slots": tuple(slots), "left_out": left_out})


def test_an_exercise_that_was_dropped_returns_with_all_that_it_had() -> None:
    hurt = decided(CONTEXT, SORE_CHEST)
    without = merge_plan(in_hevy(CONTEXT), hurt.plan)
    assert [each.exercise_template_id for each in without.exercises] == [
        CURL["exercise_template_id"],
        PULL_UP["exercise_template_id"],
    ]
    later = restore_routine(read_back(without, CONTEXT), [hurt.plan])
    assert [each.exercise_title for each in later.slots] == [
        each.exercise_title for each in CONTEXT.slots
    ]
    well = decided(later)
    again = merge_plan(without, well.plan)
    first = again.exercises[0]
    assert (first.notes, first.rest_seconds) == ("narrow grip", 200)
    assert [(each.weight_kg, each.reps) for each in first.sets] == [(102.5, 5)] * 3
    never_left = decided(CONTEXT).plan.slots
    assert [(each.sets, each.reason, each.last_done) for each in well.plan.slots] == [
        (each.sets, each.reason, each.last_done) for each in never_left
    ]
    assert again == merge_plan(in_hevy(CONTEXT), decided(CONTEXT).plan)
    assert decided(read_back(again, CONTEXT)).plan == decided(CONTEXT).plan


def test_an_exercise_that_was_away_for_long_returns_with_less() -> None:
    hurt = decided(CONTEXT, SORE_CHEST)
    without = merge_plan(in_hevy(CONTEXT), hurt.plan)
    later = restore_routine(read_back(without, CONTEXT), [hurt.plan])
    decision = decide(situation([later], today=NOW.date() + timedelta(days=60)), profile())
    assert decision is not None
    assert "layoff" in [each.rule for each in decision.plan.slots[0].adjustments]


def test_while_it_hurts_on_it_stays_away() -> None:
    hurt = decided(CONTEXT, SORE_CHEST)
    without = merge_plan(in_hevy(CONTEXT), hurt.plan)
    later = restore_routine(read_back(without, CONTEXT), [hurt.plan])
    still = decided(later, SORE_CHEST)
    assert merge_plan(without, still.plan) == without
    assert still.plan.slots[0].whole_sets == hurt.plan.slots[0].whole_sets
    assert still.plan.slots[0].notes == "narrow grip"


@pytest.mark.parametrize("said", [EASY_DAY, SHORT_DAY], ids=["deload", "time"])
def test_sets_that_were_left_out_decide_as_if_they_had_never_been(said: CheckIn) -> None:
    easy = decided(CONTEXT, said)
    cut = merge_plan(in_hevy(CONTEXT), easy.plan)
    assert sum(len(each.sets) for each in cut.exercises) < 8
    later = restore_routine(read_back(cut, CONTEXT), [easy.plan])
    after, never = decided(later), decided(CONTEXT)
    for one, other in zip(after.plan.slots, never.plan.slots, strict=True):
        assert one.sets == other.sets
    assert merge_plan(cut, after.plan) == merge_plan(in_hevy(CONTEXT), never.plan)


def test_the_same_circumstances_decide_the_same_again() -> None:
    easy = decided(CONTEXT, EASY_DAY)
    later = restore_routine(
        read_back(merge_plan(in_hevy(CONTEXT), easy.plan), CONTEXT), [easy.plan]
    )
    again = decided(later, EASY_DAY)
    assert (again.plan_id, again.output_sha256) == (easy.plan_id, easy.output_sha256)


def test_repetitions_that_the_athlete_changed_stay_while_sets_return() -> None:
    easy = decided(CONTEXT, EASY_DAY)
    cut = read_back(merge_plan(in_hevy(CONTEXT), easy.plan), CONTEXT)
    assert len(cut.slots[0].planned_sets) == 2

    def with_reps(each: SlotContext) -> SlotContext:
        sets = tuple(one.model_copy(update={"reps": 3}) for one in each.planned_sets)
        return each.model_copy(update={"planned_sets": sets})

    edited = cut.model_copy(update={"slots": (with_reps(cut.slots[0]), *cut.slots[1:])})
    found = restore_routine(edited, [easy.plan])
    assert [each.reps for each in found.slots[0].planned_sets] == [3, 3, 5]
    assert len(found.slots[1].planned_sets) == 3


def test_sets_that_the_athlete_added_or_took_away_are_as_the_athlete_wants_them() -> None:
    easy = decided(CONTEXT, EASY_DAY)
    cut = read_back(merge_plan(in_hevy(CONTEXT), easy.plan), CONTEXT)
    shorter = cut.slots[0].model_copy(update={"planned_sets": cut.slots[0].planned_sets[:1]})
    found = restore_routine(
        cut.model_copy(update={"slots": (shorter, *cut.slots[1:])}), [easy.plan]
    )
    assert len(found.slots[0].planned_sets) == 1
    assert len(found.slots[1].planned_sets) == 3


def test_a_wider_goal_that_was_not_reached_is_no_miss() -> None:
    bar = fixed(3, 20, 5)
    wide = [{**bar[0], "reps": 6, "rep_range_start": 5, "rep_range_end": 6}, *bar[1:]]
    held = exposure([(20, 5)] * 3, wide, days_ago=2)
    plan = decided(routine(slot(BENCH, bar, [held]))).plan
    assert (loads(plan.slots[0]), reps(plan.slots[0])) == ([20] * 3, [6, 5, 5])
    assert "missed_reps" not in plan.slots[0].reason_codes


@pytest.mark.parametrize("has_arrived", [True, False])
@pytest.mark.parametrize(
    "said",
    [CheckIn(checked_in_at=NOW, energy=1), SHORT_DAY, SORE_CHEST],
    ids=["tired", "time", "pain"],
)
def test_a_plan_of_which_it_is_not_known_whether_it_arrived_takes_nothing_twice(
    said: CheckIn, has_arrived: bool
) -> None:
    light = decided(CONTEXT, said)
    first = merge_plan(in_hevy(CONTEXT), light.plan)
    easy = decided(restore_routine(read_back(first, CONTEXT), [light.plan]), EASY_DAY)
    now = merge_plan(first, easy.plan) if has_arrived else first
    later = restore_routine(read_back(now, CONTEXT), [easy.plan, light.plan])
    again = decided(later, EASY_DAY)
    assert again.output_sha256 == easy.output_sha256
    assert merge_plan(now, again.plan) == merge_plan(first, easy.plan)


@pytest.mark.parametrize("said", [SORE_CHEST, EASY_DAY, SHORT_DAY], ids=["pain", "deload", "time"])
def test_a_plan_that_has_arrived_changes_nothing_more(said: CheckIn) -> None:
    plan = decided(CONTEXT, said).plan
    arrived = merge_plan(in_hevy(CONTEXT), plan)
    assert merge_plan(arrived, plan) == arrived
    back = decided(restore_routine(read_back(arrived, CONTEXT), [plan])).plan
    returned = merge_plan(arrived, back)
    assert returned != arrived
    assert merge_plan(returned, back) == returned


def test_an_exercise_without_sets_stays_in_the_routine() -> None:
    bare = slot(CURL, [], notes="elbows in")
    context = routine(CONTEXT.slots[0], bare)
    sent = merge_plan(in_hevy(context), decided(context).plan)
    assert [each.notes for each in sent.exercises] == ["narrow grip", "elbows in"]


def test_a_plan_that_returns_finds_the_routine_as_it_is_now() -> None:
    con = duckdb.connect(config={"threads": 1})
    create_coach_tables(con)
    usual = decided(CONTEXT)
    assert record_decision(con, usual, now=NOW, run_id="one")
    hurt = decided(CONTEXT, SORE_CHEST)
    without = merge_plan(in_hevy(CONTEXT), hurt.plan)
    well = decided(restore_routine(read_back(without, CONTEXT), [hurt.plan]))
    assert well.plan_id == usual.plan_id
    assert not record_decision(con, well, now=NOW, run_id="two")
    stands = read_current_plans(con)[well.plan.athlete_id]
    assert merge_plan(without, stands.plan) == merge_plan(in_hevy(CONTEXT), usual.plan)


def test_a_routine_of_which_nothing_was_sent_is_as_it_is() -> None:
    assert restore_routine(CONTEXT, ()) == CONTEXT


def test_a_programme_has_as_many_sets_as_its_next_stage() -> None:
    """Five triples were missed, six doubles follow: a set more, open as the last one was."""
    sets = [*fixed(4, 100, 3), {"weight_kg": 100, "rep_range_start": 3}]
    missed = exposure([(100, 3)] * 4 + [(100, 2)], sets, days_ago=2)
    context = routine(slot(BENCH, sets, [missed]))
    athlete = profile(exercises={BENCH["exercise_title"]: {"model": "stages"}})
    (exercise,) = merge_plan(in_hevy(context), decided(context, athlete=athlete).plan).exercises
    assert [(each.weight_kg, each.reps) for each in exercise.sets] == [(100, 2)] * 6
    assert [each.rep_range and each.rep_range.start for each in exercise.sets] == [None] * 5 + [2]


def test_a_programme_with_fewer_sets_drops_the_last_ones() -> None:
    sets = [{"set_type": "warmup", "weight_kg": 60.0, "reps": 5}, *fixed(5, 65, 5)]
    context = routine(slot(BENCH, sets, [exposure([(60, 5), *[(65, 5)] * 5], sets, days_ago=2)]))
    athlete = profile(exercises={BENCH["exercise_title"]: {"model": "training_max"}})
    plan = decided(context, athlete=athlete).plan
    (exercise,) = merge_plan(in_hevy(context), plan).exercises
    assert [each.type for each in exercise.sets] == ["warmup", *["normal"] * 3]
    assert [each.weight_kg for each in exercise.sets] == loads(plan.slots[0])
    assert [each.reps for each in exercise.sets] == reps(plan.slots[0])
