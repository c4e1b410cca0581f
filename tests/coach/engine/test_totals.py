"""Progress by the sum of the repetitions, and by a distance."""

import pytest

from tests.coach.builders import (
    BENCH,
    CURL,
    Done,
    exposure,
    fixed,
    loads,
    prescribe_slot,
    ranged,
    reps,
    rules,
    slot,
)

CARRY = {
    **CURL,
    "exercise_title": "Farmer's Walk",
    "exercise_type": "short_distance_weight",
}


class TestRepSum:
    RULE = rules(BENCH, model="rep_sum", rep_sum=25)

    @pytest.mark.parametrize(
        ("done", "expected_kg", "expected_reps"),
        [
            ([10, 9, 6], 82.5, [9, 8, 8]),
            ([10, 8, 6], 80, [10, 8, 7]),
            ([12, 12, 1], 82.5, [9, 8, 8]),
        ],
        ids=["reached", "one short", "however they are spread"],
    )
    def test_the_sum_decides(
        self, done: list[int], expected_kg: float, expected_reps: list[int]
    ) -> None:
        history = exposure([(80, each) for each in done])
        decided = prescribe_slot(slot(BENCH, fixed(3, 80, 8), [history]), self.RULE)
        assert (loads(decided), reps(decided)) == ([expected_kg] * 3, expected_reps)

    def test_a_set_left_out_is_no_success(self) -> None:
        sets = fixed(3, 80, 8)
        history = exposure([(80, 13), (80, 12)], sets, skipped=[2])
        decided = prescribe_slot(slot(BENCH, sets, [history]), self.RULE)
        assert loads(decided) == [80] * 3
        assert "sets_missing" in decided.reason_codes

    def test_goals_stay_in_the_range_of_the_routine(self) -> None:
        history = exposure([(80, 12), (80, 6), (80, 3)])
        decided = prescribe_slot(slot(BENCH, ranged(3, 80, 6, 10), [history]), self.RULE)
        assert reps(decided) == [10, 6, 6]


class TestDistance:
    SETS = ({"weight_kg": 24, "distance_m": 40},) * 2

    @pytest.mark.parametrize(
        ("metres", "expected_kg", "code"),
        [
            ([40, 40], 26, "distance_reached"),
            ([50, 41], 26, "distance_reached"),
            ([40, 30], 24, "missed_distance"),
        ],
    )
    def test_a_carry_gets_heavier_when_all_of_it_was_walked(
        self, metres: list[int], expected_kg: float, code: str
    ) -> None:
        done = exposure([(24.0, None), (24.0, None)], self.SETS)
        sets = tuple(
            each.model_copy(update={"distance_m": walked})
            for each, walked in zip(done.sets, metres, strict=True)
        )
        decided = prescribe_slot(slot(CARRY, self.SETS, [done.model_copy(update={"sets": sets})]))
        assert loads(decided) == [expected_kg] * 2
        assert [each.distance_m for each in decided.sets] == [40, 40]
        assert (decided.rule, decided.reason_codes[0]) == ("distance", code)

    def test_without_a_distance_in_the_routine_nothing_is_judged(self) -> None:
        done: list[Done] = [(24, None)]
        walked = exposure(done, [{"weight_kg": 24}])
        walked = walked.model_copy(
            update={"sets": (walked.sets[0].model_copy(update={"distance_m": 40}),)}
        )
        decided = prescribe_slot(slot(CARRY, [{"weight_kg": 24}], [walked]))
        assert (loads(decided), decided.reason_codes) == ([24], ("no_target",))

    def test_a_carry_without_a_load_is_the_athletes_own(self) -> None:
        done = exposure([(None, None)], [{}])
        walked = done.model_copy(
            update={"sets": (done.sets[0].model_copy(update={"distance_m": 40}),)}
        )
        decided = prescribe_slot(slot(CARRY, [{"distance_m": 40}], [walked]))
        assert decided.reason_codes == ("not_progressed",)
