from collections.abc import Iterator
from datetime import UTC, datetime

import duckdb
import pytest

from coach_agent.store.contexts import read_context, read_trained
from coach_agent.store.schema import create_coach_tables

MART = """
create schema marts;
create table marts.coach_context (
    athlete_id varchar, routine_id varchar, routine_title varchar, routine_sha256 varchar,
    routine_valid_from timestamp, routine_last_trained_at timestamp, exercise_index integer,
    occurrence integer, exercise_template_id varchar, exercise_title varchar,
    exercise_type varchar, equipment varchar, primary_muscle_group varchar,
    secondary_muscle_groups varchar[], superset_id integer,
    rest_s integer, notes varchar, is_left_out boolean, last_trained_at timestamp,
    trend_verdict varchar,
    trend_slope_pct double, trend_lower_pct double, trend_upper_pct double,
    trend_standard_error_pct double, trend_residual_pct double,
    trend_false_alarm_rate double, trend_exposure_count integer, trend_mean_rpe double,
    trend_mean_reps double, learned_increment_kg double, learned_increment_count integer,
    planned_sets struct(
        set_index integer, set_type varchar, weight_kg double, reps integer,
        rep_range_start integer, rep_range_end integer, duration_s integer, distance_m integer,
        custom_metric double
    )[],
    exposures struct(
        workout_id varchar, started_at timestamp, is_plan_known boolean,
        planned_working_count integer, is_easy boolean,
        sets struct(
            set_index integer, set_type varchar, weight_kg double, reps integer,
            duration_s integer, distance_m integer, custom_metric double, rpe double,
            planned_set_index integer, planned_weight_kg double, planned_reps_low integer,
            planned_reps_high integer, planned_duration_s integer, execution_status varchar
        )[]
    )[]
);
insert into marts.coach_context
select
    athlete_id, routine_id, 'Title ' || routine_id, 'hash', timestamp '2026-01-01', last_trained_at,
    exercise_index, 1, 'template', 'Bench Press (Barbell)', 'weight_reps', 'barbell', 'chest',
    ['triceps'], null, 120, 'narrow grip', exercise_index = 2, last_trained_at,
    'stalled', -0.1, -0.4, 0.1, 0.3, 1.1, 0.2, 9,
    null, 5.5, 2.5, 4,
    [{
        'set_index': 0, 'set_type': 'normal', 'weight_kg': 80, 'reps': null,
        'rep_range_start': 8, 'rep_range_end': 12, 'duration_s': null, 'distance_m': null,
        'custom_metric': null
    }],
    case when last_trained_at is null then [] else [{
        'workout_id': 'w1', 'started_at': last_trained_at, 'is_plan_known': true,
        'planned_working_count': 1, 'is_easy': false,
        'sets': [{
            'set_index': 0, 'set_type': 'failure', 'weight_kg': 80, 'reps': 10,
            'duration_s': null, 'distance_m': null, 'custom_metric': null, 'rpe': 8.5,
            'planned_set_index': 0, 'planned_weight_kg': 80, 'planned_reps_low': 8,
            'planned_reps_high': 12, 'planned_duration_s': null,
            'execution_status': 'Target Met'
        }]
    }] end
from (values
    ('demo', 'r2', 1, timestamp '2026-03-01 17:30:00'),
    ('demo', 'r1', 0, null),
    ('demo', 'r2', 0, timestamp '2026-03-01 17:30:00'),
    ('demo', 'r2', 2, timestamp '2026-03-01 17:30:00'),
    ('other', 'r3', 0, null)
) as rows (athlete_id, routine_id, exercise_index, last_trained_at);
create table marts.fct_workout (
    athlete_id varchar, workout_id varchar, routine_id varchar, started_at timestamp
);
insert into marts.fct_workout values
    ('demo', 'w3', 'r2', '2026-03-01 17:30:00'),
    ('demo', 'w1', 'r1', '2026-02-27 17:30:00'),
    ('demo', 'w2', null, '2026-02-28 17:30:00'),
    ('demo', 'w0', 'deleted', '2026-02-26 17:30:00'),
    ('demo', 'w5', null, '2026-02-25 17:30:00'),
    ('other', 'w4', 'r3', '2026-02-26 17:30:00');
create table marts.fct_plan_compliance (
    athlete_id varchar, workout_id varchar, routine_id varchar
);
insert into marts.fct_plan_compliance values
    ('demo', 'w3', 'r2'), ('demo', 'w2', null), ('demo', 'w5', 'r2'), ('demo', 'w5', 'r2')
"""

RAMP = """
update marts.coach_context set
    planned_sets = [planned_sets[1], planned_sets[1], planned_sets[1]],
    exposures = [{
        'workout_id': 'w1', 'started_at': timestamp '2026-03-01 17:30:00', 'is_plan_known': false,
        'planned_working_count': null, 'is_easy': false,
        'sets': list_transform([40, 80, 80], lambda weight_kg, place: {
            'set_index': place - 1, 'set_type': 'normal', 'weight_kg': weight_kg, 'reps': 8,
            'duration_s': null, 'distance_m': null, 'custom_metric': null, 'rpe': null,
            'planned_set_index': null, 'planned_weight_kg': null, 'planned_reps_low': null,
            'planned_reps_high': null, 'planned_duration_s': null, 'execution_status': 'Unplanned'
        })
    }]
where routine_id = 'r1';
insert into marts.coach_context
select * replace ('csv-1' as routine_id)
from marts.coach_context
where routine_id = 'r1'
"""


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as connection:
        connection.execute(MART)
        create_coach_tables(connection)
        yield connection


def test_the_mart_becomes_routines_with_their_slots_in_order(
    con: duckdb.DuckDBPyConnection,
) -> None:
    first, second = read_context(con, "demo")
    assert (first.routine_id, first.last_trained_at, len(first.slots)) == ("r1", None, 1)
    assert second.last_trained_at == datetime(2026, 3, 1, 17, 30, tzinfo=UTC)
    assert [slot.exercise_index for slot in second.slots] == [0, 1]
    assert [slot.exercise_index for slot in second.left_out] == [2]
    planned, done = second.slots[0].planned_sets[0], second.slots[0].exposures[0].sets[0]
    assert (planned.weight_kg, planned.reps, planned.rep_range_end) == (80, None, 12)
    assert (done.reps, done.rpe, done.planned_reps_low, done.set_type) == (10, 8.5, 8, "failure")


def test_only_routines_of_files_have_their_unmarked_warm_ups_marked(
    con: duckdb.DuckDBPyConnection,
) -> None:
    """An app with marks left these sets without them on purpose."""
    con.execute(RAMP)
    file, hevy, _ = read_context(con, "demo")
    kinds = ["warmup", "normal", "normal"]
    assert [each.set_type for each in file.slots[0].planned_sets] == kinds
    assert [each.set_type for each in file.slots[0].exposures[0].sets] == kinds
    assert [each.set_type for each in hevy.slots[0].planned_sets] == ["normal"] * 3


def test_an_athlete_without_routines_has_none(con: duckdb.DuckDBPyConnection) -> None:
    assert read_context(con, "nobody") == ()


def test_workouts_with_present_routines_come_oldest_first(con: duckdb.DuckDBPyConnection) -> None:
    trained = read_trained(con, "demo")
    assert [(each.routine_id, each.started_at) for each in trained] == [
        ("r2", datetime(2026, 2, 25, 17, 30, tzinfo=UTC)),
        ("r1", datetime(2026, 2, 27, 17, 30, tzinfo=UTC)),
        ("r2", datetime(2026, 3, 1, 17, 30, tzinfo=UTC)),
    ]


def test_of_many_workouts_the_latest_are_read(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        """
        insert into marts.fct_workout
        select 'demo', 'x' || n, 'r1', timestamp '2026-01-01' + to_hours(n)
        from range(200) as hours (n)
        """
    )
    trained = read_trained(con, "demo")
    assert (len(trained), trained[-1].routine_id) == (100, "r2")
    assert trained[0].started_at == datetime(2026, 1, 5, 7, tzinfo=UTC)
