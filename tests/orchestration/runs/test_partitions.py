"""Partitions of athletes: complete, stable and disjoint."""

import subprocess
import sys
from pathlib import Path

import pytest

from orchestration.runs.lock import run_lock
from orchestration.runs.partitions import (
    Partition,
    PartitionError,
    all_partitions,
    partition_key,
    partition_keys,
    partition_number,
)
from orchestration.storage.file_lock import LockedError

IDS = [f"athlete-{number}" for number in range(2_000)]


def test_a_partition_is_told_by_the_id_alone() -> None:
    """As by sha256sum: the eighth byte of "ann" is 0x2e, of "ben" 0x0e, of "zoe" 0x17."""
    assert [partition_number(each, 4) for each in ("ann", "ben", "zoe")] == [3, 3, 4]


def test_everybody_is_in_one_partition_and_partitions_are_about_equal() -> None:
    partitions = all_partitions(16)
    assert all(sum(partition.has(each) for partition in partitions) == 1 for each in IDS)
    sizes = [sum(partition.has(each) for each in IDS) for partition in partitions]
    assert 80 < min(sizes) <= max(sizes) < 170


def test_a_partition_has_its_count_in_its_key_and_one_has_none() -> None:
    assert partition_keys(3) == ("1-of-3", "2-of-3", "3-of-3")
    assert [Partition.from_key(each) for each in partition_keys(3)] == list(all_partitions(3))
    assert (partition_keys(1), partition_key("ann", 1)) == ((), None)
    assert [partition_key(each, 4) for each in ("ann", "zoe")] == ["3-of-4", "4-of-4"]


@pytest.mark.parametrize(
    "key", ["", "2/4", "2", "5-of-4", "0-of-4", "-1-of-4", "1-of-0", "2-of-4 ", "a-of-b"]
)
def test_what_is_no_key_of_a_partition_is_refused(key: str) -> None:
    with pytest.raises(PartitionError, match="the second of four is 2-of-4"):
        Partition.from_key(key)


@pytest.mark.parametrize(
    ("held", "wanted", "is_free"),
    [
        ("2-of-4", "3-of-4", True),
        ("2-of-4", "2-of-4", False),
        ("2-of-4", None, False),
        (None, "2-of-4", False),
    ],
)
def test_a_partition_is_one_runs_and_the_whole_home_is_nobodys_beside_it(
    held: str | None, wanted: str | None, is_free: bool, tmp_path: Path
) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from orchestration.runs.lock import run_lock\n"
        "from orchestration.runs.partitions import Partition\n"
        "home, partition = Path(sys.argv[1]), sys.argv[2]\n"
        "with run_lock(home, 'spotter run', is_waiting=False,"
        " partition=Partition.from_key(partition) if partition else None):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path), held or ""]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        partition = None if wanted is None else Partition.from_key(wanted)

        def take() -> None:
            with run_lock(tmp_path, "a second run", is_waiting=False, partition=partition):
                pass

        if is_free:
            take()
        else:
            with pytest.raises(LockedError, match="spotter run"):
                take()
        other.communicate(b"")
    take()
