"""A block's history as input of the progression models, and their decision.

Common to all models: the last workout is the base, every working set counts, a miss is repeated,
and a missing RPE neither passes nor fails a cap (`rpe_unknown`). The rules are practitioners'
opinion.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.progression import (
    EFFORT_LIMIT_WORKOUTS,
    EFFORT_NEVER_RAISED,
    EFFORT_RESERVE,
)
from coach_agent.domain.e1rm import HIGHEST_RPE
from coach_agent.engine.explain.reasons import SetNames
from coach_agent.engine.history.attempts import Answer, Attempt
from coach_agent.language.messages import capitalise, decimals, phrase

Direction = Literal["up", "same", "down"]
ReasonCode = Literal[
    "add_load",
    "add_reps",
    "all_sets_hit",
    "amrap_reached",
    "amrap_short",
    "back_to_old_load",
    "back_too_fast",
    "below_range",
    "distance_reached",
    "far_above",
    "follows_top_set",
    "heavy_day",
    "light_before",
    "light_day",
    "lighter_than_planned",
    "load_unavailable",
    "medium_day",
    "missed_distance",
    "missed_goal",
    "missed_reps",
    "next_stage",
    "no_heavier_load",
    "no_lighter_load",
    "no_own_step",
    "other_work",
    "own_step",
    "rep_sum_missed",
    "rep_sum_reached",
    "reserve",
    "reset",
    "rpe_cap",
    "rpe_unknown",
    "sets_left_out",
    "sets_missing",
    "stage_start",
    "stalled",
    "step_down",
    "step_infeasible",
    "suspected_typo",
    "tested_max",
    "tm_down",
    "tm_held",
    "tm_proposed",
    "tm_up",
    "too_soon",
    "top_of_range",
    "wave_week",
]
"""Reason of a model's decision; a test covers every one of them."""


@dataclass(frozen=True)
class BlockDecision:
    """The decision for a block; `loads`, `reps` and `durations_s` have an entry for each of its
    sets.

    `load` is kg, assistance negative. None: not decided, the routine's own value stays. If loads
    differ, `load` is the heaviest and `loads` has them all. `open_places` are the sets, from 0,
    with repetitions as the minimum of an open range. `widened` are goals beyond the target, for as
    long as a step would be too big, or below it if nothing lighter is available. `note` is a note
    for the athlete on the exercise. `is_closed`: no set is open today, independent of the routine.
    """

    direction: Direction
    codes: tuple[ReasonCode, ...]
    reason: str
    load: float | None = None
    reps: tuple[int, ...] | None = None
    durations_s: tuple[int, ...] | None = None
    loads: tuple[float, ...] | None = None
    open_places: tuple[int, ...] = ()
    widened: tuple[int, ...] | None = None
    is_closed: bool = False
    note: str | None = None

    @property
    def set_count(self) -> int | None:
        """The number of sets; None if neither repetitions nor seconds are decided."""
        decided = self.reps or self.durations_s
        return None if decided is None else len(decided)

    def load_at(self, place: int) -> float | None:
        """Return the load of the set at this place, from 0."""
        return self.loads[place] if self.loads else self.load


@dataclass(frozen=True)
class BlockHistory:
    """The input of a model: the attempts, newest first and at least one.

    `min_exposures` is the number of times a load is done before it is raised. `is_stale`: since the
    newest attempt there were only easy workouts, for as long as a break. `has_effort`: the week of
    a programme states the repetitions to leave in reserve.
    """

    attempts: tuple[Attempt, ...]
    names: SetNames
    rpe_cap: float | None = None
    min_exposures: int = 1
    is_stale: bool = False
    has_effort: bool = False

    @property
    def last(self) -> Attempt:
        """The newest attempt."""
        return self.attempts[0]

    @property
    def exposures_at_load(self) -> int:
        """The number of newest attempts in a row with the newest one's load."""
        newest = self.last.load
        same = takewhile(
            lambda each: abs(each.load - newest) <= LOAD_TOLERANCE.value, self.attempts
        )
        return len(tuple(same))

    def places(self, holds: Callable[[Answer], bool]) -> tuple[int, ...]:
        """Return places in the block, from 0, of the matching done sets of the newest attempt."""
        return tuple(
            place
            for place, answer in enumerate(self.last.answers)
            if answer is not None and holds(answer)
        )

    def codes(self, *codes: ReasonCode) -> tuple[ReasonCode, ...]:
        """Return the codes, with `rpe_unknown` if the newest attempt has no RPE at all."""
        has_rpe = any(answer.rpe is not None for answer in self.last.done)
        return codes if has_rpe else (*codes, "rpe_unknown")

    def reason_to_stay(self, goals: tuple[int, ...] | None = None) -> tuple[str, ReasonCode] | None:
        """Return the reason to hold a block that reached its target: text and code.

        Sets that all went beyond `goals` to the limit have a reserve at these.
        """
        last = self.last
        if not last.is_complete:
            text = phrase("stay-sets-missing", done=len(last.done), planned=len(last.answers))
            return text, "sets_missing"
        cap = self.rpe_cap
        over = self.places(
            lambda answer: cap is not None and answer.rpe is not None and answer.rpe > cap
        )
        if over:
            sets, rpe = self.names.some(over), decimals(f"{cap:g}")
            return phrase("stay-above-rpe", subject=capitalise(sets), sets=sets, rpe=rpe), "rpe_cap"
        has_reserve = goals is not None and all(
            (answer.reps or 0) > max(goals) for answer in last.done
        )
        if cap is None and last.is_at_limit and not (has_reserve or self.is_managed_again):
            rated = sorted({answer.rpe for answer in last.done if answer.rpe is not None})
            rpe = decimals("-".join(f"{each:g}" for each in dict.fromkeys((rated[0], rated[-1]))))
            return phrase("stay-at-limit", sets=self.whole, rpe=rpe), "rpe_cap"
        return None

    @property
    def is_managed_again(self) -> bool:
        """True if enough workouts in a row were at the limit, and none was less than the last."""
        newest = self.attempts[: EFFORT_LIMIT_WORKOUTS.value]
        return len(newest) == EFFORT_LIMIT_WORKOUTS.value and all(
            each.is_complete and each.is_at_limit and each.is_no_less_than(self.last)
            for each in newest
        )

    @property
    def is_above_cap(self) -> bool:
        """True if a set of the newest attempt was harder than the athlete's own limit."""
        cap = self.rpe_cap
        return cap is not None and any((answer.rpe or 0.0) > cap for answer in self.last.done)

    def too_hard(self) -> tuple[str, ReasonCode] | None:
        """Return the reason to add nothing, also below the target: text and code."""
        return self.reason_to_stay() if self.is_above_cap or self.last.is_at_limit else None

    @property
    def reserve(self) -> float | None:
        """The repetitions in reserve of the hardest set; None if a set has no RPE."""
        rated = [answer.rpe for answer in self.last.done if answer.rpe is not None]
        if len(rated) < len(self.last.done) or not self.last.is_complete:
            return None
        return HIGHEST_RPE - max(rated)

    @property
    def has_plenty(self) -> bool:
        """True if each set has so much in reserve that one step is too little."""
        return self.reserve is not None and self.reserve >= EFFORT_RESERVE.value

    @property
    def is_near_limit(self) -> bool:
        """True if a set had less than a repetition in reserve: the smallest step is enough."""
        return any(HIGHEST_RPE - (answer.rpe or 0.0) < 1 for answer in self.last.done)

    @property
    def was_never_raised(self) -> bool:
        """True if all known attempts, at least the minimum number, had one load."""
        count = len(self.attempts)
        return EFFORT_NEVER_RAISED.value <= count == self.exposures_at_load

    @property
    def whole(self) -> str:
        """The done part of the block: `All 3 sets`, or `Set 1 of 3` if it was shorter."""
        done = self.places(lambda answer: True)
        if len(done) == len(self.last.answers):
            return self.names.whole
        sets = self.names.some(done)
        return phrase("sets-part", subject=capitalise(sets), sets=sets, total=self.names.total)

    def too_short(self, goals: tuple[int, ...] | None) -> tuple[str, ReasonCode] | None:
        """Return the reason why a success of too few sets raises nothing yet: text and code.

        One fresh set is weak evidence for three: the attempt before must have reached as much.
        """
        last, least = self.last, min(goals or (0,))
        if not last.is_short:
            return None
        before = self.attempts[1] if len(self.attempts) > 1 else None
        is_sure = (
            before is not None
            and before.is_complete
            and before.load >= last.load - LOAD_TOLERANCE.value
            and all((answer.reps or 0) >= least for answer in before.done)
        )
        return None if is_sure else (phrase("stay-other-sets-first"), "sets_left_out")

    def too_soon(self) -> tuple[str, ReasonCode] | None:
        """Return the reason why a load that was done too few times is not raised yet: text and
        code.
        """
        if self.is_stale:
            return phrase("stay-only-easy"), "too_soon"
        count = self.exposures_at_load
        if count >= self.min_exposures:
            return None
        return phrase("stay-too-soon", count=count, needed=self.min_exposures), "too_soon"
