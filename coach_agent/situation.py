"""What the coach knows of an athlete at a moment, read once; decisions are made from it alone."""

from datetime import date, datetime, timedelta

import duckdb

from coach_agent.baseline import restored
from coach_agent.check_ins import CheckIn, read_check_ins, said_lately
from coach_agent.context import RoutineContext, TrainedRoutine, read_context, read_trained
from coach_agent.journal import read_sent_plans
from coach_agent.profile_facts import read_exercise_titles
from coach_agent.progression.constants import DELOAD_DAYS, DELOAD_TRIGGER_READINESS_DAYS
from coach_agent.publishing.publications import Rejection, read_rejections
from coach_agent.rejections import REJECTIONS_KNOWN_FOR
from coach_agent.rotation import local_date
from coach_agent.values import Value

VOLUME_WEEKS = 4
"""Whole weeks with which the present one is compared."""


class PersonalPace(Value):
    """The athlete's own minutes a set, rests and all, from `workouts` sessions."""

    minutes_a_set: float
    workouts: int


class MuscleWeek(Value):
    """Fractional hard sets of a muscle group in the athlete's week that begins on `week_start`."""

    muscle_group: str
    week_start: date
    sets: float


class Situation(Value):
    """An athlete's training as the coach sees it.

    `routines` are whole, whatever was left out of them for a time; `trained` are the latest
    workouts, oldest first, and `check_ins` those of the last two weeks, newest first.
    `latest_check_in` is what of them still counts.
    `weekly_sets` are those of this week and the four before, `exercise_titles` those of all
    exercises that there are, in a routine or not; empty: not known.
    `rejections` are plans that the athlete did not want lately, with why, newest first.
    `last_deload` is the first day of the latest deload that was trained, `today` the athlete's day.
    """

    today: date
    routines: tuple[RoutineContext, ...] = ()
    trained: tuple[TrainedRoutine, ...] = ()
    check_ins: tuple[CheckIn, ...] = ()
    last_deload: date | None = None
    pace: PersonalPace | None = None
    weekly_sets: tuple[MuscleWeek, ...] = ()
    exercise_titles: tuple[str, ...] = ()
    latest_check_in: CheckIn | None = None
    rejections: tuple[Rejection, ...] = ()

    def with_check_in(self, said: CheckIn) -> "Situation":
        """The same situation at the moment of another check-in."""
        check_ins = (said, *self.check_ins)
        latest = said_lately(check_ins, said.checked_in_at)
        return self.model_copy(update={"check_ins": check_ins, "latest_check_in": latest})


def read_situation(
    con: duckdb.DuckDBPyConnection, athlete_id: str, timezone: str, now: datetime
) -> Situation:
    """The athlete's situation at the aware moment `now`, from marts and the coach's own tables.

    Raises:
        pydantic.ValidationError: a mart breaks its contract.
    """
    sent = read_sent_plans(con, athlete_id)
    check_ins = read_check_ins(
        con, athlete_id, since=now - timedelta(days=DELOAD_TRIGGER_READINESS_DAYS.value), until=now
    )
    return Situation(
        today=local_date(now, timezone),
        routines=tuple(
            restored(routine, sent.get(routine.routine_id, ()))
            for routine in read_context(con, athlete_id)
        ),
        trained=read_trained(con, athlete_id),
        check_ins=check_ins,
        latest_check_in=said_lately(check_ins, now),
        last_deload=_last_deload(con, athlete_id),
        pace=_pace(con, athlete_id),
        weekly_sets=_weekly_sets(con, athlete_id, local_date(now, timezone)),
        exercise_titles=read_exercise_titles(con, athlete_id),
        rejections=read_rejections(con, athlete_id, since=now - REJECTIONS_KNOWN_FOR),
    )


def _last_deload(con: duckdb.DuckDBPyConnection, athlete_id: str) -> date | None:
    """The day of the first workout of the latest deload: later ones follow within its days.

    Published, or only told and followed.
    """
    rows: list[tuple[date]] = con.execute(
        """
        with exposures as (
            select unnest(exposures) as exposure from marts.coach_context where athlete_id = $1
        )
        select compliance.workout_date
        from marts.fct_plan_compliance as compliance
        inner join marts.dim_routine_version as versions
            on compliance.routine_version_key = versions.routine_version_key
        inner join coach.plans as plans on versions.published_plan_id = plans.plan_id
        where compliance.athlete_id = $1 and compliance.is_plan_known and plans.deload is not null
        union
        select workouts.workout_date
        from marts.fct_workout as workouts
        inner join coach.plans as plans
            on
                workouts.athlete_id = plans.athlete_id
                and workouts.routine_id = plans.routine_id
                and plans.deload is not null
                and workouts.started_at >= plans.created_at
                and workouts.started_at < plans.created_at + to_days($2)
        where
            workouts.athlete_id = $1
            and workouts.workout_id in (
                select exposure.workout_id from exposures where exposure.is_easy
            )
        order by 1 desc
        """,
        [athlete_id, DELOAD_DAYS.value],
    ).fetchall()
    return first_of_latest(tuple(day for (day,) in rows))


def first_of_latest(days: tuple[date, ...]) -> date | None:
    """The first day of the latest run of deload days; `days` are newest first."""
    first = None
    for day in days:
        if first is not None and (first - day).days >= DELOAD_DAYS.value:
            break
        first = day
    return first


def _weekly_sets(
    con: duckdb.DuckDBPyConnection, athlete_id: str, today: date
) -> tuple[MuscleWeek, ...]:
    monday = today - timedelta(days=today.weekday())
    rows = con.execute(
        """
        select muscle_group, week_start_date, fractional_set_count
        from marts.fct_muscle_week
        where athlete_id = $1 and week_start_date between $2 and $3
        order by muscle_group, week_start_date
        """,
        [athlete_id, monday - timedelta(weeks=VOLUME_WEEKS), monday],
    ).fetchall()
    return tuple(
        MuscleWeek(muscle_group=group, week_start=week, sets=sets) for group, week, sets in rows
    )


def _pace(con: duckdb.DuckDBPyConnection, athlete_id: str) -> PersonalPace | None:
    rows = con.execute(
        """
        select constant_value, observation_count
        from marts.fct_personal_constant
        where athlete_id = $1 and constant_name = 'minutes_a_set' and exercise_key is null
        """,
        [athlete_id],
    ).fetchall()
    return PersonalPace(minutes_a_set=rows[0][0], workouts=rows[0][1]) if rows else None
