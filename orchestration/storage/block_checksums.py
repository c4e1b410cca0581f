"""Verify the checksums of a DuckDB file without DuckDB, which verifies only the blocks it reads.

    main header, two database headers      4,096 bytes each
    blocks                                 256 KiB each, including free ones

Each starts with the checksum of the rest. DuckDB verifies headers when it opens a file, and a block
when it reads it. Blocks of indexes and free blocks may stay unread for years.

Source: DuckDB 1.5, src/common/checksum.cpp and src/storage/single_file_block_manager.cpp.
"""

from typing import Protocol

import numpy as np

_HEADER_BYTES = 4096
_MAGIC = b"DUCK"
_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_START = np.uint64(5381)
# Words of a database header after its checksum.
_ITERATION, _BLOCK_COUNT, _BLOCK_BYTES = 1, 4, 5


class Readable(Protocol):
    """A file or stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return the next `size` bytes, fewer only at the end."""


def damage_in(file: Readable) -> str | None:
    """Return the first damage of a DuckDB file read from its start, None if it is intact.

    Bytes after the last block are not part of the database: a killed writer leaves them, and DuckDB
    overwrites them.
    """
    headers = [file.read(_HEADER_BYTES) for _ in range(3)]
    if headers[0][8 : 8 + len(_MAGIC)] != _MAGIC or len(headers[2]) < _HEADER_BYTES:
        return "it is not a DuckDB file"
    for number, header in enumerate(headers):
        if not _is_whole(header):
            return f"header {number} does not match its checksum"
    latest = max(map(_words, headers[1:]), key=lambda words: int(words[_ITERATION]))
    count, size = int(latest[_BLOCK_COUNT]), int(latest[_BLOCK_BYTES])
    for number in range(count):
        block = file.read(size)
        if len(block) < size:
            return f"it ends before block {number} of {count}"
        if not _is_whole(block):
            return f"block {number} does not match its checksum"
    return None


def _is_whole(block: bytes) -> bool:
    words = _words(block)
    return bool(words[0] == np.bitwise_xor.reduce(words[1:] * _FACTOR) ^ _START)


def _words(block: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.frombuffer(block, dtype="<u8")
