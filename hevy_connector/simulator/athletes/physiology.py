"""Simulated body with known true strength, fatigue and injury.

The model is the project's own: its numbers are limited by sources. A number without a source is a
choice, so that too light, too much and too heavy all cost strength. It shows if a coach is stable
and safe, but not if it makes people stronger.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

# Strength flattens near 5 weekly sets: 90 % of the effect (Pelland et al., Sports Med 56:481).
_DOSE_SCALE = 2.2
# Sets of other exercises for the same muscle count half (fractional counting, the same source).
_SHARED_DOSE = 0.5
# Reserve at which a set counts half: RIR 3 and less is a hard set, RPE 5 and 6 leave 4 to 6
# (Zourdos et al. 2016, JSCR 30:267; Helms et al. 2016, SCJ 38(4):42). The shape is a choice.
_HALF_EFFORT_RESERVE = 5.0
_FULL_SET_REPS = 4  # fewer repetitions are less work; a choice
# Strength is kept for weeks; 30 days off cost 1 %, 70 days 3 %, as in public logs, where the change
# compared with ordinary gaps is -0.7 to -3.5 % (weak evidence).
_KEEPING_DOSE = 0.5
_LOSS_PER_DAY = 0.0006
# Fatigue of a set over days, as a share of strength: with much in reserve, and up to three times
# that at failure; growth stops at 6 % fatigue. Choices, so that about 6 to 10 hard weekly sets are
# best and 20 to failure are too many.
_LASTING_COST = 0.00175
_LASTING_COST_AT_FAILURE = 0.0035
_NO_GROWTH_FATIGUE = 0.06
_SECONDARY_SHARE = 0.5
# Fatigue of a set for the next sets of the exercise: together they lose 2.6 and 5.6 % of the
# repetitions, measured on public logs with something in reserve.
_PASSING_COST = 0.0055
_PASSING_COST_AT_FAILURE = 0.006
_CLOSENESS = 1.5
_COST_PER_SLOT = 0.006  # per earlier exercise of the session; a choice
# A load is an overshoot from 15 % above the lifter's ability. Tissue tolerates it once; three
# exposures in a row, or one far above, injure (a choice, as is the healing time).
OVERSHOOT = 1.15
_STRAIN_DAYS = 14.0
_HEALING_DAYS = 21
_INJURY_LOSS = 0.04


@dataclass(frozen=True)
class LiftTraits:
    """A lifter's traits for one exercise.

    `start_kg` and `ceiling_kg` are one-repetition maxima, on the first day and after endless
    training. `endurance` is the number of repetitions at which a load is half of the maximum, 30 in
    Epley's formula: lifters differ much in it (Nuzzo et al. 2024, Sports Med 54:303).
    """

    start_kg: float
    ceiling_kg: float
    endurance: float
    muscle: str
    secondary: tuple[str, ...] = ()


@dataclass(frozen=True)
class BodyTraits:
    """A lifter's traits common to all exercises.

    `growth_per_week` is the logistic rate at which strength approaches its ceiling under a full
    dose; with 0.035 a beginner at 65 % of it gains 41 % in a year, and ever less after that: +30 to
    50 % in the first year, nearly a plateau after two (Steele et al. 2022). `loss_per_week` is the
    loss by illness or age, independent of training. `recovery_days` is the time in which fatigue
    falls to 37 %; `tolerance` is the strain that injures.
    """

    growth_per_week: float = 0.035
    loss_per_week: float = 0.0
    recovery_days: float = 3.0
    tolerance: float = 2.0


class Effort(NamedTuple):
    """The true effort of a set: `possible` repetitions, of which `reps` were done."""

    reps: int
    possible: int


class Body:
    """A lifter's body from day to day. `form` is the share of strength available on a day."""

    def __init__(self, traits: BodyTraits, lifts: Mapping[str, LiftTraits]) -> None:
        self._traits = traits
        self._lifts = lifts
        self._strength = {name: lift.start_kg for name, lift in lifts.items()}
        self._dose = dict.fromkeys(lifts, 0.0)
        self._strain = dict.fromkeys(lifts, 0.0)
        self._fatigue = {
            muscle: 0.0 for lift in lifts.values() for muscle in (lift.muscle, *lift.secondary)
        }
        self._healing: dict[str, int] = {}
        self._peers = {
            name: [
                other for other, its in lifts.items() if other != name and its.muscle == lift.muscle
            ]
            for name, lift in lifts.items()
        }
        self.injuries: list[str] = []

    def strength(self, name: str) -> float:
        """Return the rested lifter's one-repetition maximum in kg."""
        return self._strength[name]

    def is_hurt(self, name: str) -> bool:
        """Return whether the lift cannot be trained because its muscle is injured."""
        return self._lifts[name].muscle in self._healing

    def hurt(self, muscle: str) -> None:
        """Injure a muscle outside training; it heals for some weeks."""
        self._healing[muscle] = _HEALING_DAYS

    def rest(self, days: int) -> None:
        """Advance by a number of nights."""
        for _ in range(days):
            self._grow()
            self._recover()

    def current_max_kg(
        self, name: str, form: float, slots_before: int, sets: Sequence[Effort]
    ) -> float:
        """Return the current maximum in kg after earlier sets and exercises of the session."""
        passing = sum(
            _PASSING_COST + _PASSING_COST_AT_FAILURE * _closeness(each.possible - each.reps)
            for each in sets
        )
        left = 1 - self._fatigue_of(name) - passing - _COST_PER_SLOT * slots_before
        return self._strength[name] * form * max(left, 0.1)

    def work(self, name: str, effort: Effort) -> None:
        """Add the dose and the fatigue of one set."""
        reserve = effort.possible - effort.reps
        dose = dose_of_set(reserve) * min(1.0, effort.reps / _FULL_SET_REPS)
        self._dose[name] += dose
        for other in self._peers[name]:
            self._dose[other] += _SHARED_DOSE * dose
        cost = _LASTING_COST + _LASTING_COST_AT_FAILURE * _closeness(reserve)
        lift = self._lifts[name]
        self._fatigue[lift.muscle] += cost
        for muscle in lift.secondary:
            self._fatigue[muscle] += _SECONDARY_SHARE * cost

    def apply_exposure(self, name: str, load_kg: float, reps: int) -> bool:
        """Add the strain of an exposure with `reps` at this load; return whether it injured.

        Strain grows with the square of the overload above the rested lifter's ability.
        """
        excess = self.excess(name, load_kg, reps)
        if excess <= 0.05:
            return False
        self._strain[name] += (excess / (OVERSHOOT - 1)) ** 2
        if self._strain[name] < self._traits.tolerance:
            return False
        self._strain[name] = 0.0
        self._strength[name] *= 1 - _INJURY_LOSS
        self._healing[self._lifts[name].muscle] = _HEALING_DAYS
        self.injuries.append(name)
        return True

    def excess(self, name: str, load_kg: float, reps: int) -> float:
        """Return the share by which a load exceeds the rested lifter's maximum for `reps`."""
        lift = self._lifts[name]
        return load_kg / load_for(self._strength[name], reps, lift.endurance) - 1

    def _fatigue_of(self, name: str) -> float:
        lift = self._lifts[name]
        others = max((self._fatigue[muscle] for muscle in lift.secondary), default=0.0)
        return self._fatigue[lift.muscle] + _SECONDARY_SHARE * others

    def _grow(self) -> None:
        for name, lift in self._lifts.items():
            strength = self._strength[name]
            dose = self._dose[name]
            if dose < _KEEPING_DOSE:
                change = -_LOSS_PER_DAY
            else:
                recovered = max(0.0, 1 - (self._fatigue_of(name) / _NO_GROWTH_FATIGUE) ** 2)
                effect = effect_of_dose(dose)
                room = 1 - strength / lift.ceiling_kg
                change = self._traits.growth_per_week / 7 * effect * recovered * room
            self._strength[name] = strength * math.exp(change - self._traits.loss_per_week / 7)

    def _recover(self) -> None:
        week, strain = math.exp(-1 / 7), math.exp(-1 / _STRAIN_DAYS)
        fatigue = math.exp(-1 / self._traits.recovery_days)
        self._dose = {name: dose * week for name, dose in self._dose.items()}
        self._strain = {name: each * strain for name, each in self._strain.items()}
        self._fatigue = {muscle: each * fatigue for muscle, each in self._fatigue.items()}
        self._healing = {muscle: left - 1 for muscle, left in self._healing.items() if left > 1}


def reps_possible(able_kg: float, load_kg: float, endurance: float) -> int:
    """Return the repetitions to failure: Epley's formula with the lifter's own endurance.

    1RM = load x (1 + reps / endurance); one up to the maximum, none above it.
    """
    if load_kg > able_kg:
        return 0
    return max(1, int(endurance * (able_kg / load_kg - 1) + 1e-9))


def load_for(able_kg: float, reps: float, endurance: float) -> float:
    """Return the load in kg at which this many repetitions are just possible."""
    return able_kg / (1 + reps / endurance)


def dose_of_set(reserve: float) -> float:
    """Return the dose of a set by its reserve, as a share of a full set (0 to 1)."""
    return 1 / (1 + math.exp(min(reserve - _HALF_EFFORT_RESERVE, 50.0)))


def effect_of_dose(dose: float) -> float:
    """Return the share of full growth under a dose of full sets in a week (0 to 1)."""
    return 1 - math.exp(-dose / _DOSE_SCALE)


def _closeness(reserve: float) -> float:
    return math.exp(-max(0.0, reserve) / _CLOSENESS)
