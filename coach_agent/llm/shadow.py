"""Shadow evaluation: a language model's plans (challenger) against the rules' (champion).

The mart `fct_plan_comparison` has exercises of past workouts with two different targets, each with
both distances from the result. People mostly do the published plan, so the published side has an
advantage. It never counts for its owner: a model is better only by workouts under the rules' plan,
the rules only by workouts under the model's.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Literal

import duckdb

from coach_agent.domain.t_distribution import t_quantile
from coach_agent.store.tables import has_table

FEWEST_SLOTS = 20
"""Minimum exercises for a verdict."""
FEWEST_WORKOUTS = 5
"""Minimum workouts for a verdict: the exercises of one day succeed or fail together."""

PublishedBy = Literal["engine", "model"]


@dataclass(frozen=True)
class ComparedSlot:
    """An exercise of a workout: the model's distance from the result minus the engine's, in %.

    Below zero the model was nearer. `published_by` is the owner of the plan in the routine.
    """

    workout_id: str
    published_by: PublishedBy
    difference_pct: float


@dataclass(frozen=True)
class Score:
    """The mean difference in % over the means of workouts, with its 95 % interval.

    Below zero the model was nearer. Null without a workout, the interval also for a single one.
    """

    slots: int
    workouts: int
    mean_pct: float | None = None
    low_pct: float | None = None
    high_pct: float | None = None

    @property
    def is_enough(self) -> bool:
        """True if the sample is large enough for a verdict."""
        return self.slots >= FEWEST_SLOTS and self.workouts >= FEWEST_WORKOUTS

    @property
    def is_model_better(self) -> bool:
        """True if the model was nearer with 95 % confidence."""
        return self.is_enough and self.high_pct is not None and self.high_pct < 0

    @property
    def is_engine_better(self) -> bool:
        """True if the engine was nearer with 95 % confidence."""
        return self.is_enough and self.low_pct is not None and self.low_pct > 0


@dataclass(frozen=True)
class ShadowScore:
    """A model's score in workouts under the rules' plan, and in those under its own."""

    under_engine: Score
    under_model: Score

    @property
    def is_earned(self) -> bool:
        """True if it may change numbers: better under the rules' plan, and not worse under its
        own.
        """
        return self.under_engine.is_model_better and not self.under_model.is_engine_better


def score_shadow(slots: Iterable[ComparedSlot]) -> ShadowScore:
    """Score one model by all compared exercises."""
    found = list(slots)
    return ShadowScore(
        *(
            _score([each for each in found if each.published_by == publisher])
            for publisher in _PUBLISHERS
        )
    )


def read_shadow_score(
    con: duckdb.DuckDBPyConnection, athlete_id: str, model: str, prompt_version: str
) -> ShadowScore:
    """Return a model's score with these instructions for the athlete, from the current marts.

    Another model, or other instructions, start without a score. The rules may have changed since,
    because windows move with their proposal.
    """
    if not has_table(con, "marts.fct_plan_comparison"):
        return score_shadow(())
    rows: list[tuple[str, PublishedBy, float]] = con.execute(
        """
        select workout_id, published_by, difference_pct
        from marts.fct_plan_comparison
        where athlete_id = $1 and decided_by = $2 and prompt_version = $3
        order by started_at, workout_id, plan_comparison_key
        """,
        [athlete_id, model, prompt_version],
    ).fetchall()
    return score_shadow(ComparedSlot(*row) for row in rows)


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
