"""Texts on their way from a provider to what is shown: hostile ones end, true ones select."""

import json
from itertools import chain as chained
from itertools import islice
from typing import Any

import pytest

from coach_agent.domain.plan import CoachWords
from coach_agent.llm.answer_schema import PlanAnswer
from coach_agent.llm.plan_answer import apply_answer_with_texts, with_stored_texts
from coach_agent.llm.planner import RefinementResult, proposal, refine
from coach_agent.llm.text_policy import text_policy
from coach_agent.planning.decide import decide
from tests.coach.llm.fakes import KINDS, Kind, Say, fake_provider
from tests.coach.llm.questions import chain, provider
from tests.coach.llm.test_comments import HOSTILE, remainder, usual_known
from tests.coach.llm.test_day_sentences import IN_LANGUAGES
from tests.coach.llm.usual_day import as_proposed, usual_athlete, usual_situation, usual_windows

MOST_ADJUSTMENTS = 20
ADJUSTMENT = "Beim Rudern bleibt es bei 80 kg."
TRUE = ("The bench press goes up to 102.5 kg today.", "Focus on clean reps.")
SHOWN = (
    "Bench Press (Barbell): Today 102.5 kg × 5, 5, 5, 5. 2.5 kg more than last time. "
    "Same form on every rep.",
    "Bent Over Row (Barbell): Today 80 kg × 10, 8, 8. 1 rep more than last time.",
)


def answered(kind: Kind, answer: dict[str, Any]) -> RefinementResult:
    situation, athlete = usual_situation(), usual_athlete()
    decision = decide(situation, athlete)
    assert decision is not None
    asked = proposal(situation, athlete, decision)
    with fake_provider(kind, Say(json.dumps(answer))) as fake, chain(provider(fake)) as providers:
        return refine(asked, providers)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_provider_says_is_shown_only_as_permitted_statements(kind: Kind) -> None:
    hostile = list(islice(chained.from_iterable(zip(*HOSTILE.values(), strict=False)), 400))
    answer = as_proposed(usual_windows())
    for slot, text in zip(answer["slots"], hostile, strict=False):
        slot["note"] = text
    answer["summary"] = " ".join((TRUE[0], *hostile[:3], TRUE[1]))
    answer["reasoning"] = "\n".join(hostile)[:4000]
    answer["adjustments"] = [*hostile[-MOST_ADJUSTMENTS + 2 :], TRUE[0], ADJUSTMENT]
    refined = answered(kind, answer)
    assert refined.decision is not None
    plan = refined.decision.plan
    assert plan.words is not None
    assert plan.words.texts[:2] == SHOWN
    known = usual_known()
    assert [text for text in plan.words.texts if remainder(text, known)] == []
    assert plan.words.dropped_sentences == len(refined.rejected) > len(hostile) // 2
    assert {slot.note for slot in plan.slots} == {"Same form on every rep."}
    assert plan.summary == usual_windows().plan.summary


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_in_eight_languages_through_a_provider(kind: Kind) -> None:
    """The hostile ones show nothing, and the helpful ones permitted statements."""
    texts = IN_LANGUAGES["measured"]["usual_day"]
    known = usual_known()
    for part in ("hostile", "helpful"):
        answer = {**as_proposed(usual_windows()), "summary": "", "reasoning": ""}
        size = -(-len(texts[part]) // MOST_ADJUSTMENTS)
        answer["adjustments"] = [
            "\n".join(texts[part][at : at + size]) for at in range(0, len(texts[part]), size)
        ]
        refined = answered(kind, answer)
        assert refined.decision is not None
        words = refined.decision.plan.words
        assert words is not None
        assert [text for text in words.texts if remainder(text, known)] == []
        assert words.dropped_sentences == len(refined.rejected)
        if part == "hostile":
            assert words.texts == ()
            assert len(refined.rejected) == len(texts[part])
        else:
            assert len(refined.rejected) <= len(texts[part]) // 4
            assert len(words.texts) >= 4


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
