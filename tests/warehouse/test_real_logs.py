"""The real training logs, where they are at hand: the marts add up to what the files say.

What is expected is computed from the file with plain SQL, by nothing of Spotter.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from hevy_connector.csv_exports.dialects import Unit
from orchestration.lib.csv_import import ImportOptions, import_csv
from orchestration.lib.dbt import build
from orchestration.lib.settings import load_settings

LOGS = Path(__file__).parents[2] / ".." / "shared" / "data"

pytestmark = pytest.mark.skipif(not LOGS.exists(), reason="the real training logs are not here")

_HEVY = (
    "select exercise_title, start_time, set_type, weight_kg::double as kg, "
    "reps::double::integer as reps from log"
)


def _strong(titles: str, started: str, place: str, weight: str, reps: str, kg: float = 1) -> str:
    return f"""
        select
            "{titles}" as exercise_title,
            "{started}" as start_time,
            case "{place}" when 'W' then 'warmup' else 'normal' end as set_type,
            nullif("{weight}"::double, 0) * {kg} as kg,
            nullif("{reps}"::double::integer, 0) as reps
        from (select distinct * from log)
    """


@dataclass(frozen=True)
class Log:
    """A file, the unit of its loads and the query that reads its sets from the table `log`."""

    file: str
    unit: Unit | None
    sets: str

    @property
    def athlete(self) -> str:
        """Its folder's name."""
        return self.file.split("/", maxsplit=1)[0]


_ENGLISH = ("Exercise Name", "Date", "Set Order", "Weight", "Reps")
LOG_FILES = (
    Log("hevy-ferreira-mit/hevy_workouts_raw.csv", None, _HEVY),
    Log("hevy-mouadja02/workout_data.csv", None, _HEVY),
    Log("strong-breinsp/strong.csv", "kg", _strong(*_ENGLISH)),
    Log(
        "strong-dericmei-zh/strong.csv",
        "lb",
        _strong("运动名称", "日期", "设置顺序", "重量", "次", 0.45359237),
    ),
    Log("strong-ysmath/strong_workouts.csv", "kg", _strong(*_ENGLISH)),
)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """A warehouse with each log as an athlete of its own."""
    home = tmp_path_factory.mktemp("real-logs")
    settings = load_settings({"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "who"}, home)
    for log in LOG_FILES:
        options = ImportOptions(weight_unit=log.unit)
        import_csv(settings, LOGS / log.file, log.athlete, options, lambda step: None)
    failed = [node for node in build(settings.warehouse_path, home / "dbt") if not node.is_ok]
    assert failed == []
    with duckdb.connect(settings.warehouse_path, read_only=True) as con:
        yield con


@pytest.fixture(params=LOG_FILES, ids=lambda log: log.athlete)
def log(request: pytest.FixtureRequest) -> Log:
    found: Log = request.param
    return found


@pytest.fixture
def plain(log: Log) -> Iterator[duckdb.DuckDBPyConnection]:
    """The log's sets as the table `sets`: exercise_title, start_time, set_type, kg, reps."""
    with duckdb.connect() as con:
        con.execute(
            "create table log as from read_csv($1, all_varchar = true, header = true)",
            [str(LOGS / log.file)],
        )
        con.execute(f"create table sets as {log.sets}")
        yield con


def test_sets_and_tonnage_add_up(
    marts: duckdb.DuckDBPyConnection, plain: duckdb.DuckDBPyConnection, log: Log
) -> None:
    expected = plain.execute(
        """
        select
            count(*), count(distinct start_time), count(*) filter (set_type <> 'warmup'),
            sum(kg * reps) filter (set_type in ('normal', 'failure'))
        from sets
        """
    ).fetchall()
    found = marts.execute(
        """
        select
            sum(set_count), count(*),
            (
                select count(*) from marts.fct_set
                where athlete_id = $1 and set_class <> 'warmup'
            ),
            sum(volume_kg)
        from marts.fct_workout where athlete_id = $1
        """,
        [log.athlete],
    ).fetchall()
    assert found[0][:3] == expected[0][:3]
    assert found[0][3] == pytest.approx(expected[0][3], rel=1e-8)  # pounds are kept as rounded kg
