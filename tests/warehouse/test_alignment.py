from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from tests.warehouse.alignment_cases import ALIGNMENT_CASES, Set
from tests.warehouse.scratch import ScratchWarehouse

Pairs = tuple[tuple[int, int], ...]


def cost(planned: Set, done: Set) -> Fraction:
    """Return the relative difference of the loads plus 0.05 per repetition, at most 0.95."""
    load = Fraction(0)
    if planned[0] is not None and done[0] is not None:
        load = abs(Fraction(done[0]) - Fraction(planned[0])) / Fraction(planned[0])
    return min(Fraction(95, 100), load + abs(done[1] - planned[1]) * Fraction(5, 100))


def cheapest(plan: Sequence[Set], done: Sequence[Set]) -> Pairs:
    """Return the cheapest way to pair in order; of equal ones that with the earliest partners."""
    count = min(len(plan), len(done))
    ways = [
        tuple(zip(planned, performed, strict=True))
        for planned in combinations(range(len(plan)), count)
        for performed in combinations(range(len(done)), count)
    ]
    return min(ways, key=lambda way: (sum(cost(plan[i], done[j]) for i, j in way), way))


def test_no_other_alignment_is_cheaper(warehouse: ScratchWarehouse) -> None:
    rows = warehouse.rows(
        """
        select
            workout_id,
            list((planned_set_index, performed_set_index) order by planned_set_index) as pairs
        from marts.fct_plan_compliance
        where
            athlete_id = 'aligner'
            and planned_set_index is not null and performed_set_index is not null
        group by workout_id
        """
    )
    found = {row["workout_id"]: tuple(row["pairs"]) for row in rows}
    expected = {case.workout_id: cheapest(case.plan, case.done) for case in ALIGNMENT_CASES}
    assert found == expected
