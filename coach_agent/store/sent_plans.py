"""Plans that a routine in Hevy may hold."""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import duckdb

from coach_agent.domain.values import by_athlete


def read_sent_plans(
    con: duckdb.DuckDBPyConnection, athlete_ids: Sequence[str]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return by athlete and routine the plans that the routine may hold, newest first, as JSON.

    These are the plan that it held at the last write or comparison, and those sent since then
    without a confirmation.
    """
    rows = con.execute(
        """
        with sent as (
            select
                publications.*,
                publications.state in ('published', 'unchanged') as is_certain
            from coach.publications as publications
            where
                publications.athlete_id in (select unnest($1))
                and publications.written_routine_id is null
                and (is_certain or publications.effective_at is not null)
        ),

        standing as (
            select * from sent
            qualify coalesce(sent.publication_number >= max(sent.publication_number) filter (
                where sent.is_certain
            ) over (partition by sent.athlete_id, sent.routine_id), true)
        )
        -- A rollback to what no plan of ours had made has no plan.
        select standing.athlete_id, standing.routine_id, plans.plan
        from standing
        inner join coach.plans as plans on standing.plan_id = plans.plan_id
        order by standing.athlete_id, standing.routine_id, standing.publication_number desc
        """,
        [list(athlete_ids)],
    ).fetchall()
    return {
        athlete_id: {
            routine_id: tuple(plan for _, plan in of_routine)
            for routine_id, of_routine in groupby(own, itemgetter(0))
        }
        for athlete_id, own in by_athlete(rows).items()
    }
