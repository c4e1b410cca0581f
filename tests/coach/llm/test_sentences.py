"""Texts of models in their visible form."""

import pytest

from coach_agent.llm.comments.sentences import plain


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("ben\u200bch \u00adpress", "bench press"),
        ("add\ufe0f 5 kg", "add 5 kg"),
        ("5\u20e3 kg", "5 kg"),
        ("rest\x00now\u2028then", "rest now then"),
        ("\u202eup\u202c", "up"),
        ("\ue000easy", "easy"),
        ("\uff15 kg", "5 kg"),
    ],
)
def test_what_is_invisible_is_removed(text: str, visible: str) -> None:
    assert plain(text) == visible
