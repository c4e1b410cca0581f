"""Where the warehouses of tests are: as a file each, or as a lake each, on a folder or a store."""

from collections.abc import Callable
from pathlib import Path

import pytest

EMBEDDED, LAKE, LAKE_S3 = "embedded", "lake", "lake-s3"
TARGETS = (EMBEDDED, pytest.param(LAKE, marks=pytest.mark.long))
OPTION = "--target"

Place = Callable[[Path], dict[str, str]]
"""Tells of a home's folder with which variables a new warehouse is made there."""

on_both_targets = pytest.mark.both_targets
"""Of tests that have a home: they are run on either target, and those that have none once."""

names_its_target = pytest.mark.names_its_target
"""Of tests of a target itself, which are the same whatever the others are run on."""


class Places:
    """The variables of each home's warehouse, by the home's folder."""

    def __init__(self) -> None:
        self.new: Place = lambda _: {}
        self._known: dict[Path, dict[str, str]] = {}

    def put(self, folder: Path, variables: dict[str, str]) -> None:
        self._known[folder] = dict(variables)

    def of(self, folder: Path) -> dict[str, str]:
        """Those of a folder, and the first time those of a new warehouse for it."""
        if folder not in self._known:
            self._known[folder] = self.new(folder)
        return dict(self._known[folder])


PLACES = Places()
"""Of this process: files, unless the suite is run on a lake."""
