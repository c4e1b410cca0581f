"""Plans that the athlete rejected, compared with the active plan. All times are UTC."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import duckdb

from coach_agent.domain.plan import Plan
from coach_agent.domain.values import Value, by_athlete, naive_utc
from hevy_connector.schemas import UtcTime

REJECTIONS_KNOWN_FOR = timedelta(weeks=4)
"""Time for which a rejection is shown to the coach: about a block of training."""


class Rejection(Value):
    """A plan that the athlete rejected. `because` is the athlete's own text."""

    plan_id: str
    routine_id: str
    rejected_at: UtcTime
    because: str


class PastRejection(Value):
    """A rejected plan of the active plan's routine, without a later approval.

    `because` is the athlete's own text. `is_same`: the active plan has the same sets.
    """

    plan_id: str
    rejected_at: UtcTime
    because: str
    is_same: bool


def have_same_sets(one: Plan, other: Plan) -> bool:
    """Return whether both plans have the same sets of the same exercises in the same order."""
    sets, other_sets = (
        [(slot.exercise_template_id, slot.sets) for slot in plan.slots if slot.sets]
        for plan in (one, other)
    )
    return sets == other_sets


def read_past_rejections(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str] | None = None
) -> dict[str, tuple[PastRejection, ...]]:
    """Return the recent rejections of each active plan's routine, by active plan, newest first.

    By default for all athletes. The latest answer to a plan counts: a plan that was approved later
    is not rejected.
    """
    rows: list[tuple[str, str, str, str, datetime, str | None]] = con.execute(
        """
        with said_last as (
            select plan_id, athlete_id, routine_id, state, finished_at, detail
            from coach.publications
            where
                kind = 'plan'
                and ($2::varchar[] is null or athlete_id in (select unnest($2::varchar[])))
            qualify row_number() over (
                partition by plan_id order by publication_number desc
            ) = 1
        )

        select
            standing.plan_id, standing.plan, rejected.plan_id, rejected.plan,
            said_last.finished_at, said_last.detail
        from coach.current_plans as current_plans
        inner join coach.plans as standing on current_plans.plan_id = standing.plan_id
        inner join said_last
            on
                standing.athlete_id = said_last.athlete_id
                and standing.routine_id = said_last.routine_id
                and said_last.state = 'rejected'
                and said_last.finished_at >= current_plans.decided_at - to_seconds($1)
        inner join coach.plans as rejected on said_last.plan_id = rejected.plan_id
        where
            $2::varchar[] is null
            or current_plans.athlete_id in (select unnest($2::varchar[]))
        order by standing.plan_id, said_last.finished_at desc, rejected.plan_id
        """,
        [
            int(REJECTIONS_KNOWN_FOR.total_seconds()),
            None if athlete_ids is None else list(athlete_ids),
        ],
    ).fetchall()
    found: dict[str, tuple[PastRejection, ...]] = {}
    for plan_id, active, rejected_id, rejected, at, because in rows:
        rejection = PastRejection(
            plan_id=rejected_id,
            rejected_at=at.replace(tzinfo=UTC),
            because=because or "",
            is_same=have_same_sets(
                Plan.model_validate_json(active), Plan.model_validate_json(rejected)
            ),
        )
        found[plan_id] = (*found.get(plan_id, ()), rejection)
    return found


def read_rejections(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str], *, since: datetime
) -> dict[str, tuple[Rejection, ...]]:
    """Return the rejections by athlete since an aware time, newest first, as input of the coach.

    The latest answer to a plan counts: a plan that was approved later is not rejected.
    """
    rows = con.execute(
        """
        with said_last as (
            select * from coach.publications
            where athlete_id in (select unnest($1)) and kind = 'plan'
            qualify row_number() over (
                partition by athlete_id, plan_id order by publication_number desc
            ) = 1
        )

        select athlete_id, plan_id, routine_id, finished_at, detail from said_last
        where state = 'rejected' and finished_at >= $2
        order by athlete_id, finished_at desc, publication_id
        """,
        [list(athlete_ids), naive_utc(since)],
    ).fetchall()
    return {
        athlete_id: tuple(
            Rejection(plan_id=plan_id, routine_id=routine_id, rejected_at=at, because=because or "")
            for plan_id, routine_id, at, because in own
        )
        for athlete_id, own in by_athlete(rows).items()
    }
