"""Training from files alone is described by the exercises that every account has."""

from pathlib import Path

import pytest

from hevy_connector.simulator import catalogue
from hevy_connector.simulator.catalogue import built_in_templates
from orchestration.lib.dbt import DBT_PROJECT_DIR
from tests.warehouse.payloads import Json, at, exercise, lift, workout
from tests.warehouse.scratch import ScratchWarehouse

MODELS = ("--exclude-resource-type", "test", "unit_test")
DIP = "E9E4089F"


def test_the_seed_is_the_catalogue_of_the_connector() -> None:
    bundled = Path(catalogue.__file__).with_name("exercise_templates.csv")
    assert (DBT_PROJECT_DIR / "seeds" / "built_in_exercises.csv").read_bytes() == (
        bundled.read_bytes()
    )


def from_file(name: str, day: int, *exercises: tuple[str, list[Json]]) -> Json:
    """A workout as a file tells it, with titles only."""
    return workout(
        name,
        f"2026-02-{day:02} 17:00",
        [exercise(None, sets, title=title) for title, sets in exercises],
    )


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> ScratchWarehouse:
    """Help on dips falls from 40 to 20 kg, on an exercise of no catalogue, too."""
    warehouse = ScratchWarehouse(tmp_path_factory.mktemp("files"))
    workouts = [
        from_file(
            f"w{number}",
            number + 1,
            ("Chest Dip (Assisted)", [lift(40 - 5 * number, 8)]),
            ("Muscle Up (Assisted)", [lift(40 - 5 * number, 8)]),
            ("bench press  (barbell)", [lift(100, 5)] * 3),
        )
        for number in range(5)
    ]
    now = at("2026-03-01 03:00")
    warehouse.land("hevy_workouts", "ann", workouts, now=now, origin="csv")
    warehouse.build()
    return warehouse


@pytest.mark.parametrize("key", [DIP, "title:muscle up (assisted)"])
def test_e8_less_help_is_a_record(warehouse: ScratchWarehouse, key: str) -> None:
    rows = warehouse.rows(
        "select record_value, weight_kg from marts.fct_personal_record "
        "where exercise_key = $key and record_kind = 'load' order by started_at",
        key=key,
    )
    assert [tuple(row.values()) for row in rows] == [
        (-help_kg, help_kg) for help_kg in (40, 35, 30, 25, 20)
    ]
    (told,) = warehouse.rows(
        "select count(e1rm_kg) as maxima, count(volume_kg) as volumes from marts.fct_set "
        "where exercise_key = $key",
        key=key,
    )
    assert told == {"maxima": 0, "volumes": 0}


def test_muscles_and_balance_are_known(warehouse: ScratchWarehouse) -> None:
    (chest,) = warehouse.rows(
        "select sum(direct_set_count) as direct from marts.fct_muscle_week "
        "where muscle_group = 'chest'"
    )
    assert chest["direct"] == 5 * (1 + 3)
    (balance,) = warehouse.rows("select sum(push_set_count) as n from marts.fct_consistency_week")
    assert balance["n"] == 5 * (1 + 3)


def test_connecting_an_account_changes_nothing_that_was_known(
    warehouse: ScratchWarehouse, tmp_path: Path
) -> None:
    """The account's catalogue has the built-in exercises under the same ids."""
    connected = warehouse.copy(tmp_path / "connected")
    connected.land(
        "hevy_exercise_templates", "ann", built_in_templates(), now=at("2026-03-02 03:00")
    )
    connected.build(*MODELS)
    for table in ("fct_set", "fct_exercise_session", "fct_personal_record", "fct_muscle_week"):
        assert connected.content(f"marts.{table}") == warehouse.content(f"marts.{table}")
    used = "from marts.dim_exercise semi join marts.fct_set using (exercise_key) order by all"
    assert connected.rows(used) == warehouse.rows(used)
