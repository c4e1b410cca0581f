"""Content of a file of recovery data in any format."""

from dataclasses import dataclass

from health_connector.days import HealthDay, Metric
from health_connector.sessions import Session


@dataclass(frozen=True)
class HealthFile:
    """Days and sessions of a file.

    A day replaces the known values of its own metrics and of the `covered` ones. `ignored_columns`
    are those of a CSV. `unread` names each part or row that was left out, with the reason; `notes`
    are choices, such as that between two apps that disagree. A complete file is of one source, and
    has all of it between its first and its last record.
    """

    days: tuple[HealthDay, ...]
    covered: frozenset[Metric]
    ignored_columns: tuple[str, ...] = ()
    sessions: tuple[Session, ...] = ()
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_complete: bool = False

    @property
    def records(self) -> tuple[HealthDay | Session, ...]:
        """Return the days, then the sessions."""
        return (*self.days, *self.sessions)
