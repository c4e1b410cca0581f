"""Inputs of a run: each change of one makes the next run build again."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from coach_agent.domain.constants.recovery import READINESS_VALID_HOURS
from coach_agent.store.check_ins import CheckIn, record_check_in
from orchestration.config.settings import Settings, load_settings
from orchestration.services.operations.last_night import (
    files_digest,
    forget_last_night,
    note_complete,
    note_inputs,
    unchanged_night,
)
from orchestration.storage.table_digests import OUTPUTS, table_digests
from orchestration.storage.warehouse import open_warehouse

NOW = datetime(2026, 3, 10, 6, tzinfo=UTC)
OF_TYPE = {
    "VARCHAR": "'x'",
    "JSON": "'[]'",
    "BOOLEAN": "true",
    "TIMESTAMP": "timestamp '2026-03-09'",
    "DATE": "date '2026-03-09'",
}

OTHER_OF_TYPE = {
    "VARCHAR": "'[1]'",
    "JSON": "'[1]'",
    "BOOLEAN": "false",
    "TIMESTAMP": "timestamp '2026-03-08'",
    "DATE": "date '2026-03-08'",
}
Table = tuple[str, str]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    found = load_settings(
        {"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "athletes", "HEVY_API_KEY": "one"},
        tmp_path,
    )
    found.athletes_dir.mkdir()
    (found.athletes_dir / "kim.toml").write_text('id = "kim"\n', encoding="utf-8")
    release(found, "000001")
    runs = found.dagster_home / "history" / "runs"
    runs.mkdir(parents=True)
    with closing(sqlite3.connect(runs / "run.db")) as con:
        con.execute("create table events (id)")
    return found


def release(settings: Settings, name: str) -> None:
    current = settings.release_folder / "current"
    (settings.release_folder / name).mkdir(parents=True)
    current.unlink(missing_ok=True)
    current.symlink_to(name)
    settings.release_path.touch()


def complete_run(settings: Settings, now: datetime = NOW) -> None:
    with open_warehouse(settings.warehouse) as con:
        note_inputs(con, settings, "run", now)
    note_complete(settings, "run", now)


def is_unchanged(settings: Settings, now: datetime = NOW) -> bool:
    with open_warehouse(settings.warehouse, read_only=True) as con:
        return unchanged_night(con, settings, now) is not None


def test_a_complete_run_need_not_be_repeated_on_its_day(settings: Settings) -> None:
    assert not is_unchanged_without_warehouse(settings)
    complete_run(settings)
    assert is_unchanged(settings)
    assert is_unchanged(settings, NOW + timedelta(hours=3))
    assert not is_unchanged(settings, NOW + timedelta(days=1))
    assert not is_unchanged(settings, NOW - timedelta(minutes=1))


def is_unchanged_without_warehouse(settings: Settings) -> bool:
    with open_warehouse(settings.warehouse):
        pass
    return is_unchanged(settings)


def test_a_run_that_did_not_end_is_repeated(settings: Settings) -> None:
    with open_warehouse(settings.warehouse) as con:
        note_inputs(con, settings, "run", NOW)
    assert not is_unchanged(settings)
    note_complete(settings, "another run", NOW)
    assert not is_unchanged(settings)


def test_a_run_that_changed_its_own_inputs_is_repeated(settings: Settings) -> None:
    """Its marts lack what it stored after the build, such as a new plan."""
    with open_warehouse(settings.warehouse) as con:
        note_inputs(con, settings, "run", NOW)
        con.execute("insert into coach.session_rpes values ('a', 'kim', '2026-03-09', 8)")
    note_complete(settings, "run", NOW)
    assert not is_unchanged(settings)


def test_a_later_run_or_a_damaged_record_is_no_reason_to_skip(settings: Settings) -> None:
    complete_run(settings)
    record = settings.home / "last_night.json"
    record.write_bytes(record.read_bytes()[:-5])
    assert not is_unchanged(settings)
    complete_run(settings)
    assert is_unchanged(settings)
    forget_last_night(settings.home)
    assert not is_unchanged(settings)


def _edit_profile(settings: Settings) -> Settings:
    path = settings.athletes_dir / "kim.toml"
    path.write_text(f"{path.read_text()}name = 'Kim'\n", encoding="utf-8")
    return settings


def _move_profile(settings: Settings) -> Settings:
    path = settings.athletes_dir / "kim.toml"
    path.write_text(f"{path.read_text()}timezone = 'Asia/Tokyo'\n", encoding="utf-8")
    return settings


def _add_athlete(settings: Settings) -> Settings:
    (settings.athletes_dir / "ann.toml").write_text('id = "ann"\n', encoding="utf-8")
    return settings


def _release_again(settings: Settings) -> Settings:
    release(settings, "000002")
    return settings


def _damage_release(settings: Settings) -> Settings:
    (settings.release_folder / "000001" / "manifest.json").write_text("{")
    return settings


def _lose_history(settings: Settings) -> Settings:
    (settings.dagster_home / "history" / "runs" / "run.db").unlink()
    return settings


def _damage_history(settings: Settings) -> Settings:
    path = settings.dagster_home / "history" / "runs" / "run.db"
    path.write_bytes(b"damaged" + path.read_bytes()[7:])
    return settings


def _lose_release(settings: Settings) -> Settings:
    settings.release_path.unlink()
    return settings


@pytest.mark.parametrize(
    "change",
    [
        _edit_profile,
        _move_profile,
        _add_athlete,
        _release_again,
        _lose_release,
        _damage_release,
        _lose_history,
        _damage_history,
        lambda settings: replace(settings, timezone="Asia/Tokyo"),
        lambda settings: replace(settings, keys={**settings.keys, "HEVY_API_KEY": "two"}),
        lambda settings: replace(settings, keys={**settings.keys, "GEMINI_API_KEY": "new"}),
        lambda settings: replace(settings, keys={**settings.keys, "OURA_TOKENS_KIM": "new"}),
    ],
)
def test_a_changed_profile_setting_or_release_builds(
    settings: Settings, change: Callable[[Settings], Settings]
) -> None:
    complete_run(settings)
    assert is_unchanged(settings)
    assert not is_unchanged(change(settings))


def test_refreshed_tokens_are_no_change(settings: Settings) -> None:
    """Each read after a day refreshed them, so the run that followed was never skipped."""
    former, new = (
        replace(settings, keys={**settings.keys, "OURA_TOKENS_KIM": tokens}) for tokens in "ab"
    )
    complete_run(former)
    assert is_unchanged(new)
    assert not is_unchanged(settings)


def test_an_expired_check_in_builds(settings: Settings) -> None:
    """It expires an hour later, on the same day."""
    given_at = NOW - timedelta(hours=READINESS_VALID_HOURS.value - 1)
    with open_warehouse(settings.warehouse) as con:
        record_check_in(con, "kim", CheckIn(checked_in_at=given_at, energy=1))
    complete_run(settings)
    assert is_unchanged(settings, NOW + timedelta(minutes=30))
    assert not is_unchanged(settings, NOW + timedelta(hours=2))


def test_every_row_and_value_of_every_input_table_counts(tmp_path: Path) -> None:
    """Also of tables and columns that will be added."""
    with open_warehouse(tmp_path / "warehouse.duckdb") as con:
        tables: dict[Table, list[tuple[str, str, bool]]] = {}
        for schema, table, *column in con.execute("""
            select schema_name, table_name, column_name, data_type, is_nullable
            from duckdb_columns()
            where schema_name in ('raw', 'coach') and not internal
            order by table_oid, column_index
        """).fetchall():
            tables.setdefault((schema, table), []).append((column[0], column[1], column[2]))
        inputs = tables.keys() - OUTPUTS
        assert len(inputs) > 30
        con.begin()
        empty = digests(con)
        for (schema, table), columns in tables.items():
            needed = [(name, kind) for name, kind, is_nullable in columns if not is_nullable]
            names = ", ".join(name for name, _ in needed)
            values = ", ".join(OF_TYPE.get(kind, "1") for _, kind in needed)
            con.execute(f"insert into {schema}.{table} ({names}) values ({values})")
        before = digests(con)
        assert {each for each in tables if before.get(each) != empty.get(each)} == inputs
        for place in range(max(map(len, tables.values()))):
            changed = set()
            for (schema, table), columns in tables.items():
                known = {name for name, _, _ in columns}
                if place >= len(columns) or (schema, table) in OUTPUTS:
                    continue
                name, kind, _ = columns[place]
                con.execute(f"update {schema}.{table} set {name} = {OTHER_OF_TYPE.get(kind, '2')}")
                is_ignored = table == "current_plans" and name in {"decided_at", "run_id"}
                if not is_ignored and f"{name}_sha256" not in known:
                    changed.add((schema, table))
            after = digests(con)
            assert {each for each in inputs if after[each] != before[each]} == changed
            before = after
        con.rollback()


def digests(con: duckdb.DuckDBPyConnection) -> dict[Table, tuple[int, int | None]]:
    return {each[:2]: each[2:] for each in table_digests(con)}


def test_each_source_file_counts_but_no_artifact(tmp_path: Path) -> None:
    """A checkout in a folder with the name of an artifact had no sources at all."""
    folder = tmp_path / "target" / "logs" / "checkout"
    (folder / "engine").mkdir(parents=True)
    (folder / "engine" / "rules.py").write_text("LIMIT = 1")
    before = files_digest([folder])
    for artifact in ("__pycache__", "target", "logs"):
        (folder / artifact).mkdir()
        (folder / artifact / "rules.pyc").write_text("cached")
    assert files_digest([folder]) == before
    (folder / "engine" / "rules.py").write_text("LIMIT = 2")
    changed = files_digest([folder])
    assert changed != before
    (folder / "model.sql").touch()
    assert files_digest([folder]) not in {before, changed}
