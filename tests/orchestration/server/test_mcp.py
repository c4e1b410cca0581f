"""The MCP server reads for one athlete: every tool, both protocol eras, both transports."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import anyio
import httpx2
import pytest

from coach_agent.memory.memories import Statement
from coach_agent.store.briefings import record_briefings
from coach_agent.store.memories import forget, record_versions
from orchestration.config.settings import Settings
from orchestration.services.answers.pages import CursorError, page_of
from orchestration.services.releases.own_marts import OwnMarts
from orchestration.storage.warehouse import open_warehouse
from tests.all_commands import imported
from tests.end_to_end.world import ROOT
from tests.orchestration.server.mcp_clients import (
    URL,
    Mode,
    client_of,
    http_client_of,
    server_of,
    token_of,
)
from tests.orchestration.server.mcp_home import (
    CALLS,
    OF_ANN,
    briefing_of,
    memory_of,
    settings_of,
    write_home,
)
from tests.orchestration.services.answers.scenario import NOW, plan_of, write_release
from tests.warehouse.scratch import ScratchWarehouse

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

MODES = (
    pytest.param("auto"),
    # The same tools by the messages of an earlier protocol; a quick test opens it once.
    pytest.param("legacy", marks=pytest.mark.long),
)
MOST_TOKENS = 2_000
CHARACTERS_PER_TOKEN = 4


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return write_home(tmp_path_factory.mktemp("mcp"))


@pytest.fixture(scope="module")
def own_marts() -> Iterator[OwnMarts]:
    found = OwnMarts()
    yield found
    found.close()


@pytest.fixture(scope="module")
def server(settings: Settings, own_marts: OwnMarts) -> "MCPServer[Any]":
    return server_of(settings, "ann", own_marts)


def _json(result: Any) -> str:
    return json.dumps(result.model_dump(mode="json", by_alias=True, exclude_none=True))


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_answers_for_its_athlete_in_few_tokens(
    server: "MCPServer[Any]", mode: Mode
) -> None:
    async def check() -> None:
        async with client_of(server, mode) as client:
            tools = (await client.list_tools()).tools
            assert {tool.name for tool in tools} == set(CALLS)
            # The descriptions are in each conversation.
            assert sum(len(_json(tool)) for tool in tools) < 5_000 * CHARACTERS_PER_TOKEN
            for tool in tools:
                assert tool.annotations is not None
                assert tool.annotations.read_only_hint is True
                result = await client.call_tool(tool.name, CALLS[tool.name])
                assert not result.is_error, result.content
                text = json.dumps(result.structured_content, ensure_ascii=False)
                assert OF_ANN[tool.name] in text
                assert "777" not in _json(result)
                assert len(_json(result)) < MOST_TOKENS * CHARACTERS_PER_TOKEN

    anyio.run(check)


@pytest.mark.parametrize("mode", get_args(Mode))
def test_pages_have_every_row_once(server: "MCPServer[Any]", mode: Mode) -> None:
    async def check() -> None:
        async with client_of(server, mode) as client:
            found: list[str] = []
            cursor: str | None = None
            while True:
                sql = "select set_key from fct_set order by set_key"
                result = await client.call_tool("query", {"sql": sql, "limit": 7, "cursor": cursor})
                assert result.structured_content is not None
                found += [row[0] for row in result.structured_content["rows"]]
                cursor = result.structured_content["next_cursor"]
                if cursor is None:
                    break
            # Ann's 20 sets.
            assert (len(found), found) == (20, sorted(set(found)))

    anyio.run(check)


@pytest.mark.parametrize("mode", MODES)
def test_resources_and_prompts_are_listed_and_read(server: "MCPServer[Any]", mode: Mode) -> None:
    async def check() -> None:
        async with client_of(server, mode) as client:
            listed = (await client.list_resources()).resources
            texts = {}
            for each in (*(str(one.uri) for one in listed), "spotter://marts/fct_set"):
                [content] = (await client.read_resource(each)).contents
                texts[each] = getattr(content, "text", "")
            assert "2 × 5 @ 105 kg" in texts["spotter://plan"]
            assert texts["spotter://briefing"] == "Good morning, ann"
            assert "`fct_set`" in texts["spotter://marts"]
            assert "`weight_kg` DOUBLE" in texts["spotter://marts/fct_set"]
            assert "777" not in "".join(texts.values())
            prompts = {each.name for each in (await client.list_prompts()).prompts}
            assert prompts == {"review_week", "explain_stall"}
            prompt = await client.get_prompt("explain_stall", {"exercise": "bench"})
            assert "bench" in prompt.model_dump_json()

    anyio.run(check)


ODD: tuple[Any, ...] = (
    *("", "\x00", "../../etc/passwd", "' or athlete_id = 'bob' --", "bob", "💪" * 99, "{{7*7}}"),
    *(-1, 10**30, 1.5, True, None, [], {"a": 1}, "NaN"),
)


@pytest.mark.long
def test_odd_arguments_are_refused_in_a_sentence_and_leak_nothing(
    server: "MCPServer[Any]",
) -> None:
    async def check() -> None:
        async with client_of(server) as client:
            for tool in (await client.list_tools()).tools:
                names = [name for name in tool.input_schema["properties"] if name != "sql"]
                for place, name in enumerate(names):
                    for odd in ODD[place % 5 :: 5]:
                        arguments = {**CALLS[tool.name], name: odd}
                        if tool.name == "query":
                            arguments["sql"] = "select 1"
                        told = _json(await client.call_tool(tool.name, arguments))
                        assert "777" not in told, (tool.name, arguments)
                        # An unexpected error has no reason behind the name of the tool.
                        assert f'"Error executing tool {tool.name}"' not in told, arguments

    anyio.run(check)


STATEMENTS = (
    "select * from read_text('/etc/passwd')",
    "attach '/tmp/other.duckdb' as other",
    "copy fct_set to '/tmp/stolen.csv'",
    "set enable_external_access = true; select * from read_text('/etc/hostname')",
    "set memory_limit = '64GB'",
    "drop table fct_set",
    "install httpfs",
    "select 'unfinished",
)


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda each: each[:20].strip("\x00"))
def test_a_statement_reaches_nothing_but_the_own_rows(
    server: "MCPServer[Any]", statement: str
) -> None:
    async def check() -> None:
        async with client_of(server) as client:
            result = await client.call_tool("query", {"sql": statement})
            assert result.is_error, result
            told = _json(result)
            assert "root:" not in told
            # Refused, not ended by a limit.
            assert "crashed" not in told
            assert "took longer" not in told

    anyio.run(check)


def test_no_table_of_a_query_has_a_row_of_another_athlete(
    settings: Settings, server: "MCPServer[Any]"
) -> None:
    async def check() -> None:
        async with client_of(server) as client:
            of_athletes = "from duckdb_columns() where column_name = 'athlete_id'"
            sql = f"select distinct table_name {of_athletes}"
            result = await client.call_tool("query", {"sql": sql, "limit": 50})
            assert result.structured_content is not None
            tables = [row[0] for row in result.structured_content["rows"]]
            assert "fct_set" in tables
            union = " union all ".join(f"select athlete_id from {each}" for each in tables)
            sql = f"select distinct athlete_id from ({union})"
            result = await client.call_tool("query", {"sql": sql})
            assert result.structured_content is not None
            assert result.structured_content["rows"] == [["ann"]]

    anyio.run(check)


@asynccontextmanager
async def over_http(
    settings: Settings, own_marts: OwnMarts, **headers: str
) -> AsyncIterator[httpx2.AsyncClient]:
    from orchestration.server.mcp_server import http_app

    app = http_app(settings, ("ann", "bob"), own_marts, 8713)
    inner = app._app  # type: ignore[attr-defined]
    async with (
        inner.router.lifespan_context(inner),
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=app), base_url=URL, headers=headers, timeout=60
        ) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", MODES)
def test_over_http_the_token_identifies_the_athlete(
    settings: Settings, own_marts: OwnMarts, mode: Mode
) -> None:
    async def answers(athlete: str) -> dict[str, str]:
        token = f"Bearer {token_of(settings, athlete)}"
        async with (
            over_http(settings, own_marts, authorization=token) as http,
            http_client_of(http, mode) as client,
        ):
            assert {each.name for each in (await client.list_tools()).tools} == set(CALLS)
            return {
                name: _json(await client.call_tool(name, arguments))
                for name, arguments in CALLS.items()
            }

    async def check() -> None:
        ann, bob = await answers("ann"), await answers("bob")
        assert [name for name, text in ann.items() if "777" in text] == []
        of_bob = {name for name, text in bob.items() if "777" in text}
        own = {"get_next_workout", "get_memories", "search_notes", "get_briefing", "query"}
        assert of_bob >= own

    anyio.run(check)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"host": "evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
    ],
)
def test_a_request_without_token_or_of_another_site_is_refused(
    settings: Settings, own_marts: OwnMarts, headers: dict[str, str], status: int
) -> None:
    right = {} if status == 401 else {"authorization": f"Bearer {token_of(settings, 'ann')}"}

    async def check() -> int:
        async with over_http(settings, own_marts, **right) as http:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
            accept = {"accept": "application/json, text/event-stream"}
            answer = await http.post("/mcp", json=body, headers={**accept, **headers})
            assert "777" not in answer.text
            return answer.status_code

    assert anyio.run(check) == status


def test_a_forgotten_memory_is_not_served(tmp_path: Path, own_marts: OwnMarts) -> None:
    write_release(tmp_path / "home")
    settings = settings_of(tmp_path)
    with open_warehouse(settings.warehouse) as con:
        record_versions(con, [memory_of("ann", Statement(weekdays=(0, 3)))])
    server = server_of(settings, "ann", own_marts)

    async def served() -> tuple[str, str]:
        async with client_of(server) as client:
            asked = {"question": "What do you know about me?"}
            told = _json(await client.call_tool("get_memories", {}))
            searched = _json(await client.call_tool("search_notes", {"query": "train"}))
            return told + searched, _json(await client.call_tool("ask_question", asked))

    assert all("You train on Mon and Thu" in each for each in anyio.run(served))
    with open_warehouse(settings.warehouse) as con:
        forget(con, "ann", 1, now=NOW)
    for told in anyio.run(served):
        assert "Mon and Thu" not in told
        assert "nothing about you yet" in told


async def _briefing_of(server: "MCPServer[Any]") -> tuple[bool, str]:
    async with client_of(server) as client:
        result = await client.call_tool("get_briefing", {})
        return bool(result.is_error), _json(result)


def test_a_briefing_of_a_former_plan_is_refused(tmp_path: Path, own_marts: OwnMarts) -> None:
    write_release(tmp_path / "home")
    settings = settings_of(tmp_path)
    with open_warehouse(settings.warehouse) as con:
        record_briefings(con, [briefing_of("ann", "Squat 105 kg")])
    server = server_of(settings, "ann", own_marts)
    is_error, text = anyio.run(_briefing_of, server)
    assert (is_error, "Squat 105 kg" in text) == (False, True)
    warehouse = ScratchWarehouse(tmp_path / "home")
    warehouse.record_plan("newer plan", plan_of("ann"), NOW - timedelta(hours=1))
    warehouse.close()
    is_error, text = anyio.run(_briefing_of, server)
    assert (is_error, "Squat 105 kg" in text) == (True, False)
    assert "The briefing is outdated" in text


def test_a_red_flag_in_the_profile_stops_at_once(tmp_path: Path, own_marts: OwnMarts) -> None:
    write_release(tmp_path / "home")
    settings = settings_of(tmp_path, more='[pain]\nchest = "severe"\n')
    server = server_of(settings, "ann", own_marts)

    async def check() -> None:
        async with client_of(server) as client:
            for tool in ("get_next_workout", "explain_loads", "get_briefing"):
                told = _json(await client.call_tool(tool, {}))
                assert "Stop training" in told, tool
                assert "105 kg" not in told, tool

    anyio.run(check)


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}


def test_sigterm_leaves_no_copy(settings: Settings, tmp_path: Path) -> None:
    code = (
        "from orchestration.config.settings import load_settings\n"
        "from orchestration.server.mcp_server import serve_stdio\n"
        "serve_stdio(load_settings(), 'ann')\n"
    )
    places = {
        "SPOTTER_HOME": str(settings.home),
        "SPOTTER_ATHLETES_DIR": str(settings.athletes_dir),
        "TMPDIR": str(tmp_path),
    }
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **places},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(INITIALIZE) + "\n")
            process.stdin.flush()
            assert "serverInfo" in process.stdout.readline()
            assert len(list(tmp_path.glob("spotter-own-*"))) == 1
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=300) == 128 + signal.SIGTERM
        finally:
            process.kill()
    assert list(tmp_path.glob("spotter-own-*")) == []


def test_an_unknown_tool_or_resource_is_an_error(server: "MCPServer[Any]") -> None:
    from mcp import MCPError

    async def check() -> None:
        async with client_of(server) as client:
            with pytest.raises(MCPError):
                await client.read_resource("spotter://marts/nothing")
            result = await client.call_tool("get_strength", {"exercise": "press"})
            assert result.is_error
            assert "Incline Bench Press (Dumbbell)" in _json(result)

    anyio.run(check)


def test_a_page_has_what_fits_and_at_least_one_item() -> None:
    assert page_of(["aa", "bbb", "c"], None, len, budget=5) == (["aa", "bbb"], "2")
    assert page_of(["aa", "bbb", "c"], "2", len, budget=5) == (["c"], None)
    assert page_of(["toolong", "b"], None, len, budget=5) == (["toolong"], "1")
    for cursor in ("3", "-1", "x", "\u0661", ""):
        with pytest.raises(CursorError):
            page_of(["aa", "bbb", "c"], cursor, len)


def test_other_commands_do_not_import_mcp() -> None:
    packages = {each.split(".")[0] for each in imported().by_commands}
    assert not {"mcp", "mcp_types"} & packages


BROKEN = (
    *(b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 50_000, b'"' + b"a" * 100_000 + b'"'),
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": null}}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "tools/call", "params": {"name": "query"}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "../query"}}',
    b'{"jsonrpc": "1.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc"}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"arguments": 7}}',
)


def test_a_broken_request_is_refused_and_the_server_answers_on(
    settings: Settings, own_marts: OwnMarts
) -> None:
    async def check() -> None:
        token = f"Bearer {token_of(settings, 'ann')}"
        headers = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
        }
        async with over_http(settings, own_marts, authorization=token) as http:
            for body in BROKEN:
                answer = await http.post("/mcp", content=body, headers=headers)
                assert answer.status_code < 500, (body[:40], answer.text)
                for leak in ("777", "root:", "Traceback", "site-packages"):
                    assert leak not in answer.text, (body[:40], answer.text)
            for method in ("GET", "PUT", "DELETE", "OPTIONS"):
                # Without the accepted types: no stream that stays open.
                answer = await http.request(method, "/mcp", headers={"accept": "text/plain"})
                assert 400 <= answer.status_code < 500, method
            async with http_client_of(http) as client:
                assert not (await client.call_tool("get_doubts", {})).is_error

    anyio.run(check)
