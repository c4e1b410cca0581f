"""A model is asked without an open table, and its answer is recorded in every case."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import duckdb
import pytest

from coach_agent.journal.current_plans import read_current_plans
from coach_agent.journal.decisions import record_decision
from coach_agent.llm.fake_gemini import FAKE_KEY, plan_answer, running_fake_gemini
from coach_agent.planning.decide import decide
from coach_agent.planning.decision import Decision
from coach_agent.profile.llm_settings import usable_providers
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from coach_agent.store.rejections import Rejection
from coach_agent.store.schema import create_coach_tables
from orchestration.defs.coaching.llm_metadata import llm_metadata
from orchestration.services.planning.refine import Refinement, chain_of, problems_of, refine_next
from tests.coach.llm.requests import request
from tests.coach.llm.usual_day import usual_athlete, usual_situation

NOW = datetime(2026, 3, 4, 6, tzinfo=UTC)
SITUATION = usual_situation()
KEYS = {"GEMINI_API_KEY": FAKE_KEY}


@dataclass
class Tables:
    """A warehouse that tracks if it is open."""

    con: duckdb.DuckDBPyConnection = field(default_factory=duckdb.connect)
    open_count: int = 0

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        self.open_count += 1
        try:
            yield self.con
        finally:
            self.open_count -= 1

    def decided_by(self) -> str:
        return read_current_plans(self.con)["demo"].plan.decided_by

    def count(self, table: str) -> int:
        return len(self.con.execute(f"select * from coach.{table}").fetchall())


@pytest.fixture
def tables() -> Tables:
    tables = Tables()
    create_coach_tables(tables.con)
    return tables


def athlete(url: str | None, **settings: Any) -> AthleteProfile:
    providers = [] if url is None else [{"kind": "google", "base_url": url}]
    return usual_athlete(llm={"providers": providers, "time_budget_s": 20, **settings})


def decided(tables: Tables, profile: AthleteProfile) -> Decision:
    decision = decide(SITUATION, profile)
    assert decision is not None
    record_decision(tables.con, decision, now=NOW, run_id="run")
    return decision


def refined(
    tables: Tables,
    profile: AthleteProfile,
    decision: Decision,
    now: datetime = NOW,
    situation: Situation = SITUATION,
) -> Refinement:
    providers = usable_providers(profile.llm, KEYS)
    with chain_of(tables.connect, profile, providers, lambda: now) as chain:
        return refine_next(
            tables.connect, profile, situation, decision, chain, clock=lambda: now, run_id="run"
        )


def test_nothing_is_open_while_a_model_thinks(tables: Tables) -> None:
    open_then: list[int] = []

    def answer(prompt: str) -> dict[str, Any]:
        open_then.append(tables.open_count)
        return plan_answer(prompt)

    with running_fake_gemini(answer=answer) as fake:
        profile = athlete(fake.base_url)
        found = refined(tables, profile, decided(tables, profile))
    assert open_then == [0]
    assert (found.is_new, found.decision.plan.decided_by) == (True, "google:gemini-3.5-flash-lite")
    assert tables.decided_by() == "google:gemini-3.5-flash-lite"
    assert (tables.count("decisions"), tables.count("plans"), tables.count("llm_calls")) == (
        2,
        2,
        1,
    )


def test_a_decision_that_came_meanwhile_stays(tables: Tables) -> None:
    """Like a check-in in another window during the question."""
    other = athlete(None, shadow=True).model_copy(update={"avoid": ("Plank",)})

    def answer(prompt: str) -> dict[str, Any]:
        decided(tables, other)
        return plan_answer(prompt)

    with running_fake_gemini(answer=answer) as fake:
        profile = athlete(fake.base_url)
        decision = decided(tables, profile)
        found = refined(tables, profile, decision)
    assert found.decision == decision
    assert tables.decided_by() == "engine"
    assert tables.count("llm_answers") == 1


def test_texts_that_are_not_shown_are_kept_with_their_reasons(tables: Tables) -> None:
    def answer(prompt: str) -> dict[str, Any]:
        return {**plan_answer(prompt), "summary": "Take off the pins. Keep it up."}

    with running_fake_gemini(answer=answer) as fake:
        profile = athlete(fake.base_url)
        refined(tables, profile, decided(tables, profile))
    ((by, field, reason, sentence),) = tables.con.execute(
        "select decided_by, field, reason, sentence from coach.llm_rejected_texts"
    ).fetchall()
    assert by.startswith("google:")
    assert (field, reason, sentence) == ("summary", "wording", "Take off the pins.")


def test_a_refused_answer_is_in_the_ledger_and_the_engine_stands(tables: Tables) -> None:
    def answer(prompt: str) -> dict[str, Any]:
        return {**plan_answer(prompt), "order": [6, 5, 4, 3, 2, 1]}

    with running_fake_gemini(answer=answer) as fake:
        profile = athlete(fake.base_url)
        decision = decided(tables, profile)
        found = refined(tables, profile, decision)
    assert (found.decision, found.answered_by) == (decision, "engine")
    assert tables.decided_by() == "engine"
    assert tables.count("llm_calls") == 3
    (problem,) = problems_of(found.records)
    assert problem.startswith("google (gemini-3.5-flash-lite): UnexpectedModelBehavior")
    assert "slot 1: order: given slot 6 in its place; allowed: itself." in problem


@pytest.mark.parametrize(
    ("count", "difference_pct", "stands"),
    [
        (0, -2.0, "engine"),
        (19, -2.0, "engine"),
        (20, -2.0, "google:gemini-3.5-flash-lite"),
        (20, 0.0, "engine"),
        (20, 2.0, "engine"),
    ],
    ids=["nothing known", "19 better", "20 better", "20 equal", "20 worse"],
)
def test_a_plan_stands_once_its_model_has_earned_it(
    tables: Tables, count: int, difference_pct: float, stands: str
) -> None:
    """From then on also a stored answer counts: the model is asked once."""
    with running_fake_gemini() as fake:
        profile = athlete(fake.base_url, may_change_numbers="earned")
        decision = decided(tables, profile)
        before = refined(tables, profile, decision)
        compared(tables, count, difference_pct)
        record_decision(tables.con, decision, now=NOW, run_id="run")
        after = refined(tables, profile, decision, NOW.replace(minute=30))
        assert len(fake.prompts) == 1
    assert before is not None
    assert after is not None
    assert before.decision == decision
    assert tables.decided_by() == after.decision.plan.decided_by == stands
    assert tables.count("plans") == 2
    assert tables.con.execute("select is_shadow from coach.llm_answers").fetchall() == [(True,)]
    told = llm_metadata({"demo": after})["llm_standing"]
    assert told.startswith(
        f"demo: Under the rules' plan, in {count} exercises" if count else "demo: "
    )


def compared(tables: Tables, count: int, difference_pct: float) -> None:
    """Write the mart after so many exercises in five workouts under the engine's plans."""
    tables.con.execute(
        """
        create schema marts;
        create table marts.fct_plan_comparison as
        select
            cast(place as varchar) as plan_comparison_key, 'demo' as athlete_id,
            cast(place % 5 as varchar) as workout_id, answers.decided_by, answers.prompt_version,
            'engine' as published_by, $2 + 0.1 * (place % 5 - 2) as difference_pct,
            timestamp '2026-03-01' as started_at
        from range($1) as places(place), coach.llm_answers as answers
        """,
        [count, difference_pct],
    )


def test_over_the_days_budget_the_engine_stands(tables: Tables) -> None:
    with running_fake_gemini() as fake:
        profile = athlete(fake.base_url, budget_usd=0.001)
        decision = decided(tables, profile)
        refined(tables, profile, decision)
        tables.con.execute("delete from coach.llm_answers")
        tables.con.execute("update coach.llm_calls set cost_usd = 0.001")
        record_decision(tables.con, decision, now=NOW, run_id="run")
        found = refined(tables, profile, decision, NOW.replace(minute=30))
        assert len(fake.prompts) == 1
    assert problems_of(found.records) == [
        "google (gemini-3.5-flash-lite): Today's budget of 0.001 USD is spent."
    ]
    assert tables.decided_by() == "engine"


def test_after_a_rejection_the_same_decision_is_asked_about_again(tables: Tables) -> None:
    with running_fake_gemini() as fake:
        profile = athlete(fake.base_url)
        decision = decided(tables, profile)
        first = refined(tables, profile, decision).decision
        rejection = Rejection(
            plan_id=first.plan_id,
            routine_id=first.plan.routine_id,
            rejected_at=NOW.replace(hour=7),
            because="too heavy",
        )
        rejecting = SITUATION.model_copy(update={"rejections": (rejection,)})
        for hour in (8, 9):
            record_decision(tables.con, decision, now=NOW, run_id="run")
            refined(tables, profile, decision, NOW.replace(hour=hour), rejecting)
        assert ["too heavy" in prompt for prompt in fake.prompts] == [False, True]


def test_a_provider_that_failed_is_told_although_another_one_answered() -> None:
    records = (
        request(provider="google", model="flash", outcome="error", error="busy"),
        request(provider="openai", model="terra", outcome="retry", feedback=("too heavy",)),
        request(provider="openai", model="terra", outcome="ok"),
    )
    assert problems_of(records) == ["google (flash): busy"]


def test_dagster_shows_the_way_and_the_cost(tables: Tables) -> None:
    with running_fake_gemini() as fake:
        profile = athlete(fake.base_url)
        found = refined(tables, profile, decided(tables, profile))
    told = llm_metadata({"demo": found})
    assert told["llm_answered_by"] == "demo: google:gemini-3.5-flash-lite"
    assert 0 < told["llm_cost_usd"] < 0.01
    assert [record.data["outcome"] for record in told["llm_requests"].records] == ["ok"]
    assert llm_metadata({}) == {}
