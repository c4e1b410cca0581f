"""Response to volume: the mart equals an independent computation, which finds planted slopes."""

from datetime import date
from random import Random

import pytest

from orchestration.services.programmes.volume_responses import read_responses
from tests.warehouse.conftest import Nights
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.series import by
from tests.warehouse.stories import RESPONDER
from tests.warehouse.volume_response_oracle import (
    LEAST_PERIODS,
    Period,
    periods_by_muscle,
    responses,
)

NUMBERS = ("least_weekly_sets", "most_weekly_sets", "slope_pct", "lower_pct", "upper_pct")


def test_estimates_are_those_of_the_independent_computation(warehouse: ScratchWarehouse) -> None:
    rows = by(
        warehouse.rows("select * from marts.fct_volume_response"),
        *("athlete_id", "changed_date", "muscle_group"),
    )
    expected = {}
    for athlete_id, periods in _periods(warehouse).items():
        for day in {end for of_muscle in periods.values() for end in of_muscle}:
            known = {
                muscle: [period for end, period in of_muscle.items() if end <= day]
                for muscle, of_muscle in periods.items()
                if min(of_muscle) <= day
            }
            for muscle, response in responses(known).items():
                expected[athlete_id, day, muscle] = response
    assert rows.keys() == expected.keys()
    for key, response in expected.items():
        [row] = rows[key]
        assert (row["verdict"], row["period_count"]) == response[:2], key
        for name, value in zip(NUMBERS, response[2:], strict=True):
            assert row[name] == pytest.approx(value, abs=1e-9), (key, name)
    assert {response.verdict for response in expected.values()} == {
        *("more_helps", "less_helps", "not_enough_data")
    }


def test_a_period_counts_once_the_athlete_trains_after_it(nights: Nights) -> None:
    """The first night has no workout after the eighth period; the second one does."""
    current = """
        select muscle_group, verdict, period_count, least_weekly_sets, most_weekly_sets,
            changed_date
        from marts.fct_volume_response
        where athlete_id = $athlete and next_change_date is null order by muscle_group
    """
    before, after = (nights.after(night).rows(current, athlete=RESPONDER) for night in (1, 2))
    assert [tuple(row.values()) for row in after] == [
        ("biceps", "not_enough_data", 4, 3.0, 3.0, date(2026, 2, 16)),
        ("chest", "more_helps", 8, 4.0, 12.0, date(2026, 2, 16)),
        ("lats", "less_helps", 8, 2.0, 10.0, date(2026, 2, 16)),
    ]
    assert [(row["period_count"], row["changed_date"]) for row in before] == [
        (count, date(2025, 12, 22)) for count in (3, 7, 7)
    ]


def test_programmes_read_the_informative_responses(warehouse: ScratchWarehouse) -> None:
    """Lats are the back; the biceps has too few periods."""
    with warehouse.connection() as con:
        back, chest = read_responses(con, RESPONDER)
        assert read_responses(con, "nobody") == ()
    assert (back.muscle, back.least_sets, back.most_sets) == ("back", 2.0, 10.0)
    assert (chest.muscle, chest.least_sets, chest.most_sets) == ("chest", 4.0, 12.0)
    assert back.high_pct < 0 < chest.low_pct


def simulated(seed: int, slope: float, periods: int = 12) -> dict[str, list[Period]]:
    """Periods of three muscles with 10 sets, give or take 4, and gains with a noise of 2 %."""
    rng = Random(seed)  # noqa: S311 - reproducible noise, not a secret
    found: dict[str, list[Period]] = {}
    for muscle in ("back", "chest", "quadriceps"):
        base = rng.uniform(0, 2)
        for _ in range(periods):
            sets = max(0.0, rng.gauss(10, 4))
            gain = base + slope * (sets - 10) + rng.gauss(0, 2)
            found.setdefault(muscle, []).append((sets, gain))
    return found


@pytest.mark.parametrize("slope", [-0.15, 0.15])
def test_a_planted_slope_lies_in_its_interval(slope: float) -> None:
    """The intervals have 90 %; over 100 lifters at least 80 % of them hold the slope."""
    found = [each for seed in range(100) for each in responses(simulated(seed, slope)).values()]
    inside = [each.lower_pct <= slope <= each.upper_pct for each in found]
    assert sum(inside) >= 0.8 * len(inside)


def test_a_clear_slope_is_found_with_its_sign() -> None:
    for slope, verdict in ((0.4, "more_helps"), (-0.4, "less_helps")):
        found = responses(simulated(1, slope, periods=30))
        assert {each.verdict for each in found.values()} == {verdict}


def test_without_a_response_there_is_not_enough_data() -> None:
    found = [each for seed in range(100) for each in responses(simulated(seed, 0.0)).values()]
    wrong = [each for each in found if each.verdict != "not_enough_data"]
    assert len(wrong) <= 0.1 * len(found)


def test_even_sets_and_few_periods_are_not_enough() -> None:
    """Even sets show nothing; the interval is that of the prior, 1.6449 x 0.1304."""
    even = responses({"chest": [(10.0, gain) for gain in (0.5, 1.0, 1.5, 1.0, 0.5, 1.5, 2.0)]})
    assert (even["chest"].slope_pct, even["chest"].verdict) == (0.0, "not_enough_data")
    assert even["chest"].upper_pct == pytest.approx(0.2145, abs=1e-4)
    steep = {"chest": [(float(sets), 3.0 * sets) for sets in range(LEAST_PERIODS - 1)]}
    assert responses(steep)["chest"].verdict == "not_enough_data"


def test_a_muscle_without_a_slope_learns_from_others() -> None:
    many = [(float(sets), 0.3 * sets) for sets in range(20)]
    found = responses({"chest": many, "back": [(10.0, 1.0)]})
    assert 0 < found["back"].slope_pct < found["chest"].slope_pct < 0.3
    assert found["back"].verdict == "not_enough_data"


def _periods(warehouse: ScratchWarehouse) -> dict[str, dict[str, dict[date, Period]]]:
    maxima = by(
        warehouse.rows("""
            select sessions.*, exercises.primary_muscle_group
            from marts.fct_exercise_session as sessions
            inner join marts.dim_exercise as exercises using (athlete_id, exercise_key)
            inner join marts.dim_muscle_group as groups
                on exercises.primary_muscle_group = groups.muscle_group
            where sessions.e1rm_kg is not null and groups.region is not null
            order by sessions.started_at, sessions.workout_id
        """),
        "athlete_id",
    )
    weeks = warehouse.rows("""
        select athlete_id, muscle_group, week_start_date, fractional_set_count
        from marts.fct_muscle_week where volume_band is not null
    """)
    workouts = by(
        warehouse.rows("select athlete_id, week_start_date from marts.fct_workout"), "athlete_id"
    )
    found = {}
    for (athlete_id,), own in maxima.items():
        weekly_sets = {
            (row["muscle_group"], row["week_start_date"]): row["fractional_set_count"]
            for row in weeks
            if row["athlete_id"] == athlete_id
        }
        trained = [row["week_start_date"] for row in workouts[athlete_id,]]
        found[athlete_id] = periods_by_muscle(weekly_sets, own, trained)
    return found
