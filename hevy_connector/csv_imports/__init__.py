"""Import of the export files of Hevy, Strong and FitNotes, and of mapped tables."""

from hevy_connector.csv_imports.neutral import Flag, Repeated
from hevy_connector.csv_imports.reading import CsvImport, read_export
from hevy_connector.csv_imports.routines import exercise_keys, inferred_routines
from hevy_connector.csv_imports.workouts import FileWorkout

__all__ = [
    "CsvImport",
    "FileWorkout",
    "Flag",
    "Repeated",
    "exercise_keys",
    "inferred_routines",
    "read_export",
]
