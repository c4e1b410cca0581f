"""Proposals: decided once, valid for a day, and of one athlete alone."""

from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from coach_agent.store.proposals import (
    MOST_OPEN,
    VALID_FOR,
    ProposalError,
    decide_proposal,
    finish_proposal,
    is_open,
    read_proposals,
    record_proposal,
)
from hevy_connector.raw.transactions import run_in_transaction
from orchestration.storage.warehouse import open_warehouse
from tests.coach.builders import NOW

ACTION = '{"kind":"approve","athlete_id":"ann","plan_id":"p"}'


def test_a_proposal_is_open_for_a_day_and_decided_once(tmp_path: Path) -> None:
    with open_warehouse(tmp_path / "warehouse.duckdb") as con:
        made = record_proposal(con, "ann", ACTION, proposed_by="mcp", plan_id="p", now=NOW)
        assert (made.number, made.state, made.expires_at) == (1, "open", NOW + VALID_FOR)
        assert is_open(made, NOW + VALID_FOR - timedelta(seconds=1))
        assert not is_open(made, NOW + VALID_FOR)
        decide_proposal(con, "ann", 1, "accepted", now=NOW)
        for state in ("accepted", "refused"):
            with pytest.raises(ProposalError, match="no longer open"):
                decide_proposal(con, "ann", 1, state, now=NOW)
        finish_proposal(con, "ann", 1, "failed", "Hevy did not answer.", now=NOW)
        [done] = read_proposals(con, "ann")
        assert (done.state, done.detail, done.action) == ("failed", "Hevy did not answer.", ACTION)


def test_a_decision_about_two_proposals_of_one_number_is_rolled_back(tmp_path: Path) -> None:
    """A lake has no keys."""
    with open_warehouse(tmp_path / "warehouse.duckdb") as con:
        record_proposal(con, "ann", ACTION, proposed_by="rules", plan_id=None, now=NOW)
        con.execute("create or replace table coach.proposals as from coach.proposals")
        con.execute("insert into coach.proposals from coach.proposals")
        decide = partial(decide_proposal, con, "ann", 1, "accepted", now=NOW)
        with pytest.raises(ProposalError):
            run_in_transaction(con, decide)
        assert [each.state for each in read_proposals(con, "ann")] == ["open", "open"]


def test_numbers_are_those_of_the_athlete(tmp_path: Path) -> None:
    with open_warehouse(tmp_path / "warehouse.duckdb") as con:
        for athlete in ("ann", "bob"):
            record_proposal(con, athlete, ACTION, proposed_by="rules", plan_id=None, now=NOW)
        decide_proposal(con, "ann", 1, "refused", now=NOW)
        assert [each.state for each in read_proposals(con, "bob")] == ["open"]


def test_an_equal_open_proposal_is_not_repeated_and_the_list_is_limited(tmp_path: Path) -> None:
    with open_warehouse(tmp_path / "warehouse.duckdb") as con:

        def record(number: int, hours: int = 0) -> int:
            action = f'{{"number":{number}}}'
            now = NOW + timedelta(hours=hours)
            return record_proposal(
                con, "ann", action, proposed_by="mcp", plan_id="p", now=now
            ).number

        assert [record(each) for each in (1, 1, 2, 1)] == [1, 1, 2, 1]
        for number in range(3, MOST_OPEN + 1):
            record(number)
        with pytest.raises(ProposalError, match="20 proposals are open"):
            record(99)
        assert record(1, hours=25) == MOST_OPEN + 1
