"""Memories as sentences for lifters."""

import pytest

from coach_agent.memory.memories import Kind, Memory, Statement
from orchestration.text.memory import statement_text


@pytest.mark.parametrize(
    ("kind", "statement", "text"),
    [
        ("training_minutes", Statement(minutes=1), "Your workouts take about 1 minute"),
        ("training_minutes", Statement(minutes=60), "Your workouts take about 60 minutes"),
        (
            "injury_pattern",
            Statement(title="hamstring"),
            "The pain in your hamstring keeps coming back",
        ),
        (
            "injury_pattern",
            Statement(title="left knee", before=("Lunge", "Squat")),
            "The pain in your left knee keeps coming back; before each time you had done Lunge and "
            "Squat",
        ),
    ],
)
def test_a_statement_is_a_sentence(kind: Kind, statement: Statement, text: str) -> None:
    memory = Memory(athlete_id="ann", kind=kind, subject="", statement=statement)
    assert statement_text(memory) == text
