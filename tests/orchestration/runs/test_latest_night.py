"""The night that the status shows, among retries and nights that were missed."""

from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from dagster._core.test_utils import create_run_for_test

from orchestration.runs.nights import Night, _is_retry, latest_night
from orchestration.runs.part_run import PartRun
from orchestration.runs.tags import ATHLETE_TAG, NIGHT_TAG, TRIGGER_TAG

NOW = datetime(2026, 11, 24, 3, 17, tzinfo=UTC)


def night(trigger: str, athletes: str, at: datetime) -> Night:
    tags = {TRIGGER_TAG: trigger, ATHLETE_TAG: athletes}
    return Night((PartRun("run", trigger, "sync", "1-of-1", "ok", 1, at, tags=tags),))


def test_a_retry_of_one_athlete_does_not_replace_the_night() -> None:
    """`missed_runs` retried one failed athlete, and the status showed only this."""
    with dg.DagsterInstance.ephemeral() as instance:
        since = datetime.now(UTC) - timedelta(days=2)
        assert latest_night(instance, since) is None
        for name, trigger, athletes in (
            ("other", "nightly", "zoe"),
            ("night", "nightly", "ann,ben"),
            ("retry", "catch-up", "ben"),
        ):
            tags = {NIGHT_TAG: name, TRIGGER_TAG: trigger, ATHLETE_TAG: athletes}
            create_run_for_test(instance, job_name="sync", tags=tags)
        found = latest_night(instance, since)
    assert found is not None
    assert found.id == "night"


@pytest.mark.parametrize(
    ("trigger", "athletes", "hours", "expected"),
    [
        ("catch-up", "ben", 2, True),
        ("catch-up", "ann,ben", 25, False),
        ("catch-up", "zoe", 2, False),
        ("nightly", "ben", 2, False),
    ],
    ids=["retry", "missed the next day", "another zone", "scheduled"],
)
def test_only_a_catch_up_on_the_same_day_is_a_retry(
    trigger: str, athletes: str, hours: int, expected: bool
) -> None:
    later = night(trigger, athletes, NOW + timedelta(hours=hours))
    assert _is_retry(later, night("nightly", "ann,ben", NOW)) is expected
