"""List and call every tool with FastMCP's client over stdio and HTTP; print the answers as JSON."""

import asyncio
import json
import sys
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

TIMEOUT_S = 60


async def answers(transport: Any, calls: dict[str, dict[str, Any]]) -> dict[str, str]:
    async with Client(transport, timeout=TIMEOUT_S, init_timeout=TIMEOUT_S) as client:
        names = [each.name for each in await client.list_tools()]
        assert await client.list_resources()
        assert await client.list_prompts()
        return {
            # An error is an answer, too: Bob's rows are incomplete.
            name: str(await client.call_tool(name, calls[name], raise_on_error=False))
            for name in names
        }


async def main(request: dict[str, Any]) -> dict[str, dict[str, str]]:
    program, *arguments = request["command"]
    stdio = StdioTransport(program, arguments, env=request["env"], keep_alive=False)
    found = {"stdio ann": await answers(stdio, request["calls"])}
    for athlete, token in request["tokens"].items():
        transport = StreamableHttpTransport(
            request["url"], headers={"Authorization": f"Bearer {token}"}
        )
        found[f"http {athlete}"] = await answers(transport, request["calls"])
    wrong = StreamableHttpTransport(request["url"], headers={"Authorization": "Bearer wrong"})
    try:
        found["http wrong"] = await answers(wrong, request["calls"])
    except Exception:
        found["http wrong"] = {}
    return found


print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
