"""What the dashboard knows: one release, its tables and its plans, each read once."""

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
    """One release: the numbered folder that holds it and what its manifest says.

    `stops` are the red flags of check-ins, which can be newer than the release.

    The folder stays what it is when a newer release comes, so that a page is of one moment.
    """

    folder: Path
    manifest: Manifest
    stops: Stops | None = None

    def rows(self, query: str, *parameters: str) -> list[Row]:
        """The rows of a query on the marts, cached as long as this release is shown.

        Raises:
            duckdb.Error: the query cannot be answered.
        """
        return _rows(str(self.folder), self.manifest.run_id, query, parameters)

    def plan_of(self, athlete_id: str) -> PlanReport | None:
        """The plan that stood for the athlete at the release; None without a valid one."""
        if not self.has_valid_plan(athlete_id):
            return None
        plan = _plans(str(self.folder), self.manifest.run_id).get(athlete_id)
        return None if plan is None else PlanReport.model_validate(plan)

    def has_valid_plan(self, athlete_id: str) -> bool:
        """Return False if the athlete's plan is from before a red flag, also a cleared one."""
        flagged_at = None if self.stops is None else self.stops.last_at.get(athlete_id)
        return flagged_at is None or flagged_at <= self.manifest.released_at

    def red_flags_of(self, athlete_id: str) -> tuple[str, ...]:
        """Codes of the athlete's red flags that are not cleared, by the newer of both records."""
        if self.stops is not None and self.stops.written_at > self.manifest.released_at:
            return self.stops.red_flags.get(athlete_id, ())
        return tuple(_red_flags(str(self.folder), self.manifest.run_id).get(athlete_id, ()))

    def state_of(self, athlete_id: str) -> str | None:
        """How far the publication of the athlete's plan is; None before it or without a plan."""
        plan = _plans(str(self.folder), self.manifest.run_id).get(athlete_id)
        return None if plan is None else plan["publication_state"]

    def age_s(self, now: datetime) -> float:
        """Seconds since it was released."""
        return (now - self.manifest.released_at).total_seconds()


def current_release(folder: Path) -> Released | None:
    """The release that readers of the folder have at this moment; None before the first."""
    here = (folder / "current").resolve()
    manifest = read_manifest(here)
    return None if manifest is None else Released(here, manifest, read_stops(folder))


@st.cache_data(max_entries=_CACHED_ANSWERS, show_spinner=False)
def _rows(folder: str, run_id: str, query: str, parameters: Sequence[str]) -> list[Row]:
    """`run_id` is part of the key: a home that is made anew begins again with the same number."""
    with open_release(Path(folder) / DATABASE_FILE) as con:
        con.execute(query, list(parameters))
        names = [column[0] for column in con.description or ()]
        return [dict(zip(names, row, strict=True)) for row in con.fetchall()]


@st.cache_data(max_entries=10, show_spinner=False)
def _plans(folder: str, run_id: str) -> dict[str, Any]:
    path = Path(folder) / PLANS_FILE
    # A release of before plans were part of one.
    plans: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return plans


@st.cache_data(max_entries=10, show_spinner=False)
def _red_flags(folder: str, run_id: str) -> dict[str, list[str]]:
    path = Path(folder) / RED_FLAGS_FILE
    # A release of before there were red flags.
    found: dict[str, list[str]] = json.loads(path.read_text()) if path.exists() else {}
    return found
