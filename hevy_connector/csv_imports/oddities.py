"""Flag implausible values: typing errors, forgotten timers, empty sets.

Nothing is changed or removed. The limits are generous: a flagged value is nearly always an error,
and smaller errors cannot be distinguished from training.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hevy_connector.csv_imports.cells import KG_PER, plain_number
from hevy_connector.csv_imports.neutral import Flag, SetRow
from hevy_connector.schemas.writing import ALLOWED_RPE

# Sets of more repetitions exist (skipping rope), but 111 for 11 is the usual reason.
MOST_REPS = 100
# No lift was ever performed with more by hand; sled machines are the exception.
MOST_WEIGHT_KG = 600
# Floors or metres typed as kilometres: a hundred kilometres is more than a day's march.
MOST_DISTANCE_M = 100_000
# Longer than any session on a machine; minutes typed as hours.
LONGEST_SET_S = 6 * 3600
# A timer that was not stopped; races and hikes are shorter.
LONGEST_WORKOUT = timedelta(hours=12)
# Times have minutes at best: a shorter workout was entered afterwards.
SHORTEST_WORKOUT = timedelta(minutes=1)
# Strong offers one value that Hevy lacks.
OFFERED_RPE = frozenset({*ALLOWED_RPE, 6.5})

_LIMITS = (
    ("reps", MOST_REPS, "repetitions"),
    ("weight_kg", MOST_WEIGHT_KG, "kg"),
    ("distance_meters", MOST_DISTANCE_M, "m"),
    ("duration_seconds", LONGEST_SET_S, "s in one set"),
)


def flag_oddities(
    workouts: Sequence[Sequence[SetRow]], *, is_in_pounds: bool = False
) -> list[Flag]:
    """Flag implausible workouts and sets; each workout is its sets in file order.

    Weights are named in pounds if `is_in_pounds`, otherwise in kilograms.
    """
    return [
        *(flag for sets in workouts for one in sets for flag in _odd_set(one, is_in_pounds)),
        *(flag for sets in workouts for flag in _odd_length(sets[0])),
        *_overlaps(workouts),
    ]


def _odd_set(one: SetRow, is_in_pounds: bool) -> Iterator[Flag]:
    values = one.values
    for name, most, unit in _LIMITS:
        value = values[name]
        if value is not None and value > most:
            if name == "weight_kg" and is_in_pounds:
                value, unit = plain_number(round(Decimal(str(value)) / KG_PER["lb"], 2)), "lb"
            yield Flag(one.line, f"{value:,} {unit} is implausible")
    if values["rpe"] is not None and values["rpe"] not in OFFERED_RPE:
        yield Flag(one.line, f"neither Hevy nor Strong offers an RPE of {values['rpe']:,}")
    if all(values[name] is None for name, _, _ in _LIMITS):
        yield Flag(one.line, "the set holds no number")
    elif values["reps"] == 0 and not values["duration_seconds"] and not values["distance_meters"]:
        yield Flag(one.line, "0 repetitions: an attempt that failed, or an empty set")


def _odd_length(first: SetRow) -> Iterator[Flag]:
    start_at, end_at = first.head.start_at, first.head.end_at
    if end_at is None:
        return
    length = end_at - start_at
    if length > LONGEST_WORKOUT:
        yield Flag(first.line, f"the workout lasted {length.total_seconds() / 3600:.1f} hours")
    elif length < SHORTEST_WORKOUT:
        yield Flag(first.line, f"the workout lasted {length.seconds} seconds")


def _overlaps(workouts: Sequence[Sequence[SetRow]]) -> Iterator[Flag]:
    """Flag workouts that start before another has ended, except during an overlong one."""
    latest_end, of_line = datetime.min.replace(tzinfo=UTC), 0
    for first in sorted((sets[0] for sets in workouts), key=lambda one: one.head.start_at):
        start_at, end_at = first.head.start_at, first.head.end_at
        if start_at < latest_end:
            yield Flag(first.line, f"the workout begins before the one of line {of_line} has ended")
        # Compared as a duration: the limit after a late start may lie outside the calendar.
        if end_at is not None and end_at > latest_end and end_at - start_at <= LONGEST_WORKOUT:
            latest_end, of_line = end_at, first.line
