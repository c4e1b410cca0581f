"""Cases of a forecaster, their input, and the use of their errors."""

import math
from collections.abc import Sequence

import pytest

from coach_agent.evaluation.cases import cases_of, questions_of
from coach_agent.evaluation.predictors import (
    REPEAT_LAST,
    Forecast,
    Predictor,
    Question,
    baselines_of_e1rm,
    baselines_of_reps,
    baselines_of_rpe,
)
from tests.coach.evaluation.logs import BENCH, SQUAT, bench_log, log, workout


def baseline(name: str) -> Predictor:
    return next(each for each in baselines_of_reps() if each.name == name)


def test_six_earlier_exposures_are_needed_and_no_more_than_35_days() -> None:
    weekly = [workout(7 * week, {BENCH: [(100, 5)]}) for week in range(7)]
    assert len(list(questions_of(log(*weekly)))) == 1
    assert list(questions_of(log(*weekly[1:]))) == []
    for later, count in ((35, 2), (35.5, 1)):
        longer = log(*weekly, workout(42 + later, {BENCH: [(100, 5)]}))
        assert len(list(questions_of(longer))) == count


def test_a_session_that_was_not_known_yet_is_not_told() -> None:
    """The seventh is recorded only after the eighth has begun."""
    sessions = [workout(7 * week, {BENCH: [(100, 5)], SQUAT: [(140, 5)]}) for week in range(6)]
    late = workout(42, {BENCH: [(100, 9)]}, created=60)
    found = list(questions_of(log(*sessions, late, workout(49, {BENCH: [(100, 5)]}))))
    *_, (exposure, question) = found
    assert exposure.session_id == "day-49"
    assert len(question.history) == 6
    assert len(question.everything) == 12
    assert all(each.known_at < question.started_at for each in question.everything)


def test_only_who_says_so_is_told_the_weight_before_a_maximum() -> None:
    told: dict[str, list[float | None]] = {"blind": [], "told": []}

    def asked(name: str) -> Predictor:
        def predict(question: Question, errors: Sequence[float]) -> Forecast:
            told[name].append(question.weight_kg)
            return Forecast(100)

        return Predictor(name, predict, is_told_weight=name == "told")

    done = bench_log([(100, 5)] * 8)
    cases_of(done, "e1rm", [asked("blind"), asked("told")])
    assert told == {"blind": [None, None], "told": [100, 100]}
    cases_of(done, "reps", [asked("blind")])
    assert told["blind"][2:] == [100, 100]


def tens_among_eights(tens: int, sessions: int) -> list[Forecast | None]:
    """Forecasts of 8 and results of 8, except 10 in some of the first cases."""
    tops = [(100.0, 10 if 6 <= place < 6 + tens else 8) for place in range(sessions)]
    always = Predictor("always 8", lambda question, errors: Forecast(8.0))
    cases = cases_of(bench_log(tops, every=2), "reps", [always])
    return [case.forecasts["always 8"] for case in cases]


@pytest.mark.parametrize(
    ("tens", "low", "high"), [(3, 8, 8), (4, 6.4, 10)], ids=["17 of 20 exact", "16 of 20 exact"]
)
def test_the_interval_holds_as_many_earlier_errors_as_it_says(
    tens: int, low: float, high: float
) -> None:
    """Of 20 errors the 17th in size counts: 0, or log(10 / 8)."""
    *before, after_20 = tens_among_eights(tens, 27)
    assert {each and each.low for each in before} == {None}
    assert after_20
    assert (after_20.low, after_20.high) == (pytest.approx(low), pytest.approx(high))


def test_the_chance_is_the_share_of_errors_that_reach_the_target() -> None:
    """The target is 8, the last time's: all 20 errors reach it, and of so few none is certain."""
    *before, after_20 = tens_among_eights(4, 27)
    assert {each and each.p_target for each in before} == {None}
    assert after_20
    assert after_20.p_target == pytest.approx(20.5 / 21)


def test_a_higher_target_is_reached_by_fewer_errors() -> None:
    """The target is 10 after a ten; of the 20 errors before, 4 reach 9.5 of 8 expected."""
    tops = [(100.0, 10 if place in {6, 7, 8, 25} else 8) for place in range(27)]
    always = Predictor("always 8", lambda question, errors: Forecast(8.0))
    last = cases_of(bench_log(tops, every=2), "reps", [always])[-1].forecasts["always 8"]
    assert last
    assert last.p_target == pytest.approx(4.5 / 21)


def test_what_a_forecaster_says_itself_stands() -> None:
    own = Predictor("own", lambda question, errors: Forecast(8.0, 7.0, 9.0, 0.5))
    cases = cases_of(bench_log([(100.0, 8)] * 40, every=2), "reps", [own])
    assert {case.forecasts["own"] for case in cases} == {Forecast(8.0, 7.0, 9.0, 0.5)}


def test_an_error_counts_only_from_when_its_session_was_known() -> None:
    """The seventh session, the first that is asked about, was recorded four weeks later."""
    sessions = [workout(7 * week, {BENCH: [(100, 5)]}) for week in range(6)]
    late = workout(42, {BENCH: [(100, 10)]}, created=70)
    after = [workout(7 * week, {BENCH: [(100, 5)]}) for week in (7, 8, 9, 10, 11)]
    seen: list[tuple[float, ...]] = []

    def predict(question: Question, errors: Sequence[float]) -> Forecast:
        seen.append(tuple(errors))
        return Forecast(5.0)

    cases_of(log(*sessions, late, *after), "reps", [Predictor("five", predict)])
    assert [len(each) for each in seen] == [0, 0, 1, 2, 3, 5]
    assert seen[4] == (0, 0, 0)
    assert sorted(seen[5]) == [0, 0, 0, 0, pytest.approx(math.log(2))]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (REPEAT_LAST, 4),
        ("last + increment", 5),
        ("last at this weight", 6),
        ("mean of 3", 16 / 3),
        ("mean of 5", 29 / 5),
        ("EWMA 0.5", 5.0625),
        ("median of 5", 6),
        ("all-time best", 9),
        ("e1RM of the last", 4.68),
    ],
)
def test_simple_forecasts_of_repetitions(name: str, expected: float) -> None:
    """After 9, 5, 7, 6, 6, 6 and 4, of these the sixth with today's 100 kg and the last with 102.

    EWMA: 9, 7, 7, 6.5, 6.25, 6.125, 5.0625. The last one's maximum of 115.6 kg leaves 4.68.
    """
    tops = [(100.0, 9), (100.0, 5), (100.0, 7), (95.0, 6), (97.5, 6), (100.0, 6), (102.0, 4)]
    *_, case = cases_of(bench_log([*tops, (100.0, 3)]), "reps", [baseline(name)])
    forecast = case.forecasts[name]
    assert forecast
    assert forecast.value == pytest.approx(expected)


def test_without_a_session_at_this_weight_the_last_maximum_tells() -> None:
    [case] = cases_of(
        bench_log([*[(100.0, 6)] * 6, (90.0, 8)]), "reps", [baseline("last at this weight")]
    )
    forecast = case.forecasts["last at this weight"]
    assert forecast
    assert forecast.value == pytest.approx(30 * (120 / 90 - 1))


def test_simple_forecasts_of_a_maximum() -> None:
    """Steps of 5 kg, taken three times: one more is 120 x 5, 140 kg."""
    tops = [(100.0, 5), (105.0, 5), (110.0, 5), (110.0, 5), (115.0, 5), (115.0, 5), (110.0, 5)]
    [case] = cases_of(bench_log(tops), "e1rm", baselines_of_e1rm())
    values = {name: each and each.value for name, each in case.forecasts.items()}
    factor = 1 + 5 / 30
    assert values[REPEAT_LAST] == pytest.approx(115 * factor)
    assert values["last + increment"] == pytest.approx(120 * factor)
    assert values["last at this weight"] == pytest.approx(110 * factor)
    assert values["all-time best"] == pytest.approx(115 * factor)


def test_without_a_step_of_ones_own_the_increment_is_a_pair_of_small_plates() -> None:
    [case] = cases_of(bench_log([(100.0, 5)] * 7), "e1rm", baselines_of_e1rm())
    forecast = case.forecasts["last + increment"]
    assert forecast
    assert forecast.value == pytest.approx(102.5 * (1 + 5 / 30))


def test_an_rpe_is_asked_for_where_one_was_stated() -> None:
    """The last was 100 x 5 at 8: seven were possible, 123.3 kg. Today 100 x 6 leaves one."""
    rated = [workout(7 * week, {BENCH: [(100, 5, "rpe 8")]}) for week in range(6)]
    unrated = workout(42, {BENCH: [(100, 5)]})
    today = workout(49, {BENCH: [(100, 6, "rpe 9.5")]})
    [case] = cases_of(log(*rated, unrated, today), "rpe", baselines_of_rpe())
    values = {name: each and each.value for name, each in case.forecasts.items()}
    assert case.actual == 9.5
    assert values == {REPEAT_LAST: 8, "mean of 5": 8, "e1RM of the last": pytest.approx(9)}


def test_cases_are_sorted_into_parts_by_what_was_known_before() -> None:
    """The usual repetitions are those of the last time, not today's 12."""
    done = bench_log([*[(100.0, 5)] * 6, (90.0, 12)])
    [case] = cases_of(done, "reps", baselines_of_reps())
    assert case.slices == {
        "main barbell",
        "last 4 to 6 reps",
        "within 16 days",
        "without RPE",
        "6 to 11 earlier",
        "lighter",
    }
