from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from hevy_connector.csv_imports.durations import parse_duration
from hevy_connector.csv_imports.times import detect_date_style, parse_written_time
from hevy_connector.errors import CsvFormatError
from tests.connector.csv_imports.exports import BERLIN, hevy_export, read, workouts

MONTH_WORDS = {
    "English": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "Spanish": "ene feb mar abr may jun jul ago sep oct nov dic",
    "Portuguese": "Jan Fev Mar Abr Mai Jun Jul Ago Set Out Nov Dez",
    "Brazilian": "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.",
    "Turkish": "Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara",
    "Turkish capitals": "OCA ŞUB MAR NİS MAY HAZ TEM AĞU EYL EKİ KAS ARA",
    "German": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
    "French": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
}


def parsed(text: str, *others: str) -> datetime:
    """Return the first of these dates of one file."""
    return parse_written_time(text, detect_date_style(enumerate((text, *others), start=2)))


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("4 Mar 2026, 18:02", "2026-03-04 18:02", id="classic"),
        pytest.param("04 Mar 2026, 18:02", "2026-03-04 18:02", id="zero-padded day"),
        pytest.param("  4 Mar 2026, 18:02 ", "2026-03-04 18:02", id="blanks around"),
        pytest.param("29 Feb 2024, 00:00", "2024-02-29 00:00", id="leap day"),
        pytest.param("Jun 11, 2026, 1:01 PM", "2026-06-11 13:01", id="US"),
        pytest.param("Jun 11, 2026, 1:01\u202fPM", "2026-06-11 13:01", id="US narrow blank"),
        pytest.param("Jun 11, 2026, 1:01 p.m.", "2026-06-11 13:01", id="US dotted"),
        pytest.param("Jun 11, 2026, 12:05 AM", "2026-06-11 00:05", id="after midnight"),
        pytest.param("Jun 11, 2026, 12:05 PM", "2026-06-11 12:05", id="after noon"),
        pytest.param("11 Jun 2026, 1:01 PM", "2026-06-11 13:01", id="12 hours, day first"),
        pytest.param("17 may 2024, 19:40", "2024-05-17 19:40", id="Spanish"),
        pytest.param("5 Mai 2026, 07:34", "2026-05-05 07:34", id="Portuguese"),
        pytest.param("4 de set. de 2026, 15:16", "2026-09-04 15:16", id="Brazilian"),
        pytest.param("11 Nis 2026, 13:05", "2026-04-11 13:05", id="Turkish"),
        pytest.param("25 Juli 2026, 14:21", "2026-07-25 14:21", id="German"),
        pytest.param("25. Juli 2026, 14:21", "2026-07-25 14:21", id="German with a dot"),
        pytest.param("18 sept. 2026, 17:31", "2026-09-18 17:31", id="French"),
        pytest.param("2 fe\u0301vr. 2026, 17:31", "2026-02-02 17:31", id="accent by itself"),
        pytest.param("2024-12-28 11:11:00", "2024-12-28 11:11", id="converted"),
        pytest.param("2025-04-02 18:10:45", "2025-04-02 18:10:45", id="Strong"),
        pytest.param("2024-12-28T10:11:00Z", "2024-12-28 10:11+00:00", id="UTC"),
        pytest.param("2024-12-28T10:11:00.5Z", "2024-12-28 10:11+00:00", id="UTC, fractions"),
        pytest.param("2024-12-28T10:11:00+02:00", "2024-12-28 08:11+00:00", id="offset"),
        pytest.param("2024/1/9 7:30", "2024-01-09 07:30", id="spreadsheet, year first"),
        pytest.param("9.1.2024 7:30", "2024-01-09 07:30", id="spreadsheet, dots"),
        pytest.param("9-13-2024 7.30", "2024-09-13 07:30", id="dashes, dot in the clock"),
        pytest.param("13/1/2024 7:30", "2024-01-13 07:30", id="spreadsheet, day first"),
        pytest.param("1/13/2024 7:30", "2024-01-13 07:30", id="spreadsheet, month first"),
        pytest.param("3/3/2024", "2024-03-03 00:00", id="spreadsheet, without time"),
    ],
)
def test_every_form_of_a_date_is_read(text: str, expected: str) -> None:
    assert parsed(text) == moment(expected)


@pytest.mark.parametrize(
    ("word", "month"),
    [
        pytest.param(word, month, id=f"{language} {word}")
        for language, words in MONTH_WORDS.items()
        for month, word in enumerate(words.split(), start=1)
    ],
)
def test_every_month_is_known(word: str, month: int) -> None:
    for written in (word, word.upper(), word.lower()):
        assert parsed(f"9 {written} 2025, 12:00") == datetime(2025, month, 9, 12)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not written like"),
        ("yesterday", "not written like"),
        ("4 Mar 2026", "not written like"),
        ("30 Feb 2026, 18:02", "day"),
        ("4 Mar 2026, 24:00", "hour must be in"),
        ("Mar 4, 2026, 13:02 PM", "the hour must be in 1..12"),
        ("Mar 4, 2026, 0:02 AM", "the hour must be in 1..12"),
        ("Mar 4, 2026, 6:02 zzz", "the part of the day 'zzz' is not known"),
        ("13/13/2026 18:02", "month must be in"),
        ("0001-01-01T00:00:00+02:00", "out of the calendar"),
        ("2024-12-28T10:11:00+99:00", "offset"),
    ],
)
def test_a_text_that_is_no_time_is_rejected_with_the_reason(text: str, reason: str) -> None:
    style = detect_date_style([(2, "4 Mar 2026, 18:02"), (3, "13/2/2026 10:00")])
    with pytest.raises(ValueError, match=reason):
        parse_written_time(text, style)


@pytest.mark.parametrize(
    ("dates", "reason"),
    [
        pytest.param(
            ["4 Mar 2026, 18:02", "4 Xyz 2026, 18:02"],
            "Line 3: the month of '4 Xyz 2026, 18:02' is not known in any language. Set the "
            "language of the app and of the phone to English",
            id="unknown month",
        ),
        pytest.param(
            ["4 de foo. de 2026, 18:02"], "Line 2: the month of '4 de foo", id="unknown with de"
        ),
        pytest.param(
            ["4 Mar 2026, 18:02", "4 Eki 2026, 18:02", "4 Dec 2026, 18:02"],
            "No single language has all months of the file",
            id="two languages",
        ),
        # November in Polish and Czech, October in Croatian.
        pytest.param(
            ["4 lis 2025, 18:02"],
            "Line 2: '4 lis 2025, 18:02' is month 10 in Croatian and month 11 in (Polish|Czech), "
            "and no other row decides",
            id="ambiguous month",
        ),
        pytest.param(
            ["4/3/2026 18:02", "5/3/2026 18:02"],
            "Day and month are ambiguous: '4/3/2026 18:02' in line 2",
            id="ambiguous order",
        ),
        pytest.param(
            ["13/3/2026 18:02", "3/13/2026 18:02"],
            r"writes the day first \('13/3/2026 18:02' in line 2\) and the month first",
            id="both orders",
        ),
        pytest.param(
            ["at noon", ""], "No date of the file can be read. Line 2: 'at noon'", id="no date"
        ),
    ],
)
def test_a_file_without_one_clear_style_is_refused(dates: list[str], reason: str) -> None:
    with pytest.raises(CsvFormatError, match=reason):
        detect_date_style(enumerate(dates, start=2))


def test_one_damaged_month_is_left_to_its_row() -> None:
    """Its workout has two times, on one day; the others stay readable."""
    damaged = ("7 M?r 2026, 18:02", "7 M?r 2026, 19:02")
    style = detect_date_style(
        enumerate(("4 Mar 2026, 18:02", *damaged, "9 Mar 2026, 18:02"), start=2)
    )
    assert parse_written_time("9 Mar 2026, 18:02", style) == moment("2026-03-09 18:02")
    for text in damaged:
        with pytest.raises(ValueError, match=r"the month 'm\?r' is not known"):
            parse_written_time(text, style)


def test_an_unknown_month_on_several_days_refuses_the_file() -> None:
    dates = [f"{day} Mar 2026, 18:02" for day in range(1, 9)]
    with pytest.raises(CsvFormatError, match="Line 10: the month of '1 Xyz 2026"):
        detect_date_style(enumerate([*dates, "1 Xyz 2026, 18:02", "3 Xyz 2026, 18:02"], start=2))


@pytest.mark.parametrize(
    ("other", "month"),
    [
        pytest.param("4 sty 2025, 18:02", 11, id="Polish January"),
        pytest.param("4 ruj 2025, 18:02", 10, id="Croatian September"),
    ],
)
def test_another_month_decides_the_language_of_the_file(other: str, month: int) -> None:
    assert parsed("4 lis 2025, 18:02", other).month == month


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param("13/2/2026 10:00", "2026-03-04", id="day first"),
        pytest.param("2/13/2026 10:00", "2026-04-03", id="month first"),
    ],
)
def test_one_day_above_twelve_decides_the_order_for_the_whole_file(
    other: str, expected: str
) -> None:
    spans = [{"start_time": time, "end_time": time} for time in ("4/3/2026 18:02", other)]
    first, _ = workouts(read(hevy_export(*spans)))
    assert first["start_time"].startswith(expected)


def test_without_a_day_above_twelve_the_file_is_refused() -> None:
    with pytest.raises(CsvFormatError, match="Day and month are ambiguous"):
        read(hevy_export({"start_time": "4/3/2026 18:02"}, {}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("4 Mar 2026, 18:02", "2026-03-04T17:02:00+00:00", id="winter"),
        pytest.param("11 Jun 2026, 13:01", "2026-06-11T11:01:00+00:00", id="summer"),
        pytest.param("2026-06-11T13:01:00Z", "2026-06-11T13:01:00+00:00", id="named zone"),
    ],
)
def test_local_times_become_utc(text: str, expected: str) -> None:
    [workout] = workouts(read(hevy_export({"start_time": text, "end_time": text})))
    assert (workout["start_time"], workout["end_time"]) == (expected, expected)


@pytest.mark.parametrize(
    ("start", "end", "expected_start", "expected_end"),
    [
        # Berlin 2025: 26 Oct 03:00 (+2) becomes 02:00 (+1); 30 Mar 02:00 (+1) becomes 03:00 (+2).
        pytest.param(
            "26 Oct 2025, 02:10", "26 Oct 2025, 02:50", "00:10", "00:50", id="repeated hour"
        ),
        pytest.param(
            "26 Oct 2025, 02:30", "26 Oct 2025, 02:10", "00:30", "01:10", id="across the change"
        ),
        pytest.param(
            "30 Mar 2025, 02:30", "30 Mar 2025, 04:00", "01:30", "02:00", id="skipped hour"
        ),
        pytest.param(
            "30 Mar 2025, 02:30", "30 Mar 2025, 03:10", "00:30", "01:10", id="skipped, end near"
        ),
    ],
)
def test_the_hours_of_the_clock_changes_give_a_possible_workout(
    start: str, end: str, expected_start: str, expected_end: str
) -> None:
    [workout] = workouts(read(hevy_export({"start_time": start, "end_time": end}), BERLIN))
    assert workout["start_time"][11:16] == expected_start
    assert workout["end_time"][11:16] == expected_end


def test_a_file_in_utc_is_the_same_wherever_it_is_read() -> None:
    content = hevy_export(
        {"start_time": "2026-06-11T13:01:00Z", "end_time": "2026-06-11T14:00:00Z"}
    )
    assert read(content, BERLIN) == read(content, ZoneInfo("Asia/Tokyo"))
    [workout] = workouts(read(content))
    assert datetime.fromisoformat(workout["end_time"]) == datetime(2026, 6, 11, 14, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h 13m", 4380),
        ("2h", 7200),
        ("59m", 3540),
        ("55s", 55),
        ("38min", 2280),
        ("1h 2min", 3720),
        ("1h 2m 3s", 3723),
        ("48h 40m", 175_200),
        ("1小时13分钟", 4380),
        ("2小时", 7200),
        ("51分钟", 3060),
        ("11秒", 11),
    ],
)
def test_every_form_of_a_duration_is_read(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "90", "an hour", "-5m", "1m 2h", "9999999h"])
def test_a_text_that_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not written like '1h 13m'"):
        parse_duration(text)
