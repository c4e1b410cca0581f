"""Exports in the languages of the app and of the phone, with words written by hand."""
# ruff: noqa: RUF001 - letters of other scripts are the subject.

from datetime import datetime
from pathlib import Path

import pytest

from hevy_connector.csv_imports.calendar_words import matching_languages
from hevy_connector.csv_imports.times import detect_date_style, parse_written_time
from hevy_connector.errors import CsvFormatError
from tests.connector.csv_imports.exports import UTC, all_sets, hevy_export, read, workouts

# January to December, as the phones of this language abbreviate them.
ABBREVIATIONS = {
    "English": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "Spanish": "ene feb mar abr may jun jul ago sep oct nov dic",
    "Portuguese": "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.",
    "German": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
    "French": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "Italian": "gen feb mar apr mag giu lug ago set ott nov dic",
    "Dutch": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "Turkish": "Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara",
    "Russian": "янв. февр. мар. апр. мая июн. июл. авг. сент. окт. нояб. дек.",
    "Polish": "sty lut mar kwi maj cze lip sie wrz paź lis gru",
    "Japanese": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
    "Korean": "1월 2월 3월 4월 5월 6월 7월 8월 9월 10월 11월 12월",
    "Swedish": "jan. feb. mars apr. maj juni juli aug. sep. okt. nov. dec.",
    "Danish": "jan. feb. mar. apr. maj jun. jul. aug. sep. okt. nov. dec.",
    "Norwegian": "jan. feb. mars apr. mai juni juli aug. sep. okt. nov. des.",
    "Finnish": (
        "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta "
        "syyskuuta lokakuuta marraskuuta joulukuuta"
    ),
    "Czech": "led úno bře dub kvě čvn čvc srp zář říj lis pro",
    "Slovak": "jan feb mar apr máj jún júl aug sep okt nov dec",
    "Hungarian": "jan. febr. márc. ápr. máj. jún. júl. aug. szept. okt. nov. dec.",
    "Romanian": "ian. feb. mar. apr. mai iun. iul. aug. sept. oct. nov. dec.",
    "Greek": "Ιαν Φεβ Μαρ Απρ Μαΐ Ιουν Ιουλ Αυγ Σεπ Οκτ Νοε Δεκ",
    "Ukrainian": "січ. лют. бер. квіт. трав. черв. лип. серп. вер. жовт. лист. груд.",
    "Croatian": "sij velj ožu tra svi lip srp kol ruj lis stu pro",
    "Indonesian": "Jan Feb Mar Apr Mei Jun Jul Agu Sep Okt Nov Des",
    "Thai": "ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.",
    "Arabic": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "Hebrew": "ינו׳ פבר׳ מרץ אפר׳ מאי יוני יולי אוג׳ ספט׳ אוק׳ נוב׳ דצמ׳",
    "Hindi": "जन॰ फ़र॰ मार्च अप्रैल मई जून जुल॰ अग॰ सित॰ अक्टू॰ नव॰ दिस॰",
    "Catalan": "gen. febr. març abr. maig juny jul. ag. set. oct. nov. des.",
    "Lithuanian": (
        "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio "
        "lapkričio gruodžio"
    ),
    "Swahili": "Jan Feb Mac Apr Mei Jun Jul Ago Sep Okt Nov Des",
    "Icelandic": "jan. feb. mar. apr. maí jún. júl. ágú. sep. okt. nóv. des.",
}

LOCALE_CASES = Path(__file__).resolve().parents[3].parent / "shared" / "cases" / "locale-months"


@pytest.mark.parametrize("language", ABBREVIATIONS)
def test_an_export_of_each_language_has_all_its_months(language: str) -> None:
    rows = [
        {
            "title": f"Day {month}",
            "start_time": f"10 {word} 2025, 18:02",
            "end_time": f"10 {word} 2025, 19:01",
            "set_index": str(index),
            "weight_kg": f"{60 + month},{index}5",
        }
        for month, word in enumerate(ABBREVIATIONS[language].split(), start=1)
        for index in range(2)
    ]
    result = read(hevy_export(*rows), UTC)
    assert (result.rows_read, len(result.workouts), result.rejected) == (24, 12, ())
    assert [one["start_time"] for one in workouts(result)] == [
        f"2025-{month:02}-10T18:02:00+00:00" for month in range(1, 13)
    ]
    # 61.05 + 61.15 + … + 72.05 + 72.15 = 2 * (61 + … + 72) + 12 * 0.2.
    assert sum(one["weight_kg"] for one in all_sets(result)) == pytest.approx(1598.4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("4 мар. 2026 г., 18:02", "2026-03-04 18:02", id="Russian"),
        pytest.param("4 бер. 2026 р., 18:02", "2026-03-04 18:02", id="Ukrainian"),
        pytest.param("2026. márc. 4. 18:02", "2026-03-04 18:02", id="Hungarian"),
        pytest.param("2026年3月4日 18:02", "2026-03-04 18:02", id="Chinese"),
        pytest.param("2026年3月4日 下午6:02", "2026-03-04 18:02", id="Traditional Chinese"),
        pytest.param("2026年3月4日 晚上8:02", "2026-03-04 20:02", id="in the evening"),
        pytest.param("2026/03/04 18:02", "2026-03-04 18:02", id="Japanese"),
        pytest.param("2026年3月4日 午後6:02", "2026-03-04 18:02", id="Japanese, 12 hours"),
        pytest.param("2026. 3. 4. 오후 6:02", "2026-03-04 18:02", id="Korean"),
        pytest.param("2026년 3월 4일 오전 6:02", "2026-03-04 06:02", id="Korean long"),
        pytest.param("18:02 4 thg 3, 2026", "2026-03-04 18:02", id="Vietnamese"),
        pytest.param("4 thg 10, 2026, 18:02", "2026-10-04 18:02", id="Vietnamese, date first"),
        pytest.param("4.3.2026 18.02", "2026-03-04 18:02", id="Finnish"),
        pytest.param("4. 3. 2026 18:02", "2026-03-04 18:02", id="Czech"),
        pytest.param("4. ožu 2026. 18:02", "2026-03-04 18:02", id="Croatian"),
        pytest.param("4 במרץ 2026, 18:02", "2026-03-04 18:02", id="Hebrew"),
        pytest.param("4 מרץ 2026, 18:02", "2026-03-04 18:02", id="Hebrew without a prefix"),
        pytest.param("4 de març del 2026, 18:02", "2026-03-04 18:02", id="Catalan"),
        pytest.param("4 de marzo de 2026, 6:02 p. m.", "2026-03-04 18:02", id="Spanish"),
        pytest.param("4 mars 2026 18 h 02", "2026-03-04 18:02", id="Canadian"),
        pytest.param("4 Μαρ 2026, 6:02 μ.μ.", "2026-03-04 18:02", id="Greek"),
        pytest.param("4 มี.ค. 2569 18:02", "2026-03-04 18:02", id="Thai, Buddhist year"),
        pytest.param("٤ مارس ٢٠٢٦، ٦:٠٢ م", "2026-03-04 18:02", id="Arabic digits"),
        pytest.param("4 मार्च 2026, 6:02 pm", "2026-03-04 18:02", id="Hindi"),
        pytest.param("2026 m. kovo 4 d. 18:02", "2026-03-04 18:02", id="Lithuanian"),
        pytest.param("2026. gada 4. marts 18:02", "2026-03-04 18:02", id="Latvian"),
    ],
)
def test_the_forms_of_a_phone_are_read(text: str, expected: str) -> None:
    style = detect_date_style([(2, text)])
    assert parse_written_time(text, style) == datetime.fromisoformat(expected)


def test_half_the_hours_of_a_part_of_the_day_are_not_guessed() -> None:
    """An hour that occurs twice in a part of the day names neither."""
    [korean, *_] = matching_languages(["3월"], ["오전"])
    assert korean.periods["오전"] == frozenset(range(12))
    style = detect_date_style([(2, "2026. 3. 4. 오전 12:02")])
    assert parse_written_time("2026. 3. 4. 오전 12:02", style).hour == 0


def test_a_calendar_of_other_months_is_refused_with_advice() -> None:
    persian = {"start_time": "۱۳ اسفند ۱۴۰۴، ۱۸:۰۲", "end_time": "۱۳ اسفند ۱۴۰۴، ۱۹:۰۲"}
    with pytest.raises(CsvFormatError, match="to English, export the workouts again"):
        read(hevy_export(persian))


def test_the_language_of_many_dates_is_found_at_once() -> None:
    """The words of each language are compared once per file, not once per row."""
    dates = [
        (line, f"{line % 28 + 1} {word} {2000 + line % 25}, 18:{line % 60:02}")
        for line in range(20_000)
        for word in (ABBREVIATIONS["Polish"].split()[line % 12],)
    ]
    style = detect_date_style(dates)
    assert style.words is not None
    assert style.words.language == "Polish"
    months = [parse_written_time(text, style).month for _, text in dates]
    assert months == [line % 12 + 1 for line in range(20_000)]


@pytest.mark.skipif(not LOCALE_CASES.exists(), reason="the cases are not on this machine")
@pytest.mark.parametrize("language", ["it", "ja", "nl", "pl"])
def test_the_shared_cases_have_a_workout_in_each_month(language: str) -> None:
    result = read((LOCALE_CASES / f"loc_{language}.csv").read_bytes())
    assert (len(result.workouts), result.rejected) == (12, ())
    starts = [datetime.fromisoformat(one["start_time"]) for one in workouts(result)]
    assert sorted((one.month, one.day) for one in starts) == [(at, 10) for at in range(1, 13)]
