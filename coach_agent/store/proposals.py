"""Proposed actions: stored until the athlete accepts or refuses them, or they expire.

A proposal changes its state once: from "open" to "accepted" or "refused". An accepted one becomes
"done" or "failed". Callers write in a transaction, which an error rolls back. All times are UTC.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

import duckdb

from coach_agent.domain.values import Value, naive_utc
from hevy_connector.schemas import UtcTime

ProposalState = Literal["open", "accepted", "refused", "done", "failed"]

VALID_FOR = timedelta(hours=24)
"""Time to accept a proposal: the plan that it is about is usually replaced by the next night."""

MOST_OPEN = 20
"""Open proposals of an athlete; more are refused, so that no assistant floods the list."""


class ProposalError(Exception):
    """A proposal cannot be stored or decided; the text gives the reason."""


class Proposal(Value):
    """A proposed action as JSON. `plan_id` is the active plan at that time, null without one.

    `proposed_by` is "rules", "mcp", or provider and model.
    """

    number: int
    proposed_at: UtcTime
    expires_at: UtcTime
    proposed_by: str
    plan_id: str | None
    action: str
    state: ProposalState
    decided_at: UtcTime | None = None
    detail: str | None = None


def record_proposal(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    action: str,
    *,
    proposed_by: str,
    plan_id: str | None,
    now: datetime,
) -> Proposal:
    """Store an open proposal; an equal one that is still open is returned instead.

    Raises:
        ProposalError: too many are open.
    """
    # In a lake inserts never conflict, but changes of one row do: of two writers one retries.
    con.execute(
        """
        update coach.proposals set detail = detail
        where athlete_id = $1 and proposal_number = (
            select max(proposal_number) from coach.proposals where athlete_id = $1
        )
        """,
        [athlete_id],
    )
    still_open = [each for each in read_proposals(con, athlete_id) if is_open(each, now)]
    for each in still_open:
        if (each.action, each.plan_id) == (action, plan_id):
            return each
    if len(still_open) >= MOST_OPEN:
        raise ProposalError(
            f"{MOST_OPEN} proposals are open. Accept or refuse some: spotter ask --proposals"
        )
    con.execute(
        """
        insert into coach.proposals by name
        select
            $1 as athlete_id,
            (
                select coalesce(max(proposal_number), 0) + 1 from coach.proposals
                where athlete_id = $1
            ) as proposal_number,
            $2::timestamp as proposed_at, $3::timestamp as expires_at, $4 as proposed_by,
            $5 as plan_id, $6::json as action, 'open' as state
        """,
        [
            *(athlete_id, naive_utc(now), naive_utc(now + VALID_FOR), proposed_by),
            *(plan_id, action),
        ],
    )
    return read_proposals(con, athlete_id)[-1]


def read_proposals(con: duckdb.DuckDBPyConnection, athlete_id: str) -> Sequence[Proposal]:
    """Return the athlete's proposals, oldest first."""
    found = con.execute(
        """
        select
            proposal_number as number, proposed_at, expires_at, proposed_by, plan_id, action, state,
            decided_at, detail
        from coach.proposals where athlete_id = $1 order by proposal_number
        """,
        [athlete_id],
    )
    names = [column[0] for column in found.description or ()]
    rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    for row in rows:
        for name in ("proposed_at", "expires_at", "decided_at"):
            row[name] = None if row[name] is None else row[name].replace(tzinfo=UTC)
    return [Proposal(**row) for row in rows]


def is_open(proposal: Proposal, now: datetime) -> bool:
    """Return whether a proposal can still be accepted."""
    return proposal.state == "open" and now < proposal.expires_at


def decide_proposal(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    number: int,
    state: Literal["accepted", "refused"],
    *,
    now: datetime,
) -> None:
    """Change an open proposal to its decided state; it can be decided once.

    Raises:
        ProposalError: it is no longer open.
    """
    _set_state(con, athlete_id, number, "open", state, now, None)


def finish_proposal(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    number: int,
    state: Literal["done", "failed"],
    detail: str | None,
    *,
    now: datetime,
) -> None:
    """Record the result of an accepted proposal.

    Raises:
        ProposalError: it is not accepted, or finished already.
    """
    _set_state(con, athlete_id, number, "accepted", state, now, detail)


def _set_state(
    con: duckdb.DuckDBPyConnection,
    athlete_id: str,
    number: int,
    before: ProposalState,
    state: ProposalState,
    now: datetime,
    detail: str | None,
) -> None:
    changed: list[tuple[int]] = con.execute(
        """
        update coach.proposals set state = $4, decided_at = $5, detail = $6
        where athlete_id = $1 and proposal_number = $2 and state = $3
        """,
        [athlete_id, number, before, state, naive_utc(now), detail],
    ).fetchall()
    if changed[0][0] != 1:
        raise ProposalError(f"Proposal {number} is no longer {before}.")
