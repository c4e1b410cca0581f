"""Compare the age of ingested data with the freshness limits of dbt sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb

from coach_agent.profile.model import AthleteProfile
from orchestration.config.limits import CLOCK_MAY_BE_OFF

_PERIODS = {"minute", "hour", "day"}


@dataclass(frozen=True)
class AgeLimits:
    """Ages from which data are stale (warning) and too stale (error)."""

    warn_after: timedelta
    error_after: timedelta


def limits_of(manifest: Mapping[str, Any], table: str) -> AgeLimits:
    """Return the freshness limits of a table of source `raw` in the dbt manifest.

    Raises:
        KeyError, ValueError: it declares no such limits.
    """
    (freshness,) = (
        source["freshness"]
        for source in manifest["sources"].values()
        if source["source_name"] == "raw" and source["name"] == table
    )
    return AgeLimits(_duration(freshness["warn_after"]), _duration(freshness["error_after"]))


def old_readings(
    con: duckdb.DuckDBPyConnection,
    athletes: Sequence[AthleteProfile],
    after: timedelta,
    now: datetime,
) -> dict[str, str]:
    """Return for each athlete a message about entities last read more than `after` ago, or never.

    The age of an account that was never read counts from the athlete's first profile.
    """
    rows: list[tuple[str, str, datetime]] = con.execute(
        "select athlete_id, entity, last_complete_at from raw.sync_state"
    ).fetchall()
    known: dict[str, datetime] = dict(
        con.execute(
            "select athlete_id, min(loaded_at) from raw.athlete_profiles group by athlete_id"
        ).fetchall()
    )
    told: dict[str, str] = {}
    for athlete in athletes:
        if athlete.hevy.account == "none":
            continue
        ages = {
            entity: now - read_at.replace(tzinfo=UTC)
            for athlete_id, entity, read_at in rows
            if athlete_id == athlete.id and entity.startswith("hevy_")
        }
        late = sorted(entity for entity, age in ages.items() if age > after)
        early = sorted(entity for entity, age in ages.items() if age < -CLOCK_MAY_BE_OFF)
        if early:
            told[athlete.id] = (
                f"{', '.join(early)} of the account is dated in the future, so the clock was wrong "
                "or is; run: spotter doctor"
            )
        elif late:
            hours = max(ages.values()).total_seconds() / 3600
            told[athlete.id] = (
                f"{', '.join(late)} of the account {'was' if len(late) == 1 else 'were'} last "
                f"read {hours:.0f} hours ago; run: spotter doctor"
            )
        elif (
            not ages and athlete.id in known and now - known[athlete.id].replace(tzinfo=UTC) > after
        ):
            told[athlete.id] = "the account was never read; run: spotter doctor"
    return told


def _duration(limit: Mapping[str, Any]) -> timedelta:
    if limit["period"] not in _PERIODS:
        raise ValueError(f"dbt knows no period '{limit['period']}'")
    return timedelta(**{f"{limit['period']}s": limit["count"]})
