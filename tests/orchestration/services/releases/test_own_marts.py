"""Copies with the rows of one athlete, and queries on them in a child process."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestration.services.queries.sql_session import QueryError
from orchestration.services.releases.own_marts import OwnMarts, query_own_marts
from orchestration.services.releases.released import Released, require_current_release
from tests.orchestration.services.answers.scenario import write_release


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Released:
    return require_current_release(write_release(tmp_path_factory.mktemp("scenario")))


@pytest.fixture(scope="module")
def copies() -> Iterator[OwnMarts]:
    found = OwnMarts()
    yield found
    found.close()


@pytest.fixture(scope="module")
def file(released: Released, copies: OwnMarts) -> Path:
    return copies.file_of(released, "ann")


def test_each_table_of_a_copy_is_of_the_athlete_or_the_calendar(file: Path) -> None:
    """The manifest has the time of the latest workout of anyone."""
    sql = """
        select table_name from duckdb_columns() where not internal
        group by table_name having not bool_or(column_name = 'athlete_id')
    """
    assert query_own_marts(file, sql) == (["table_name"], [["dim_date"]], False)


def test_spill_files_are_limited_and_beside_the_copy_until_the_end(file: Path) -> None:
    sql = "select current_setting('temp_directory'), current_setting('max_temp_directory_size')"
    _, [[folder, size]], _ = query_own_marts(file, sql)
    assert Path(str(folder)).is_relative_to(file.parent)
    # 1 GB.
    assert size == "953.6 MiB"
    assert list(file.parent.iterdir()) == [file]


def test_a_query_that_takes_too_long_is_interrupted(file: Path) -> None:
    endless = "select sum(a.range) from range(1000000) a, range(100000000) b"
    with pytest.raises(QueryError, match=r"^The query took longer than 0\.1 s\. Limit it\.$"):
        query_own_marts(file, endless, timeout_s=0.1)
    assert list(file.parent.iterdir()) == [file]


def test_a_query_imports_nothing_from_the_working_folder(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "duckdb.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert query_own_marts(file, "select 1 as one") == (["one"], [[1]], False)


def test_copies_of_older_releases_are_deleted(released: Released, copies: OwnMarts) -> None:
    files = []
    for number in (1, 2, 3):
        manifest = released.manifest.model_copy(update={"release_number": 100 + number})
        files.append(copies.file_of(replace(released, manifest=manifest), "bob"))
    assert copies.file_of(replace(released, manifest=manifest), "bob") == files[-1]
    assert [each.exists() for each in files] == [False, True, True]
    assert not files[0].parent.exists()
