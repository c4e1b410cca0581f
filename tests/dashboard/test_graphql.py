"""Requests to Dagster: what they cost, and what an unavailable one means."""

import ssl
from typing import Any

import pytest

from dashboard import graphql
from dashboard.runs import recent_runs
from tests.end_to_end.fake_dagster import a_failed_night, fake_dagster
from tests.ports import free_port


def test_the_certificates_are_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Any] = []
    load = ssl.SSLContext.load_verify_locations

    def count(context: ssl.SSLContext, *where: Any, **options: Any) -> None:
        loaded.append(where)
        load(context, *where, **options)

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", count)
    graphql._tls.cache_clear()
    with fake_dagster(a_failed_night) as url:
        found = [recent_runs(url) for _ in range(3)]
    assert [[(run.job, run.state) for run in runs or ()] for runs in found] == [
        [("nightly", "failure")]
    ] * 3
    assert len(loaded) == 1


def test_a_dagster_that_is_off_has_no_known_runs() -> None:
    assert recent_runs(f"http://127.0.0.1:{free_port()}") is None
