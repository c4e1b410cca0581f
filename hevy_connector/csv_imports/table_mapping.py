"""A mapping from the columns of any table of sets to their meanings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hevy_connector.csv_imports.dialects import (
    App,
    Column,
    plain_name,
    unit_in_name,
)
from hevy_connector.csv_imports.unit_words import FileUnit
from hevy_connector.schemas import SetType

_REQUIRED = ("date", "exercise")


@dataclass(frozen=True)
class TableMapping:
    """Columns of a table by meaning, and what its cells do not state.

    `units` are those of weight and distance without a unit of their own. `set_types` are the types
    of Hevy by the words of the file. With `is_workout_a_day` the rows of a day are one workout,
    else those with the same time. `places` name the file and line of each meaning, for messages.
    `is_guessed`: it comes from the names of the columns.
    """

    name: str
    columns: Mapping[str, str]
    units: Mapping[str, FileUnit] = field(default_factory=dict)
    set_types: Mapping[str, SetType] = field(default_factory=dict)
    is_workout_a_day: bool = False
    places: Mapping[str, str] = field(default_factory=dict)
    is_guessed: bool = False

    def app(self) -> App:
        """Return the table as an export format."""
        return App(
            name=self.name,
            required=_REQUIRED,
            is_guessed=self.is_guessed,
            columns={
                plain_name(name): Column(meaning, self._unit(meaning, name))
                for meaning, name in self.columns.items()
            },
        )

    def _unit(self, meaning: str, column: str) -> FileUnit | None:
        return self.units.get(meaning) or unit_in_name(meaning, plain_name(column))
