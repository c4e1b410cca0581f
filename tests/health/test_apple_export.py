"""The stream of an Apple Health export: containers, damage, and a bound of memory."""

import tracemalloc
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from health_connector.apple_export import CHUNK, is_apple_export, read_records
from health_connector.errors import HealthFileError
from tests.health.apple_exports import (
    BROKEN_DTD,
    MASS,
    RESTING,
    moment,
    record,
    write_large,
    xml,
    zipped,
)

PULSE = record(RESTING, 51, moment("02 00:00"), unit="count/min")
WEIGHT = record(MASS, 82.4, moment("02 07:00"), unit="kg", zone="Europe/Berlin")


def read(path: Path) -> list[tuple[str, str | None, int]]:
    """Return value, zone and line of each weight and resting heart rate."""
    found = read_records(path, {MASS, RESTING})
    return [(each.attributes["value"], each.zone, each.line) for each in found]


def write(folder: Path, content: bytes) -> Path:
    path = folder / "export.xml"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("dtd", [BROKEN_DTD, ""], ids=["broken", "none"])
def test_records_have_their_zone_and_line(tmp_path: Path, dtd: str) -> None:
    content = xml(PULSE, WEIGHT, PULSE, dtd=dtd)
    lines = content.decode().splitlines()
    first = next(at for at, line in enumerate(lines, start=1) if "<Record" in line)
    expected = [
        ("51", None, first),
        ("82.4", "Europe/Berlin", first + 1),
        ("51", None, first + 4),
    ]
    assert read(write(tmp_path, content)) == expected
    assert read(zipped(tmp_path / "export.zip", content)) == expected


def test_the_name_in_the_zip_follows_the_language_of_the_phone(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", xml(PULSE), "apple_health_export/\u5bfc\u51fa.xml")
    assert len(read(path)) == 1


def test_control_characters_of_apps_are_ignored(tmp_path: Path) -> None:
    content = xml(PULSE).replace(b"Watch", b"Wat\x0b\x00ch")
    assert len(read(write(tmp_path, content))) == 1


def test_a_zone_is_that_of_its_own_record(tmp_path: Path) -> None:
    """A correlation has metadata after its records."""
    entry = '<MetadataEntry key="HKTimeZone" value="Asia/Tokyo"/>'
    nested = f"<Correlation>{PULSE}{entry}</Correlation>"
    assert [zone for _, zone, _ in read(write(tmp_path, xml(nested, PULSE)))] == [None, None]


@pytest.mark.parametrize("kept", [0.5, 0.9, 0.999], ids=str)
def test_a_truncated_file_is_an_error(tmp_path: Path, kept: float) -> None:
    content = xml(*[PULSE] * 200)
    part = content[: int(len(content) * kept)]
    with pytest.raises(HealthFileError, match=r"truncated or damaged in line \d+.*Nothing was"):
        read(write(tmp_path, part))
    with pytest.raises(HealthFileError, match="truncated or damaged"):
        read(zipped(tmp_path / "export.zip", part))


def test_a_damaged_zip_is_an_error(tmp_path: Path) -> None:
    path = zipped(tmp_path / "export.zip", xml(*[PULSE] * 2000))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(HealthFileError, match="The zip is damaged"):
        read(path)
    middle = len(content) // 2
    path.write_bytes(content[:middle] + bytes(20) + content[middle + 20 :])
    with pytest.raises(HealthFileError, match="damaged"):
        read(path)


@pytest.mark.parametrize(
    "content",
    [b"<html></html>", b"<?xml version='1.0'?><ClinicalDocument/>", b"<" * 3_000_000],
    ids=["page", "clinical document", "long"],
)
def test_other_xml_is_no_export(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(HealthFileError, match="no export of Apple Health"):
        read(write(tmp_path, content))
    with pytest.raises(HealthFileError, match="no export of Apple Health"):
        read(zipped(tmp_path / "export.zip", content))


def test_a_zip_with_an_unsupported_method_is_to_be_unpacked(tmp_path: Path) -> None:
    """Windows writes large zips with Deflate64, method 9, which was an unhandled error."""
    path = tmp_path / "export.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("export.xml", xml(PULSE))
    content = bytearray(path.read_bytes())
    local, central = content.index(b"PK\x03\x04"), content.index(b"PK\x01\x02")
    # The method is at 8 in the header of a file, at 10 in its entry of the directory.
    content[local + 8] = content[central + 10] = 9
    path.write_bytes(content)
    with pytest.raises(HealthFileError, match=r"not supported.*Unpack it, and import the XML"):
        read(path)


def test_an_empty_zip_is_no_export(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "export.zip", "w"):
        pass
    with pytest.raises(HealthFileError, match="no export of Apple Health"):
        read(tmp_path / "export.zip")


def test_entities_are_rejected_before_they_expand(tmp_path: Path) -> None:
    bomb = BROKEN_DTD.replace("]>", '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>')
    with pytest.raises(HealthFileError, match="defines XML entities"):
        read(write(tmp_path, xml(PULSE, dtd=bomb)))
    undefined = xml(PULSE.replace("51", "&b;"))
    with pytest.raises(HealthFileError, match="undefined entity"):
        read(write(tmp_path, undefined))


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive, archive.open("export.xml", "w") as file:
        file.write(xml(PULSE).removesuffix(b"</HealthData>\n"))
        for _ in range(32):
            file.write(bytes(1 << 20))
    with pytest.raises(HealthFileError, match="as a zip bomb does"):
        read(path)


@pytest.mark.long
def test_the_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """12 MB are read with less than 4 MB, in chunks of a quarter of a megabyte."""
    path = tmp_path / "large.xml"
    days = write_large(path, 12 << 20)
    zip_path = zipped(tmp_path / "export.zip", path.read_bytes())
    told: list[tuple[int, int]] = []
    for each in (path, zip_path):
        tracemalloc.start()
        records = read_records(
            each, {RESTING}, progress=lambda read, size: told.append((read, size))
        )
        assert sum(1 for _ in records) == days
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 16 * CHUNK
        assert told[-1] == (path.stat().st_size, path.stat().st_size)


@pytest.mark.parametrize(
    ("head", "is_export"),
    [
        (b"PK\x03\x04", True),
        (b"\xef\xbb\xbf<?xml", True),
        (b"\n<HealthData>", True),
        (b"date,weight_kg", False),
        (b"", False),
    ],
)
def test_the_kind_of_a_file_is_in_its_first_bytes(head: bytes, is_export: bool) -> None:
    assert is_apple_export(head) is is_export
