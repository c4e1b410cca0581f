"""Allowed choices of a model, for every athlete, history and day; and the forbidden ones."""

from collections import Counter
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.domain.context import LiftTrend, RoutineContext, SlotContext
from coach_agent.domain.plan import Plan, SlotPrescription
from coach_agent.domain.units import KILOGRAMS_PER_POUND
from coach_agent.engine.explain.plan_texts import reasons
from coach_agent.llm.answer_schema import PlanAnswer
from coach_agent.llm.block_windows import BlockWindow
from coach_agent.llm.choices import Pick, arrange_routine, chosen, in_place
from coach_agent.llm.plan_answer import broken_rules
from coach_agent.llm.windows import PlanWindows, SlotWindow, plan_windows
from coach_agent.planning.decide import decide
from coach_agent.planning.guardrails import violations
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.baseline import restore_routine
from coach_agent.situation.situation import MuscleWeek, Situation
from coach_agent.store.check_ins import CheckIn
from tests.coach.builders import BENCH, NOW, applied, exposure, fixed, routine, slot
from tests.coach.llm.usual_day import (
    BENCH_SLOT,
    CURL_SLOT,
    INCLINE,
    PLANK_SLOT,
    PULL_UP_SLOT,
    RAISE_SLOT,
    ROW_SLOT,
    as_proposed,
    block,
    changed,
    hurting,
    other_day,
    plan_of,
    slot_values,
    top,
    upper,
    usual_athlete,
    usual_situation,
    usual_windows,
)
from tests.coach.past_sessions import LOG_FILES, LOGS, Log, evenly, past_days, sessions_in
from tests.coach.random_training import athletes, situations
from tests.profiles import count, examples, randomized

WINDOWS = usual_windows()
PROPOSED = as_proposed(WINDOWS)


def pick_from(block: BlockWindow, number: Callable[[int, int], int]) -> Pick:
    """Return a pick of the window; `number` returns a number between two."""
    sets = number(block.least_sets, block.most_sets)
    loads = block.loads_kg
    load = loads[number(0, len(loads) - 1)] if loads else None
    places = range(sets) if block.counts else ()
    return Pick(load, tuple(number(*block.range_at(at)) for at in places), sets)


def any_plan(
    windows: PlanWindows, number: Callable[[int, int], int]
) -> tuple[Plan, RoutineContext]:
    """A plan of any choice in the windows, with the routine that it arranges."""
    places: list[tuple[SlotPrescription, ...]] = [(slot,) for slot in windows.plan.slots]
    exchanged: dict[int, SlotContext] = {}
    taken: set[str] = set()
    for window in windows.slots:
        exercise = window.exercises[number(0, len(window.exercises) - 1)]
        if exercise.option.is_swap and exercise.option.slot.exercise_template_id in taken:
            exercise = window.own
        taken.add(exercise.option.slot.exercise_template_id)
        picks = [pick_from(each, number) for each in exercise.blocks]
        places[window.number - 1] = in_place(window.own.option, exercise.option, picks)
        exchanged[window.number - 1] = exercise.option.slot
    movable = [window.number - 1 for window in windows.slots if window.is_movable]
    turned = [*movable[1:], *movable[:1]]
    moved = list(places)
    for place, other in zip(movable, turned, strict=True):
        moved[place] = places[other]
    plan = chosen(windows.plan, moved, windows.engine_input.background)
    return plan, arrange_routine(windows.routine, plan, exchanged)


@examples(150, derandomize=True)
@given(situations(), athletes(), st.data())
def test_all_that_can_be_chosen_passes_the_guardrails(
    situation: Situation, athlete: AthleteProfile, data: st.DataObject
) -> None:
    decision = decide(situation, athlete)
    if decision is None:
        return
    windows = plan_windows(situation, athlete, decision)

    def drawn(low: int, high: int) -> int:
        return data.draw(st.integers(low, high))

    for number in (drawn, drawn, drawn, min, max):
        plan, as_arranged = any_plan(windows, number)
        assert violations(plan, as_arranged, athlete, windows.today) == ()


@randomized
@pytest.mark.skipif(not LOGS.exists(), reason="the real training logs are not here")
@pytest.mark.parametrize(
    "log",
    # The first one is the longest.
    [pytest.param(LOG_FILES[0], marks=pytest.mark.long), *LOG_FILES[1:]],
    ids=lambda log: log.name,
)
def test_all_that_can_be_chosen_on_past_days_passes_the_guardrails(log: Log) -> None:
    """The corners of each window; a day's routine has what was done before it."""
    sessions = sessions_in(log)
    found: Counter[str] = Counter()
    for day in past_days(sessions, "ranged", evenly(len(sessions), count(quick=2, thorough=25))):
        athlete = day.profile(log.unit)
        decision = decide(day.situation, athlete)
        if decision is None:
            continue
        windows = plan_windows(day.situation, athlete, decision)
        for number in (min, max):
            plan, as_arranged = any_plan(windows, number)
            assert violations(plan, as_arranged, athlete, windows.today) == ()
        blocks = [each for window in windows.slots for each in window.own.blocks]
        found["blocks"] += len(blocks)
        found["free"] += sum(not each.is_exact for each in blocks)
    assert found["blocks"] > found["free"] > 0


def proposals(windows: PlanWindows) -> list[tuple[Any, ...]]:
    return [
        tuple((each.loads_kg, each.counts, each.least_sets, each.most_sets) for each in own.blocks)
        for own in (window.own for window in windows.slots)
    ]


def test_a_day_that_went_well_may_be_lighter_heavier_shorter_and_longer() -> None:
    """Bench: what was done last, or the proposal; the next load needs what was not shown yet."""
    bench, row, pull_up, curl, _, plank = proposals(WINDOWS)
    assert bench == (((100.0, 102.5), ((5, 5),) * 4, 3, 5),)
    assert row == (((77.5, 80.0, 82.5), ((8, 10), (6, 9), (6, 9)), 2, 4),)
    assert pull_up == (((), ((7, 10), (6, 9), (6, 9)), 2, 4),)
    assert curl == (((14.0, 16.0), ((8, 9),) * 3, 2, 4),)
    assert plank == (((), ((55, 70),) * 2, 1, 3),)


@pytest.mark.parametrize("level", ["mild", "moderate"])
def test_pain_takes_away_what_is_more_than_proposed(level: str) -> None:
    windows = usual_windows(hurting("elbow", level))
    curl = windows.slots[CURL_SLOT].own.blocks[0]
    is_held = level == "moderate"
    assert (curl.loads_kg[-1] == curl.proposed.load_kg) is True
    assert (curl.most_sets == curl.proposed.sets) is is_held
    assert all((high == count) is is_held for (_, high), count in _pairs(curl))


def _pairs(window: BlockWindow) -> list[tuple[tuple[int, int], int]]:
    return list(zip(window.counts, window.proposed.counts, strict=True))


@pytest.mark.parametrize(
    "said",
    [{"energy": 2}, {"energy": 1}, {"deload": ["all"]}],
    ids=["tired", "very tired", "deload"],
)
def test_a_day_that_holds_back_offers_nothing_above_the_proposal(said: dict[str, Any]) -> None:
    told = CheckIn.model_validate({"checked_in_at": NOW, **said}, strict=False)
    windows = usual_windows(usual_situation(check_ins=(told,), latest_check_in=told))
    for window in windows.slots:
        for each in window.own.blocks:
            assert not each.loads_kg or each.loads_kg[-1] == each.proposed.load_kg
            assert all(high == count for (_, high), count in _pairs(each))
            assert each.most_sets == each.proposed.sets


def test_a_lift_that_stands_still_is_offered_no_more_load() -> None:
    stalled = LiftTrend(
        verdict="stalled", slope_pct=0.0, upper_pct=0.1, exposure_count=8, mean_reps=10.0
    )
    windows = usual_windows(usual_situation(upper(trend=stalled), other_day()))
    (bench,) = windows.slots[BENCH_SLOT].own.blocks
    assert max(bench.loads_kg) == bench.proposed.load_kg


def test_a_programme_stays_as_it_is() -> None:
    athlete = usual_athlete(exercises={BENCH["exercise_title"]: {"model": "stages"}})
    bench = usual_windows(athlete=athlete).slots[BENCH_SLOT].own
    assert all(each.is_exact for each in bench.blocks)


def test_a_slot_without_a_choice_is_answered_without_blocks() -> None:
    windows = usual_windows(may_change="never")
    answer = as_proposed(windows)
    for each in answer["slots"]:
        each["blocks"] = []
    plan = plan_of(answer, windows)
    assert [slot.sets for slot in plan.slots] == [slot.sets for slot in windows.plan.slots]
    assert "blocks: given 0" in _feedback(answer, WINDOWS)[0]


def test_a_session_that_has_its_time_gets_no_added_sets() -> None:
    windows = usual_windows(athlete=usual_athlete(session_minutes=240))
    assert all(
        each.most_sets == each.proposed.sets
        for window in windows.slots
        for each in window.own.blocks
    )


def test_loads_of_a_gym_in_pounds_are_told_and_answered_in_pounds() -> None:
    kg = 135 * KILOGRAMS_PER_POUND
    sets = fixed(3, kg, 5)
    context = routine(slot(BENCH, sets, [exposure([(kg, 5)] * 3, sets, days_ago=2)]))
    athlete = usual_athlete(equipment={"unit": "lb"}, routines=["Upper A"])
    windows = usual_windows(usual_situation(context), athlete)
    (bench,) = windows.slots[0].own.blocks
    assert [round(each / KILOGRAMS_PER_POUND, 2) for each in bench.loads_kg] == [135.0, 140.0]
    answer = {
        **PROPOSED,
        "summary": "Bench press at 140 lb for 5. That is bench press at 140 kg.",
        "slots": [
            {
                "slot": 1,
                "exercise": BENCH["exercise_template_id"],
                "blocks": [{"load": 140.0, "sets": 3, "reps": [5, 5, 5]}],
                "facts": ["planned"],
            }
        ],
    }
    plan = plan_of(answer, windows)
    assert plan.slots[0].sets[0].weight_kg == pytest.approx(140 * KILOGRAMS_PER_POUND)
    assert plan.slots[0].note == "Today 140 lb × 5, 5, 5."
    assert plan.words is not None
    assert plan.words.summary == (
        "Bench Press (Barbell): Today 140 lb × 5, 5, 5. 5 lb more than last time."
    )
    answer["slots"][0]["blocks"][0]["load"] = 63.5  # type: ignore[index]
    assert "given 63.5 lb; allowed: 135, 140 lb" in _feedback(answer, windows)[0]


def _feedback(answer: dict[str, Any], windows: PlanWindows) -> tuple[str, ...]:
    return broken_rules(PlanAnswer.model_validate(answer), windows)


# What a choice becomes.


def test_a_lighter_load_is_told_with_its_warm_ups_and_where_it_goes() -> None:
    plan = plan_of(changed(PROPOSED, block(BENCH_SLOT, load=100.0)), WINDOWS)
    bench, proposed = plan.slots[BENCH_SLOT], WINDOWS.plan.slots[BENCH_SLOT]
    assert [each.weight_kg for each in bench.sets] == [60.0, 80.0, *[100.0] * 4]
    assert (bench.direction, proposed.direction) == ("same", "up")
    (told,) = bench.adjustments
    assert told.text == "Chosen by the coach: 100 kg instead of 102.5 kg."
    assert bench.reason == proposed.reason
    assert reasons(bench, "kg")[-1].startswith("Without that: All 4 sets")
    assert bench.whole_sets == ()
    assert plan.summary != WINDOWS.plan.summary
    assert plan.decided_by == "fake:model"


def test_a_choice_and_the_reasons_of_a_stand_in_are_in_the_athletes_language() -> None:
    swap = {BENCH["exercise_title"]: [INCLINE["exercise_title"]]}
    windows = swapping(preferences={"swap": swap, "language": "de"})
    plan = plan_of(changed(as_proposed(windows), block(BENCH_SLOT, load=100.0)), windows, "de")
    (told,) = plan.slots[BENCH_SLOT].adjustments
    assert told.text == "Vom Coach gewählt: 100 kg statt 102,5 kg."
    stand_in = windows.slots[BENCH_SLOT].exercises[1].option.proposal
    assert "Wdh." in stand_in.reason


def test_a_set_less_is_remembered_and_comes_back() -> None:
    plan = plan_of(changed(PROPOSED, block(ROW_SLOT, sets=2, reps=[10, 8])), WINDOWS)
    row = plan.slots[ROW_SLOT]
    assert (len(row.sets), len(row.whole_sets), len(row.predictions)) == (2, 3, 2)
    assert _next_routine(plan) == [len(slot.planned_sets) for slot in WINDOWS.routine.slots]


def test_an_added_set_is_like_the_last_one_and_goes_again() -> None:
    longer = changed(PROPOSED, block(ROW_SLOT, sets=4, reps=[10, 8, 8, 6]))
    plan = plan_of(longer, WINDOWS)
    row = plan.slots[ROW_SLOT]
    assert [(each.weight_kg, each.reps) for each in row.sets] == [
        *((80.0, reps) for reps in (10, 8, 8, 6))
    ]
    assert [each.set_index for each in row.sets] == [0, 1, 2, 3]
    assert (row.sets[3].rep_range_start, row.sets[3].rep_range_end) == (6, 10)
    assert len(row.whole_sets) == 3
    assert plan.minutes is not None
    assert WINDOWS.plan.minutes is not None
    assert plan.minutes.minutes > WINDOWS.plan.minutes.minutes
    assert _next_routine(plan) == [len(slot.planned_sets) for slot in WINDOWS.routine.slots]


def _next_routine(plan: Plan) -> list[int]:
    """Return the number of sets of each exercise for the next decision, with the plan in the
    routine.
    """
    written = applied(plan, WINDOWS.routine)
    return [len(slot.planned_sets) for slot in restore_routine(written, [plan]).slots]


def test_accessories_change_places_and_the_guardrails_know_the_order() -> None:
    answer = changed(PROPOSED, top(order=[1, 2, 3, 5, 4, 6]))
    plan = plan_of(answer, WINDOWS)
    assert [slot.exercise_title for slot in plan.slots][3:5] == [
        "Lateral Raise (Dumbbell)",
        "Bicep Curl (Dumbbell)",
    ]
    assert [(slot.exercise_index, slot.moved_from) for slot in plan.slots] == [
        *((0, None), (1, None), (2, None), (3, 4), (4, 3), (5, None))
    ]
    assert violations(plan, WINDOWS.routine, WINDOWS.profile, WINDOWS.today) != ()
    as_arranged = arrange_routine(WINDOWS.routine, plan, {})
    assert violations(plan, as_arranged, WINDOWS.profile, WINDOWS.today) == ()


def test_the_first_exercise_and_supersets_stay_in_their_places() -> None:
    slots = [
        each.model_copy(update={"superset_id": 1 if at in {CURL_SLOT, RAISE_SLOT} else None})
        for at, each in enumerate(upper().slots)
    ]
    windows = usual_windows(usual_situation(routine(*slots), other_day()))
    assert [window.number - 1 for window in windows.slots if window.is_movable] == [
        ROW_SLOT,
        PULL_UP_SLOT,
        PLANK_SLOT,
    ]


def swapping(**values: Any) -> PlanWindows:
    return usual_windows(athlete=usual_athlete(**values))


def test_what_is_avoided_may_be_exchanged_for_an_exercise_of_the_same_muscle() -> None:
    windows = swapping(avoid=[BENCH["exercise_title"]])
    own, other = windows.slots[BENCH_SLOT].exercises
    assert own.blocks == ()
    assert other.option.slot.exercise_title == INCLINE["exercise_title"]
    answer = as_proposed(windows)
    assert answer["slots"][BENCH_SLOT]["blocks"] == []
    out = plan_of(answer, windows)
    assert out.slots[BENCH_SLOT].is_left_out
    (window,) = other.blocks
    incline = {
        "exercise": INCLINE["exercise_template_id"],
        "blocks": [
            {
                "load": window.proposed.load_kg,
                "sets": window.proposed.sets,
                "reps": list(window.proposed.counts),
            }
        ],
        "reason": "stands_in",
        "facts": ["planned"],
    }
    plan = plan_of(changed(answer, slot_values(BENCH_SLOT, **incline)), windows)
    bench, first, row = plan.slots[:3]
    assert bench.is_left_out
    assert first.exercise_title == INCLINE["exercise_title"]
    assert first.replaces is not None
    assert first.replaces.exercise_title == BENCH["exercise_title"]
    assert [each.weight_kg for each in first.sets] == [30.0] * 3
    told = "In today for Bench Press (Barbell). Same form on every rep. Today 30 kg × 11, 10, 10."
    assert (bench.note, first.note) == (None, told)
    places = [(each.exercise_index, each.moved_from) for each in (bench, first, row)]
    assert places == [(0, None), (1, 0), (2, 1)]
    too_heavy = changed(answer, slot_values(BENCH_SLOT, **incline))
    too_heavy["slots"][BENCH_SLOT]["blocks"][0]["load"] = 50.0
    assert "slot 1: load: given 50 kg" in _feedback(too_heavy, windows)[0]


def test_what_stood_in_goes_again_and_the_exercise_comes_back() -> None:
    """After the plan is in the routine, as the next decision finds it there."""
    windows = swapping(preferences={"swap": {BENCH["exercise_title"]: [INCLINE["exercise_title"]]}})
    answer = as_proposed(windows)
    (window,) = windows.slots[BENCH_SLOT].exercises[1].blocks
    picked = window.proposed
    told = {"load": picked.load_kg, "sets": picked.sets, "reps": list(picked.counts)}
    slot_values(BENCH_SLOT, exercise=INCLINE["exercise_template_id"], blocks=[told])(answer)
    plan = plan_of(answer, windows)
    assert plan.slots[0].adjustments[0].text == (
        "Left out: the coach has Incline Bench Press (Dumbbell) for it today."
    )
    incline = other_day().slots[0]
    there = [
        (incline if each.replaces else windows.routine.slots[(each.moved_from or 0)]).model_copy(
            update={"planned_sets": each.sets, "rest_s": each.rest_s}
        )
        for each in plan.slots
        if each.sets
    ]
    written = routine(*there).model_copy(update={"left_out": (windows.routine.slots[0],)})
    again = restore_routine(written, [plan])
    assert [slot.exercise_title for slot in again.slots] == [
        slot.exercise_title for slot in windows.routine.slots
    ]
    assert [len(slot.planned_sets) for slot in again.slots] == [
        len(slot.planned_sets) for slot in windows.routine.slots
    ]


def test_an_exchange_that_the_athlete_names_needs_no_other_reason() -> None:
    wish = {"preferences": {"swap": {BENCH["exercise_title"]: [INCLINE["exercise_title"]]}}}
    assert len(swapping(**wish).slots[BENCH_SLOT].exercises) == 2
    assert len(WINDOWS.slots[BENCH_SLOT].exercises) == 1


@pytest.mark.parametrize(
    "reason",
    [
        {"pain": {"shoulder": "severe"}},
        {"avoid": [BENCH["exercise_title"], "Incline Bench Press (Dumbbell)"]},
    ],
    ids=["it hurts as well", "it is avoided as well"],
)
def test_what_hurts_or_is_avoided_stands_in_for_nothing(reason: dict[str, Any]) -> None:
    windows = swapping(**reason)
    bench = [each for each in windows.slots if each.number == BENCH_SLOT + 1]
    assert all(len(each.exercises) == 1 for each in bench)


def test_two_places_never_get_the_same_exercise() -> None:
    wish = {
        each: [INCLINE["exercise_title"]]
        for each in (BENCH["exercise_title"], "Bent Over Row (Barbell)")
    }
    windows = swapping(preferences={"swap": wish})
    answer = as_proposed(windows)
    for at in (BENCH_SLOT, ROW_SLOT):
        (window,) = windows.slots[at].exercises[1].blocks
        picked = window.proposed
        told = {"load": picked.load_kg, "sets": picked.sets, "reps": list(picked.counts)}
        slot_values(at, exercise=INCLINE["exercise_template_id"], blocks=[told])(answer)
    found = _feedback(answer, windows)
    assert len(found) == 2
    assert all("in several slots; allowed: one of them" in each for each in found)


def test_full_weeks_leave_no_room_for_added_sets() -> None:
    def told(sets: float) -> Situation:
        weeks = [
            MuscleWeek(muscle_group="chest", week_start=date(2026, 2, day), sets=8.0)
            for day in (2, 9, 16, 23)
        ]
        now = MuscleWeek(muscle_group="chest", week_start=date(2026, 3, 2), sets=sets)
        return usual_situation(weekly_sets=(*weeks, now))

    def most(window: SlotWindow) -> int:
        return window.own.blocks[0].most_sets

    assert most(usual_windows(told(4.0)).slots[BENCH_SLOT]) == 5
    assert most(usual_windows(told(5.0)).slots[BENCH_SLOT]) == 4
