"""Personal constants, compared with plain Python over the same sets and workouts."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import comb, sqrt
from statistics import mean, median, stdev

import pytest

from tests.warehouse.payloads import Json
from tests.warehouse.scratch import ScratchWarehouse
from tests.warehouse.series import Rows, by, comparable_load, performed_sets

TOLERANCE_KG = 0.25
Z = 1.2815515655

Key = tuple[object, object, str]
Value = tuple[float, float | None, float | None, int]


def test_constants_are_those_of_plain_python(trained_warehouse: ScratchWarehouse) -> None:
    found = {
        (row["athlete_id"], row["exercise_key"], row["constant_name"]): (
            row["constant_value"],
            row["interval_low"],
            row["interval_high"],
            row["observation_count"],
        )
        for row in trained_warehouse.rows("select * from marts.fct_personal_constant")
    }
    working = [
        each | {"load_kg": comparable_load(each)}
        for each in performed_sets(trained_warehouse)
        if each["is_working"] and not each["is_typo_suspect"]
    ]
    workouts = trained_warehouse.rows("select * from marts.fct_workout")
    expected = dict(
        [*_increments(working), *_paces(workouts), *_ratios(working), *_biases(working)]
    )
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=1e-9), key
    assert {key[2] for key in found} == {
        *("increment", "minutes_a_set", "rpe_bias"),
        *(f"rep_ratio_of_set_{place}" for place in (2, 3, 4, 5)),
    }
    (observed,) = (value[3] for key, value in found.items() if key[2] == "rpe_bias")
    assert observed > 6


@pytest.mark.parametrize(
    ("count", "mean_error", "expected"),
    [
        (0, None, (0.950, -0.332, 2.232)),
        (3, 2.5, (1.614, 0.646, 2.583)),
        (6, 2.5, (1.880, 1.069, 2.691)),
        (6, 0.5, (0.680, -0.131, 1.491)),
        (12, -1.5, (-0.887, -1.528, -0.247)),
    ],
)
def test_the_vectors_of_the_calibration(
    count: int, mean_error: float | None, expected: tuple[float, float, float]
) -> None:
    """The reference of the mart; section 2 of the source."""
    assert _posterior([mean_error or 0.0] * count)[:3] == pytest.approx(expected, abs=0.0006)


def _increments(working: Rows) -> Iterator[tuple[Key, Value]]:
    for (athlete, key), sets in by(working, "athlete_id", "exercise_key").items():
        loads = [
            max(known)
            for in_workout in by(sets, "workout_id").values()
            if (known := [each["load_kg"] for each in in_workout if each["load_kg"] is not None])
        ]
        rises = [
            after - before for before, after in pairwise(loads) if after - before > TOLERANCE_KG
        ]
        uses = Counter(_step(rise) for rise in rises)
        repeated = [step for step, count in uses.items() if count >= 3]
        if repeated:
            same = [rise for rise in rises if _step(rise) == min(repeated)]
            yield (athlete, key, "increment"), (median(same), None, None, len(same))


def test_each_change_of_a_constant_is_its_value_as_of_then(
    trained_warehouse: ScratchWarehouse,
) -> None:
    working = [
        each | {"load_kg": comparable_load(each)}
        for each in performed_sets(trained_warehouse)
        if each["is_working"] and not each["is_typo_suspect"]
    ]
    workouts = sorted(
        trained_warehouse.rows("select * from marts.fct_workout"),
        key=lambda each: (each["started_at"], each["workout_id"]),
    )
    expected = []
    last: dict[Key, float] = {}
    for at in workouts:
        until = (at["started_at"], at["workout_id"])
        own = [
            each
            for rows in (working, workouts)
            for each in rows
            if each["athlete_id"] == at["athlete_id"]
            and (each["started_at"], each["workout_id"]) <= until
        ]
        sets = [each for each in own if "load_kg" in each]
        timed = [each for each in own if "load_kg" not in each]
        for key, (value, *_, count) in [*_increments(sets), *_paces(timed, least=10)]:
            is_new = key not in last or (
                _step(last[key]) != _step(value) if key[2] == "increment" else last[key] != value
            )
            if is_new:
                expected.append((*key, at["workout_id"], value, last.get(key), count))
                last[key] = value
    found = [
        tuple(row.values())
        for row in trained_warehouse.rows("""
            select
                athlete_id, exercise_key, constant_name, workout_id, constant_value,
                previous_value, observation_count
            from marts.fct_personal_constant_change
        """)
    ]
    assert {row[2] for row in expected} == {"increment", "minutes_a_set"}
    assert any(row[2] == "increment" and row[5] is not None for row in expected)
    assert len(found) == len(expected)
    for one, other in zip(sorted(found, key=repr), sorted(expected, key=repr), strict=True):
        assert one == pytest.approx(other, abs=1e-9)


def _step(rise_kg: float) -> int:
    """Return tenths of a kilogram, halves rounded up."""
    return int(round(rise_kg * 100) / 10 + 0.5)


def _paces(workouts: Rows, least: int = 1) -> Iterator[tuple[Key, Value]]:
    for (athlete,), of_athlete in by(workouts, "athlete_id").items():
        paces = sorted(
            each["duration_s"] / 60 / each["set_count"]
            for each in [
                each
                for each in sorted(of_athlete, key=lambda each: each["started_at"], reverse=True)
                if 600 <= each["duration_s"] <= 14400 and each["set_count"] >= 5
            ][:20]
        )
        if len(paces) < least:
            continue
        rank = _rank(len(paces))
        value = (median(paces), paces[rank - 1], paces[-rank], len(paces))
        yield (athlete, None, "minutes_a_set"), value


def _rank(count: int) -> int:
    """Return the largest rank with at most a tenth of all tosses of `count` coins on a side."""
    outcomes = [comb(count, heads) for heads in range(count + 1)]
    return max(rank for rank in range(count) if 10 * sum(outcomes[:rank]) <= 2**count)


@pytest.mark.parametrize(("count", "rank"), [(10, 3), (20, 7), (100, 44), (400, 187)])
def test_the_innermost_ranks_that_hold_eight_medians_of_ten(count: int, rank: int) -> None:
    """The expected ranks of the mart, from a table of binomial probabilities."""
    assert _rank(count) == rank


def _ratios(working: Rows) -> Iterator[tuple[Key, Value]]:
    ratios: dict[Key, list[float]] = {}
    for sets in by(working, "athlete_id", "workout_id", "exercise_index").values():
        first = sets[0]
        straight = []
        for each in sets:
            if not each["reps"] or each["load_kg"] is None or first["load_kg"] is None:
                break
            if abs(each["load_kg"] - first["load_kg"]) > TOLERANCE_KG:
                break
            straight.append(each["reps"])
        if len(straight) >= 3 and 4 <= straight[0] <= 15:
            for place, reps in enumerate(straight[1:5], start=2):
                for key in (first["exercise_key"], None):
                    name = f"rep_ratio_of_set_{place}"
                    ratios.setdefault((first["athlete_id"], key, name), []).append(
                        reps / straight[0]
                    )
    for key, values in ratios.items():
        middle = mean(values)
        if len(values) < 10:
            yield key, (middle, None, None, len(values))
        else:
            margin = Z * stdev(values) / sqrt(len(values))
            yield key, (middle, middle - margin, middle + margin, len(values))


def _biases(working: Rows) -> Iterator[tuple[Key, Value]]:
    for (athlete,), sets in by(working, "athlete_id").items():
        if any(each["rpe"] is not None for each in sets):
            errors = [
                error
                for in_workout in by(sets, "workout_id", "exercise_key").values()
                for error in _errors(in_workout)
            ]
            yield (athlete, None, "rpe_bias"), _posterior(errors)


def _errors(sets: Rows) -> Iterator[float]:
    """Yield rating errors of one exercise in one workout: reserve left beyond the stated one."""
    for place, rated in enumerate(sets):
        if rated["rpe"] is None or rated["rpe"] == 10 or rated["set_type"] == "failure":
            continue
        later = [each for each in sets[place + 1 :] if _is_limit(each, rated)]
        if later and rated["reps"]:
            yield max(later[0]["reps"] - rated["reps"], 0) - (10 - rated["rpe"])


def _is_limit(later: Json, rated: Json) -> bool:
    is_same_load = abs(later["load_kg"] - rated["load_kg"]) <= TOLERANCE_KG
    return is_same_load and (later["set_type"] == "failure" or later["rpe"] == 10)


def _posterior(errors: list[float]) -> Value:
    precision = 1 / 1.0**2 + len(errors) / 2.0**2
    middle = (0.95 + sum(errors) / 4) / precision
    margin = Z / sqrt(precision)
    return middle, middle - margin, middle + margin, len(errors)
