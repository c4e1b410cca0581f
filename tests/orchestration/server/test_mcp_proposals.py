"""Tools that propose: enabled one by one, on both transports and in both eras; none acts."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import anyio
import pytest

from coach_agent.asking.wish import WishKind
from coach_agent.store.proposals import MOST_OPEN, read_proposals, record_proposal
from orchestration.config.settings import Settings
from orchestration.services.answers.proposals import ProposalError, accept
from orchestration.services.releases.own_marts import OwnMarts
from orchestration.services.releases.release_contents import PLANS_FILE
from orchestration.services.requests.athlete_requests import CheckIn, read_request
from orchestration.storage.warehouse import open_warehouse
from tests.orchestration.server.mcp_clients import (
    Mode,
    client_of,
    http_client_of,
    server_of,
    token_of,
)
from tests.orchestration.server.mcp_home import CALLS, write_home
from tests.orchestration.server.test_mcp import MODES, over_http
from tests.orchestration.services.answers.scenario import NOW

if TYPE_CHECKING:
    from mcp import Client

KINDS: tuple[WishKind, ...] = get_args(WishKind)
PROPOSALS: dict[str, tuple[dict[str, Any], str]] = {
    "propose_check_in": (
        {"minutes": 30, "energy": "low", "pains": ["left knee:mild"], "is_easy": True},
        "Check in: energy low; 30 minutes; pain left knee, mild; an easy workout.",
    ),
    "propose_swap": (
        {"exercise": "bench press barbell", "substitute": "squat"},
        "Allow Squat (Barbell) as the first substitute for Bench Press (Barbell).",
    ),
    "propose_approve": ({}, "Publish the plan that waits for your approval."),
    "propose_exclude_workout": (
        {},
        "Leave workout Push, Tue 10 Mar 2026 out of all analysis.",
    ),
    "propose_accept_sets": (
        {"exercise": "squat"},
        "Accept all doubted sets of Squat (Barbell) as real.",
    ),
    "propose_what_if": (
        {"programme": "gzclp"},
        "Try gzclp on your own training; it changes nothing.",
    ),
    "propose_programme": ({"programme": "5/3/1"}, "Follow the programme 531 from today on."),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    found = write_home(tmp_path_factory.mktemp("mcp"))
    plans = found.release_folder / "current" / PLANS_FILE
    plans.write_text(plans.read_text().replace("plan of ", "plan_of_"))
    return replace(found, mcp_proposals=KINDS)


@pytest.fixture
def settings(home: Settings) -> Settings:
    """The home without proposals of the test before."""
    with open_warehouse(home.warehouse) as con:
        con.execute("delete from coach.proposals")
    return home


@pytest.fixture(scope="module")
def own_marts() -> Iterator[OwnMarts]:
    found = OwnMarts()
    yield found
    found.close()


@pytest.fixture(autouse=True)
def ran(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The commands that ran: none may."""
    commands: list[Any] = []
    others = subprocess.run

    def run(command: Any, **options: Any) -> Any:
        if Path(command[0]).name != "spotter":
            return others(command, **options)
        commands.append(command)
        raise AssertionError(command)

    monkeypatch.setattr(subprocess, "run", run)
    return commands


def proposals(settings: Settings, athlete: str) -> list[tuple[str, str, str]]:
    """Return kind, athlete of the action and state of each proposal."""
    with open_warehouse(settings.warehouse, read_only=True) as con:
        found = read_proposals(con, athlete)
    assert {each.proposed_by for each in found} <= {"mcp"}
    requests = [read_request(each.action) for each in found]
    return [
        (request.kind, request.athlete_id, each.state)
        for each, request in zip(found, requests, strict=True)
    ]


async def propose_all(client: "Client") -> dict[str, Any]:
    tools = {each.name: each for each in (await client.list_tools()).tools}
    assert tools.keys() == CALLS.keys() | PROPOSALS.keys()
    found = {}
    for name, (arguments, _) in PROPOSALS.items():
        hints = tools[name].annotations
        assert hints is not None
        assert (hints.read_only_hint, hints.destructive_hint) == (False, False)
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result.content
        found[name] = result.structured_content
    return found


@pytest.mark.parametrize("mode", MODES)
def test_each_tool_proposes_and_none_acts(
    settings: Settings, own_marts: OwnMarts, ran: list[Any], mode: Mode
) -> None:
    server = server_of(settings, "ann", own_marts)

    async def check() -> None:
        async with client_of(server, mode) as client:
            first = await propose_all(client)
            for number, (name, (_, text)) in enumerate(PROPOSALS.items(), start=1):
                assert first[name]["text"] == text
                assert first[name]["accept"] == f"spotter ask --accept {number} --athlete ann"
            # A lost answer is asked for again: nothing is proposed twice.
            assert await propose_all(client) == first

    anyio.run(check)
    assert [state for _, _, state in proposals(settings, "ann")] == ["open"] * 7
    assert (proposals(settings, "bob"), ran) == ([], [])


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
def test_over_http_a_token_proposes_for_its_own_athlete_alone(
    settings: Settings, own_marts: OwnMarts, ran: list[Any], mode: Mode
) -> None:
    async def check() -> None:
        token = f"Bearer {token_of(settings, 'ann')}"
        async with (
            over_http(settings, own_marts, authorization=token) as http,
            http_client_of(http, mode) as client,
        ):
            found = await propose_all(client)
            assert "777" not in json.dumps(found)
            for name, (arguments, _) in PROPOSALS.items():
                for extra in ({"athlete_id": "bob"}, {"athlete": "bob"}):
                    await client.call_tool(name, {**arguments, **extra})
            result = await client.call_tool(
                "propose_swap", {"exercise": "bench press", "substitute": "Sled 777"}
            )
            assert result.is_error

    anyio.run(check)
    assert {athlete for _, athlete, _ in proposals(settings, "ann")} == {"ann"}
    assert (proposals(settings, "bob"), ran) == ([], [])
    with pytest.raises(ProposalError, match="There is no proposal 1"):
        accept(settings, "bob", 1, lambda line: None, lambda: NOW)


@pytest.mark.parametrize("mode", get_args(Mode))
@pytest.mark.parametrize("enabled", [(), ("swap",), ("approve", "what_if")])
def test_only_enabled_tools_exist(
    settings: Settings, own_marts: OwnMarts, mode: Mode, enabled: tuple[str, ...]
) -> None:
    server = server_of(replace(settings, mcp_proposals=enabled), "ann", own_marts)

    async def check() -> None:
        async with client_of(server, mode) as client:
            names = {each.name for each in (await client.list_tools()).tools}
            assert names - CALLS.keys() == {f"propose_{each}" for each in enabled}

    anyio.run(check)


ODD: tuple[tuple[str, dict[str, Any]], ...] = (
    ("propose_check_in", {}),
    ("propose_check_in", {"pains": ["chest:severe"]}),
    ("propose_check_in", {"pains": ["x" * 5000]}),
    ("propose_check_in", {"pains": ["--athlete=bob"]}),
    ("propose_check_in", {"minutes": -1}),
    ("propose_check_in", {"energy": "\x00"}),
    ("propose_swap", {"exercise": "bench press", "substitute": "bench press"}),
    ("propose_swap", {"exercise": "'; drop table coach.proposals; --", "substitute": "squat"}),
    ("propose_programme", {"programme": "../../.env"}),
    ("propose_what_if", {}),
    ("propose_accept_sets", {"exercise": ""}),
)


@pytest.mark.parametrize(("tool", "arguments"), ODD)
def test_odd_arguments_propose_nothing(
    settings: Settings, own_marts: OwnMarts, ran: list[Any], tool: str, arguments: dict[str, Any]
) -> None:
    server = server_of(settings, "ann", own_marts)

    async def check() -> None:
        async with client_of(server) as client:
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            assert "Traceback" not in str(result.content)

    anyio.run(check)
    assert (proposals(settings, "ann"), ran) == ([], [])


def test_an_assistant_cannot_flood_the_list(settings: Settings, own_marts: OwnMarts) -> None:
    server = server_of(settings, "ann", own_marts)
    with open_warehouse(settings.warehouse) as con:
        for minutes in range(30, 30 + MOST_OPEN - 1):
            action = CheckIn(athlete_id="ann", minutes=minutes).model_dump_json()
            now = datetime.now(UTC)
            record_proposal(con, "ann", action, proposed_by="mcp", plan_id=None, now=now)

    async def check() -> None:
        async with client_of(server) as client:
            result = await client.call_tool("propose_check_in", {"minutes": 100})
            assert not result.is_error, result.content
            result = await client.call_tool("propose_check_in", {"minutes": 200})
            assert "20 proposals are open" in str(result.content)

    anyio.run(check)
    assert len(proposals(settings, "ann")) == MOST_OPEN
