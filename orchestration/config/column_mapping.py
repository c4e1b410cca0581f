"""The file of `import-csv --columns`: which column of a table means what."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, field_validator

from coach_agent.profile.table import ProfileTable
from coach_agent.profile.toml_errors import TomlFile, problems
from hevy_connector.csv_imports.table_mapping import TableMapping
from hevy_connector.csv_imports.unit_words import FileUnit
from hevy_connector.schemas import SetType
from orchestration.config.settings import SettingsError

_Name = Annotated[str, Field(min_length=1, max_length=200)]


class _Columns(ProfileTable):
    """The table's column for each meaning."""

    date: _Name
    exercise: _Name
    time: _Name | None = None
    workout: _Name | None = None
    set_type: _Name | None = None
    weight: _Name | None = None
    weight_unit: _Name | None = None
    reps: _Name | None = None
    sets: _Name | None = None
    distance: _Name | None = None
    distance_unit: _Name | None = None
    duration: _Name | None = None
    rpe: _Name | None = None
    rir: _Name | None = None
    notes: _Name | None = None
    workout_notes: _Name | None = None

    def by_meaning(self) -> dict[str, str]:
        """Return the columns that the mapping names."""
        return self.model_dump(exclude_none=True)


class _Units(ProfileTable):
    weight: Literal["kg", "lb"] | None = None
    distance: Literal["m", "km", "mi", "ft", "yd", "cm", "in"] | None = None


class ColumnMapping(ProfileTable):
    """A mapping file: columns by meaning, units and words of the table."""

    name: _Name = "Table"
    workout_per: Literal["time", "day"] = "time"
    columns: _Columns
    units: _Units = _Units()
    set_types: dict[str, SetType] = Field(default_factory=dict)

    @field_validator("columns")
    @classmethod
    def _name_each_column_once(cls, columns: _Columns) -> _Columns:
        names = list(columns.by_meaning().values())
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"must give column {name!r} one meaning only")
        return columns


def load_mapping(path: Path) -> TableMapping:
    """Read and validate a mapping file.

    Raises:
        SettingsError: the file cannot be read or is invalid; each problem with its line.
    """
    try:
        file = TomlFile.parse(path.read_text(encoding="utf-8-sig"), path)
        mapping = ColumnMapping.model_validate_json(file.as_json())
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        raise SettingsError("\n".join(problems(file, error, ColumnMapping))) from error
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from error
    columns = mapping.columns.by_meaning()
    units: dict[str, FileUnit] = {}
    if mapping.units.weight is not None:
        units["weight"] = mapping.units.weight
    if mapping.units.distance is not None:
        units["distance"] = mapping.units.distance
    return TableMapping(
        name=mapping.name,
        columns=columns,
        units=units,
        set_types={word.strip().casefold(): kind for word, kind in mapping.set_types.items()},
        is_workout_a_day=mapping.workout_per == "day",
        places={
            meaning: f"{path}, line {file.line_of(('columns', meaning))}: columns.{meaning}"
            for meaning in columns
        },
    )
