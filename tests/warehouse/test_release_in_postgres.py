"""The copy of a release in PostgreSQL equals the released marts."""

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from orchestration.config.release_postgres import ReleasePostgres
from orchestration.services.queries.sql_session import open_release
from orchestration.services.releases.release_postgres import HASHES, publish_to_postgres
from orchestration.storage.local_postgres import LocalPostgres


@pytest.fixture(scope="module")
def copy(postgres: LocalPostgres, home: Path) -> Iterator[Any]:
    """Publish the release of all stories; yields a connection to the copy."""
    import psycopg2

    url = postgres.new_database(f"bi_{uuid4().hex}")
    publish_to_postgres(home / "release" / "marts.duckdb", ReleasePostgres(url, postgres.password))
    with closing(psycopg2.connect(url, password=postgres.password)) as con:
        yield con


def rows(con: Any, query: str) -> list[tuple[Any, ...]]:
    with con.cursor() as cursor:
        cursor.execute(query)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def plain(value: Any) -> Any:
    """Return a value as both databases have it: times in structures are text in JSON."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _as_json(each) for key, each in value.items()}
    return value


def _as_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return plain(value)


def comparable(found: list[tuple[Any, ...]]) -> list[str]:
    lines = (
        json.dumps([plain(value) for value in row], default=repr, sort_keys=True) for row in found
    )
    return sorted(lines)


def test_every_mart_is_equal_in_rows_comments_and_keys(copy: Any, home: Path) -> None:
    with open_release(home / "release" / "marts.duckdb") as con:
        tables = con.execute(
            "select table_name, comment from duckdb_tables() order by 1"
        ).fetchall()
        assert len(tables) > 20
        assert rows(
            copy,
            "select relname, obj_description(oid) from pg_class "
            "where relnamespace = 'spotter'::regnamespace and relkind = 'r' "
            f"and relname <> '{HASHES}' order by relname",
        ) == sorted(tables)
        filled = 0
        for name, _ in tables:
            released = con.execute(f'from "{name}"').fetchall()
            assert comparable(rows(copy, f'select * from spotter."{name}"')) == comparable(
                released
            ), name
            filled += bool(released)
        assert filled > 20
        columns = con.execute(
            "select table_name, column_name, comment, not is_nullable from duckdb_columns() "
            "where not internal order by table_name, column_index"
        ).fetchall()
        keys = con.execute(
            "select table_name, constraint_column_names from duckdb_constraints() "
            "where constraint_type = 'PRIMARY KEY'"
        ).fetchall()
    assert sorted(columns) == sorted(
        rows(
            copy,
            "select relname, attname, col_description(attrelid, attnum), attnotnull "
            "from pg_attribute join pg_class on pg_class.oid = attrelid "
            "where relnamespace = 'spotter'::regnamespace and relkind = 'r' and attnum > 0 "
            f"and relname <> '{HASHES}'",
        )
    )
    assert len(keys) > 10
    assert sorted(keys) == sorted(
        rows(
            copy,
            "select relname, array(select attname::text from unnest(conkey) with ordinality "
            "as key (number, place) join pg_attribute on attrelid = conrelid and attnum = number "
            "order by place) from pg_constraint join pg_class on pg_class.oid = conrelid "
            "where relnamespace = 'spotter'::regnamespace and contype = 'p' "
            f"and relname <> '{HASHES}'",
        )
    )
