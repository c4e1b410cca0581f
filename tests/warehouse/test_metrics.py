"""dbt's metrics equal the numbers of the marts."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orchestration.cli.app import app
from orchestration.config.settings import SettingsError
from orchestration.dbt.metrics import MetricError, MetricQuery, SemanticLayer
from orchestration.dbt.runner import ensure_semantic_manifest
from orchestration.services.queries.sql_session import ReleaseMissingError
from tests.warehouse.payloads import Json
from tests.warehouse.scratch import ScratchWarehouse

Spotter = Callable[..., Result]

BY_WEEK = {
    "hard_sets": """
        select {week}, athlete_id, sum(hard_set_count) from marts.fct_workout
        where set_count > 0 group by all
    """,
    "tonnage": """
        select {week}, athlete_id, sum(volume_kg) filter (where not is_typo_suspect)
        from marts.fct_set group by all
    """,
    "working_sets": """
        select {week}, athlete_id, sum(working_set_count) from marts.fct_workout
        where set_count > 0 group by all
    """,
    "working_sets_with_rpe": """
        select {week}, athlete_id, count(rpe) filter (where is_working) from marts.fct_set
        group by all
    """,
    "rpe_coverage": """
        select
            {week}, athlete_id,
            count(rpe) filter (where is_working) / nullif(count(*) filter (where is_working), 0)
        from marts.fct_set group by all
    """,
    "workouts": "select {week}, athlete_id, count(*) from marts.fct_workout group by all",
    "training_hours": """
        select {week}, athlete_id, sum(duration_s) / 3600 from marts.fct_workout group by all
    """,
    "training_seconds": """
        select {week}, athlete_id, sum(duration_s) from marts.fct_workout group by all
    """,
    "planned_sets": """
        select {week}, athlete_id, count(*) filter (where counts_for_adherence)
        from marts.fct_plan_compliance group by all
    """,
    "met_sets": """
        select {week}, athlete_id, count(*) filter (where is_met)
        from marts.fct_plan_compliance group by all
    """,
    "adherence": """
        select {week}, athlete_id, avg(cast(is_met as integer)) from marts.fct_plan_compliance
        group by all
    """,
    "e1rm": """
        select {week}, athlete_id, title, max(e1rm_kg)
        from marts.fct_exercise_session
        inner join marts.dim_exercise using (athlete_id, exercise_key)
        group by all
    """,
    "prediction_error": """
        select {week}, athlete_id, avg(abs(e1rm_error_pct)) from marts.fct_prescription_outcome
        where workout_id is not null group by all
    """,
    "prediction_bias": """
        select {week}, athlete_id, avg(e1rm_error_pct) from marts.fct_prescription_outcome
        where workout_id is not null group by all
    """,
    "personal_records": """
        select {week}, athlete_id, count(*) filter (where not is_first)
        from marts.fct_personal_record group by all
    """,
    "weekly_hard_sets": """
        select {week}, athlete_id, muscle_group, fractional_set_count from marts.fct_muscle_week
    """,
}


@pytest.fixture(scope="module")
def layer() -> SemanticLayer:
    return SemanticLayer(ensure_semantic_manifest())


def answer(warehouse: ScratchWarehouse, layer: SemanticLayer, question: MetricQuery) -> list[Json]:
    return warehouse.rows(layer.sql(question))


def test_every_metric_is_compared_with_its_mart(layer: SemanticLayer) -> None:
    assert [metric.name for metric in layer.metrics()] == sorted(BY_WEEK)


@pytest.mark.parametrize("name", sorted(BY_WEEK))
def test_a_metric_by_week_equals_the_mart(
    warehouse: ScratchWarehouse, layer: SemanticLayer, name: str
) -> None:
    told = answer(warehouse, layer, MetricQuery(name, by=["week"]))
    mart = warehouse.rows(BY_WEEK[name].format(week="week_start_date"))
    assert {tuple(row.values())[:-1]: tuple(row.values())[-1] for row in told} == pytest.approx(
        {
            tuple(row.values())[:-1]: tuple(row.values())[-1]
            for row in mart
            if tuple(row.values())[-1] is not None
        }
    )
    assert any(tuple(row.values())[-1] for row in told)


@pytest.mark.parametrize("name", sorted(BY_WEEK))
@pytest.mark.parametrize("by", [(), ("week",)], ids=["in all", "by week"])
def test_no_metric_has_empty_rows(
    warehouse: ScratchWarehouse, layer: SemanticLayer, name: str, by: tuple[str, ...]
) -> None:
    rows = answer(warehouse, layer, MetricQuery(name, by=by))
    assert rows
    assert all(row[name] is not None for row in rows)


def test_a_number_of_no_period_states_the_days_that_it_covers(
    warehouse: ScratchWarehouse, layer: SemanticLayer
) -> None:
    """The first and the last workout with a maximum, of each exercise on its own."""
    expected = warehouse.rows("""
        select min(workout_date) as first_day, max(workout_date) as last_day,
            athlete_id as athlete, title as exercise__title, max(e1rm_kg) as e1rm
        from marts.fct_exercise_session
        inner join marts.dim_exercise using (athlete_id, exercise_key)
        where e1rm_kg is not null group by all order by athlete, exercise__title
    """)
    assert answer(warehouse, layer, MetricQuery("e1rm")) == expected


@pytest.mark.parametrize(
    ("condition", "sql"),
    [
        ("exercise__equipment = barbell", "equipment = 'barbell'"),
        ("exercise__equipment='barbell'", "equipment = 'barbell'"),
        ("exercise__equipment != barbell", "equipment is distinct from 'barbell'"),
        (
            "exercise__equipment in (barbell, 'dumbbell')",
            "equipment in ('barbell', 'dumbbell')",
        ),
        (
            "exercise__equipment NOT IN (barbell, dumbbell)",
            "coalesce(equipment, '') not in ('barbell', 'dumbbell')",
        ),
        ("exercise__title = o'neill", "title = 'o''neill'"),
    ],
)
def test_a_condition_filters(
    warehouse: ScratchWarehouse, layer: SemanticLayer, condition: str, sql: str
) -> None:
    expected = warehouse.rows(f"""
        select athlete_id, sum(working_set_count) as sets from marts.fct_exercise_session
        inner join marts.dim_exercise using (athlete_id, exercise_key)
        where {sql} group by athlete_id order by athlete_id
    """)
    rows = answer(warehouse, layer, MetricQuery("working_sets", where=[condition]))
    assert [(row["athlete"], row["working_sets"]) for row in rows] == [
        (row["athlete_id"], row["sets"]) for row in expected
    ]


def test_conditions_hold_together(warehouse: ScratchWarehouse, layer: SemanticLayer) -> None:
    where = ["exercise__equipment = barbell", "exercise__equipment = dumbbell"]
    assert answer(warehouse, layer, MetricQuery("working_sets", where=where)) == []


def test_a_day_is_one_of_the_athlete_and_a_week_begins_on_monday(
    warehouse: ScratchWarehouse, layer: SemanticLayer
) -> None:
    """It began at 23:30 UTC on a Sunday, which was Monday in Berlin."""
    question = MetricQuery("hard_sets", by=["day", "week"], athlete_id="berliner")
    assert answer(warehouse, layer, question) == [
        {
            "day": date(2026, 1, 12),
            "week": date(2026, 1, 12),
            "athlete": "berliner",
            "hard_sets": 1,
        }
    ]


def test_both_days_of_a_period_count(warehouse: ScratchWarehouse, layer: SemanticLayer) -> None:
    question = MetricQuery(
        "workouts", ["day"], "coached", since=date(2026, 3, 2), until=date(2026, 3, 4)
    )
    rows = answer(warehouse, layer, question)
    assert [(row["day"].day, row["workouts"]) for row in rows] == [(2, 1), (3, 1), (4, 1)]


def test_a_metric_can_be_grouped_by_what_its_exercises_are(
    warehouse: ScratchWarehouse, layer: SemanticLayer
) -> None:
    """Seven times one bench at 100 and one at 90 kg with two back-off sets; curls elsewhere."""
    question = MetricQuery("working_sets", ["exercise__equipment"], "coached")
    rows = answer(warehouse, layer, question)
    assert {row["exercise__equipment"]: row["working_sets"] for row in rows} == {
        "barbell": 28,
        "dumbbell": 3,
        None: 1,
    }


def test_an_apostrophe_in_a_name_is_a_letter(
    warehouse: ScratchWarehouse, layer: SemanticLayer
) -> None:
    question = MetricQuery("workouts", athlete_id="o'neill' or 'a' = 'a")
    assert answer(warehouse, layer, question) == []


def test_every_metric_has_a_description(layer: SemanticLayer) -> None:
    assert all(metric.description and metric.label != metric.name for metric in layer.metrics())


def test_an_unknown_metric_is_answered_with_the_known_ones(layer: SemanticLayer) -> None:
    with pytest.raises(MetricError, match=r"no metric 'sets'.*hard_sets"):
        layer.sql(MetricQuery("sets"))
    with pytest.raises(MetricError, match=r"by 'colour', but by: day, week.*exercise__title"):
        layer.sql(MetricQuery("tonnage", by=["colour"]))
    with pytest.raises(MetricError, match=r"filtered by 'colour', but by: .*exercise__title"):
        layer.sql(MetricQuery("tonnage", where=["colour = red"]))
    for condition in ("barbell", "exercise__title = ", "1 = 1; drop table x"):
        with pytest.raises(MetricError):
            layer.sql(MetricQuery("tonnage", where=[condition]))
    with pytest.raises(MetricError, match="marks of a template"):
        layer.sql(MetricQuery("tonnage", where=["exercise__title = {{ 1 }}"]))


@pytest.fixture
def spotter(home: Path, monkeypatch: pytest.MonkeyPatch) -> Spotter:
    monkeypatch.setenv("SPOTTER_HOME", str(home))
    return lambda *arguments: CliRunner().invoke(app, ["metrics", *arguments])


def test_the_command_answers_from_the_release(spotter: Spotter) -> None:
    asked = ("hard_sets", "--by", "week", "--athlete", "coached", "--until", "2026-02-28")
    rows = [
        {"week": "2026-01-26", "athlete": "coached", "hard_sets": 2},
        {"week": "2026-02-09", "athlete": "coached", "hard_sets": 2},
    ]
    assert json.loads(spotter(*asked, "--json").output) == rows
    assert spotter(*asked, "--csv").output.splitlines() == [
        "week,athlete,hard_sets",
        *(",".join(map(str, row.values())) for row in rows),
    ]


def test_the_command_lists_what_there_is(spotter: Spotter, layer: SemanticLayer) -> None:
    names = [metric.name for metric in layer.metrics()]
    listed = json.loads(spotter("--json").output)
    assert [metric["name"] for metric in listed] == names
    text = spotter().output
    assert all(name in text for name in names)
    assert "plan__weekday" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sets"], "no metric 'sets'"),
        (["tonnage", "--by", "colour"], "cannot be grouped by 'colour'"),
        (["tonnage", "--athlete", "nobody"], "No athlete 'nobody'"),
        (["tonnage", "--json", "--csv"], "one of --json and --csv"),
        (["tonnage", "--where", "heavy"], "'heavy' is no condition"),
    ],
)
def test_an_unanswerable_query_is_reported(
    spotter: Spotter, arguments: list[str], message: str
) -> None:
    refused = spotter(*arguments).exception
    assert isinstance(refused, SettingsError)
    assert message in str(refused)


def test_without_a_release_there_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    refused = CliRunner().invoke(app, ["metrics", "tonnage"]).exception
    assert isinstance(refused, ReleaseMissingError)
