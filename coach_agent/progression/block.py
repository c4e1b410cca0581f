"""A block's history as the progression models see it, and what they decide for it.

Common to all models: what was done is the base, every working set counts, a miss is repeated, and
a missing RPE neither passes nor fails a cap (`rpe_unknown`). The rules are practitioners' opinion.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from coach_agent.progression.history import Answer, Attempt
from coach_agent.progression.wording import SetNames, capitalised

Direction = Literal["up", "same", "down"]


@dataclass(frozen=True)
class BlockDecision:
    """What a block does next; `reps` and `durations_s` have an entry for each of its sets.

    `load` is kg, assistance negative. None: not decided, the routine's own value stays.
    """

    direction: Direction
    codes: tuple[str, ...]
    reason: str
    load: float | None = None
    reps: tuple[int, ...] | None = None
    durations_s: tuple[int, ...] | None = None


@dataclass(frozen=True)
class BlockHistory:
    """What a model decides from: the attempts, newest first and at least one."""

    attempts: tuple[Attempt, ...]
    names: SetNames
    rpe_cap: float | None = None

    @property
    def last(self) -> Attempt:
        """The newest attempt."""
        return self.attempts[0]

    def places(self, holds: Callable[[Answer], bool]) -> tuple[int, ...]:
        """Places in the block, from 0, of the done sets of the newest attempt that are so."""
        return tuple(
            place
            for place, answer in enumerate(self.last.answers)
            if answer is not None and holds(answer)
        )

    def codes(self, *codes: str) -> tuple[str, ...]:
        """The codes, and `rpe_unknown` if the newest attempt has no RPE at all."""
        has_rpe = any(answer.rpe is not None for answer in self.last.done)
        return codes if has_rpe else (*codes, "rpe_unknown")

    def reason_to_stay(self) -> tuple[str, str] | None:
        """Why a block that reached its target does not go up all the same: text and code."""
        last = self.last
        if not last.is_complete:
            return f"Only {len(last.done)} of {len(last.answers)} sets were done", "sets_missing"
        cap = self.rpe_cap
        if cap is None:
            return None
        over = self.places(lambda answer: answer.rpe is not None and answer.rpe > cap)
        if not over:
            return None
        return f"{capitalised(self.names.some(over))} went above RPE {cap:g}", "rpe_cap"
