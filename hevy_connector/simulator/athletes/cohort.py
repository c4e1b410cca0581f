"""Lifters drawn from a seed: bodies, routines, gyms and habits.

Numbers are from measurements of public logs if there are any; the others are choices of the
project.
"""

import math
from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from statistics import median
from typing import Literal

from hevy_connector.simulator.athletes.gyms import GYMS, Equipment, Gym
from hevy_connector.simulator.athletes.habits import USUAL_RPE_BIAS, Habits
from hevy_connector.simulator.athletes.physiology import BodyTraits, LiftTraits, load_for
from hevy_connector.simulator.athletes.programme import (
    BARBELL_ROW,
    BENCH_PRESS,
    BICEP_CURL,
    CABLE_ROW,
    DEADLIFT,
    INCLINE_PRESS,
    LAT_PULLDOWN,
    LEG_EXTENSION,
    LEG_PRESS,
    LIFTS,
    LYING_LEG_CURL,
    OVERHEAD_PRESS,
    ROMANIAN_DEADLIFT,
    ROPE_PUSHDOWN,
    SEATED_LEG_CURL,
    SQUAT,
)
from hevy_connector.simulator.athletes.training_days import OF_THE_DAY, TrainingDay, training_days

Level = Literal["beginner", "intermediate", "advanced"]
Noise = Literal["mixed", "low", "median", "high"]

# Share of lifters, strength relative to the demo athlete, and the share of the ceiling at which
# they start (choices).
_LEVELS: dict[Level, tuple[float, float, tuple[float, float]]] = {
    "beginner": (0.4, 0.65, (0.60, 0.75)),
    "intermediate": (0.4, 1.0, (0.75, 0.88)),
    "advanced": (0.2, 1.35, (0.88, 0.95)),
}
# Noise of a lifter's maxima from one exposure to the next, % at these quantiles, measured on public
# logs. It includes the lifter's free choice of load and repetitions, so only a part is due to the
# body.
_QUANTILES = (0.10, 0.25, 0.50, 0.75, 0.90)
_NOISE_PCT = (0.0, 1.55, 3.11, 4.74, 6.07)
_BODYS_PART = 0.6
_NOISE_LEVELS: dict[Noise, float] = {"low": 0.25, "median": 0.5, "high": 0.75}
_NEVER_RATES, _ALWAYS_RATES = 0.85, 0.07  # share of lifters, measured; the others rate now and then
CHEST_PRESS = "7EB3F7C3"
HAMMER_CURL = "7E3BC8B6"
SEATED_ROW = "1DF4A847"
CLOSE_PULLDOWN = "4E5257DE"
TRICEPS_EXTENSION = "21310F5F"
_EXERCISES: dict[str, tuple[Equipment, str, tuple[str, ...]]] = {
    SQUAT: ("barbell", "quadriceps", ("hamstrings", "glutes")),
    BENCH_PRESS: ("barbell", "chest", ("triceps", "shoulders")),
    DEADLIFT: ("barbell", "glutes", ("hamstrings", "quadriceps", "upper_back")),
    OVERHEAD_PRESS: ("barbell", "shoulders", ("triceps",)),
    BARBELL_ROW: ("barbell", "upper_back", ("lats", "biceps")),
    ROMANIAN_DEADLIFT: ("barbell", "hamstrings", ("glutes",)),
    INCLINE_PRESS: ("dumbbell", "chest", ("triceps", "shoulders")),
    BICEP_CURL: ("dumbbell", "biceps", ()),
    CABLE_ROW: ("machine", "upper_back", ("lats", "biceps")),
    LAT_PULLDOWN: ("machine", "lats", ("upper_back", "biceps")),
    LYING_LEG_CURL: ("machine", "hamstrings", ()),
    LEG_PRESS: ("machine", "quadriceps", ("glutes",)),
    ROPE_PUSHDOWN: ("machine", "triceps", ()),
    CHEST_PRESS: ("machine", "chest", ("triceps", "shoulders")),
    HAMMER_CURL: ("dumbbell", "biceps", ()),
    SEATED_ROW: ("machine", "upper_back", ("lats", "biceps")),
    CLOSE_PULLDOWN: ("machine", "lats", ("upper_back", "biceps")),
    SEATED_LEG_CURL: ("machine", "hamstrings", ()),
    LEG_EXTENSION: ("machine", "quadriceps", ()),
    TRICEPS_EXTENSION: ("machine", "triceps", ()),
}
# Alternatives to an accessory, and their usual load relative to it (choices).
_SIMILAR = {
    INCLINE_PRESS: (CHEST_PRESS, 2.2),
    BICEP_CURL: (HAMMER_CURL, 1.1),
    CABLE_ROW: (SEATED_ROW, 0.95),
    LAT_PULLDOWN: (CLOSE_PULLDOWN, 1.0),
    LYING_LEG_CURL: (SEATED_LEG_CURL, 1.15),
    LEG_PRESS: (LEG_EXTENSION, 0.35),
    ROPE_PUSHDOWN: (TRICEPS_EXTENSION, 0.8),
}
# More repetitions at a percentage on the leg press (Nuzzo et al. 2024); the size is a choice.
_ENDURANCE, _LEG_PRESS_MORE = 30.0, 1.2
_GROWTH_PER_WEEK = 0.035  # see `BodyTraits`


@dataclass(frozen=True)
class PlannedSlot:
    """An exercise of a routine: number of working sets, rep range and starting load."""

    template_id: str
    sets: int
    low: int
    high: int
    load_kg: float = 0.0


@dataclass(frozen=True)
class PlannedRoutine:
    """A routine of a simulated lifter."""

    title: str
    slots: tuple[PlannedSlot, ...]


@dataclass(frozen=True)
class SimulatedLifter:
    """All traits of a simulated lifter; `days` are the sessions that take place.

    `lift_noise` is the standard deviation of a single exercise from day to day, as a share of
    strength. `lifts` are the exercises of the routines and their alternatives; `similar` maps one
    to the other. `own_loads` are the loads in kg of exercises that the gym does not have.
    """

    seed: str
    level: Level
    body: BodyTraits
    lifts: dict[str, LiftTraits]
    routines: tuple[PlannedRoutine, ...]
    gym: Gym
    habits: Habits
    days: tuple[TrainingDay, ...]
    lift_noise: float
    similar: Mapping[str, str] = field(default_factory=dict)
    own_loads: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def loads(self, template_id: str) -> tuple[float, ...]:
        """Return the available loads for an exercise, ascending."""
        own = self.own_loads.get(template_id)
        return self.gym.loads[equipment_of(template_id)] if own is None else own


def known_exercises() -> tuple[str, ...]:
    """Return the template ids of all exercises that simulated lifters can have."""
    return tuple(_EXERCISES)


def with_exercises(lifter: SimulatedLifter, templates: Collection[str]) -> SimulatedLifter:
    """Return the lifter with traits for these exercises only, and without routines.

    The lifter is as strong in new exercises as in the present ones, give or take 10 %; nothing is
    replaced in edits.
    """
    _, factor, _ = _LEVELS[lifter.level]
    own = [name for name in lifter.lifts if name in LIFTS]
    build = median(lifter.lifts[name].start_kg / (LIFTS[name].best * factor) for name in own)
    endurance = median(
        lifter.lifts[name].endurance / (_LEG_PRESS_MORE if name == LEG_PRESS else 1) for name in own
    )
    found: dict[str, LiftTraits] = {}
    for name in templates:
        if name in lifter.lifts:
            found[name] = lifter.lifts[name]
            continue
        rng = Random(f"{lifter.seed}/{name}")  # noqa: S311 - a reproducible lifter, not a secret
        usual = next((one for one, (other, _) in _SIMILAR.items() if other == name), name)
        lift = _lift(usual, lifter.level, build, endurance / _ENDURANCE, rng)
        if usual != name:
            _, share = _SIMILAR[usual]
            _, muscle, secondary = _EXERCISES[name]
            lift = LiftTraits(
                lift.start_kg * share, lift.ceiling_kg * share, lift.endurance, muscle, secondary
            )
        found[name] = lift
    return replace(lifter, lifts=found, routines=(), similar={})


def starting_load(lifter: SimulatedLifter, template_id: str, reps: float) -> float:
    """Return a load by guess in kg: two repetitions are left after `reps`, give or take 5 %."""
    rng = Random(f"{lifter.seed}/guess")  # noqa: S311 - a reproducible lifter, not a secret
    lift = lifter.lifts[template_id]
    load = load_for(lift.start_kg, reps + 2, lift.endurance) * math.exp(rng.gauss(0, 0.05))
    return lifter.gym.floor(equipment_of(template_id), load)


def equipment_of(template_id: str) -> Equipment:
    """Return the equipment of an exercise."""
    return _EXERCISES[template_id][0]


def cohort(seed: int, count: int, weeks: int, noise: Noise = "mixed") -> list[SimulatedLifter]:
    """Draw lifters from a seed; more lifters or more weeks leave the first ones unchanged."""
    return [draw_lifter(seed, number, weeks, noise) for number in range(count)]


def draw_lifter(seed: int, number: int, weeks: int, noise: Noise = "mixed") -> SimulatedLifter:
    """Draw one lifter of a seed, from beginner to advanced, with habits."""
    name = f"{seed}/{number}"
    rng = Random(name)  # noqa: S311 - a reproducible lifter, not a secret
    level = rng.choices(list(_LEVELS), [share for share, _, _ in _LEVELS.values()])[0]
    gym = rng.choice(GYMS)
    routines = rng.choice(_PROGRAMMES)
    used = dict.fromkeys(slot.template_id for each in routines for slot in each.slots)
    build, endurance = rng.lognormvariate(0, 0.15), rng.lognormvariate(0, 0.15)
    lifts = {template: _lift(template, level, build, endurance, rng) for template in used}
    body = BodyTraits(
        growth_per_week=_GROWTH_PER_WEEK * rng.lognormvariate(0, 0.3),
        recovery_days=rng.uniform(2, 4.5),
        tolerance=rng.uniform(2, 4),
    )
    habits = _habits(rng)
    # A separate random stream, which leaves all other draws unchanged.
    edits = Random(f"{name}/edits")  # noqa: S311 - a reproducible lifter, not a secret
    habits = replace(habits, edited_share=edits.choice((0.0, 0.0, 0.1)))
    similar = _similar_lifts(lifts, edits) if habits.edited_share else {}
    guess = rng.gauss(0, 0.05)
    spread = _quantile(rng.random()) if noise == "mixed" else _quantile(_NOISE_LEVELS[noise])
    spread *= _BODYS_PART / 100
    return SimulatedLifter(
        seed=name,
        level=level,
        body=body,
        lifts=lifts | {other: lift for other, lift in similar.values()},
        routines=tuple(_with_starting_loads(each, lifts, gym, guess) for each in routines),
        gym=gym,
        habits=habits,
        days=training_days(name, weeks, habits, spread, [each.muscle for each in lifts.values()]),
        lift_noise=spread * math.sqrt(1 - OF_THE_DAY),
        similar={
            one: other
            for pair in ((name, other) for name, (other, _) in similar.items())
            for one, other in (pair, pair[::-1])
        },
    )


def draw_growth(rng: Random) -> tuple[Level, float, float]:
    """Draw a level, the share of the ceiling that it starts at, and the growth per week."""
    level = rng.choices(list(_LEVELS), [share for share, _, _ in _LEVELS.values()])[0]
    _, _, (least, most) = _LEVELS[level]
    return level, rng.uniform(least, most), _GROWTH_PER_WEEK * rng.lognormvariate(0, 0.3)


def _lift(
    template_id: str, level: Level, build: float, endurance: float, rng: Random
) -> LiftTraits:
    _, factor, (least, most) = _LEVELS[level]
    _, muscle, secondary = _EXERCISES[template_id]
    start_kg = LIFTS[template_id].best * factor * build * rng.lognormvariate(0, 0.1)
    own = _ENDURANCE * endurance * rng.lognormvariate(0, 0.1)
    if template_id == LEG_PRESS:
        own *= _LEG_PRESS_MORE
    return LiftTraits(start_kg, start_kg / rng.uniform(least, most), own, muscle, secondary)


def _similar_lifts(
    lifts: Mapping[str, LiftTraits], rng: Random
) -> dict[str, tuple[str, LiftTraits]]:
    """Draw the alternative of each accessory and the lifter's traits for it."""
    found = {}
    for name, lift in lifts.items():
        if name not in _SIMILAR:
            continue
        other, share = _SIMILAR[name]
        _, muscle, secondary = _EXERCISES[other]
        start_kg = lift.start_kg * share * rng.lognormvariate(0, 0.1)
        ceiling_kg = start_kg * lift.ceiling_kg / lift.start_kg
        own = lift.endurance * rng.lognormvariate(0, 0.1)
        found[name] = other, LiftTraits(start_kg, ceiling_kg, own, muscle, secondary)
    return found


def _habits(rng: Random) -> Habits:
    rates, share = rng.random(), rng.uniform(0.1, 0.5)
    rated = 0.0 if rates < _NEVER_RATES else share
    if rates > 1 - _ALWAYS_RATES:
        rated = 0.9
    return Habits(
        fills_range=rng.random() < 0.5,
        kept_reserve=rng.choice((0, 1, 1, 2)),
        steps_off=rng.choice((-1, -1, 1)),
        off_share=rng.choice((0.0, 0.0, 0.05)),
        rated_share=rated,
        rpe_bias=rng.gauss(USUAL_RPE_BIAS, 0.5),
        rounded_share=rng.choice((0.0, 0.0, 0.3)),
        skipped_share=rng.choice((0.0, 0.05, 0.15)),
        early_share=rng.choice((0.0, 0.0, 0.05)),
    )


def _with_starting_loads(
    routine: PlannedRoutine, lifts: dict[str, LiftTraits], gym: Gym, guess: float
) -> PlannedRoutine:
    """Return the routine with starting loads: a guess with two repetitions in reserve."""
    slots = []
    for slot in routine.slots:
        lift = lifts[slot.template_id]
        reps = (slot.low + slot.high) / 2 + 2
        load = load_for(lift.start_kg, reps, lift.endurance) * math.exp(guess)
        found = gym.floor(equipment_of(slot.template_id), load)
        slots.append(replace(slot, load_kg=found))
    return PlannedRoutine(routine.title, tuple(slots))


def _quantile(share: float) -> float:
    """Return the noise that this share of lifters stays below, in percent."""
    at = min(max(bisect_left(_QUANTILES, share), 1), len(_QUANTILES) - 1)
    low, high = _QUANTILES[at - 1], _QUANTILES[at]
    before, after = _NOISE_PCT[at - 1], _NOISE_PCT[at]
    found = before + (after - before) * (share - low) / (high - low)
    return min(max(found, 0.0), _NOISE_PCT[-1])


def _routine(title: str, *slots: tuple[str, int, int, int]) -> PlannedRoutine:
    return PlannedRoutine(title, tuple(PlannedSlot(*slot) for slot in slots))


_PROGRAMMES = (
    (
        _routine(
            "Full Body A",
            (SQUAT, 3, 5, 5),
            (BENCH_PRESS, 3, 5, 5),
            (BARBELL_ROW, 3, 6, 10),
            (BICEP_CURL, 3, 8, 12),
        ),
        _routine(
            "Full Body B",
            (DEADLIFT, 2, 5, 5),
            (OVERHEAD_PRESS, 3, 5, 5),
            (LAT_PULLDOWN, 3, 8, 12),
            (LYING_LEG_CURL, 3, 10, 15),
        ),
    ),
    (
        _routine(
            "Upper",
            (BENCH_PRESS, 4, 5, 8),
            (CABLE_ROW, 3, 8, 12),
            (INCLINE_PRESS, 3, 8, 12),
            (LAT_PULLDOWN, 3, 8, 12),
        ),
        _routine(
            "Lower",
            (SQUAT, 4, 5, 8),
            (ROMANIAN_DEADLIFT, 3, 8, 10),
            (LEG_PRESS, 3, 10, 15),
            (LYING_LEG_CURL, 3, 10, 12),
        ),
    ),
    (
        _routine(
            "Push",
            (BENCH_PRESS, 3, 5, 5),
            (OVERHEAD_PRESS, 3, 6, 10),
            (INCLINE_PRESS, 3, 8, 12),
            (ROPE_PUSHDOWN, 3, 10, 15),
        ),
        _routine(
            "Pull",
            (BARBELL_ROW, 4, 6, 8),
            (LAT_PULLDOWN, 3, 8, 12),
            (CABLE_ROW, 3, 10, 12),
            (BICEP_CURL, 3, 8, 12),
        ),
        _routine(
            "Legs",
            (SQUAT, 3, 5, 5),
            (ROMANIAN_DEADLIFT, 3, 8, 10),
            (LEG_PRESS, 3, 10, 15),
            (LYING_LEG_CURL, 3, 10, 12),
        ),
    ),
)
