"""Snapshot of the coach's input for an athlete at one time; the only input of decisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import duckdb
from pydantic import Field

from coach_agent.domain.block import FollowedProgramme
from coach_agent.domain.constants.loads import BODY_MEASURED_DAYS
from coach_agent.domain.constants.recovery import DELOAD_DAYS
from coach_agent.domain.context import (
    RoutineContext,
    TrainedRoutine,
)
from coach_agent.domain.days import local_date, monday_of
from coach_agent.domain.plan import Plan
from coach_agent.domain.recovery import LoweredRecovery
from coach_agent.domain.values import Value, by_athlete, is_null
from coach_agent.situation.baseline import restore_routine
from coach_agent.store.check_ins import (
    CHECK_INS_KNOWN_FOR,
    CheckIn,
    merge_check_ins,
    read_check_ins_of,
    read_open_red_flags_of,
)
from coach_agent.store.contexts import (
    RoutineRows,
    read_routines,
    read_trained_of,
    trained_routines,
)
from coach_agent.store.followed_programmes import read_followed_programmes
from coach_agent.store.lowered_recovery import read_lowered_recovery
from coach_agent.store.profile_facts import read_exercise_titles_of
from coach_agent.store.rejections import REJECTIONS_KNOWN_FOR, Rejection, read_rejections
from coach_agent.store.sent_plans import read_sent_plans

VOLUME_WEEKS = 4
"""Whole weeks before the present one, for comparison."""


class PersonalPace(Value):
    """The athlete's own minutes per set, rests included, from `workouts` sessions."""

    minutes_a_set: float
    workouts: int


class BodyWeight(Value):
    """A body weight that was measured on a day."""

    measured_on: date
    weight_kg: float

    def kg_on(self, today: date) -> float | None:
        """Return the weight in kg; None once it is too old."""
        is_recent = today - self.measured_on <= timedelta(days=BODY_MEASURED_DAYS.value)
        return self.weight_kg if is_recent else None


class MuscleWeek(Value):
    """Fractional hard sets of a muscle group in the athlete's week that begins on `week_start`."""

    muscle_group: str
    week_start: date
    sets: float


class Situation(Value):
    """An athlete's training as input of the coach.

    `routines` are complete, including exercises left out temporarily; `trained` are the latest
    workouts, oldest first, and `check_ins` those of the last two weeks, newest first.
    `latest_check_in` is their valid part. `weekly_sets` are those of this week and the four before,
    `exercise_titles` those of all existing exercises, in a routine or not; empty: not known.
    `rejections` are recently rejected plans with the reason, newest first. `red_flags` are the
    codes of those that are not cleared: nothing is prescribed with any. `last_deload` is the first
    day of the latest trained deload, `today` the athlete's day. `body_weight` is the latest
    measurement. `recovery` is a day of lowered recovery, today or yesterday; only a profile with
    `recovery.adjust` uses it.
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
    red_flags: tuple[str, ...] = ()
    body_weight: BodyWeight | None = None
    programme: FollowedProgramme | None = Field(default=None, exclude_if=is_null)
    recovery: LoweredRecovery | None = Field(default=None, exclude_if=is_null)

    @property
    def trained_at(self) -> tuple[datetime, ...]:
        """The starts of the workouts in `trained`."""
        return tuple(each.started_at for each in self.trained)

    def with_check_in(self, check_in: CheckIn) -> "Situation":
        """Return the situation at the time of another check-in."""
        check_ins = (check_in, *self.check_ins)
        latest = merge_check_ins(check_ins, check_in.checked_in_at)
        return self.model_copy(update={"check_ins": check_ins, "latest_check_in": latest})


@dataclass(frozen=True)
class SituationRows:
    """The rows of a situation, not validated; copied to another process in 5 % of its time.

    `sent_plans` are JSON by routine, newest first. The fields are those of a situation otherwise;
    of `trained` and `weekly_sets` the columns in order.
    """

    today: date
    routines: Sequence[RoutineRows] = ()
    sent_plans: Mapping[str, Sequence[str]] = field(default_factory=dict)
    trained: Sequence[tuple[str, datetime]] = ()
    check_ins: tuple[CheckIn, ...] = ()
    latest_check_in: CheckIn | None = None
    last_deload: date | None = None
    pace: PersonalPace | None = None
    weekly_sets: Sequence[tuple[str, date, float]] = ()
    exercise_titles: tuple[str, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    red_flags: tuple[str, ...] = ()
    body_weight: BodyWeight | None = None
    programme: FollowedProgramme | None = None
    recovery: LoweredRecovery | None = None

    @property
    def trained_at(self) -> tuple[datetime, ...]:
        """The starts of the workouts in `trained`."""
        return tuple(started_at.replace(tzinfo=UTC) for _, started_at in self.trained)

    def situation(self) -> Situation:
        """Return the situation.

        Raises:
            pydantic.ValidationError: a mart breaks its contract.
        """
        return Situation(
            today=self.today,
            routines=tuple(map(self._restored, self.routines)),
            trained=trained_routines(self.trained),
            check_ins=self.check_ins,
            latest_check_in=self.latest_check_in,
            last_deload=self.last_deload,
            pace=self.pace,
            weekly_sets=tuple(
                MuscleWeek(muscle_group=group, week_start=week, sets=sets)
                for group, week, sets in self.weekly_sets
            ),
            exercise_titles=self.exercise_titles,
            rejections=self.rejections,
            red_flags=self.red_flags,
            body_weight=self.body_weight,
            programme=self.programme,
            recovery=self.recovery,
        )

    def _restored(self, routine: RoutineRows) -> RoutineContext:
        sent = self.sent_plans.get(routine.routine_id, ())
        return restore_routine(routine.context(), tuple(map(Plan.model_validate_json, sent)))


def read_situation(
    con: duckdb.DuckDBPyConnection, athlete_id: str, timezone: str, now: datetime
) -> Situation:
    """Read the athlete's situation at the aware time `now`, from marts and the coach's own tables.

    Raises:
        pydantic.ValidationError: a mart breaks its contract.
    """
    return read_situations(con, {athlete_id: timezone}, now)[athlete_id]


def read_situations(
    con: duckdb.DuckDBPyConnection, timezones: Mapping[str, str], now: datetime
) -> dict[str, Situation]:
    """Read the situations of all athletes in `timezones` at the aware time `now`, by athlete.

    Raises:
        pydantic.ValidationError: a mart breaks its contract for one of them.
    """
    found = read_situation_rows(con, timezones, now)
    return {athlete_id: rows.situation() for athlete_id, rows in found.items()}


def read_situation_rows(
    con: duckdb.DuckDBPyConnection, timezones: Mapping[str, str], now: datetime
) -> dict[str, SituationRows]:
    """Read the rows of `read_situations` by athlete; the tables are queried in batches."""
    athletes = list(timezones)
    todays = {athlete: local_date(now, timezone) for athlete, timezone in timezones.items()}
    sent = read_sent_plans(con, athletes)
    routines = read_routines(con, athletes)
    trained = read_trained_of(con, athletes)
    check_ins = read_check_ins_of(con, athletes, since=now - CHECK_INS_KNOWN_FOR, until=now)
    red_flags = read_open_red_flags_of(con, athletes, now)
    deloads = _last_deloads(con, athletes)
    body_weights = read_body_weights(con, todays)
    paces = _paces(con, athletes)
    weekly_sets = _weekly_sets(con, todays)
    titles = read_exercise_titles_of(con, athletes)
    programmes = read_followed_programmes(con, athletes, now)
    recovery = read_lowered_recovery(con, todays)
    rejections = read_rejections(con, athletes, since=now - REJECTIONS_KNOWN_FOR)
    return {
        athlete: SituationRows(
            today=today,
            routines=routines.get(athlete, ()),
            sent_plans=sent.get(athlete, {}),
            trained=trained.get(athlete, ()),
            check_ins=check_ins.get(athlete, ()),
            latest_check_in=merge_check_ins(check_ins.get(athlete, ()), now),
            last_deload=deloads.get(athlete),
            pace=paces.get(athlete),
            weekly_sets=weekly_sets.get(athlete, ()),
            exercise_titles=titles.get(athlete, ()),
            rejections=rejections.get(athlete, ()),
            red_flags=red_flags.get(athlete, ()),
            body_weight=body_weights.get(athlete),
            programme=programmes.get(athlete),
            recovery=recovery.get(athlete),
        )
        for athlete, today in todays.items()
    }


def _last_deloads(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[str, date | None]:
    """Return the first day of each athlete's latest deload: further workouts follow within its
    days.

    Deloads count if published, or only recommended and followed.
    """
    rows = con.execute(
        """
        with exposures as (
            select athlete_id, unnest(exposures) as exposure
            from marts.coach_context
            where athlete_id in (select unnest($1))
        )
        select compliance.athlete_id, compliance.workout_date
        from marts.fct_plan_compliance as compliance
        inner join marts.dim_routine_version as versions
            on compliance.routine_version_key = versions.routine_version_key
        inner join coach.plans as plans on versions.published_plan_id = plans.plan_id
        where
            compliance.athlete_id in (select unnest($1))
            and compliance.is_plan_known
            and plans.deload is not null
        union
        select workouts.athlete_id, workouts.workout_date
        from marts.fct_workout as workouts
        inner join coach.plans as plans
            on
                workouts.athlete_id = plans.athlete_id
                and workouts.routine_id = plans.routine_id
                and plans.deload is not null
                and workouts.started_at >= plans.created_at
                and workouts.started_at < plans.created_at + to_days($2)
        where
            workouts.athlete_id in (select unnest($1))
            and (workouts.athlete_id, workouts.workout_id) in (
                select (exposures.athlete_id, exposures.exposure.workout_id)
                from exposures where exposures.exposure.is_easy
            )
        order by 1, 2 desc
        """,
        [list(athlete_ids), DELOAD_DAYS.value],
    ).fetchall()
    return {
        athlete_id: first_of_latest(tuple(day for (day,) in own))
        for athlete_id, own in by_athlete(rows).items()
    }


def first_of_latest(days: tuple[date, ...]) -> date | None:
    """Return the first day of the latest run of deload days; `days` are newest first."""
    first = None
    for day in days:
        if first is not None and (first - day).days >= DELOAD_DAYS.value:
            break
        first = day
    return first


def _weekly_sets(
    con: duckdb.DuckDBPyConnection, todays: Mapping[str, date]
) -> dict[str, list[tuple[str, date, float]]]:
    """Return by athlete muscle group, week and sets, of the week of the given day and before."""
    mondays = {athlete: monday_of(day) for athlete, day in todays.items()}
    before = timedelta(weeks=VOLUME_WEEKS)
    rows = con.execute(
        """
        select athlete_id, muscle_group, week_start_date, fractional_set_count
        from marts.fct_muscle_week
        where athlete_id in (select unnest($1)) and week_start_date between $2 and $3
        order by athlete_id, muscle_group, week_start_date
        """,
        [
            list(mondays),
            min(mondays.values(), default=date.max) - before,
            max(mondays.values(), default=date.min),
        ],
    ).fetchall()
    return {
        athlete: [
            (group, week, sets)
            for group, week, sets in own
            if mondays[athlete] - before <= week <= mondays[athlete]
        ]
        for athlete, own in by_athlete(rows).items()
    }


def read_body_weights(
    con: duckdb.DuckDBPyConnection, todays: Mapping[str, date]
) -> dict[str, BodyWeight]:
    """Return the latest body weight of each athlete from Hevy's measurements up to today."""
    rows = con.execute(
        """
        with latest as (
            select
                athlete_id,
                try_cast(record_id as date) as measured_on,
                try_cast(arg_max(payload, loaded_at) ->> 'weight_kg' as double) as weight_kg,
                arg_max(is_deleted, loaded_at) as is_deleted
            from raw.hevy_body_measurements
            where athlete_id in (select unnest($1))
            group by athlete_id, record_id
        )

        select athlete_id, measured_on, weight_kg from latest
        where not is_deleted and measured_on is not null and weight_kg between 30 and 300
        order by athlete_id, measured_on
        """,
        [list(todays)],
    ).fetchall()
    return {
        athlete: BodyWeight(measured_on=day, weight_kg=weight)
        for athlete, day, weight in rows
        if day <= todays[athlete]
    }


def _paces(con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]) -> dict[str, PersonalPace]:
    rows = con.execute(
        """
        select athlete_id, constant_value, observation_count
        from marts.fct_personal_constant
        where
            athlete_id in (select unnest($1))
            and constant_name = 'minutes_a_set'
            and exercise_key is null
        order by athlete_id
        """,
        [list(athlete_ids)],
    ).fetchall()
    return {
        athlete: PersonalPace(minutes_a_set=minutes, workouts=count)
        for athlete, minutes, count in rows
    }
