"""Plans, the performed training, and the expected rows.

Each case is a separate athlete with one routine, trained once. A row is written as (planned set,
performed set, status), sets by their index in their exercise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.warehouse.payloads import Json, exercise, lift, ranged

Row = tuple[int | None, int | None, str | None]

MET = "Target Met"
FREE = "Target Met: Free/Bodyweight"
SKIPPED = "Skipped"
UNPLANNED = "Unplanned"


@dataclass(frozen=True)
class Case:
    """`plan` and `done` are exercises in order; `rows` the result, by exercise and place."""

    name: str
    plan: Sequence[Json]
    done: Sequence[Json]
    rows: Sequence[Row]
    trained_at: str = "2026-03-05 17:00"


def _bench(
    name: str, plan: Sequence[Json], done: Sequence[Json], rows: Sequence[Row], **more: str
) -> Case:
    return Case(name, [exercise("bench", plan)], [exercise("bench", done)], rows, **more)


FIVE = lift(100, 5)
RANGE = ranged(80, 8, 12)

ALIGNMENT = (
    _bench(
        "the plan is not known before its first version",
        [FIVE] * 3,
        [FIVE, lift(102.5, 5), lift(60, 5, "warmup")],
        [(0, 0, None), (1, 1, None), (2, None, None), (None, 2, None)],
        trained_at="2026-02-20 17:00",
    ),
    _bench(
        "the last of equal sets is skipped",
        [FIVE] * 3,
        [FIVE] * 2,
        [(0, 0, MET), (1, 1, MET), (2, None, SKIPPED)],
    ),
    _bench(
        "a skipped top set does not shift the back-offs",
        [FIVE, lift(90, 8), lift(90, 8)],
        [lift(90, 8), lift(90, 8)],
        [(0, None, SKIPPED), (1, 0, MET), (2, 1, MET)],
    ),
    _bench(
        "an added warm-up shifts nothing",
        [FIVE] * 3,
        [lift(60, 5, "warmup"), FIVE, FIVE, lift(100, 4)],
        [
            (0, 1, MET),
            (1, 2, MET),
            (2, 3, "Underperformed: Fewer Reps"),
            (None, 0, UNPLANNED),
        ],
    ),
    _bench(
        "a warm-up logged as a normal set shifts nothing",
        [FIVE] * 3,
        [lift(60, 5), FIVE, FIVE, lift(100, 4)],
        [
            (0, 1, MET),
            (1, 2, MET),
            (2, 3, "Underperformed: Fewer Reps"),
            (None, 0, UNPLANNED),
        ],
    ),
    _bench("a set to failure is a working set", [FIVE], [lift(100, 5, "failure")], [(0, 0, MET)]),
    _bench(
        "a bonus set is unplanned",
        [FIVE] * 3,
        [FIVE, FIVE, FIVE, lift(110, 2)],
        [(0, 0, MET), (1, 1, MET), (2, 2, MET), (None, 3, UNPLANNED)],
    ),
    _bench(
        "equal counts pair fully however different",
        [lift(20, 5), FIVE],
        [FIVE, lift(20, 5)],
        [(0, 0, "Overperformed: Heavier"), (1, 1, "Underperformed: Lighter")],
    ),
    Case(
        "the order of the exercises does not matter",
        [exercise("squat", [lift(140, 5)] * 2), exercise("bench", [FIVE] * 2)],
        [exercise("bench", [FIVE] * 2), exercise("squat", [lift(140, 5)] * 2)],
        [(0, 0, MET), (1, 1, MET), (0, 0, MET), (1, 1, MET)],
    ),
    Case(
        "the same lift twice pairs first with first",
        [exercise("bench", [FIVE]), exercise("row", [FIVE]), exercise("bench", [lift(80, 10)])],
        [exercise("bench", [FIVE]), exercise("bench", [lift(80, 10)]), exercise("row", [FIVE])],
        [(0, 0, MET), (0, 0, MET), (0, 0, MET)],
    ),
    Case(
        "a substitution is skipped and unplanned",
        [exercise("bench", [FIVE] * 2)],
        [exercise("dumbbell bench", [lift(40, 8)])],
        [(0, None, SKIPPED), (1, None, SKIPPED), (None, 0, UNPLANNED)],
    ),
)

STATUSES = (
    _bench(
        "heavier and more", [FIVE], [lift(102.5, 6)], [(0, 0, "Overperformed: Heavier & More Reps")]
    ),
    _bench("heavier but fewer", [RANGE], [lift(85, 6)], [(0, 0, "Mixed: Heavier but Fewer Reps")]),
    _bench("heavier", [RANGE], [lift(82.5, 8)], [(0, 0, "Overperformed: Heavier")]),
    _bench("lighter but more", [RANGE], [lift(70, 14)], [(0, 0, "Mixed: Lighter but More Reps")]),
    _bench("lighter", [RANGE], [lift(75, 10)], [(0, 0, "Underperformed: Lighter")]),
    _bench("lighter and fewer", [RANGE], [lift(75, 6)], [(0, 0, "Underperformed: Lighter")]),
    _bench("more", [RANGE], [lift(80, 13)], [(0, 0, "Overperformed: More Reps")]),
    _bench("fewer", [RANGE], [lift(80, 6)], [(0, 0, "Underperformed: Fewer Reps")]),
    _bench("inside the range", [RANGE], [lift(80, 10)], [(0, 0, MET)]),
    _bench("a load without repetitions", [lift(80, None)], [lift(80, 10)], [(0, 0, MET)]),
    _bench("nothing recorded", [RANGE], [lift(None, None)], [(0, 0, None)]),
    _bench("a load not recorded", [RANGE], [lift(None, 10)], [(0, 0, None)]),
    _bench(
        "a load not recorded but more",
        [RANGE],
        [lift(None, 13)],
        [(0, 0, "Overperformed: More Reps")],
    ),
    _bench("no target", [lift(None, None)], [lift(80, 10)], [(0, 0, FREE)]),
    Case(
        "longer",
        [exercise("plank", [{"type": "normal", "duration_seconds": 60}])],
        [exercise("plank", [{"type": "normal", "duration_seconds": 75}])],
        [(0, 0, "Overperformed: Longer Duration")],
    ),
    Case(
        "shorter",
        [exercise("plank", [{"type": "normal", "duration_seconds": 60}])],
        [exercise("plank", [{"type": "normal", "duration_seconds": 45}])],
        [(0, 0, "Underperformed: Shorter Duration")],
    ),
    Case(
        "more floors",
        [exercise("stairs", [{"type": "normal", "custom_metric": 20}])],
        [exercise("stairs", [{"type": "normal", "custom_metric": 24}])],
        [(0, 0, "Overperformed: Higher Custom Metric")],
    ),
    Case(
        "fewer floors",
        [exercise("stairs", [{"type": "normal", "custom_metric": 20}])],
        [exercise("stairs", [{"type": "normal", "custom_metric": 15}])],
        [(0, 0, "Underperformed: Lower Custom Metric")],
    ),
    Case(
        "bodyweight",
        [exercise("pull up", [ranged(None, 8, 10)])],
        [exercise("pull up", [lift(None, 9)])],
        [(0, 0, FREE)],
    ),
    Case(
        "less help is more load",
        [exercise("assisted pull up", [lift(20, 8)])],
        [exercise("assisted pull up", [lift(15, 8)])],
        [(0, 0, "Overperformed: Heavier")],
    ),
)

CASES = ALIGNMENT + STATUSES
