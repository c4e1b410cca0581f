"""What every page is given."""

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
"""In the visitor's state: whom a page wants to be opened next."""


@dataclass(frozen=True)
class Page:
    """Whom a page is about, how they read numbers and times, and the release to read.

    `profile` is None for athletes who are in the release but no longer configured. `now` is aware.
    `sees_all` is the coach's: no other visitor gets what is not the athlete's own.
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
        """The rows of a query whose first parameter is the athlete."""
        return self.released.rows(query, self.athlete_id, *parameters)

    def rows_of(self, table: str, query: str) -> list[Row]:
        """As `rows`; none of a release from before there was such a table."""
        return self.rows(query) if table in self.released.manifest.row_counts else []

    def utc(self, moment: datetime) -> datetime:
        """A moment as the marts have it, which is UTC, as an aware one."""
        return moment.replace(tzinfo=UTC)

    @property
    def plan(self) -> PlanReport | None:
        """The athlete's next workout."""
        return self.released.plan_of(self.athlete_id)


Show = Callable[[Page], None]
