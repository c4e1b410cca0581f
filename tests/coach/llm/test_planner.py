"""From the engine's decision to the model's, and the fallback to the engine."""

import json
from dataclasses import replace
from typing import Any

import pytest

from coach_agent.domain.model_calls import Outcome, TypedCall
from coach_agent.llm.answers import Answered
from coach_agent.llm.planner import (
    Proposal,
    is_in_shadow,
    may_change,
    proposal,
    refine,
    refine_again,
)
from coach_agent.llm.shadow import Score, ShadowScore
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.profile.llm_settings import LlmSettings
from coach_agent.profile.model import AthleteProfile
from tests.coach.builders import BENCH
from tests.coach.llm.requests import request
from tests.coach.llm.usual_day import (
    BENCH_SLOT,
    as_proposed,
    block,
    changed,
    usual_athlete,
    usual_situation,
)

SITUATION = usual_situation()


class Says:
    """Gives this answer to every question."""

    def __init__(self, answer: dict[str, Any] | None) -> None:
        self._answer = answer

    def ask(self, call: TypedCall[Any]) -> Outcome[Any]:
        records = (request(provider="google", model="flash"),)
        if self._answer is None:
            return Outcome(None, "engine", records)
        answer = call.output.model_validate_json(json.dumps(self._answer))
        return Outcome(answer, "google:flash", records)


def asked(athlete: AthleteProfile | None = None) -> Proposal:
    athlete = athlete or usual_athlete()
    return proposal(SITUATION, athlete, engines(athlete))


def engines(athlete: AthleteProfile) -> Decision:
    decision = decide(SITUATION, athlete)
    assert decision is not None
    return decision


def lighter_bench(question: Proposal) -> dict[str, Any]:
    return changed(as_proposed(question.windows), block(BENCH_SLOT, load=100.0))


def test_the_models_decision_is_one_of_its_own_from_the_same_input() -> None:
    question = asked()
    refined = refine(question, Says(lighter_bench(question)))
    assert refined.decision is not None
    before, after = question.decision, refined.decision
    assert (after.input_json, after.rule_version) == (before.input_json, before.rule_version)
    assert after.output_sha256 == before.output_sha256
    assert after.decision_id != before.decision_id
    assert after.plan_id.removeprefix("plan_") == after.decision_id.removeprefix("dec_")
    assert (after.plan.decided_by, refined.decided_by) == ("google:flash", "google:flash")
    assert before.plan.decided_by == "engine"
    assert [each.weight_kg for each in after.plan.slots[BENCH_SLOT].sets][-1] == 100.0
    assert [each.weight_kg for each in before.plan.slots[BENCH_SLOT].sets][-1] == 102.5


def test_without_an_answer_the_engines_decision_stands() -> None:
    refined = refine(asked(), Says(None))
    assert (refined.decision, refined.answered, refined.decided_by) == (None, None, "engine")
    assert len(refined.records) == 1


def test_an_answer_that_slipped_through_is_an_error_in_the_ledger() -> None:
    """As if the check had been forgotten: the plan is checked again before it is taken."""
    question = asked()
    too_heavy = changed(as_proposed(question.windows), block(BENCH_SLOT, load=140.0))
    refined = refine(question, Says(too_heavy))
    assert (refined.decision, refined.decided_by) == (None, "engine")
    assert refined.records[-1].outcome == "error"
    assert "given 140 kg" in str(refined.records[-1].error)


def test_a_known_answer_gives_the_same_decision_again() -> None:
    question = asked()
    refined = refine(question, Says(lighter_bench(question)))
    assert refined.answered is not None
    again = refine_again(asked(), refined.answered)
    assert again is not None
    assert (again.decision, again.records) == (refined.decision, ())


@pytest.mark.parametrize(
    "change",
    [
        {"prompt_version": "another"},
        {"answer_json": "{}"},
        {"answer_json": "no JSON"},
    ],
)
def test_an_answer_to_another_question_is_none(change: dict[str, str]) -> None:
    question = asked()
    answered = refine(question, Says(lighter_bench(question))).answered
    assert answered is not None
    assert refine_again(question, replace(answered, **change)) is None


def test_an_answer_is_forgotten_where_numbers_may_not_change_any_more() -> None:
    question = asked()
    answered = refine(question, Says(lighter_bench(question))).answered
    assert isinstance(answered, Answered)
    strict = asked(usual_athlete(llm={"may_change_numbers": "never"}))
    assert refine_again(strict, answered) is None


UNKNOWN = ShadowScore(Score(0, 0), Score(0, 0))
BETTER = ShadowScore(Score(20, 5, -2.0, -3.0, -1.0), Score(0, 0))


@pytest.mark.parametrize(
    ("settings", "expected", "until_then", "once_it_is_better"),
    [
        ({"may_change_numbers": "never"}, "never", False, False),
        ({"may_change_numbers": "within_windows"}, "within_windows", False, False),
        ({"may_change_numbers": "within_windows", "shadow": True}, "within_windows", True, True),
        ({"may_change_numbers": "earned"}, "within_windows", True, False),
        ({"may_change_numbers": "earned", "shadow": True}, "within_windows", True, True),
    ],
)
def test_numbers_may_change_by_the_athletes_word(
    settings: dict[str, Any], expected: str, until_then: bool, once_it_is_better: bool
) -> None:
    """With "earned" the model is asked for numbers in shadow; otherwise it could never earn
    them.
    """
    llm = LlmSettings(**settings)
    assert may_change(llm) == expected
    assert is_in_shadow(llm, UNKNOWN) == until_then
    assert is_in_shadow(llm, BETTER) == once_it_is_better


def test_what_the_athlete_leaves_out_is_not_asked_with() -> None:
    named = usual_athlete(name="Kim Sunderland")
    private = usual_athlete(name="Kim Sunderland", llm={"leave_out": ["names"]})
    assert "Kim Sunderland" in asked(named).call.prompt.text
    assert "Kim Sunderland" not in asked(private).call.prompt.text


@pytest.mark.parametrize("mode", ["preview", "approve", "auto"])
def test_an_exchange_is_offered_however_plans_are_published(mode: str) -> None:
    athlete = usual_athlete(avoid=[BENCH["exercise_title"]], publish={"mode": mode})
    windows = asked(athlete).windows
    (bench,) = [slot for slot in windows.slots if slot.number == BENCH_SLOT + 1]
    assert len(bench.exercises) == 2
    question = asked(athlete)
    refined = refine(question, Says(as_proposed(question.windows)))
    assert refined.decision is not None
