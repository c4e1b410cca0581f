"""Mistyped repetitions, and mistyped added loads: no decision uses them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.domain.plan import SlotPrescription
from tests.coach.builders import (
    BENCH,
    PLANK,
    PULL_UP,
    Done,
    exposure,
    fixed,
    loads,
    prescribe_slot,
    ranged,
    reps,
    slot,
    timed_exposure,
    unplanned,
)

DIP = {**PULL_UP, "exercise_type": "bodyweight_weighted", "exercise_title": "Dip"}
ASSISTED = {**PULL_UP, "exercise_type": "bodyweight_assisted", "exercise_title": "Pull Up (Helped)"}


class TestTypedOntoTheBody:
    """Bug: added or assisting loads were never doubted."""

    def dips(self, newest_kg: float, usual_kg: float, exercise: dict[str, str] = DIP) -> list[str]:
        history = unplanned((newest_kg, (5, 5)), *[(usual_kg, (5, 5))] * 3)
        decided = prescribe_slot(slot(exercise, fixed(2, usual_kg, 5), history))
        is_held = "suspected_typo" in decided.reason_codes
        assert loads(decided) == [usual_kg] * 2 if is_held else "up" in decided.direction
        return [decided.reason.split(".", maxsplit=1)[0]] if is_held else []

    @pytest.mark.parametrize(
        ("newest_kg", "usual_kg", "is_doubted"),
        [(100, 10, True), (25, 5, True), (20, 5, False), (10, 5, False), (40, 25, False)],
    )
    def test_added_load_must_be_far_and_many_times_more(
        self, newest_kg: float, usual_kg: float, is_doubted: bool
    ) -> None:
        """Of 5 kg 1.6 times are 8, and 15 kg more are 20; of 25 kg 1.6 times are 40."""
        assert bool(self.dips(newest_kg, usual_kg)) is is_doubted

    @pytest.mark.parametrize(
        ("newest_kg", "is_doubted"), [(4, True), (14, True), (16, False), (20, False)]
    )
    def test_less_help_than_two_fifths_is_doubted(self, newest_kg: float, is_doubted: bool) -> None:
        """Of 40 kg of assistance 16 are two fifths; 4 for 40 left the body almost alone."""
        assert bool(self.dips(newest_kg, 40, ASSISTED)) is is_doubted

    def test_far_more_help_is_a_typing_error_too(self) -> None:
        history = unplanned((400, (5, 5)), *[(40, (5, 5))] * 3)
        decided = prescribe_slot(slot(ASSISTED, fixed(2, 40, 5), history))
        assert loads(decided) == [40] * 2
        assert decided.reason.startswith("400 kg of assistance looks like a typing error")


class TestTypedOnTheOnlyDay:
    """Of several sets the heaviest pairs with the only one of the routine."""

    def heaviest_of(self, *done_kg: float) -> SlotPrescription:
        only = exposure([(load_kg, 5) for load_kg in done_kg])
        return prescribe_slot(slot(BENCH, fixed(1, None, 5), [only]))

    @pytest.mark.parametrize("done_kg", [(60, 600, 60), (60, 62.5, 600), (60, 60, 60, 600, 650)])
    def test_a_load_to_which_most_sets_do_not_lead_up_is_doubted(
        self, done_kg: tuple[float, ...]
    ) -> None:
        decided = self.heaviest_of(*done_kg)
        assert (decided.reason_codes, loads(decided)) == (("suspected_typo",), [None])

    @pytest.mark.parametrize(
        ("done_kg", "next_kg"),
        [
            ((20, 60, 100), 102.5),
            ((20, 20, 100), 102.5),
            ((6, 60, 60), 62.5),
            ((20, 20, 20, 110, 110), 112.5),
        ],
    )
    def test_a_ramp_and_a_light_set_are_believed(
        self, done_kg: tuple[float, ...], next_kg: float
    ) -> None:
        """The bar is the warm-up of many lifters."""
        assert loads(self.heaviest_of(*done_kg)) == [next_kg]


class TestTypedRepetitions:
    @pytest.mark.parametrize(
        ("typed", "is_doubted"), [(80, True), (25, True), (24, False), (12, False)]
    )
    def test_three_times_as_many_are_doubted(self, typed: int, is_doubted: bool) -> None:
        """8, 8 and 8 before: 24 are three times as many."""
        sets = ranged(2, 60, 8, 12)
        newest = exposure([(60, typed), (60, typed)], sets, days_ago=1)
        older = [exposure([(60, 8)] * 2, sets, days_ago=day) for day in (4, 7, 10)]
        decided = prescribe_slot(slot(BENCH, sets, [newest, *older]))
        assert ("suspected_typo" in decided.reason_codes) is is_doubted
        assert loads(decided) == ([60] * 2 if is_doubted else [62.5] * 2)

    def test_one_set_of_them_is_left_out_and_told(self) -> None:
        sets = ranged(2, 60, 8, 12)
        newest = exposure([(60, 12), (60, 120)], sets, days_ago=1)
        decided = prescribe_slot(slot(BENCH, sets, [newest, exposure([(60, 8)] * 2, sets)]))
        assert loads(decided) == [60] * 2
        assert decided.reason == (
            "120 reps looks like a typing error and was ignored. "
            "No increase while a set is in doubt: repeat 60 kg."
        )

    def test_the_plan_alone_speaks_against_them(self) -> None:
        sets = ranged(1, 60, 8, 12)
        decided = prescribe_slot(slot(BENCH, sets, [exposure([(60, 100)], sets)]))
        assert (loads(decided), reps(decided)) == ([60], [8])
        assert decided.reason.startswith("100 reps looks like a typing error")

    def test_many_in_an_open_set_are_no_error_without_others(self) -> None:
        sets = ranged(1, 60, 8, None)
        decided = prescribe_slot(slot(BENCH, sets, [exposure([(60, 30)], sets)]))
        assert "suspected_typo" not in decided.reason_codes

    def test_few_are_a_failure_and_no_error(self) -> None:
        sets = ranged(2, 60, 8, 12)
        newest = exposure([(60, 1), (60, 0)], sets, days_ago=1)
        older = [exposure([(60, 12)] * 2, sets, days_ago=day) for day in (4, 7, 10)]
        decided = prescribe_slot(slot(BENCH, sets, [newest, *older]))
        assert decided.reason_codes == ("below_range", "rpe_unknown")

    def test_without_a_load_they_hold_as_well(self) -> None:
        history = [exposure([(None, 80)], days_ago=1)]
        history += [exposure([(None, 8)], days_ago=day) for day in (4, 7, 10)]
        decided = prescribe_slot(slot(PULL_UP, fixed(1, None, 8), history))
        assert reps(decided) == [8]
        assert decided.reason == (
            "80 reps looks like a typing error and was ignored. Repeat the workout before."
        )

    def test_a_range_is_not_climbed_in_doubt(self) -> None:
        sets = ranged(2, None, 8, 12)
        newest = exposure([(None, 9), (None, 99)], sets, days_ago=1)
        older = [exposure([(None, 9)] * 2, sets, days_ago=day) for day in (4, 7, 10)]
        decided = prescribe_slot(slot(PULL_UP, sets, [newest, *older]))
        assert reps(decided) == [9, 9]
        assert decided.direction == "same"
        assert "No increase while a set is in doubt" in decided.reason

    def test_seconds_are_doubted_alike(self) -> None:
        history = [timed_exposure([600, 60], [60, 60], days_ago=1)]
        history += [timed_exposure([60, 60], [60, 60], days_ago=day) for day in (4, 7, 10)]
        decided = prescribe_slot(slot(PLANK, [{"duration_s": 60}] * 2, history))
        assert [each.duration_s for each in decided.sets] == [60, 60]
        assert "suspected_typo" in decided.reason_codes
        assert decided.reason.startswith("600 s looks like a typing error and was ignored.")

    def test_all_seconds_of_a_workout_may_be_mistyped(self) -> None:
        history = [timed_exposure([600], days_ago=1)]
        history += [timed_exposure([60], days_ago=day) for day in (4, 7)]
        decided = prescribe_slot(slot(PLANK, [{"duration_s": 60}], history))
        assert [each.duration_s for each in decided.sets] == [60]
        assert decided.direction == "same"


BELIEVED = st.tuples(st.sampled_from([82.5, 85.0, 87.5]), st.integers(4, 6))
TYPED = st.sampled_from([(8.5, 5), (850.0, 5), (85.0, 50), (0.85, 5), (8.5, 50), (850.0, 500)])


@given(
    newest=st.lists(st.one_of(BELIEVED, TYPED), min_size=3, max_size=3),
    older=st.lists(st.lists(BELIEVED, min_size=3, max_size=3), min_size=3, max_size=5),
    is_plan_known=st.booleans(),
)
def test_no_typing_error_raises_or_lowers_anything(
    newest: list[Done], older: list[list[Done]], is_plan_known: bool
) -> None:
    """Any sets of the newest workout, mistyped in any way."""
    sets = fixed(3, 85, 5)
    plan = sets if is_plan_known else None
    history = [
        exposure(done, plan, days_ago=1 + 3 * place) for place, done in enumerate([newest, *older])
    ]
    believed = [done for done in newest if done[0] in {82.5, 85.0, 87.5} and (done[1] or 0) < 10]
    decided = prescribe_slot(slot(BENCH, sets, history))
    (load,) = set(loads(decided))
    assert load is not None
    if len(believed) < 3:
        known = [done[0] or 0.0 for done in believed] or [done[0] or 0.0 for done in older[0]]
        assert 0.85 * min(known) <= load <= min(known)
        assert "suspected_typo" in decided.reason_codes
