"""Read an athlete's lifts and plans before and since the coach."""

from dataclasses import dataclass
from datetime import UTC, date, datetime

import duckdb

from coach_agent.evaluation.before_after import Exposure, best_e1rms
from coach_agent.evaluation.plan_outcomes import PlannedSet


@dataclass(frozen=True)
class FirstPlan:
    """Time at which the first plan took effect (UTC), and the local day of the first workout since.

    Without such a workout it is the local day of the plan.
    """

    published_at: datetime
    day: date


def first_plan(con: duckdb.DuckDBPyConnection, athlete_id: str) -> FirstPlan | None:
    """Return the first published or unchanged plan; None if there is none yet."""
    row = con.execute(
        """
        with published as (
            select athlete_id, min(published_at) as published_at
            from marts.fct_prescription_outcome
            where athlete_id = $1
            group by athlete_id
        )
        select
            any_value(published.published_at),
            coalesce(
                min(workouts.workout_date),
                any_value(
                    cast(
                        timezone(athletes.timezone, timezone('UTC', published.published_at)) as date
                    )
                )
            )
        from published
        inner join marts.dim_athlete as athletes using (athlete_id)
        left join marts.fct_workout as workouts
            on
                published.athlete_id = workouts.athlete_id
                and workouts.started_at >= published.published_at
        having count(*) > 0
        """,
        [athlete_id],
    ).fetchone()
    if row is None:
        return None
    published_at, day = row
    return FirstPlan(published_at.replace(tzinfo=UTC), day)


def read_e1rms(con: duckdb.DuckDBPyConnection, athlete_id: str) -> list[Exposure]:
    """Return the best e1RM of each loaded exercise and day, oldest first.

    Covers working sets that are not doubted. Excludes exercises whose load includes body weight.
    """
    rows: list[tuple[str, date, float, int]] = con.execute(
        """
        select exercises.title, sets.workout_date, sets.weight_kg, sets.reps
        from marts.fct_set as sets
        inner join marts.dim_exercise as exercises using (athlete_id, exercise_key)
        where
            sets.athlete_id = $1
            and sets.is_working
            and not sets.is_typo_suspect
            and sets.weight_kg > 0
            and sets.reps > 0
            and coalesce(exercises.exercise_type, '') not in (
                'bodyweight_weighted', 'bodyweight_assisted'
            )
        order by sets.workout_date, exercises.title
        """,
        [athlete_id],
    ).fetchall()
    return best_e1rms(rows)


def read_planned_sets(
    con: duckdb.DuckDBPyConnection, athlete_id: str, since: date
) -> list[PlannedSet]:
    """Return the working sets of plans trained on or after a day, in order."""
    rows = con.execute(
        """
        select
            outcomes.workout_id,
            outcomes.prescribed_reps,
            outcomes.predicted_reps,
            outcomes.predicted_reps_low,
            outcomes.predicted_reps_high,
            outcomes.predicted_success_probability,
            if(outcomes.reps_error is null, null, outcomes.actual_reps),
            outcomes.actual_rpe,
            outcomes.outcome,
            compliance.substitution_exercise_key is not null
        from marts.fct_prescription_outcome as outcomes
        left join marts.fct_plan_compliance as compliance
            on
                outcomes.athlete_id = compliance.athlete_id
                and outcomes.workout_id = compliance.workout_id
                and outcomes.exercise_index = compliance.planned_exercise_index
                and outcomes.set_index = compliance.planned_set_index
        where
            outcomes.athlete_id = $1
            and outcomes.set_class = 'working'
            and outcomes.workout_date >= $2
        order by outcomes.started_at, outcomes.exercise_index, outcomes.set_index
        """,
        [athlete_id, since],
    ).fetchall()
    return [PlannedSet(*row) for row in rows]
