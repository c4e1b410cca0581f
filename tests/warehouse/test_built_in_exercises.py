"""Training from files alone is described by the built-in exercises."""

from pathlib import Path

import pytest

from hevy_connector import exercise_templates
from orchestration.dbt.runner import DBT_PROJECT_DIR
from tests.warehouse.conftest import Nights
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.stories import FILES

DIP = "E9E4089F"


def test_the_seed_is_the_catalogue_of_the_connector() -> None:
    bundled = Path(exercise_templates.__file__).with_name("exercise_templates.csv")
    assert (DBT_PROJECT_DIR / "seeds" / "built_in_exercises.csv").read_bytes() == (
        bundled.read_bytes()
    )


@pytest.fixture
def warehouse(nights: Nights) -> ScratchWarehouse:
    """Return an athlete with files only."""
    return nights.after(1)


@pytest.mark.parametrize("key", [DIP, "title:muscle-up (unterstützt)"])
def test_e8_less_help_is_a_record(warehouse: ScratchWarehouse, key: str) -> None:
    rows = warehouse.rows(
        "select record_value, weight_kg from marts.fct_personal_record "
        "where athlete_id = $athlete and exercise_key = $key and record_kind = 'load' "
        "order by started_at",
        athlete=FILES,
        key=key,
    )
    assert [tuple(row.values()) for row in rows] == [
        (-help_kg, help_kg) for help_kg in (40, 35, 30, 25, 20)
    ]
    (told,) = warehouse.rows(
        "select count(e1rm_kg) as maxima, count(volume_kg) as volumes from marts.fct_set "
        "where athlete_id = $athlete and exercise_key = $key",
        athlete=FILES,
        key=key,
    )
    assert told == {"maxima": 0, "volumes": 0}


def test_muscles_and_balance_are_known(warehouse: ScratchWarehouse) -> None:
    (chest,) = warehouse.rows(
        "select sum(direct_set_count) as direct from marts.fct_muscle_week "
        "where athlete_id = $athlete and muscle_group = 'chest'",
        athlete=FILES,
    )
    assert chest["direct"] == 5 * (1 + 3)
    (balance,) = warehouse.rows(
        "select sum(push_set_count) as n from marts.fct_consistency_week "
        "where athlete_id = $athlete",
        athlete=FILES,
    )
    assert balance["n"] == 5 * (1 + 3)


def test_connecting_an_account_changes_nothing_that_was_known(nights: Nights) -> None:
    """The account's catalogue has the built-in exercises under the same ids."""
    before, connected = nights.after(1), nights.after(2)
    own = "where athlete_id = $athlete order by all"
    for table in ("fct_set", "fct_exercise_session", "fct_personal_record", "fct_muscle_week"):
        query = f"from marts.{table} {own}"
        assert connected.rows(query, athlete=FILES) == before.rows(query, athlete=FILES) != []
    catalogue = f"from marts.dim_exercise {own}"
    assert len(connected.rows(catalogue, athlete=FILES)) > len(
        before.rows(catalogue, athlete=FILES)
    )
    used = f"from marts.dim_exercise semi join marts.fct_set using (athlete_id, exercise_key) {own}"
    assert connected.rows(used, athlete=FILES) == before.rows(used, athlete=FILES) != []
