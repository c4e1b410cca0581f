"""Changes of a request for a programme, in words."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.domain.pain import Pain
from coach_agent.programmes.builder import build
from coach_agent.programmes.catalogue import exercise_tags
from coach_agent.programmes.change_words import EXAMPLES, ChangeError
from coach_agent.programmes.changes import changed
from coach_agent.programmes.request import MISSING_KINDS, ProgrammeRequest
from orchestration.services.programmes.exercise_catalogue import programme_catalogue

TODAY = date(2026, 11, 29)
ALL_BUT_DUMBBELLS = tuple(each for each in MISSING_KINDS if each != "dumbbell")
NECK = (Pain(part="neck", level="mild"),)
KNEE = (Pain(part="left knee", level="moderate"),)
START = ProgrammeRequest(days=3, lacks=("kettlebell",), pain=NECK, prefer=("Chest Dip",))


def change_of(text: str) -> dict[str, Any]:
    """Return the fields that a text changes."""
    after = changed(START, text, exercise_tags(), TODAY)
    return {name: value for name, value in after if value != getattr(START, name)}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("4 days", {"days": 4}),
        ("Four days a week, please", {"days": 4}),
        ("45 minutes", {"minutes": 45}),
        ("at most 45 min per session", {"minutes": 45}),
        ("1.5 hours", {"minutes": 90}),
        ("only two hours", {"minutes": 120}),
        ("for strength", {"goal": "strength"}),
        ("more muscle", {"goal": "hypertrophy"}),
        ("I'm an advanced lifter", {"level": "advanced"}),
        ("no barbell", {"lacks": ("kettlebell", "barbell")}),
        ("I don't have any machines", {"lacks": ("kettlebell", "machine")}),
        ("with kettlebells", {"lacks": ()}),
        ("dumbbells only", {"lacks": ALL_BUT_DUMBBELLS}),
        (
            "only body weight",
            {"lacks": MISSING_KINDS},
        ),
        (
            "only dumbbells and a bench",
            {"lacks": tuple(each for each in ALL_BUT_DUMBBELLS if each != "bench")},
        ),
        (
            "I only have a barbell and a bench",
            {
                "lacks": (
                    *("dumbbell", "kettlebell", "machine", "cable", "pull-up bar", "dip bars"),
                )
            },
        ),
        ("I have no bench", {"lacks": ("kettlebell", "bench")}),
        ("no pull-up bar or rack", {"lacks": ("kettlebell", "pull-up bar", "rack")}),
        ("I have kettlebells", {"lacks": ()}),
        ("no barbell rows", {"avoid": ("Bent Over Row (Barbell)", "Pendlay Row (Barbell)")}),
        (
            "leave out the pull-ups",
            {
                "avoid": (
                    *("Negative Pull Up", "Pull Up", "Pull Up (Assisted)", "Pull Up (Weighted)"),
                    "Scapular Pull Ups",
                )
            },
        ),
        ("no chest dips", {"avoid": ("Chest Dip",), "prefer": ()}),
        ("prefer hammer curls", {"prefer": ("Chest Dip", "Hammer Curl (Dumbbell)")}),
        (
            "swap the hip thrust machine for goblet squats",
            {"avoid": ("Hip Thrust (Machine)",), "prefer": ("Chest Dip", "Goblet Squat")},
        ),
        ("meet on 2027-03-20", {"weeks_to_event": 16, "days_in_last_week": 6}),
        ("competition in 10 weeks", {"weeks_to_event": 10}),
        ("Meet on March 20", {"weeks_to_event": 16, "days_in_last_week": 6}),
        ("my powerlifting meet is on 20.03.2027", {"weeks_to_event": 16, "days_in_last_week": 6}),
        ("wedding in 3 months", {"weeks_to_event": 13}),
        ("race on 5 January", {"weeks_to_event": 6, "days_in_last_week": 2}),
        ("twice a week", {"days": 2}),
        ("I can only train 2x per week", {"days": 2}),
        ("five times weekly", {"days": 5}),
        ("4 days of 45 minutes", {"days": 4, "minutes": 45}),
        ("no more than 45 minutes", {"minutes": 45}),
        ("half an hour", {"minutes": 30}),
        ("an hour and a half", {"minutes": 90}),
        ("1h15", {"minutes": 75}),
        ("max 1:15", {"minutes": 75}),
        ("I want to get stronger", {"goal": "strength"}),
        ("build muscle", {"goal": "hypertrophy"}),
        ("stay healthy", {"goal": "health"}),
        ("no barbell or dumbbells", {"lacks": ("kettlebell", "barbell", "dumbbell")}),
        ("no free weights", {"lacks": ("kettlebell", "barbell", "dumbbell")}),
        ("I just have dumbbells", {"lacks": ALL_BUT_DUMBBELLS}),
        ("squats hurt my left knee", {"pain": (*KNEE, *NECK)}),
        ("I have pain in my left knee", {"pain": (*KNEE, *NECK)}),
        ("bad left knee", {"pain": (*KNEE, *NECK)}),
        ("my left knee hurts when I squat", {"pain": (*KNEE, *NECK)}),
        (
            "left knee and right shoulder hurt",
            {"pain": (*KNEE, *NECK, Pain(part="right shoulder", level="moderate"))},
        ),
        ("tennis elbow", {"pain": (Pain(part="elbow", level="moderate"), *NECK)}),
        ("my neck is fine now", {"pain": ()}),
        ("my neck doesn't hurt", {"pain": ()}),
        ("no neck pain anymore", {"pain": ()}),
        ("no neck pain", {"pain": ()}),
        ("no pain", {"pain": ()}),
        ("my neck hurts", {"pain": (Pain(part="neck", level="moderate"),)}),
        (
            "left knee hurts a bit",
            {"pain": (Pain(part="left knee", level="mild"), Pain(part="neck", level="mild"))},
        ),
        (
            "2 days and 30 minutes; no dumbbells",
            {"days": 2, "minutes": 30, "lacks": ("kettlebell", "dumbbell")},
        ),
    ],
)
def test_words_change_the_request(text: str, fields: dict[str, Any]) -> None:
    assert change_of(text) == fields


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "for example"),
        ("9 days", "days: .* 7"),
        ("5 minutes", "minutes: .* 15"),
        ("4 days and something else", "something else"),
        ("no flurbs", "flurbs"),
        ("no bulgarian split sqat", "Did you mean 'Bulgarian Split Squat'"),
        ("my soul hurts", "part of the body"),
        ("only barbells and hopes", "hopes"),
        ("meet on 2027-02-30", "write the day"),
        ("meet on 2026-11-29", "from tomorrow on"),
        ("meet in 60 weeks", "52"),
        ("chest pain", "Stop training now"),
        ("4 days, knee is hot and swollen", "doctor"),
        ("I have osteoporosis", "doctor or physiotherapist"),
        ("I'm pregnant", "doctor or physiotherapist"),
        ("I am 65", "Age changes nothing"),
        ("focus on glutes", "Split and sets follow"),
        ("push pull legs", "Split and sets follow"),
        ("more chest", "Name an exercise for chest"),
        ("no raises", "'raises' can be .* say which"),
    ],
)
def test_what_is_no_change_is_reported_and_changes_nothing(text: str, reason: str) -> None:
    with pytest.raises(ChangeError, match=f"(?s){reason}"):
        change_of(text)


@pytest.mark.parametrize(
    ("word", "family", "others"),
    [
        ("squats", "squat", "Leg Press (Machine)"),
        ("deadlifts", "deadlift", "Good Morning (Barbell)"),
        ("bench", "bench press", "Bench Dip"),
        ("lunges", "lunge", "Split Squat (Dumbbell)"),
        ("push-ups", "push up", "Bench Press (Barbell)"),
        ("curls", "bicep curl", "Seated Leg Curl (Machine)"),
        ("presses", "shoulder press", "Leg Press (Machine)"),
        ("flyes", "chest fly", "Rear Delt Reverse Fly (Cable)"),
        ("overhead work", "overhead", "Bench Press (Barbell)"),
        ("legs", "squat", "Hanging Leg Raise"),
        ("arms", "curl (dumbbell)", "Single Arm Lateral Raise (Cable)"),
        ("crunches", "crunch", "Plank"),
        ("squats and deadlifts", "deadlift", "Hip Thrust (Barbell)"),
        ("lunges, squats", "squat", "Hip Thrust (Barbell)"),
    ],
)
def test_no_is_broad_but_not_beyond_its_meaning(word: str, family: str, others: str) -> None:
    avoided = change_of(f"no {word}")["avoid"]
    assert [
        title for title in exercise_tags() if family in title.lower() and title not in avoided
    ] == []
    assert others in exercise_tags()
    assert others not in avoided
    request = changed(START, f"no {word}", exercise_tags(), TODAY)
    built = build(request, programme_catalogue())
    assert not {lift.exercise for lift in built.programme.lifts.values()} & set(avoided)


def test_add_is_narrow() -> None:
    assert change_of("pull ups instead of pulldowns")["prefer"] == ("Chest Dip", "Pull Up")
    assert "Seated Leg Curl (Machine)" not in change_of("add curls")["prefer"]
    assert change_of("prefer hip thrusts and pull-ups")["prefer"] == (
        *("Chest Dip", "Hip Thrust (Barbell)", "Hip Thrust (Machine)", "Pull Up"),
    )


def test_the_examples_are_changes() -> None:
    for example in EXAMPLES.split("; "):
        assert change_of(example)


@given(
    st.text(max_size=80) | st.lists(st.sampled_from([*EXAMPLES.split(), "and", ","])).map(" ".join)
)
def test_any_text_is_a_request_or_an_error(text: str) -> None:
    try:
        after = changed(START, text, exercise_tags(), TODAY)
    except ChangeError:
        return
    assert ProgrammeRequest.model_validate(after.model_dump()) == after
