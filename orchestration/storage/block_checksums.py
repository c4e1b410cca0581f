"""Verify the checksums of a DuckDB file without DuckDB, which verifies only the blocks it reads.

    main header, two database headers      4,096 bytes each
    blocks                                 256 KiB each, including free ones

Each starts with the checksum of the rest. DuckDB verifies headers when it opens a file, and a block
when it reads it. Blocks of indexes and free blocks may stay unread for years.

A checkpoint cuts free blocks off the end of the file after it has written the header, which counts
them still. They are in the list of free blocks, in parts of a block: the place of the next part,
then data.

Source: DuckDB 1.5, src/common/checksum.cpp, src/storage/single_file_block_manager.cpp and
src/storage/metadata/metadata_manager.cpp.
"""

from typing import Protocol

import numpy as np

_HEADER_BYTES = 4096
_MAGIC = b"DUCK"
_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_START = np.uint64(5381)
# Words of a database header after its checksum.
_ITERATION, _FREE_LIST, _BLOCK_COUNT, _BLOCK_BYTES = 1, 3, 4, 5
_PARTS = 64  # of a block with metadata
_WORD_BYTES = 8
_PART_BITS = 56  # of a place: the number of the block; above them that of the part


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
    free_list = int(latest[_FREE_LIST])
    free_list_block = b""
    for number in range(count):
        block = file.read(size)
        if len(block) < size:
            missing = set(range(number, count))
            if not block and missing <= _free_blocks(free_list_block, free_list):
                return None
            return f"it ends before block {number} of {count}"
        if not _is_whole(block):
            return f"block {number} does not match its checksum"
        if number == _block_of(free_list):
            free_list_block = block
    return None


def _block_of(place: int) -> int:
    return place & ((1 << _PART_BITS) - 1)


def _free_blocks(block: bytes, place: int) -> set[int]:
    """Return the free blocks, as far as their list, which starts at `place`, is in this block."""
    if not block:
        return set()
    words = _words(block)[1:]
    part_words = len(words) // _PARTS
    number = _block_of(place)
    found: list[int] = []
    while _block_of(place) == number:
        start = (place >> _PART_BITS) * part_words
        place = int(words[start])
        found += words[start + 1 : start + part_words].tolist()
    return set(found[1 : 1 + found[0]])


def _is_whole(block: bytes) -> bool:
    words = _words(block)
    return bool(words[0] == np.bitwise_xor.reduce(words[1:] * _FACTOR) ^ _START)


def _words(block: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.frombuffer(block, dtype="<u8")
