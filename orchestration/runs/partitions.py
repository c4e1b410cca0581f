"""Shards: the athletes in parts that are about equal, each worked for by itself.

Who belongs to which is told by the athlete's id alone, so it is the same on every machine and for
ever, whoever else is there.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Self

_WRITTEN = re.compile(r"(\d{1,6})/(\d{1,6})")


class ShardError(ValueError):
    """What is to name a shard names none; the text says how one is written."""


@dataclass(frozen=True)
class Shard:
    """One of `count` parts of all athletes; `number` begins at 1."""

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
        """The shard that is written as `2/4`.

        Raises:
            ShardError: it is written otherwise.
        """
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise ShardError(f"'{text}' is no shard; the second of four is written 2/4.")
        return cls(int(found[1]), int(found[2]))

    def has(self, athlete_id: str) -> bool:
        """Whether the athlete belongs to it."""
        return shard_number(athlete_id, self.count) == self.number


def shard_number(athlete_id: str, count: int) -> int:
    """Which of `count` shards the athlete belongs to, from 1.

    The first 8 bytes of the id's SHA-256, modulo `count`: Python's own hash is another one in each
    process.
    """
    digest = hashlib.sha256(athlete_id.encode()).digest()
    return int.from_bytes(digest[:8], "big") % count + 1


def all_shards(count: int) -> tuple[Shard, ...]:
    """The shards of a home that has so many, in order."""
    return tuple(Shard(number, count) for number in range(1, count + 1))
