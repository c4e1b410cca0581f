"""Changes of a request for a programme, in words."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.domain.pain import Pain
from coach_agent.programmes.catalogue import exercise_tags
from coach_agent.programmes.changes import EXAMPLES, ChangeError, changed
from coach_agent.programmes.request import ProgrammeRequest

TODAY = date(2026, 11, 29)
START = ProgrammeRequest(
    days=3, lacks=("kettlebell",), pain=(Pain(part="neck", level="mild"),), prefer=("Chest Dip",)
)


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
        ("dumbbells only", {"lacks": ("barbell", "kettlebell", "machine", "cable")}),
        (
            "only body weight",
            {"lacks": ("barbell", "dumbbell", "kettlebell", "machine", "cable")},
        ),
        ("only dumbbells and cables", {"lacks": ("barbell", "kettlebell", "machine")}),
        ("no barbell rows", {"avoid": ("Bent Over Row (Barbell)", "Pendlay Row (Barbell)")}),
        (
            "leave out the pull-ups",
            {"avoid": ("Pull Up", "Pull Up (Assisted)", "Pull Up (Weighted)")},
        ),
        ("no chest dips", {"avoid": ("Chest Dip",), "prefer": ()}),
        ("prefer hammer curls", {"prefer": ("Chest Dip", "Hammer Curl (Dumbbell)")}),
        (
            "swap the hip thrust machine for goblet squats",
            {"avoid": ("Hip Thrust (Machine)",), "prefer": ("Chest Dip", "Goblet Squat")},
        ),
        ("meet on 2027-03-20", {"weeks_to_event": 16}),
        ("competition in 10 weeks", {"weeks_to_event": 10}),
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
        ("meet on 2027-02-30", "no such day"),
        ("meet on 2026-11-29", "from tomorrow on"),
        ("meet in 60 weeks", "52"),
        ("chest pain", "Stop training now"),
        ("4 days, knee is hot and swollen", "doctor"),
    ],
)
def test_what_is_no_change_is_reported_and_changes_nothing(text: str, reason: str) -> None:
    with pytest.raises(ChangeError, match=f"(?s){reason}"):
        change_of(text)


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
