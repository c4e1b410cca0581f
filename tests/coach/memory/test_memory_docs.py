"""docs/memory.md has the numbers of the rules."""

from pathlib import Path

import pytest

from coach_agent.memory import memories, rules
from coach_agent.memory.memories import HALF_LIFE_DAYS

PAGE = Path(__file__).parents[3] / "docs" / "memory.md"
TIMES = f"{rules.REPEATED_TIMES} days within {rules.REPEATED_DAYS}"


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (TIMES, 4),
        (f"on {rules.PAIN_TIMES} days within {rules.PAIN_DAYS};", 1),
        (f"up to {rules.PRECEDING.total_seconds() / 3600:.0f} hours", 1),
        (f"at RPE {rules.HIGHEST_RESERVE_RPE:g} or lower", 1),
        (f"half of the latest {rules.HABIT_DAYS // 7} weeks", 1),
        (f"{rules.HABIT_TIMES} workouts in {rules.HABIT_LEAST_WEEKS} weeks", 1),
        (f"the latest {rules.HISTORY_DAYS} days", 1),
        (f"Below {memories.LEAST_CONFIDENCE:.0%}".replace("%", " %"), 1),
        (
            f"after {HALF_LIFE_DAYS['against_exercise']} days for exercises, "
            f"{HALF_LIFE_DAYS['training_days']} for habits and "
            f"{HALF_LIFE_DAYS['injury_pattern']} for pain",
            1,
        ),
        (f"s / (s + o + {memories.PRIOR_WEIGHT:g})", 1),
    ],
)
def test_the_page_has_the_numbers_of_the_rules(words: str, count: int) -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert text.count(words) == count, words
    assert (rules.HABIT_WEEK_SHARE, rules.START_WITHIN_MIN, memories.ATHLETE_WEIGHT) == (0.5, 60, 4)
