"""Texts on their way from a provider to what is shown: hostile ones end, true ones arrive."""

import json
from itertools import chain as chained
from itertools import islice
from typing import Any

import pytest

from coach_agent.domain.plan import CoachWords
from coach_agent.llm.plan_answer import PlanAnswer, apply_answer_with_texts, with_stored_texts
from coach_agent.llm.planner import RefinementResult, proposal, refine
from coach_agent.llm.text_policy import text_policy
from coach_agent.planning.decide import decide
from tests.llm.fakes import KINDS, Kind, Say, fake_provider
from tests.llm.questions import chain, provider
from tests.llm.test_comments import HELPFUL, HOSTILE
from tests.llm.usual_day import as_proposed, usual_athlete, usual_situation, usual_windows

MOST_ADJUSTMENTS = 20
TRUE = ("The bench press goes up to 102.5 kg today.", "Focus on clean reps.")


def answered(kind: Kind, answer: dict[str, Any]) -> RefinementResult:
    situation, athlete = usual_situation(), usual_athlete()
    decision = decide(situation, athlete)
    assert decision is not None
    asked = proposal(situation, athlete, decision)
    with fake_provider(kind, Say(json.dumps(answer))) as fake, chain(provider(fake)) as providers:
        return refine(asked, providers)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_provider_says_is_shown_only_as_true_sentences(kind: Kind) -> None:
    hostile = list(islice(chained.from_iterable(zip(*HOSTILE.values(), strict=False)), 400))
    answer = as_proposed(usual_windows())
    for slot, text in zip(answer["slots"], hostile, strict=False):
        slot["note"] = text
    answer["summary"] = " ".join((TRUE[0], *hostile[:3], TRUE[1]))
    answer["reasoning"] = "\n".join(hostile)[:4000]
    answer["adjustments"] = [*hostile[-MOST_ADJUSTMENTS + 1 :], HELPFUL[0]]
    refined = answered(kind, answer)
    assert refined.decision is not None
    plan = refined.decision.plan
    assert plan.words is not None
    assert plan.words.texts == (" ".join(TRUE), HELPFUL[0])
    assert plan.words.dropped_sentences == len(refined.rejected)
    assert {slot.note for slot in plan.slots} == {"Same form on every rep."}
    assert plan.summary == usual_windows().plan.summary


def test_a_plan_of_another_text_policy_keeps_the_texts_that_were_stored() -> None:
    """An answer of before had free notes; its plan is built again with what was shown then."""
    windows = usual_windows()
    answer = as_proposed(windows)
    for slot in answer["slots"]:
        del slot["reason"], slot["cues"], slot["facts"]
        slot["note"] = "Steady."
    parsed = PlanAnswer.model_validate_json(json.dumps(answer))
    names = {"decided_by": "fake:model", "prompt_version": "p0", "language": "en"}
    plan, _ = apply_answer_with_texts(parsed, windows, **names)
    assert plan.words is not None
    assert plan.words.text_policy == text_policy()
    stored = plan.model_copy(
        update={
            "slots": tuple(each.model_copy(update={"note": "Steady."}) for each in plan.slots),
            "words": CoachWords(decided_by="fake:model", prompt_version="p0", summary="A day."),
            "summary": "A day.",
        }
    )
    assert stored.words is not None
    assert stored.words.text_policy == "1"
    assert with_stored_texts(plan, stored).to_json() == stored.to_json()
    assert with_stored_texts(plan, plan) == plan
