"""Partitions of the athletes by a hash of their ids, of about equal size.

A partition depends only on the athlete's id and the partition count, so it is stable across
machines and time.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Self

_KEY = re.compile(r"(\d{1,6})-of-(\d{1,6})")


class PartitionError(ValueError):
    """Invalid partition; the message has the format."""


@dataclass(frozen=True)
class Partition:
    """One of `count` partitions of all athletes; `number` starts at 1."""

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise PartitionError(
                f"'{self.key}' is no partition of athletes; the second of four is 2-of-4."
            )

    def __str__(self) -> str:
        return self.key

    @property
    def key(self) -> str:
        """Return the key of Dagster's partition, such as `2-of-4`.

        It has the count, so that another number of partitions does not reuse keys.
        """
        return f"{self.number}-of-{self.count}"

    @classmethod
    def from_key(cls, key: str) -> Self:
        """Return the partition with this key of Dagster.

        Raises:
            PartitionError: it is no such key.
        """
        found = _KEY.fullmatch(key)
        if found is None:
            raise PartitionError(
                f"'{key}' is no partition of athletes; the second of four is 2-of-4."
            )
        return cls(int(found[1]), int(found[2]))

    def has(self, athlete_id: str) -> bool:
        """Return true if the athlete is in this partition."""
        return partition_number(athlete_id, self.count) == self.number


def partition_number(athlete_id: str, count: int) -> int:
    """Return the partition number of an athlete, from 1.

    The first 8 bytes of the id's SHA-256, modulo `count`: Python's own hash differs between
    processes.
    """
    digest = hashlib.sha256(athlete_id.encode()).digest()
    return int.from_bytes(digest[:8], "big") % count + 1


def all_partitions(count: int) -> tuple[Partition, ...]:
    """Return all partitions for a count, in order."""
    return tuple(Partition(number, count) for number in range(1, count + 1))


def partition_keys(count: int) -> tuple[str, ...]:
    """Return the keys of Dagster's partitions, in order; none for a count of 1."""
    return () if count == 1 else tuple(partition.key for partition in all_partitions(count))


def partition_key(athlete_id: str, count: int) -> str | None:
    """Return the key of the partition of an athlete; None for a count of 1."""
    return None if count == 1 else Partition(partition_number(athlete_id, count), count).key
