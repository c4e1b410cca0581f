"""The demo athlete's programme: four routines and the loads of each exercise."""

from dataclasses import dataclass
from typing import Literal

from hevy_connector.simulator.api.body_values import SetType


@dataclass(frozen=True)
class Ladder:
    """Available values: `lowest` and every `step` above it (kilograms or seconds)."""

    lowest: float
    step: float

    def floor(self, value: float) -> float:
        """Return the highest available value up to `value`, at least the lowest."""
        steps = max(0, int((value - self.lowest) / self.step + 1e-9))
        return self.lowest + steps * self.step


BARBELL = Ladder(20, 2.5)
"""An empty bar of 20 kg and pairs of plates from 1.25 to 20 kg."""
DUMBBELLS = Ladder(2, 2)
MACHINE = Ladder(5, 5)
SECONDS = Ladder(15, 5)


@dataclass(frozen=True)
class Lift:
    """The athlete's ability in one exercise on the first day.

    `best` is the estimated one-repetition maximum in kg, or the longest hold in seconds. `gain` is
    the share by which it would grow in endless training. Without a ladder there is no load: the
    body moves `body_kg` of itself.
    """

    measure: Literal["load", "body", "time"]
    best: float
    gain: float
    ladder: Ladder | None = None
    body_kg: float = 0.0


@dataclass(frozen=True)
class SetPlan:
    """One planned set: a share of its slot's load and at most one kind of target.

    A share of 0 is the lightest available load: the empty bar. A range that ends in None is open
    ("8+").
    """

    type: SetType = "normal"
    load_share: float = 1.0
    reps: int | None = None
    rep_range: tuple[int, int | None] | None = None

    @property
    def least_reps(self) -> int | None:
        """Return the repetitions at which the set counts as hit."""
        return self.rep_range[0] if self.rep_range else self.reps

    @property
    def most_reps(self) -> int | None:
        """Return the repetitions at which the set ends; None if only strength ends it."""
        return self.rep_range[1] if self.rep_range else self.reps


@dataclass(frozen=True)
class Slot:
    """One position in a routine; the same exercise may have two with different targets."""

    template_id: str
    sets: tuple[SetPlan, ...]
    rest_seconds: int
    superset_id: int | None = None
    notes: str | None = None


@dataclass(frozen=True)
class RoutinePlan:
    """A routine without loads: those depend on the athlete."""

    title: str
    slots: tuple[Slot, ...]
    notes: str | None = None


def _warmup(*steps: tuple[float, int]) -> tuple[SetPlan, ...]:
    return tuple(SetPlan("warmup", share, reps) for share, reps in steps)


def _fixed(count: int, reps: int) -> tuple[SetPlan, ...]:
    return (SetPlan(reps=reps),) * count


def _ranged(count: int, low: int, high: int) -> tuple[SetPlan, ...]:
    return (SetPlan(rep_range=(low, high)),) * count


BENCH_PRESS = "79D0BB3A"
PULL_UP = "1B2B1E7C"
CABLE_ROW = "0393F233"
LATERAL_RAISE = "422B08F1"
ROPE_PUSHDOWN = "94B7239B"
SQUAT = "D04AC939"
ROMANIAN_DEADLIFT = "2B4B7310"
LEG_PRESS = "C7973E0E"
LYING_LEG_CURL = "B8127AD1"
CALF_RAISE = "E05C2C38"
PLANK = "C6C9B8A0"
OVERHEAD_PRESS = "7B8D84E8"
BARBELL_ROW = "55E6546F"
INCLINE_PRESS = "07B38369"
LAT_PULLDOWN = "6A6C31A5"
BICEP_CURL = "37FCC2BB"
SKULLCRUSHER = "875F585F"
PUSH_UP = "392887AA"
DEADLIFT = "C6272009"
SPLIT_SQUAT = "B5D3A742"
LEG_EXTENSION = "75A4F6C4"
SEATED_LEG_CURL = "11A123F3"
LEG_RAISE = "F8356514"
COPENHAGEN_PLANK = "5f0c8a1e-3b7d-4c52-9e86-d41a7b20c9f3"
"""The athlete's own exercise, so its id is a UUID."""

LIFTS = {
    BENCH_PRESS: Lift("load", 92, 0.17, BARBELL),
    PULL_UP: Lift("body", 103, 0.12, body_kg=79),
    CABLE_ROW: Lift("load", 96, 0.22, MACHINE),
    LATERAL_RAISE: Lift("load", 16, 0.24, DUMBBELLS),
    ROPE_PUSHDOWN: Lift("load", 48, 0.26, MACHINE),
    SQUAT: Lift("load", 126, 0.18, BARBELL),
    ROMANIAN_DEADLIFT: Lift("load", 122, 0.18, BARBELL),
    LEG_PRESS: Lift("load", 232, 0.22, MACHINE),
    LYING_LEG_CURL: Lift("load", 62, 0.24, MACHINE),
    CALF_RAISE: Lift("load", 118, 0.24, MACHINE),
    PLANK: Lift("time", 84, 0.45, SECONDS),
    OVERHEAD_PRESS: Lift("load", 58, 0.16, BARBELL),
    BARBELL_ROW: Lift("load", 91, 0.18, BARBELL),
    INCLINE_PRESS: Lift("load", 36, 0.22, DUMBBELLS),
    LAT_PULLDOWN: Lift("load", 84, 0.2, MACHINE),
    BICEP_CURL: Lift("load", 20.5, 0.25, DUMBBELLS),
    SKULLCRUSHER: Lift("load", 43, 0.24, BARBELL),
    PUSH_UP: Lift("body", 88, 0.14, body_kg=50),
    DEADLIFT: Lift("load", 158, 0.16, BARBELL),
    SPLIT_SQUAT: Lift("load", 30, 0.26, DUMBBELLS),
    LEG_EXTENSION: Lift("load", 84, 0.24, MACHINE),
    SEATED_LEG_CURL: Lift("load", 72, 0.24, MACHINE),
    LEG_RAISE: Lift("body", 57, 0.18, body_kg=40),
    COPENHAGEN_PLANK: Lift("time", 40, 0.5, SECONDS),
}

PROGRAMME = (
    RoutinePlan(
        "Upper A",
        (
            Slot(
                BENCH_PRESS,
                (*_warmup((0.0, 10), (0.7, 5)), *_fixed(4, 5)),
                180,
                notes="Pause the first rep on the chest.",
            ),
            Slot(PULL_UP, _ranged(3, 6, 10), 150),
            Slot(BENCH_PRESS, _ranged(2, 8, 10), 120, notes="Lighter, close to failure."),
            Slot(CABLE_ROW, _ranged(3, 8, 12), 120),
            Slot(LATERAL_RAISE, _ranged(3, 12, 15), 60, superset_id=0),
            Slot(ROPE_PUSHDOWN, _ranged(3, 10, 15), 60, superset_id=0),
        ),
        notes="Heavy bench day.",
    ),
    RoutinePlan(
        "Lower A",
        (
            Slot(
                SQUAT,
                (*_warmup((0.0, 8), (0.5, 5), (0.75, 3)), *_fixed(5, 5)),
                180,
                notes="Belt from the first working set.",
            ),
            Slot(ROMANIAN_DEADLIFT, _ranged(3, 8, 10), 150),
            Slot(LEG_PRESS, _ranged(3, 10, 15), 120),
            Slot(LYING_LEG_CURL, _ranged(3, 10, 12), 75, superset_id=0),
            Slot(CALF_RAISE, _ranged(3, 12, 15), 75, superset_id=0),
            Slot(PLANK, (SetPlan(),) * 3, 60),
        ),
    ),
    RoutinePlan(
        "Upper B",
        (
            Slot(
                OVERHEAD_PRESS,
                (*_warmup((0.0, 8), (0.75, 4)), *_ranged(3, 6, 8)),
                180,
                notes="Glutes tight, no leg drive.",
            ),
            Slot(
                BARBELL_ROW,
                (*_warmup((0.6, 6)), *_ranged(2, 8, 10), SetPlan(rep_range=(8, None))),
                150,
            ),
            Slot(INCLINE_PRESS, _ranged(3, 8, 12), 120, notes="Bench on the second notch."),
            Slot(
                LAT_PULLDOWN,
                (*_ranged(3, 8, 12), SetPlan("dropset", 0.75, rep_range=(8, 15))),
                90,
            ),
            Slot(BICEP_CURL, _ranged(3, 8, 12), 60, superset_id=0),
            Slot(SKULLCRUSHER, _ranged(3, 8, 12), 60, superset_id=0),
            Slot(PUSH_UP, (*_ranged(1, 12, 20), SetPlan("failure")), 90),
        ),
    ),
    RoutinePlan(
        "Lower B",
        (
            Slot(
                DEADLIFT,
                (*_warmup((0.4, 5), (0.6, 4), (0.8, 2)), *_fixed(3, 5)),
                240,
                notes="Double overhand for the warm-ups, straps after.",
            ),
            Slot(SPLIT_SQUAT, _ranged(3, 8, 10), 120, notes="Each leg."),
            Slot(LEG_EXTENSION, _ranged(3, 10, 15), 90),
            Slot(SEATED_LEG_CURL, _ranged(3, 10, 12), 90),
            Slot(LEG_RAISE, _ranged(3, 8, 12), 60, superset_id=0),
            Slot(COPENHAGEN_PLANK, (SetPlan(),) * 3, 60, superset_id=0),
        ),
    ),
)
