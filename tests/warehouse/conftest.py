import pytest

from tests.warehouse import scenario, series
from tests.warehouse.scratch import ScratchWarehouse


@pytest.fixture(scope="session")
def empty_warehouse(tmp_path_factory: pytest.TempPathFactory) -> ScratchWarehouse:
    """A fresh installation after its first night."""
    warehouse = ScratchWarehouse(tmp_path_factory.mktemp("empty"))
    warehouse.build()
    return warehouse


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> ScratchWarehouse:
    """All athletes of the scenario after two nights. Read it, do not change it."""
    warehouse = ScratchWarehouse(tmp_path_factory.mktemp("warehouse"))
    scenario.land_first_night(warehouse)
    warehouse.build("--select", "+snp_hevy__routines", "--indirect-selection", "cautious")
    scenario.land_second_night(warehouse)
    warehouse.build()
    return warehouse


@pytest.fixture(scope="session")
def trained_warehouse(tmp_path_factory: pytest.TempPathFactory) -> ScratchWarehouse:
    """Months of two lifters, some workouts of which came after the first build."""
    warehouse = ScratchWarehouse(tmp_path_factory.mktemp("trained"))
    series.land_history(warehouse)
    warehouse.build()
    series.land_late(warehouse)
    warehouse.build()
    return warehouse
