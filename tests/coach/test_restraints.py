"""What holds an exercise back does what it says, and says what it did."""

import pytest

from coach_agent.check_ins import CheckIn
from coach_agent.coach import decide
from coach_agent.context import SlotContext
from coach_agent.pain import Pain
from coach_agent.plan import SlotPrescription
from coach_agent.profile import AthleteProfile
from tests.coach.builders import (
    BENCH,
    NOW,
    PLANK,
    exposure,
    fixed,
    loads,
    profile,
    ranged,
    reps,
    routine,
    situation,
    slot,
    timed_exposure,
)

EASY = CheckIn(checked_in_at=NOW, deload=("all",))
TIRED = CheckIn(checked_in_at=NOW, energy=2)
EXHAUSTED = CheckIn(checked_in_at=NOW, energy=1)
SORE_CHEST = CheckIn(checked_in_at=NOW, pain=(Pain(part="chest", level="moderate"),))


def prescribed(
    context: SlotContext, said: CheckIn | None = None, athlete: AthleteProfile | None = None
) -> SlotPrescription:
    decision = decide(situation([routine(context)], latest_check_in=said), athlete or profile())
    assert decision is not None
    return decision.plan.slots[0]


def following(model: str, **rule: object) -> AthleteProfile:
    return profile(exercises={BENCH["exercise_title"]: {"model": model, **rule}})


def test_time_becomes_less_where_a_load_would() -> None:
    held = slot(PLANK, [{"duration_s": 60}] * 2, [timed_exposure([60, 60])])
    easy = prescribed(held, EASY)
    assert [each.duration_s for each in easy.sets] == [54]
    assert "less time and 50 % fewer sets" in easy.adjustments[0].text


def test_only_what_came_of_it_is_told() -> None:
    """The empty bar gets no lighter, and of a single set none can go."""
    bar = fixed(1, 20, 5)
    low = prescribed(slot(BENCH, bar, [exposure([(20, 5)], bar, days_ago=2)]), EXHAUSTED)
    assert loads(low) == [20]
    assert low.adjustments[0].text == "Very low readiness by your check-in: no increase."


@pytest.mark.parametrize("athlete", [profile(), following("stages")], ids=["open", "stages"])
def test_no_set_is_open_while_something_holds_back(athlete: AthleteProfile) -> None:
    sets = [*fixed(4, 100, 3), *ranged(1, 100, 3, None)]
    press = slot(BENCH, sets, [exposure([(100, 3)] * 5, sets, days_ago=2)])
    free, held = prescribed(press, None, athlete), prescribed(press, SORE_CHEST, athlete)
    assert (free.sets[-1].rep_range_start, free.sets[-1].rep_range_end) == (3, None)
    assert held.sets[-1].reps == 3
    assert held.sets[-1].rep_range_end == (3 if held.sets[-1].rep_range_start else None)
    assert held.replaces_ranges


@pytest.mark.parametrize("said", [TIRED, EASY], ids=["tired", "deload"])
def test_a_wave_stays_whole(said: CheckIn) -> None:
    """Its last set is the one that counts: the others lead there."""
    sets = fixed(3, 80, 5)
    wave = slot(BENCH, sets, [exposure([(100, 5), (95, 5), (90, 5)], days_ago=2)])
    held = prescribed(wave, said, following("training_max"))
    assert (len(held.sets), reps(held)) == (3, [5, 5, 5])
    assert "sets" not in held.adjustments[0].text.split(". ")[0]
