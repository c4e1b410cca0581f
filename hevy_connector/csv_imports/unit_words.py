"""Units in every usual spelling, and in the languages of Unicode's CLDR through Babel."""

import re
import unicodedata
from collections.abc import Collection, Mapping
from functools import cache
from typing import Final, Literal

# Strong measures in metres too, but that is no option for a file without a unit.
FileUnit = Literal["kg", "lb", "km", "mi", "m", "s", "ft", "yd", "cm", "in"]

SPELLINGS: Final[Mapping[FileUnit, str]] = {
    "kg": "kg kgs kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes quilo quilos "
    "chilo chili 公斤 千克",
    "lb": "lb lbs pound pounds # livre livres pfund libra libras 磅",
    "km": "km kms kilometer kilometers kilometre kilometres 公里 千米",
    "mi": "mi mile miles meile meilen 英里",
    "m": "m meter meters metre metres 米",
    "ft": "ft foot feet",
    "yd": "yd yds yard yards",
    "cm": "cm centimeter centimeters centimetre centimetres",
    "in": "in inch inches",
}
"""Spellings of apps and people; the names of CLDR count as well."""

_CLDR_NAMES: Final[Mapping[str, FileUnit]] = {
    "mass-kilogram": "kg",
    "mass-pound": "lb",
    "length-kilometer": "km",
    "length-mile": "mi",
    "length-meter": "m",
    "length-foot": "ft",
    "length-yard": "yd",
    "length-centimeter": "cm",
    "length-inch": "in",
}
# These numbers take all forms of the plural in most languages.
_COUNTS: Final = (1, 2, 5, 1.5)
_NUMBER = re.compile(r"[\d.,]+")
_KNOWN: Final[Mapping[str, FileUnit]] = {
    word: unit for unit, words in SPELLINGS.items() for word in words.split()
}


def find_unit(text: str, among: Collection[FileUnit]) -> FileUnit | None:
    """Return the unit of a spelling, if it is one of these; None otherwise."""
    word = _unit_word(text)
    if not word:
        return None
    unit = _KNOWN.get(word) or local_unit_words().get(word)
    return unit if unit in among else None


@cache
def local_unit_words() -> Mapping[str, FileUnit]:
    """Return the names and abbreviations of units in common languages.

    A word for two units is in neither; CLDR has none.
    """
    from babel import Locale
    from babel.units import format_unit, get_unit_name

    from hevy_connector.csv_imports.calendar_words import COMMON_LANGUAGES

    found: dict[str, set[FileUnit]] = {}
    for locale in map(Locale.parse, COMMON_LANGUAGES.split()):
        for name, unit in _CLDR_NAMES.items():
            written = [get_unit_name(name, "long", locale) or ""]
            for count in _COUNTS:
                written.append(format_unit(count, name, "long", locale=locale))
                written.append(format_unit(count, name, "short", locale=locale))
            for text in written:
                found.setdefault(_unit_word(_NUMBER.sub("", text)), set()).add(unit)
    return {word: units.pop() for word, units in found.items() if word and len(units) == 1}


def _unit_word(text: str) -> str:
    """Normalize the spelling of a unit: case, outer blanks, marks of direction, a final dot."""
    shown = "".join(each for each in text if unicodedata.category(each) != "Cf")
    return unicodedata.normalize("NFKC", shown).strip().casefold().rstrip(".").strip()
