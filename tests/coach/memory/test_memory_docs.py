"""docs/memory.md has the numbers of the rules."""

from datetime import timedelta
from pathlib import Path

import pytest

from coach_agent.domain.constants.recovery import PAIN_NO_INCREASE_FROM
from coach_agent.memory import memories, rules
from coach_agent.memory.memories import HALF_LIFE_DAYS, Memory, Source, Statement
from tests.coach.memory.evidence import day

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
        (
            f"need {rules.HABIT_TIMES} days with training within {rules.HABIT_DAYS}, the last at "
            f"least {rules.HABIT_LEAST_WEEKS - 1} weeks after the first",
            1,
        ),
        (f"with {PAIN_NO_INCREASE_FROM.value} or severe pain in the same part", 1),
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


def test_the_page_has_the_confidence_of_weekly_swaps() -> None:
    swaps = Memory(
        athlete_id="ann",
        kind="against_exercise",
        subject="SQUAT",
        statement=Statement(title="Squat"),
        sources=tuple(Source(mart="m", key=str(each), day=day(7 * each)) for each in range(4)),
    )
    half_life = HALF_LIFE_DAYS["against_exercise"]
    first = f"{swaps.confidence(swaps.as_of):.0%}".replace("%", " %")
    later = f"{swaps.confidence(swaps.as_of + timedelta(days=half_life)):.0%}".replace("%", " %")
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"a week apart are {first} sure on the day of the last, and {later} {half_life}" in text
