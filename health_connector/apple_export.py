"""Stream the records of an Apple Health export: export.zip, or the XML file in it.

Memory is bounded by the size of a chunk. The DTD is dropped, because that of iOS 16 is not well
formed, so nothing in the file can define an entity. The XML file in a zip is recognised by its
root: its name follows the language of the phone.
"""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile, ZipInfo
from zlib import error as ZlibError

from health_connector.archive import check_size
from health_connector.errors import HealthFileError

CHUNK = 1 << 18
"""Bytes that are read and parsed at once."""

_LONGEST_PROLOG = 1 << 20  # bytes; a DTD of Apple has 10,000
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_ROOT = re.compile(rb"<HealthData[\s/>]")
_DOCTYPE = b"<!DOCTYPE HealthData"
# XML 1.0 does not allow them, but apps write them into their metadata.
_CONTROL = bytes(each for each in range(32) if each not in b"\t\n\r")
_NO_EXPORT = (
    "The file is no export of Apple Health: it has no element HealthData. In the app Health choose "
    "your picture, then Export All Health Data. Nothing was imported."
)
_EXPORT_AGAIN = "Nothing was imported. Copy the file again, or export it again on the phone."

Progress = Callable[[int, int], None]
"""Receives the bytes that are read, and those of the whole XML file."""


@dataclass(frozen=True, slots=True)
class AppleRecord:
    """A Record of the export; `zone` is its HKTimeZone, an IANA name."""

    attributes: dict[str, str]
    zone: str | None
    line: int


def is_apple_export(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of a zip or of XML."""
    return head.startswith(_ZIP) or head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def read_records(
    path: Path, types: Collection[str], *, progress: Progress = lambda read, size: None
) -> Iterator[AppleRecord]:
    """Yield the records of these types in the order of the file.

    The file is known to be complete only when the iterator ends.

    Raises:
        HealthFileError: the file is no export, damaged, truncated, a zip bomb, or a zip with an
            unsupported compression.
        OSError: the file cannot be read.
    """
    found: list[AppleRecord] = []
    parser = _parser(frozenset(types), found)
    try:
        with _xml_of(path) as (stream, size):
            for chunk in _without_prolog(_chunks(stream, size, progress)):
                parser.Parse(chunk.translate(None, _CONTROL), False)
                yield from found
                found.clear()
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise HealthFileError(
            f"The export is truncated or damaged in line {error.lineno} ({reason}). {_EXPORT_AGAIN}"
        ) from error
    except (BadZipFile, ZlibError, EOFError) as error:
        raise HealthFileError(f"The zip is damaged ({error}). {_EXPORT_AGAIN}") from error
    except NotImplementedError as error:  # by zipfile, of a method such as Deflate64
        raise HealthFileError(
            f"The zip cannot be unpacked here ({error}). Nothing was imported. Unpack it, and "
            "import the XML file."
        ) from error


def _parser(types: frozenset[str], found: list[AppleRecord]) -> expat.XMLParserType:
    """Return a parser that appends the records of these types to `found`."""
    parser = expat.ParserCreate("UTF-8")
    pending: dict[str, str] = {}
    zones: list[str] = []
    line = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal pending, line
        if name == "Record" and attributes.get("type") in types:
            pending, line = attributes, parser.CurrentLineNumber
            parser.EndElementHandler = end
        elif pending and name == "MetadataEntry" and attributes.get("key") == "HKTimeZone":
            zones.append(attributes.get("value", ""))

    def end(name: str) -> None:
        nonlocal pending
        if name == "Record":
            found.append(AppleRecord(pending, zones[0] if zones else None, line))
            pending = {}
            zones.clear()
            parser.EndElementHandler = None

    parser.StartElementHandler = start
    return parser


def _chunks(stream: IO[bytes], size: int, progress: Progress) -> Iterator[bytes]:
    read = 0
    while chunk := stream.read(CHUNK):
        read += len(chunk)
        progress(read, size)
        yield chunk


def _without_prolog(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Drop everything before the root, and keep the numbers of lines."""
    head = b""
    for chunk in chunks:
        head += chunk
        if (root := _ROOT.search(head)) is not None:
            prolog = head[: root.start()]
            if b"<!ENTITY" in prolog:
                raise HealthFileError(
                    "The file defines XML entities, which no export of Apple Health does. Nothing "
                    "was imported."
                )
            yield b"\n" * prolog.count(b"\n")
            yield head[root.start() :]
            yield from chunks
            return
        if len(head) > _LONGEST_PROLOG:
            break
    raise HealthFileError(_NO_EXPORT)


@contextmanager
def _xml_of(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """Open the XML of an export, and yield it with its size in bytes."""
    with path.open("rb") as file:
        is_zip = file.read(4).startswith(_ZIP)
        file.seek(0)
        if not is_zip:
            yield file, path.stat().st_size
            return
        with ZipFile(file) as archive:
            entry = _find_export(archive)
            check_size(entry)
            with archive.open(entry) as stream:
                yield stream, entry.file_size


def _find_export(archive: ZipFile) -> ZipInfo:
    """Return the entry of an archive that is the export; the largest, if there are copies."""
    found: list[ZipInfo] = []
    for entry in archive.infolist():
        if not entry.filename.lower().endswith(".xml"):
            continue
        if entry.flag_bits & 1:
            raise HealthFileError("The zip is encrypted. Unpack it, and import the XML file.")
        with archive.open(entry) as stream:
            head = stream.read(1024)
        if _DOCTYPE in head or _ROOT.search(head):
            found.append(entry)
    if not found:
        raise HealthFileError(_NO_EXPORT)
    return max(found, key=lambda entry: entry.file_size)
