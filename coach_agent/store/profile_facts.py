"""Profile facts from the marts: routines, their order and learned values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import duckdb

from coach_agent.domain.block import FollowedProgramme
from coach_agent.domain.context import RoutineContext, TrainedRoutine
from coach_agent.domain.values import by_athlete
from coach_agent.store.contexts import read_context, read_trained
from coach_agent.store.followed_programmes import read_followed_programmes


@dataclass(frozen=True)
class Learned:
    """A number learned from the history, and its number of observations."""

    value: float
    count: int


@dataclass(frozen=True)
class ProfileFacts:
    """The facts of one athlete.

    `trained` is oldest first. `increments_kg` has the smallest repeatedly used step by exercise id;
    `minutes_a_set` is null with too few workouts.
    """

    routines: tuple[RoutineContext, ...] = ()
    trained: tuple[TrainedRoutine, ...] = ()
    programme: FollowedProgramme | None = None
    increments_kg: dict[str, Learned] = field(default_factory=dict)
    minutes_a_set: Learned | None = None


def read_exercise_titles(con: duckdb.DuckDBPyConnection, athlete_id: str) -> tuple[str, ...]:
    """Return all exercise titles of the athlete's account and history, in order.

    Raises:
        duckdb.CatalogException: there are no marts yet.
    """
    return read_exercise_titles_of(con, [athlete_id]).get(athlete_id, ())


def read_exercise_titles_of(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the titles of `read_exercise_titles` by athlete; athletes without any are absent.

    Raises:
        duckdb.CatalogException: there are no marts yet.
    """
    rows = con.execute(
        """
        select distinct athlete_id, title
        from marts.dim_exercise
        where athlete_id in (select unnest($1))
        order by athlete_id, title
        """,
        [list(athlete_ids)],
    ).fetchall()
    return {one: tuple(title for (title,) in own) for one, own in by_athlete(rows).items()}


def read_facts(con: duckdb.DuckDBPyConnection, athlete_id: str, now: datetime) -> ProfileFacts:
    """Return the facts of an athlete from the marts; empty for an unknown athlete.

    The followed programme is the one in force at the aware time `now`.

    Raises:
        duckdb.CatalogException: there are no marts yet.
    """
    rows = con.execute(
        """
        select constant_name, exercise_key, constant_value, observation_count
        from marts.fct_personal_constant
        where athlete_id = $1 and constant_name in ('increment', 'minutes_a_set')
        """,
        [athlete_id],
    ).fetchall()
    return ProfileFacts(
        routines=read_context(con, athlete_id),
        trained=read_trained(con, athlete_id),
        programme=read_followed_programmes(con, [athlete_id], now).get(athlete_id),
        increments_kg={
            exercise: Learned(value, count)
            for name, exercise, value, count in rows
            if name == "increment"
        },
        minutes_a_set=next(
            (Learned(value, count) for name, _, value, count in rows if name == "minutes_a_set"),
            None,
        ),
    )
