"""What is expected of a set. Examples are worked out by hand, properties hold for any history."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.context import SlotContext
from coach_agent.own_steps import OwnStep
from coach_agent.progression.circumstances import Background
from coach_agent.progression.duration import TimedSet, session_minutes
from coach_agent.progression.engine import prescribe, settled
from coach_agent.progression.prediction import (
    Prediction,
    SetSeries,
    forecast_errors,
    predict,
    predictions,
    series_of,
)
from coach_agent.progression.rest import kind_of, rest_s
from hevy_connector.simulator.catalogue import built_in_templates
from tests.coach.builders import (
    BENCH,
    CURL,
    PLANK,
    PULL_UP,
    Done,
    exposure,
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
FIVES = fixed(3, 100, 5)


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
    errors: tuple[float, ...] = (),
) -> Prediction:
    prediction = predict(past, place, load, target, errors)
    assert prediction is not None
    return prediction


def test_the_same_load_is_expected_to_go_as_last_time_and_half_as_much_as_before() -> None:
    """Eight, before it six: (8 + 6 / 2) / 1.5."""
    past = series(BENCH, [(100, 8)], [(100, 6)], sets=1)
    assert of(past, 100, None).reps == pytest.approx(22 / 3)


def test_another_load_moves_the_expectation_by_a_tenth_of_what_epley_says() -> None:
    """At 102 kg Epley leaves 38 x 100 / 102 - 30 = 7.25 of 8 repetitions."""
    past = series(BENCH, [(100, 8)], sets=1)
    assert of(past, 102, None).reps == pytest.approx(8 - 0.1 * (38 - 38 * 100 / 102))
    assert of(past, 98, None).reps == pytest.approx(8 + 0.1 * (38 * 100 / 98 - 38))


def test_no_more_is_expected_than_the_upper_end_of_the_maximum_allows() -> None:
    """8 reps with 100 kg: 126.67 kg, at most 136.8; with 130 kg that is 1.57 repetitions."""
    past = series(BENCH, [(100, 8)], sets=1)
    assert of(past, 130, None).reps == pytest.approx(30 * (136.8 / 130 - 1))
    assert of(past, 137, None).reps == 0.5


def test_a_target_within_reach_of_a_lighter_load_is_expected() -> None:
    """With 80 kg, 35 x 100 / 80 - 30 = 13.75 repetitions are in reach of 5 with 100."""
    past = series(BENCH, [(100, 5)], sets=1)
    assert of(past, 80, 12).reps == 12
    assert of(past, 80, 15).reps == pytest.approx(13.75)


def test_later_sets_of_which_nothing_is_known_drop_off_as_measured() -> None:
    past = series(CURL, [(20, 10)])
    assert [of(past, 20, None, place=place).reps for place in range(3)] == pytest.approx(
        [10, 9.74, 9.44]
    )


def test_each_set_is_expected_to_go_as_the_same_set_went() -> None:
    past = series(CURL, [(20, 12), (20, 10), (20, 7)])
    assert [of(past, 20, None, place=place).reps for place in range(3)] == [12, 10, 7]


def test_half_of_the_repetitions_in_reserve_count() -> None:
    assert of(series(BENCH, [(100, 5, 8)], sets=1), 100, None).reps == 6
    assert of(series(BENCH, [(100, 5)], sets=1), 100, None).reps == 5


def test_c1_without_own_errors_those_of_all_lifters_stand_in_and_no_chance_is_stated() -> None:
    found = of(series(BENCH, [(100, 10)], sets=1), 100, 10)
    assert (found.low, found.high) == pytest.approx((10 / 1.1936, 11.936), abs=0.001)
    assert found.n == 0
    assert found.p_success is None


def test_own_errors_give_interval_and_probability() -> None:
    """Of 20 errors, 17 are within 10 %; four fall below log(9.5 / 10): 16.5 of 21, calibrated."""
    errors = (*[0.0] * 15, 0.1, -0.1, *[-0.3] * 3)
    found = of(series(BENCH, [(100, 10)], sets=1), 100, 10, errors=errors)
    assert (found.low, found.high) == pytest.approx((10 / math.exp(0.1), 10 * math.exp(0.1)))
    assert found.p_success == pytest.approx(
        0.667 + (0.932 - 0.667) * (16.5 / 21 - 0.717) / (0.93 - 0.717)
    )
    assert found.n == 20
    assert of(series(BENCH, [(100, 10)], sets=1), 100, 10, errors=errors[1:]).n == 0


def test_c1_no_probability_without_a_target_and_nothing_without_a_history() -> None:
    assert of(series(BENCH, [(100, 5)], sets=1), 100, None).p_success is None
    assert predict(series(BENCH), 0, 100, 5, ()) is None
    assert predict(series(BENCH, [(100, 5)], sets=1), 0, None, 5, ()) is None


def test_body_weight_is_expected_as_done_and_an_unknown_heavier_load_not_at_all() -> None:
    assert of(series(PULL_UP, [(None, 9)], sets=1), None, 8).reps == 9
    dips = series(WEIGHTED_DIP, [(10, 8)], [(5, 12)], sets=1)
    assert of(dips, 10, None).reps == of(dips, None, None).reps == pytest.approx(28 / 3)
    assert predict(dips, 0, 12.5, 8, ()) is None


def test_each_prescribed_working_set_is_predicted_and_timed_ones_are_not() -> None:
    sets = [{"set_type": "warmup", "weight_kg": 40, "reps": 5}, *ranged(2, 80, 8, 12)]
    found = slot(CURL, sets, [exposure([(40, 5), (80, 10), (80, 9)], sets)])
    target = planned(*sets[:1], *ranged(2, 80, 8, 12))
    told = predictions(found, [1, 2], target, ())
    assert {index: each.reps for index, each in told.items()} == {1: 10, 2: 9}
    assert all(each.p_success is None for each in told.values())
    surely = predictions(found, [1, 2], target, (0.0,) * 20)
    assert all(each.p_success and each.p_success > 0.5 for each in surely.values())
    timed = slot(PLANK, [{"duration_s": 60}], [timed_exposure([60])])
    assert predictions(timed, [0], timed.planned_sets, ()) == {}


def test_errors_are_those_of_forecasts_made_on_their_day() -> None:
    """6 after 5 after nothing: the first has no forecast, a mistyped set none either."""
    context = slot(
        BENCH,
        fixed(1, 100, 5),
        [exposure([(100, 6)], days_ago=0), exposure([(100, 5)], days_ago=7)],
    )
    once = (round(math.log(6 / 5), 4),)
    assert forecast_errors([(context, [0])]) == once
    assert forecast_errors([(context, [0]), (context, [0])]) == once
    latest = context.exposures[0]
    doubted = latest.sets[0].model_copy(update={"is_typo_suspect": True})
    typed = latest.model_copy(update={"sets": (doubted,)})
    context = context.model_copy(update={"exposures": (typed, context.exposures[1])})
    assert forecast_errors([(context, [0])]) == ()


@pytest.mark.parametrize("typed", [(100, 50), (1000, 5), (10, 5)], ids=["reps", "heavy", "light"])
def test_what_a_decision_does_not_believe_foretells_nothing(typed: Done) -> None:
    """The engine left a load of 1000 kg or 50 repetitions out, and the forecast expected them."""
    usual = [exposure([(100, 5), (100, 5)], days_ago=day) for day in (7, 14, 21)]
    newest = exposure([(100, 5), typed], days_ago=0)
    sets = fixed(2, 100, 5)
    mistyped, without = slot(BENCH, sets, [newest, *usual]), slot(BENCH, sets, usual)
    told = prescribe_slot(mistyped)
    assert "suspected_typo" in told.reason_codes
    # Of the newest day the second set is unknown, so the first one's share stands for it.
    second = (5 * 0.974 + 5 / 2 + 5 / 4 + 5 / 8) / 1.875
    assert [each and each.reps for each in told.predictions] == [5, pytest.approx(second)]
    assert forecast_errors([(mistyped, [0, 1])]) == (
        *forecast_errors([(without, [0, 1])]),
        0.0,
    )


def test_what_the_athlete_confirmed_foretells() -> None:
    usual = [exposure([(100, 5)], days_ago=day) for day in (7, 14, 21)]
    newest = exposure([(100, 50)], days_ago=0)
    real = newest.sets[0].model_copy(update={"is_confirmed": True})
    confirmed = newest.model_copy(update={"sets": (real,)})
    sets = fixed(1, 100, 5)
    expected = [
        predictions(slot(BENCH, sets, [latest, *usual]), [0], planned(*sets), ())[0].reps
        for latest in (newest, confirmed)
    ]
    assert expected[0] == 5
    assert expected[1] > 20


def test_e7_what_was_easy_on_purpose_foretells_nothing() -> None:
    usual = [exposure([(100, 5)], days_ago=7), exposure([(100, 5)], days_ago=14)]
    easy = exposure([(90, 3)], days_ago=0).model_copy(update={"is_easy": True})
    sets = fixed(1, 100, 5)
    with_deload, without = slot(BENCH, sets, [easy, *usual]), slot(BENCH, sets, usual)
    target = planned(*sets)
    assert predictions(with_deload, [0], target, ()) == predictions(without, [0], target, ())
    assert forecast_errors([(with_deload, [0])]) == forecast_errors([(without, [0])])


def test_the_latest_three_hundred_errors_count() -> None:
    workouts = [exposure([(100, 5 + day % 2)], days_ago=day) for day in range(400)]
    context = slot(BENCH, fixed(1, 100, 5), workouts)
    errors = forecast_errors([(context, [0])])
    assert len(errors) == 300
    # On the newest day 5 was done; expected was (6 + 5/2 + 6/4 + 5/8 + 6/16) / 1.9375.
    assert errors[-1] == round(math.log(5 / (11 / 1.9375)), 4)


answers = st.tuples(
    st.sampled_from([20.0, 22.5, 40.0, 60.0, 100.0, 240.0]),
    st.integers(0, 40),
    st.sampled_from([None, None, 6.0, 8.0, 10.0]),
)
workouts = st.lists(st.lists(answers, min_size=1, max_size=4), min_size=1, max_size=7)
some_errors = st.lists(st.floats(-3, 3), max_size=60).map(tuple)
loads = st.floats(0.25, 500)


@given(
    st.sampled_from([BENCH, CURL, WEIGHTED_DIP]),
    workouts,
    st.integers(0, 3),
    st.tuples(loads, loads),
    st.tuples(st.integers(1, 50), st.integers(1, 50)),
    some_errors,
)
def test_more_load_or_a_higher_target_is_never_likelier(
    exercise: dict[str, Any],
    past: list[list[tuple[float, int, float | None]]],
    place: int,
    two_loads: tuple[float, float],
    two_targets: tuple[int, int],
    errors: tuple[float, ...],
) -> None:
    history = series(exercise, *past, sets=4)
    (light, heavy), (low, high) = sorted(two_loads), sorted(two_targets)
    found = {
        (load, target): predict(history, place, load, target, errors)
        for load in (light, heavy)
        for target in (low, high)
    }
    for prediction in found.values():
        if prediction is None:
            continue
        assert all(math.isfinite(each) for each in (prediction.low, prediction.high))
        assert 0 < prediction.low <= prediction.reps <= prediction.high
        assert (prediction.p_success is None) == (len(errors) < 20)
        assert 0 <= (prediction.p_success or 0) <= 1
    for target in (low, high):
        lighter, heavier = found[light, target], found[heavy, target]
        if heavier is not None:
            assert lighter is not None
            assert heavier.reps <= lighter.reps + 1e-9
            assert (heavier.p_success or 0) <= (lighter.p_success or 0) + 1e-9
    for load in (light, heavy):
        easier, harder = found[load, low], found[load, high]
        if harder is not None and easier is not None:
            assert (harder.p_success or 0) <= (easier.p_success or 0) + 1e-9


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
    told = predictions(context, [0, 1, 2], context.planned_sets, ())
    assert [each.reps for each in told.values()] == [5, 5, 5]


def test_equal_logs_are_no_certainty() -> None:
    """Who logged what was planned, set by set, was foretold 10 to 10 repetitions."""
    found = of(series(BENCH, [(100, 10)], sets=1), 100, 10, errors=(0.0,) * 300)
    margin = math.exp(0.077)
    assert (found.low, found.high) == pytest.approx((10 / margin, 10 * margin))


def test_the_chance_of_an_own_step_is_that_of_what_it_asks_for() -> None:
    """Steps to 12 repetitions in a range of 8 to 12 had the chance of 8."""
    sets = ranged(2, 20, 8, 12)
    context = slot(CURL, sets, [exposure([(20, 10), (20, 10)], sets, days_ago=7)])
    errors = tuple(place / 100 for place in range(-15, 15))
    steps = (OwnStep.model_validate({"then": {"set_reps": 12}}),)

    def chances(**rule: object) -> list[float | None]:
        settling = settled(
            "one", routine(context), rules(CURL, **rule), background=Background(errors=errors)
        )
        (prescribed,) = prescribe(settling).slots
        return [each.p_success if each else None for each in prescribed.predictions]

    by_steps, by_range = chances(model="steps", steps=steps), chances()
    assert all(each is not None and each < 0.2 for each in by_steps)
    assert all(each is not None and each > 0.8 for each in by_range)
