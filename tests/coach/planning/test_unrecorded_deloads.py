"""A light workout that nobody recorded as a deload is no new level."""

import pytest

from coach_agent.planning.unrecorded_deloads import with_unrecorded_deloads
from tests.coach.situations import BENCH, DEADLIFT, SQUAT, planned

BUILT_UP = "3*95x5@8, 3*97.5x5@8, 3*100x5@8"
BENCH_UP = "3*65x5@8, 3*67.5x5@8, 3*70x5@8"
UNRATED, BENCH_UNRATED = BUILT_UP.replace("@8", ""), BENCH_UP.replace("@8", "")


@pytest.mark.parametrize(
    ("squat", "bench"),
    [
        (f"{BUILT_UP}, 3*80x5@5", f"{BENCH_UP}, 3*55x5@5"),
        (f"{BUILT_UP}, 2*90x5@6", f"{BENCH_UP}, 2*62.5x5@6"),
        (f"{BUILT_UP}, 3*80x3@5", f"{BENCH_UP}, 3*55x3@5"),
        (f"{UNRATED}, 3*80x5", f"{BENCH_UNRATED}, 3*55x5"),
        (f"{UNRATED}, 2*85x5", f"{BENCH_UNRATED}, 2*60x5"),
    ],
    ids=["rated", "fewer sets", "fewer reps", "unrated", "unrated, fewer sets"],
)
def test_the_level_before_a_light_workout_stands(squat: str, bench: str) -> None:
    """The plan after it was one step above the light loads."""
    found = planned({SQUAT: f"[3*80x5] {squat}", BENCH: f"[3*55x5] {bench}"})
    assert (found.load(SQUAT), found.load(BENCH)) == (100, 70)
    assert found.reps(SQUAT) == found.reps(BENCH) == [5, 5, 5]
    assert found.text.count("The last workout was an easy one and is no new level.") == 1
    assert found.text.count("% more than last time.") == 2


def test_a_light_week_of_two_routines_is_no_new_level() -> None:
    found = planned(
        {
            "A": {SQUAT: f"{BUILT_UP}, 3*80x5@5".replace("3*95", "d27: 3*95")},
            "B": {DEADLIFT: "d25: 3*140x5@8, d18: 3*145x5@8, d11: 3*150x5@8, d2: 3*120x5@5"},
        },
    )
    assert found.plan.routine_title == "A"
    assert found.load() == 100


def test_after_it_training_goes_on() -> None:
    """The workout after the light one decides again, at the old level or below it."""
    assert planned(f"{BUILT_UP}, 3*80x5@5, 3*100x5@8").load() == 105
    assert planned(f"{BUILT_UP}, 3*80x5@5, 3*92.5x5@9.5").load() < 100


@pytest.mark.parametrize(
    ("squat", "bench"),
    [
        (f"{BUILT_UP}, 2*(3*80x5@5)", f"{BENCH_UP}, 2*(3*55x5@5)"),
        (f"{BUILT_UP}, 3*80x5@9", f"{BENCH_UP}, 3*55x5@9"),
        (f"{UNRATED}, 80x5 80x4 80x3", f"{BENCH_UNRATED}, 55x5 55x4 55x3"),
        (f"{UNRATED}, 3*80x8", f"{BENCH_UNRATED}, 3*55x8"),
        (f"{BUILT_UP}, 3*80x5@5", f"{BENCH_UP}, 3*70x5@8"),
    ],
    ids=["twice", "hard", "failed", "more reps", "one lift of two"],
)
def test_a_true_drop_counts(squat: str, bench: str) -> None:
    found = planned({SQUAT: squat, BENCH: bench})
    assert found.load(SQUAT) <= 85
    assert "no new level" not in found.text


def test_a_light_start_after_a_break_counts() -> None:
    history = "d60: 3*95x5@8, d56: 3*97.5x5@8, d52: 3*100x5@8, d3: 3*80x5@6"
    assert planned(history).load() < 100
    assert "no new level" not in planned(history).text


def test_light_days_in_turns_are_no_deload() -> None:
    turns = "100x5@8, 85x5@6, 102.5x5@8, 87.5x5@6, 105x5@8, 87.5x5@6"
    assert "no new level" not in planned(turns).text


def test_a_heavy_single_the_time_before_makes_nothing_light() -> None:
    """100 kg once and 85 kg four times were followed by 85 kg five times: more, not less."""
    squat = "3*80x5, 100x1 85x4 82.5x5, 3*85x5"
    bench = "3*60x5, 80x1 65x4 62.5x5, 3*65x5"
    assert "no new level" not in planned({SQUAT: squat, BENCH: bench}).text


def test_easy_workouts_alone_stay_as_they_are() -> None:
    """Without any workout that was not easy there is no level before."""
    (routine,) = planned("3*100x5, 3*80x5@5").situation.routines
    (slot,) = routine.slots
    eased = tuple(each.model_copy(update={"is_easy": True}) for each in slot.exposures)
    easy = routine.model_copy(update={"slots": (slot.model_copy(update={"exposures": eased}),)})
    assert with_unrecorded_deloads([easy]) == (easy,)


def test_only_the_marked_workout_holds_the_mark_in_json() -> None:
    """Stored inputs without an unrecorded deload keep their bytes."""
    (routine,) = planned(f"{BUILT_UP}, 3*80x5@5").situation.routines
    latest, *older = routine.slots[0].exposures
    assert latest.is_easy
    assert latest.model_dump()["is_unrecorded"]
    assert not any("is_unrecorded" in each.model_dump_json() for each in older)


def test_one_lift_alone_without_an_effort_counts() -> None:
    """A workout of one exercise may be lighter for a reason of that exercise."""
    assert planned(f"{UNRATED}, 3*80x5").load() == 82.5
