"""The rows of progression: plan numbers and text for each."""

import pytest

from coach_agent.planning.decide import decide
from tests.coach.builders import CURL, exposure, profile, ranged, routine, situation, slot
from tests.coach.situations import BENCH, SQUAT, planned

CURLS = "Leg Extension (Machine)"
DUMBBELL_BENCH = "Bench Press (Dumbbell)"
DUMBBELL_PRESS = "Shoulder Press (Dumbbell)"
WAVE = (
    "[65x5 75x5 85x5+] 65x5 75x5 85x8, [70x3 80x3 90x3+] 70x3 80x3 90x5, "
    "[75x5 85x3 95x1+] 75x5 85x3"
)
WAVES = {SQUAT: {"model": "training_max", "training_max_kg": 100, "tm_change": "amrap"}}


def test_g1_sets_at_the_limit_hold_the_load_without_a_cap() -> None:
    found = planned("3*97.5x5@9, 3*100x5@10", title=BENCH)
    assert found.load() == 100
    assert "went to the limit (RPE 10): repeat 100 kg" in found.why


def test_g1_one_set_short_of_the_limit_goes_up() -> None:
    assert planned("3*97.5x5@9, 3*100x5@9.5", title=BENCH).load() == 102.5


def test_g2_plenty_in_reserve_takes_more_than_a_step_and_is_predicted_more() -> None:
    easy = planned("3*97.5x5@7, 3*100x5@6", title=BENCH)
    hard = planned("3*97.5x5@9, 3*100x5@9", title=BENCH)
    assert (easy.load(), hard.load()) == (105, 102.5)
    assert "with at least 4 in reserve: next step 105 kg" in easy.why
    (more, *_), (less, *_) = easy.slot().predictions, hard.slot().predictions
    assert more is not None
    assert less is not None
    assert (more.reps or 0) > (less.reps or 0)


def test_g3_sets_far_beyond_the_target_with_plenty_left_state_the_reason_of_the_jump() -> None:
    found = planned("[3*60x5] 3*55x5, 3*60x12@6")
    assert 65 <= found.load() <= 70
    assert "with at least 4 in reserve: next step 65 kg" in found.why


def test_g4_a_stack_goes_on_in_its_own_steps() -> None:
    found = planned("3*12x12, 3*19x12, 3*26x12, 3*33x12", title=CURLS)
    assert found.load() in {33, 40}
    assert "40 kg is too big a step" in found.why
    assert "38 kg" not in found.why


def test_g6_equipment_of_unknown_loads_uses_those_of_its_history() -> None:
    found = planned(
        "3*40x3, 3*50x3, 3*60x3, 3*65x3, 3*70x3, 3*75x3, 3*80x3, 3*85x3", title="Snatch Balance"
    )
    assert found.load() in {85, 90}
    assert "74 kg" not in found.why


def test_g11_a_top_set_that_was_left_out_counts_as_missed() -> None:
    found = planned(f"[75x5 85x3 95x1+] {WAVE}", exercises=WAVES)
    assert found.loads() == [65, 75, 85]
    assert "The top set of the last week was not done: training max 100 kg" in found.why
    assert "+2 reps" not in found.why


def test_g13_work_elsewhere_of_the_same_days_leaves_the_own_ramp() -> None:
    found = planned(
        {
            "A": {
                DUMBBELL_BENCH: "d20: 36x10 40x10 40x10 40x4, d9: 36x10 40x10 40x10 40x5",
            },
            "B": {DUMBBELL_BENCH: "d7: 44x10", "Plank": "d7: 60s"},
        },
        coach={"routines": ["A"]},
    )
    first, *others = (load or 0 for load in found.loads(DUMBBELL_BENCH))
    assert first < min(others)
    assert min(others) >= 40
    assert "Sets 2-3 reached 10 reps at 40 kg" in found.why


def test_g14_the_heavier_sets_stay_first() -> None:
    found = planned("80x8 80x7 70x8 70x7", title="Triceps Pushdown")
    first, *_, last = found.loads()
    assert (first or 0) >= 80
    assert (first or 0) > (last or 0)
    plan, _ = found.text.split("last 80 kg")
    assert plan.index("× 9 (8-9) @ 80 kg") < plan.index("× 9 (8-9) @ 70 kg")


def test_g14_heavier_sets_stay_first_where_the_routine_has_no_loads() -> None:
    """A routine from a file has repetitions alone: all four sets got the load of the lightest."""
    pushdown = {**CURL, "exercise_title": "Triceps Pushdown", "equipment": "machine"}
    done = exposure([(80, 8), (80, 7), (70, 8), (70, 7)], days_ago=3)
    found = decide(situation([routine(slot(pushdown, ranged(4, None, 7, 8), [done]))]), profile())
    assert found is not None
    sets = found.plan.slots[0].sets
    assert [each.weight_kg for each in sets] == [80, 80, 70, 70]


def test_g16_the_routine_that_usually_follows_is_shown() -> None:
    """Legs were skipped once, so they were trained least recently; Push usually follows Pull."""
    days = {"Pull": range(0, 54, 6), "Legs": range(8, 54, 6), "Push": range(4, 54, 6)}
    lifts = {"Push": BENCH, "Legs": SQUAT, "Pull": "Bent Over Row (Barbell)"}
    found = planned(
        {
            title: {lift: ", ".join(f"d{day + 2}: 3*100x5" for day in sorted(days[title])[::-1])}
            for title, lift in lifts.items()
        }
    )
    assert found.plan.routine_title == "Push"
    assert "Push" in found.text
    assert "Bench Press (Barbell)" in found.text


def test_g17_newer_work_in_another_routine_is_what_counts() -> None:
    old = "d75: 3*38.6x14, d71: 3*38.6x14"
    found = planned(
        {
            "A": {DUMBBELL_PRESS: old},
            "B": {
                DUMBBELL_PRESS: "d14: 3*20x12, d11: 3*22.5x12, d7: 3*25x12",
                "Plank": "d14: 60s, d11: 60s, d7: 60s",
            },
        },
        coach={"routines": ["A"]},
    )
    assert 20 <= found.load(DUMBBELL_PRESS) <= 27.5
    assert "38.6" not in found.why


def test_g18_carried_and_held_sets_have_targets() -> None:
    found = planned({"A": {"Farmers Walk": "2*32/40m, 2*32/40m", "Plank": "3*60s, 3*60s"}})
    assert {each.distance_m for each in found.working("Farmers Walk")} == {40}
    assert 32 <= found.load("Farmers Walk") <= 36
    assert {each.duration_s for each in found.working("Plank")} == {65}
    assert "3 × 65 s" in found.text


@pytest.mark.parametrize("rpe", ["@7", "@8", ""])
def test_g19_a_load_that_was_never_raised_goes_up(rpe: str) -> None:
    found = planned(f"10*(80x5{rpe} 80x5{rpe} 80x5{rpe})", title=BENCH)
    assert found.load() > 80
    assert "no load was added in 6 workouts" in found.why
    assert "variation" not in found.why


def test_g20_a_new_stage_is_named() -> None:
    found = planned(
        "[5*97.5x3+] 5*97.5x3, [5*100x3+] 4*100x3 100x2, [6*100x2+] 6*100x2",
        exercises={SQUAT: {"model": "stages"}},
    )
    assert (found.load(), found.reps()) == (105, [2] * 6)
    assert "5x3+ was missed, so the stage changed to 6x2+" in found.why
    assert "fell from" not in found.why
