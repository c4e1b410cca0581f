"""States of a publication and their transitions.

| state        | meaning                                                              | final |
| ------------ | -------------------------------------------------------------------- | ----- |
| `previewed`  | dry run: the athlete only gets the difference; nothing was sent      | no    |
| `waiting`    | pending approval by the athlete; nothing was sent                    | no    |
| `approved`   | approved by the athlete; nothing was sent yet                        | no    |
| `withheld`   | blocked: unsafe now; nothing was sent, the next run checks again     | no    |
| `conflict`   | the athlete edited what it changes; nothing was sent                 | no    |
| `publishing` | the intent is recorded; the write may or may not have arrived        | no    |
| `published`  | read back and equal to what was sent                                 | yes   |
| `unchanged`  | the routine already had the plan's content; nothing was sent         | yes   |
| `rejected`   | rejected by the athlete                                              | yes   |
| `expired`    | pending approval until newer data led to another plan                | yes   |
| `superseded` | the write never arrived, and another plan is active now              | yes   |
| `failed`     | Hevy rejected the body, or the routine read back differs from it     | yes   |
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from coach_agent.publishing.routine_changes import Change
from hevy_connector.schemas import JsonObject, RoutineWrite

State = Literal[
    "previewed",
    "waiting",
    "approved",
    "withheld",
    "conflict",
    "publishing",
    "published",
    "unchanged",
    "rejected",
    "expired",
    "superseded",
    "failed",
]
Kind = Literal["plan", "rollback", "withdrawal"]
Target = Literal["update", "new_routine"]
Response = Literal["approved", "rejected", "expired"]

FINAL_STATES: frozenset[State] = frozenset(
    {"published", "unchanged", "rejected", "expired", "superseded", "failed"}
)
# A plan that returns after these is published again; after the other final states it is done.
REOPENED_STATES: frozenset[State] = frozenset({"expired", "superseded"})

_UNSENT: frozenset[State] = frozenset({"previewed", "waiting", "withheld", "conflict"})
_LOOKED_AT: frozenset[State] = _UNSENT | {"publishing", "unchanged", "failed"}
TRANSITIONS: Mapping[State | None, frozenset[State]] = {
    None: _LOOKED_AT | {"approved", "rejected"},
    "previewed": _LOOKED_AT | {"approved", "rejected", "expired"},
    "waiting": _LOOKED_AT | {"approved", "rejected", "expired"},
    "withheld": _LOOKED_AT | {"approved", "rejected", "expired"},
    "conflict": _LOOKED_AT | {"approved", "rejected", "expired"},
    "approved": _LOOKED_AT | {"rejected", "expired"},
    "publishing": _LOOKED_AT | {"published", "superseded"},
    **{state: frozenset() for state in FINAL_STATES},
}
"""Allowed transitions; the same state again records a new reason."""


class TransitionError(Exception):
    """A transition that is not allowed; a bug of this package."""


@dataclass(frozen=True)
class PublicationRow:
    """A stored publication.

    `base` is the routine at the time of the write, `request` the body that was sent. `rolls_back`
    names the first publication that it rolls back, `rolled_back_by` the one that rolled it back.
    `written_routine_id` is the written routine if that is not the plan's own. `made_from` is JSON
    to rebuild the request: the routine `known` to the plan, our texts `written` into it before, and
    the routine `seen` first; None in older rows. `plan_id` is empty for a rollback to content
    without a plan of ours, and the withdrawn plan's id for a withdrawal. `is_new` is True if the
    returning call changed the state.
    """

    publication_id: str
    number: int
    plan_id: str
    athlete_id: str
    routine_id: str
    kind: Kind
    mode: str
    state: State
    base: RoutineWrite | None
    request: RoutineWrite | None
    changes: tuple[Change, ...]
    detail: str
    staged_at: datetime
    effective_at: datetime | None
    finished_at: datetime | None
    run_id: str
    written_routine_id: str | None = None
    target: Target = "update"
    rolls_back: str | None = None
    rolled_back_by: str | None = None
    published_sha256: str | None = None
    made_from: str | None = None
    is_new: bool = field(default=False, compare=False)

    @property
    def is_final(self) -> bool:
        """True if the state cannot change any more."""
        return self.state in FINAL_STATES

    @property
    def was_sent(self) -> bool:
        """True if its write arrived, or may have."""
        return self.effective_at is not None

    @property
    def written_id(self) -> str:
        """The id of the routine that it writes."""
        return self.written_routine_id or self.routine_id


@dataclass(frozen=True)
class Step:
    """The next state of a publication, to be recorded before its next request.

    `stamps` names the times that become the time of the record, however long it was waiting.
    `read_back` is the routine as Hevy returned it, to be stored in the same transaction.
    """

    row: PublicationRow
    reason: str
    stamps: frozenset[Literal["effective_at", "finished_at"]] = frozenset()
    read_back: JsonObject | None = None

    def at(self, now: datetime) -> PublicationRow:
        """Return the row as it is recorded now (UTC)."""
        return replace(
            self.row,
            effective_at=now if "effective_at" in self.stamps else self.row.effective_at,
            finished_at=now if "finished_at" in self.stamps else self.row.finished_at,
        )


Steps = Generator[Step, PublicationRow, PublicationRow]
"""A publication under way: it yields each step, receives the recorded row, and returns the last."""


@dataclass(frozen=True)
class PublicationEvent:
    """A step of a publication: time, transition and reason."""

    happened_at: datetime
    from_state: State | None
    to_state: State
    reason: str
    run_id: str
