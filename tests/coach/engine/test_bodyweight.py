"""More repetitions and more seconds, branch by branch."""

import pytest

from tests.coach.builders import (
    PLANK,
    PULL_UP,
    Done,
    exposure,
    exposure_set,
    fixed,
    loads,
    prescribe_slot,
    ranged,
    reps,
    rules,
    slot,
    timed_exposure,
)

FIVES = fixed(3, 100, 5)
MISS: list[Done] = [(100.0, 5), (100.0, 5), (100.0, 3)]
WEIGHTED = {**PULL_UP, "exercise_type": "bodyweight_weighted", "exercise_title": "Chin Up"}
DIP_RANGE = ranged(3, None, 6, 10)


class TestUnloaded:
    def test_the_first_set_below_the_top_gets_one_more(self) -> None:
        done = exposure([(None, 10), (None, 8), (None, 5)], DIP_RANGE)
        decided = prescribe_slot(slot(PULL_UP, DIP_RANGE, [done]))
        assert reps(decided) == [10, 9, 6]
        assert decided.reason == "Set 3 fell below 6 reps: one more on set 2."

    def test_the_top_of_the_range_asks_for_load(self) -> None:
        done = exposure([(None, 10)] * 3, DIP_RANGE)
        decided = prescribe_slot(slot(PULL_UP, DIP_RANGE, [done]))
        assert (loads(decided), reps(decided)) == ([None] * 3, [11, 10, 10])
        assert "Time for Pull Up (Weighted) with the smallest plate" in decided.reason

    def test_the_first_plate_is_added_where_it_can_be(self) -> None:
        done = exposure([(None, 10)] * 3, DIP_RANGE)
        decided = prescribe_slot(slot(WEIGHTED, DIP_RANGE, [done]))
        assert (loads(decided), reps(decided)) == ([2.5] * 3, [6] * 3)

    def test_added_load_progresses_like_any_load(self) -> None:
        sets = ranged(2, 10, 6, 10)
        decided = prescribe_slot(slot(WEIGHTED, sets, [exposure([(10, 10)] * 2, sets)]))
        assert (loads(decided), reps(decided)) == ([12.5] * 2, [6] * 2)

    def test_a_set_left_out_at_the_top_holds(self) -> None:
        done = exposure([(None, 10)] * 2, DIP_RANGE, skipped=[2])
        decided = prescribe_slot(slot(WEIGHTED, DIP_RANGE, [done]))
        assert (loads(decided), reps(decided)) == ([None] * 3, [10, 10, 6])

    @pytest.mark.parametrize(
        ("done", "expected"),
        [
            ([(None, 15), (None, 15), (None, 15)], [16, 15, 15]),
            ([(None, 16), (None, 15), (None, 15)], [16, 16, 15]),
            ([(None, 15), (None, 15), (None, 11)], [15, 15, 15]),
        ],
        ids=["one more on the first", "one more on the weakest", "a missed goal is repeated"],
    )
    def test_without_a_range_one_repetition_is_added(
        self, done: list[Done], expected: list[int]
    ) -> None:
        sets = fixed(3, None, 15)
        assert reps(prescribe_slot(slot(PULL_UP, sets, [exposure(done, sets)]))) == expected

    def test_an_open_range_grows_from_what_was_done(self) -> None:
        sets = ranged(2, None, 8, None)
        grown = prescribe_slot(slot(PULL_UP, sets, [exposure([(None, 11), (None, 9)], sets)]))
        missed = prescribe_slot(slot(PULL_UP, sets, [exposure([(None, 11), (None, 7)], sets)]))
        assert (reps(grown), reps(missed)) == ([11, 10], [11, 8])

    def test_the_cap_counts_without_a_load_too(self) -> None:
        sets = fixed(2, None, 15)
        done = exposure([(None, 15, 9.5), (None, 15, 9.0)], sets)
        decided = prescribe_slot(slot(PULL_UP, sets, [done]), rules(PULL_UP, rpe_cap=9.0))
        assert (reps(decided), decided.reason_codes) == ([15] * 2, ("rpe_cap",))

    @pytest.mark.parametrize(
        ("seconds", "plan", "expected"),
        [
            ([60, 45], [60, 45], [65, 50]),
            ([60, 40], [60, 45], [60, 45]),
            ([70, 50], None, [75, 55]),
        ],
        ids=["held", "missed", "unknown plan"],
    )
    def test_holds_grow_by_five_seconds(
        self, seconds: list[int], plan: list[int] | None, expected: list[int]
    ) -> None:
        sets = [{"duration_s": 60}, {"duration_s": 45}]
        decided = prescribe_slot(slot(PLANK, sets, [timed_exposure(seconds, plan)]))
        assert [each.duration_s for each in decided.sets] == expected

    def test_a_hold_with_less_load_than_planned_is_repeated(self) -> None:
        sets = [{"duration_s": 60, "weight_kg": 20}]
        done = timed_exposure([60], [60])
        lighter = exposure_set(
            0, (10, None), None, duration_s=60, planned_set_index=0, planned_weight_kg=20
        )
        decided = prescribe_slot(slot(PLANK, sets, [done.model_copy(update={"sets": (lighter,)})]))
        assert (decided.sets[0].duration_s, loads(decided)) == (60, [20])
        assert "lighter_than_planned" in decided.reason_codes
