"""Outcomes of plans against their statements: errors, intervals, chances, compliance."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from coach_agent.evaluation.cases import NEAR_MAXIMAL_RPE
from coach_agent.evaluation.report import Bin, fifths
from coach_agent.evaluation.scores import FEWEST_CASES, bootstrap_interval

Outcome = Literal["hit", "exceeded", "missed", "not_done"]


@dataclass(frozen=True)
class PlannedSet:
    """A working set of a trained plan, and its result.

    `reps` were done with the planned load, None with another one, for which there is no forecast.
    `success_probability` is the stated chance of the target. `outcome` is None if unknown, as for a
    doubted set.
    """

    workout_id: str
    target_reps: int | None
    predicted_reps: float | None
    low_reps: float | None
    high_reps: float | None
    success_probability: float | None
    reps: int | None
    rpe: float | None
    outcome: Outcome | None
    is_replaced: bool


@dataclass(frozen=True)
class Average:
    """A mean over workouts of each one's own mean, so that long ones do not count more.

    The 95 % interval is a bootstrap over workouts; None for a single one.
    """

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PredictionError:
    """The error of plans, for `sets` done with the planned load in `workouts`.

    Errors are in repetitions, forecast minus done. `censored_mae` ignores a forecast above the
    result if the set reached its target short of failure: more may have been possible. `target_mae`
    is the error of the target itself as a forecast. `gap` is the reached share minus the stated
    chances.
    """

    sets: int
    workouts: int
    mae: Average
    censored_mae: Average
    target_mae: Average
    bias: Average
    covered: Average | None
    stated: Average | None
    came: Average | None
    gap: Average | None
    brier: Average | None
    calibration: tuple[Bin, ...]


@dataclass(frozen=True)
class Compliance:
    """The results of the sets of trained plans, in counts that add up to `planned`.

    `replaced` were left out with another exercise for the same muscles done. `untold` are those
    without a known result, such as doubted ones.
    """

    planned: int
    as_planned: int
    more: int
    less: int
    replaced: int
    skipped: int
    untold: int


@dataclass(frozen=True)
class TooFewSets:
    """Not enough sets: the number with a forecast and the planned load, and the minimum."""

    sets: int
    wanted: int = FEWEST_CASES


def prediction_error(planned: Sequence[PlannedSet]) -> PredictionError | TooFewSets:
    """Return the errors of all sets with a forecast and the planned load."""
    done = [result for each in planned if (result := _result(each)) is not None]
    if len(done) < FEWEST_CASES:
        return TooFewSets(len(done))
    chances = [(each, each.chance) for each in done if each.chance is not None]
    return PredictionError(
        sets=len(done),
        workouts=len({each.workout_id for each in done}),
        mae=_average((each.workout_id, abs(each.error)) for each in done),
        censored_mae=_average((each.workout_id, each.censored) for each in done),
        target_mae=_average((each.workout_id, abs(each.target - each.reps)) for each in done),
        bias=_average((each.workout_id, each.error) for each in done),
        covered=_average_or_none(
            (each.workout_id, float(each.interval[0] <= each.reps <= each.interval[1]))
            for each in done
            if each.interval is not None
        ),
        stated=_average_or_none((each.workout_id, chance) for each, chance in chances),
        came=_average_or_none((each.workout_id, each.came) for each, _ in chances),
        gap=_average_or_none((each.workout_id, each.came - chance) for each, chance in chances),
        brier=_average_or_none(
            (each.workout_id, (each.came - chance) ** 2) for each, chance in chances
        ),
        calibration=fifths([(chance, bool(each.came)) for each, chance in chances]),
    )


def compliance(planned: Sequence[PlannedSet]) -> Compliance:
    """Count the results of the sets."""
    left = [each for each in planned if each.outcome == "not_done"]
    replaced = sum(each.is_replaced for each in left)
    return Compliance(
        planned=len(planned),
        as_planned=sum(each.outcome == "hit" for each in planned),
        more=sum(each.outcome == "exceeded" for each in planned),
        less=sum(each.outcome == "missed" for each in planned),
        replaced=replaced,
        skipped=len(left) - replaced,
        untold=sum(each.outcome is None for each in planned),
    )


@dataclass(frozen=True)
class _Result:
    workout_id: str
    reps: int
    target: int
    error: float
    interval: tuple[float, float] | None
    chance: float | None
    is_open: bool
    """True if it ended at its target short of failure, so that more may have been possible."""

    @property
    def came(self) -> float:
        return float(self.reps >= self.target)

    @property
    def censored(self) -> float:
        return max(0.0, -self.error) if self.is_open else abs(self.error)


def _result(planned: PlannedSet) -> _Result | None:
    if planned.predicted_reps is None or planned.reps is None or planned.target_reps is None:
        return None
    is_near_maximal = planned.rpe is not None and planned.rpe >= NEAR_MAXIMAL_RPE
    return _Result(
        workout_id=planned.workout_id,
        reps=planned.reps,
        target=planned.target_reps,
        error=planned.predicted_reps - planned.reps,
        interval=None
        if planned.low_reps is None or planned.high_reps is None
        else (planned.low_reps, planned.high_reps),
        chance=planned.success_probability,
        is_open=planned.reps >= planned.target_reps and not is_near_maximal,
    )


def _average(of_workouts: Iterable[tuple[str, float]]) -> Average:
    by_workout: dict[str, list[float]] = defaultdict(list)
    for workout_id, value in of_workouts:
        by_workout[workout_id].append(value)
    means = [fmean(values) for _, values in sorted(by_workout.items())]
    low, high = bootstrap_interval(means) if len(means) > 1 else (None, None)
    return Average(fmean(means), low, high)


def _average_or_none(of_workouts: Iterable[tuple[str, float]]) -> Average | None:
    found = list(of_workouts)
    return _average(found) if found else None
