"""Deliver a response: complete, or damaged by a fault.

Faults that break the connection take it from the scope, where the server's protocol stores it.
"""

import asyncio
import socket
import struct
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hevy_connector.simulator.api.faults import FaultRule

_DRIPS = 10
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""SO_LINGER of zero seconds: closing such a socket sends a reset."""


async def deliver(
    response: Response, fault: FaultRule | None, scope: Scope, receive: Receive, send: Send
) -> None:
    """Send the response with the given fault; at the end it is sent or the connection is closed."""
    if fault is None:
        await response(scope, receive, send)
        return
    match fault.kind:
        case "reset":
            await _hang_up(scope, receive, is_reset=True)
        case "timeout":
            if not await wait_for_disconnect(receive, within_s=fault.seconds):
                await _hang_up(scope, receive)
        case "truncate":
            await send(_start(response, max(len(response.body), 1)))
            await send(_part(response.body[: len(response.body) // 2], is_last=False))
            await _hang_up(scope, receive)
        case "slow":
            await _drip(response, fault.seconds, receive, send)
        case _:
            await response(scope, receive, send)


async def wait_for_disconnect(receive: Receive, *, within_s: float) -> bool:
    """Wait until the client disconnects or the time is over; return whether it disconnected."""
    try:
        async with asyncio.timeout(within_s):
            while (await receive())["type"] != "http.disconnect":
                pass
    except TimeoutError:
        return False
    return True


async def _drip(response: Response, seconds: float, receive: Receive, send: Send) -> None:
    body = bytes(response.body)
    size = -(-len(body) // _DRIPS) or 1
    await send(_start(response, len(body)))
    for start in range(0, _DRIPS * size, size):
        if await wait_for_disconnect(receive, within_s=seconds / _DRIPS):
            return
        await send(_part(body[start : start + size], is_last=False))
    await send(_part(b"", is_last=True))


async def _hang_up(scope: Scope, receive: Receive, *, is_reset: bool = False) -> None:
    transport: asyncio.Transport = scope["state"]["transport"]
    if is_reset:
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        transport.abort()
    else:
        transport.close()
    # After an earlier return the server would send an error of its own.
    while (await receive())["type"] != "http.disconnect":
        pass


def _start(response: Response, length: int) -> dict[str, Any]:
    headers = [pair for pair in response.raw_headers if pair[0] != b"content-length"]
    return {
        "type": "http.response.start",
        "status": response.status_code,
        "headers": [*headers, (b"content-length", str(length).encode())],
    }


def _part(body: bytes | memoryview, *, is_last: bool) -> dict[str, Any]:
    return {"type": "http.response.body", "body": bytes(body), "more_body": not is_last}
