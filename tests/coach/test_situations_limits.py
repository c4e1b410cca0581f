"""Limits of a plan: maxima, meets, pain, time, equipment, warm-ups, dead ends and stale data.

Tests are named by the rows of the list of situations; each checks the plan and its text.
"""

from coach_agent.coach import circumstances_of, decide, trainable_titles
from tests.coach.situations import BENCH, SQUAT, planned, situation_of

OHP = "Overhead Press (Barbell)"
ROW = "Bent Over Row (Barbell)"
SHOULDER = {"right shoulder": "severe"}


def test_p1_a_substitute_that_loads_what_hurts_is_refused() -> None:
    """Push-ups were named instead of the bench press with severe pain in the shoulder."""
    swap = {"swap": {BENCH: ["Push Up"]}}
    found = planned(
        {BENCH: "3*80x5, 3*82.5x5", SQUAT: "3*100x5, 3*102.5x5"}, pain=SHOULDER, preferences=swap
    )
    assert not found.working(BENCH)
    assert found.working(SQUAT)
    assert "Instead" not in found.text
    assert "Not Push Up either: it loads the right shoulder, too." in found.text
    assert "You can train Squat (Barbell)." in found.text


def test_p1_without_anything_left_common_exercises_are_named() -> None:
    known, athlete = situation_of("3*80x5, 3*82.5x5", title=BENCH, pain=SHOULDER)
    assert decide(known, athlete) is None
    assert trainable_titles(circumstances_of(known, athlete))[0] == "Leg Press (Machine)"


def test_p2_neck_pain_holds_whatever_loads_neck_or_traps() -> None:
    """All three went up: the muscles of squat and press do not include the neck."""
    history = {
        SQUAT: "3*100x5, 3*102.5x5",
        OHP: "3*47.5x5, 3*50x5",
        ROW: "3*60x8, 3*62.5x8",
        "Leg Press (Machine)": "3*150x10, 3*155x10",
    }
    found = planned(history, pain={"neck": "moderate"})
    assert [found.load(title) for title in (SQUAT, OHP, ROW)] == [102.5, 50, 62.5]
    assert found.load("Leg Press (Machine)") == 160
    for title in (SQUAT, OHP, ROW):
        assert found.slot(title).told[0].startswith("Pain (neck): no increase.")
