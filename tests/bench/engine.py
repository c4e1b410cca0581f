"""Time of one plan in the engine, without reading its input, on past sessions of training logs.

Each plan starts with empty caches, and cycles are collected as rarely as in a nightly run.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from coach_agent.planning.decide import decide
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from orchestration.runs.garbage_collection import rare_collection
from tests.bench.payloads import workout_payloads
from tests.coach.past_sessions import (
    LOG_FILES,
    As,
    evenly,
    past_days,
    read_sessions,
    sessions_of,
)

LOGS = Path(__file__).parents[2] / ".." / "shared" / "data"
MOST_SESSIONS = 200
SIMULATED = 64
MEDIAN_GOAL_MS, P99_GOAL_MS = 5, 20

_KINDS: tuple[As, ...] = ("fixed", "ranged")
_ENGINE = "coach_agent.engine."
_REMEMBERED = {
    each
    for name, module in list(sys.modules.items())
    if name.startswith(_ENGINE)
    for each in vars(module).values()
    if hasattr(each, "cache_clear") and each.__module__.startswith(_ENGINE)
}
"""All caches of the engine, not those of texts and constants."""


@dataclass(frozen=True)
class PlanCost:
    """Plan times of one log in milliseconds; CPU is the process's own time."""

    log: str
    plans: int
    median_ms: float
    p99_ms: float
    cpu_median_ms: float
    cpu_p99_ms: float


def plan_costs(logs: Path = LOGS) -> list[PlanCost]:
    """Measure the plans by log and in total; without real logs those of the simulated athlete."""
    times: dict[str, list[tuple[float, float]]] = {}
    for name, situation, profile in _cases(logs):
        times.setdefault(name, []).append(_milliseconds(situation, profile))
    every = [each for of_log in times.values() for each in of_log]
    return [_cost(name, of_log) for name, of_log in (*times.items(), ("all", every))]


def _cases(logs: Path) -> Iterator[tuple[str, Situation, AthleteProfile]]:
    if not logs.exists():
        told = [("simulated athlete", sessions_of(workout_payloads(SIMULATED)), None)]
    else:
        told = [
            (log.name, read_sessions((logs / log.file).read_bytes(), log.unit), log.unit)
            for log in LOG_FILES
        ]
    for name, sessions, unit in told:
        for kind in _KINDS:
            for day in past_days(sessions, kind, evenly(len(sessions), MOST_SESSIONS)):
                if day.routine is not None:
                    yield name, day.situation, day.profile(unit)


def _milliseconds(situation: Situation, profile: AthleteProfile) -> tuple[float, float]:
    for remembered in _REMEMBERED:
        remembered.cache_clear()
    with rare_collection():
        started, cpu = time.perf_counter(), time.process_time()
        decide(situation, profile)
        found = time.perf_counter() - started, time.process_time() - cpu
    return 1000 * found[0], 1000 * found[1]


def _cost(log: str, times: Iterable[tuple[float, float]]) -> PlanCost:
    wall, cpu = (sorted(each) for each in zip(*times, strict=True))
    return PlanCost(log, len(wall), median(wall), _p99(wall), median(cpu), _p99(cpu))


def _p99(ascending: list[float]) -> float:
    return ascending[min(len(ascending) - 1, int(0.99 * len(ascending)))]
