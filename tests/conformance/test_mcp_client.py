"""FastMCP's client lists and calls every tool over both transports."""

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.conformance.clients import ROOT, environment, run_client
from tests.orchestration.server.mcp_clients import token_of
from tests.orchestration.server.mcp_home import CALLS, OF_ANN, write_home
from tests.ports import free_port
from tests.waiting import tls, wait_until

SPOTTER = (sys.executable, "-m", "orchestration.cli.app")

pytestmark = pytest.mark.long


def _is_up(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/mcp", verify=tls()).status_code == 401
    except httpx.TransportError:
        return False


def test_fastmcp_calls_every_tool_and_reads_one_athlete(tmp_path: Path) -> None:
    environment("fastmcp")
    settings = write_home(tmp_path)
    own = {
        **os.environ,
        "SPOTTER_HOME": str(settings.home),
        "SPOTTER_ATHLETES_DIR": str(settings.athletes_dir),
        "PYTHONPATH": str(ROOT),
    }
    port = free_port()
    serve = [*SPOTTER, "mcp", "--http", "--port", str(port)]
    with subprocess.Popen(serve, env=own, stdout=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: _is_up(port), "the MCP server")
            request = {
                "command": [*SPOTTER, "mcp", "--athlete", "ann"],
                "env": own,
                "url": f"http://127.0.0.1:{port}/mcp",
                "tokens": {each: token_of(settings, each) for each in ("ann", "bob")},
                "calls": CALLS,
            }
            found = run_client("fastmcp", "run_fastmcp.py", json.dumps(request))
        finally:
            server.terminate()
    for source in ("stdio ann", "http ann"):
        assert found[source].keys() == CALLS.keys()
        assert [name for name in CALLS if OF_ANN[name] not in found[source][name]] == []
        assert "777" not in json.dumps(found[source])
    assert found["http bob"].keys() == CALLS.keys()
    assert [name for name in CALLS if OF_ANN[name] in found["http bob"][name]] == ["list_marts"]
    assert found["http wrong"] == {}
