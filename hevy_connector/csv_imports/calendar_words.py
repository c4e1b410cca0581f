"""Month names and parts of the day in every language, from Unicode's CLDR through Babel."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from babel import Locale
from babel.localedata import locale_identifiers

# Tried first, so that a word of a smaller language does not make their files ambiguous.
COMMON_LANGUAGES = (
    "en en_AU es es_MX pt pt_PT de de_AT fr fr_CA it nl tr ru pl ja ko zh zh_Hant ar he hi id ms "
    "th vi sv da nb nn no fi cs sk hu ro el uk bg hr sr sr_Latn sl lt lv et ca eu gl fa fil bn ta "
    "te mr gu kn ml ur"
)
"""Languages of CLDR by number of speakers, roughly."""

_MORNING, _AFTERNOON = frozenset(range(12)), frozenset(range(12, 24))
# Babel falls back to Chinese names in other languages; these have them.
_CJK = frozenset({"zh", "ja", "yue"})
# Languages that write the part of the day before the clock.
_PERIOD_FIRST = ("zh", "zh_Hant", "ja", "ko")

_PATTERN_PART = re.compile(r"'([^']*)'|([A-Za-z]+)")
_BREAKS = re.compile(r"[\s.,;:'\u2019\u2018\u05f3()/\-\u2013\u060c\u00b7\"]+")
# Names of languages without own ones in CLDR: "M01", "1".
_ROOT_NAME = re.compile(r"m?[0-9]+")


@dataclass(frozen=True, eq=False)
class CalendarWords:
    """Words of one language, as `plain_words`, to months 1 to 12 and to hours of the day.

    A month word is a name, or all words around day and year: "de setembro de". A word for two
    months is in neither.
    """

    code: str
    language: str
    months: Mapping[str, int]
    periods: Mapping[str, frozenset[int]]


def plain_words(text: str) -> str:
    """Normalize words for comparison: case, compatibility forms, dots and other punctuation.

    Turkish has a dotted and a dotless i in both cases. No month words differ only in them, so all
    four are treated as one.
    """
    plain = unicodedata.normalize("NFKC", text).lower().replace("i\u0307", "i")
    return " ".join(filter(None, _BREAKS.split(plain.replace("\u0131", "i"))))


def matching_languages(words: Collection[str], periods: Collection[str]) -> list[CalendarWords]:
    """Return the languages with all of these words.

    English alone if it has them, then the common languages, then all others.
    """
    for languages in (_english, _common_languages, _other_languages):
        found = [
            one
            for one in languages()
            if all(word in one.months for word in words)
            and all(period in one.periods for period in periods)
        ]
        if found:
            return found
    return []


def is_month_word(word: str) -> bool:
    """Return whether a common language has this word, as `plain_words`, for a month."""
    return any(
        word in one.months for languages in (_english, _common_languages) for one in languages()
    )


@cache
def _english() -> tuple[CalendarWords, ...]:
    return tuple(_languages(name for name in COMMON_LANGUAGES.split() if name.startswith("en")))


@cache
def _common_languages() -> tuple[CalendarWords, ...]:
    return tuple(_languages(COMMON_LANGUAGES.split()))


@cache
def _other_languages() -> tuple[CalendarWords, ...]:
    common = {name.partition("_")[0] for name in COMMON_LANGUAGES.split()}
    names = [
        name
        for name in locale_identifiers()
        if name.partition("_")[0] not in common and len(name.partition("_")[2]) in (0, 4)
    ]
    return tuple(_languages(names))


@cache
def periods_before_clock() -> tuple[str, ...]:
    """Return the parts of the day that stand before the clock without a blank, longest first."""
    periods = {
        period
        for one in map(Locale.parse, _PERIOD_FIRST)
        for period, _ in _period_hours(one)
        if not period.isascii()
    }
    return tuple(sorted(periods, key=lambda period: (-len(period), period)))


def _languages(names: Iterable[str]) -> Iterator[CalendarWords]:
    variants: dict[str, list[Locale]] = {}
    for name in sorted(names, key=lambda name: len(name) > 3):
        variants.setdefault(name.partition("_")[0], []).append(Locale.parse(name))
    english = Locale("en").languages
    for code, locales in variants.items():
        months: dict[str, set[int]] = {}
        periods: dict[str, frozenset[int]] = {"am": _MORNING, "pm": _AFTERNOON}
        for locale in locales:
            for word, month in _month_words(locale):
                months.setdefault(word, set()).add(month)
            for period, hours in _period_hours(locale):
                periods[period] = periods.get(period, frozenset()) | hours
        clear = {word: min(found) for word, found in months.items() if len(found) == 1}
        yield CalendarWords(code, english.get(code, code), clear, periods)


def _month_words(locale: Locale) -> Iterator[tuple[str, int]]:
    patterns = [locale.date_formats.get(style) for style in ("medium", "long")]
    around = {str(pattern.pattern) for pattern in patterns if pattern is not None}
    for context in ("format", "stand-alone"):
        for width in ("abbreviated", "wide"):
            for month, name in locale.months[context].get(width, {}).items():
                if _ROOT_NAME.fullmatch(plain_words(name)):
                    continue
                if name.endswith("\u6708") and locale.language not in _CJK:
                    continue
                yield plain_words(name), month
                for pattern in around:
                    yield plain_words(_text_around(pattern, name)), month


def _text_around(pattern: str, month_name: str) -> str:
    """Return a date of this pattern without its numbers."""

    def filled(match: re.Match[str]) -> str:
        literal, field = match.groups()
        if field is None:
            return literal
        # A numeric month leaves no name.
        return month_name if field[0] in "ML" and len(field) > 2 else " "

    return _PATTERN_PART.sub(filled, pattern)


def _period_hours(locale: Locale) -> Iterator[tuple[str, frozenset[int]]]:
    rules = locale.day_period_rules.get(None, {})
    for width in ("abbreviated", "wide"):
        for key, name in locale.day_periods["format"].get(width, {}).items():
            if key in ("am", "pm"):
                yield plain_words(name), _MORNING if key == "am" else _AFTERNOON
            for rule in rules.get(key, ()):
                if "from" in rule:
                    yield plain_words(name), _hours_between(rule["from"], rule["before"])
    for literal, _ in _PATTERN_PART.findall(locale.time_formats["short"].pattern):
        if plain_words(literal):
            yield plain_words(literal), _MORNING | _AFTERNOON


def _hours_between(start_s: int, end_s: int) -> frozenset[int]:
    """Return the hours of a part of the day, which may span midnight; seconds after midnight."""
    start, end = start_s // 3600, end_s // 3600
    return frozenset(hour % 24 for hour in range(start, end if start < end else end + 24))
