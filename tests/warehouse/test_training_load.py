"""The load model equals the recursion of the textbook, over years."""

import statistics
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import pytest

from tests.warehouse.payloads import Json
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.years_of_training import VETERAN, sessions

_CTL_LAMBDA = 2 / (42 + 1)
_ATL_LAMBDA = 2 / (7 + 1)


@pytest.fixture(scope="module")
def days(warehouse: ScratchWarehouse) -> list[Json]:
    return warehouse.rows(
        """
        select * from marts.fct_training_load_day where athlete_id = $athlete order by date_day
        """,
        athlete=VETERAN,
    )


def loads_by_hand() -> list[int]:
    """Return the hard sets of each day, from the first with a workout to the last."""
    done = sessions()
    hard_sets: Counter[object] = Counter()
    for session in done:
        hard_sets[session.day] += sum(one.is_hard for one in session.sets)
    span = (done[-1].day - done[0].day).days
    return [hard_sets[done[0].day + timedelta(days=past)] for past in range(span + 1)]


def moving_average(loads: Sequence[float], weight: float) -> list[float]:
    average, averages = 0.0, []
    for load in loads:
        average += weight * (load - average)
        averages.append(average)
    return averages


def test_each_day_from_the_first_to_the_last_has_its_load(days: list[Json]) -> None:
    assert [row["training_load"] for row in days] == loads_by_hand()
    first = sessions()[0].day
    assert [(row["date_day"] - first).days for row in days] == list(range(len(days)))
    assert len(days) > 2 * 1024  # more than the block size of the averages
    assert {row["load_method"] for row in days} == {"hard_sets"}


@pytest.mark.parametrize(("name", "weight"), [("ctl", _CTL_LAMBDA), ("atl", _ATL_LAMBDA)])
def test_averages_are_those_of_the_recursion(days: list[Json], name: str, weight: float) -> None:
    expected = moving_average(loads_by_hand(), weight)
    assert [row[name] for row in days] == pytest.approx(expected, abs=1e-9)


def test_the_balance_is_that_of_the_day_before(days: list[Json]) -> None:
    loads = loads_by_hand()
    chronic, acute = moving_average(loads, _CTL_LAMBDA), moving_average(loads, _ATL_LAMBDA)
    balances = [one - other for one, other in zip(chronic, acute, strict=True)]
    assert [row["tsb"] for row in days] == pytest.approx([0, *balances[:-1]], abs=1e-9)


def test_monotony_and_strain_are_of_seven_days(days: list[Json]) -> None:
    loads = loads_by_hand()
    assert [row["monotony"] for row in days[:6]] == [None] * 6
    for end, row in enumerate(days[6:], start=7):
        week = loads[end - 7 : end]
        if len(set(week)) == 1:
            assert (row["monotony"], row["strain"]) == (None, None)
            continue
        monotony = statistics.mean(week) / statistics.stdev(week)
        assert row["monotony"] == pytest.approx(monotony, abs=1e-9)
        assert row["strain"] == pytest.approx(sum(week) * monotony, abs=1e-9)


def test_a_month_without_a_workout_has_no_monotony(days: list[Json]) -> None:
    assert any(row["weekly_load"] == 0 and row["monotony"] is None for row in days)


def test_the_unknown_start_weighs_less_than_five_percent_from_day_63_on(days: list[Json]) -> None:
    assert [row["is_warming_up"] for row in days] == [True] * 62 + [False] * (len(days) - 62)
    assert {row["lambda_convention"] for row in days} == {"2/(N+1)"}
