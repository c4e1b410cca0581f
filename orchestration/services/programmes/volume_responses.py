"""Known responses to volume of an athlete, as input of a programme."""

import duckdb

from coach_agent.programmes.request import MuscleResponse
from orchestration.storage.warehouse import Warehouse, open_warehouse

_BACK = frozenset({"lats", "upper_back"})


def known_responses(warehouse: Warehouse, athlete_id: str) -> tuple[MuscleResponse, ...]:
    """Return the current informative responses, by muscle of programmes; none before a first run.

    Raises:
        WarehouseMissingError, WarehouseBusyError: the warehouse cannot be read.
    """
    with open_warehouse(warehouse, read_only=True, wait_s=10.0) as con:
        try:
            return read_responses(con, athlete_id)
        except duckdb.CatalogException:
            return ()


def read_responses(con: duckdb.DuckDBPyConnection, athlete_id: str) -> tuple[MuscleResponse, ...]:
    """Return the current informative responses of an athlete, by muscle of programmes.

    Lats and upper back are the back: with two different answers there is none, and of two equal
    ones that of the muscle with more periods counts.

    Raises:
        duckdb.CatalogException: there are no marts yet.
    """
    rows = con.execute(
        """
        select
            muscle_group, slope_pct, lower_pct, upper_pct, least_weekly_sets, most_weekly_sets
        from marts.fct_volume_response
        where
            athlete_id = $1
            and next_change_date is null
            and verdict in ('more_helps', 'less_helps')
        order by period_count desc, muscle_group
        """,
        [athlete_id],
    ).fetchall()
    found: dict[str, list[MuscleResponse]] = {}
    for group, slope, low, high, least, most in rows:
        muscle = "back" if group in _BACK else group
        found.setdefault(muscle, []).append(
            MuscleResponse(
                muscle=muscle,
                slope_pct=slope,
                low_pct=low,
                high_pct=high,
                least_sets=least,
                most_sets=most,
            )
        )
    return tuple(
        own[0] for _, own in sorted(found.items()) if len({each.slope_pct > 0 for each in own}) == 1
    )
