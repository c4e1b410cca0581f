"""An S3 API on loopback, which keeps its objects in memory."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.ports import free_port

BUCKET = "spotter"
SECRET = "secret-of-the-store"  # noqa: S105 - of a store that takes any
_POLL_S = 0.1


@contextmanager
def running_s3() -> Iterator[dict[str, str]]:
    """Start an empty bucket and yield the variables of its API."""
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


def fetch_objects(store: dict[str, str], place: str, folder: Path) -> None:
    """Copy all objects below `s3://bucket/prefix` into the folder."""
    prefix = _prefix(place)
    client = _client(store)
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix):
        for found in page.get("Contents", ()):
            file = folder / found["Key"].removeprefix(prefix)
            file.parent.mkdir(parents=True, exist_ok=True)
            client.download_file(BUCKET, found["Key"], str(file))


def put_objects(store: dict[str, str], folder: Path, place: str) -> None:
    """Copy all files of the folder below `s3://bucket/prefix`."""
    client = _client(store)
    for file in folder.rglob("*"):
        if file.is_file():
            client.upload_file(
                str(file), BUCKET, f"{_prefix(place)}{file.relative_to(folder).as_posix()}"
            )


def _prefix(place: str) -> str:
    return place.removeprefix(f"s3://{BUCKET}/") + "/"


def _client(store: dict[str, str]) -> Any:
    import boto3

    return boto3.client(
        "s3",
        endpoint_url=store["AWS_ENDPOINT_URL_S3"],
        aws_access_key_id=store["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=store["AWS_SECRET_ACCESS_KEY"],
        region_name="us-east-1",
    )


def _has_bucket(url: str) -> bool:
    try:
        return httpx.put(f"{url}/{BUCKET}").is_success
    except httpx.TransportError:
        return False
