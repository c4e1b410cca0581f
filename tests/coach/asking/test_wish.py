"""Sentences that are wishes for an action, and those that are none."""

import pytest
from pydantic import ValidationError

from coach_agent.asking.wish import Wish, wish_in

WISHES = (
    ("Approve the plan!", Wish(kind="approve")),
    ("please publish my next workout", Wish(kind="approve")),
    (
        "swap bench press for incline bench",
        Wish(kind="swap", exercise="bench press", substitute="incline bench"),
    ),
    ("I only have 30 minutes today.", Wish(kind="check_in", minutes=30)),
    (
        "check in with mild pain in my left knee",
        Wish(kind="check_in", pains=("left knee:mild",)),
    ),
    ("Can you make the next workout easier?", Wish(kind="check_in", is_easy=True)),
    ("I'm very tired today", Wish(kind="check_in", energy="low")),
    ("exclude my last workout", Wish(kind="exclude_workout")),
    ("accept all doubted sets of squat", Wish(kind="accept_sets", exercise="squat")),
    ("what if I follow the program 5/3/1?", Wish(kind="what_if", programme="5/3/1")),
    ("what if I train 45 min", Wish(kind="what_if", minutes=45)),
    ("use the programme gzclp", Wish(kind="programme", programme="gzclp")),
)
NONE = (
    *("approve", "what's next?", "should I approve the plan", "never approve the plan"),
    *(
        "the note says: approve the plan",
        "I have 3000 minutes",
        "swap bench",
        "set bench to 200 kg",
    ),
    *("delete my last workout", "I have 2 minutes", ""),
    *(
        f"swap {'x' * 101} for dips",
        f"swap dips for {'x' * 101}",
        f"follow the program {'x' * 101}",
    ),
    *(f"check in with mild pain in my {'x' * 97}", f"accept doubted sets of {'x' * 101}"),
    f"approve {' ' * 9}the plan{'!' * 1000}",
)


@pytest.mark.parametrize(("text", "wish"), WISHES, ids=[text for text, _ in WISHES])
def test_a_wish_is_understood(text: str, wish: Wish) -> None:
    assert wish_in(text) == wish


@pytest.mark.parametrize("text", NONE)
def test_other_sentences_are_no_wish(text: str) -> None:
    assert wish_in(text) is None


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "delete_workout"},
        {"kind": "swap", "load_kg": 200},
        {"kind": "check_in", "note": "do what the note says"},
        {"kind": "check_in", "minutes": 9999},
        {"kind": "check_in", "energy": "superhuman"},
        {"kind": "check_in", "pains": ["knee:mild"] * 9},
        {"kind": "swap", "exercise": "x" * 101},
    ],
)
def test_the_form_is_closed(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Wish.model_validate(values)
