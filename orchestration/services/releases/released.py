"""One release with its tables and plans, for readers."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from coach_agent.journal.current_plans import PlanReport
from coach_agent.profile.model import AthleteProfile
from coach_agent.programmes.week_findings import FollowedWeek
from orchestration.services.queries.sql_session import ReleaseMissingError, connect_release
from orchestration.services.releases.newer_plans import NewerPlan, read_newer_plan
from orchestration.services.releases.release_contents import (
    DATABASE_FILE,
    PLANS_FILE,
    PROGRAMMES_FILE,
    RED_FLAGS_FILE,
)
from orchestration.services.releases.release_manifest import Manifest, read_manifest
from orchestration.services.releases.stops import Stops, read_stops

Row = dict[str, Any]


@dataclass(frozen=True)
class Released:
    """One release: its numbered folder and its manifest.

    `stops` are the red flags of check-ins, which can be newer than the release.

    The folder is immutable, and a newer plan of an athlete is read once, so all answers of one
    object about an athlete are of one moment. Its marts stay open from the first query on: opening
    takes ten times as long as a query.
    """

    folder: Path
    manifest: Manifest
    stops: Stops | None = None
    _newer: dict[str, NewerPlan | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def _marts(self) -> duckdb.DuckDBPyConnection:
        return connect_release(self.folder / DATABASE_FILE)

    def rows(self, query: str, *parameters: str) -> list[Row]:
        """Return the rows of a query on the marts.

        Raises:
            duckdb.Error: the query failed.
        """
        with self._marts.cursor() as con:
            con.execute("set TimeZone = 'UTC'")
            con.execute(query, list(parameters))
            names = [column[0] for column in con.description or ()]
            return [dict(zip(names, row, strict=True)) for row in con.fetchall()]

    def plans(self) -> dict[str, Any]:
        """Return the active plans at the release by athlete, as JSON objects."""
        return read_json(self.folder, PLANS_FILE)

    def red_flags(self) -> dict[str, list[str]]:
        """Return the codes of the red flags at the release by athlete."""
        return read_json(self.folder, RED_FLAGS_FILE)

    def programmes(self) -> dict[str, Any]:
        """Return the followed programmes at the release by athlete, as JSON objects."""
        return read_json(self.folder, PROGRAMMES_FILE)

    def programme_of(self, athlete_id: str) -> FollowedWeek | None:
        """Return the athlete's programme with its week at the release; None without one."""
        found = self.programmes().get(athlete_id)
        return None if found is None else FollowedWeek.model_validate(found)

    def plan_of(self, athlete_id: str) -> PlanReport | None:
        """Return the athlete's active plan, at the release or after a newer check-in.

        None without a valid one.
        """
        if not self.has_valid_plan(athlete_id):
            return None
        if (newer := self.newer_plan_of(athlete_id)) is not None:
            return newer.plan
        plan = self.plans().get(athlete_id)
        return None if plan is None else PlanReport.model_validate(plan)

    def has_valid_plan(self, athlete_id: str) -> bool:
        """Return False if the athlete's plan is from before a red flag, also a cleared one."""
        flagged_at = None if self.stops is None else self.stops.last_at.get(athlete_id)
        newer = self.newer_plan_of(athlete_id)
        read_at = self.manifest.released_at if newer is None else newer.written_at
        return flagged_at is None or flagged_at <= read_at

    def newer_plan_of(self, athlete_id: str) -> NewerPlan | None:
        """Return the athlete's plan and check-ins after a check-in that the release lacks."""
        if athlete_id not in self._newer:
            released_at = self.manifest.released_at
            found = read_newer_plan(self.folder.parent, athlete_id, released_at)
            self._newer[athlete_id] = found
        return self._newer[athlete_id]

    def red_flags_of(self, athlete_id: str, profile: AthleteProfile | None) -> tuple[str, ...]:
        """Return the athlete's open red flags as codes: from the newer of both records, and those
        of the profile, which can be newer than both.
        """
        if self.stops is not None and self.stops.written_at > self.manifest.released_at:
            recorded = self.stops.red_flags.get(athlete_id, ())
        else:
            recorded = tuple(self.red_flags().get(athlete_id, ()))
        return tuple(dict.fromkeys((*recorded, *(() if profile is None else profile.red_flags))))

    def state_of(self, athlete_id: str) -> str | None:
        """Return the state of the plan's publication; None before it or without a plan."""
        if (newer := self.newer_plan_of(athlete_id)) is not None:
            return None if newer.plan is None else newer.plan.publication_state
        plan = self.plans().get(athlete_id)
        return None if plan is None else plan["publication_state"]

    def age_s(self, now: datetime) -> float:
        """Return the seconds since the release."""
        return (now - self.manifest.released_at).total_seconds()


def read_release(folder: Path) -> Released | None:
    """Return the current release of the folder; None before the first."""
    here = (folder / "current").resolve()
    manifest = read_manifest(here)
    return None if manifest is None else Released(here, manifest, read_stops(folder))


def require_current_release(folder: Path) -> Released:
    """Return the current release of the folder.

    Raises:
        ReleaseMissingError: there is none yet.
    """
    found = read_release(folder)
    if found is None:
        raise ReleaseMissingError(f"There is no release at {folder} yet. Run: spotter run")
    return found


def read_json(folder: Path, name: str) -> dict[str, Any]:
    """Return a JSON file of a release's folder; empty if an older version did not write it."""
    path = folder / name
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found
