"""Simulated lifters next to published rates of gain and noise of repetitions."""

from collections.abc import Sequence
from random import Random
from statistics import fmean, median, stdev
from typing import NamedTuple

from coach_agent.evaluation.closed_loop import Run
from coach_agent.evaluation.closed_loop_measures import gain_of, measure_policy
from hevy_connector.simulator.athletes.cohort import Level, SimulatedLifter
from hevy_connector.simulator.athletes.physiology import reps_possible

_WEEKS_A_MONTH = 52 / 12
_NOVICE_WEEKS = 8
_HARD, _HEAVY, _MIDDLE = 0.9, 0.8, 0.7  # of the maximum


class Comparison(NamedTuple):
    """A quantity with its published value, the source, and its value of the simulated lifters."""

    what: str
    published: str
    source: str
    simulated: str


def compare_with_published(
    lifters: Sequence[SimulatedLifter], runs: Sequence[Run]
) -> list[Comparison]:
    """Return the comparisons; `runs` are those of the lifters under one policy.

    A quantity of a level is left out without lifters of it, and the first weeks' without as many.
    """
    rows: list[Comparison] = []
    of_level: dict[Level, list[Run]] = {"beginner": [], "intermediate": [], "advanced": []}
    for lifter, run in zip(lifters, runs, strict=True):
        of_level[lifter.level].append(run)
    months = max(each.days[-1].day for each in lifters) / 7 / _WEEKS_A_MONTH
    if novices := of_level["beginner"]:
        weekly = measure_policy(novices).weekly_gain_pct
        if len(weekly) >= _NOVICE_WEEKS:
            rows.append(
                Comparison(
                    "beginners, gain in 8 weeks, %",
                    "19 to 21 in 6 weeks (bench), 28 in 10 (curl)",
                    "Ogasawara 2013; Martorelli 2017",
                    f"{weekly[_NOVICE_WEEKS - 1]:.1f}",
                )
            )
        rows.append(
            Comparison(
                "beginners, % a month",
                "2.5 to 4.2 over the first year",
                "Steele et al. 2022",
                _monthly(novices, months),
            )
        )
    if of_level["intermediate"]:
        rows.append(
            Comparison(
                "intermediate lifters, % a month",
                "0.9 (men), 1.3 (women), competitors",
                "Latella et al. 2020",
                _monthly(of_level["intermediate"], months),
            )
        )
    if of_level["advanced"]:
        rows.append(
            Comparison(
                "advanced lifters, % a month",
                "0.3 to 0.5, professionals over two years",
                "Appleby et al. 2012",
                _monthly(of_level["advanced"], months),
            )
        )
    gains = [gain_of(run) for run in runs]
    rows += [
        Comparison(
            "spread of the gain between lifters, x its mean",
            "3 to 6, with attempts of a day and body weight",
            "Latella et al. 2020",
            f"{stdev(gains) / fmean(gains):.1f}",
        ),
        *_noise_rows(lifters),
    ]
    return rows


def _monthly(runs: Sequence[Run], months: float) -> str:
    return f"{median(gain_of(run) for run in runs) / months:.1f}"


def _noise_rows(lifters: Sequence[SimulatedLifter]) -> list[Comparison]:
    forms = [_forms(each) for each in lifters]
    at_80 = [
        fmean(reps_possible(1.0, _HEAVY, lift.endurance) for lift in each.lifts.values())
        for each in lifters
    ]
    return [
        Comparison(
            "a maximum from day to day, SD in %",
            "4.2 in tests; 3.1 in public logs",
            "Grgic et al. 2020; evaluation.md",
            f"{median(100 * stdev(each) for each in forms):.1f}",
        ),
        *(
            Comparison(
                f"repetitions to failure at {100 * share:.0f} %, a week apart, SD",
                published,
                "Mitter et al. 2022",
                f"{median(_reps_spread(each, share) for each in forms):.1f}",
            )
            for share, published in ((_HARD, "0.7"), (_MIDDLE, "1.1"))
        ),
        Comparison(
            "repetitions at 80 % between lifters, SD",
            "1.5 to 4, more with a lighter load",
            "Nuzzo et al. 2024",
            f"{stdev(at_80):.1f}",
        ),
    ]


def _forms(lifter: SimulatedLifter) -> list[float]:
    """Return the strength of a lift on each day, as a share of the rested one."""
    rng = Random(f"{lifter.seed}/check")  # noqa: S311 - a reproducible lifter, not a secret
    return [day.form * (1 + rng.gauss(0, lifter.lift_noise)) for day in lifter.days]


def _reps_spread(forms: Sequence[float], share: float) -> float:
    return stdev(float(reps_possible(form, share, 30.0)) for form in forms)
