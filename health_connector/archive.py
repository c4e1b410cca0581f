"""Read files of a zip that its sender may have damaged or built to fill the memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from gzip import BadGzipFile, GzipFile
from io import BytesIO
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile, ZipInfo
from zlib import error as ZlibError

from health_connector.errors import HealthFileError

GZIP = b"\x1f\x8b"
"""First bytes of a gzip file."""

MOST_COMPRESSED = 200
"""Bytes of a file to a byte of the zip: exports have 20 to 50, a zip bomb 1,000."""

_BOMB_FROM = 1 << 24  # bytes; a smaller file is harmless, whatever its ratio
_LARGEST = 1 << 29  # bytes of a file that is read into memory


@contextmanager
def open_archive(file: Path | IO[bytes]) -> Iterator[ZipFile]:
    """Open a zip; errors of its directory and of files in it are a `HealthFileError`."""
    try:
        with ZipFile(file) as archive:
            yield archive
    except (BadZipFile, ZlibError, EOFError) as error:
        raise HealthFileError(f"The zip is damaged ({error}). Nothing was imported.") from error


def read_gzip(name: str, content: bytes) -> bytes:
    """Return the content of a gzip file.

    Raises:
        HealthFileError: it is a bomb, too large or damaged.
    """
    most = min(_most_bytes(len(content)), _LARGEST)
    try:
        with GzipFile(fileobj=BytesIO(content)) as file:
            unpacked = file.read(most + 1)
    except (BadGzipFile, ZlibError, EOFError) as error:
        raise HealthFileError(f"{name} is damaged ({error}).") from error
    if len(unpacked) > most:
        like_a_bomb = "" if most == _LARGEST else ", as a zip bomb does"
        raise HealthFileError(f"{name} has more than {most:,} bytes{like_a_bomb}.")
    return unpacked


def check_size(entry: ZipInfo) -> None:
    """Reject a file of a zip that is a bomb.

    Raises:
        HealthFileError: it claims more bytes than its compressed ones can hold.
    """
    if entry.file_size > _most_bytes(entry.compress_size):
        raise HealthFileError(
            f"{entry.filename} in the zip claims {entry.file_size:,} bytes in "
            f"{entry.compress_size:,}, as a zip bomb does. Nothing was imported."
        )


def read_entry(archive: ZipFile, entry: ZipInfo) -> bytes:
    """Return a file of a zip.

    Raises:
        HealthFileError: it is a bomb, too large, encrypted, damaged or has an unsupported
            compression.
    """
    check_size(entry)
    if entry.file_size > _LARGEST:
        raise HealthFileError(f"{entry.filename} is larger than {_LARGEST:,} bytes.")
    if entry.flag_bits & 1:
        raise HealthFileError(f"{entry.filename} is encrypted.")
    try:
        return archive.read(entry)
    except (BadZipFile, ZlibError, EOFError, NotImplementedError) as error:
        raise HealthFileError(f"{entry.filename} is damaged ({error}).") from error


def _most_bytes(compressed: int) -> int:
    """Return how many bytes so many compressed ones can hold; a small file may hold more."""
    return max(_BOMB_FROM, compressed * MOST_COMPRESSED)
