"""A plan has the language of its athlete: the same numbers, and the same words in a replay."""

import re

import pytest
from hypothesis import HealthCheck, given, settings

from coach_agent.domain.plan import Plan
from coach_agent.engine.engine import EngineInput, prescribe
from coach_agent.engine.explain.plan_texts import reasons, short_reasons
from coach_agent.journal.plan_record import set_rows
from coach_agent.language.messages import in_language
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from coach_agent.store.check_ins import CheckIn
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    exposure,
    fixed,
    profile,
    ranged,
    routine,
    situation,
    slot,
)
from tests.coach.random_training import athletes, situations


def decided(language: str | None = None) -> Decision:
    sets, curls = fixed(3, 82.5, 5), ranged(3, 20, 8, 12)
    context = routine(
        slot(BENCH, sets, [exposure([(82.5, 5)] * 3, sets)]),
        slot(CURL, curls, [exposure([(20, 9), (20, 8), (20, 7)], curls)]),
    )
    said = CheckIn(checked_in_at=NOW, deload=("Bicep Curl (Dumbbell)",))
    wishes = {} if language is None else {"preferences": {"language": language}}
    found = decide(situation([context], latest_check_in=said), profile(**wishes))
    assert found is not None
    return found


def texts(plan: Plan) -> list[str]:
    with in_language(plan.language):
        found = [
            text
            for each in plan.slots
            for text in (
                *reasons(each, plan.load_unit),
                *short_reasons(each, plan.load_unit),
                *(adjustment.text for adjustment in each.adjustments),
            )
        ]
    return [plan.summary, *found]


def numbers(text: str) -> list[str]:
    return sorted(re.findall(r"\d+(?:\.\d+)?", re.sub(r"(\d),(\d)", r"\1.\2", text)))


def test_reasons_are_in_the_language_of_the_profile() -> None:
    english, german, spanish = (decided(each).plan for each in (None, "de", "es"))
    assert english.slots[0].reason == "All 3 sets reached 5 reps at 82.5 kg: next step 85 kg."
    assert german.slots[0].reason == (
        "5 Wdh. in allen 3 Sätzen geschafft, mit 82,5 kg: nächster Schritt 85 kg."
    )
    assert spanish.slots[0].reason == (
        "Llegaste a 5 reps en las 3 series con 82,5 kg: siguiente paso, 85 kg."
    )
    assert german.slots[1].adjustments[0].text.startswith("Deload, wie du wolltest.")
    assert spanish.summary == "Ejercicios: 1 sube, 1 baja."


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(situations(), athletes())
def test_numbers_are_the_same_in_any_situation(now: Situation, athlete: AthleteProfile) -> None:
    plans = [decide(now, athlete, each) for each in ("en", "de", "es")]
    english, *others = [[] if each is None else texts(each.plan) for each in plans]
    for other in others:
        assert list(map(numbers, other)) == list(map(numbers, english))
        assert not any(".." in text for text in other)


def test_the_note_in_hevy_is_in_the_language_of_the_profile() -> None:
    new = routine(slot(BENCH, ranged(3, None, 8, 12)))
    found = decide(situation([new]), profile(preferences={"language": "es"}))
    assert found is not None
    note = found.plan.slots[0].note
    assert note is not None
    assert note.startswith("Aún no lo has hecho, así que busca primero tu peso: 20 kg × 8, ")


@pytest.mark.parametrize("language", ["de", "es"])
def test_only_words_differ_from_the_english_plan(language: str) -> None:
    english, other = decided().plan, decided(language).plan
    assert list(map(numbers, texts(other))) == list(map(numbers, texts(english)))
    pairs = zip(english.slots, other.slots, strict=True)
    assert all(one.sets == two.sets and one.limits == two.limits for one, two in pairs)
    assert not set(texts(english)) & set(texts(other))


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_language_is_part_of_the_input_so_a_replay_has_the_same_bytes(language: str) -> None:
    decision = decided(language)
    stored = EngineInput.model_validate_json(decision.input_json)
    rows = set_rows(decision.plan_id, decision.plan)
    with in_language("es"):
        assert set_rows(decision.plan_id, decision.plan) == rows
        assert prescribe(stored).to_json().decode() == decision.output_json
    assert ('"language"' in decision.input_json) == (language != "en")


def test_decisions_from_before_languages_stay_english() -> None:
    """Such an input has no language, whatever the profile said."""
    english, german = decided(), decided("de")
    assert prescribe(EngineInput.model_validate_json(english.input_json)) != german.plan
    again = decide(german.situation, profile(preferences={"language": "de"}), "en")
    assert again is not None
    assert again.output_json == english.output_json
