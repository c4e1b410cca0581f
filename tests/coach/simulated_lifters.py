"""Lifters with known true progress, to measure the error rate of a stall rule.

`python -m tests.coach.simulated_lifters` prints the seed `stall_false_alarms`.
"""

import csv
import math
import sys
from collections.abc import Iterator
from itertools import product
from random import Random

from coach_agent.engine.forecast.trend import verdict_of

EXPOSURE_COUNTS = (8, 9, 10, 11, 12)
NOISES_PCT = (1.0, 1.5, 2.5, 3.1, 4.0, 6.0)
DRIFTS_PCT = (0.0, 1.0, 2.0, 3.65, 5.0, 8.0)
TRUE_PROGRESS_PCT = 0.5
SERIES = 20_000


def simulated(
    random: Random, count: int, true_pct: float, noise_pct: float, drift_pct: float = 0.0
) -> list[float]:
    """Maxima of one lifter around 100 kg with a gain of `true_pct` in each of `count` exposures."""
    ability, maxima = 0.0, []
    for turn in range(count):
        if turn:
            ability += true_pct + (random.gauss(0, drift_pct) if drift_pct else 0.0)
        maxima.append(100 * math.exp((ability + random.gauss(0, noise_pct)) / 100))
    return maxima


def all_simulated(
    count: int, true_pct: float, noise_pct: float, drift_pct: float = 0.0
) -> Iterator[list[float]]:
    """The same 20,000 lifters every time."""
    random = Random(1)  # noqa: S311 - chance, not secrecy
    for _ in range(SERIES):
        yield simulated(random, count, true_pct, noise_pct, drift_pct)


def share_flagged(count: int, true_pct: float, noise_pct: float, drift_pct: float = 0.0) -> float:
    """Return the share of simulated lifters that the rule calls stalled."""
    lifters = all_simulated(count, true_pct, noise_pct, drift_pct)
    return sum(verdict_of(maxima) == "stalled" for maxima in lifters) / SERIES


def main() -> None:
    """Print the share of false alarms for each number of exposures, noise and drift."""
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["exposure_count", "noise_pct", "drift_pct", "false_alarm_rate"])
    for count, noise_pct, drift_pct in product(EXPOSURE_COUNTS, NOISES_PCT, DRIFTS_PCT):
        rate = share_flagged(count, TRUE_PROGRESS_PCT, noise_pct, drift_pct)
        table.writerow([count, noise_pct, drift_pct, round(rate, 4)])


if __name__ == "__main__":
    main()
