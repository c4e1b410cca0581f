"""Linear and double progression, branch by branch."""

import pytest

from coach_agent.domain.plan import SlotPrescription
from tests.coach.builders import (
    BENCH,
    CURL,
    PULL_UP,
    Done,
    exposure,
    fixed,
    gym,
    loads,
    prescribe_slot,
    ranged,
    reps,
    rules,
    slot,
)

FIVES = fixed(3, 100, 5)
MISS: list[Done] = [(100.0, 5), (100.0, 5), (100.0, 3)]
WEIGHTED = {**PULL_UP, "exercise_type": "bodyweight_weighted", "exercise_title": "Chin Up"}
DIP_RANGE = ranged(3, None, 6, 10)


class TestLinear:
    def test_the_third_miss_in_a_row_goes_down_to_ninety_percent(self) -> None:
        at_60 = fixed(3, 60, 5)
        misses = [exposure([(60, 5), (60, 5), (60, 4)], at_60, days_ago=day) for day in (1, 4, 7)]
        decided = prescribe_slot(slot(BENCH, at_60, misses))
        assert loads(decided) == [55] * 3  # 54 is the floor
        assert decided.reason == "Missed 5 reps on set 3, 3 misses in a row: down to 55 kg."

    def test_a_success_ends_the_row_of_misses(self) -> None:
        history = [
            exposure(MISS, FIVES, days_ago=1),
            exposure(MISS, FIVES, days_ago=4),
            exposure([(100, 5)] * 3, FIVES, days_ago=7),
            exposure(MISS, FIVES, days_ago=9),
        ]
        assert loads(prescribe_slot(slot(BENCH, FIVES, history))) == [100] * 3

    def test_misses_before_a_reset_do_not_count_again(self) -> None:
        at_90 = fixed(3, 90, 5)
        history = [
            exposure([(90, 5), (90, 5), (90, 4)], at_90, days_ago=1),
            *(exposure(MISS, FIVES, days_ago=day) for day in (4, 7, 10)),
        ]
        assert loads(prescribe_slot(slot(BENCH, at_90, history))) == [90] * 3

    def test_misses_before_a_way_out_of_a_stall_do_not_count_again(self) -> None:
        at_92 = fixed(3, 92, 5)
        history = [
            exposure([(92, 5), (92, 5), (92, 4)], at_92, days_ago=1),
            *(exposure(MISS, FIVES, days_ago=day) for day in (4, 7)),
        ]
        decided = prescribe_slot(slot(BENCH, at_92, history))
        assert "reset" not in decided.reason_codes

    def test_fewer_sets_than_there_are_raise_nothing_the_first_time(self) -> None:
        """Three sets were cut to one for lack of time: one fresh set is weak evidence for three."""
        short = [exposure([(100, 5)], fixed(1, 100, 5), days_ago=day) for day in (1, 4)]
        once = prescribe_slot(slot(BENCH, FIVES, short[:1]))
        assert loads(once) == [100] * 3
        assert once.reason == (
            "Set 1 of 3 reached 5 reps. The other sets come first: repeat 100 kg."
        )
        assert "sets_left_out" in once.reason_codes
        twice = prescribe_slot(slot(BENCH, FIVES, short))
        assert loads(twice) == [102.5] * 3
        assert twice.reason == "Set 1 of 3 reached 5 reps at 100 kg: next step 102.5 kg."

    def test_fewer_sets_after_a_miss_raise_nothing(self) -> None:
        short = exposure([(100, 5)], fixed(1, 100, 5), days_ago=1)
        decided = prescribe_slot(slot(BENCH, FIVES, [short, exposure(MISS, FIVES, days_ago=4)]))
        assert loads(decided) == [100] * 3

    def test_nothing_is_lighter_than_the_bar(self) -> None:
        at_20 = fixed(1, 20, 5)
        misses = [exposure([(20, 3)], at_20, days_ago=day) for day in (1, 4, 7)]
        decided = prescribe_slot(slot(BENCH, at_20, misses))
        assert loads(decided) == [20]
        assert "no_lighter_load" in decided.reason_codes

    def test_a_set_left_out_is_no_success_and_no_miss(self) -> None:
        short = exposure([(100, 5), (100, 5)], FIVES, skipped=[2])
        decided = prescribe_slot(
            slot(BENCH, FIVES, [short, *(exposure(MISS, FIVES, days_ago=d) for d in (4, 7))])
        )
        assert loads(decided) == [100] * 3
        assert decided.reason == "Only 2 of 3 sets were done: repeat 100 kg."

    def test_a_miss_above_the_plan_goes_back_to_the_plan(self) -> None:
        done = exposure([(105, 5), (105, 4), (105, 3)], FIVES)
        assert loads(prescribe_slot(slot(BENCH, FIVES, [done]))) == [100] * 3

    def test_a_success_above_the_plan_is_the_new_base(self) -> None:
        done = exposure([(105, 5)] * 3, FIVES)
        assert loads(prescribe_slot(slot(BENCH, FIVES, [done]))) == [107.5] * 3

    def test_the_top_of_the_rack_asks_for_reps(self) -> None:
        sets = fixed(2, 50, 8)
        decided = prescribe_slot(slot(CURL, sets, [exposure([(50, 8)] * 2, sets)]))
        assert loads(decided) == [50] * 2
        assert "no_heavier_load" in decided.reason_codes

    def test_a_load_that_the_gym_cannot_make_is_rounded_down(self) -> None:
        done = exposure([(61.3, 5), (61.3, 4)], fixed(2, 61.3, 5))
        decided = prescribe_slot(slot(BENCH, fixed(2, 61.3, 5), [done]))
        assert loads(decided) == [60] * 2
        assert "load_unavailable" in decided.reason_codes
        assert decided.reason.endswith("There is no 61.3 kg in the gym.")

    def test_a_load_below_the_bar_stays_what_it_was(self) -> None:
        sets = fixed(1, 15, 10)
        decided = prescribe_slot(slot(BENCH, sets, [exposure([(15, 8)], sets)]))
        assert loads(decided) == [15]

    def test_an_exercise_may_have_a_bar_of_its_own(self) -> None:
        sets = fixed(1, 15, 10)
        decided = prescribe_slot(
            slot(BENCH, sets, [exposure([(15, 12)], sets)]), rules(BENCH, bar_kg=10.0)
        )
        assert loads(decided) == [17.5]

    def test_an_open_set_steps_up_when_its_reps_prove_the_next_load(self) -> None:
        """62.5 kg x 8 need 79.17 kg e1RM: 60 kg x 9 show 78, x 10 show 80."""
        sets = ranged(1, 60, 8, None)
        nine, ten = (
            prescribe_slot(slot(BENCH, sets, [exposure([(60, done)], sets)])) for done in (9, 10)
        )
        assert (loads(nine), reps(nine)) == ([60], [8])
        assert (loads(ten), reps(ten)) == ([62.5], [8])
        assert "step_infeasible" in nine.reason_codes


class TestDouble:
    def test_the_weakest_below_the_range_is_repeated_once(self) -> None:
        sets = ranged(3, 24, 8, 12)
        done = exposure([(24, 9), (24, 8), (24, 7)], sets)
        decided = prescribe_slot(slot(CURL, sets, [done]))
        assert (loads(decided), reps(decided)) == ([24] * 3, [10, 8, 8])
        assert decided.reason == "Set 3 fell below 8 reps: repeat 24 kg."

    @pytest.mark.parametrize(
        ("done", "load", "reason"),
        [
            ((3, 2, 1), 22, "Sets 1, 2 and 3 fell below 8 reps, none came near it: down to 22 kg."),
            ((4, 2, 1), 24, "Sets 1, 2 and 3 fell below 8 reps: repeat 24 kg."),
        ],
        ids=["less than half", "half"],
    )
    def test_a_load_with_which_no_set_comes_near_the_range_goes_at_once(
        self, done: tuple[int, ...], load: float, reason: str
    ) -> None:
        sets = ranged(3, 24, 8, 12)
        decided = prescribe_slot(slot(CURL, sets, [exposure([(24, each) for each in done], sets)]))
        assert loads(decided) == [load] * 3
        assert decided.reason == reason

    def test_a_load_that_was_held_before_is_repeated_after_the_worst_of_days(self) -> None:
        sets = ranged(2, 24, 8, 12)
        held = exposure([(24, 8)] * 2, sets, days_ago=4)
        decided = prescribe_slot(slot(CURL, sets, [exposure([(24, 2)] * 2, sets), held]))
        assert loads(decided) == [24] * 2

    def test_who_failed_above_the_plan_goes_back_to_it_and_not_below(self) -> None:
        sets = ranged(2, 22, 8, 12)
        history = [exposure([(24, 8), (24, 7)], sets, days_ago=day) for day in (1, 4)]
        assert loads(prescribe_slot(slot(CURL, sets, history))) == [22] * 2

    def test_a_step_down_starts_a_new_count(self) -> None:
        at_24, at_22 = ranged(2, 24, 8, 12), ranged(2, 22, 8, 12)
        history = [
            exposure([(22, 8), (22, 7)], at_22, days_ago=1),
            *(exposure([(24, 8), (24, 7)], at_24, days_ago=day) for day in (4, 7)),
        ]
        assert loads(prescribe_slot(slot(CURL, at_22, history))) == [22] * 2

    def test_a_load_that_was_lighter_in_the_range_is_the_base(self) -> None:
        sets = ranged(2, 24, 8, 12)
        decided = prescribe_slot(slot(CURL, sets, [exposure([(20, 10)] * 2, sets)]))
        assert (loads(decided), reps(decided)) == ([20] * 2, [11, 10])
        assert "lighter_than_planned" in decided.reason_codes

    def test_a_set_left_out_at_the_top_of_the_range_holds(self) -> None:
        sets = ranged(3, 24, 8, 12)
        decided = prescribe_slot(slot(CURL, sets, [exposure([(24, 12)] * 2, sets, skipped=[2])]))
        assert (loads(decided), reps(decided)) == ([24] * 3, [12, 12, 8])
        assert "sets_missing" in decided.reason_codes

    def test_the_profile_may_choose_linear_for_a_range(self) -> None:
        sets = ranged(2, 100, 5, 8)
        done = exposure([(100, 6), (100, 5)], sets)
        decided = prescribe_slot(slot(BENCH, sets, [done]), rules(BENCH, model="linear"))
        assert (loads(decided), reps(decided), decided.rule) == ([102.5] * 2, [5, 5], "linear")

    def test_the_profile_may_choose_double_for_fixed_reps(self) -> None:
        below = [exposure([(100, 4)] * 3, FIVES, days_ago=day) for day in (1, 4)]
        decided = prescribe_slot(slot(BENCH, FIVES, below), rules(BENCH, model="double"))
        assert (loads(decided), decided.rule) == ([92.5] * 3, "double")

    def test_the_profile_gives_a_range_where_the_routine_has_none(self) -> None:
        sets = fixed(2, 100, 6)
        done = exposure([(100, 8), (100, 7)], sets)
        decided = prescribe_slot(slot(BENCH, sets, [done]), rules(BENCH, rep_range=(5, 8)))
        assert (loads(decided), reps(decided)) == ([100] * 2, [8, 8])
        assert decided.sets[0].rep_range_start is None

    def test_the_increment_of_the_profile_is_taken(self) -> None:
        done = exposure([(100, 5)] * 3, FIVES)
        decided = prescribe_slot(slot(BENCH, FIVES, [done]), rules(BENCH, increment_kg=5.0))
        assert loads(decided) == [105] * 3

    def test_the_jump_cap_of_the_profile_is_taken(self) -> None:
        done = exposure([(100, 5)] * 3, FIVES)
        wish = {BENCH["exercise_title"]: {"increment_kg": 10.0}}
        assert loads(prescribe_slot(slot(BENCH, FIVES, [done]), gym(exercises=wish))) == [102.5] * 3
        wide = gym(exercises=wish, limits={"jump_pct": 10.0})
        assert (
            loads(
                prescribe_slot(
                    slot(BENCH, fixed(3, 100, 5), [exposure([(100, 8)] * 3, FIVES)]), wide
                )
            )
            == [110] * 3
        )


class TestHabit:
    """A routine without repetitions: the workouts before the latest determine them."""

    BLANK = fixed(3, 60, None)

    def decided(self, *done: list[Done]) -> SlotPrescription:
        past = [exposure(sets, self.BLANK, days_ago=3 * at) for at, sets in enumerate(done)]
        return prescribe_slot(slot(BENCH, self.BLANK, past))

    def test_the_same_repetitions_each_time_are_a_goal(self) -> None:
        up = self.decided([(60, 8)] * 3, [(60, 8)] * 3)
        assert (loads(up), reps(up)) == ([62.5] * 3, [None] * 3)
        assert up.reason == "All 3 sets reached 8 reps at 60 kg: next step 62.5 kg."
        down: list[Done] = [(60, 8), (60, 8), (60, 7)]
        assert loads(self.decided(down, [(60, 8)] * 3)) == [60] * 3

    def test_other_repetitions_are_the_ends_of_a_range(self) -> None:
        before: list[Done] = [(60, 12), (60, 10), (60, 8)]
        assert loads(self.decided([(60, 11)] * 3, before)) == [60] * 3
        assert loads(self.decided([(60, 12)] * 3, before)) == [62.5] * 3

    def test_one_workout_is_no_habit(self) -> None:
        assert self.decided([(60, 8)] * 3).reason_codes == ("no_target",)

    def test_the_body_alone_gets_a_repetition_more(self) -> None:
        blank = fixed(2, None, None)
        pulls = slot(PULL_UP, blank, [exposure([(None, 8)] * 2, blank)])
        decided = prescribe_slot(pulls)
        assert (decided.direction, reps(decided)) == ("up", [9, 8])


def test_a_wide_step_that_failed_waits_for_more_than_hope() -> None:
    """60 kg x 14 leaves hope for 70 x 8, but 70 was tried and failed: 60 x 15 are a proof."""
    rack = gym(equipment={"dumbbells_kg": [60.0, 70.0]})
    sets, heavy = ranged(3, 60, 8, 12), ranged(3, 70, 8, 12)
    failed = exposure([(70, 4), (70, 3), (70, 3)], heavy, days_ago=4)
    past = [exposure([(60, 14), (60, 12), (60, 12)], sets), failed]
    held = prescribe_slot(slot(CURL, sets, past), rack)
    assert (loads(held), reps(held)) == ([60] * 3, [15, 12, 12])
    assert "step_infeasible" in held.reason_codes
    hoped = prescribe_slot(slot(CURL, sets, past[:1]), rack)
    assert loads(hoped) == [70] * 3
    shown = [exposure([(60, 15), (60, 12), (60, 12)], sets), failed]
    assert loads(prescribe_slot(slot(CURL, sets, shown), rack)) == [70] * 3


def test_a_load_that_was_reached_before_is_possible_again() -> None:
    """Five repetitions with 37.5 kg do not prove 40 kg, but five with 40 kg last week do."""
    sets = fixed(3, 40, 5)
    lighter = exposure([(37.5, 5)] * 3, sets, days_ago=1)
    usual = [exposure([(40, 5)] * 3, sets, days_ago=3 + 2 * at) for at in range(3)]
    assert loads(prescribe_slot(slot(BENCH, sets, [lighter, *usual]))) == [40] * 3
