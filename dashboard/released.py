"""One release with its tables and plans, each read once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import streamlit as st

from coach_agent.journal.decisions import PlanReport
from orchestration.services.release_contents import DATABASE_FILE, PLANS_FILE, RED_FLAGS_FILE
from orchestration.services.release_manifest import Manifest, read_manifest
from orchestration.services.sql_session import open_release
from orchestration.services.stops import Stops, read_stops

Row = dict[str, Any]

_CACHED_ANSWERS = 2_000


@dataclass(frozen=True)
class Released:
    """One release: its numbered folder and its manifest.

    `stops` are the red flags of check-ins, which can be newer than the release.

    The folder is immutable, so a page shows one moment.
    """

    folder: Path
    manifest: Manifest
    stops: Stops | None = None

    def rows(self, query: str, *parameters: str) -> list[Row]:
        """Return the rows of a query on the marts, cached for this release.

        Raises:
            duckdb.Error: the query failed.
        """
        return _rows(str(self.folder), self.manifest.run_id, query, parameters)

    def plan_of(self, athlete_id: str) -> PlanReport | None:
        """Return the athlete's active plan at the release; None without a valid one."""
        if not self.has_valid_plan(athlete_id):
            return None
        plan = _plans(str(self.folder), self.manifest.run_id).get(athlete_id)
        return None if plan is None else PlanReport.model_validate(plan)

    def has_valid_plan(self, athlete_id: str) -> bool:
        """Return False if the athlete's plan is from before a red flag, also a cleared one."""
        flagged_at = None if self.stops is None else self.stops.last_at.get(athlete_id)
        return flagged_at is None or flagged_at <= self.manifest.released_at

    def red_flags_of(self, athlete_id: str) -> tuple[str, ...]:
        """Return the athlete's open red flags as codes, from the newer of both records."""
        if self.stops is not None and self.stops.written_at > self.manifest.released_at:
            return self.stops.red_flags.get(athlete_id, ())
        return tuple(_red_flags(str(self.folder), self.manifest.run_id).get(athlete_id, ()))

    def state_of(self, athlete_id: str) -> str | None:
        """Return the state of the plan's publication; None before it or without a plan."""
        plan = _plans(str(self.folder), self.manifest.run_id).get(athlete_id)
        return None if plan is None else plan["publication_state"]

    def age_s(self, now: datetime) -> float:
        """Return the seconds since the release."""
        return (now - self.manifest.released_at).total_seconds()


def current_release(folder: Path) -> Released | None:
    """Return the current release of the folder; None before the first."""
    here = (folder / "current").resolve()
    manifest = read_manifest(here)
    return None if manifest is None else Released(here, manifest, read_stops(folder))


@st.cache_data(max_entries=_CACHED_ANSWERS, show_spinner=False)
def _rows(folder: str, run_id: str, query: str, parameters: Sequence[str]) -> list[Row]:
    """Query with a cache; `run_id` is part of the key, because a new home restarts the numbers."""
    with open_release(Path(folder) / DATABASE_FILE) as con:
        con.execute(query, list(parameters))
        names = [column[0] for column in con.description or ()]
        return [dict(zip(names, row, strict=True)) for row in con.fetchall()]


@st.cache_data(max_entries=10, show_spinner=False)
def _plans(folder: str, run_id: str) -> dict[str, Any]:
    path = Path(folder) / PLANS_FILE
    # A release from before it included plans.
    plans: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return plans


@st.cache_data(max_entries=10, show_spinner=False)
def _red_flags(folder: str, run_id: str) -> dict[str, list[str]]:
    path = Path(folder) / RED_FLAGS_FILE
    # A release from before red flags.
    found: dict[str, list[str]] = json.loads(path.read_text()) if path.exists() else {}
    return found
