"""A replay as text: equal, different set by set, or the reason why it cannot be verified."""

import hashlib
import json
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from coach_agent.domain.constants.catalogue import rule_version
from coach_agent.planning.decide import decide
from coach_agent.verification.replay import JournaledDecision, replay
from orchestration.cli.views.decision_lineage import show_replay
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


def decided() -> JournaledDecision:
    bench, curl = fixed(3, 60, 5), ranged(2, 14, 8, 12)
    context = routine(
        slot(BENCH, bench, [exposure([(60, 5)] * 3, bench)]),
        slot(CURL, curl, [exposure([(14, 9)] * 2, curl)]),
    )
    found = decide(situation([context]), profile())
    assert found is not None
    names = set(JournaledDecision.__dataclass_fields__) & set(vars(found))
    return JournaledDecision(
        **{name: getattr(found, name) for name in names},
        athlete_id="demo",
        decided_at=NOW,
        run_id="night",
        decided_by="engine",
    )


def said_otherwise(decision: JournaledDecision, **changed: Any) -> JournaledDecision:
    """Return the decision with another target for the first set of the bench press."""
    assert decision.output_json is not None
    told = json.loads(decision.output_json)
    told["slots"][0]["sets"][0].update(changed)
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return replace(decision, output_json=text, output_sha256=digest)


def shown(decision: JournaledDecision, *, with_current_rules: bool = False) -> list[str]:
    console = Console(file=StringIO(), width=80)
    found = replay(decision, with_current_rules=with_current_rules)
    show_replay(console, found, "Europe/Berlin")
    written = console.file
    assert isinstance(written, StringIO)
    lines = [line.rstrip() for line in written.getvalue().splitlines()]
    assert max(map(len, lines)) <= 80
    return lines


def test_an_equal_answer_is_told_in_a_sentence_with_its_hashes() -> None:
    decision = decided()
    about, when, *verdict = shown(decision)
    assert about == f"{decision.decision_id}, Upper A for demo"
    assert when == f"decided 2026-03-02 19:00 (Europe/Berlin) by rules {rule_version()}"
    told = " ".join(verdict)
    assert told.startswith(f"Equal, byte for byte: from the input {decision.input_sha256[:12]}")
    assert decision.output_sha256[:12] in told


def test_what_differs_stands_side_by_side_and_field_by_field() -> None:
    lines = shown(said_otherwise(decided(), weight_kg=70.0))
    assert "It differs" in " ".join(lines)
    at = lines.index(f"1. {BENCH['exercise_title']}")
    assert lines[at + 1 : at + 3] == [
        "  decided  70 kg × 5, 2 × 62.5 kg × 5",
        "  now      3 × 62.5 kg × 5",
    ]
    assert "  1. Bench Press (Barbell), set 1, weight_kg: 70.0 → 62.5" in lines
    assert not [line for line in lines if line.startswith("2. ")]


def test_other_rules_are_named_and_shown_beside_todays_when_asked() -> None:
    older = replace(said_otherwise(decided(), weight_kg=70.0), rule_version="1.older")
    refused = " ".join(shown(older))
    assert f"This code has rules {rule_version()}" in refused
    assert f"spotter replay {older.decision_id} --rules current" in refused
    asked = shown(older, with_current_rules=True)
    assert f"Today's rules, {rule_version()}, would decide this instead." in asked
    assert "  decided  70 kg × 5, 2 × 62.5 kg × 5" in asked


@pytest.mark.parametrize(("column", "what"), [("input_json", "input"), ("output_json", "output")])
def test_a_damaged_record_says_which_part(column: str, what: str) -> None:
    told = " ".join(shown(replace(decided(), **{column: "{}"})))
    problem = f"The {what} in coach.decisions does not match its stored hash"
    assert f"It was changed after it was stored. {problem}" in told
