"""What a log will show next. Examples are worked out by hand, properties hold for any history."""

import math
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.progression.forecasting import (
    Shown,
    expected_max,
    expected_reps,
)
from coach_agent.progression.strength import epley_max
from tests.coach.past_sessions import LOG_FILES, Log, Session, read_sessions

START = datetime(2025, 1, 6, 18, tzinfo=UTC)
LB = 0.45359237
LOGS = Path(__file__).parents[2] / ".." / "shared" / "data"


def maxima(*values_kg: float, exercise: str = "bench", first_day: int = 0) -> list[Shown]:
    """Singles every third day, so that each load is its maximum."""
    return [
        Shown(START + timedelta(days=first_day + 3 * at), exercise, kg, kg, 1)
        for at, kg in enumerate(values_kg)
    ]


def tops(*sets: tuple[float, int]) -> list[Shown]:
    """Top sets of load and repetitions, every third day."""
    return [
        Shown(START + timedelta(days=3 * at), "bench", epley_max(load, reps), load, reps)
        for at, (load, reps) in enumerate(sets)
    ]


def of(values_kg: Sequence[float]) -> float:
    """The expected maximum where nothing has been learned from any exercise."""
    return expected_max(maxima(*values_kg)[-2:], [])


def test_a_plateau_is_repeated_exactly() -> None:
    past = maxima(*[100.0] * 12)
    assert expected_max(past, past) == pytest.approx(100)


def test_a_single_exposure_is_repeated() -> None:
    assert expected_max(maxima(80), maxima(80)) == pytest.approx(80)
    assert expected_reps(tops((80, 8)), tops((80, 8)), 85) == 8


def test_of_a_fall_half_comes_back_and_a_rise_is_kept() -> None:
    """After 100 and 90: trusts of 3, 1, 1 and 1 for 90, half, 0.7 and a third of the way back.

    After 90 and 100: 0.15 of the way down for the level and a third for the mean.
    """
    way = math.log(100 / 90)
    assert of([100, 90]) == pytest.approx(90 * math.exp(way * (0.5 + 0.7 + 1 / 3) / 6))
    assert of([90, 100]) == pytest.approx(100 * math.exp(-way * (0.15 + 1 / 3) / 6))


def test_what_comes_back_is_learned_from_the_lifter() -> None:
    """One whose bad days are always made good is expected back, one whose falls stay is not."""
    back = maxima(*[100, 90] * 20)
    stays = maxima(*(100 * 0.99**at for at in range(40)), 100 * 0.99**39 * 0.9)
    assert expected_max(back, back) > 93.5
    assert expected_max(stays, stays) < stays[-1].max_kg * 1.01


def test_what_other_exercises_taught_counts() -> None:
    """Squats whose falls never come back leave less hope for a fallen bench press."""
    bench = maxima(100, 100, 90)
    squats = maxima(*(150 * 0.95**at for at in range(30)), exercise="squat")
    assert 90 < expected_max(bench, [*squats, *bench]) < expected_max(bench, bench)


def test_an_outlier_moves_the_next_forecast_little_once_it_is_over() -> None:
    calm, jumped = maxima(*[100.0] * 12), maxima(*[100.0] * 10, 130, 100)
    assert expected_max(jumped, jumped) == pytest.approx(expected_max(calm, calm), rel=0.06)
    later = maxima(*[100.0] * 6, 130, *[100.0] * 6)
    assert expected_max(later, later) == pytest.approx(100, rel=0.001)


def test_a_bad_day_moves_the_forecast_by_less_than_itself() -> None:
    past = maxima(*[100.0] * 11, 80)
    assert 80 < expected_max(past, past) < 100


def test_with_the_load_its_repetitions_tell_the_maximum() -> None:
    past = tops(*[(100, 5), (80, 10)] * 6)
    assert expected_max(past, past, 80) == pytest.approx(80 * (1 + 10 / 30))
    assert expected_max(past, past, 100) == pytest.approx(100 * (1 + 5 / 30))


def test_repetitions_are_those_that_were_done_with_loads_like_this_one() -> None:
    """Heavy fives and light tens in turn: not the last ones count but those of the same load."""
    past = tops(*[(100, 5), (80, 10)] * 6)
    assert expected_reps(past, past, 100) == 5
    assert expected_reps(past, past, 101) == 5
    assert expected_reps(past, past, 80) == 10


def test_the_same_load_again_goes_as_last_time_unless_that_was_an_exception() -> None:
    """The last one counts three times: more than e^-0.2 and e^-0.4, less than six older ones."""
    rising, odd = tops((100, 5), (100, 6), (100, 7)), tops(*[(100, 6)] * 6, (100, 10))
    assert expected_reps(rising, rising, 100) == 7
    assert expected_reps(odd, odd, 100) < 8


def test_one_who_keeps_the_range_and_changes_the_load_is_expected_to_do_so() -> None:
    past = tops(*[(60 + 5 * (at * 7 % 5), 8) for at in range(14)])
    assert [expected_reps(past, past, load) for load in (50, 70, 95)] == [8, 8, 8]


def test_repetitions_are_whole_and_at_least_one() -> None:
    past = tops((100, 1), (90, 2), (100, 1), (90, 3))
    found = [expected_reps(past, past, load) for load in (60, 90, 95, 140)]
    assert all(isinstance(each, int) and each >= 1 for each in found)


@given(st.lists(st.floats(20, 300), min_size=1, max_size=40))
def test_a_forecast_stays_within_what_was_shown_lately(values_kg: list[float]) -> None:
    past = maxima(*values_kg)
    latest = values_kg[-5:]
    assert min(latest) * (1 - 1e-9) <= expected_max(past, past) <= max(latest) * (1 + 1e-9)


@given(
    st.lists(st.tuples(st.integers(16, 120), st.integers(1, 12)), min_size=1, max_size=30),
    st.integers(16, 120),
)
def test_repetitions_stay_within_what_was_shown(sets: list[tuple[int, int]], load: int) -> None:
    past = tops(*((steps * 1.25, reps) for steps, reps in sets))
    reps = [each for _, each in sets]
    assert min(reps) <= expected_reps(past, past, load * 1.25) <= max(reps)


@given(st.lists(st.tuples(st.integers(8, 60), st.integers(1, 12)), min_size=2, max_size=30))
def test_pounds_and_kilograms_are_forecast_alike(sets: list[tuple[int, int]]) -> None:
    in_kg = tops(*((steps * 2.5, reps) for steps, reps in sets))
    in_lb = tops(*((steps * 2.5 * LB, reps) for steps, reps in sets))
    next_load = sets[0][0] * 2.5
    assert expected_max(in_lb, in_lb) == pytest.approx(expected_max(in_kg, in_kg) * LB)
    assert expected_reps(in_lb, in_lb, next_load * LB) == expected_reps(in_kg, in_kg, next_load)


@pytest.mark.parametrize(
    "log",
    [log for log in LOG_FILES if log.name in {"strong-breinsp", "strong-ysmath"}],
    ids=lambda log: log.name,
)
def test_on_a_real_log_it_is_better_than_repeating_the_last_session(log: Log) -> None:
    """Sessions with six earlier ones of the exercise, the last no more than 35 days ago."""
    path = LOGS / log.file
    if not path.exists():
        pytest.skip("the real logs are not on this machine")
    past = [
        each for session in read_sessions(path.read_bytes(), log.unit) for each in shown(session)
    ]
    off: dict[str, list[float]] = defaultdict(list)
    for each in past:
        recent = [one for one in past if one.started_at < each.started_at]
        history = [one for one in recent if one.exercise == each.exercise]
        if len(history) < 6 or each.started_at - history[-1].started_at > timedelta(days=35):
            continue
        off["max"].append(abs(expected_max(history, recent) / each.max_kg - 1))
        off["last max"].append(abs(history[-1].max_kg / each.max_kg - 1))
        off["reps"].append(abs(expected_reps(history, recent, each.load_kg) - each.reps))
        off["last reps"].append(abs(history[-1].reps - each.reps))
    assert len(off["max"]) > 90
    assert fmean(off["max"]) < fmean(off["last max"])
    assert median(off["max"]) <= median(off["last max"]) * 1.05
    assert fmean(off["reps"]) < 0.75 * fmean(off["last reps"])


def shown(session: Session) -> list[Shown]:
    """The exercises of a session by their sets of 1 to 12 repetitions."""
    found = []
    for done in session.done:
        sets = [
            (each.weight_kg, each.reps)
            for each in done.working
            if each.weight_kg and each.reps and each.reps <= 12
        ]
        if sets and done.exercise["exercise_type"] in {"weight_reps", None}:
            found.append(
                Shown(
                    session.started_at,
                    done.exercise["exercise_template_id"],
                    max(epley_max(load, reps) for load, reps in sets),
                    *max(sets),
                )
            )
    return found
