"""First loads far from the usual ones, and failures at the limit."""

import pytest

from tests.coach.situations import BENCH, planned

USUAL = "3*77.5x5, 3*80x5, 3*80x5, 3*80x5"


@pytest.mark.parametrize("newest", ["3*50x5", "3*57.5x5", "3*100x5", "3*110x5"])
def test_a_load_far_from_the_usual_one_waits_for_a_second_time(newest: str) -> None:
    """The next plan followed it: 102.5 kg after 100, and 52.5 kg after 50."""
    found = planned(f"{USUAL}, {newest}", title=BENCH)
    load = newest[2:].partition("x")[0]
    assert (found.load(), found.reps(), found.slot().direction) == (80, [5] * 3, "same")
    assert "suspected_typo" in found.slot().reason_codes
    told = f"{load} kg is far from your usual 80 kg, so it counts once you repeat it."
    assert told in found.slot().reason
    again = planned(f"{USUAL}, {newest}, {newest}", title=BENCH)
    assert again.load() == float(load) + 2.5


@pytest.mark.parametrize(
    ("history", "load"),
    [
        pytest.param(f"{USUAL}, 3*85x5", 87.5, id="a large step"),
        pytest.param(f"{USUAL}, 3*65x5", 67.5, id="a light day"),
        pytest.param("3*60x5, 3*62.5x5, 3*67.5x5, 3*75x5", 77.5, id="fast progress"),
        pytest.param("3*20x8, 3*20x8, 3*20x8, 3*22.5x8", 22.5, id="a step of a light lift"),
        pytest.param("3*80x5, 3*80x5, 3*57.5x5", 60, id="too few others"),
        pytest.param("3*80x5, 3*57.5x5, 3*80x5, 3*80x5, 3*57.5x5", 60, id="a pattern"),
        pytest.param(f"{USUAL}, [3*57.5x5] 3*57.5x5", 60, id="as planned"),
        pytest.param("d60: 3*80x5, d50: 3*80x5, d44: 3*80x5, d3: 3*57.5x5", 60, id="a break"),
    ],
)
def test_an_explained_load_counts(history: str, load: float) -> None:
    assert planned(history, title=BENCH).load() == load


@pytest.mark.parametrize(
    ("newest", "most"),
    [
        ("57.5x5@10 57.5x3@10 57.5x2@10", 57.5),
        ("57.5x5 57.5x3 57.5x2", 60),
        ("3*57.5x5@10", 60),
        ("3*57.5x5@9", 60),
        ("3*50x5@10", 52.5),
        ("55x5 55x5 55x5@10", 57.5),
        ("57.5x5 55x4 55x4", 60),
    ],
)
def test_a_light_load_that_was_hard_counts_at_once(newest: str, most: float) -> None:
    """It was taken for a typing error, and 80 kg were prescribed after a failure with 57.5."""
    found = planned(f"{USUAL}, {newest}", title=BENCH)
    assert "suspected_typo" not in found.slot().reason_codes
    assert max(load or 0 for load in found.loads()) <= most


def test_a_light_load_below_its_target_counts_at_once() -> None:
    """All sets had 4 of 5 repetitions, so none had fewer than another."""
    history = f"[3*80x5] {USUAL}, [3*80x5] 3*57.5x4"
    found = planned(history, title=BENCH)
    assert "suspected_typo" not in found.slot().reason_codes
    assert found.load() == 57.5


@pytest.mark.parametrize("newest", ["3*57.5x5@8.5", "40x8 50x6 57.5x5 57.5x5 57.5x5"])
def test_a_light_load_with_something_left_waits(newest: str) -> None:
    """Fewer repetitions of more load, as in a ramp, are no failure."""
    found = planned(f"{USUAL}, {newest}", title=BENCH)
    assert "suspected_typo" in found.slot().reason_codes


def test_a_heavy_load_is_odd_in_spite_of_effort() -> None:
    assert planned(f"{USUAL}, 3*100x5@10", title=BENCH).load() == 80


def test_more_repetitions_explain_less_load() -> None:
    """57.5 kg for 15 are an estimated maximum of 86 kg; 80 kg for 5 one of 93."""
    assert planned(f"{USUAL}, 3*57.5x15", title=BENCH).load() < 80


def test_a_second_miss_in_a_row_at_the_limit_reduces() -> None:
    """It was repeated. 10 % of 80 kg are 8 kg: 72.5 kg."""
    misses = "80x5@10 80x4@10 80x4@10, 80x5@10 80x4@10 80x4@10"
    found = planned(f"[3*80x5] 3*77.5x5@9, {misses}", title=BENCH)
    assert (found.load(), found.slot().direction) == (72.5, "down")
    assert "2 misses in a row" in found.slot().reason


def test_a_second_miss_with_something_left_repeats() -> None:
    misses = "80x5@9 80x4@9 80x4@9, 80x5@9 80x4@9 80x4@9"
    assert planned(f"[3*80x5] 3*77.5x5@8, {misses}", title=BENCH).load() == 80
