"""The chain of a plan with an exercise replaced by a model."""

from io import StringIO

import duckdb
import pytest
from rich.console import Console

from coach_agent.llm.planner import proposal, refine
from coach_agent.planning.decide import decide
from coach_agent.store.schema import create_coach_tables
from coach_agent.verification.replay import JournaledDecision
from hevy_connector.raw.tables import create_raw_tables
from orchestration.cli.views.decision_lineage import show_chain
from orchestration.services.planning.decision_lineage import Chain, read_chain
from tests.coach.builders import BENCH, NOW
from tests.coach.llm.test_planner import Says
from tests.coach.llm.usual_day import (
    BENCH_SLOT,
    INCLINE,
    as_proposed,
    changed,
    slot_values,
    usual_athlete,
    usual_situation,
)

MARTS = """
create schema marts;
create table marts.fct_set (
    athlete_id varchar, workout_id varchar, exercise_key varchar, occurrence integer,
    set_key varchar, set_index integer, weight_kg double, reps integer, e1rm_kg double
);
create table marts.fct_exercise_trend (
    athlete_id varchar, exercise_key varchar, verdict varchar, slope_pct double, lower_pct double,
    upper_pct double, standard_error_pct double, residual_pct double, false_alarm_rate double,
    exposure_count integer, mean_rpe double, mean_reps double
);
"""


@pytest.fixture(scope="module")
def chain() -> Chain:
    athlete = usual_athlete(
        preferences={"swap": {BENCH["exercise_title"]: [INCLINE["exercise_title"]]}}
    )
    situation = usual_situation()
    decision = decide(situation, athlete)
    assert decision is not None
    question = proposal(situation, athlete, decision)
    (block,) = question.windows.slots[BENCH_SLOT].exercises[1].blocks
    picked = block.proposed
    told = {"load": picked.load_kg, "sets": picked.sets, "reps": list(picked.counts)}
    exchange = slot_values(BENCH_SLOT, exercise=INCLINE["exercise_template_id"], blocks=[told])
    refined = refine(question, Says(changed(as_proposed(question.windows), exchange))).decision
    assert refined is not None
    names = set(JournaledDecision.__dataclass_fields__) & set(vars(refined))
    journaled = JournaledDecision(
        **{name: getattr(refined, name) for name in names},
        athlete_id="demo",
        decided_at=NOW,
        run_id="night",
        decided_by="google:flash",
    )
    with duckdb.connect() as con:
        create_raw_tables(con)
        create_coach_tables(con)
        con.execute(MARTS)
        return read_chain(con, journaled)


def test_what_stands_in_is_told_beside_what_the_rules_proposed_for_its_place(chain: Chain) -> None:
    bench, incline = chain.slots[:2]
    assert bench.prescription.is_left_out
    assert bench.engine_sets == incline.engine_sets
    assert incline.engine_sets is not None
    assert {each.weight_kg for each in incline.engine_sets[2:]} == {102.5}
    assert (incline.facts, incline.workouts) == (None, ())
    assert [slot.facts is None for slot in chain.slots] == [False, True, *[False] * 5]


def test_it_says_for_what_it_stands_in(chain: Chain) -> None:
    file = StringIO()
    show_chain(Console(file=file, width=200), chain, "kg", "UTC")
    (stand_in,) = [part for part in file.getvalue().split("\n\n") if "2. Incline" in part]
    assert "not in the engine's input: it stands in for Bench Press (Barbell)" in stand_in
    assert "the engine proposed Bench Press (Barbell): " in stand_in
    assert "102.5 kg" in stand_in
