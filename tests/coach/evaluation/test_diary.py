"""The diary returns the same data as the marts after the same workouts."""

from datetime import date, timedelta
from typing import NamedTuple

import pytest

from coach_agent.domain.context import RoutineContext
from coach_agent.engine.forecast.trend import trend_of
from coach_agent.evaluation.diary import FIRST_DAY, Diary, interpolate_rate, moment
from coach_agent.evaluation.planned_workouts import SlotPlan, Target, Workout, target_of
from coach_agent.evaluation.policies import engine
from tests.coach.builders import BENCH, CURL, fixed, planned, profile, ranged, routine, slot

FIVES = Target(100, 5, 5, 5)


class Done(NamedTuple):
    load_kg: float
    reps: int
    rpe: float | None = None


def upper() -> RoutineContext:
    bench = {**BENCH, "secondary_muscle_groups": ("triceps",)}
    return routine(slot(bench, fixed(2, 100, 5)), slot(CURL, ranged(2, 10, 8, 12)), days_ago=None)


def diary(*routines: RoutineContext) -> Diary:
    return Diary(routines or (upper(),), profile(), {})


def bench_only(
    *sets: Done, is_easy: bool = False, target: Target = FIVES
) -> tuple[Workout, list[list[Done]]]:
    slots = (SlotPlan((target,) * len(sets), (target,) * 2, is_easy), SlotPlan((), ()))
    return Workout(0, slots, "asked" if is_easy else None), [list(sets), []]


def trained(*sessions: tuple[Workout, list[list[Done]]], every: int = 3) -> Diary:
    found = diary()
    for number, (workout, done) in enumerate(sessions):
        found.add(every * number, workout, done)
    return found


def test_the_first_day_has_the_routines_own_targets_and_no_history() -> None:
    found = diary().situation(0)
    assert found.today == FIRST_DAY
    bench, curl = found.routines[0].slots
    assert [(each.weight_kg, each.reps) for each in bench.planned_sets] == [(100, 5), (100, 5)]
    assert [each.rep_range_end for each in curl.planned_sets] == [12, 12]
    assert bench.exposures == ()
    assert bench.last_trained_at is None


def test_routines_follow_each_other() -> None:
    found = diary(upper(), routine(slot(CURL, fixed(1, 10, 8)), title="Arms", days_ago=None))
    assert found.next_routine == 0
    found.add(0, *bench_only(Done(100, 5)))
    assert found.next_routine == 1


@pytest.mark.parametrize(("days", "loads"), [(42, [100]), (43, [110, 100])])
def test_newer_work_in_another_routine_counts_as_in_the_marts(days: int, loads: list[int]) -> None:
    """`coach_context` takes all routines if one has work that is over six weeks newer."""
    bench = slot(BENCH, fixed(1, 100, 5))
    found = diary(routine(bench, days_ago=None), routine(bench, title="B", days_ago=None))
    for day, place, load in ((0, 0, 100), (days, 1, 110)):
        plan = SlotPlan((FIVES._replace(load_kg=load),), (FIVES,))
        found.add(day, Workout(place, (plan,)), [[Done(load, 5)]])
    first, second = (each.slots[0].exposures for each in found.situation(days + 1).routines)
    assert [each.sets[0].weight_kg for each in first] == loads
    assert [each.sets[0].weight_kg for each in second] == [110]


def test_exposures_are_the_latest_six_newest_first_beside_their_plan() -> None:
    found = trained(
        *(bench_only(Done(90 + number, 5), Done(90 + number, 4)) for number in range(8))
    )
    bench = found.situation(30).routines[0].slots[0]
    assert [each.sets[0].weight_kg for each in bench.exposures] == [97, 96, 95, 94, 93, 92]
    newest = bench.exposures[0]
    assert newest.started_at == moment(21)
    assert newest.planned_working_count == 2
    assert [(each.planned_weight_kg, each.planned_reps_low) for each in newest.sets] == [
        (100, 5)
    ] * 2
    assert bench.last_trained_at == moment(21)


def test_an_exercise_that_was_left_out_has_no_exposure() -> None:
    found = trained(bench_only(Done(100, 5)))
    assert found.situation(3).routines[0].slots[1].exposures == ()


def test_the_routine_keeps_its_whole_sets_while_hevy_holds_fewer() -> None:
    found = trained(bench_only(Done(90, 5), is_easy=True))
    assert len(found.current[0][0]) == 2
    assert len(found.in_hevy[0].slots[0].targets) == 1
    assert len(found.situation(1).routines[0].slots[0].planned_sets) == 2


class Edited(NamedTuple):
    place: int
    template_id: str
    sets: tuple[tuple[int, float], ...]


def as_it_was(place: int, template_id: str, load_kg: float) -> Edited:
    return Edited(place, template_id, ((0, load_kg), (1, load_kg)))


BENCH_ID, CURL_ID = BENCH["exercise_template_id"], CURL["exercise_template_id"]


def plan_of_now(*, is_easy: bool = False) -> Workout:
    """Twice 100 kg and twice 10 kg; lightened, once 90 kg."""
    curls = (Target(10, 8, 12, 8),) * 2
    bench = SlotPlan((FIVES,) * 2, (FIVES,) * 2)
    if is_easy:
        bench = SlotPlan((FIVES._replace(load_kg=90),), (FIVES,) * 2, is_easy=True)
    return Workout(0, (bench, SlotPlan(curls, curls)), "asked" if is_easy else None)


def test_the_next_plan_goes_on_from_a_load_that_the_lifter_put_into_the_routine() -> None:
    """A step above 110 kg, not above the 100 kg of the plan."""
    found = diary()
    curl = as_it_was(1, CURL_ID, 10)
    workout = found.edited(plan_of_now(), [as_it_was(0, BENCH_ID, 110), curl])
    assert [each.load_kg for each in workout.slots[0].targets] == [110, 110]
    found.add(0, workout, [[Done(110, 5)] * 2, [Done(10, 12)] * 2])
    bench = found.situation(3).routines[0].slots[0]
    assert [each.planned_weight_kg for each in bench.exposures[0].sets] == [110, 110]
    assert [each.load_kg for each in engine(found, 3).slots[0].targets] == [112.5, 112.5]


@pytest.mark.parametrize("sets", [((0, 100.0),), ((0, 100.0), (1, 100.0), (1, 100.0))])
def test_a_set_more_or_fewer_stays(sets: tuple[tuple[int, float], ...]) -> None:
    found = diary()
    edit = [Edited(0, BENCH_ID, sets), as_it_was(1, CURL_ID, 10)]
    workout = found.edited(plan_of_now(), edit)
    found.add(0, workout, [[Done(100, 5)] * len(sets), []])
    for number in (3, 6):
        assert len(found.situation(number).routines[0].slots[0].planned_sets) == len(sets)
        plan = engine(found, number)
        assert [len(each.whole) for each in plan.slots] == [len(sets), 2]
        found.add(number, plan, [[Done(102.5, 5)] * len(sets), []])


def test_the_history_goes_with_the_exercise_when_the_order_changes() -> None:
    found = trained(bench_only(Done(100, 5), Done(100, 5)))
    edit = [as_it_was(1, CURL_ID, 10), as_it_was(0, BENCH_ID, 100)]
    workout = found.edited(plan_of_now(), edit)
    found.add(3, workout, [[Done(10, 12)] * 2, [Done(100, 5)] * 2])
    curl, bench = found.situation(6).routines[0].slots
    assert [curl.exercise_index, bench.exercise_index] == [0, 1]
    assert (curl.exercise_template_id, len(curl.exposures)) == (CURL_ID, 1)
    assert (bench.exercise_template_id, len(bench.exposures)) == (BENCH_ID, 2)
    assert len(found.records(0, 1)) == 2


def test_an_exercise_that_was_put_in_has_no_history_and_one_that_returns_has_its_own() -> None:
    other = slot({**CURL, "exercise_template_id": "hammer"}, ranged(1, 5, 8, 12))
    found = Diary((upper(),), profile(), {}, [other])
    bench = as_it_was(0, BENCH_ID, 100)
    found.add(0, plan_of_now(), [[Done(100, 5)] * 2, [Done(10, 12)] * 2])
    swapped = found.edited(plan_of_now(), [bench, as_it_was(1, "hammer", 14)])
    curl = found.situation(3).routines[0].slots[1]
    assert (curl.exercise_template_id, curl.exposures) == ("hammer", ())
    assert [(each.rep_range_start, each.rep_range_end) for each in curl.planned_sets] == [
        (8, 12)
    ] * 2
    found.add(3, swapped, [[Done(100, 5)] * 2, [Done(14, 8)] * 2])
    plan = engine(found, 6)
    assert {each.load_kg for each in plan.slots[1].targets} == {14}
    back = found.edited(plan, [bench, as_it_was(1, CURL_ID, 12)])
    found.add(6, back, [[Done(100, 5)] * 2, [Done(12, 8)] * 2])
    curl = found.situation(9).routines[0].slots[1]
    assert [each.sets[0].weight_kg for each in curl.exposures] == [12, 10]


@pytest.mark.parametrize(
    ("sets", "is_easy", "whole"),
    [
        (((0, 90.0),), True, [100, 100]),
        (((0, 85.0),), True, [85, 100]),
        (((0, 95.0),), False, [95, 100]),
        (((0, 90.0), (0, 90.0)), False, [90, 90]),
    ],
    ids=["untouched", "lighter", "heavier", "a set more"],
)
def test_what_was_easy_is_so_no_more_once_the_lifter_made_more_of_it(
    sets: tuple[tuple[int, float], ...], is_easy: bool, whole: list[float]
) -> None:
    found = diary()
    edit = [Edited(0, BENCH_ID, sets), as_it_was(1, CURL_ID, 10)]
    bench = found.edited(plan_of_now(is_easy=True), edit).slots[0]
    assert bench.is_easy is is_easy
    assert [each.load_kg for each in bench.whole] == whole


def test_an_easy_workout_is_a_deload_and_no_measure() -> None:
    found = trained(bench_only(Done(100, 5)), bench_only(Done(90, 5), is_easy=True))
    told = found.situation(7)
    assert told.last_deload == FIRST_DAY + timedelta(days=3)
    assert [each.is_easy for each in told.routines[0].slots[0].exposures] == [True, False]
    assert found.deload_count == 1
    assert dict(found.weekly_sets()) == {("chest", FIRST_DAY): 1, ("triceps", FIRST_DAY): 0.5}


def test_secondary_muscles_count_half_and_easy_sets_by_rpe_not_at_all() -> None:
    found = trained(bench_only(Done(100, 5, 6.0), Done(100, 5, 8.0)))
    assert dict(found.weekly_sets()) == {("chest", FIRST_DAY): 1, ("triceps", FIRST_DAY): 0.5}


def test_the_trend_is_that_of_the_best_sets() -> None:
    loads = [100, 100, 102.5, 102.5, 105, 105, 105, 107.5]
    found = trained(*(bench_only(Done(load, 5), Done(load, 4)) for load in loads))
    told, expected = found.trend(BENCH["exercise_template_id"]), trend_of(loads)
    assert expected is not None
    assert told.verdict == "not_stalled"
    assert told.slope_pct == pytest.approx(expected.slope_pct)
    assert told.exposure_count == 8
    assert told.mean_reps == pytest.approx(4.5)


def test_a_trend_takes_the_zone_of_repetitions_that_most_exposures_have() -> None:
    low = [bench_only(Done(100, 5)) for _ in range(8)]
    high = [bench_only(Done(80, 8)) for _ in range(3)]
    assert trained(*low, *high).trend(BENCH["exercise_template_id"]).exposure_count == 8
    told = trained(*low[:3], *high).trend(BENCH["exercise_template_id"])
    assert told.verdict == "insufficient"


def test_a_mistyped_maximum_is_not_in_the_trend() -> None:
    sessions = [bench_only(Done(100 + number, 5)) for number in range(8)]
    mistyped = bench_only(Done(1000, 5))
    told = trained(*sessions[:4], mistyped, *sessions[4:]).trend(BENCH["exercise_template_id"])
    assert told.exposure_count == 8
    assert told.upper_pct is not None
    assert told.upper_pct < 2


def test_a_rate_between_two_known_ones_is_interpolated() -> None:
    """A quarter of the way in noise, halfway in drift."""
    rates = {(8, 1.0, 0.0): 0.1, (8, 3.0, 0.0): 0.3, (8, 1.0, 2.0): 0.2, (8, 3.0, 2.0): 0.4}
    assert interpolate_rate(rates, 8, 1.5, 1.0) == pytest.approx(0.75 * 0.15 + 0.25 * 0.35)
    assert interpolate_rate(rates, 12, 9.0, 9.0) == pytest.approx(0.4)
    assert interpolate_rate(rates, 8, 0.0, 0.0) == pytest.approx(0.1)


def test_a_set_without_a_load_or_with_an_open_range_is_no_target() -> None:
    with pytest.raises(ValueError, match="set 0 has no load or no target"):
        target_of(planned({"weight_kg": 60, "rep_range_start": 8})[0])
    found = target_of(planned({"weight_kg": 60, "rep_range_start": 8, "rep_range_end": 12})[0])
    assert found == Target(60, 8, 12, 8)


def test_the_first_day_is_a_monday() -> None:
    assert date(2026, 1, 5) == FIRST_DAY
    assert FIRST_DAY.weekday() == 0
