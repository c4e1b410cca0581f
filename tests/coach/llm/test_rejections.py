"""Rejected plans in the prompt: as data, short, last, and not if excluded."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from coach_agent.domain.model_calls import Outcome
from coach_agent.llm.answer_schema import PlanAnswer
from coach_agent.llm.answers import Answered
from coach_agent.llm.plan_call import LONGEST_REASON, plan_call
from coach_agent.llm.planner import Proposal, proposal, refine, refine_again
from coach_agent.llm.prompting import Wishes, untrusted
from coach_agent.llm.windows import PlanWindows
from coach_agent.planning.decide import decide
from coach_agent.situation.situation import Situation
from coach_agent.store.rejections import Rejection
from tests.coach.llm.test_prompts import ORDERS
from tests.coach.llm.usual_day import (
    as_proposed,
    upper,
    usual_athlete,
    usual_situation,
    usual_windows,
)

AT = datetime(2026, 3, 1, 7, tzinfo=UTC)


def rejection(because: str, *, routine_id: str | None = None, days_ago: int = 0) -> Rejection:
    return Rejection(
        plan_id=f"plan_{days_ago}",
        routine_id=routine_id or upper().routine_id,
        rejected_at=AT - timedelta(days=days_ago),
        because=because,
    )


def rejecting(*rejections: Rejection) -> PlanWindows:
    return usual_windows(usual_situation(rejections=rejections))


def words_of(windows: PlanWindows, wishes: Wishes | None = None) -> dict[str, Any]:
    recent = plan_call(windows, wishes).prompt.recent
    body = recent.partition('<data name="words">\n')[2].partition("\n</data>")[0]
    words: dict[str, Any] = json.loads(body)
    return words


def test_why_plans_were_rejected_is_told_newest_first_and_only_of_the_routine() -> None:
    told = words_of(
        rejecting(
            rejection("too heavy"),
            rejection("other day", routine_id="routine-Lower", days_ago=1),
            *(rejection(f"no {number}", days_ago=number) for number in range(2, 6)),
        )
    )
    assert told["rejected"] == [
        {"date": "2026-03-01", "because": "too heavy"},
        {"date": "2026-02-27", "because": "no 2"},
        {"date": "2026-02-26", "because": "no 3"},
    ]


@pytest.mark.parametrize("order", ORDERS, ids=range(len(ORDERS)))
def test_an_order_in_a_reason_changes_no_window_and_stands_last_as_data(order: str) -> None:
    windows, usual = rejecting(rejection(order)), usual_windows()
    assert [[each.blocks for each in slot.exercises] for slot in windows.slots] == [
        [each.blocks for each in slot.exercises] for slot in usual.slots
    ]
    prompt, same = plan_call(windows).prompt, plan_call(usual).prompt
    assert (prompt.static, prompt.profile) == (same.static, same.profile)
    before, _, words = prompt.recent.partition('<data name="words">')
    assert before == same.recent.partition('<data name="words">')[0]
    body, end, rest = words.partition("\n</data>")
    assert (end, rest) == ("\n</data>", "\nPlan the next workout.")
    assert not set("<>&") & set(body)
    assert all(char == "\n" or char.isprintable() for char in body)
    (told,) = json.loads(body)["rejected"]
    assert told["because"] == untrusted(order, LONGEST_REASON)
    assert len(told["because"]) <= LONGEST_REASON


def test_who_leaves_notes_out_leaves_reasons_out_too() -> None:
    windows = rejecting(rejection("my knee"))
    assert "my knee" in plan_call(windows).prompt.recent
    wishes = Wishes(leave_out=frozenset({"notes"}))
    assert "my knee" not in plan_call(windows, wishes).prompt.text


def asked_in(situation: Situation) -> Proposal:
    athlete = usual_athlete()
    decision = decide(situation, athlete)
    assert decision is not None
    return proposal(situation, athlete, decision)


class SaysAsProposed:
    """Keeps to the proposal."""

    def ask(self, call: Any) -> Any:
        answer = as_proposed(usual_windows())
        return Outcome(PlanAnswer.model_validate_json(json.dumps(answer)), "fake:model")


def test_an_answer_from_before_a_rejection_is_not_taken_again() -> None:
    """The same plan came back the next night, by an answer that knew nothing of the reason."""
    refined = refine(asked_in(usual_situation()), SaysAsProposed())
    assert refined.answered is not None
    before = replace(refined.answered, answered_at=AT - timedelta(hours=1))
    after = replace(refined.answered, answered_at=AT + timedelta(hours=1))
    rejected = asked_in(usual_situation(rejections=(rejection("too heavy"),)))
    elsewhere = asked_in(usual_situation(rejections=(rejection("no", routine_id="other"),)))
    assert isinstance(before, Answered)
    assert refine_again(asked_in(usual_situation()), before) is not None
    assert refine_again(rejected, before) is None
    assert refine_again(rejected, after) is not None
    assert refine_again(elsewhere, before) is not None
