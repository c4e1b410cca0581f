"""The fake Gemini parses the question like a model, and its answers are valid."""

from decimal import Decimal

import pytest
from hypothesis import given

from coach_agent.domain.model_calls import CallRecord, Prompt
from coach_agent.llm.answer_schema import PlanAnswer
from coach_agent.llm.chain import Chain
from coach_agent.llm.fake_gemini import FAKE_KEY, FakeGemini, plan_answer, running_fake_gemini
from coach_agent.llm.plan_answer import broken_rules
from coach_agent.llm.planner import proposal, refine
from coach_agent.planning.decide import decide
from coach_agent.profile.llm_settings import Limits, Provider, ProviderSettings
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from tests.coach.llm.usual_day import hurting, usual_athlete, usual_situation
from tests.coach.random_training import athletes, situations
from tests.profiles import examples

MOST_READ, MOST_WRITTEN = 6000, 1200
LEAST_CACHED = 0.7


def asking(fake: FakeGemini) -> Chain:
    settings = ProviderSettings(kind="google", base_url=fake.base_url)
    return Chain([Provider(settings, FAKE_KEY)], Limits(60, 3, Decimal(1)), lambda: Decimal(0))


@examples(100, derandomize=True)
@given(situations(), athletes())
def test_its_plan_keeps_the_rules_for_whatever_training(
    situation: Situation, athlete: AthleteProfile
) -> None:
    decision = decide(situation, athlete)
    if decision is None:
        return
    asked = proposal(situation, athlete, decision)
    answer = PlanAnswer.model_validate(plan_answer(asked.call.prompt.text))
    assert broken_rules(answer, asked.windows) == ()


@pytest.mark.parametrize(
    ("language", "summary"),
    [
        ("en", "Keep it up. Lower it slowly and under control."),
        ("de", "Weiter so. Langsam und kontrolliert ablassen."),
    ],
)
def test_all_that_it_says_is_kept(language: str, summary: str) -> None:
    situation, athlete = usual_situation(), usual_athlete(preferences={"language": language})
    decision = decide(situation, athlete)
    assert decision is not None
    with running_fake_gemini() as fake, asking(fake) as chain:
        refined = refine(proposal(situation, athlete, decision), chain)
    assert refined.decision is not None
    plan = refined.decision.plan
    assert all(slot.note for slot in plan.slots)
    assert plan.words is not None
    assert plan.words.summary == summary
    assert plan.words.dropped_sentences == 0
    assert [slot.sets for slot in plan.slots] == [slot.sets for slot in decision.plan.slots]


def plan_cost(record: CallRecord, read: str, cached: str, written: str) -> Decimal:
    """USD for the tokens of a request at prices per million."""
    assert record.input_tokens is not None
    assert record.cached_tokens is not None
    assert record.output_tokens is not None
    fresh = record.input_tokens - record.cached_tokens
    usd = fresh * Decimal(read) + record.cached_tokens * Decimal(cached)
    return (usd + record.output_tokens * Decimal(written)) / 1_000_000


def test_a_day_of_six_exercises_is_cheap_and_mostly_cached_the_second_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The second question of a day is one after a check-in. Prices are those of November 2026."""
    athlete = usual_athlete()
    records = []
    with running_fake_gemini() as fake, asking(fake) as chain:
        for situation in (usual_situation(), hurting("elbow", "mild")):
            decision = decide(situation, athlete)
            assert decision is not None
            assert len(decision.plan.slots) == 6
            records += refine(proposal(situation, athlete, decision), chain).records
    first, second = records
    assert second.input_tokens is not None
    assert second.cached_tokens is not None
    share = second.cached_tokens / second.input_tokens
    cheap = [plan_cost(each, "0.30", "0.03", "2.50") for each in records]
    strong = [plan_cost(each, "0.75", "0.075", "3.75") for each in records]
    with capsys.disabled():
        print(
            f"\n6 exercises: {first.input_tokens} tokens in, {first.output_tokens} out; "
            f"second of the day {second.input_tokens} in, {share:.0%} cached, "
            f"{second.output_tokens} out\n"
            f"gemini-3.5-flash-lite {cheap[0]:.5f} and {cheap[1]:.5f} USD, "
            f"gemini-3.8-flash {strong[0]:.5f} and {strong[1]:.5f} USD"
        )
    assert first.input_tokens is not None
    assert first.output_tokens is not None
    assert max(first.input_tokens, second.input_tokens) < MOST_READ
    assert first.output_tokens < MOST_WRITTEN
    assert share >= LEAST_CACHED
    by_model = {"gemini-3.5-flash-lite": cheap, "gemini-3.8-flash": strong}
    assert [each.cost_usd for each in records] == [
        by_model[each.model][index] for index, each in enumerate(records)
    ]


def test_it_tells_what_was_sent() -> None:
    prompt = Prompt("rules", "profile", "day")
    assert prompt.text == "rules\nprofile\nday"
    situation, athlete = usual_situation(), usual_athlete()
    decision = decide(situation, athlete)
    assert decision is not None
    asked = proposal(situation, athlete, decision)
    with running_fake_gemini() as fake, asking(fake) as chain:
        refine(asked, chain)
    assert fake.prompts == [asked.call.prompt.text]
