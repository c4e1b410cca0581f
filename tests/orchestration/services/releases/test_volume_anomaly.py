"""A history that lost most of its sets is neither coached from nor released."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import duckdb
import pytest

from coach_agent.planning.volume_anomaly import lost_sets
from orchestration.defs.coaching import assets
from orchestration.defs.release.assets import defs as release_defs
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.runs.provenance import Provenance
from orchestration.runs.tags import DELETIONS_TAG
from orchestration.services.releases.release import release_marts
from orchestration.services.releases.volume_anomaly import lost_histories
from orchestration.storage.warehouse import open_warehouse

pytestmark = [
    # Dagster's own code warns of both when dbt's assets are loaded.
    pytest.mark.filterwarnings("ignore:.*is currently in beta"),
    pytest.mark.filterwarnings("ignore:The `__fields__` attribute is deprecated"),
]

NOW = datetime(2026, 3, 4, 3, 17, tzinfo=UTC)


def hold(home: Path, counts: Mapping[str, int]) -> None:
    """Write marts with these numbers of sets by athlete."""
    with open_warehouse(home / "warehouse.duckdb") as con:
        con.execute("create schema if not exists marts")
        con.execute("create or replace table marts.fct_set (athlete_id varchar)")
        con.execute(
            "create table if not exists marts.fct_workout "
            "(workout_id varchar primary key, started_at timestamp, athlete_id varchar)"
        )
        for athlete, count in counts.items():
            con.execute("insert into marts.fct_set select $1 from range($2)", [athlete, count])


def release(home: Path) -> None:
    provenance = Provenance(run_id="run-1", git_commit=None, spotter_version="0.1.0")
    release_marts(home / "warehouse.duckdb", home / "release", provenance, NOW)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Build two athletes of 100 sets each, as released."""
    for name in ("ann", "ben"):
        (tmp_path / f"{name}.toml").write_text(f'id = "{name}"\n')
    monkeypatch.setenv("SPOTTER_HOME", str(tmp_path))
    monkeypatch.setenv("SPOTTER_ATHLETES_DIR", str(tmp_path))
    hold(tmp_path, {"ann": 100, "ben": 100})
    release(tmp_path)
    return tmp_path


def lost(home: Path) -> dict[str, str]:
    with open_warehouse(home / "warehouse.duckdb", read_only=True) as con:
        return lost_histories(con, home / "release", ["ann", "ben"])


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        pytest.param({"ann": 100, "ben": 100}, set(), id="nothing changed"),
        pytest.param({"ann": 120, "ben": 50}, set(), id="half is left"),
        pytest.param({"ann": 49, "ben": 100}, {"ann"}, id="less than half"),
        pytest.param({"ben": 10}, {"ann", "ben"}, id="nothing of one, a tenth of the other"),
    ],
)
def test_less_than_half_of_the_last_release_is_lost(
    home: Path, left: dict[str, int], expected: set[str]
) -> None:
    hold(home, left)
    assert set(lost(home)) == expected


def test_of_a_history_that_has_just_begun_anything_may_go(home: Path) -> None:
    hold(home, {"ann": 59, "ben": 100})
    release(home)
    hold(home, {"ben": 100})
    assert lost(home) == {}


def test_before_the_first_release_nothing_is_lost(tmp_path: Path) -> None:
    with duckdb.connect() as con:
        assert lost_histories(con, tmp_path / "none", ["ann"]) == {}


def test_a_release_that_cannot_be_read_is_stood_in_for_by_the_one_before(home: Path) -> None:
    """It is a copy, so its damage must not fail every night."""
    release(home)
    hold(home, {"ann": 5, "ben": 100})
    release_of_readers = (home / "release" / "marts.duckdb").resolve()
    release_of_readers.chmod(0o644)
    release_of_readers.write_bytes(b"no database " * 1_000)
    assert set(lost(home)) == {"ann"}
    for file in (home / "release").glob("0*/marts.duckdb"):
        file.chmod(0o644)
        file.write_bytes(b"no database " * 1_000)
    assert lost(home) == {}


def ran(home: Path, asset: dg.AssetsDefinition, tags: Mapping[str, str]) -> tuple[bool, list[str]]:
    """Return if the step succeeded, and the messages of its history check."""
    done = dg.materialize(
        [asset],
        resources={
            "athletes": AthletesResource(),
            "warehouse": WarehouseResource(path=str(home / "warehouse.duckdb")),
        },
        tags=tags,
        raise_on_error=False,
    )
    found = [each for each in done.get_asset_check_evaluations() if each.check_name == "history"]
    return done.success, [each.description or "" for each in found if not each.passed]


def test_nobody_is_coached_from_a_rest_and_the_others_go_on(home: Path) -> None:
    hold(home, {"ann": 5, "ben": 100})
    with open_warehouse(home / "warehouse.duckdb") as con:
        con.execute(
            "insert into coach.current_plans values ('ann', 'plan of before', $1, 'run')",
            [NOW.replace(tzinfo=None)],
        )
    _, problems = ran(home, assets.next_workout, {})
    [told] = problems
    assert told.startswith("ann: 5 of 100 sets are left of the last release")
    assert "spotter run --accept-deletions ann." in told
    with open_warehouse(home / "warehouse.duckdb") as con:
        assert con.execute("select * from coach.current_plans").fetchall() == []


def test_a_release_waits_until_the_sets_are_back_or_their_loss_is_accepted(home: Path) -> None:
    [released_marts] = [
        each for each in release_defs().assets or [] if isinstance(each, dg.AssetsDefinition)
    ]
    hold(home, {"ann": 5, "ben": 100})
    for _ in range(2):
        went_through, problems = ran(home, released_marts, {})
        assert went_through, "the run goes well for the others"
        assert [each[:4] for each in problems] == ["ann:"]
        assert lost(home), "readers keep the release of before"
    [told] = ran(home, released_marts, {DELETIONS_TAG: "ben"})[1]
    assert told.startswith("ann:")
    hold(home, {"ann": 5, "ben": 5})
    [told] = ran(home, released_marts, {DELETIONS_TAG: "ann"})[1]
    assert told.startswith("ben:"), "what one athlete deleted says nothing of it"
    assert lost(home)
    assert ran(home, released_marts, {DELETIONS_TAG: "ann,ben"}) == (True, [])
    assert lost(home) == {}
    assert ran(home, released_marts, {}) == (True, [])


@pytest.mark.parametrize(
    ("before", "after", "is_lost"),
    [(60, 29, True), (60, 30, False), (59, 0, False), (200, 99, True), (200, 100, False)],
)
def test_half_of_sixty_sets_or_more_is_a_loss(before: int, after: int, is_lost: bool) -> None:
    assert bool(lost_sets({"ann": before}, {"ann": after})) is is_lost
    assert bool(lost_sets({"ann": before}, {})) is (before >= 60)
