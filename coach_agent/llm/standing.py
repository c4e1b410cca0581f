"""How a language model's plans stand against the rules', and whether it earned a say in numbers.

Compared is what the mart `fct_plan_comparison` tells: exercises of past workouts for which both had
a target and not the same one, each with how far the two were from what was done. People mostly do
what is published, so whoever's plan that was has the advantage. It never counts for its owner: a
model is better by workouts under the rules' plan, the rules are by workouts under the model's.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Literal

import duckdb

from coach_agent.domain.t_distribution import t_quantile

FEWEST_SLOTS = 20
"""So many exercises are needed for a verdict."""
FEWEST_WORKOUTS = 5
"""In so many workouts: the exercises of one day go well or badly together."""

PublishedBy = Literal["engine", "model"]


@dataclass(frozen=True)
class ComparedSlot:
    """An exercise of a workout: how much farther off the model was than the engine, in %.

    Below zero the model was nearer. `published_by` is whose plan the routine held.
    """

    workout_id: str
    published_by: PublishedBy
    difference_pct: float


@dataclass(frozen=True)
class Score:
    """The mean difference in % over workouts of each one's own mean, with its 95 % interval.

    Below zero the model was nearer. Null without a workout, the interval also of a single one.
    """

    slots: int
    workouts: int
    mean_pct: float | None = None
    low_pct: float | None = None
    high_pct: float | None = None

    @property
    def is_enough(self) -> bool:
        """Whether it is enough for a verdict."""
        return self.slots >= FEWEST_SLOTS and self.workouts >= FEWEST_WORKOUTS

    @property
    def is_model_better(self) -> bool:
        """Whether the model surely was nearer."""
        return self.is_enough and self.high_pct is not None and self.high_pct < 0

    @property
    def is_engine_better(self) -> bool:
        """Whether the engine surely was nearer."""
        return self.is_enough and self.low_pct is not None and self.low_pct > 0


@dataclass(frozen=True)
class Standing:
    """A model's score in workouts under the rules' plan, and in those under its own."""

    under_engine: Score
    under_model: Score

    @property
    def is_earned(self) -> bool:
        """Whether it may change numbers: better where the rules led, and not worse where it did."""
        return self.under_engine.is_model_better and not self.under_model.is_engine_better


def standing(slots: Iterable[ComparedSlot]) -> Standing:
    """How one model stands by all exercises that were compared."""
    found = list(slots)
    return Standing(
        *(_score([each for each in found if each.published_by == who]) for who in _PUBLISHERS)
    )


def read_standing(
    con: duckdb.DuckDBPyConnection, athlete_id: str, model: str, prompt_version: str
) -> Standing:
    """How a model with these instructions stands at the athlete, by the marts as they are.

    Another model, or other instructions, start anew: nothing is known of them. The rules may have
    changed meanwhile, as windows move with what they propose.
    """
    has_mart = con.execute(
        """
        select 1 from duckdb_tables()
        where schema_name = 'marts' and table_name = 'fct_plan_comparison'
        """
    ).fetchall()
    if not has_mart:
        return standing(())
    rows: list[tuple[str, PublishedBy, float]] = con.execute(
        """
        select workout_id, published_by, difference_pct
        from marts.fct_plan_comparison
        where athlete_id = $1 and decided_by = $2 and prompt_version = $3
        order by started_at, workout_id, comparison_key
        """,
        [athlete_id, model, prompt_version],
    ).fetchall()
    return standing(ComparedSlot(*row) for row in rows)


_PUBLISHERS: tuple[PublishedBy, PublishedBy] = ("engine", "model")


def _score(slots: list[ComparedSlot]) -> Score:
    by_workout: dict[str, list[float]] = defaultdict(list)
    for each in slots:
        by_workout[each.workout_id].append(each.difference_pct)
    means = [fmean(differences) for differences in by_workout.values()]
    if not means:
        return Score(0, 0)
    mean = fmean(means)
    if len(means) == 1:
        return Score(len(slots), 1, mean)
    margin = t_quantile(len(means) - 1) * stdev(means) / sqrt(len(means))
    return Score(len(slots), len(means), mean, mean - margin, mean + margin)
