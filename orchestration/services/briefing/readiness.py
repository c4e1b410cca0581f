"""Read the newest recovery of athletes from `fct_readiness_day`; for display only."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import duckdb

from coach_agent.store.lowered_recovery import readiness_rows
from orchestration.text.readiness import Readiness, Sleep, UsualBand


def read_readiness_of(
    con: duckdb.DuckDBPyConnection, days: Mapping[str, date]
) -> dict[str, Readiness]:
    """Return the recovery of each athlete on that day or the day before, where there is one.

    Empty for a warehouse whose marts an older version built.
    """
    return {athlete: readiness_of(row) for athlete, row in readiness_rows(con, days).items()}


def readiness_of(row: Mapping[str, Any]) -> Readiness:
    """Return a row of `fct_readiness_day` as a value."""
    return Readiness(
        day=row["readiness_date"],
        readiness=row["readiness"],
        judged_count=row["judged_count"],
        worse_count=row["worse_count"],
        hrv_method=row["hrv_method"],
        hrv=_band(row, "hrv"),
        resting_hr=_band(row, "resting_hr"),
        sleep=_sleep(row),
        check_in_score=row.get("check_in_score"),
    )


def _band(row: Mapping[str, Any], signal: str) -> UsualBand | None:
    if row[f"{signal}_source"] is None:
        return None
    return UsualBand(**{name: row[f"{signal}_{name}"] for name in UsualBand.model_fields})


def _sleep(row: Mapping[str, Any]) -> Sleep | None:
    if row["sleep_source"] is None:
        return None
    return Sleep(**{name: row[f"sleep_{name}"] for name in Sleep.model_fields})
