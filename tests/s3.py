"""An S3 API on loopback, which keeps its objects in memory."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.ports import free_port

BUCKET = "spotter"
SECRET = "secret-of-the-store"  # noqa: S105 - of a store that takes any
_POLL_S = 0.1


@contextmanager
def running_s3() -> Iterator[dict[str, str]]:
    """The variables by which a bucket with nothing in it is reached."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = [Path(sys.executable).with_name("moto_server"), "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            while not _has_bucket(url):
                assert server.poll() is None, "the server of S3 ended"
                time.sleep(_POLL_S)
            yield {
                "AWS_ENDPOINT_URL_S3": url,
                "AWS_ACCESS_KEY_ID": "key-of-the-store",
                "AWS_SECRET_ACCESS_KEY": SECRET,
            }
        finally:
            server.kill()


def _has_bucket(url: str) -> bool:
    try:
        return httpx.put(f"{url}/{BUCKET}").is_success
    except httpx.TransportError:
        return False
