"""Targets of the tests' warehouses: files or lakes, in a folder or an object store."""

from collections.abc import Callable
from pathlib import Path

import pytest

EMBEDDED, LAKE, LAKE_S3 = "embedded", "lake", "lake-s3"
TARGETS = (EMBEDDED, pytest.param(LAKE, marks=pytest.mark.long))
OPTION = "--target"

Place = Callable[[Path], dict[str, str]]
"""Returns the variables of a new warehouse for a home's folder."""

on_both_targets = pytest.mark.both_targets
"""Mark of tests with a home: they run on either target, tests without one only once."""

names_its_target = pytest.mark.names_its_target
"""Mark of tests of a target itself, which are independent of the suite's target."""


class Places:
    """The variables of each home's warehouse, by the home's folder."""

    def __init__(self) -> None:
        self.new: Place = lambda _: {}
        self._known: dict[Path, dict[str, str]] = {}

    def put(self, folder: Path, variables: dict[str, str]) -> None:
        self._known[folder] = dict(variables)

    def of(self, folder: Path) -> dict[str, str]:
        """Return those of a folder; the first call creates a warehouse for it."""
        if folder not in self._known:
            self._known[folder] = self.new(folder)
        return dict(self._known[folder])


PLACES = Places()
"""Of this process: files, unless the suite runs on a lake."""
