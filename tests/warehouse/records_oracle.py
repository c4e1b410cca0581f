"""Oracle for records: a plain scan of the sets of one exercise, in order of execution.

A set is a row with `workout_id`, `load_kg` (help negative), `reps`, `distance_m`, `duration_s`,
`volume_kg`, and `e1rm_kg` with its `e1rm_family` if its maximum may be a record. A record is the
row with the columns of the mart; a record of volume has no other columns.
"""

from collections.abc import Iterator
from decimal import Decimal

from tests.warehouse.payloads import Json
from tests.warehouse.series import Rows, by

TOLERANCE_KG = 0.25
MIN_GAIN = 1.01


def records(sets: Rows) -> Iterator[Json]:
    """Yield all records of the sets of one exercise, without doubted sets and warm-ups."""
    yield from _of_sets(sets)
    yield from _of_maxima([each for each in sets if each["e1rm_kg"] is not None])
    yield from _of_volumes(sets)


def _measured(sets: Rows) -> Iterator[tuple[str, float, float, Json]]:
    """Yield measure, amount, load and the set itself, for sets that can be records."""
    for each in sets:
        load = each["load_kg"]
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
    for of_family in by(sets, "e1rm_family").values():
        found: list[Json] = []
        for each in of_family:
            standing = found[-1]["e1rm_kg"] if found else None
            if standing is None or each["e1rm_kg"] > standing * MIN_GAIN:
                found.append(each | {"record_kind": "e1rm", "previous_value": standing})
        for record in found:
            yield record | {
                "record_value": record["e1rm_kg"],
                "is_first": record["workout_id"] == of_family[0]["workout_id"],
                "is_current": record is found[-1],
            }


def _of_volumes(sets: Rows) -> Iterator[Json]:
    found: list[Json] = []
    for (workout_id,), in_workout in by(sets, "workout_id").items():
        volume_kg = float(sum(Decimal(f"{each['volume_kg'] or 0:.6f}") for each in in_workout))
        standing = found[-1]["record_value"] if found else None
        if volume_kg > (standing or 0):
            found.append(
                {
                    "record_kind": "volume",
                    "workout_id": workout_id,
                    "record_value": volume_kg,
                    "previous_value": standing,
                    "is_first": standing is None,
                }
            )
    for record in found:
        yield record | {"is_current": record is found[-1]}
