"""Attempts that no decision may rest on: for another target, or with a mistyped load."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.context import Exposure
from tests.coach.builders import (
    BENCH,
    CURL,
    PULL_UP,
    Done,
    applied,
    exposure,
    fixed,
    loads,
    plan_for,
    prescribe_slot,
    ranged,
    reps,
    routine,
    slot,
)

FIVES = fixed(3, 100, 5)
RANGE = ranged(3, 60, 8, 10)


def unplanned(*workouts: tuple[float, tuple[int, ...]]) -> list[Exposure]:
    """Workouts of an unknown plan, newest first: the load and the repetitions of each set."""
    return [
        exposure([(load_kg, done) for done in repetitions], days_ago=3 * place)
        for place, (load_kg, repetitions) in enumerate(workouts)
    ]


def benched(*newest_kg: float, sets: int = 3) -> list[Exposure]:
    """Workouts as planned but for the newest one, whose plan was the load before."""
    planned_kg = (*newest_kg[1:2], *newest_kg[1:])
    return [
        exposure([(done_kg, 5)] * sets, fixed(sets, plan_kg, 5), days_ago=3 * place)
        for place, (done_kg, plan_kg) in enumerate(zip(newest_kg, planned_kg, strict=True))
    ]


class TestUnknownPlan:
    @pytest.mark.parametrize(
        ("workouts", "expected", "codes"),
        [
            ([(100, (4, 4, 3)), (100, (5, 5, 5))], 100, ("missed_reps", "rpe_unknown")),
            ([(100, (3, 3, 2)), (100, (5, 5, 5))], 100, ("missed_reps", "rpe_unknown")),
            (
                [(100, (4, 4, 3))] * 3 + [(100, (5, 5, 5))],
                90,
                ("missed_reps", "reset", "rpe_unknown"),
            ),
            ([(100, (4, 4, 3))], 100, ("missed_reps", "rpe_unknown")),
            ([(87.5, (2, 2, 2)), (100, (5, 5, 5))], 87.5, ("missed_reps", "rpe_unknown")),
            ([(110, (3, 3, 2)), (100, (5, 5, 5))], 110, ("missed_reps", "rpe_unknown")),
        ],
        ids=[
            "all sets below",
            "far below, same load",
            "three in a row",
            "never reached",
            "far below, lighter",
            "far below, ten percent heavier",
        ],
    )
    def test_a_failure_on_all_sets_counts(
        self, workouts: list[tuple[float, tuple[int, ...]]], expected: float, codes: tuple[str, ...]
    ) -> None:
        """It was dropped, an older success became the last one, and the load went up."""
        decided = prescribe_slot(slot(BENCH, FIVES, unplanned(*workouts)))
        assert (loads(decided), decided.reason_codes) == ([expected] * 3, codes)

    def test_a_failure_below_the_range_counts(self) -> None:
        history = unplanned((60, (7, 6, 5)), (60, (10, 10, 10)))
        decided = prescribe_slot(slot(BENCH, RANGE, history))
        assert (loads(decided), reps(decided)) == ([60] * 3, [8, 8, 8])
        assert decided.reason_codes == ("below_range", "rpe_unknown")

    def test_a_failure_without_a_load_counts(self) -> None:
        sets = ranged(2, None, 8, 12)
        history = [exposure([(None, 4)] * 2, days_ago=1), exposure([(None, 12)] * 2, days_ago=4)]
        assert reps(prescribe_slot(slot(PULL_UP, sets, history))) == [8, 8]

    def test_newer_work_of_another_kind_holds_what_was_done_before(self) -> None:
        """5 x 80 kg is far from 8-10 and a third heavier than 60 kg: no failure, and no rise."""
        history = unplanned((80, (5, 5, 5)), (60, (10, 10, 10)))
        decided = prescribe_slot(slot(BENCH, RANGE, history))
        assert (loads(decided), reps(decided)) == ([60] * 3, [10] * 3)
        assert decided.reason_codes == ("other_work", "rpe_unknown")
        assert decided.reason == (
            "80 kg for far fewer reps looks like other work and was left out. "
            "No increase on older training: repeat 60 kg."
        )

    def test_older_work_of_another_kind_holds_nothing(self) -> None:
        history = unplanned((60, (10, 10, 10)), (80, (5, 5, 5)), (60, (10, 10, 10)))
        assert loads(prescribe_slot(slot(BENCH, RANGE, history))) == [62.5] * 3

    def test_a_range_filled_further_before_other_work_is_not_raised_either(self) -> None:
        history = unplanned((80, (5, 5, 5)), (60, (10, 9, 8)))
        decided = prescribe_slot(slot(BENCH, RANGE, history))
        assert (loads(decided), reps(decided)) == ([60] * 3, [10, 9, 8])

    @given(
        newest=st.tuples(
            st.sampled_from([40.0, 60.0, 90.0, 100.0, 105.0, 120.0, 860.0]),
            st.tuples(*[st.integers(0, 4)] * 3),
        ),
        older=st.lists(
            st.tuples(
                st.sampled_from([90.0, 97.5, 100.0, 102.5]), st.tuples(*[st.integers(3, 6)] * 3)
            ),
            max_size=9,
        ),
    )
    def test_a_failure_is_never_followed_by_an_increase(
        self,
        newest: tuple[float, tuple[int, ...]],
        older: list[tuple[float, tuple[int, ...]]],
    ) -> None:
        history = unplanned(newest, *older)
        decided = prescribe_slot(slot(BENCH, fixed(3, 97.5, 5), history))
        if "target_changed" in decided.reason_codes:
            assert loads(decided) == [97.5] * 3
        elif {"suspected_typo", "other_work"} & set(decided.reason_codes):
            assert max(each or 0 for each in loads(decided)) <= max(load for load, _ in older)
        else:
            assert max(each or 0 for each in loads(decided)) <= newest[0]


class TestTypingErrors:
    @pytest.mark.parametrize(
        ("newest_kg", "expected", "is_ignored"),
        [
            (860.0, 87.5, True),
            (8.6, 87.5, True),
            (142.5, 87.5, True),
            (140.0, 142.5, False),
            (32.5, 87.5, True),
            (35.0, 35.0, False),
        ],
        ids=["ten times", "a tenth", "above 1.6 x", "1.6 x", "below 0.4 x", "0.4 x"],
    )
    def test_a_load_far_from_the_median_of_the_others_is_ignored(
        self, newest_kg: float, expected: float, is_ignored: bool
    ) -> None:
        """The others are 87.5, 87.5 and 85: 1.6 x 87.5 = 140, 0.4 x 87.5 = 35."""
        decided = prescribe_slot(slot(BENCH, FIVES, benched(newest_kg, 87.5, 87.5, 85)))
        assert loads(decided) == [expected] * 3
        assert ("suspected_typo" in decided.reason_codes) is is_ignored

    def test_the_person_is_told_what_was_ignored(self) -> None:
        decided = prescribe_slot(slot(BENCH, FIVES, benched(860, 87.5, 87.5, 85)))
        assert decided.reason_codes == ("suspected_typo", "rpe_unknown")
        assert decided.reason == (
            "860 kg looks like a typing error and was ignored. "
            "No increase on older training: repeat 87.5 kg."
        )

    def test_a_miss_before_the_typing_error_stays_a_miss(self) -> None:
        miss = exposure([(85, 5), (85, 5), (85, 3)], fixed(3, 85, 5), days_ago=3)
        history = [benched(860, 85)[0], miss, *benched(85, 85, 85)]
        decided = prescribe_slot(slot(BENCH, FIVES, history))
        assert loads(decided) == [85] * 3
        assert decided.reason_codes == ("suspected_typo", "missed_reps", "rpe_unknown")
        assert decided.reason == (
            "860 kg looks like a typing error and was ignored. "
            "Missed 5 reps on set 3: repeat 85 kg."
        )

    def test_an_older_typing_error_neither_holds_nor_ends_a_row_of_misses(self) -> None:
        miss: list[Done] = [(85, 5), (85, 5), (85, 3)]
        sets = fixed(3, 85, 5)
        history = [
            exposure(miss, sets, days_ago=1),
            exposure([(850, 5)] * 3, sets, days_ago=3),
            *(exposure(miss, sets, days_ago=day) for day in (5, 7)),
            exposure([(85, 5)] * 3, sets, days_ago=9),
        ]
        decided = prescribe_slot(slot(BENCH, FIVES, history))
        assert loads(decided) == [75] * 3  # 85 x 0.9 = 76.5, rounded down
        assert "reset" in decided.reason_codes

    @pytest.mark.parametrize(
        ("history", "expected"),
        [
            (benched(860, 87.5), [87.5] * 3),
            (benched(860, 87.5, 85), [87.5] * 3),
            ([exposure([(860, 5)] * 3, fixed(3, 87.5, 5))], [87.5] * 3),
            (unplanned((860, (5, 5, 5)), (87.5, (5, 5, 5))), [87.5] * 3),
        ],
        ids=["one other", "two others", "only its plan", "plan unknown"],
    )
    def test_with_few_others_a_load_far_above_the_known_is_not_trusted(
        self, history: list[Exposure], expected: list[float]
    ) -> None:
        """Also where the service wrote the typing error into the routine."""
        decided = prescribe_slot(slot(BENCH, fixed(3, 860, 5), history))
        assert loads(decided) == expected
        assert "suspected_typo" in decided.reason_codes

    def test_a_load_that_was_planned_is_no_typing_error(self) -> None:
        """From the 2 kg dumbbell the next one is twice as heavy."""
        sets = ranged(1, 4, 8, 12)
        light = ranged(1, 2, 8, 12)
        history = [
            exposure([(4, 9)], sets, days_ago=1),
            *(exposure([(2, 12)], light, days_ago=day) for day in (4, 7, 10)),
        ]
        decided = prescribe_slot(slot(CURL, sets, history))
        assert (loads(decided), reps(decided)) == ([4], [10])

    def test_a_new_level_is_believed_once_it_is_the_usual_one(self) -> None:
        new, old = [(80.0, (5, 5, 5))], [(40.0, (5, 5, 5))]
        fourth, fifth = (
            prescribe_slot(slot(BENCH, FIVES, unplanned(*new * count, *old * 4)))
            for count in (4, 5)
        )
        assert loads(fourth) == [40] * 3
        assert loads(fifth) == [82.5] * 3

    def test_added_load_may_double(self) -> None:
        """The body is part of the load: from 5 to 10 kg is a small step for a pull-up."""
        weighted = {**PULL_UP, "exercise_type": "bodyweight_weighted"}
        history = unplanned((10, (5, 5)), (5, (5, 5)), (5, (5, 5)), (5, (5, 5)))
        decided = prescribe_slot(slot(weighted, fixed(2, 10, 5), history))
        assert "suspected_typo" not in decided.reason_codes

    def test_the_plan_decides_the_same_again(self) -> None:
        context = routine(
            slot(BENCH, FIVES, benched(860, 87.5, 87.5, 85)),
            slot(BENCH, fixed(3, 860, 5), [exposure([(860, 5)] * 3, fixed(3, 87.5, 5))]),
            slot(BENCH, RANGE, unplanned((80, (5, 5, 5)), (60, (10, 9, 8)))),
        )
        plan = plan_for(context)
        assert plan_for(applied(plan, context)) == plan
