"""A home with data, and its backup."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from orchestration.config.settings import Settings
from orchestration.services.operations.backup import write_backup
from orchestration.storage.warehouse import (
    open_warehouse,
)
from tests.orchestration.homes import NOW, PROFILE, settings_of


@pytest.fixture
def lived_in(tmp_path: Path) -> Settings:
    """Build a home with a mart, a run in Dagster's history, and a profile."""
    settings = settings_of(tmp_path / "old")
    with open_warehouse(settings.warehouse_path) as con:
        con.execute("""
            create schema marts;
            create table marts.fct_workout (
                workout_id varchar primary key, started_at timestamp, athlete_id varchar
            );
            insert into marts.fct_workout (workout_id, started_at)
            values ('w', '2026-03-02 17:00:00');
        """)
    runs = settings.dagster_home / "history" / "runs"
    runs.mkdir(parents=True)
    with closing(sqlite3.connect(runs / "one.db")) as con:
        con.execute("pragma journal_mode = wal")
        con.execute("create table event_logs (text)")
        con.execute("insert into event_logs values ('kept')")
        con.commit()
    (settings.dagster_home / "dagster.yaml").write_text("telemetry: {}\n")
    settings.athletes_dir.mkdir()
    (settings.athletes_dir / "kim.toml").write_text(PROFILE)
    return settings


@pytest.fixture
def backup(lived_in: Settings, tmp_path: Path) -> Path:
    file = tmp_path / "backup.tar"
    write_backup(lived_in, file, NOW, print)
    return file
