import hashlib
import json

import pytest

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.pain import Pain
from coach_agent.domain.plan import Plan
from coach_agent.engine.engine import EngineInput, prescribe
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.profile.model import AthleteProfile, ProfileError
from coach_agent.store.check_ins import CheckIn
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
    situation,
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
    decision = decide(situation(known), athlete or profile())
    assert decision is not None
    return decision


def test_the_next_routine_is_decided() -> None:
    decision = decided()
    assert (decision.plan.routine_title, decision.plan.athlete_id) == ("Upper A", "demo")
    assert loads(decision.plan.slots[0]) == [102.5] * 3


def test_without_routines_there_is_no_decision() -> None:
    assert decide(situation([]), profile()) is None


def test_a_routine_of_the_profile_that_is_not_there_is_told() -> None:
    with pytest.raises(ProfileError, match="no routine 'Push'"):
        decide(situation([UPPER]), profile(routines=["Push"]))


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


def test_sets_left_out_still_found_the_loads_of_the_others() -> None:
    """Both sets of the machine were decided from 61 kg, also on a day with only the first."""
    machine = {**BENCH, "exercise_title": "Chest Press (Machine)", "equipment": "machine"}
    done = exposure([(68, 15), (61, 16)], ranged(2, 61, 14, 20))
    easy = CheckIn(checked_in_at=NOW, deload=("all",))
    decision = decide(
        situation([routine(slot(machine, ranged(2, 59, 14, 20), [done]))], latest_check_in=easy),
        profile(),
    )
    assert decision is not None
    assert loads(decision.plan.slots[0]) == [56.0]  # 51 is below the floor of 54.9


def test_the_last_assistance_can_go() -> None:
    dips = {**BENCH, "exercise_title": "Dip (Assisted)", "exercise_type": "bodyweight_assisted"}
    sets = fixed(1, 4.5, 8)
    decision = decided([routine(slot(dips, sets, [exposure([(4.5, 9)], sets)]))])
    assert loads(decision.plan.slots[0]) == [0.0]


def test_a_heavier_set_shows_more_than_a_tested_maximum() -> None:
    """The plan was stopped: it repeated 62.5 kg, above a single of 60 kg at RPE 10."""
    sets = [*fixed(1, 60, 1), *fixed(1, 62.5, 3)]
    lift = slot(BENCH, sets, [exposure([(60, 1, 10.0), (62.5, 3)], days_ago=3)])
    sore = CheckIn(checked_in_at=NOW, pain=(Pain(part="chest", level="moderate"),))
    decision = decide(situation([routine(lift)], latest_check_in=sore), profile())
    assert decision is not None
    assert loads(decision.plan.slots[0]) == [60, 62.5]
