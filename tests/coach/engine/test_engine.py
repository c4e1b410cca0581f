"""Blocks of sets, sets that are not working sets, and what an exercise is loaded with."""

import pytest

from coach_agent.domain.context import Exposure, SlotContext
from coach_agent.planning.decide import decide
from coach_agent.profile.model import Rules
from tests.coach.builders import (
    BENCH,
    CURL,
    PULL_UP,
    Done,
    exposure,
    fixed,
    loads,
    plan_for,
    prescribe_slot,
    profile,
    ranged,
    reps,
    routine,
    situation,
    slot,
)

FIVES = fixed(3, 100, 5)
MISS: list[Done] = [(100.0, 5), (100.0, 5), (100.0, 3)]
WEIGHTED = {**PULL_UP, "exercise_type": "bodyweight_weighted", "exercise_title": "Chin Up"}
DIP_RANGE = ranged(3, None, 6, 10)


class TestBlocks:
    def test_sets_with_other_loads_progress_apart(self) -> None:
        sets = [*fixed(1, 100, 5), *fixed(2, 90, 5)]
        done = exposure([(100, 4), (90, 5), (90, 5)], sets)
        decided = prescribe_slot(slot(BENCH, sets, [done]))
        assert loads(decided) == [100, 92.5, 92.5]

    def test_blocks_that_meet_decide_together(self) -> None:
        """A top set held at 100 and back-offs that reach 100 are three sets of 100."""
        sets = [*fixed(1, 100, 5), *fixed(2, 97.5, 5)]
        done = exposure([(100, 4), (97.5, 5), (97.5, 5)], sets)
        decided = prescribe_slot(slot(BENCH, sets, [done]))
        assert loads(decided) == [97.5] * 3
        assert decided.reason == "Missed 5 reps on set 1: repeat 97.5 kg."

    def test_an_open_last_set_goes_with_those_that_share_its_load(self) -> None:
        """8-10, 8-10, 8+ with 75 kg are three sets of one load, and stay so."""
        sets = [*ranged(2, 75, 8, 10), *ranged(1, 75, 8, None)]
        nearly = exposure([(75, 10), (75, 9), (75, 13)], sets)
        full = exposure([(75, 10), (75, 10), (75, 13)], sets)
        held, raised = (prescribe_slot(slot(BENCH, sets, [done])) for done in (nearly, full))
        assert (loads(held), reps(held)) == ([75] * 3, [10, 10, 10])
        assert (loads(raised), reps(raised)) == ([77.5] * 3, [8] * 3)

    def test_an_open_set_does_not_bridge_two_ranges(self) -> None:
        sets = [*ranged(1, 75, 8, 10), *ranged(1, 75, 8, None), *ranged(1, 75, 8, 12)]
        done = exposure([(75, 10), (75, 10), (75, 11)], sets)
        assert loads(prescribe_slot(slot(BENCH, sets, [done]))) == [77.5, 77.5, 75]

    def test_a_load_edited_into_the_routine_waits_until_it_was_done(self) -> None:
        edited = [*fixed(1, 120, 5), *fixed(2, 80, 5)]
        done = exposure([(100, 5)] * 3, FIVES)
        assert loads(prescribe_slot(slot(BENCH, edited, [done]))) == [102.5] * 3

    def test_an_exercise_that_was_rebuilt_pairs_its_sets_in_order(self) -> None:
        rebuilt = [{"set_type": "warmup", "weight_kg": 40, "reps": 5}, *fixed(5, 100, 5)]
        done = [exposure([(100, 5)] * 3, FIVES, days_ago=day) for day in (0, 3)]
        assert loads(prescribe_slot(slot(BENCH, rebuilt, done))) == [62.5, *[102.5] * 5]

    @pytest.mark.parametrize(
        ("exposures", "code"),
        [
            ([], "no_history"),
            ([exposure([(100, 5)] * 3, FIVES)], "target_changed"),
            ([exposure([(100, 5)] * 3)], "target_changed"),
        ],
        ids=["never done", "done for other reps", "unknown plan, far below"],
    )
    def test_what_was_not_done_for_this_target_stays(
        self, exposures: list[Exposure], code: str
    ) -> None:
        """5 x 100 kg must not become 8-12 x 100 kg."""
        decided = prescribe_slot(slot(BENCH, ranged(3, 75, 8, 12), exposures))
        assert (loads(decided), reps(decided)) == ([75] * 3, [None] * 3)
        assert (decided.rule, decided.reason_codes) == ("keep", (code,))
        assert decided.reason.startswith("Kept as the routine says: not done ")

    @pytest.mark.parametrize(("days_ago", "expected"), [(12, 102.5), (30, 60.0), (150, 60.0)])
    def test_a_target_of_long_ago_tells_nothing_of_today(
        self, days_ago: int, expected: float
    ) -> None:
        """For weeks only lighter sets were done: what was once done for 5 is no base."""
        lighter = [exposure([(50, 10)] * 3, ranged(3, 50, 10, 12), days_ago=day) for day in (2, 5)]
        heavy = exposure([(100, 8)] * 3, ranged(3, 100, 5, 8), days_ago=days_ago)
        decided = prescribe_slot(slot(BENCH, ranged(3, 60, 5, 8), [*lighter, heavy]))
        assert loads(decided) == [expected] * 3

    def test_a_set_without_a_target_stays_beside_those_that_progress(self) -> None:
        sets = [*ranged(1, 24, 8, 12), {"set_type": "failure", "weight_kg": 20}]
        decided = prescribe_slot(slot(CURL, sets, [exposure([(24, 12), (20, 17)], sets)]))
        assert (loads(decided), reps(decided)) == ([26, 20], [8, None])
        assert decided.rule == "double, keep"
        assert decided.reason_codes == ("top_of_range", "rpe_unknown", "no_target")

    def test_only_warm_ups_stay(self) -> None:
        sets = [{"set_type": "warmup", "weight_kg": 40, "reps": 5}]
        decided = prescribe_slot(slot(BENCH, sets, [exposure([(40, 5)], sets)]))
        assert (loads(decided), decided.reason_codes) == ([40], ("no_working_sets",))


class TestUnknownPlan:
    def test_all_working_sets_count(self) -> None:
        decided = prescribe_slot(slot(BENCH, FIVES, [exposure([(100, 5), (100, 5), (97.5, 5)])]))
        assert loads(decided) == [100] * 3

    def test_warm_ups_logged_as_normal_sets_are_no_base(self) -> None:
        done = exposure([(60, 5), (80, 3), (100, 5), (100, 5), (100, 5)])
        assert loads(prescribe_slot(slot(BENCH, FIVES, [done]))) == [102.5] * 3

    def test_a_set_without_a_recorded_load_is_no_success(self) -> None:
        done = exposure([(100, 5), (100, 5), (None, 5)], FIVES)
        decided = prescribe_slot(slot(BENCH, FIVES, [done]))
        assert loads(decided) == [100] * 3
        assert "sets_missing" in decided.reason_codes

    def test_an_rpe_off_the_scale_is_unknown(self) -> None:
        done = exposure([(100, 5, 0.0), (100, 5, 11.0), (100, 5)], FIVES)
        assert "rpe_unknown" in prescribe_slot(slot(BENCH, FIVES, [done])).reason_codes


class TestOtherSets:
    WARMUPS = ({"set_type": "warmup", "weight_kg": 1, "reps": 7},) * 2

    def test_warm_ups_follow_the_first_working_load_and_keep_their_reps(self) -> None:
        sets = [*self.WARMUPS, *fixed(3, 97.5, 5)]
        done = exposure([(50, 7), (70, 7), *[(97.5, 5)] * 3], sets)
        decided = prescribe_slot(slot(BENCH, sets, [done]))
        assert loads(decided) == [50, 70, 100, 100, 100]
        assert reps(decided) == [7, 7, 5, 5, 5]

    def test_warm_ups_without_a_decided_load_stay(self) -> None:
        sets = [*self.WARMUPS, *fixed(3, 97.5, 5)]
        assert loads(prescribe_slot(slot(BENCH, sets)))[:2] == [1, 1]

    def test_a_drop_set_is_what_was_dropped_to(self) -> None:
        sets = [*ranged(1, 24, 8, 12), {"set_type": "dropset", "weight_kg": 18, "reps": 15}]
        done = exposure([(24, 12), (16, 14)], sets)
        decided = prescribe_slot(slot(CURL, sets, [done]))
        assert (loads(decided), reps(decided)) == ([26, 16], [8, 15])

    def test_a_drop_set_that_failed_is_no_load_to_drop_to(self) -> None:
        sets = [*ranged(1, 24, 8, 12), {"set_type": "dropset", "weight_kg": 22, "reps": 15}]
        failed = exposure([(24, 12), (22, 0)], sets, days_ago=1)
        dropped = exposure([(24, 10), (16, 14)], sets, days_ago=4)
        assert loads(prescribe_slot(slot(CURL, sets, [failed, dropped]))) == [26, 16]

    def test_a_drop_set_that_failed_is_not_heavier_than_then(self) -> None:
        sets = [*ranged(1, 24, 8, 12), {"set_type": "dropset", "weight_kg": 22, "reps": 15}]
        failed = exposure([(24, 12), (22, 0)], sets, days_ago=1)
        heavier = exposure([(24, 10), (24, 8)], sets, days_ago=4)
        assert loads(prescribe_slot(slot(CURL, sets, [failed, heavier]))) == [26, 22]

    def test_of_several_drop_sets_those_that_were_lifted_count(self) -> None:
        drops = [{"set_type": "dropset", "weight_kg": kg, "reps": 15} for kg in (20, 16)]
        sets = [*ranged(1, 24, 8, 12), *drops]
        newest = exposure([(24, 12), (18, 10), (14, 0)], sets, days_ago=1)
        older = exposure([(24, 12), (22, 10), (12, 8)], sets, days_ago=4)
        assert loads(prescribe_slot(slot(CURL, sets, [newest, older]))) == [26, 18, 12]

    def test_a_drop_set_never_done_stays(self) -> None:
        sets = [*ranged(1, 24, 8, 12), {"set_type": "dropset", "weight_kg": 18, "reps": 15}]
        decided = prescribe_slot(slot(CURL, sets, [exposure([(24, 12)], sets, skipped=[1])]))
        assert loads(decided) == [26, 18]


@pytest.mark.parametrize(
    ("exercise", "done_kg", "expected_kg"),
    [
        pytest.param({"equipment": "machine"}, 47.5, 52.5, id="machine"),
        pytest.param(
            {
                "exercise_template_id": "own",
                "equipment": "machine",
                "exercise_title": "Fly (Cable)",
            },
            47.5,
            50,
            id="cable",
        ),
        pytest.param({"equipment": "kettlebell"}, 24, 28, id="kettlebell"),
        pytest.param({"equipment": "plate"}, 20, 21.25, id="plate"),
        pytest.param({"equipment": "other"}, 12, 14, id="other"),
        pytest.param({"equipment": None}, 33, 35, id="unknown"),
        pytest.param({"primary_muscle_group": "glutes"}, 120, 125, id="lower body"),
    ],
)
def test_each_kind_of_equipment_has_its_steps(
    exercise: dict[str, str], done_kg: float, expected_kg: float
) -> None:
    sets = ranged(1, done_kg, 6, 12)
    decided = prescribe_slot(slot({**BENCH, **exercise}, sets, [exposure([(done_kg, 12)], sets)]))
    assert loads(decided) == [expected_kg]


def test_the_summary_counts_where_exercises_go() -> None:
    def bench(*done: Done) -> SlotContext:
        return slot(BENCH, FIVES, [exposure(done, FIVES)])

    success: Done = (100.0, 5)
    plan = plan_for(routine(bench(*[success] * 3), bench(*MISS), bench(*[success] * 3)), Rules())
    assert plan.summary == "Exercises: 2 up, 1 unchanged."


def test_an_exercise_that_is_left_out_goes_nowhere_and_is_counted_so() -> None:
    """Bug: it was reported as going up, and counted so."""
    up = [exposure([(100, 5)] * 3, FIVES)]
    context = routine(slot(BENCH, FIVES, up), slot(CURL, ranged(1, 20, 8, 12)))
    athlete = profile(avoid=[BENCH["exercise_title"]])
    found = decide(situation([context]), athlete)
    assert found is not None
    assert [each.direction for each in found.plan.slots] == ["out", "same"]
    assert found.plan.summary == "Exercises: 1 unchanged, 1 left out."


def test_a_set_of_which_nothing_was_noted_keeps_its_place() -> None:
    """Repetitions moved to the set before: 10 were asked of the second, which had done 5."""
    sets = [{"reps": None}, {"reps": 5}, {"reps": 10}]
    history = [exposure([(None, None), (None, 5), (None, 10)], days_ago=1)]
    decided = prescribe_slot(slot(PULL_UP, sets, history))
    assert reps(decided) == [None, 6, 10]
    # One set more than the routine has was a warm-up: then sets without data are dropped first.
    warmed = [exposure([(None, None), (None, None), (None, 5), (None, 10)], days_ago=1)]
    assert reps(prescribe_slot(slot(PULL_UP, sets[1:], warmed))) == [6, 10]
