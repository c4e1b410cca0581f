"""Read a request body with a size limit."""

from starlette.exceptions import HTTPException
from starlette.requests import Request

LARGEST_BODY_BYTES = 64 * 1024


async def read_body(request: Request) -> bytes:
    """Read the whole body.

    Raises:
        HTTPException: 413, it is larger than 64 KiB; reading stopped there.
        starlette.requests.ClientDisconnect: the client disconnected.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY_BYTES:
            raise HTTPException(413, "The body is larger than 64 KiB.")
    return bytes(body)
