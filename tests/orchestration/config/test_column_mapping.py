"""Validation of the file of `import-csv --columns`."""

from pathlib import Path

import pytest

from hevy_connector.csv_imports import read_export
from hevy_connector.errors import CsvFormatError
from orchestration.config.column_mapping import load_mapping
from orchestration.config.settings import SettingsError
from tests.connector.csv_imports.exports import UTC

VALID = """\
name = "Sheet"
workout_per = "day"
[columns]
date = "Datum"
exercise = "Übung"
weight = "Gewicht"
[units]
weight = "lb"
[set_types]
"Warm " = "warmup"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mapping.toml"
    path.write_text(text)
    return path


def test_a_valid_file_is_a_mapping(tmp_path: Path) -> None:
    mapping = load_mapping(write(tmp_path, VALID))
    assert mapping.columns == {"date": "Datum", "exercise": "Übung", "weight": "Gewicht"}
    assert (mapping.name, mapping.is_workout_a_day) == ("Sheet", True)
    assert (mapping.units, mapping.set_types) == ({"weight": "lb"}, {"warm": "warmup"})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('weight = "Gew', 'wieght = "Gew', "line 6: unknown key columns.wieght; did you mean weig"),
        ('date = "Datum"\n', "", "columns.date is missing"),
        ('"lb"', '"stone"', "line 8: units.weight = 'stone': must be 'kg' or 'lb'"),
        ('"warmup"', '"myo"', "line 10: set_types.\"Warm \" = 'myo': must be 'normal'"),
        ('"Gewicht"', '"Datum"', "must give column 'Datum' one meaning only"),
        ("[units]", "[units", "mapping.toml: "),
    ],
    ids=["unknown key", "missing", "unit", "set type", "twice", "no TOML"],
)
def test_each_problem_has_file_and_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write(tmp_path, VALID.replace(old, new))
    with pytest.raises(SettingsError) as caught:
        load_mapping(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"mapping.toml cannot be read"):
        load_mapping(tmp_path / "mapping.toml")


def test_a_missing_column_names_the_line_of_the_mapping(tmp_path: Path) -> None:
    mapping = load_mapping(write(tmp_path, VALID))
    with pytest.raises(CsvFormatError, match=r"mapping.toml, line 6: columns.weight: the file has"):
        read_export(b"Datum,\xc3\x9cbung,Gewich\n", athlete_id="a", timezone=UTC, mapping=mapping)
