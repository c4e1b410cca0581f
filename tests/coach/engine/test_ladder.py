from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.loads.plates import (
    Loads,
    assistance_loads,
    barbell_loads,
    listed_loads,
    plate_loads,
    stepped_loads,
)

GYM = barbell_loads(20.0, (20.0, 20.0, 15.0, 10.0, 5.0, 2.5, 1.25))
POUND_KG = 0.45359237


def ladder(loads: Loads, increment_kg: float, jump_pct: float = 5.0) -> Ladder:
    return Ladder(loads, increment_kg, jump_pct, is_whole_load=True, is_assistance=False)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [(101.3, 102.5), (103.7, 102.5), (98.75, 97.5), (47, 47.5), (19, 20)],
)
def test_targets_round_to_the_nearest_load_and_ties_go_down(wanted: float, expected: float) -> None:
    assert GYM.nearest(wanted) == expected


@pytest.mark.parametrize(("wanted", "expected"), [(101.3, 100), (100, 100), (19.9, None)])
def test_reductions_round_down(wanted: float, expected: float | None) -> None:
    assert GYM.floor(wanted) == expected


def test_b8_plate_arithmetic_is_exact() -> None:
    """Filling up from the heaviest plate would take the 15 and end at 50."""
    assert barbell_loads(20.0, (15.0, 10.0, 10.0)).nearest(60) == 60


def test_the_ends_of_a_rack_have_no_neighbour() -> None:
    rack = listed_loads((4.0, 2.0, 6.0, 4.0))
    assert rack.loads_kg == (2, 4, 6)
    assert (rack.next_below(2), rack.next_above(6)) == (None, None)
    assert (rack.next_below(6), rack.next_above(2), rack.next_above(3.5)) == (4, 4, 4)


def test_single_plates_come_in_twos() -> None:
    assert plate_loads((2.5, 5.0)).loads_kg == (2.5, 5, 7.5, 10, 12.5, 15)


def test_a_stack_is_counted_from_a_load_that_was_done() -> None:
    stack = stepped_loads(5.0, 47.5, up_to_kg=57.5)
    assert (stack.next_below(47.5), stack.next_above(47.5), stack.lightest) == (42.5, 52.5, 2.5)


def test_assistance_ends_at_none() -> None:
    assistance = assistance_loads(5.0, -12.0, 0.0)
    assert assistance.next_above(-12) == -7
    assert (assistance.next_above(-2), assistance.next_above(0)) == (0, None)
    assert assistance.next_below(-12) == -17
    assert assistance_loads(2.25, -2.3, 0.0).next_above(-2.3) == 0


def test_the_step_from_the_last_assistance_to_none_is_a_step() -> None:
    ladder = Ladder(assistance_loads(5.0, -4.5, 0.0), 5.0, 5.0, False, True)
    assert ladder.up(-4.5) == ladder.highest_from(-4.5) == ladder.within_cap(0.0, -4.5) == 0


@given(
    pairs=st.lists(st.sampled_from([0.5, 1.25, 2.5, 5.0, 10.0, 20.0]), min_size=1, max_size=6),
    wanted=st.floats(0, 120),
)
def test_loads_are_exactly_the_subset_sums(pairs: list[float], wanted: float) -> None:
    loads = barbell_loads(20.0, tuple(pairs))
    sums = {
        20 + 2 * sum(chosen)
        for size in range(len(pairs) + 1)
        for chosen in combinations(pairs, size)
    }
    assert set(loads.loads_kg) == sums
    below = [load for load in sums if load <= wanted + 0.001]  # distinguished to the gram
    assert loads.floor(wanted) == (max(below) if below else None)
    # Of two that differ by grams the lower one is taken.
    nearest = loads.nearest(wanted)
    least_kg = min(abs(load - wanted) for load in sums)
    assert nearest in sums
    assert abs(nearest - wanted) <= least_kg + (0.0101 if nearest < wanted else 0)


class TestSteps:
    def test_e4_an_increment_never_rounds_to_zero(self) -> None:
        """A stack in 10 lb with a wished step of 5 lb: 65 rounds back to 60, so it is 70."""
        stack = stepped_loads(10 * POUND_KG, 60 * POUND_KG, up_to_kg=80 * POUND_KG)
        stepped = ladder(stack, 5 * POUND_KG).up(60 * POUND_KG)
        assert stepped == pytest.approx(70 * POUND_KG, abs=0.001)

    def test_e4_any_load_is_possible_where_nothing_is_known(self) -> None:
        assert ladder(stepped_loads(10.0, 397.0, up_to_kg=417.0), 10.0).up(397) == 407

    @pytest.mark.parametrize(
        ("loads", "increment_kg", "base", "expected"),
        [
            pytest.param(GYM, 5.0, 100.0, 105.0, id="within the cap"),
            pytest.param(GYM, 5.0, 80.0, 82.5, id="above the cap: smallest step"),
            pytest.param(listed_loads((6.0, 8.0)), 2.0, 6.0, 8.0, id="smallest step above the cap"),
            pytest.param(GYM, 2.5, 99.9, 102.5, id="grams are no step"),
            pytest.param(GYM, 2.5, 61.3, 62.5, id="from a load between two"),
            pytest.param(listed_loads((50.0,)), 2.0, 50.0, None, id="nothing heavier"),
        ],
    )
    def test_a_step_is_the_increment_within_the_cap(
        self, loads: Loads, increment_kg: float, base: float, expected: float | None
    ) -> None:
        assert ladder(loads, increment_kg).up(base) == expected

    @pytest.mark.parametrize(
        ("base", "expected"),
        [(60, 52.5), (100, 90), (22.5, 20), (21, 20), (20, None)],
        ids=["snapped down", "exact", "bar", "never up", "bottom"],
    )
    def test_a_reset_rounds_down_and_never_back_up(
        self, base: float, expected: float | None
    ) -> None:
        assert ladder(GYM, 2.5).reset(base, 0.9) == expected

    @pytest.mark.parametrize(
        ("done", "expected"),
        [(61.3, 60), (59.9, 60), (45.36, 45), (12, 12)],
        ids=["down", "grams", "pounds", "below the bar"],
    )
    def test_a_repeated_load_exists_or_is_the_next_one_down(
        self, done: float, expected: float
    ) -> None:
        assert ladder(GYM, 2.5).existing(done) == expected
