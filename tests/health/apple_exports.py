"""Exports as Apple Health writes them, made of a few records or of many."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from xml.sax.saxutils import quoteattr
from zipfile import ZIP_DEFLATED, ZipFile

BERLIN = timezone(timedelta(hours=1))
HEART_RATE = "HKQuantityTypeIdentifierHeartRate"
SDNN = "HKQuantityTypeIdentifierHeartRateVariabilitySDNN"
RESTING = "HKQuantityTypeIdentifierRestingHeartRate"
MASS = "HKQuantityTypeIdentifierBodyMass"
FAT = "HKQuantityTypeIdentifierBodyFatPercentage"
SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"

# Of iOS 16: a bracket is missing, and one is too many.
BROKEN_DTD = """<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 12 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!ELEMENT VisionPrescription ((RightEye|LeftEye)*)>
<!ATTLIST VisionPrescription
  type CDATA #REQUIRED
<!ELEMENT RightEye EMPTY>>
]>
"""
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_ROOT = '<HealthData locale="de_DE">\n <ExportDate value="2026-03-10 06:00:00 +0100"/>\n'
_END = "</HealthData>\n"


def moment(text: str, offset: str = "+0100") -> str:
    """Return a time of March 2026 as the export has it: `moment("02 07:10")`."""
    return f"2026-03-{text}:00 {offset}"


def record(
    kind: str,
    value: object,
    start: str,
    end: str | None = None,
    *,
    unit: str | None = None,
    source: str = "Kim\u2019s Watch",
    zone: str | None = None,
) -> str:
    """Return a Record; `start` and `end` are whole times of the export."""
    values = {
        "type": kind,
        "sourceName": source,
        "unit": unit,
        "creationDate": end or start,
        "startDate": start,
        "endDate": end or start,
        "value": f"{value}",
    }
    given = " ".join(f"{key}={quoteattr(each)}" for key, each in values.items() if each is not None)
    if zone is None:
        return f" <Record {given}/>\n"
    entry = f'<MetadataEntry key="HKTimeZone" value={quoteattr(zone)}/>'
    return f" <Record {given}>\n  {entry}\n </Record>\n"


def asleep(start: str, end: str, stage: str = "AsleepCore", **more: str) -> str:
    """Return a sleep record; the stage as Apple names it."""
    return record(SLEEP, f"HKCategoryValueSleepAnalysis{stage}", start, end, **more)


def xml(*records: str, dtd: str = BROKEN_DTD) -> bytes:
    """Return the XML of an export with these records."""
    return "".join((_HEAD, dtd, _ROOT, *records, _END)).encode()


def zipped(path: Path, content: bytes, name: str = "apple_health_export/export.xml") -> Path:
    """Write a zip with the XML and the clinical document that is beside it."""
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("apple_health_export/export_cda.xml", "<ClinicalDocument/>")
        archive.writestr(name, content)
    return path


def write_large(path: Path, size: int) -> int:
    """Write an XML export of at least `size` bytes, nearly all heart rates; return its days.

    A day has 600 heart rates, 8 variabilities, 20 intervals of sleep, a resting heart rate and a
    weight.
    """
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEAD + BROKEN_DTD + _ROOT)
        while file.tell() < size:
            file.writelines(_day(datetime(2000, 1, 1, 22, tzinfo=BERLIN) + timedelta(days=count)))
            count += 1
        file.write(_END)
    return count


def _day(evening: datetime) -> Iterable[str]:
    yield from _sleep(evening)
    morning = evening + timedelta(hours=9)
    yield record(RESTING, 50 + evening.day % 5, _text(morning), unit="count/min")
    yield record(MASS, 80 + evening.day / 10, _text(morning), unit="kg")
    for at in range(600):
        rate = record(HEART_RATE, 60 + at % 90, _text(morning + timedelta(minutes=at)))
        yield rate


def _sleep(evening: datetime) -> Iterator[str]:
    for at in range(20):
        start = evening + timedelta(minutes=24 * at)
        stage = ("AsleepCore", "AsleepDeep", "AsleepREM")[at % 3]
        yield asleep(_text(start), _text(start + timedelta(minutes=24)), stage)
        if at % 5 < 2:
            yield record(SDNN, 40 + at, _text(start), unit="ms")


def _text(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S %z")
