"""Predictions of a set. Examples are computed by hand, properties hold for any history."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coach_agent.domain.context import Slot, SlotContext
from coach_agent.engine.duration import TimedSet, session_minutes
from coach_agent.engine.engine import build_input, prescribe
from coach_agent.engine.forecast.accuracy import Accuracy, Outcome, accuracy_of
from coach_agent.engine.forecast.own_forecasts import own_accuracy
from coach_agent.engine.forecast.reps import (
    Prediction,
    SetSeries,
    predict,
    predictions,
    series_of,
)
from coach_agent.engine.history.alternation import kinds_of
from coach_agent.engine.limits.conditions import Background
from coach_agent.engine.limits.rest import kind_of, rest_s
from coach_agent.profile.custom_steps import OwnStep
from hevy_connector.exercise_templates import built_in_templates
from tests.coach.builders import (
    BENCH,
    CURL,
    PLANK,
    PULL_UP,
    Done,
    exposure,
    exposure_set,
    fixed,
    planned,
    prescribe_slot,
    ranged,
    routine,
    rules,
    slot,
    timed_exposure,
)

WEIGHTED_DIP = {**PULL_UP, "exercise_type": "bodyweight_weighted", "exercise_title": "Dip"}
CARRY = {**CURL, "exercise_title": "Carry", "exercise_type": "short_distance_weight"}
FIVES = fixed(3, 100, 5)
NOTHING_OWN = Accuracy()
SURE = Accuracy(count=300, half_width=0.1, level=0.0, slope=1.0)


def series(exercise: dict[str, str], *workouts: Sequence[Done], sets: int = 3) -> SetSeries:
    """The workouts, newest first, as attempts at as many working sets."""
    found = slot(exercise, fixed(sets, 100, 5), [exposure(done) for done in workouts])
    return series_of(found, found.exposures, range(sets))


def of(
    past: SetSeries,
    load: float | None,
    target: int | None,
    *,
    place: int = 0,
    accuracy: Accuracy = NOTHING_OWN,
) -> Prediction:
    prediction = predict(past, place, load, target, accuracy)
    assert prediction is not None
    return prediction


def test_the_same_load_is_expected_to_go_as_last_time() -> None:
    past = series(BENCH, [(100, 8)], [(100, 6)], [(100, 6)], sets=1)
    assert of(past, 100, None).reps == 8
    assert of(past, 100.2, None).reps == 8


def test_another_load_is_expected_to_go_as_loads_like_it_went() -> None:
    """Heavy fives and light tens in turn: the last one is no evidence for the other kind."""
    past = series(BENCH, *[[(100, 5)], [(80, 10)]] * 2, [(100, 5)], sets=1)
    assert of(past, 80, None).reps == 10
    assert of(past, 81, None).reps == 10
    assert of(past, 100, None).reps == of(past, 101, None).reps == 5


def test_a_single_time_with_a_like_load_is_outvoted_by_several_near_it() -> None:
    """At 102 kg: 12 once with 102, newest but one, and 8 with 100 four times.

    Weights are e^-0.2 = 0.82 for the twelve and for the eights e^-0.495 = 0.61 times 1, 0.67, 0.55
    and 0.45, together 1.63.
    """
    past = series(BENCH, [(100, 8)], [(102, 12)], *[[(100, 8)]] * 3, sets=1)
    assert of(past, 102, None).reps == 8


def test_with_more_load_no_more_is_expected_than_the_last_time_and_with_less_no_fewer() -> None:
    tired = series(BENCH, [(100, 5)], *[[(105, 8)]] * 4, sets=1)
    assert of(tired, 105, None).reps == 5
    fresh = series(BENCH, [(100, 8)], *[[(95, 5)]] * 4, sets=1)
    assert of(fresh, 95, None).reps == 8


def test_who_keeps_the_range_and_changes_the_load_is_expected_to_do_so() -> None:
    past = series(BENCH, *([(60 + 5 * (at * 7 % 5), 8)] for at in range(5)), sets=1)
    assert [of(past, load, None).reps for load in (50, 70, 95)] == [8, 8, 8]


def test_no_maximum_is_expected_that_would_be_taken_for_a_typing_error() -> None:
    """8 reps with 100 kg: 126.67 kg, 1.6 times that are 202.67; with 190 kg 2 repetitions."""
    past = series(BENCH, [(100, 8)], sets=1)
    assert of(past, 130, None).reps == 8
    assert of(past, 190, None).reps == 2
    assert of(past, 203, None).reps == 0.5


def test_a_target_that_lately_was_within_reach_is_expected() -> None:
    """With 80 kg, 35 x 100 / 80 - 30 = 13.75 repetitions are in reach of 5 with 100."""
    past = series(BENCH, [(100, 5)], sets=1)
    assert of(past, 80, None).reps == 5
    assert of(past, 80, 12).reps == 12
    assert of(past, 80, 15).reps == 14
    bad_day = series(BENCH, [(100, 4)], [(100, 5)], [(100, 5)], [(100, 7)], sets=1)
    assert of(bad_day, 100, None).reps == 4
    assert of(bad_day, 100, 5).reps == of(bad_day, 100, 6).reps == 5


def test_later_sets_of_which_nothing_is_known_drop_off_as_measured() -> None:
    past = series(CURL, [(20, 10)])
    assert [of(past, 20, None, place=place).reps for place in range(3)] == [10, 10, 9]


def test_each_set_is_expected_to_go_as_the_same_set_went() -> None:
    past = series(CURL, [(20, 12), (20, 10), (20, 7)])
    assert [of(past, 20, None, place=place).reps for place in range(3)] == [12, 10, 7]


def test_of_a_stated_reserve_half_is_within_reach_of_a_target() -> None:
    """5 at RPE 8 leave 2, of which one is believed; without a target 5 are logged again."""
    rated = series(BENCH, [(100, 5, 8)], sets=1)
    assert [of(rated, 100, target).reps for target in (None, 5, 6, 7)] == [5, 5, 6, 6]
    assert of(series(BENCH, [(100, 5)], sets=1), 100, 6).reps == 5


def test_c1_without_own_forecasts_those_of_all_lifters_stand_in_and_no_chance_is_stated() -> None:
    found = of(series(BENCH, [(100, 10)], sets=1), 100, 10)
    assert (found.low, found.high) == pytest.approx((10 / math.exp(0.2), 10 * math.exp(0.2)))
    assert found.n == 0
    assert found.p_success is None


def test_own_forecasts_give_interval_and_probability() -> None:
    """Ten of ten: log(9.5 / 10) = -0.0513; asinh(0.513) is 0.4926, and 0.5 more for the step."""
    found = of(series(BENCH, [(100, 10)], sets=1), 100, 10, accuracy=SURE)
    assert (found.low, found.high) == pytest.approx((10 / math.exp(0.1), 10 * math.exp(0.1)))
    assert found.p_success == pytest.approx(0.02 + 0.96 / (1 + math.exp(-0.9926)), abs=1e-3)
    assert found.n == 300


def outcome(done: int, expected: float, target: int) -> Outcome:
    return Outcome(math.log(done / expected), math.log((target - 0.5) / expected), done >= target)


def test_the_interval_is_as_wide_as_four_of_five_own_errors_and_20_of_all_lifters() -> None:
    """Of 20 errors the 17th in size is 0.1: half of that and half of 0.2; of 300 nearly its own."""
    one_in_ten = [Outcome(error, None, True) for error in (*[0.0] * 15, 0.1, -0.1, *[-0.3] * 3)]
    assert accuracy_of(one_in_ten).half_width == pytest.approx(0.15)
    assert accuracy_of(one_in_ten * 15).half_width == pytest.approx((300 * 0.1 + 4) / 320, abs=1e-3)
    assert accuracy_of(one_in_ten[1:]) == NOTHING_OWN


def test_equal_logs_are_no_certainty() -> None:
    """Bug: a log of exactly the planned sets gave an interval of 10 to 10 repetitions."""
    assert accuracy_of([Outcome(0.0, None, True)] * 300).half_width == 0.095


def test_chances_are_learned_from_what_became_of_own_targets() -> None:
    """The same target of ten of ten: always reached, every other time, never."""
    hits, misses = [outcome(10, 10, 10)], [outcome(8, 10, 10)]
    always, mixed, never = (
        accuracy_of(each).chance(10, 10) for each in (hits * 60, [*hits, *misses] * 30, misses * 60)
    )
    assert always is not None
    assert mixed is not None
    assert never is not None
    assert always > 0.9
    assert mixed == pytest.approx(0.5, abs=0.05)
    assert never < 0.2


def test_a_few_outcomes_move_the_chance_little_and_any_number_of_them_keeps_its_order() -> None:
    few = accuracy_of([outcome(8, 10, 10)] * 20)
    chance = few.chance(10, 10)
    usual = SURE.chance(10, 10)
    assert chance is not None
    assert usual is not None
    assert chance < usual
    # More is never likelier, even if a lifter reaches hard targets and misses easy ones.
    odd = accuracy_of([outcome(12, 10, 12), outcome(7, 10, 8)] * 150)
    found = [odd.chance(10, target) or 0.0 for target in range(5, 16)]
    assert found == sorted(found, reverse=True)


def test_c1_no_probability_without_a_target_and_nothing_without_a_history() -> None:
    assert of(series(BENCH, [(100, 5)], sets=1), 100, None).p_success is None
    assert predict(series(BENCH), 0, 100, 5, NOTHING_OWN) is None
    assert predict(series(BENCH, [(100, 5)], sets=1), 0, None, 5, NOTHING_OWN) is None


def test_body_weight_is_expected_as_done_and_an_unknown_heavier_load_not_at_all() -> None:
    assert of(series(PULL_UP, [(None, 9)], sets=1), None, 8).reps == 9
    dips = series(WEIGHTED_DIP, [(10, 8)], [(5, 12)], sets=1)
    assert (of(dips, 10, None).reps, of(dips, 5, None).reps, of(dips, None, None).reps) == (
        8,
        12,
        8,
    )
    assert predict(dips, 0, 12.5, 8, NOTHING_OWN) is None


@pytest.mark.parametrize(
    ("load_kg", "unknown", "known"), [(12.5, 5, 5), (2.5, 5, 8), (17.5, None, 5)]
)
def test_a_load_added_to_a_known_body_is_a_share_of_the_total(
    load_kg: float, unknown: float | None, known: float
) -> None:
    """80 and 12.5 kg for 5 are 80 and 2.5 kg for 9, after Epley, so that 8 are within reach."""
    sets = fixed(1, 12.5, 5)
    found = slot(WEIGHTED_DIP, sets, [exposure([(12.5, 5)], sets)])
    target = planned(*fixed(1, load_kg, 8))
    told = [predictions(found, [0], target, NOTHING_OWN, body_kg=each) for each in (0.0, 80.0)]
    assert [each[0].reps if each else None for each in told] == [unknown, known]


def test_each_prescribed_working_set_is_predicted() -> None:
    sets = [{"set_type": "warmup", "weight_kg": 40, "reps": 5}, *ranged(2, 80, 8, 12)]
    found = slot(CURL, sets, [exposure([(40, 5), (80, 10), (80, 9)], sets)])
    target = planned(*sets[:1], *ranged(2, 80, 8, 12))
    told = predictions(found, [1, 2], target, NOTHING_OWN)
    assert {index: each.reps for index, each in told.items()} == {1: 10, 2: 9}
    assert all(each.p_success is None for each in told.values())
    surely = predictions(found, [1, 2], target, SURE)
    assert all(each.p_success and each.p_success > 0.5 for each in surely.values())


def test_timed_and_carried_sets_have_chances() -> None:
    """Seconds and metres are expected as done; 95 % of the target counts as reached."""
    timed = slot(PLANK, [{"duration_s": 60}], [timed_exposure([60])])
    found = predictions(timed, [0], planned({"duration_s": 60}), SURE)[0]
    assert (found.reps, found.duration_s, found.unit) == (None, 60, "s")
    assert (found.low, found.high) == pytest.approx((60 / math.exp(0.1), 60 * math.exp(0.1)))
    # log(0.95) = -0.0513 as of ten repetitions, log(0.95 x 90 / 60) = 0.354.
    harder = predictions(timed, [0], planned({"duration_s": 90}), SURE)[0]
    assert found.p_success == pytest.approx(0.02 + 0.96 / (1 + math.exp(-0.9926)), abs=1e-3)
    assert harder.p_success == pytest.approx(
        0.02 + 0.96 / (1 + math.exp(math.asinh(3.54) + 0.5)), abs=1e-3
    )
    walk = {"weight_kg": 32, "distance_m": 40}
    carry = exposure_set(0, (32, None), None, distance_m=40)
    walked = exposure([]).model_copy(update={"sets": (carry,)})
    carried = slot(CARRY, [walk], [walked])
    carries = predictions(carried, [0], planned(walk), SURE)[0]
    assert (carries.distance_m, carries.unit) == (40, "m")
    assert carries.p_success == pytest.approx(found.p_success)


def test_held_times_are_learned_from() -> None:
    """The chance grows for a lifter that always holds the plank, and falls for one that never
    does.
    """
    plan = [{"duration_s": 60}]
    chances = []
    for held in (60, 30):
        days = [timed_exposure([held], [60], days_ago=3 * at) for at in range(40)]
        found = own_accuracy([slot(PLANK, plan, days)])
        assert found.count == 39
        chances.append(found.chance(held, 60, is_counted=False) or 0)
    assert chances[0] > 0.85
    assert chances[1] < 0.1


@pytest.mark.parametrize("is_hit", [True, False])
@pytest.mark.parametrize("above", [-3.0, 0.7, 3.0])
def test_no_outcomes_make_a_fit_diverge(above: float, is_hit: bool) -> None:
    """Equal extreme outcomes: an undamped fit leaves for infinity, and states 0 or 1."""
    extreme = [Outcome(0.0, above, is_hit)] * 280 + [Outcome(0.0, -above, not is_hit)] * 20
    found = accuracy_of(extreme)
    assert abs(found.level) < 5
    assert 0.2 <= found.slope < 5
    for target in (1, 10, 100):
        assert 0.02 <= (found.chance(10, target) or 0) <= 0.98


def every_third_day(*workouts: Sequence[Done], plan: list[dict[str, Any]] | None = None) -> Slot:
    """The workouts, newest first."""
    exposures = [exposure(done, plan, days_ago=3 * at) for at, done in enumerate(workouts)]
    return slot(BENCH, plan or fixed(1, 100, 5), exposures)


def test_outcomes_are_those_of_forecasts_made_on_their_day() -> None:
    """Fives and sixes in turn: each time one off, but the first of 21 has no forecast."""
    context = every_third_day(*[[(100, 6)], [(100, 5)]] * 10, [(100, 6)])
    once = own_accuracy([context])
    assert once.count == 20
    # Of the sizes log(6/5) all are equal; half comes from all lifters.
    assert once.half_width == pytest.approx((math.log(6 / 5) + 0.2) / 2, abs=1e-4)
    assert own_accuracy([context, context]) == once
    assert own_accuracy([every_third_day(*[[(100, 6)], [(100, 5)]] * 10)]) == NOTHING_OWN


def test_without_a_plan_the_time_before_is_what_was_asked_for() -> None:
    """Steady fives reach that always, fives and sixes in turn every other time."""
    steady = own_accuracy([every_third_day(*[[(100, 5)]] * 60)]).chance(5, 5)
    turns = own_accuracy([every_third_day(*[[(100, 6)], [(100, 5)]] * 30)]).chance(6, 6)
    assert steady is not None
    assert turns is not None
    assert steady > 0.9
    assert turns < 0.75


def test_with_a_plan_its_target_is_what_was_asked_for() -> None:
    """Eights in a range from 8 on are all hits, fives of eight none."""
    plan = ranged(1, 100, 8, 12)
    reached = own_accuracy([every_third_day(*[[(100, 8)]] * 60, plan=plan)])
    missed = own_accuracy([every_third_day(*[[(100, 5)]] * 60, plan=plan)])
    assert (reached.chance(8, 8) or 0) > 0.9
    assert (missed.chance(5, 8) or 1) < 0.05


@pytest.mark.parametrize("fields", [{"is_typo_suspect": True}, {"is_confirmed": False}])
def test_what_is_called_an_error_has_no_outcome(fields: dict[str, bool]) -> None:
    context = every_third_day([(100, 50)], *[[(100, 5)]] * 21)
    latest = context.exposures[0]
    doubted = latest.sets[0].model_copy(update=fields)
    typed = latest.model_copy(update={"sets": (doubted,)})
    without = context.model_copy(update={"exposures": (typed, *context.exposures[1:])})
    assert own_accuracy([context]).count == 21
    assert own_accuracy([without]) == own_accuracy([every_third_day(*[[(100, 5)]] * 21)])


@pytest.mark.parametrize("typed", [(100, 50), (1000, 5), (10, 5)], ids=["reps", "heavy", "light"])
def test_what_a_decision_does_not_believe_foretells_nothing(typed: Done) -> None:
    """The engine left a load of 1000 kg or 50 repetitions out, and the forecast expected them."""
    usual = [exposure([(100, 5), (100, 5)], days_ago=day) for day in (7, 14, 21)]
    newest = exposure([(100, 5), typed], days_ago=0)
    sets = fixed(2, 100, 5)
    told = prescribe_slot(slot(BENCH, sets, [newest, *usual]))
    assert "suspected_typo" in told.reason_codes
    assert [each and each.reps for each in told.predictions] == [5, 5]


def test_what_the_athlete_confirmed_foretells() -> None:
    usual = [exposure([(100, 5)], days_ago=day) for day in (7, 14, 21)]
    newest = exposure([(100, 50)], days_ago=0)
    real = newest.sets[0].model_copy(update={"is_confirmed": True})
    confirmed = newest.model_copy(update={"sets": (real,)})
    sets = fixed(1, 100, 5)
    expected = [
        predictions(slot(BENCH, sets, [latest, *usual]), [0], planned(*sets), NOTHING_OWN)[0].reps
        for latest in (newest, confirmed)
    ]
    assert expected == [5, 50]


def test_e7_what_was_easy_on_purpose_foretells_nothing() -> None:
    usual = [exposure([(100, 5)], days_ago=7), exposure([(100, 5)], days_ago=14)]
    easy = exposure([(90, 3)], days_ago=0).model_copy(update={"is_easy": True})
    sets = fixed(1, 100, 5)
    with_deload, without = slot(BENCH, sets, [easy, *usual]), slot(BENCH, sets, usual)
    target = planned(*sets)
    told = [predictions(each, [0], target, SURE) for each in (with_deload, without)]
    assert told[0] == told[1] != {}
    steady = every_third_day(*[[(100, 5)]] * 25)
    deload = [easy.model_copy(update={"workout_id": "easy"})]
    eased = steady.model_copy(
        update={"exposures": (*steady.exposures[:9], *deload, *steady.exposures[9:])}
    )
    assert own_accuracy([eased]) == own_accuracy([steady])


def test_the_latest_three_hundred_outcomes_count() -> None:
    """A lifter with old erratic results is predicted like one that was always regular."""
    steady, erratic = [[(100, 5)]] * 301, [[(100, 3 + day % 5)] for day in range(100)]
    found = own_accuracy([every_third_day(*steady, *erratic)])
    assert found.count == 300
    assert found.half_width == own_accuracy([every_third_day(*steady)]).half_width


answers = st.tuples(
    st.sampled_from([20.0, 22.5, 40.0, 60.0, 100.0, 240.0]),
    st.integers(0, 40),
    st.sampled_from([None, None, 6.0, 8.0, 10.0]),
)
workouts = st.lists(st.lists(answers, min_size=1, max_size=4), min_size=1, max_size=7)
outcomes = st.lists(
    st.builds(outcome, st.integers(1, 20), st.integers(1, 20), st.integers(1, 20)), max_size=60
)
loads = st.floats(0.25, 500)


@given(
    st.sampled_from([BENCH, CURL, WEIGHTED_DIP]),
    workouts,
    st.integers(0, 3),
    loads,
    st.tuples(st.integers(1, 50), st.integers(1, 50)),
    outcomes,
)
def test_no_step_up_and_no_higher_target_is_likelier(
    exercise: dict[str, Any],
    past: list[list[tuple[float, int, float | None]]],
    place: int,
    other_load: float,
    two_targets: tuple[int, int],
    came: list[Outcome],
) -> None:
    """A step is one from the load of the last time; of two others neither is known.

    Where heavy and light days take turns, each is predicted from its own kind: light ones may be
    planned with fewer repetitions.
    """
    history, accuracy = series(exercise, *past, sets=4), accuracy_of(came)
    last_load = history.by_place[place][0].load
    assert last_load is not None
    assume(not kinds_of([each.load or 0.0 for each in history.by_place[place]]))
    (light, heavy), (low, high) = sorted((other_load, last_load)), sorted(two_targets)
    found = {
        (load, target): predict(history, place, load, target, accuracy)
        for load in (light, heavy)
        for target in (low, high)
    }
    for prediction in found.values():
        if prediction is None:
            continue
        assert all(math.isfinite(each) for each in (prediction.low, prediction.high))
        assert 0 < prediction.low <= prediction.reps <= prediction.high
        assert (prediction.p_success is None) == (len(came) < 20)
        assert prediction.p_success is None or 0 < prediction.p_success < 1
    for target in (low, high):
        lighter, heavier = found[light, target], found[heavy, target]
        if heavier is not None:
            assert lighter is not None
            assert heavier.reps <= lighter.reps
            assert (heavier.p_success or 0) <= (lighter.p_success or 0)
    for load in (light, heavy):
        easier, harder = found[load, low], found[load, high]
        if harder is not None and easier is not None:
            assert (harder.p_success or 0) <= (easier.p_success or 0)


def test_own_minutes_count_from_ten_sessions_on() -> None:
    sets = [TimedSet(reps=10, duration_s=None, rest_s=145)] * 6
    prior = session_minutes(sets, 4.0, session_count=9)
    assert (prior.minutes, prior.basis) == (18.0, "prior")
    own = session_minutes(sets, 4.0, session_count=10)
    assert (own.minutes, own.low, own.high) == pytest.approx((24.0, 19.2, 28.8))
    assert own.basis == "personal"
    assert session_minutes(sets, None, session_count=50).basis == "prior"


def test_a_set_of_time_takes_its_time() -> None:
    assert session_minutes([TimedSet(None, 60, 60)], None, 0).minutes == 2
    assert session_minutes([], None, 0).minutes == 0


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Bench Press (Barbell)", "compound"),
        ("Clean and Jerk", "compound"),
        ("Bicep Curl (Dumbbell)", "isolation"),
        ("Lateral Raise (Dumbbell)", "isolation"),
    ],
)
def test_the_catalogue_tells_what_moves_one_muscle_alone(title: str, kind: str) -> None:
    [found] = [each for each in built_in_templates() if each["title"] == title]
    assert kind_of(found["primary_muscle_group"], found["secondary_muscle_groups"]) == kind


def test_of_an_unknown_exercise_the_longer_rest_is_taken() -> None:
    assert kind_of(None, None) == kind_of("chest", None) == kind_of(None, []) == "compound"


def test_rest_follows_the_kind_of_exercise() -> None:
    assert (rest_s("compound", 5), rest_s("compound", 6), rest_s("compound", 7)) == (210, 210, 150)
    assert rest_s("compound", None) == 150
    assert rest_s("isolation", 5) == 90
    assert rest_s("compound", 5, in_superset=True) == 90


def test_a_slot_of_a_routine_predicts_itself() -> None:
    context: SlotContext = slot(BENCH, FIVES, [exposure([(100, 5)] * 3, FIVES)])
    told = predictions(context, [0, 1, 2], context.planned_sets, NOTHING_OWN)
    assert [each.reps for each in told.values()] == [5, 5, 5]


def test_the_chance_of_an_own_step_is_that_of_what_it_asks_for() -> None:
    """Steps to 12 repetitions in a range of 8 to 12 had the chance of 8."""
    sets = ranged(2, 20, 8, 12)
    context = slot(CURL, sets, [exposure([(20, 10), (20, 10)], sets, days_ago=7)])
    steps = (OwnStep.model_validate({"then": {"set_reps": 12}}),)

    def chances(**rule: object) -> list[float | None]:
        settling = build_input(
            "one", routine(context), rules(CURL, **rule), background=Background(accuracy=SURE)
        )
        (prescribed,) = prescribe(settling).slots
        return [each.p_success if each else None for each in prescribed.predictions]

    by_steps, by_range = chances(model="steps", steps=steps), chances()
    assert all(each is not None and each < 0.3 for each in by_steps)
    assert all(each is not None and each > 0.8 for each in by_range)
