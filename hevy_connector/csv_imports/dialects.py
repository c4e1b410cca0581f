"""Export formats of the supported apps, as data.

A column has one meaning, independent of its name in the file: unit, language and age of the export
change only the name. Source: exports of Hevy since 2023 and of Strong since 2015; for FitNotes the
headers that public parsers of its files agree on.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hevy_connector.csv_imports.unit_words import FileUnit, find_unit

Unit = Literal["kg", "lb"]
DistanceUnit = Literal["km", "mi"]


@dataclass(frozen=True)
class Column:
    """Meaning of a column, with the unit or the language that its name implies."""

    meaning: str
    unit: FileUnit | None = None
    language: str | None = None


@dataclass(frozen=True)
class App:
    """An app with an export: the required meanings, and its column names as `plain_name`.

    `headerless` are the column orders of its files without a header. `is_guessed`: it is a table
    whose columns are known by their names alone.
    """

    name: str
    required: tuple[str, ...]
    columns: Mapping[str, Column]
    headerless: tuple[tuple[str, ...], ...] = ()
    is_guessed: bool = False


@dataclass(frozen=True)
class Layout:
    """Layout of one file: the position of each meaning and the units in the header.

    `width` is the number of columns, `first_row_at` the index (from 0) of the first line after the
    header. `names` are the columns' names in the file, `extras` the positions of columns without a
    meaning, by name.
    """

    app: App
    delimiter: str
    width: int
    first_row_at: int
    places: Mapping[str, int]
    names: Mapping[str, str]
    units: Mapping[str, FileUnit] = field(default_factory=dict)
    language: str | None = None
    extras: Mapping[str, int] = field(default_factory=dict)
    has_header: bool = True

    def __str__(self) -> str:
        delimiter = {",": "commas", ";": "semicolons", "\t": "tabs"}[self.delimiter]
        parts = [self.app.name, delimiter]
        if self.app is HEVY:
            parts = [f"Hevy ({self.units['weight']}, {self.units['distance']})"]
            parts += [delimiter] if self.delimiter != "," else []
        if not self.has_header:
            parts.append("no header")
        if self.app.is_guessed:
            parts += [f"{name!r} is {meaning}" for meaning, name in self.names.items()]
        if self.language is not None:
            parts.append(f"{self.language} header")
        return ", ".join(parts)


def plain_name(name: str) -> str:
    """Normalize a column name: case, outer blanks and spelling variants."""
    composed = unicodedata.normalize("NFC", name).replace("\u2019", "'")
    return " ".join(composed.lower().split())


HEVY = App(
    name="Hevy",
    required=(
        "title",
        "start_time",
        "end_time",
        "description",
        "exercise_title",
        "exercise_notes",
        "set_index",
        "set_type",
        "weight",
        "reps",
        "distance",
        "duration_seconds",
        "rpe",
    ),
    columns={
        "title": Column("title"),
        "start_time": Column("start_time"),
        "end_time": Column("end_time"),
        "description": Column("description"),
        "exercise_title": Column("exercise_title"),
        "superset_id": Column("superset_id"),
        "exercise_notes": Column("exercise_notes"),
        "set_index": Column("set_index"),
        "set_type": Column("set_type"),
        "weight_kg": Column("weight", "kg"),
        "weight_lbs": Column("weight", "lb"),
        "reps": Column("reps"),
        "distance_km": Column("distance", "km"),
        "distance_miles": Column("distance", "mi"),
        "duration_seconds": Column("duration_seconds"),
        "rpe": Column("rpe"),
    },
)

_STRONG_ENGLISH = {
    "workout #": Column("workout_number"),
    "date": Column("date"),
    "workout name": Column("workout_name"),
    "duration": Column("duration"),
    "workout duration": Column("duration"),
    "duration (sec)": Column("duration", "s"),
    "exercise name": Column("exercise_name"),
    "set order": Column("set_order"),
    "weight": Column("weight"),
    "weight (kg)": Column("weight", "kg"),
    "weight (lb)": Column("weight", "lb"),
    "weight (lbs)": Column("weight", "lb"),
    "kg": Column("weight", "kg"),
    "lb": Column("weight", "lb"),
    "lbs": Column("weight", "lb"),
    "weight unit": Column("weight_unit"),
    "reps": Column("reps"),
    "rpe": Column("rpe"),
    "distance": Column("distance"),
    "distance (meters)": Column("distance", "m"),
    "distance (km)": Column("distance", "km"),
    "distance (miles)": Column("distance", "mi"),
    "km": Column("distance", "km"),
    "mi": Column("distance", "mi"),
    "miles": Column("distance", "mi"),
    "distance unit": Column("distance_unit"),
    "seconds": Column("seconds"),
    "notes": Column("notes"),
    "workout notes": Column("workout_notes"),
}

# In the order of S1: no other dialect was found translated.
_TRANSLATED = (
    "date",
    "workout_name",
    "duration",
    "exercise_name",
    "set_order",
    "weight",
    "reps",
    "distance",
    "seconds",
    "notes",
    "workout_notes",
)
_STRONG_TRANSLATIONS = {
    "German": "Datum,Workout-Name,Dauer,Name der Übung,Reihenfolge festlegen,Gewicht,Wiederh.,"
    "Entfernung,Sekunden,Notizen,Workout-Notizen",
    "French": "Date,Nom de l'entraînement,Durée,Nom de l'exercice,Ordre de la série,Poids,Réps,"
    "Distance,Secondes,Notes,Notes d'entraînement",
    "Chinese": "日期,锻炼名称,时长,运动名称,设置顺序,重量,次,距离,秒,备注,锻炼备注",
}

STRONG = App(
    name="Strong",
    required=(
        "date",
        "workout_name",
        "exercise_name",
        "set_order",
        "weight",
        "reps",
        "distance",
        "seconds",
    ),
    columns={
        plain_name(name): Column(meaning, language=language)
        for language, names in _STRONG_TRANSLATIONS.items()
        for meaning, name in zip(_TRANSLATED, names.split(","), strict=True)
    }
    | _STRONG_ENGLISH,
    headerless=tuple(
        (
            "date",
            "workout_name",
            "exercise_name",
            "set_order",
            "weight",
            "weight_unit",
            "reps",
            "rpe",
            "distance",
            "distance_unit",
            "seconds",
            "notes",
            "workout_notes",
            *last,
        )
        for last in ((), ("duration",))
    ),
)

# Android names the unit in each row, iOS writes each weight in both units. Older Android files have
# the unit in the header.
FITNOTES = App(
    name="FitNotes",
    required=("date", "exercise_name", "category", "reps"),
    columns={
        "date": Column("date"),
        "exercise": Column("exercise_name"),
        "category": Column("category"),
        "weight": Column("weight"),
        "weight (kg)": Column("weight_kg", "kg"),
        "weight (lbs)": Column("weight_lb", "lb"),
        "weight unit": Column("weight_unit"),
        "reps": Column("reps"),
        "distance": Column("distance"),
        "distance unit": Column("distance_unit"),
        "time": Column("duration"),
        "comment": Column("notes"),
        "comments": Column("notes"),
        "notes": Column("notes"),
        "kind": Column("kind"),
    },
)

APPS = (HEVY, STRONG, FITNOTES)

LANGUAGES = ("English", *_STRONG_TRANSLATIONS)

# Values of `Set Order` on rows that are no sets. "Ruhezeit" is the German "Rest Timer".
REST_WORDS = frozenset({"rest timer", "ruhezeit"})
NOTE_WORDS = frozenset({"note"})

UNITS_OF: Mapping[str, tuple[FileUnit, ...]] = {
    "weight": ("kg", "lb"),
    "distance": ("km", "mi", "m", "ft", "yd", "cm", "in"),
}
"""Units of a quantity, by the meaning of its column."""

# "weight (kg)", "weight[kg]", with brackets of full width, or without any: "weight_kg".
_UNIT_NAMES = (
    re.compile(r"(?P<name>.+?)\s*[(\[（【]\s*(?P<unit>[^()\[\]（）【】]+?)\s*[)\]）】]"),  # noqa: RUF001
    re.compile(r"(?P<name>.+?)[\s_,/:-]+(?:in\s+)?(?P<unit>[^\W\d_]+\.?|#)"),
)


def find_column(app: App, name: str) -> Column | None:
    """Return the column of an app with this `plain_name`.

    The name may end with a unit: "weight (lbs.)", "weight_kg".
    """
    if name in app.columns:
        return app.columns[name]
    for match in _unit_matches(name):
        base = app.columns.get(match["name"])
        if base is not None and base.unit is None:
            unit = find_unit(match["unit"], UNITS_OF.get(base.meaning, ()))
            if unit is not None:
                return Column(base.meaning, unit, base.language)
    return None


def unit_in_name(meaning: str, name: str) -> FileUnit | None:
    """Return the unit at the end of a column's name, as in "weight (lbs.)"; None without one.

    A name may be a unit alone.
    """
    words = (name, *(unit for _, unit in find_named_unit(name)))
    units = (find_unit(word, UNITS_OF.get(meaning, ())) for word in words)
    return next((unit for unit in units if unit is not None), None)


def find_named_unit(name: str) -> list[tuple[str, str]]:
    """Return the ways to split a column's `plain_name` into a name and a word for its unit."""
    return [(match["name"], match["unit"]) for match in _unit_matches(name)]


def _unit_matches(name: str) -> list[re.Match[str]]:
    return [match for each in _UNIT_NAMES if (match := each.fullmatch(name)) is not None]


MEASUREMENT_COLUMNS = frozenset({"date", "weight_kg", "fat_percent"})

# Words in the name of a column that identifies the owner of a row. No app writes one; tools that
# join files do. Many join two words: "userid".
_PERSON_WORD = re.compile(
    "(?:account|athlete|client|customer|lifter|member|owner|participant|person|profile|subject"
    "|trainee|user)(?:id|name)?|e?mail|uid|nick(?:name)?"
)
_NAME_WORDS = frozenset({"name", "first", "last", "full", "display"})


def is_person_column(name: str) -> bool:
    """Return whether a column of this `plain_name` identifies the owner of its row."""
    words = set(re.findall(r"[^\W_]+", name))
    return any(map(_PERSON_WORD.fullmatch, words)) or "name" in words <= _NAME_WORDS
