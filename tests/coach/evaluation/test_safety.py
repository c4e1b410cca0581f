"""The hard limits: a sound plan keeps them, and each kind of fault is found."""

from typing import Any

import pytest

from coach_agent.domain.context import SlotContext
from coach_agent.domain.plan import Adjustment, SetPrescription, SlotPrescription
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.evaluation.safety import (
    BREACH,
    STOPPED,
    increases,
    infeasible_loads,
    jumps,
    mistyped_loads,
    safety_of,
    vanished_changes,
)
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.planning.guardrails import GuardrailError, Violation
from coach_agent.profile.equipment import Equipment
from coach_agent.profile.model import AthleteProfile, Rules
from coach_agent.situation.situation import Situation
from tests.coach.builders import (
    BENCH,
    CURL,
    PULL_UP,
    exposure,
    fixed,
    planned,
    prescribe_slot,
    ranged,
    slot,
)
from tests.coach.evaluation.logs import BENCH as BENCH_TITLE
from tests.coach.evaluation.logs import log, workout

DONE = [exposure([(100, 5)] * 3, days_ago=7), exposure([(97.5, 5)] * 3, days_ago=14)]


def context(sets: list[dict[str, Any]] | None = None, **fields: Any) -> SlotContext:
    return slot(BENCH, sets or fixed(3, 100, 5), fields.get("exposures", DONE))


def altered(*sets: tuple[float, int], **fields: Any) -> SlotPrescription:
    """A plan with these loads and repetitions instead of the engine's."""
    sound = prescribe_slot(context(), Rules())
    told: tuple[SetPrescription, ...] = planned(
        *({"weight_kg": kg, "reps": reps} for kg, reps in sets)
    )
    return sound.model_copy(update={"sets": told, **fields})


def test_what_the_engine_prescribes_keeps_every_limit() -> None:
    sound = prescribe_slot(context(), Rules())
    assert sound.direction == "up"
    assert list(jumps(sound, context(), Rules())) == []
    assert list(infeasible_loads(sound, context(), Rules())) == []
    assert list(vanished_changes(sound, context(), Rules())) == []


@pytest.mark.parametrize(
    ("kg", "count"), [(102.5, 0), (105, 0), (107.5, 1)], ids=["a step", "5 %", "more"]
)
def test_a_jump_is_more_than_a_step_and_5_percent_above_the_best(kg: float, count: int) -> None:
    assert len(list(jumps(altered((kg, 5)), context(), Rules()))) == count


@pytest.mark.parametrize(
    ("body_kg", "kg", "count"),
    [(60, 24, 0), (60, 25, 1), (None, 24.5, 0), (None, 25, 1), (120, 27, 0), (120, 27.5, 1)],
)
def test_a_jump_of_an_added_load_depends_on_the_body(
    body_kg: float | None, kg: float, count: int
) -> None:
    """After 20 kg, 5 % of 80, 90 and 140 kg allow 24, 24.5 and 27 kg; plates allow 21.25."""
    dip = {**PULL_UP, "exercise_type": WEIGHTED}
    given = slot(dip, fixed(1, 20, 5), [exposure([(20, 5)])])
    assert len(list(jumps(altered((kg, 5)), given, Rules(body_kg=body_kg)))) == count


@pytest.mark.parametrize(
    ("body_kg", "kg", "count"), [(60, 35, 0), (60, 34, 1), (180, 33, 0), (180, 32, 1)]
)
def test_a_jump_of_assistance_depends_on_the_body(body_kg: float, kg: float, count: int) -> None:
    """After 40 kg of assistance, 5 % of 140 kg moved allow 33 kg; of 20 kg, a step of 5 kg."""
    given = slot({**PULL_UP, "exercise_type": ASSISTED}, fixed(1, 40, 5), [exposure([(40, 5)])])
    assert len(list(jumps(altered((kg, 5)), given, Rules(body_kg=body_kg)))) == count


def test_a_single_step_may_be_more_than_5_percent() -> None:
    """Dumbbells of 10 and 12 kg; 14 would be two steps."""
    curl = slot(CURL, fixed(1, 10, 8), [exposure([(10, 8)])])
    for kg, count in ((12, 0), (14, 1)):
        assert len(list(jumps(altered((kg, 8)), curl, Rules()))) == count


@pytest.mark.parametrize(
    ("routine_kg", "kg", "count"),
    [(60, 162.5, 0), (60, 165, 1), (None, 165, 1), (110, 165, 0), (None, None, 0)],
    ids=["a step above", "far above", "none in the routine", "as in the routine", "no load"],
)
def test_a_load_that_one_day_alone_speaks_for_is_found(
    routine_kg: float | None, kg: float | None, count: int
) -> None:
    """The other days had 105 and 95 kg: 100 is usual, 160 still near it, and 162.5 a step more."""
    history = [exposure([(done, 5)], days_ago=each) for each, done in ((1, 105), (4, 1e3), (7, 95))]
    given = context(fixed(1, routine_kg, 5), exposures=history)
    told = altered().model_copy(update={"sets": planned({"weight_kg": kg, "reps": 5})})
    assert len(list(mistyped_loads(told, given, Rules()))) == count


def test_on_one_day_alone_no_load_is_far_from_the_others() -> None:
    given = context(fixed(1, 60, 5), exposures=[exposure([(60, 5), (600, 5)])])
    assert list(mistyped_loads(altered((600, 5)), given, Rules())) == []


def test_a_load_that_no_plates_make_is_found() -> None:
    assert list(infeasible_loads(altered((102.5, 5)), context(), Rules())) == []
    assert len(list(infeasible_loads(altered((101.3, 5)), context(), Rules()))) == 1
    # Sets already in the routine were not decided.
    assert list(infeasible_loads(altered((101.3, 5)), context(fixed(1, 101.3, 5)), Rules())) == []


def test_an_increase_that_became_nothing_is_found() -> None:
    vanished = altered((100, 5), (100, 5), (100, 5), direction="up")
    assert len(list(vanished_changes(vanished, context(), Rules()))) == 1
    assert list(vanished_changes(altered((100, 6), direction="up"), context(), Rules())) == []


@pytest.mark.parametrize(
    ("sets", "count"),
    [
        ([(90, 5)] * 3, 0),
        ([(100, 5)] * 2, 0),
        ([(100, 4)] * 3, 0),
        ([(100, 5)] * 3, 1),
        ([(102.5, 5)] * 3, 1),
    ],
    ids=["lighter", "shorter", "fewer", "nothing", "more"],
)
def test_a_reduction_that_became_nothing_or_more_is_found(
    sets: list[tuple[float, int]], count: int
) -> None:
    layoff = (Adjustment(rule="layoff", text="Back."),)
    down, eased = altered(*sets, direction="down"), altered(*sets, adjustments=layoff)
    assert len(list(vanished_changes(down, context(), Rules()))) == count
    assert len(list(vanished_changes(eased, context(), Rules()))) == count


@pytest.mark.parametrize(
    ("sets", "count"),
    [
        (fixed(1, 20, 18), 0),
        (fixed(2, 20, 18), 1),
        (fixed(1, 22.5, 18), 1),
        ([{**ranged(1, 20, 8, 12)[0], "reps": 10}], 1),
        ([{**ranged(1, 20, 8, 12)[0], "reps": 8}], 0),
    ],
    ids=["empty bar", "two sets", "a plate", "amid the range", "at its lower end"],
)
def test_nothing_can_be_off_a_single_set_with_the_empty_bar(
    sets: list[dict[str, Any]], count: int
) -> None:
    """A curl of 18 with the bar in a deload: E10 forbids fewer, and no bar is lighter."""
    at_the_bottom = slot(BENCH, sets, [exposure([(20, 8)])])
    deload = (Adjustment(rule="deload_stalls", text="Easy."),)
    as_it_was = altered().model_copy(update={"sets": planned(*sets), "adjustments": deload})
    assert len(list(vanished_changes(as_it_was, at_the_bottom, Rules()))) == count
    heavier = planned(*({**each, "weight_kg": 30} for each in sets))
    more = as_it_was.model_copy(update={"sets": heavier})
    assert len(list(vanished_changes(more, at_the_bottom, Rules()))) == 1


def test_more_than_the_last_time_is_an_increase() -> None:
    assert list(increases(altered((100, 5), (97.5, 8), (100.2, 5)), context())) == []
    assert len(list(increases(altered((100, 6), (102.5, 3), (100, 5)), context()))) == 2


def test_to_repeat_a_missed_goal_is_no_increase() -> None:
    """The last workout is not the routine's: it missed its repetitions."""
    missed = exposure([(100, 5), (100, 4), (100, 3)], days_ago=3)
    after = context(exposures=[missed, *DONE]).model_copy(
        update={"last_trained_at": missed.started_at}
    )
    assert list(increases(altered((100, 5), (100, 5), (100, 5)), after)) == []
    assert len(list(increases(altered((100, 6), (100, 5), (102.5, 3)), after))) == 2


def test_a_single_set_without_a_load_near_the_cut_may_stay() -> None:
    """Of dumbbells of 5 and 7.5 kg the lighter one is a third less."""
    rules = Rules(equipment=Equipment(dumbbells_kg=(5, 7.5, 10, 36, 40)))
    sets = fixed(1, 7.5, 1)
    light = slot(CURL, sets, [exposure([(7.5, 1)], sets, days_ago=30)])
    eased = {"adjustments": (Adjustment(rule="layoff", text="5 weeks off."),)}
    sound = prescribe_slot(light, rules)
    same = sound.model_copy(update={"sets": planned(*sets), "direction": "same", **eased})
    assert list(vanished_changes(same, light, rules)) == []
    heavy_sets = fixed(1, 40, 1)
    heavy = slot(CURL, heavy_sets, [exposure([(40, 1)], heavy_sets, days_ago=30)])
    kept = sound.model_copy(update={"sets": planned(*heavy_sets), "direction": "same", **eased})
    assert len(list(vanished_changes(kept, heavy, rules))) == 1


def test_a_load_that_was_not_noted_is_not_no_load() -> None:
    """For a bench press without a load the last one with a load counts: 100 kg, and no more."""
    forgotten = exposure([(None, 5)] * 3, days_ago=3)
    known = context(fixed(3, None, 5), exposures=[forgotten, *DONE])
    assert list(increases(altered((100, 5)), known)) == []
    assert len(list(increases(altered((102.5, 5)), known))) == 1
    with_body = slot(PULL_UP, fixed(1, None, 8), [exposure([(5, 8)])])
    assert len(list(increases(altered((5, 8)), with_body))) == 1


def test_a_plan_that_a_guardrail_stops_is_counted_and_ends_nothing() -> None:
    """Every plan breaks a limit here, for three states of each of nine days."""

    def stopped(situation: Situation, profile: AthleteProfile) -> Decision | None:
        raise GuardrailError((Violation("jump", "60 kg is too heavy"),))

    weekly = [workout(7 * week, {BENCH_TITLE: [(60 + week, 5)] * 3}) for week in range(10)]
    found = safety_of(log(*weekly), coach=stopped)
    assert found.violations[STOPPED] == 27
    assert (found.day_count, found.set_count) == (0, 0)
    assert "60 kg is too heavy" in found.examples[STOPPED]


def test_past_days_are_planned_from_what_was_known_then() -> None:
    """Ten sessions: nine have one before them, and each plan has three sets."""
    weekly = [workout(7 * week, {BENCH_TITLE: [(60 + week, 5)] * 3}) for week in range(10)]
    found = safety_of(log(*weekly))
    assert (found.day_count, found.set_count) == (9, 27)
    assert set(found.violations.values()) == {0}
    assert found.answered_count > 0
    assert safety_of(log(*weekly), most=3).day_count == 3


def test_the_same_days_are_planned_again_for_who_feels_low_or_hurts() -> None:
    """Ten times 80 kg. A coach that ignores the check-in goes up: three sets with low readiness,
    and as many with pain. After 20 kg once, taken for an error, nothing is heavier than 80 kg.
    """

    def deaf(situation: Situation, profile: AthleteProfile) -> Decision | None:
        return decide(situation.model_copy(update={"latest_check_in": None}), profile)

    usual = [workout(3 * week, {BENCH_TITLE: [(80, 5)] * 3}) for week in range(10)]
    light = workout(30, {BENCH_TITLE: [(20, 5)] * 3})
    today = workout(33, {BENCH_TITLE: [(80, 5)] * 3})
    assert safety_of(log(*usual, light, today)).violations[BREACH] == 0
    told = log(*usual, today)
    assert safety_of(told).violations[BREACH] == 0
    assert safety_of(told, most=1).day_count == 1
    assert safety_of(told, most=1, coach=deaf).violations[BREACH] == 6


@pytest.mark.parametrize(
    ("half", "count"),
    [((100, None), 0), ((None, 5), 0), ((100, 5), 1)],
    ids=["no repetitions", "no load", "whole"],
)
def test_a_set_that_was_noted_in_part_tells_nothing_of_a_change(
    half: tuple[float | None, int | None], count: int
) -> None:
    sets = [{"weight_kg": half[0], "reps": half[1]}]
    same = altered().model_copy(update={"sets": planned(*sets), "direction": "up"})
    assert len(list(vanished_changes(same, context(sets), Rules()))) == count
