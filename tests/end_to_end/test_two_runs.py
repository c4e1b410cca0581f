"""Concurrent imports: one builds, the others wait. For nights see test_serve."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.end_to_end.targets import EMBEDDED, on_both_targets
from tests.end_to_end.test_importing import FILES
from tests.end_to_end.world import After, Home, new_home


@pytest.fixture
def home(target: str, after_first_night: After, tmp_path: Path) -> Iterator[Home]:
    """Yield a home without a warehouse, but on a lake one after its first night.

    That processes may create a lake at the same time is a test of the storage.
    """
    if target != EMBEDDED:
        with after_first_night(tmp_path) as (home, _):
            yield home
        return
    home = new_home(tmp_path, "http://127.0.0.1:9")
    assert home.spotter("status").returncode == 1, "nothing came in yet"
    yield home


@pytest.mark.long
@on_both_targets
def test_all_that_import_at_the_same_time_come_into_the_marts(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "workout_data.csv"
    file.write_text(FILES[file.name])
    with ThreadPoolExecutor() as threads:
        importing = [
            threads.submit(home.spotter, "import-csv", file, "--athlete", athlete)
            for athlete in ("ann", "ben", "zoe")
        ]
        ended = [each.result() for each in importing]
    assert [done.returncode for done in ended] == [0, 0, 0], ended
    counted = """
        select athlete_id, count(*) from marts.fct_workout
        where athlete_id <> 'demo' group by all order by all
    """
    expected = [("ann", 1), ("ben", 1), ("zoe", 1)]
    assert home.query(counted) == home.query(counted, home.release) == expected
