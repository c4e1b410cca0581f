"""What an account holds, as a value: where a simulation starts and what it leaves behind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hevy_connector.simulator.api.records import Json


@dataclass(frozen=True)
class AccountState:
    """What an account holds at one moment, every object in the shape in which it is read.

    `seed` decides the ids of what is written later, of which `ids_given` are already in use.
    `deleted_workouts` tells when each workout that is gone was deleted, and `written_at` when
    anything was written last (None if nothing was since the account was made).
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
