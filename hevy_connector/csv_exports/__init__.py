"""Reading the export files of Hevy and Strong."""

from hevy_connector.csv_exports.neutral import Flag, Repeated
from hevy_connector.csv_exports.reading import CsvImport, read_export
from hevy_connector.csv_exports.routines import exercise_keys, inferred_routines
from hevy_connector.csv_exports.workouts import FileWorkout

__all__ = [
    "CsvImport",
    "FileWorkout",
    "Flag",
    "Repeated",
    "exercise_keys",
    "inferred_routines",
    "read_export",
]
