"""Records, compared with a plain scan of all sets before and after."""

from tests.warehouse.payloads import Json
from tests.warehouse.records_oracle import records
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.series import by, comparable_load, e1rm_family, performed_sets
from tests.warehouse.stories import STEPPER


def test_records_are_those_of_a_plain_reading(trained_warehouse: ScratchWarehouse) -> None:
    rows = trained_warehouse.rows("select * from marts.fct_personal_record")
    found = {(row["athlete_id"], row["exercise_key"], *_told(row)) for row in rows}
    expected = set()
    for (athlete, key), sets in by(
        performed_sets(trained_warehouse), "athlete_id", "exercise_key"
    ).items():
        believed = [
            _as_read(each)
            for each in sets
            if each["set_class"] in {"working", "drop"}
            and not each["is_typo_suspect"]
            and not each["is_easy"]
        ]
        for record in records(believed):
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


def test_small_steps_add_up_to_records_of_load(warehouse: ScratchWarehouse) -> None:
    """From 100 to 104.75 kg by quarters: each second step is more than the tolerance."""
    rows = warehouse.rows(
        "select record_value, previous_value, is_current from marts.fct_personal_record "
        "where athlete_id = $athlete and record_kind = 'load' order by record_value",
        athlete=STEPPER,
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


def test_each_series_has_one_current_record(trained_warehouse: ScratchWarehouse) -> None:
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


def _as_read(performed: Json) -> Json:
    is_telling = performed["e1rm_kg"] is not None and not performed["is_e1rm_low_confidence"]
    return performed | {
        "load_kg": comparable_load(performed),
        "e1rm_kg": performed["e1rm_kg"] if is_telling else None,
        "e1rm_family": e1rm_family(performed) if is_telling else None,
    }


def _told(record: Json) -> tuple[object, ...]:
    names = ("record_kind", "workout_id", "set_key", "e1rm_family", "record_value")
    more = ("previous_value", "is_first", "is_current", "is_on_pareto_front")
    return tuple(record.get(name) for name in names + more)
