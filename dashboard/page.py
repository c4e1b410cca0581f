"""Context of every page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import streamlit as st

from coach_agent.domain.units import Unit
from coach_agent.journal.current_plans import PlanReport
from coach_agent.profile.model import AthleteProfile
from dashboard.released import Released, Row
from orchestration.config.settings import Settings

OPEN_ATHLETE = "open athlete"
"""Key in the visitor's state: the athlete that a page opens next."""

_PUBLISHED = "select 1 from fct_prescription_outcome where athlete_id = $1 limit 1"


@dataclass(frozen=True)
class Page:
    """Athlete, unit, time zone and release of a page.

    `profile` is None for athletes who are in the release but no longer configured. `now` is aware.
    `sees_all` is the coach's: other visitors get only their own data.
    """

    settings: Settings
    released: Released
    athlete_id: str
    name: str
    zone: ZoneInfo
    unit: Unit
    profile: AthleteProfile | None
    now: datetime
    sees_all: bool = True

    def rows(self, query: str, *parameters: str) -> list[Row]:
        """Return the rows of a query with the athlete as its first parameter."""
        return self.released.rows(query, self.athlete_id, *parameters)

    def rows_of(self, table: str, query: str, *parameters: str) -> list[Row]:
        """Return `rows`; empty for a release without the table."""
        return self.rows(query, *parameters) if table in self.released.manifest.row_counts else []

    def utc(self, moment: datetime) -> datetime:
        """Convert a time of the marts, which is UTC, to an aware one."""
        return moment.replace(tzinfo=UTC)

    @property
    def today(self) -> date:
        """Return the athlete's date."""
        return self.now.astimezone(self.zone).date()

    @property
    def plan(self) -> PlanReport | None:
        """Return the athlete's next workout; None with an open red flag."""
        return None if self.red_flags else self.released.plan_of(self.athlete_id)

    @property
    def has_published(self) -> bool:
        """Return whether a plan of the athlete came into force."""
        return bool(self.rows(_PUBLISHED))

    @property
    def red_flags(self) -> tuple[str, ...]:
        """Return the codes of the athlete's open red flags."""
        return self.released.red_flags_of(self.athlete_id, self.profile)


def choose_part(parts: Sequence[str]) -> str:
    """Draw the choice of a part of the page, which is in its address, and return it."""
    chosen = st.segmented_control(
        "Part of the page",
        parts,
        default=parts[0],
        required=True,
        key="part",
        label_visibility="collapsed",
        bind="query-params",
    )
    return chosen or parts[0]


def choose_exercise(label: str, titles: Mapping[str, str]) -> str | None:
    """Draw the choice of an exercise, and return its key; `titles` are by key."""
    return st.selectbox(
        label,
        list(titles),
        index=None,
        format_func=titles.__getitem__,
        placeholder=label,
        label_visibility="collapsed",
    )


Show = Callable[[Page], None]
