from pathlib import Path

import pytest

from tests.once import Once
from tests.warehouse.nights import COMPILED, LAST, REBUILT, build_nights
from tests.warehouse.payloads import at
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.series import LIFTERS


class Nights:
    """The warehouse after each night, read-only."""

    def __init__(self, source: Path) -> None:
        self.compiled_sql = source / COMPILED
        self._source = source
        self._opened: dict[str, ScratchWarehouse] = {}

    def after(self, night: int) -> ScratchWarehouse:
        """Return the warehouse after a night, counted from 1."""
        return self._open(str(night))

    @property
    def rebuilt(self) -> ScratchWarehouse:
        """Return the last night's warehouse, rebuilt from scratch."""
        return self._open(REBUILT)

    def copy(self, night: int, folder: Path) -> ScratchWarehouse:
        """Copy the warehouse after a night for one test."""
        return ScratchWarehouse.copied(self._source / str(night), folder)

    def _open(self, name: str) -> ScratchWarehouse:
        if name not in self._opened:
            self._opened[name] = ScratchWarehouse(self._source / name, read_only=True)
        return self._opened[name]


@pytest.fixture(scope="session")
def nights(once: Once) -> Nights:
    """Build all stories, night by night."""
    return Nights(once("nights", build_nights))


@pytest.fixture(scope="session")
def warehouse(nights: Nights) -> ScratchWarehouse:
    """Return all athletes after the last night, read-only."""
    return nights.after(LAST)


@pytest.fixture(scope="session")
def compiled_sql(nights: Nights) -> Path:
    """Return the SQL that dbt compiled for the last night."""
    return nights.compiled_sql


@pytest.fixture(scope="session")
def trained_warehouse(nights: Nights, tmp_path_factory: pytest.TempPathFactory) -> ScratchWarehouse:
    """Build the marts of three lifters, with some workouts after the first build."""
    trained = nights.copy(LAST, tmp_path_factory.mktemp("trained"))
    trained.forget_others(LIFTERS)
    return trained


@pytest.fixture(scope="session")
def home(once: Once, nights: Nights) -> Path:
    """Return a home with the release of the marts after the last night; read-only."""

    def release(folder: Path) -> None:
        released = nights.copy(LAST, folder)
        released.release(at("2026-04-11 07:00"))
        released.close()

    return once("released", release)


@pytest.fixture(scope="session")
def empty_warehouse(once: Once) -> ScratchWarehouse:
    """Return a fresh installation after its first night, read-only."""
    return ScratchWarehouse(once("empty", _build_empty), read_only=True)


def _build_empty(folder: Path) -> None:
    """Build an empty warehouse. On no rows tests of single rows pass: see the long test."""
    warehouse = ScratchWarehouse(folder)
    warehouse.build("--exclude", "test_type:generic")
    warehouse.close()
