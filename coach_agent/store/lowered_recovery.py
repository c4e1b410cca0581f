"""The newest recovery of athletes from `fct_readiness_day`, and where it is lowered."""

from collections.abc import Iterator, Mapping
from datetime import date
from math import exp
from typing import Any

import duckdb

from coach_agent.domain.constants.recovery import READINESS_LOW_MAX
from coach_agent.domain.recovery import KNOWN_FOR, LoweredRecovery, WorseSignal
from coach_agent.store.named_rows import rows_of_athletes

_QUERY = """
    with days as (select unnest($1::varchar[]) as athlete_id, unnest($2::date[]) as today)

    select readiness.*
    from marts.fct_readiness_day as readiness
    inner join days
        on
            readiness.athlete_id = days.athlete_id
            and readiness.readiness_date between days.today - $3::integer and days.today
    qualify
        row_number() over (
            partition by readiness.athlete_id order by readiness.readiness_date desc
        ) = 1
"""


def read_lowered_recovery(
    con: duckdb.DuckDBPyConnection, days: Mapping[str, date]
) -> dict[str, LoweredRecovery]:
    """Return by athlete the newest known day, if it is today or yesterday and lowered."""
    found = {athlete: lowered_of(row) for athlete, row in readiness_rows(con, days).items()}
    return {athlete: lowered for athlete, lowered in found.items() if lowered is not None}


def readiness_rows(
    con: duckdb.DuckDBPyConnection, days: Mapping[str, date]
) -> dict[str, dict[str, Any]]:
    """Return by athlete the newest row of `fct_readiness_day`, of that day or the day before.

    Empty for a warehouse whose marts an older version built.
    """
    try:
        found = con.execute(_QUERY, [list(days), list(days.values()), KNOWN_FOR.days])
    except duckdb.CatalogException:
        return {}
    return rows_of_athletes(found)


def lowered_of(row: Mapping[str, Any]) -> LoweredRecovery | None:
    """Return a row of `fct_readiness_day` with its worse signals; None if it is not lowered."""
    if row["readiness"] != "lowered":
        return None
    return LoweredRecovery(day=row["readiness_date"], signals=tuple(_worse(row)))


def _worse(row: Mapping[str, Any]) -> Iterator[WorseSignal]:
    if row["hrv_state"] == "low":
        mean, low = exp(row["hrv_week_mean"]), exp(row["hrv_usual_low"])
        yield WorseSignal(signal="hrv", value=mean, usual=low, source=row["hrv_source"])
    if row["resting_hr_state"] == "high":
        yield WorseSignal(
            signal="resting_hr",
            value=row["resting_hr_week_mean"],
            usual=row["resting_hr_usual_high"],
            source=row["resting_hr_source"],
        )
    if row["sleep_state"] == "low":
        yield WorseSignal(
            signal="sleep",
            value=row["sleep_debt_minutes"],
            usual=row["sleep_minutes"],
            source=row["sleep_source"],
        )
    if row.get("check_in_state") == "low":
        yield WorseSignal(
            signal="check_in",
            value=row["check_in_score"],
            usual=READINESS_LOW_MAX.value + 1,
            source="check-in",
        )
