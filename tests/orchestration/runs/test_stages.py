"""A night in parts: order, consequences of a failure, and restarts."""

import subprocess
from collections.abc import Sequence

import pytest

from orchestration.runs.partitions import Shard, all_shards
from orchestration.runs.stages import StageResult, populated_shards, run_stages, stage_runner

DONE = {"run_id": "one"}


def test_shards_that_have_nobody_are_left_out() -> None:
    assert populated_shards(["ann", "ben", "zoe"], 4) == (Shard(3, 4), Shard(4, 4))
    assert populated_shards([], 4) == ()


def night(**failing: list[int]) -> tuple[list[str], list[str]]:
    """Return the completed parts of a night of three shards, and the failed ones.

    `failing` names jobs and the shards that fail in them; 0 is all of them.
    """
    told: list[str] = []

    def do(job: str, shard: Shard | None) -> StageResult:
        is_bad = (shard.number if shard else 0) in failing.get(job, [])
        return StageResult(job, shard, int(is_bad), begun=1, told={} if is_bad else DONE)

    ends = run_stages(all_shards(3), do, told.append)
    assert told[0] == "sync"
    return [str(end) for end in ends], [str(end) for end in ends if not end.is_done]


def test_marts_are_built_and_released_once_for_all_shards() -> None:
    done, failed = night()
    assert done == [
        *("sync 1/3", "sync 2/3", "sync 3/3"),
        "models",
        *("coach 1/3", "coach 2/3", "coach 3/3"),
        "release",
        *("brief 1/3", "brief 2/3", "brief 3/3"),
    ]
    assert failed == []


def test_a_shard_that_fails_is_nobody_elses_trouble() -> None:
    done, failed = night(sync=[2], coach=[3])
    assert failed == ["sync 2/3", "coach 3/3"]
    assert done[-3:] == ["coach 3/3", "release", "brief 1/3"]
    assert "coach 2/3" not in done


@pytest.mark.parametrize(
    ("failing", "last"),
    [
        ({"sync": [1, 2, 3]}, "sync 3/3"),
        ({"models": [0]}, "models"),
        # As in a night of one process, briefings are about published plans.
        ({"release": [0]}, "brief 3/3"),
    ],
)
def test_only_without_accounts_or_models_a_night_ends(
    failing: dict[str, list[int]], last: str
) -> None:
    assert night(**failing)[0][-1] == last


@pytest.mark.parametrize(
    ("codes", "begun", "is_done"),
    [
        ([0], 1, True),
        ([-9, 75, 0], 3, True),
        ([1], 1, False),
        ([-9, -9, -9, -9, 0], 4, False),
        ([-15], 1, False),
        ([-2], 1, False),
        ([75, 2], 2, False),
    ],
)
def test_who_was_killed_or_lost_the_catalog_begins_again(
    codes: list[int], begun: int, is_done: bool
) -> None:
    asked: list[Sequence[str]] = []

    def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        asked.append(command[1:])
        code = codes[len(asked) - 1]
        return subprocess.CompletedProcess(
            command, code, stdout="" if code else '{"new_plans": 2}', stderr="Error: no"
        )

    end = stage_runner(run, ["--accept-deletions", "ann"])("coach", Shard(2, 3))
    assert (end.begun, end.is_done) == (begun, is_done)
    options = "--json --end-with-input --shard 2/3 --accept-deletions ann"
    assert asked == [["part", "coach", *options.split()]] * begun
    if is_done:
        assert end.told == {"new_plans": 2}
    else:
        assert end.error == "Error: no"


def test_a_run_that_went_through_is_done_though_a_check_failed() -> None:
    def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, stdout='{"warnings": ["look"]}', stderr="")

    end = stage_runner(run, [])("sync", None)
    assert (end.is_done, end.is_clean) == (True, False)
