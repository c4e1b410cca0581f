"""The marts of the real training logs, if available, agree with the files.

Expected values are computed from the file with plain SQL and Python, without Spotter's code except
its list of built-in exercises.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from hevy_connector.csv_imports.dialects import Unit
from orchestration.config.settings import load_settings
from orchestration.dbt.runner import build
from orchestration.services.ingestion.import_csv import ImportOptions, import_csv
from tests.warehouse.compliance_oracle_doubts import Performed, wrong_places
from tests.warehouse.records_oracle import records
from tests.warehouse.scratch import MODELS
from tests.warehouse.series import by

LOGS = Path(__file__).parents[2] / ".." / "shared" / "data"

pytestmark = pytest.mark.skipif(not LOGS.exists(), reason="the real training logs are not here")

CATALOGUE = Path(__file__).parents[2] / "hevy_connector/exercise_templates.csv"

_HEVY = (
    "select line, exercise_title, strptime(start_time, '%d %b %Y, %H:%M') as start_time, set_type, "
    "weight_kg::double as kg, "
    "reps::double::integer as reps, rpe::double as rpe from log"
)


def _strong(titles: str, started: str, place: str, weight: str, reps: str, kg: float = 1) -> str:
    return f"""
        select
            line,
            "{titles}" as exercise_title,
            "{started}" as start_time,
            case "{place}" when 'W' then 'warmup' else 'normal' end as set_type,
            nullif("{weight}"::double, 0) * {kg} as kg,
            nullif("{reps}"::double::integer, 0) as reps,
            nullif("RPE", '')::double as rpe
        from (select * exclude (line), min(line) as line from log group by all)
    """


@dataclass(frozen=True)
class Log:
    """A file, the unit of its loads and the query that reads its sets from the table `log`."""

    file: str
    unit: Unit | None
    sets: str

    @property
    def athlete(self) -> str:
        """Return the name of its folder."""
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
    """Build a warehouse with each log as a separate athlete."""
    home = tmp_path_factory.mktemp("real-logs")
    settings = load_settings({"SPOTTER_HOME": "home", "SPOTTER_ATHLETES_DIR": "who"}, home)
    for log in LOG_FILES:
        options = ImportOptions(weight_unit=log.unit)
        import_csv(settings, LOGS / log.file, log.athlete, options, lambda step: None)
    marts = ("fct_workout", "fct_exercise_session", "fct_personal_record", "fct_muscle_week")
    selection = ("--select", *(f"+{mart}" for mart in marts), *MODELS)
    built = build(settings.warehouse_path, home / "dbt", selection)
    failed = [node for node in built if not node.is_ok]
    assert failed == []
    with duckdb.connect(settings.warehouse_path, read_only=True) as con:
        yield con


@pytest.fixture(params=LOG_FILES, ids=lambda log: log.athlete)
def log(request: pytest.FixtureRequest) -> Log:
    found: Log = request.param
    return found


@pytest.fixture
def plain(log: Log) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield the log's sets as the table `sets`, and as `believed` those that may be records.

    `lift` is the id of a built-in exercise or otherwise its title, `kind` its exercise type, null
    if it is not built in; `load_kg` is the load for records. Believed sets are no warm-ups, and not
    far from the working sets of the seven exposures before; a drop set is light on purpose.
    """
    with duckdb.connect() as con:
        con.execute(
            "create table log as select row_number() over () as line, * "
            "from read_csv($1, all_varchar = true, header = true)",
            [str(LOGS / log.file)],
        )
        con.execute(f"create table performed as {log.sets}")
        con.execute(
            f"""
            create table sets as
            with titled as (
                select
                    *, lower(trim(regexp_replace(exercise_title, '\\s+', ' ', 'g'))) as title
                from performed
            )
            select
                titled.*,
                coalesce(known.id, 'title:' || titled.title) as lift,
                known.type as kind,
                coalesce(
                    kind.starts_with('bodyweight_'),
                    titled.title ~ '.*\\b(assisted|weighted)\\b.*'
                ) as moves_the_body,
                case
                    when coalesce(kind = 'bodyweight_assisted', titled.title ~ '.*\\bassisted\\b.*')
                        then -kg
                    when kind.starts_with('weight_') then kg
                    else coalesce(kg, 0)
                end as load_kg,
                coalesce(10 - rpe, 0) + reps as effort,
                case
                    when moves_the_body or set_type = 'warmup' or kg <= 0 or reps < 1 then null
                    when effort = 1 or (reps = 1 and rpe >= 9.5) then kg
                    when effort <= 12 then kg * (1 + effort / 30)
                end as maximum
            from titled
            left join read_csv('{CATALOGUE}', all_varchar = true) as known
                on titled.title = lower(known.title)
            """
        )
        rows = con.execute(
            """
            select
                line, lift, start_time, case set_type when 'dropset' then 'dropset' else '' end,
                case when not moves_the_body and kg > 0 then kg end, reps
            from sets where set_type <> 'warmup' and reps > 0 order by start_time, line
            """
        ).fetchall()
        days: dict[object, dict[object, list[Performed]]] = {}
        for line, lift, start_time, kind, kg, reps in rows:
            done = Performed((str(line), 0, 0), kind, kg, reps)
            days.setdefault(lift, {}).setdefault(start_time, []).append(done)
        wrong = [
            int(line)
            for of_lift in days.values()
            for line, _, _ in wrong_places(list(of_lift.values()))
        ]
        assert len(wrong) * 500 <= len(rows)
        con.execute(
            "create table believed as select * from sets "
            "where set_type <> 'warmup' and not list_contains($1, line)",
            [wrong],
        )
        yield con


def test_sets_and_tonnage_add_up(
    marts: duckdb.DuckDBPyConnection, plain: duckdb.DuckDBPyConnection, log: Log
) -> None:
    expected = plain.execute(
        """
        select
            count(*), count(distinct start_time), count(*) filter (set_type <> 'warmup'),
            (select sum(kg * reps) from believed where not moves_the_body)
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


def test_the_best_maximum_of_each_exercise_adds_up(
    marts: duckdb.DuckDBPyConnection, plain: duckdb.DuckDBPyConnection, log: Log
) -> None:
    expected = dict(
        plain.execute(
            "select lift, max(maximum) filter (effort <= 10) from believed group by lift"
        ).fetchall()
    )
    found = dict(
        marts.execute(
            "select exercise_key, max(e1rm_kg) from marts.fct_exercise_session "
            "where athlete_id = $1 group by exercise_key",
            [log.athlete],
        ).fetchall()
    )
    assert found.keys() >= expected.keys()
    for lift, maximum in expected.items():
        assert found[lift] == (maximum and pytest.approx(maximum, rel=1e-8)), lift


def test_records_are_those_of_a_plain_reading(
    marts: duckdb.DuckDBPyConnection, plain: duckdb.DuckDBPyConnection, log: Log
) -> None:
    """Number and values of the records of load, repetitions, maximum and volume, by exercise.

    An easy set is no record: with 4 in reserve by its RPE, or without an RPE with 10 by the best
    maximum of the last 120 days.
    """
    cursor = plain.execute(
        """
        with dated as (
            select *, cast(start_time as timestamp)::date as day from believed
        ),

        compared as (
            select
                dated.*,
                (
                    select max(best.maximum) from dated as best
                    where
                        best.lift = dated.lift
                        and best.effort <= 10
                        and coalesce(10 - best.rpe < 4, true)
                        and best.day between dated.day - 120 and dated.day
                ) as own_maximum
            from dated
        ),

        hard as (
            select * from compared
            where
                case
                    when rpe is not null then 10 - rpe < 4
                    when maximum is null or own_maximum is null then true
                    else set_type = 'failure' or 30 * (own_maximum / kg - 1) - reps < 10
                end
        )

        select
            lift, start_time as workout_id, load_kg, reps,
            null as distance_m, null as duration_s,
            case when not moves_the_body then kg * reps end as volume_kg,
            case when effort <= 10 then maximum end as e1rm_kg,
            case
                when rpe is null then 'epley_assumed_failure'
                when reps = 1 and rpe >= 9.5 then 'tested'
                else 'epley_rated'
            end as e1rm_family
        from hard order by start_time, line
        """
    )
    names = [column[0] for column in cursor.description or ()]
    sets = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    expected: dict[tuple[object, str], list[float]] = {}
    for (lift,), of_lift in by(sets, "lift").items():
        for record in records(of_lift):
            values = expected.setdefault((lift, record["record_kind"]), [])
            values.append(float(record["record_value"]))
    found = marts.execute(
        """
        select exercise_key, record_kind, list(record_value)
        from marts.fct_personal_record
        where athlete_id = $1 and (reps is not null or record_kind = 'volume')
        group by exercise_key, record_kind
        """,
        [log.athlete],
    ).fetchall()
    assert {(lift, kind) for lift, kind, _ in found} == expected.keys()
    for lift, kind, values in found:
        # Exports in pounds have them with two digits.
        assert sorted(values) == pytest.approx(sorted(expected[lift, kind]), rel=1e-6), (lift, kind)
    assert {kind for _, kind in expected} == {"load", "reps", "e1rm", "volume"}


def test_what_is_done_is_known_by_its_title(
    marts: duckdb.DuckDBPyConnection, plain: duckdb.DuckDBPyConnection, log: Log
) -> None:
    """The titles are English in all of the logs, also if the headers are not."""
    ((expected,),) = plain.execute("select count(*) filter (kind is not null) from sets").fetchall()
    ((known, share),) = marts.execute(
        """
        select
            count(*) filter (primary_muscle_group is not null),
            count(*) filter (primary_muscle_group is not null) / count(*)
        from marts.fct_set inner join marts.dim_exercise using (athlete_id, exercise_key)
        where athlete_id = $1
        """,
        [log.athlete],
    ).fetchall()
    assert known == expected
    assert share > 0.7
    ((weeks, groups, push, pull, lower),) = marts.execute(
        """
        select
            count(*), count(distinct muscle_group),
            sum(direct_set_count) filter (muscle_group = 'chest'),
            sum(direct_set_count) filter (muscle_group = 'lats'),
            sum(direct_set_count) filter (muscle_group = 'quadriceps')
        from marts.fct_muscle_week where athlete_id = $1
        """,
        [log.athlete],
    ).fetchall()
    assert (weeks > 20, groups > 8) == (True, True)
    assert min(push, pull, lower) > 0
