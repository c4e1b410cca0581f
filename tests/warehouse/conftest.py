from pathlib import Path

import pytest

from tests.once import Once
from tests.warehouse import scenario, series
from tests.warehouse.scratch import ScratchWarehouse


@pytest.fixture(scope="session")
def empty_warehouse(once: Once, tmp_path_factory: pytest.TempPathFactory) -> ScratchWarehouse:
    """A fresh installation after its first night."""
    return ScratchWarehouse.copied(once("empty", _build_empty), tmp_path_factory.mktemp("empty"))


@pytest.fixture(scope="session")
def warehouse(once: Once, tmp_path_factory: pytest.TempPathFactory) -> ScratchWarehouse:
    """All athletes of the scenario after two nights. Read it, do not change it."""
    return ScratchWarehouse.copied(
        once("scenario", _build_scenario), tmp_path_factory.mktemp("scenario")
    )


@pytest.fixture(scope="session")
def compiled_sql(once: Once) -> Path:
    """The SQL that dbt compiled for the scenario's second night."""
    return once("scenario", _build_scenario) / "target" / "compiled"


@pytest.fixture(scope="session")
def trained_warehouse(once: Once, tmp_path_factory: pytest.TempPathFactory) -> ScratchWarehouse:
    """Months of three lifters, some workouts of which came after the first build."""
    return ScratchWarehouse.copied(
        once("trained", _build_trained), tmp_path_factory.mktemp("trained")
    )


def _build_empty(folder: Path) -> None:
    warehouse = ScratchWarehouse(folder)
    warehouse.build()
    warehouse.close()


def _build_scenario(folder: Path) -> None:
    warehouse = ScratchWarehouse(folder)
    scenario.land_first_night(warehouse)
    warehouse.build("--select", "+snp_hevy__routines", "--indirect-selection", "cautious")
    scenario.land_second_night(warehouse)
    warehouse.build()
    warehouse.close()


def _build_trained(folder: Path) -> None:
    warehouse = ScratchWarehouse(folder)
    series.land_history(warehouse)
    warehouse.build()
    series.land_late(warehouse)
    warehouse.build()
    warehouse.close()
