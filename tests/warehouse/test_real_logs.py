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
    "select exercise_title, strptime(start_time, '%d %b %Y, %H:%M') as start_time, set_type, "
    "weight_kg::double as kg, "
    "reps::double::integer as reps, rpe::double as rpe from log"
)


def _strong(titles: str, started: str, place: str, weight: str, reps: str, kg: float = 1) -> str:
    return f"""
        select
            "{titles}" as exercise_title,
            "{started}" as start_time,
            case "{place}" when 'W' then 'warmup' else 'normal' end as set_type,
            nullif("{weight}"::double, 0) * {kg} as kg,
            nullif("{reps}"::double::integer, 0) as reps,
            nullif("RPE", '')::double as rpe
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


# Without what is far from the working sets of the seven exposures before; a drop set is light on
# purpose.
_BELIEVED = """
    with rated as (
        select
            'title:' || lower(trim(regexp_replace(exercise_title, '\\s+', ' ', 'g'))) as lift,
            start_time, set_type, kg, reps, coalesce(10 - rpe, 0) + reps as effort,
            set_type in ('normal', 'failure') as is_working,
            case
                when set_type = 'warmup' then null
                when kg > 0 and effort = 1 then kg
                when kg > 0 and effort <= 12 and reps > 0 then kg * (1 + effort / 30)
            end as maximum
        from sets
    ),
    exposures as (
        select lift, start_time, max(maximum) as best
        from rated where maximum is not null and is_working group by all
    ),
    expected as (
        select
            *,
            count(*) over earlier as known,
            median(best) over earlier as middle
        from exposures
        window earlier as (
            partition by lift order by start_time rows between 7 preceding and 1 preceding
        )
    )
    select rated.* from rated
    left join expected using (lift, start_time)
    where not coalesce(
        known >= 3 and (maximum > 1.6 * middle or is_working and maximum < 0.4 * middle), false
    )
"""


@pytest.fixture
def plain(log: Log) -> Iterator[duckdb.DuckDBPyConnection]:
    """The log's sets as the table `sets`: exercise_title, start_time, set_type, kg, reps, rpe.

    And as `believed` those that are not doubted, with the lift and the maximum that each tells.
    """
    with duckdb.connect() as con:
        con.execute(
            "create table log as from read_csv($1, all_varchar = true, header = true)",
            [str(LOGS / log.file)],
        )
        con.execute(f"create table sets as {log.sets}")
        con.execute(f"create table believed as {_BELIEVED}")
        yield con


def test_sets_and_tonnage_add_up(
    marts: duckdb.DuckDBPyConnection, plain: duckdb.DuckDBPyConnection, log: Log
) -> None:
    expected = plain.execute(
        """
        select
            count(*), count(distinct start_time), count(*) filter (set_type <> 'warmup'),
            (select sum(kg * reps) from believed where is_working)
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


def test_the_heaviest_loads_and_best_maxima_add_up(
    marts: duckdb.DuckDBPyConnection, plain: duckdb.DuckDBPyConnection, log: Log
) -> None:
    """By exercise, without what is doubted."""
    expected = plain.execute(
        """
        select lift, max(kg) filter (kg > 0 and reps > 0), max(maximum) filter (effort <= 10)
        from believed where set_type <> 'warmup' group by lift order by lift
        """
    ).fetchall()
    found = marts.execute(
        """
        select
            exercise_key,
            (
                select max(record_value) from marts.fct_personal_record as record
                where record.athlete_id = $1 and record.exercise_key = session.exercise_key
                and record_kind = 'load' and is_current and record_value > 0
            ),
            max(e1rm_kg)
        from marts.fct_exercise_session as session
        where athlete_id = $1
        group by exercise_key
        """,
        [log.athlete],
    ).fetchall()
    known = {lift: (load, maximum) for lift, load, maximum in found}
    assert known.keys() >= {lift for lift, *_ in expected}
    for lift, load, maximum in expected:
        # Loads closer than a quarter of a kilogram are equal: a record needs more.
        assert (known[lift][0] is None) == (load is None), lift
        if load is not None:
            assert known[lift][0] == pytest.approx(load, abs=0.25), lift
        assert known[lift][1] == (maximum and pytest.approx(maximum, rel=1e-8)), lift
    assert sum(load is not None for _, load, _ in expected) > 5
