"""Scores of models, by hand."""

from decimal import Decimal

import pytest

from coach_agent.llm.model_scores import AnswerScore, rank, score_model, wilson_interval


def answer(*, accepted: bool = True, **values: object) -> AnswerScore:
    usual: dict[str, object] = {
        "decision_id": "dec",
        "is_accepted": accepted,
        "answers": 1,
        "broken_rules": 0,
        "sentences": 3,
        "codes": 5,
        "refused": 0,
        "characters": 80,
        "sets": 10,
        "changed_sets": 0,
        "seconds": 1.0,
        "cost_usd": Decimal("0.001"),
    }
    return AnswerScore(**{**usual, **values})  # type: ignore[arg-type]


def test_the_interval_of_a_share_is_wilsons() -> None:
    """Newcombe 1998, Statistics in Medicine 17:857-872, table I: 81 of 263, and 0 of 20."""
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    with pytest.raises(ZeroDivisionError):
        wilson_interval(0, 0)


def test_shares_are_of_accepted_answers_and_of_all_questions() -> None:
    scores = [
        answer(refused=2, changed_sets=5),
        answer(answers=2, broken_rules=3, seconds=5.0),
        answer(accepted=False, answers=3, broken_rules=6, problem="no", sentences=0, codes=0),
    ]
    score = score_model("m", scores)
    assert score.accepted == pytest.approx(2 / 3)
    assert score.first_try == pytest.approx(1 / 3)
    assert score.broken_rules == pytest.approx(3)
    assert score.refused == pytest.approx(2 / 16)
    assert score.changed_sets == pytest.approx(5 / 20)
    assert (score.seconds, score.slowest_s) == (1.0, 5.0)
    assert score.cost_usd == Decimal("0.001")
    assert score.problems == ("no",)
    assert score_model("m", [*scores, answer(cost_usd=None)]).cost_usd is None
    with pytest.raises(ValueError, match="no answers"):
        score_model("m", [])


def test_valid_answers_rank_before_refused_claims_and_those_before_time() -> None:
    models = {
        "slow": [answer(seconds=60.0)],
        "invalid": [answer(accepted=False)],
        "lying": [answer(refused=1, seconds=0.1)],
        "fast": [answer(seconds=0.2)],
    }
    ranked = rank(score_model(name, scores) for name, scores in models.items())
    assert [each.model for each in ranked] == ["fast", "slow", "lying", "invalid"]
