"""Added and assisted loads: reductions and breaks use the total moved, with the body weight."""

from datetime import timedelta

import duckdb
import pytest

from coach_agent.planning.decide import circumstances_of
from coach_agent.situation.situation import BodyWeight, read_body_weights
from hevy_connector.raw.tables import create_raw_tables
from tests.coach.builders import NOW, profile, situation
from tests.coach.situations import Planned, planned

DIP, ASSISTED = "Triceps Dip (Weighted)", "Pull Up (Assisted)"
DIPS = "[3*20x6-8] 3*17.5x8, 3*20x8"


@pytest.mark.parametrize(
    ("body_kg", "days", "load", "reps"),
    [
        # 8 weeks off leave 89.1 % of 100 kg, 9.1 kg more than the body; plates make 8.75.
        (80, 60, 8.75, 6),
        # 89.1 % of 140 kg are 4.7 kg more than the body: 5.
        (120, 60, 5, 6),
        # 26 weeks leave 73.9 % of 100 kg: less than the body, for 3.6 repetitions of it.
        (80, 182, 0.0, 3),
    ],
)
def test_a_break_reduces_the_total_moved(body_kg: float, days: int, load: float, reps: int) -> None:
    """20 kg became 18 after 8 weeks, although the body had lost as much strength."""
    found = planned(DIPS, title=DIP, days_off=days, body_weight_kg=body_kg)
    assert (found.loads(), found.reps()) == ([load] * 2, [reps] * 2)
    assert f"bw{f'+{load:g} kg' if load else ''} instead of bw+20 kg" in found.text


def test_assistance_grows_with_the_total_after_a_break() -> None:
    """89.1 % of 80 - 20 kg are 53.5 kg: 26.5 kg of assistance, and the pin of 25."""
    found = planned("[3*20x6-8] 2*(3*20x7)", title=ASSISTED, days_off=60, body_weight_kg=80)
    assert found.load() == 25
    longer = planned("[3*20x6-8] 2*(3*20x7)", title=ASSISTED, days_off=182, body_weight_kg=80)
    assert longer.load() == 35  # 74.6 % of 60 kg are 44.8


def test_without_the_smallest_plate_the_body_alone_is_left() -> None:
    """7.5 % off 80 + 5 kg are less than the body: the plate goes, and repetitions stay."""
    misses = "5x5 5x5 5x5, 5x5 5x5 5x5"
    found = planned(f"[3*5x6-8] 3*5x6, {misses}", title=DIP, body_weight_kg=80)
    assert (found.loads(), found.reps()) == ([0, 0, 0], [6, 6, 6])
    assert "down to body weight alone" in found.slot().reason


def test_a_deload_reduces_the_total_moved() -> None:
    """10 % of 80 + 20 kg are 10 kg: bw+10 kg; half of the sets."""
    found = planned(DIPS, title=DIP, said={"deload": ("all",)}, body_weight_kg=80)
    assert found.loads() == [10, 10]


ASSUMED = "Assumes that you weigh 70 kg: log your weight in Hevy, or set body_weight_kg."


def test_a_plan_that_assumes_a_body_weight_says_so() -> None:
    assert ASSUMED in planned(DIPS, title=DIP).text
    assert "154 lb" in planned("2*(3*45x8)", title=DIP, unit="lb").text
    for known in (planned(DIPS, title=DIP, body_weight_kg=80), planned("2*(3*80x5)")):
        assert "Assumes that you weigh" not in known.text
    assert planned(DIPS, title=DIP).load() == 22.5


def test_a_measured_weight_counts_for_a_year_and_then_that_of_the_profile() -> None:
    def used(days: int, **values: float) -> float | None:
        measured = BodyWeight(measured_on=NOW.date() - timedelta(days=days), weight_kg=91)
        known = situation([], body_weight=measured)
        return circumstances_of(known, profile(**values)).body_kg

    assert used(365, body_weight_kg=80) == 91
    assert used(366, body_weight_kg=80) == 80
    assert used(366) is None

    def after(days: int) -> Planned:
        measured = BodyWeight(measured_on=NOW.date() - timedelta(days=days), weight_kg=120)
        return planned(DIPS, title=DIP, days_off=60, known={"body_weight": measured})

    assert (after(30).load(), ASSUMED in after(30).text) == (5, False)
    assert ASSUMED in after(400).text


def test_the_newest_measurement_of_the_account_counts() -> None:
    def measured(day: str, weight: str, at: int, *, is_deleted: bool = False) -> None:
        con.execute(
            "insert into raw.hevy_body_measurements values "
            "('a', $1, $2, '', null, $3, 'run', 'api', $4)",
            [day, f'{{"date": "{day}", "weight_kg": {weight}}}', NOW.replace(day=at), is_deleted],
        )

    with duckdb.connect() as con:
        create_raw_tables(con)
        measured("2026-02-20", "82", 1)
        measured("2026-02-20", "81.5", 2)
        measured("2026-02-25", "70", 1)
        measured("2026-02-25", "70", 2, is_deleted=True)
        measured("2026-02-24", "84", 1)
        measured("2026-02-24", "null", 2)  # removed in Hevy; 84 kg were used on
        measured("2026-02-26", "null", 1)
        measured("2026-03-09", "90", 1)
        found = read_body_weights(con, {"a": NOW.date(), "b": NOW.date()})
    day = NOW.date().replace(month=2, day=20)
    assert found == {"a": BodyWeight(measured_on=day, weight_kg=81.5)}
