"""The trend before and after a date: its statements, error rate, and minimum data."""

import math
import random
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from statistics import fmean

import pytest

from coach_agent.evaluation.before_after import (
    PLACEBO_DATES,
    BeforeAfter,
    Exposure,
    TooFew,
    before_after,
    strength_index,
)
from tests.coach.evaluation.real_logs import LOGS, real_logs
from tests.coach.evaluation.test_interrupted_series import noise
from tests.coach.past_sessions import LOG_FILES
from tests.profiles import count, randomized

SINCE = date(2025, 6, 2)
BEFORE, AFTER = 42, 12
SERIES, CHANGED_SERIES = count(quick=120, thorough=500), count(quick=60, thorough=250)


def exposure(lift: str, week: float, log_pct: float) -> Exposure:
    """A lift so many weeks from the date; the logarithm of its e1RM in percent."""
    return Exposure(
        lift, SINCE + timedelta(days=math.floor(7 * week)), 100 * math.exp(log_pct / 100)
    )


def lifter(seed: int, rho: float, change: float = 0.0, before: int = BEFORE) -> list[Exposure]:
    """Two lifts once a week that gain 0.2 % a week, and `change` more from the date on.

    Good and bad weeks (3 %) hold over; half of their variance is common to both lifts.
    """
    drawn = random.Random(seed)  # noqa: S311 - a test's seed
    weeks = range(-before, AFTER)
    common, *own = (noise(len(weeks), rho, drawn) for _ in range(3))
    return [
        exposure(
            f"lift {number}",
            week + 0.4,
            0.2 * week + change * max(week + 0.5, 0) + 3 * math.sqrt(0.5) * (shared + alone),
        )
        for number, each in enumerate(own)
        for week, shared, alone in zip(weeks, common, each, strict=True)
    ]


def compared(exposures: list[Exposure], since: date = SINCE) -> BeforeAfter:
    found = before_after(exposures, since)
    assert isinstance(found, BeforeAfter), found
    return found


@cache
def unchanged(rho: float) -> tuple[BeforeAfter, ...]:
    return tuple(compared(lifter(seed, rho)) for seed in range(SERIES))


@pytest.mark.long
@randomized
@pytest.mark.parametrize("rho", [0.0, 0.3])
def test_a_change_is_found_where_there_is_none_in_one_of_twenty_at_most(rho: float) -> None:
    """Two points above the 5 % are what chance allows in 500 series; these are always the same."""
    false_alarms = sum(each.status == "changed" for each in unchanged(rho))
    assert false_alarms / SERIES <= 0.07
    assert false_alarms > 0, "a verdict that is never wrong here is never right either"


@randomized
def test_a_change_of_the_stated_size_is_found_in_80_of_100() -> None:
    sizes = [each.detectable for each in unchanged(0.3)]
    size = fmean(each for each in sizes if each is not None)
    found = [compared(lifter(1000 + seed, 0.3, change=size)) for seed in range(CHANGED_SERIES)]
    assert 0.70 <= fmean(each.status == "changed" for each in found) <= 0.90
    assert fmean(each.pooled.slope_change.value for each in found) == pytest.approx(size, rel=0.1)


def test_a_large_change_is_found_and_told_with_its_size() -> None:
    found = compared(lifter(1, 0.3, change=2.0))
    assert found.status == "changed"
    assert found.pooled.slope_change.low < 2.0 < found.pooled.slope_change.high
    assert not any(each.as_much for each in found.placebos)
    assert found.p_value == pytest.approx(1 / (1 + len(found.placebos)))


def test_placebo_dates_see_nothing_from_the_true_date_on() -> None:
    """Every week with 12 before it and 8 up to the true date, independent of later weeks."""
    found, other = (compared(lifter(5, 0.3, change=size)) for size in (0.0, 3.0))
    weeks = [(SINCE - each.day).days / 7 for each in found.placebos]
    assert weeks == list(range(8, BEFORE - 12 + 1))
    told = [[(each.day, each.slope_change) for each in one.placebos] for one in (found, other)]
    assert told[0] == told[1]


def test_the_p_value_counts_the_true_date_among_the_others() -> None:
    found = compared(lifter(7, 0.3))
    as_much = sum(each.as_much for each in found.placebos)
    assert found.p_value == (as_much + 1) / (len(found.placebos) + 1)


def test_with_too_few_placebo_dates_no_change_is_confirmed() -> None:
    """30 weeks leave 11 dates: not one in twenty, however clear the interval is of 0."""
    found = compared(lifter(1, 0.3, change=3.0, before=30))
    assert len(found.placebos) == 11 < PLACEBO_DATES
    assert found.status == "unconfirmed"
    assert found.pooled.slope_change.low > 0
    assert found.detectable is None


def test_weeks_longer_ago_than_half_a_year_draw_no_line() -> None:
    recent = lifter(3, 0.3)
    old = [exposure("lift 0", week + 0.4, 400.0) for week in range(-60, -BEFORE)]
    assert compared([*old, *recent]).pooled.slope_before == compared(recent).pooled.slope_before


def weekly(lift: str, first: int, last: int) -> Iterator[Exposure]:
    return (exposure(lift, week + 0.4, 0.2 * week) for week in range(first, last))


@pytest.mark.parametrize(
    ("exposures", "expected"),
    [
        ([], TooFew(SINCE, 0, 0, None)),
        ([*weekly("squat", -12, 3)], TooFew(SINCE, 12, 3, ("squat", 12, 3))),
        ([*weekly("squat", -11, 8)], TooFew(SINCE, 11, 8, ("squat", 11, 8))),
        (
            [*weekly("squat", -20, 7), *weekly("row", 7, 8)],
            TooFew(SINCE, 20, 8, ("squat", 20, 7)),
        ),
        ([*weekly("squat", 1, 30)], TooFew(SINCE, 0, 30, ("squat", 0, 25))),
        ([*weekly("squat", -30, -2)], TooFew(SINCE, 30, 0, ("squat", 24, 0))),
    ],
    ids=["nothing", "3 weeks after", "11 before", "7 times after", "no before", "no after"],
)
def test_too_few_data_are_refused_with_what_there_is(
    exposures: list[Exposure], expected: TooFew
) -> None:
    assert before_after(exposures, SINCE) == expected


def test_eight_times_within_two_weeks_are_no_trend() -> None:
    often = [exposure("squat", week / 7, 0) for week in range(7)]
    late = [exposure("squat", 7.5 + day / 7, 0) for day in range(3)]
    found = before_after([*weekly("squat", -20, 0), *often, *late], SINCE)
    assert found == TooFew(SINCE, 20, 8, ("squat", 20, 10))


def test_as_much_as_is_asked_for_is_enough() -> None:
    found = compared([*weekly("squat", -12, 8)])
    assert (found.weeks_before, found.weeks_after, found.placebos) == (12, 8, ())
    assert found.status == "no_sign"
    assert found.pooled.slope_change.value == pytest.approx(0, abs=1e-9)


def test_the_index_of_one_lift_is_that_lift() -> None:
    drawn = random.Random(1)  # noqa: S311 - a test's seed
    values = {week: drawn.gauss(400, 3) for week in range(-12, 8) if week != -3}
    assert strength_index({"squat": values}) == pytest.approx(values)


def test_the_index_of_lifts_that_waver_alike_is_their_mean() -> None:
    """In one week both are up, in the next one up and one down."""
    ups = {"squat": (1, 1, -1, -1), "curl": (1, -1, -1, 1)}
    lifts = {
        name: {week: level + 2.0 * ups[name][week % 4] for week in range(-12, 8)}
        for name, level in (("squat", 500.0), ("curl", 300.0))
    }
    index = strength_index(lifts)
    moves = {week: index[week] - index[-12] for week in index}
    mean = {week: fmean(each[week] - each[-12] for each in lifts.values()) for week in index}
    assert moves == pytest.approx(mean, abs=0.05)


def test_a_lift_that_wavers_more_counts_less_and_one_that_wavers_less_no_more() -> None:
    """Three lifts, of which one wavers three times as much: a ninth of a vote."""
    drawn = random.Random(2)  # noqa: S311 - a test's seed
    usual = {week: drawn.gauss(0, 1) for week in range(-12, 8)}
    steady = {week: drawn.gauss(0, 0.01) for week in range(-12, 8)}
    lifts = {
        "steady": {week: 400 + off for week, off in steady.items()},
        "usual": {week: 400 + off for week, off in usual.items()},
        "wild": {week: 400 + 3 * off for week, off in usual.items()},
    }
    index = strength_index(lifts)
    for week in range(-12, 8):
        told = {name: lifts[name][week] for name in lifts}
        vote = (told["steady"] + told["usual"] + told["wild"] / 9) / (2 + 1 / 9)
        assert index[week] == pytest.approx(vote)


def test_a_lift_left_out_for_a_week_does_not_move_the_index() -> None:
    """They differ in level and slope; left out is what lies on the lift's line."""
    lines = {"squat": (500.0, 0.5), "curl": (300.0, -0.2)}
    lifts = {
        name: {week: level + slope * week for week in range(-12, 8)}
        for name, (level, slope) in lines.items()
    }
    whole = strength_index(lifts)
    for week in (-5, 2, 3):
        del lifts["curl"][week]
    assert strength_index(lifts) == pytest.approx(whole)


@pytest.mark.long
@pytest.mark.skipif(
    not all((LOGS / log.file).exists() for log in LOG_FILES), reason="the public logs are not here"
)
def test_at_made_up_dates_in_real_logs_there_is_mostly_no_sign() -> None:
    """Real strength drifts, which no model of a few weeks knows: more than 5 % are wrong."""
    found: list[BeforeAfter] = []
    for log in real_logs():
        exposures = [
            Exposure(each.exercise, each.started_at.date(), each.e1rm_kg) for each in log.exposures
        ]
        first, last = exposures[0].day, max(each.day for each in exposures)
        for week in range(40, (last - first).days // 7 - 8, 8):
            told = before_after(exposures, first + timedelta(weeks=week))
            found += [told] if isinstance(told, BeforeAfter) else []
    assert len(found) >= 20
    assert fmean(each.status == "no_sign" for each in found) >= 0.8
