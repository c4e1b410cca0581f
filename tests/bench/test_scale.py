"""The measured night is complete: all new data is landed, and athletes differ."""

from pathlib import Path

import duckdb
import pytest

from orchestration.config.settings import load_settings
from orchestration.storage.local_postgres import LocalPostgres
from orchestration.storage.warehouse import open_warehouse
from tests.bench.scale import environment_of, make_home
from tests.bench.scale_part import land_next, measure

ATHLETES = 5
WORKOUTS = 8


def test_what_the_accounts_have_is_landed_and_counted(tmp_path: Path) -> None:
    settings = load_settings(environment_of(tmp_path, ATHLETES, None))
    make_home(tmp_path, settings.warehouse, ATHLETES, WORKOUTS, new_workouts=7)
    land_next(settings)
    with duckdb.connect(settings.warehouse_path) as con:
        counted = con.execute(
            """
            select record_count, count(distinct record_id)
            from raw.sync_state inner join raw.hevy_workouts using (athlete_id)
            group by athlete_id, record_count
            """
        ).fetchall()
        exercises = con.execute(
            """
            select list_sort(list_distinct(flatten(list(
                cast(payload -> '$.exercises[*].exercise_template_id' as varchar[])
            )))) as templates
            from raw.hevy_workouts group by athlete_id
            """
        ).fetchall()
        [(age_days,)] = con.execute(
            "select date_diff('day', max(vendor_updated_at), now()) from raw.hevy_workouts"
        ).fetchall()
    assert all(told == found for told, found in counted)
    assert sum(found for _, found in counted) == ATHLETES * WORKOUTS + 7
    assert len({tuple(templates) for (templates,) in exercises}) == ATHLETES
    assert age_days < 15


@pytest.mark.long
def test_each_of_two_workers_lands_for_its_own_shard(
    tmp_path: Path, postgres: LocalPostgres
) -> None:
    environment = environment_of(tmp_path, ATHLETES, postgres)
    warehouse = load_settings(environment).warehouse
    make_home(tmp_path, warehouse, ATHLETES, WORKOUTS, new_workouts=7)
    measure("land", environment, workers=2)
    with open_warehouse(warehouse, read_only=True) as con:
        [(landed,)] = con.execute("select count(*) from raw.hevy_workouts").fetchall()
        logged = con.execute(
            "select athlete_id from raw.sync_log where entity = 'hevy_workouts' order by all"
        ).fetchall()
    assert landed == ATHLETES * WORKOUTS + 7
    assert logged == [(f"{number:04}-lifter",) for number in range(ATHLETES)]
