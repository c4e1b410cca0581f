"""Models are asked about stored decisions again, scored by code, and ranked."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import duckdb
import pytest

from coach_agent.evaluation.past_sessions import Session
from coach_agent.journal.decisions import record_decisions
from coach_agent.llm.fake_gemini import FAKE_KEY, running_fake_gemini, usual_answer
from coach_agent.llm.model_scores import rank, score_model
from coach_agent.llm.planner import Proposal, proposal
from coach_agent.planning.decide import decide
from coach_agent.profile.llm_settings import Limits, ModelPrice, Provider, ProviderSettings
from hevy_connector.csv_imports.dialects import Unit
from orchestration.services.language_models.evaluate_model import (
    EvaluatedModel,
    evaluate_models,
    stored_questions,
)
from orchestration.storage.warehouse import open_warehouse
from tests.bench.payloads import workout_payloads
from tests.coach.builders import NOW
from tests.coach.llm.usual_day import hurting, usual_athlete, usual_situation
from tests.coach.past_sessions import LOG_FILES, LOGS, evenly, past_days, sessions_in, sessions_of

Json = dict[str, Any]
PLANS = ("decisions", "plans", "current_plans", "llm_answers")
SITUATIONS = (
    usual_situation(),
    hurting("shoulders", "moderate"),
    hurting("elbows", "moderate"),
)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evaluation") / "warehouse.duckdb"
    with open_warehouse(path) as con:
        for hours, situation in enumerate(SITUATIONS):
            decision = decide(situation, usual_athlete())
            assert decision is not None
            now = NOW + timedelta(hours=hours)
            record_decisions(con, [decision], now=now, run_id="run")
    return path


@pytest.fixture
def connect(warehouse: Path) -> Callable[[], Any]:
    return partial(open_warehouse, warehouse)


@pytest.fixture
def questions(connect: Callable[[], Any]) -> list[Proposal]:
    with connect() as con:
        return stored_questions(con, usual_athlete(), 50)


def impossible(prompt: str) -> Json:
    """Ask for a load that no window has."""
    answer = usual_answer(prompt)
    for slot in answer["slots"]:
        for block in slot["blocks"]:
            block["load"] = 1999.0
    return answer


def boasting(prompt: str) -> Json:
    return {**usual_answer(prompt), "summary": "You will squat 300 kg today. Your knee is healed."}


def slow(prompt: str) -> Json:
    Event().wait(0.5)
    return usual_answer(prompt)


def provider(url: str, name: str) -> Provider:
    price = ModelPrice(input=1.0, output=2.0)
    settings = ProviderSettings(
        kind="google", base_url=url, cheap=name, strong=name, prices={name: price}
    )
    return Provider(settings, FAKE_KEY)


@pytest.fixture
def models() -> Iterator[dict[str, Provider]]:
    answers = {"bad": impossible, "slow": slow, "boasting": boasting, "good": usual_answer}
    with ExitStack() as stack:
        yield {
            name: provider(stack.enter_context(running_fake_gemini(answer=answer)).base_url, name)
            for name, answer in answers.items()
        }


def evaluate(
    connect: Callable[[], Any],
    models: dict[str, Provider],
    questions: list[Proposal],
    budget: str = "1",
) -> list[EvaluatedModel]:
    return evaluate_models(
        connect,
        usual_athlete(),
        models,
        questions,
        Limits(60, 2, Decimal(budget)),
        at_once=2,
        clock=lambda: NOW,
        run_id="evaluation",
    )


def tables(con: duckdb.DuckDBPyConnection) -> dict[str, list[Any]]:
    return {name: con.execute(f"from coach.{name}").fetchall() for name in PLANS}


def test_the_questions_are_those_of_the_last_decisions(
    connect: Callable[[], Any], questions: list[Proposal]
) -> None:
    with connect() as con:
        [newest] = stored_questions(con, usual_athlete(), 1)
    assert len(questions) == len(SITUATIONS)
    last = decide(SITUATIONS[-1], usual_athlete())
    assert last is not None
    assert newest.decision.decision_id == questions[0].decision.decision_id == last.decision_id


def test_a_good_a_slow_a_boasting_and_a_bad_model_are_ranked_as_built(
    connect: Callable[[], Any], models: dict[str, Provider], questions: list[Proposal]
) -> None:
    with connect() as con:
        before = tables(con)
    evaluated = evaluate(connect, models, questions)
    ranked = rank(score_model(each.model, each.scores) for each in evaluated)
    assert [each.model for each in ranked] == ["good", "slow", "boasting", "bad"]
    good, slower, boaster, bad = ranked
    assert (good.accepted, good.first_try, good.broken_rules) == (1.0, 1.0, 0.0)
    assert slower.seconds > 0.5 > good.seconds
    assert boaster.refused is not None
    assert good.refused is not None
    assert boaster.refused > good.refused
    assert (bad.accepted, bad.refused, bad.cost_usd is None) == (0.0, None, False)
    assert bad.broken_rules >= 2
    assert bad.accepted_high < 0.7
    assert good.cost_usd is not None
    assert bad.cost_usd is not None
    assert bad.cost_usd > good.cost_usd > 0, "it was asked twice"
    with connect() as con:
        assert tables(con) == before
        [(requests, cost)] = con.execute(
            "select count(*), sum(cost_usd) from coach.llm_calls where run_id like 'evaluation %'"
        ).fetchall()
    assert requests == 3 * len(questions) + 2 * len(questions)
    spent = sum((each.cost_usd or Decimal(0) for each in ranked), Decimal(0)) * len(questions)
    assert cost == pytest.approx(spent)


def test_questions_over_the_budget_are_not_asked(
    connect: Callable[[], Any], models: dict[str, Provider], questions: list[Proposal]
) -> None:
    [good] = evaluate(connect, {"good": models["good"]}, questions, budget="0")
    assert [each.is_accepted for each in good.scores] == [False] * len(questions)
    assert {each.problem for each in good.scores} == {"Today's budget of 0 USD is spent."}
    assert score_model("good", good.scores).seconds == 0


SIMULATED, FEW, OF_A_LOG = 20, 6, 10


def past_questions(sessions: Sequence[Session], count: int, unit: Unit | None) -> list[Proposal]:
    """Return the questions about the plans of the last sessions with a routine."""
    found: list[Proposal] = []
    for place in reversed(evenly(len(sessions), 5 * count)):
        [day] = past_days(sessions, "ranged", [place])
        profile = day.profile(unit)
        decision = decide(day.situation, profile) if day.routine is not None else None
        if decision is not None:
            found.append(proposal(day.situation, profile, decision))
        if len(found) == count:
            break
    return found


def simulated_questions(count: int) -> list[Proposal]:
    return past_questions(sessions_of(workout_payloads(64)), count, None)


def questions_of_logs() -> list[Proposal]:
    """Return those of four logs; the fifth has no routine."""
    if not LOGS.exists():
        pytest.skip("the real training logs are not here")
    return [
        question
        for log in LOG_FILES
        for question in past_questions(sessions_in(log), OF_A_LOG, log.unit)
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("read", "count"),
    [
        pytest.param(lambda: simulated_questions(FEW), FEW, id="few simulated"),
        pytest.param(
            lambda: simulated_questions(SIMULATED),
            SIMULATED,
            id="simulated",
            marks=pytest.mark.long,
        ),
        pytest.param(questions_of_logs, 4 * OF_A_LOG, id="public logs", marks=pytest.mark.long),
    ],
)
def test_sixty_questions_of_simulated_and_public_logs_rank_models_as_built(
    connect: Callable[[], Any],
    models: dict[str, Provider],
    read: Callable[[], list[Proposal]],
    count: int,
) -> None:
    asked = read()
    assert len(asked) == count
    compared = {name: models[name] for name in ("bad", "boasting", "good")}
    evaluated = evaluate(connect, compared, asked, budget="9")
    ranked = rank(score_model(each.model, each.scores) for each in evaluated)
    assert [each.model for each in ranked] == ["good", "boasting", "bad"]
    good, boaster, bad = ranked
    assert (good.accepted, good.first_try) == (1.0, 1.0)
    assert boaster.accepted == 1.0
    # Workouts without a load have no window that an impossible load could break.
    assert bad.accepted < 0.2
    assert good.cost_usd is not None
