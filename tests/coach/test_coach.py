import hashlib
import json

import pytest

from coach_agent.coach import Decision, decide
from coach_agent.context import RoutineContext
from coach_agent.plan import Plan
from coach_agent.profile import AthleteProfile, ProfileError
from coach_agent.progression.engine import EngineInput, prescribe
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    applied,
    exposure,
    fixed,
    loads,
    profile,
    ranged,
    routine,
    slot,
)

FIVES = fixed(3, 100, 5)
RANGE = ranged(3, 24, 8, 12)
UPPER = routine(
    slot(BENCH, FIVES, [exposure([(100, 5)] * 3, FIVES)]),
    slot(CURL, RANGE, [exposure([(24, 12), (24, 10), (24, 9)], RANGE)]),
)
LOWER = routine(slot(BENCH, FIVES), title="Lower A", days_ago=1)


def decided(
    routines: list[RoutineContext] | None = None, athlete: AthleteProfile | None = None
) -> Decision:
    known = [UPPER, LOWER] if routines is None else routines
    decision = decide(known, athlete or profile(), (), NOW.date())
    assert decision is not None
    return decision


def test_the_next_routine_is_decided() -> None:
    decision = decided()
    assert (decision.plan.routine_title, decision.plan.athlete_id) == ("Upper A", "demo")
    assert loads(decision.plan.slots[0]) == [102.5] * 3


def test_without_routines_there_is_no_decision() -> None:
    assert decide([], profile(), (), NOW.date()) is None


def test_a_routine_of_the_profile_that_is_not_there_is_told() -> None:
    with pytest.raises(ProfileError, match="no routine 'Push'"):
        decide([UPPER], profile(routines=["Push"]), (), NOW.date())


def test_the_input_alone_gives_the_plan_again_byte_for_byte() -> None:
    decision = decided()
    replayed = prescribe(EngineInput.model_validate_json(decision.input_json))
    assert replayed.to_json() == decision.plan.to_json()
    assert hashlib.sha256(replayed.to_json()).hexdigest() == decision.output_sha256
    assert hashlib.sha256(decision.input_json.encode()).hexdigest() == decision.input_sha256


def test_the_decision_is_the_same_after_its_plan_was_published() -> None:
    before = decided()
    after = decided([applied(before.plan, UPPER), LOWER])
    assert after == before


def test_todays_targets_are_no_part_of_the_input() -> None:
    given = json.loads(decided().input_json)
    assert [each["weight_kg"] for each in given["slots"][0]["sets"]] == [None] * 3
    assert "sha256" not in given


def test_new_training_makes_a_new_decision() -> None:
    trained = exposure([(100, 5), (100, 5), (100, 4)], FIVES)
    later = UPPER.model_copy(
        update={"slots": (UPPER.slots[0].model_copy(update={"exposures": (trained,)}),)}
    )
    ids = {decided().decision_id, decided([later, LOWER]).decision_id}
    assert len(ids) == 2


@pytest.mark.parametrize(
    ("athlete", "is_same"),
    [
        (profile(name="Other", timezone="Europe/Berlin"), True),
        (profile(exercises={"Squat (Barbell)": {"increment_kg": 1.0}}), True),
        (profile(exercises={CURL["exercise_title"]: {"rpe_cap": 8.0}}), False),
        (profile(limits={"jump_pct": 10.0}), False),
        (profile(equipment={"bar_kg": 15.0}), False),
    ],
    ids=["name", "rule of another exercise", "rule of this one", "limit", "gym"],
)
def test_only_what_the_plan_depends_on_changes_its_id(
    athlete: AthleteProfile, is_same: bool
) -> None:
    assert (decided(athlete=athlete).plan_id == decided().plan_id) is is_same


def test_ids_tell_what_they_are_ids_of() -> None:
    decision = decided()
    assert decision.decision_id.startswith("dec_")
    assert decision.plan_id == decision.decision_id.replace("dec_", "plan_")
    assert decision.rule_version == decision.plan.rule_version


def test_the_same_plan_has_the_same_bytes() -> None:
    assert decided().plan.to_json() == decided([LOWER, UPPER]).plan.to_json()
    assert Plan.model_validate_json(decided().plan.to_json()) == decided().plan
