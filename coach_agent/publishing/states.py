"""How far a publication is, and what may follow.

| state        | meaning                                                              | final |
| ------------ | -------------------------------------------------------------------- | ----- |
| `previewed`  | the athlete only wants to see the difference; nothing was sent       | no    |
| `waiting`    | the athlete has to approve it; nothing was sent                      | no    |
| `approved`   | the athlete wants it; nothing was sent yet                           | no    |
| `withheld`   | it is not safe now; nothing was sent, the next run looks again       | no    |
| `conflict`   | the athlete edited what it changes; nothing was sent                 | no    |
| `publishing` | the intent is recorded; the write may or may not have arrived        | no    |
| `published`  | read back and equal to what was sent                                 | yes   |
| `unchanged`  | the routine already said what the plan says; nothing was sent        | yes   |
| `rejected`   | the athlete does not want it                                         | yes   |
| `expired`    | it waited for the athlete until newer data made another plan         | yes   |
| `superseded` | the write never arrived, and meanwhile another plan stands           | yes   |
| `failed`     | Hevy refused the body, or what was read back is not what was sent    | yes   |
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from coach_agent.publishing.routine_changes import Change
from hevy_connector.schemas import RoutineWrite

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

FINAL_STATES: frozenset[State] = frozenset(
    {"published", "unchanged", "rejected", "expired", "superseded", "failed"}
)
# A plan that returns after these is published anew; after the other final states it is done.
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
"""What may follow a state; the same state again is a new word about it."""


class TransitionError(Exception):
    """A publication cannot come from its state into that one; a fault of ours."""


@dataclass(frozen=True)
class PublicationRow:
    """A publication as it is recorded.

    `base` is the routine as it was when it was sent, `request` what was sent. `rolls_back` names
    the first publication that it takes back, `rolled_back_by` the one that took it back.
    `written_routine_id` is the routine that was written where that is not the plan's own.
    `made_from` is JSON, from which the request is rebuilt: the routine `known` to the plan, our own
    words `written` into it before, and the routine `seen` first; None in older rows.
    `plan_id` is empty for a rollback to what no plan of ours had made, and the withdrawn plan's id
    for a withdrawal. `is_new` says whether the
    call that answers it brought it into this state.
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
        """Whether nothing will happen to it any more."""
        return self.state in FINAL_STATES

    @property
    def was_sent(self) -> bool:
        """Whether its write arrived, or may have."""
        return self.effective_at is not None

    @property
    def written_id(self) -> str:
        """The routine that it writes."""
        return self.written_routine_id or self.routine_id


@dataclass(frozen=True)
class PublicationEvent:
    """A step of a publication: when, from where to where, and why."""

    happened_at: datetime
    from_state: State | None
    to_state: State
    reason: str
    run_id: str
