"""Partitions of the athletes by a hash of their ids, of about equal size.

A partition depends only on the athlete's id and the partition count, so it is stable across
machines and time.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Self

_WRITTEN = re.compile(r"(\d{1,6})/(\d{1,6})")


class ShardError(ValueError):
    """Invalid partition; the message has the format."""


@dataclass(frozen=True)
class Shard:
    """One of `count` partitions of all athletes; `number` starts at 1."""

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise ShardError(
                f"'{self.number}/{self.count}' is no shard; the second of four is written 2/4."
            )

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a partition such as `2/4`.

        Raises:
            ShardError: invalid format.
        """
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise ShardError(f"'{text}' is no shard; the second of four is written 2/4.")
        return cls(int(found[1]), int(found[2]))

    def has(self, athlete_id: str) -> bool:
        """Return true if the athlete is in this partition."""
        return shard_number(athlete_id, self.count) == self.number


def shard_number(athlete_id: str, count: int) -> int:
    """Return the partition number of an athlete, from 1.

    The first 8 bytes of the id's SHA-256, modulo `count`: Python's own hash differs between
    processes.
    """
    digest = hashlib.sha256(athlete_id.encode()).digest()
    return int.from_bytes(digest[:8], "big") % count + 1


def all_shards(count: int) -> tuple[Shard, ...]:
    """Return all partitions for a count, in order."""
    return tuple(Shard(number, count) for number in range(1, count + 1))
