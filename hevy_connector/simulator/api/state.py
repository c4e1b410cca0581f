"""State of a simulated account as a value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hevy_connector.simulator.api.records import Json


@dataclass(frozen=True)
class AccountState:
    """Snapshot of an account, every object in its read format.

    `seed` determines the ids of later writes, of which `ids_given` are already in use.
    `deleted_workouts` holds the deletion time of each deleted workout, and `written_at` the time of
    the last write (None if there was none since the account was created).
    """

    seed: int
    user: Json
    folders: Sequence[Json] = ()
    routines: Sequence[Json] = ()
    workouts: Sequence[Json] = ()
    measurements: Sequence[Json] = ()
    custom_templates: Sequence[Json] = ()
    deleted_workouts: Mapping[str, str] = field(default_factory=dict)
    ids_given: int = 0
    written_at: str | None = None
