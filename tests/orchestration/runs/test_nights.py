"""Nights of partitions: the next part, failed partitions, and the night as one run."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from orchestration.runs.backoff import PastRun, runs_for
from orchestration.runs.nights import GIVEN_UP_AFTER, NextRun, Night, first_runs, nights_of
from orchestration.runs.part_run import PartRun, State
from orchestration.runs.tags import ATHLETE_TAG, EXPECTED_TAG, NIGHT_TAG, exclusions_of

NOW = datetime(2026, 3, 4, 3, 17, tzinfo=UTC)
ATHLETES = ("ann", "ben", "zoe")
"""Of four partitions ann and ben have the third, zoe the fourth."""

FIRST = first_runs("night/UTC/2026-03-04/first/ann,ben,zoe", ATHLETES, 4, {"spotter/trigger": "x"})


def ran(request: NextRun, state: State, minute: int = 0) -> PartRun:
    """Return the run of a request."""
    at = NOW + timedelta(minutes=minute)
    return PartRun(
        run_id=f"{request.key}@{minute}",
        night=request.tags[NIGHT_TAG],
        job=request.job,
        partition=request.partition,
        state=state,
        expected=int(request.tags[EXPECTED_TAG]),
        created_at=at,
        ended_at=at if state in {"ok", "failed"} else None,
        tags=request.tags,
    )


def night_of(*runs: PartRun) -> Night:
    [night] = nights_of(runs)
    return night


def played(failing: Mapping[str, set[str]], *, until: str = "") -> tuple[Night, list[list[str]]]:
    """Run a night, and return it with the requested runs of each part.

    `failing` are the keys of failing runs by job: partitions, or `all`. `until` is the last job.
    """
    runs: list[PartRun] = []
    told: list[list[str]] = []
    due = list(FIRST)
    while due:
        job = due[0].job
        told.append([f"{each.job} {each.partition or 'all'}" for each in due])
        bad = failing.get(job, set())
        runs += [
            ran(each, "failed" if (each.partition or "all") in bad else "ok", len(told))
            for each in due
        ]
        if job == until:
            break
        due = list(night_of(*runs).next_runs(NOW))
    return night_of(*runs), told


def test_only_partitions_with_athletes_have_runs_each_with_its_own() -> None:
    assert [(each.partition, each.tags[ATHLETE_TAG]) for each in FIRST] == [
        ("3-of-4", "ann,ben"),
        ("4-of-4", "zoe"),
    ]
    assert {each.tags[EXPECTED_TAG] for each in FIRST} == {"2"}
    assert len({each.tags[NIGHT_TAG] for each in FIRST}) == 1
    other = first_runs("another night", ATHLETES, 4, {})
    assert other[0].key != FIRST[0].key


@pytest.mark.parametrize(
    ("failing", "expected", "left", "state"),
    [
        ({}, "sync 3 4|models|coach 3 4|release|brief 3 4", [], "ok"),
        ({"sync": {"3-of-4"}}, "sync 3 4|models|coach 4|release|brief 4", ["ann", "ben"], "ok"),
        ({"coach": {"4-of-4"}}, "sync 3 4|models|coach 3 4|release|brief 3", ["zoe"], "ok"),
        ({"brief": {"4-of-4"}}, "sync 3 4|models|coach 3 4|release|brief 3 4", ["zoe"], "ok"),
        ({"models": {"all"}}, "sync 3 4|models", [], "failed"),
        ({"release": {"all"}}, "sync 3 4|models|coach 3 4|release|brief 3 4", [], "failed"),
        ({"sync": {"3-of-4", "4-of-4"}}, "sync 3 4", ["ann", "ben", "zoe"], "failed"),
    ],
)
def test_a_failed_partition_is_left_out_and_a_failed_build_ends_the_night(
    failing: dict[str, set[str]], expected: str, left: list[str], state: str
) -> None:
    night, told = played(failing)
    short = [
        " ".join([each[0].split()[0], *(run.split()[1][0] for run in each)]).removesuffix(" a")
        for each in told
    ]
    assert "|".join(short) == expected
    whole = night.as_past_run(NOW)
    assert (whole.state, sorted(whole.left)) == (state, left)
    assert whole.athletes == set(ATHLETES)
    assert whole.ended_at == NOW + timedelta(minutes=len(told))
    assert not night.is_under_way(NOW)


def test_the_status_has_each_part_and_partition_and_who_is_left_out() -> None:
    night, _ = played({"sync": {"3-of-4"}}, until="sync")
    [models] = night.next_runs(NOW)
    lost = ran(models, "waiting", 2)
    status = night_of(*night.runs, replace(lost, ended_at=NOW)).status(NOW)
    assert [(each.job, each.partition, each.state, each.retries) for each in status.parts] == [
        ("sync", "3-of-4", "failed", 0),
        ("sync", "4-of-4", "finished", 0),
        ("models", None, "retried", 1),
    ]
    assert (status.state, status.ended_at) == ("running", None)
    reason = "the partition 3-of-4 failed in sync"
    assert status.left == {"ann": reason, "ben": reason}
    tried = replace(lost, tags={**lost.tags, "dagster/retry_number": "1"}, state="running")
    retried = night_of(*night.runs, lost, replace(tried, created_at=NOW + timedelta(hours=1)))
    assert [(each.state, each.retries) for each in retried.status(NOW).parts][-1] == ("retried", 1)
    ended = replace(tried, state="ok", ended_at=NOW)
    assert [(each.state, each.retries) for each in night_of(ended).status(NOW).parts] == [
        ("finished", 1)
    ]
    whole = played({})[0].status(NOW)
    assert (whole.state, whole.left) == ("finished", {})
    assert {each.state for each in whole.parts} == {"finished"}


def test_models_name_the_missing_athletes_with_their_partition() -> None:
    night, _ = played({"sync": {"3-of-4"}}, until="sync")
    [models] = night.next_runs(NOW)
    reason = "the partition 3-of-4 failed in sync"
    assert exclusions_of(models.tags) == {"ann": reason, "ben": reason}
    assert ATHLETE_TAG not in models.tags
    assert models.tags["spotter/trigger"] == "x"


@pytest.mark.parametrize("state", ["waiting", "running"])
def test_models_wait_for_each_run_and_for_one_that_will_be_retried(state: State) -> None:
    one, other = FIRST
    night = night_of(ran(one, "ok"), ran(other, state))
    assert night.next_runs(NOW) == ()
    assert night.as_past_run(NOW).state == "running"
    lost = [ran(one, "ok"), ran(other, "failed"), ran(other, state, minute=1)]
    assert night_of(*lost).next_runs(NOW) == ()
    lost[-1] = ran(other, "ok", minute=1)
    [models] = night_of(*lost).next_runs(NOW)
    assert exclusions_of(models.tags) == {}


def test_a_part_of_which_a_tick_made_only_some_runs_is_not_taken_for_ended() -> None:
    night = night_of(ran(FIRST[0], "ok"))
    assert night.next_runs(NOW) == ()
    assert night.as_past_run(NOW).state == "running"


def test_a_night_that_nobody_continued_for_hours_is_given_up_and_made_up_for() -> None:
    later = NOW + GIVEN_UP_AFTER + timedelta(minutes=1)
    for runs in ([ran(FIRST[0], "ok")], [ran(each, "ok") for each in FIRST]):
        night = night_of(*runs)
        assert night.next_runs(later) == ()
        assert night.as_past_run(later).state == "failed"
    slow = night_of(ran(FIRST[0], "ok"), ran(FIRST[1], "running"))
    assert slow.as_past_run(later).state == "running"


def test_the_same_tick_twice_has_the_same_keys() -> None:
    night, _ = played({}, until="models")
    assert [each.key for each in night.next_runs(NOW)] == [
        each.key for each in night.next_runs(NOW + timedelta(minutes=1))
    ]


def test_a_night_fails_for_the_athletes_of_its_failed_partitions_only() -> None:
    night, _ = played({"coach": {"3-of-4"}})
    past = night.as_past_run(NOW)
    states = {one: [run.state for run in runs_for([past], one)] for one in ATHLETES}
    assert states == {"ann": ["failed"], "ben": ["failed"], "zoe": ["ok"]}
    assert past.run_id.endswith("/coach/3-of-4@3")
    assert past.run_of == dict.fromkeys(("ann", "ben"), past.run_id)


def test_a_waiting_night_has_not_begun() -> None:
    past = night_of(*(ran(each, "waiting") for each in FIRST)).as_past_run(NOW)
    assert past == PastRun(
        run_id=f"{FIRST[0].key}@0",
        state="waiting",
        athletes=frozenset(ATHLETES),
        asked_for=None,
        is_full=False,
        created_at=NOW,
        ended_at=None,
    )


def test_nights_are_separate() -> None:
    other = first_runs("another night", ["kim"], 4, {})
    runs = [ran(FIRST[0], "ok"), ran(FIRST[1], "ok"), ran(other[0], "running")]
    nights = nights_of(runs)
    assert [len(night.runs) for night in nights] == [2, 1]
    assert [bool(night.next_runs(NOW)) for night in nights] == [True, False]
