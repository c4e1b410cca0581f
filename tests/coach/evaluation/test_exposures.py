"""Exposures of a training log, and the time from which they are known."""

import re
from datetime import timedelta

import pytest

from coach_agent.evaluation.exposures import Knowledge
from hevy_connector.errors import CsvFormatError
from orchestration.services.evaluation.training_logs import log_of
from tests.coach.evaluation.logs import (
    BENCH,
    FIRST_DAY,
    SQUAT,
    bench_log,
    invented_export,
    log,
    workout,
)


def test_the_top_set_is_the_heaviest_and_of_these_the_one_with_most_repetitions() -> None:
    [exposure] = log(workout(0, {BENCH: [(80, 12), (100, 4), (100, 5)]})).exposures
    assert (exposure.top.weight_kg, exposure.top.reps) == (100, 5)
    # 100 x (1 + 5/30) is 116.67, 80 x (1 + 12/30) is 112.
    assert exposure.e1rm_kg == pytest.approx(116.6667, abs=1e-4)


def test_the_best_maximum_may_be_of_a_lighter_set_and_a_single_is_its_own() -> None:
    [exposure] = log(workout(0, {BENCH: [(100, 1), (90, 6)]})).exposures
    assert exposure.top.weight_kg == 100
    assert exposure.e1rm_kg == pytest.approx(108)


@pytest.mark.parametrize(
    ("title", "sets"),
    [
        (BENCH, [(60, 5, "warmup")]),
        (BENCH, [(60, 10, "dropset")]),
        (BENCH, [(None, 10)]),
        (BENCH, [(0, 10)]),
        (BENCH, [(60, None)]),
        (BENCH, [(60, 13)]),
        ("Pull Up (Weighted)", [(10, 8)]),
        ("Pull Up (Assisted)", [(20, 8)]),
        ("My assisted pull", [(20, 8)]),
    ],
    ids=lambda value: str(value),
)
def test_what_tells_no_maximum_is_no_exposure(title: str, sets: list[tuple[float, int]]) -> None:
    assert log(workout(0, {title: sets})).exposures == ()


def test_an_exercise_of_ones_own_counts() -> None:
    [exposure] = log(workout(0, {"Zercher  thing": [(60, 5)]})).exposures
    assert exposure.exercise == "zercher thing"


def test_an_exercise_done_twice_in_a_session_is_one_exposure() -> None:
    once = workout(0, {BENCH: [(80, 5)], SQUAT: [(100, 5)], " bench press (barbell)": [(90, 3)]})
    found = log(once).exposures
    assert [(each.exercise, len(each.sets)) for each in found] == [
        ("bench press (barbell)", 2),
        ("squat (barbell)", 1),
    ]


def test_a_session_is_known_when_it_has_ended_or_its_record_was_made() -> None:
    in_time, late = log(
        workout(0, {BENCH: [(80, 5)]}, minutes=90),
        workout(1, {BENCH: [(80, 6)]}, created=10),
    ).exposures
    assert in_time.known_at == FIRST_DAY + timedelta(minutes=90)
    assert late.known_at == FIRST_DAY + timedelta(days=10)
    knowledge = Knowledge((in_time, late))
    assert knowledge.before(in_time.known_at) == ()
    assert knowledge.before(FIRST_DAY + timedelta(days=9)) == (in_time,)
    assert knowledge.before(FIRST_DAY + timedelta(days=11)) == (in_time, late)


def test_a_typing_error_is_left_out_and_only_what_was_before_tells_it() -> None:
    """Three times 100 x 5: 116.7 kg. Above 186.7 and below 46.7 is doubted, from the fourth on."""
    usual = [(100.0, 5)] * 3
    assert bench_log([*usual, (1000.0, 5)]).doubted_count == 1
    assert bench_log([*usual, (160.0, 5)]).doubted_count == 0
    assert bench_log([*usual, (161.0, 5)]).doubted_count == 1
    assert bench_log([*usual, (39.0, 5)]).doubted_count == 1
    assert bench_log([(1000.0, 5), *usual]).doubted_count == 0
    # What follows never makes an earlier one doubtful.
    assert bench_log([*usual[:2], (300.0, 5), *[(100.0, 5)] * 20]).doubted_count == 0


def test_of_a_session_with_a_typing_error_the_other_sets_count() -> None:
    usual = [workout(day, {BENCH: [(100, 5)]}) for day in range(3)]
    *_, last = log(*usual, workout(3, {BENCH: [(1005, 5), (100, 4)]})).exposures
    assert [each.weight_kg for each in last.counted] == [100]
    assert last.top.reps == 4


def test_another_level_is_believed_once_it_is_the_usual_one() -> None:
    """Of 7 earlier maxima the fourth is the median: four times on the new machine are enough."""
    found = bench_log([*[(100.0, 5)] * 7, *[(30.0, 5)] * 6])
    assert found.doubted_count == 4
    assert len(found.exposures) == 9


def test_a_file_in_pounds_is_of_a_gym_in_pounds_and_tells_what_could_not_be_read() -> None:
    """Hevy names its unit in the header, so no configuration is needed."""
    content = invented_export(sessions=2).replace("weight_kg", "weight_lbs")
    found = log_of(content.replace('"warmup"', '"mega"', 1).encode(), "me")
    assert (found.gym_unit, found.rejected_rows) == ("lb", 1)
    assert log_of(invented_export(sessions=2).encode(), "me").gym_unit == "kg"


@pytest.mark.parametrize(
    ("lines", "words"),
    [(1, "It holds no workout"), (5, "None of its 4 rows can be read. Line 2: set_type 'mega'")],
)
def test_a_file_without_anything_to_read_says_why(lines: int, words: str) -> None:
    content = re.sub('"(warmup|normal|failure|dropset)"', '"mega"', invented_export(sessions=2))
    first = "\n".join(content.splitlines()[:lines])
    with pytest.raises(CsvFormatError, match=words):
        log_of(first.encode(), "me")
