"""The targets on which a test can be run: the warehouse as a file, and as a lake."""

from collections.abc import Callable
from pathlib import Path

import pytest

EMBEDDED, LAKE = "embedded", "lake"
TARGETS = (EMBEDDED, pytest.param(LAKE, marks=pytest.mark.long))

Place = Callable[[Path], dict[str, str]]
"""Tells of a home's folder with which variables a new warehouse is made there."""

on_both_targets = pytest.mark.both_targets
"""Of tests that have a home: they are run on either target, and those that have none once."""
