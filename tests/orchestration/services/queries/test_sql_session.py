"""Connections to one release in one process."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from orchestration.services.queries.sql_session import connect_release, open_release

Setting = tuple[str, bool, str]
SETTINGS = """
    select
        current_setting('temp_directory'), current_setting('enable_external_access'),
        current_setting('TimeZone')
"""


@pytest.fixture
def release(tmp_path: Path) -> Path:
    file = tmp_path / "marts.duckdb"
    with duckdb.connect(file) as con:
        con.execute("create table dim_athlete as select 'ann' as athlete_id")
    return file


def settings_of(con: duckdb.DuckDBPyConnection) -> Setting:
    [found] = con.execute(SETTINGS).fetchall()
    return found


def test_readers_at_the_same_time_share_what_the_first_one_forbade(release: Path) -> None:
    """Bug: of two sessions of the dashboard that read at the same time, one had an error."""

    def read(_: int) -> Setting:
        with open_release(release) as con:
            return settings_of(con)

    with connect_release(release) as first:
        spill, has_access, zone = settings_of(first)
        assert (has_access, zone) == (False, "UTC")
        assert not Path(spill).is_relative_to(release.parent)
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(read, range(8))) == {(spill, False, "UTC")}


def test_spill_files_have_a_private_folder_also_after_it_was_cleaned(release: Path) -> None:
    for _ in range(2):
        with open_release(release) as con:
            folder = Path(settings_of(con)[0]).parent
        assert folder.stat().st_mode & 0o777 == 0o700
        folder.rmdir()
