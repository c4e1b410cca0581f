"""Shards of athletes: complete, stable and disjoint."""

import subprocess
import sys
from pathlib import Path

import pytest

from orchestration.runs.lock import run_lock
from orchestration.runs.partitions import (
    Shard,
    ShardError,
    all_shards,
    partition_key,
    partition_keys,
    shard_number,
)
from orchestration.storage.file_lock import LockedError

IDS = [f"athlete-{number}" for number in range(2_000)]


def test_a_shard_is_told_by_the_id_alone() -> None:
    """As by sha256sum: the eighth byte of "ann" is 0x2e, of "ben" 0x0e, of "zoe" 0x17."""
    assert [shard_number(each, 4) for each in ("ann", "ben", "zoe")] == [3, 3, 4]


def test_everybody_is_in_one_shard_and_shards_are_about_equal() -> None:
    shards = all_shards(16)
    assert all(sum(shard.has(each) for shard in shards) == 1 for each in IDS)
    sizes = [sum(shard.has(each) for each in IDS) for shard in shards]
    assert 80 < min(sizes) <= max(sizes) < 170


@pytest.mark.parametrize("text", ["", "2", "0/4", "5/4", "-1/4", "1/0", "2/4 ", "a/b"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ShardError, match="is no shard; the second of four is written 2/4"):
        Shard.parse(text)


def test_a_partition_has_its_count_in_its_key_and_one_has_none() -> None:
    assert partition_keys(3) == ("1-of-3", "2-of-3", "3-of-3")
    assert [Shard.from_key(each) for each in partition_keys(3)] == list(all_shards(3))
    assert (partition_keys(1), partition_key("ann", 1)) == ((), None)
    assert [partition_key(each, 4) for each in ("ann", "zoe")] == ["3-of-4", "4-of-4"]


@pytest.mark.parametrize("key", ["", "2/4", "5-of-4", "0-of-4", "2-of-4 "])
def test_what_is_no_key_of_a_partition_is_refused(key: str) -> None:
    with pytest.raises(ShardError):
        Shard.from_key(key)


def test_a_shard_reads_as_it_is_written() -> None:
    assert [str(Shard.parse(str(each))) for each in all_shards(3)] == ["1/3", "2/3", "3/3"]


@pytest.mark.parametrize(
    ("held", "wanted", "is_free"),
    [
        ("2/4", "3/4", True),
        ("2/4", "2/4", False),
        ("2/4", None, False),
        (None, "2/4", False),
    ],
)
def test_a_shard_is_one_runs_and_the_whole_home_is_nobodys_beside_it(
    held: str | None, wanted: str | None, is_free: bool, tmp_path: Path
) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from orchestration.runs.lock import run_lock\n"
        "from orchestration.runs.partitions import Shard\n"
        "home, shard = Path(sys.argv[1]), sys.argv[2]\n"
        "with run_lock(home, 'spotter run', is_waiting=False,"
        " shard=Shard.parse(shard) if shard else None):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path), held or ""]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        shard = None if wanted is None else Shard.parse(wanted)

        def take() -> None:
            with run_lock(tmp_path, "a second run", is_waiting=False, shard=shard):
                pass

        if is_free:
            take()
        else:
            with pytest.raises(LockedError, match="spotter run"):
                take()
        other.communicate(b"")
    take()
