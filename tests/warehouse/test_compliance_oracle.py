"""The warehouse and an oracle in Python agree on planned and performed sets."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import timedelta
from decimal import Decimal
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings

from hevy_connector.canonical_json import canonical_json
from hevy_connector.records import Record
from tests.profiles import count, randomized
from tests.warehouse import payloads
from tests.warehouse.compliance_coverage import ALL, cases
from tests.warehouse.compliance_histories import Exercise, History, TrainingSet, Version, Workout
from tests.warehouse.compliance_oracle import Row, compliance
from tests.warehouse.compliance_strategies import histories
from tests.warehouse.payloads import Json
from tests.warehouse.scratch import MODELS, ScratchWarehouse

HISTORY_COUNT = count(quick=200, thorough=500)

pytestmark = randomized
DAY_ONE = payloads.naive("2026-03-01")
COLUMNS = [field.name for field in fields(Row)]
PLACES = (
    "workout_id",
    "planned_exercise_index",
    "planned_set_index",
    "performed_exercise_index",
    "performed_set_index",
)


@pytest.fixture(scope="module")
def sample() -> dict[str, History]:
    """Draw the histories, each with a separate athlete; every run draws the same."""
    drawn: list[History] = []

    @settings(
        max_examples=HISTORY_COUNT,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(histories())
    def draw(history: History) -> None:
        assume(history not in drawn)
        drawn.append(history)

    draw()
    return {f"athlete {number:03}": history for number, history in enumerate(drawn)}


@pytest.fixture(scope="module")
def found(
    sample: dict[str, History], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Json]]:
    """Return the rows of one build, by athlete."""
    warehouse = ScratchWarehouse(tmp_path_factory.mktemp("compliance"))
    _fill(warehouse, sample)
    warehouse.build("--select", "+fct_plan_compliance", "+dim_routine_version", *MODELS)
    rows: dict[str, list[Json]] = {athlete: [] for athlete in sample}
    for row in warehouse.rows(
        """
        select
            compliance.*,
            versions.routine_id as plan_routine_id,
            date_diff('minute', $day_one, versions.known_from) as plan_landed_at
        from marts.fct_plan_compliance as compliance
        left join marts.dim_routine_version as versions
            on compliance.routine_version_key = versions.routine_version_key
        """,
        day_one=DAY_ONE,
    ):
        rows[row["athlete_id"]].append(row)
    return rows


def test_the_sample_has_its_size_and_every_case(sample: dict[str, History]) -> None:
    counts = Counter(case for history in sample.values() for case in cases(history))
    assert len(sample) == HISTORY_COUNT
    assert set(counts) == ALL, f"missing: {ALL - set(counts)}, unnamed: {set(counts) - ALL}"


def test_the_warehouse_agrees_with_the_oracle(
    sample: dict[str, History], found: dict[str, list[Json]]
) -> None:
    differences = {
        athlete: lines
        for athlete, history in sample.items()
        if (lines := list(_differences(compliance(history), found[athlete])))
    }
    if differences:
        athlete, lines = next(iter(differences.items()))
        pytest.fail(
            f"{len(differences)} of {len(sample)} athletes differ, first {athlete}:\n"
            + "\n".join([*lines, "", str(sample[athlete])]),
            pytrace=False,
        )


def _differences(expected: Sequence[Row], found: Sequence[Json]) -> Iterator[str]:
    """Yield rows of one side only, by their places, and differing columns."""
    of_oracle = {tuple(getattr(row, name) for name in PLACES): row for row in expected}
    of_warehouse = {tuple(row[name] for name in PLACES): row for row in found}
    if len(of_warehouse) != len(found):
        yield "the warehouse has a row twice"
    for places in sorted(of_oracle.keys() | of_warehouse.keys(), key=str):
        where = ", ".join(f"{name}={place}" for name, place in zip(PLACES, places, strict=True))
        if places not in of_warehouse:
            yield f"only the oracle has {where}"
        elif places not in of_oracle:
            yield f"only the warehouse has {where}"
        else:
            for column in COLUMNS:
                told = _plain(getattr(of_oracle[places], column))
                if told != of_warehouse[places][column]:
                    yield (
                        f"{where}: {column} is {told!r} to the oracle,"
                        f" {of_warehouse[places][column]!r} to the warehouse"
                    )


def _fill(warehouse: ScratchWarehouse, sample: dict[str, History]) -> None:
    """Write the rows of the connector's landings; one bulk insert takes minutes less."""
    for athlete, history in sample.items():
        for version in history.versions:
            if version.effective_at is not None:
                warehouse.record_publication(
                    athlete,
                    f"{athlete} {version.routine_id} {version.landed_at}",
                    _routine(version),
                    payloads.at(_time(version.effective_at)),
                )
    _insert(
        warehouse,
        "hevy_exercise_templates",
        (
            _landed(
                athlete,
                payloads.template(
                    one.template_id,
                    one.kind,
                    title=one.title,
                    primary_muscle_group=one.muscle_group,
                    is_custom=one.is_custom,
                ),
                0,
                is_deleted=one.is_deleted,
            )
            for athlete, history in sample.items()
            for one in history.catalogue
        ),
    )
    _insert(
        warehouse,
        "hevy_routines",
        (
            _landed(
                athlete,
                _routine(one),
                one.landed_at,
                stamped_at=one.stamped_at,
                origin="api" if one.effective_at is None else "publication",
                is_deleted=one.is_deleted,
            )
            for athlete, history in sample.items()
            for one in history.versions
        ),
    )
    _insert(
        warehouse,
        "hevy_workouts",
        (
            _landed(athlete, _workout(one), 5000, origin="csv" if one.is_from_file else "api")
            for athlete, history in sample.items()
            for one in history.workouts
        ),
    )
    _insert(
        warehouse,
        "sync_log",
        (
            {"athlete_id": athlete, "entity": "hevy_routines", "completed_at": _time(read)}
            for athlete, history in sample.items()
            for read in history.complete_reads
        ),
    )


def _insert(warehouse: ScratchWarehouse, table: str, rows: Iterator[Json]) -> None:
    inserted = list(rows)
    types = {"loaded_at": "timestamp", "vendor_updated_at": "timestamp", "is_deleted": "boolean"}
    structure = {name: types.get(name, "varchar") for name in inserted[0]}
    warehouse.rows(
        f"""
        insert into raw.{table} by name
        select unnest(from_json($rows, $structure), max_depth := 2)
        """,
        rows=orjson.dumps(inserted).decode(),
        structure=orjson.dumps([structure]).decode(),
    )


def _landed(
    athlete: str,
    payload: Json,
    landed_at: int,
    *,
    stamped_at: int | None = None,
    origin: str = "api",
    is_deleted: bool = False,
) -> Json:
    record = Record(payload["id"], canonical_json(payload))
    return {
        "athlete_id": athlete,
        "record_id": record.record_id,
        "payload": record.payload,
        "payload_sha256": record.payload_sha256,
        "vendor_updated_at": _stamp(stamped_at),
        "loaded_at": _time(landed_at),
        "run_id": "run",
        "origin": origin,
        "is_deleted": is_deleted,
    }


def _routine(version: Version) -> Json:
    return payloads.routine(
        version.routine_id,
        _stamp(version.stamped_at),
        [_exercise(one) for one in version.exercises],
        title=version.title,
    )


def _workout(workout: Workout) -> Json:
    return payloads.workout(
        workout.workout_id,
        _time(workout.started_at),
        [_exercise(one) for one in workout.exercises],
        workout.routine_id,
        title=workout.title,
    )


def _exercise(one: Exercise) -> Json:
    return payloads.exercise(
        one.template_id,
        [_set(performed) for performed in one.sets],
        title=one.title,
        superset_id=one.superset_id,
    )


def _set(one: TrainingSet) -> Json:
    payload = {
        "type": one.kind,
        "weight_kg": _plain(one.weight_kg),
        "reps": one.reps,
        "distance_meters": _plain(one.distance_m),
        "duration_seconds": None if one.duration_s is None else int(one.duration_s),
        "custom_metric": _plain(one.custom_metric),
        "rpe": _plain(one.rpe),
    }
    if one.rep_range is not None:
        payload["rep_range"] = dict(zip(("start", "end"), one.rep_range, strict=True))
    return payload


def _plain(value: Any) -> Any:
    """Return a value as the warehouse stores it."""
    return float(value) if isinstance(value, Decimal) else value


def _time(minute: int) -> str:
    return (DAY_ONE + timedelta(minutes=minute)).isoformat()


def _stamp(minute: int | None) -> str | None:
    return None if minute is None else _time(minute)
