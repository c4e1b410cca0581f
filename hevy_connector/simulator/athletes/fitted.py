"""Simulated lifters fitted to a log: what it leaves open differs from one to the next.

A log shows loads, repetitions and trends, but neither the room for growth nor the repetitions in
reserve. Both are drawn as for other simulated lifters, and growth is weighted by its likelihood
under the measured trend.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from hevy_connector.simulator.athletes.cohort import Level, SimulatedLifter, draw_growth
from hevy_connector.simulator.athletes.gyms import Gym
from hevy_connector.simulator.athletes.habits import Habits
from hevy_connector.simulator.athletes.physiology import (
    BodyTraits,
    LiftTraits,
    dose_of_set,
    effect_of_dose,
)
from hevy_connector.simulator.athletes.training_days import steady_days

WEEKDAYS: Mapping[int, tuple[int, ...]] = {
    1: (0,),
    2: (0, 3),
    3: (0, 2, 4),
    4: (0, 1, 3, 4),
    5: (0, 1, 2, 4, 5),
    6: (0, 1, 2, 3, 4, 5),
    7: (0, 1, 2, 3, 4, 5, 6),
}
"""Training days from Monday, 0, by their number."""

_DRAWS = 400
_USUAL_RESERVE = 2
_RESERVES = (0, 1, 1, 2)  # as simulated lifters keep them
_GUESS_SPREAD = 0.25  # of a strength that no set shows; a choice
_BODYS_PART, _SINGLE_LIFT = 0.6, 0.4  # of the noise, and of the variance that is a lift's own
_ENDURANCE = 30.0


@dataclass(frozen=True)
class FittedLift:
    """An exercise of a plan: a set of the latest training, and the loads of the gym in kg.

    With `is_guess` nobody lifted it: the set is derived from other exercises.
    """

    name: str
    muscle: str
    secondary: tuple[str, ...]
    load_kg: float
    reps: float
    loads: tuple[float, ...]
    is_guess: bool = False


@dataclass(frozen=True)
class Trend:
    """Measured training of a log.

    `gain_per_week` is the growth of maxima as a share, `error` its standard error. `noise` is the
    standard deviation of a maximum around its trend, as a share. `weekly_sets` are those of an
    exercise, with half of those of others for its muscle. `rated_share` of the sets have an RPE.
    """

    gain_per_week: float
    error: float
    noise: float
    weekly_sets: float
    rated_share: float = 0.0


def fitted_lifters(
    trend: Trend,
    lifts: Mapping[str, FittedLift],
    *,
    days_a_week: int,
    weeks: int,
    count: int,
    seed: int,
) -> list[SimulatedLifter]:
    """Draw lifters that could have the log: `lifts` are the exercises of their plan by template.

    The same seed has the same bodies and the same form in each week under every plan. Sorted by
    growth, the slowest first; each stands for an equal share of the probability.
    """
    growths = _growths(trend, count, seed)
    return [
        _lifter(f"fitted/{seed}/{number}", growth, trend, lifts, WEEKDAYS[days_a_week], weeks)
        for number, growth in enumerate(growths)
    ]


def _growths(trend: Trend, count: int, seed: int) -> list[tuple[Level, float, float]]:
    """Return draws at equal steps of probability: level, share of the ceiling, growth a week."""
    rng = Random(f"fitted/{seed}")  # noqa: S311 - a reproducible lifter, not a secret
    effect = effect_of_dose(trend.weekly_sets * dose_of_set(_USUAL_RESERVE))

    def gain(draw: tuple[Level, float, float]) -> float:
        _, share, growth = draw
        return growth * (1 - share) * effect

    draws = sorted((draw_growth(rng) for _ in range(_DRAWS)), key=gain)
    misfits = [((gain(each) - trend.gain_per_week) / trend.error) ** 2 / 2 for each in draws]
    best = min(misfits)
    weights = list(accumulate(math.exp(best - each) for each in misfits))
    return [
        draws[bisect_left(weights, weights[-1] * (number + 0.5) / count)] for number in range(count)
    ]


def _lifter(
    seed: str,
    drawn: tuple[Level, float, float],
    trend: Trend,
    lifts: Mapping[str, FittedLift],
    weekdays: Sequence[int],
    weeks: int,
) -> SimulatedLifter:
    level, share, growth = drawn
    rng = Random(seed)  # noqa: S311 - a reproducible lifter, not a secret
    reserve, fills_range = rng.choice(_RESERVES), rng.random() < 0.5
    endurance = _ENDURANCE * rng.lognormvariate(0, 0.15)
    body = BodyTraits(
        growth_per_week=growth,
        recovery_days=rng.uniform(2, 4.5),
        tolerance=rng.uniform(2, 4),
    )
    noise = trend.noise * _BODYS_PART
    return SimulatedLifter(
        seed=seed,
        level=level,
        body=body,
        lifts={
            template_id: _traits(seed, lift, share, endurance, reserve)
            for template_id, lift in lifts.items()
        },
        routines=(),
        gym=Gym(),
        habits=Habits(fills_range=fills_range, kept_reserve=reserve, rated_share=trend.rated_share),
        days=steady_days(seed, weeks, weekdays, noise),
        lift_noise=noise * math.sqrt(_SINGLE_LIFT),
        own_loads={template_id: lift.loads for template_id, lift in lifts.items()},
    )


def _traits(
    seed: str, lift: FittedLift, share: float, endurance: float, reserve: int
) -> LiftTraits:
    rng = Random(f"{seed}/{lift.name}")  # noqa: S311 - a reproducible lifter, not a secret
    own = endurance * rng.lognormvariate(0, 0.1)
    start_kg = lift.load_kg * (1 + (lift.reps + reserve) / own)
    if lift.is_guess:
        start_kg *= rng.lognormvariate(0, _GUESS_SPREAD)
    return LiftTraits(start_kg, start_kg / share, own, lift.muscle, lift.secondary)
