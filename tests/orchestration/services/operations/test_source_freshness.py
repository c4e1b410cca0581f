"""Each product of a night has a freshness policy; ages are compared with dbt's declarations."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import duckdb
import pytest

from coach_agent.profile.model import AthleteProfile
from hevy_connector.raw.tables import create_raw_tables
from orchestration.definitions import defs
from orchestration.services.operations.source_freshness import AgeLimits, limits_of, old_readings

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
DECLARED: Mapping[str, Any] = {
    "sources": {
        "source.spotter.raw.sync_log": {
            "source_name": "raw",
            "name": "sync_log",
            "freshness": {
                "warn_after": {"count": 26, "period": "hour"},
                "error_after": {"count": 2, "period": "day"},
            },
        }
    }
}


def test_the_limits_are_those_of_the_source() -> None:
    assert limits_of(DECLARED, "sync_log") == AgeLimits(timedelta(hours=26), timedelta(days=2))


def test_an_account_that_was_not_read_for_longer_is_told_of() -> None:
    ann, ben, cleo = (
        AthleteProfile.model_validate({"id": name, "hevy": {"account": account}})
        for name, account in (("ann", "hevy"), ("ben", "hevy"), ("cleo", "none"))
    )
    with duckdb.connect() as con:
        create_raw_tables(con)
        for athlete, hours in (("ann", 25), ("ben", 27), ("cleo", 99)):
            con.execute(
                "insert into raw.sync_state values ($1, 'hevy_workouts', null, $2, 3)",
                [athlete, (NOW - timedelta(hours=hours)).replace(tzinfo=None)],
            )
        late = old_readings(con, [ann, ben, cleo], timedelta(hours=26), NOW)
    assert late == {
        "ben": "hevy_workouts of the account was last read 27 hours ago; run: spotter doctor"
    }


def test_an_account_that_was_never_read_is_told_of_once_it_is_known_for_long() -> None:
    """The key of a new athlete among several never worked, and it was not reported."""
    ann, ben, cleo, dan = (
        AthleteProfile.model_validate({"id": name, "hevy": {"account": account}})
        for name, account in (("ann", "hevy"), ("ben", "hevy"), ("cleo", "none"), ("dan", "hevy"))
    )
    with duckdb.connect() as con:
        create_raw_tables(con)
        for athlete, hours in (("ann", 27), ("ann", 1), ("ben", 25), ("cleo", 99)):
            con.execute(
                """
                insert into raw.athlete_profiles by name
                select
                    $1 as athlete_id, $1 as record_id, '{}' as payload, 'h' || $2 as payload_sha256,
                    $2 as loaded_at, 'r' as run_id, 'profile' as origin, false as is_deleted
                """,
                [athlete, (NOW - timedelta(hours=hours)).replace(tzinfo=None)],
            )
        told = old_readings(con, [ann, ben, cleo, dan], timedelta(hours=26), NOW)
    assert told == {"ann": "the account was never read; run: spotter doctor"}


def test_a_reading_from_the_future_is_told_of() -> None:
    """A clock that was a year ahead made everything look fresh for that year."""
    ann = AthleteProfile.model_validate({"id": "ann"})
    with duckdb.connect() as con:
        create_raw_tables(con)
        con.execute(
            "insert into raw.sync_state values ('ann', 'hevy_workouts', null, $1, 3)",
            [(NOW + timedelta(minutes=6)).replace(tzinfo=None)],
        )
        told = old_readings(con, [ann], timedelta(hours=26), NOW)
    assert "hevy_workouts of the account is dated in the future" in told["ann"]


@pytest.mark.filterwarnings("ignore:.*is currently in beta")
@pytest.mark.filterwarnings("ignore:The `__fields__` attribute is deprecated")
@pytest.mark.filterwarnings("ignore:.*sqlglotrs")
def test_what_each_night_makes_is_watched_and_nothing_else() -> None:
    graph = defs().resolve_asset_graph()
    watched = {
        key.to_user_string()
        for key in graph.get_all_asset_keys()
        if graph.get(key).freshness_policy is not None
    }
    wanted = {"raw/hevy_workouts", "marts/coach_context", "coach/next_workout", "release/marts"}
    assert wanted <= watched
    assert not {key for key in watched if key.startswith(("staging", "hevy/", "snapshots"))}
    checks = {(key.asset_key.to_user_string(), key.name) for key in graph.asset_check_keys}
    assert {
        ("marts/fct_set", "units"),
        ("marts/fct_set", "source_freshness"),
        ("raw/hevy_workouts", "schema"),
        ("release/marts", "history"),
    } <= checks
    assert dg.AssetKey(["marts", "fct_set"]) in graph.materializable_asset_keys
