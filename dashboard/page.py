"""Context of every page."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from coach_agent.domain.units import Unit
from coach_agent.journal.decisions import PlanReport
from coach_agent.profile.model import AthleteProfile
from dashboard.released import Released, Row
from orchestration.config.settings import Settings

OPEN_ATHLETE = "open athlete"
"""Key in the visitor's state: the athlete that a page opens next."""


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

    def rows_of(self, table: str, query: str) -> list[Row]:
        """Return `rows`; empty for a release without the table."""
        return self.rows(query) if table in self.released.manifest.row_counts else []

    def utc(self, moment: datetime) -> datetime:
        """Convert a time of the marts, which is UTC, to an aware one."""
        return moment.replace(tzinfo=UTC)

    @property
    def plan(self) -> PlanReport | None:
        """Return the athlete's next workout; None with an open red flag."""
        return None if self.red_flags else self.released.plan_of(self.athlete_id)

    @property
    def red_flags(self) -> tuple[str, ...]:
        """Return the codes of the athlete's open red flags."""
        return self.released.red_flags_of(self.athlete_id, self.profile)


Show = Callable[[Page], None]
