"""Records, set against a plain reading of all sets before and after."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from tests.warehouse.payloads import Json, at, exercise, lift, template, workout
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.series import Rows, by, comparable_load, e1rm_family, performed_sets

TOLERANCE_KG = 0.25


def test_records_are_those_of_a_plain_reading(trained_warehouse: ScratchWarehouse) -> None:
    rows = trained_warehouse.rows("select * from marts.fct_personal_record")
    found = {(row["athlete_id"], row["exercise_key"], *_told(row)) for row in rows}
    expected = set()
    for (athlete, key), sets in by(
        performed_sets(trained_warehouse), "athlete_id", "exercise_key"
    ).items():
        credible = [
            each
            for each in sets
            if each["set_class"] in {"working", "drop"} and not each["is_typo_suspect"]
        ]
        for record in (*_of_sets(credible), *_of_maxima(credible), *_of_volumes(credible)):
            expected.add((athlete, key, *_told(record)))
    assert found == expected
    assert len(rows) == len(found)
    assert {row["record_kind"] for row in rows} == {
        *("load", "reps", "distance", "duration", "e1rm", "volume")
    }
    assert any(row["record_value"] < 0 for row in rows)


def test_a_mistyped_load_is_no_record(trained_warehouse: ScratchWarehouse) -> None:
    (heaviest,) = trained_warehouse.rows(
        "select max(record_value) as kg from marts.fct_personal_record "
        "where record_kind = 'load' and exercise_key = 'bench'"
    )
    assert 100 < heaviest["kg"] < 200


def test_small_steps_add_up_to_records_of_load(tmp_path: Path) -> None:
    """From 100 to 104.75 kg by quarters: each second step is more than the tolerance."""
    warehouse = ScratchWarehouse(tmp_path)
    workouts = [
        workout(f"w{n}", f"2026-02-{n + 1:02} 17:00", [exercise("bench", [lift(100 + n / 4, 5)])])
        for n in range(20)
    ]
    now = at("2026-03-01 03:00")
    warehouse.land("hevy_exercise_templates", "ann", [template("bench")], now=now)
    warehouse.land("hevy_workouts", "ann", workouts, now=now)
    warehouse.build("--select", "+fct_personal_record", "--exclude-resource-type", "test")
    rows = warehouse.rows(
        "select record_value, previous_value, is_current from marts.fct_personal_record "
        "where record_kind = 'load' order by record_value"
    )
    assert [tuple(row.values()) for row in rows] == [
        (100 + n / 2, 100 + (n - 1) / 2 if n else None, n == 9) for n in range(10)
    ]


def test_gains_are_what_was_added(trained_warehouse: ScratchWarehouse) -> None:
    rows = trained_warehouse.rows(
        "select * from marts.fct_personal_record where previous_value is not null"
    )
    assert all(row["gain"] == row["record_value"] - row["previous_value"] > 0 for row in rows)
    assert all(
        row["record_value"] > 1.01 * row["previous_value"]
        for row in rows
        if row["record_kind"] == "e1rm"
    )


def test_each_series_has_one_record_that_stands(trained_warehouse: ScratchWarehouse) -> None:
    """Of repetitions there are as many as the front has points."""
    rows = trained_warehouse.rows(
        """
        select count(*) filter (where is_current) as standing
        from marts.fct_personal_record
        where record_kind in ('load', 'e1rm', 'volume')
        group by athlete_id, exercise_key, record_kind, e1rm_family, duration_s is null
        """
    )
    assert {row["standing"] for row in rows} == {1}


def _told(record: Json) -> tuple[object, ...]:
    names = ("record_kind", "workout_id", "set_key", "e1rm_family", "record_value")
    more = ("previous_value", "is_first", "is_current", "is_on_pareto_front")
    return tuple(record.get(name) for name in names + more)


def _measured(sets: Rows) -> Iterator[tuple[str, float, float, Json]]:
    """Measure, amount, load and the set itself, for sets that can be records."""
    for each in sets:
        load = comparable_load(each)
        if each["reps"] is not None:
            measure, amount = "reps", each["reps"]
        elif each["distance_m"]:
            measure, amount = "distance", each["distance_m"]
        else:
            measure, amount = "duration", each["duration_s"]
        if load is not None and amount:
            yield measure, float(amount), load, each


def _of_sets(sets: Rows) -> Iterator[Json]:
    measured = list(_measured(sets))
    standing: dict[str, float] = {}
    heaviest: dict[str, Json] = {}
    found: list[Json] = []
    for place, (measure, amount, load, each) in enumerate(measured):
        before = [one for one in measured[:place] if one[0] == measure]
        after = [one for one in measured[place + 1 :] if one[0] == measure]
        as_heavy = [one[1] for one in before if one[2] >= load - TOLERANCE_KG]
        record = standing.get(measure)
        is_heavier = record is None or load > record + TOLERANCE_KG
        if not is_heavier and max(as_heavy) >= amount:
            continue
        if is_heavier:
            standing[measure] = load
        is_load = is_heavier and (record is not None or load != 0)
        is_beaten = any(
            (other >= amount and other_load > load + TOLERANCE_KG)
            or (other > amount and other_load >= load - TOLERANCE_KG)
            for _, other, other_load, _ in after
        )
        found.append(
            each
            | {
                "record_kind": "load" if is_load else measure,
                "e1rm_family": None,
                "record_value": load if is_load else amount,
                "previous_value": record if is_load else max(as_heavy, default=None),
                "is_first": each["workout_id"] == (before or [(0, 0, 0, each)])[0][3]["workout_id"],
                "is_current": not is_beaten,
                "is_on_pareto_front": not is_beaten,
            }
        )
        if is_load:
            if measure in heaviest:
                heaviest[measure]["is_current"] = False
            heaviest[measure] = found[-1]
            found[-1]["is_current"] = True
    yield from found


def _of_maxima(sets: Rows) -> Iterator[Json]:
    telling = [
        each | {"e1rm_family": e1rm_family(each)}
        for each in sets
        if each["e1rm_kg"] is not None and not each["is_e1rm_low_confidence"]
    ]
    for of_family in by(telling, "e1rm_family").values():
        records: list[Json] = []
        for each in of_family:
            standing = records[-1]["e1rm_kg"] if records else None
            if standing is None or each["e1rm_kg"] > standing * 1.01:
                records.append(each | {"record_kind": "e1rm", "previous_value": standing})
        for record in records:
            yield record | {
                "record_value": record["e1rm_kg"],
                "is_first": record["workout_id"] == of_family[0]["workout_id"],
                "is_current": record is records[-1],
            }


def _of_volumes(sets: Rows) -> Iterator[Json]:
    records: list[Json] = []
    for (workout_id,), in_workout in by(sets, "workout_id").items():
        volume_kg = float(sum(Decimal(f"{each['volume_kg'] or 0:.6f}") for each in in_workout))
        standing = records[-1]["record_value"] if records else None
        if volume_kg > (standing or 0):
            records.append(
                {
                    "record_kind": "volume",
                    "workout_id": workout_id,
                    "record_value": volume_kg,
                    "previous_value": standing,
                    "is_first": standing is None,
                }
            )
    for record in records:
        yield record | {"is_current": record is records[-1]}
