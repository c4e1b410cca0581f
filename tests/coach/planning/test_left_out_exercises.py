"""Painful or avoided exercises are held or left out, up to a whole routine."""

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.pain import Pain
from coach_agent.planning.decide import decide
from tests.coach.builders import (
    BENCH,
    CURL,
    exposure,
    loads,
    profile,
    reps,
    routine,
    situation,
    slot,
)
from tests.coach.usual_workout import RANGE, bench, check_in, curl, plan


class TestPain:
    def test_e24_moderate_pain_blocks_increases_for_that_lift_alone(self) -> None:
        hurt = check_in(pain=(Pain(part="right shoulder", level="moderate"),))
        held, other = plan(bench(), curl(), said=hurt).slots
        assert (loads(held), held.direction) == ([100] * 3, "same")
        assert "Right shoulder pain: no increase today." in held.adjustments[0].text
        assert loads(other) == [26] * 3
        mild = check_in(pain=(Pain(part="right shoulder", level="mild"),))
        remarked, plain = plan(bench(), curl(), said=mild), plan(bench(), curl())
        assert [each.sets for each in remarked.slots] == [each.sets for each in plain.slots]

    def test_e24_a_repeated_goal_is_held_at_what_was_done(self) -> None:
        """After a miss the plan is the same again but for sets that would have had one more."""
        missed = slot(CURL, RANGE, [exposure([(24, 10), (24, 7), (24, 7)], RANGE, days_ago=2)])
        hurt = check_in(pain=(Pain(part="elbow", level="moderate"),))
        assert reps(plan(missed).slots[0]) == [11, 8, 8]
        assert reps(plan(missed, said=hurt).slots[0]) == [10, 8, 8]

    def test_severe_pain_drops_the_exercise_and_says_why(self) -> None:
        hurt = check_in(pain=(Pain(part="shoulder", level="severe"),))
        dropped, other = plan(bench(), curl(), said=hurt).slots
        assert (dropped.sets, dropped.reason_codes[0]) == ((), "pain_severe")
        assert "looked at" in dropped.adjustments[0].text
        assert dropped.whole_sets == plan(bench()).slots[0].sets
        assert other.sets

    def test_that_of_the_profile_counts_as_well(self) -> None:
        athlete = profile(pain={"Right Shoulder": "severe"})
        assert plan(bench(), curl(), athlete=athlete).slots[0].sets == ()

    def test_e24_what_the_profile_does_instead_is_offered(self) -> None:
        swap = {BENCH["exercise_title"]: ["Push Up", "Chest Dip"], "Squat (Barbell)": ["Leg Press"]}
        athlete = profile(
            pain={"shoulder": "moderate"},
            preferences={"swap": swap},
            avoid=["Bicep Curl (Dumbbell)"],
        )
        held, other = plan(bench(), curl(), athlete=athlete).slots
        assert held.adjustments[0].text.endswith(
            "Not Chest Dip either: it loads the shoulder, too. Instead: Push Up."
        )
        assert other.adjustments[0].text == "Left out: your profile avoids it."

    def test_nothing_is_offered_that_there_is_not(self) -> None:
        """Bug: every substitute of the profile was offered as trainable."""
        swap = {BENCH["exercise_title"]: ["Foo bar", "push up"]}
        athlete = profile(avoid=[BENCH["exercise_title"]], preferences={"swap": swap})
        known = ("Push Up", BENCH["exercise_title"])
        for titles, told in ((known, "Instead: push up."), ((), "Instead: Foo bar or push up.")):
            held = plan(bench(), curl(), athlete=athlete, exercise_titles=titles).slots[0]
            assert held.adjustments[0].text.endswith(told)

    def test_what_is_avoided_is_left_out(self) -> None:
        athlete = profile(avoid=[BENCH["exercise_title"]])
        assert plan(bench(), curl(), athlete=athlete).slots[0].reason_codes[0] == "avoided"

    def test_a_routine_of_which_nothing_is_left_is_passed_over(self) -> None:
        press, arms = routine(bench(), title="Press"), routine(curl(), title="Arms", days_ago=1)
        athlete = profile(avoid=[BENCH["exercise_title"]], routines=["Press", "Arms"])
        decision = decide(situation([press, arms]), athlete)
        assert decision is not None
        assert decision.plan.routine_title == "Arms"

    def test_where_nothing_at_all_is_left_there_is_no_workout(self) -> None:
        athlete = profile(avoid=[BENCH["exercise_title"], CURL["exercise_title"]])
        both = [routine(bench(), title="Press"), routine(curl(), title="Arms")]
        assert decide(situation(both), athlete) is None


def test_passing_over_goes_to_the_one_not_trained_for_longest() -> None:
    contexts: list[RoutineContext] = [
        routine(bench(), title="A", days_ago=9),
        routine(curl(), title="B", days_ago=2),
        routine(curl(), title="C", days_ago=5),
    ]
    athlete = profile(avoid=[BENCH["exercise_title"]], routines=["A", "B", "C"])
    trained_c_last = [contexts[0], contexts[1], routine(curl(), title="C", days_ago=1)]
    decision = decide(situation(trained_c_last), athlete)
    assert decision is not None
    assert decision.plan.routine_title == "B"
