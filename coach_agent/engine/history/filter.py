"""Selection of the attempts for a decision: those for this target, with credible sets.

An attempt is validated against older ones, as on its day, and its loads against all days with the
exercise in any sets. An excluded attempt never raises a load: doubts newer than the used attempt
hold the block.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from coach_agent.domain.constants.history import OTHER_WORK_LOAD_PCT, OTHER_WORK_REPS
from coach_agent.engine.history.alternation import DayKind
from coach_agent.engine.history.attempts import Answer, Attempt
from coach_agent.engine.history.far_off import LoadKind
from coach_agent.engine.history.odd_loads import odd_from
from coach_agent.engine.history.outliers import (
    Number,
    Wrong,
    as_planned,
    find_outliers,
    real_sets,
    without_outliers,
)


@dataclass(frozen=True)
class Outlier:
    """A doubted set, or an attempt for other work, with the doubted numbers.

    None for a number that is not the reason. `load` is kg, assistance negative; `is_said`: the
    athlete marked it as an error. `usual` is the usual load of one that is odd, but possible.
    """

    code: Literal["suspected_typo", "other_work"]
    load: float | None = None
    reps: int | None = None
    duration_s: int | None = None
    distance_m: int | None = None
    is_said: bool = False
    usual: float | None = None


@dataclass(frozen=True)
class CredibleAttempts:
    """The attempts of a decision, newest first, and the doubts about newer ones.

    A doubt may be about the newest attempt itself: then that lacks the set, or has the numbers that
    were planned on its day. `day` is the kind of the next one, and of all attempts, if heavy and
    light days take turns; `other` are then the attempts of the other kind.
    """

    attempts: tuple[Attempt, ...] = ()
    doubts: tuple[Outlier, ...] = ()
    day: DayKind | None = None
    other: tuple[Attempt, ...] = ()

    @property
    def held(self) -> Attempt:
        """The newest attempt; doubted sets as the attempt before had them, if its load was equal.

        Their repetitions and seconds are at least those of the sets after them, and at most those
        of all others.
        """
        last, *older = self.attempts
        before = older[0] if older else None
        is_alike = before is not None and last.loads[:1] == before.loads[:1]
        if not self.doubts or before is None or not is_alike:
            return last
        filled = {}
        for place, (answer, other) in enumerate(zip(last.answers, before.answers, strict=False)):
            if answer is None and other is not None:
                after = [each for each in last.answers[place + 1 :] if each is not None]
                filled[place] = other._replace(
                    reps=_within(
                        other.reps, [each.reps for each in after], [each.reps for each in last.done]
                    ),
                    duration_s=_within(
                        other.duration_s,
                        [each.duration_s for each in after],
                        [each.duration_s for each in last.done],
                    ),
                )
        return last.with_sets(dict(filled), is_complete=last.is_complete)


def _within(
    value: int | None, after: Sequence[int | None], others: Sequence[int | None]
) -> int | None:
    """Return the value, if known, at least the largest `after` and at most that of the others."""
    least = max(filter(None, after), default=value)
    most = max(filter(None, others), default=value)
    return value and min(max(value, least or value), most or value)


@dataclass
class _Read:
    """The attempts read so far, oldest first: as recorded, and their credible part."""

    older: list[Attempt] = field(default_factory=list)
    used: list[Attempt] = field(default_factory=list)

    def outliers_in(
        self, attempt: Attempt, loads: LoadKind | None, highest: float | None = None
    ) -> Wrong:
        return find_outliers(attempt, self.used, self.older, loads, highest)

    def remember(self, attempt: Attempt) -> None:
        """Add an attempt, also a doubted one: a new level is believed once it is the usual one."""
        if recorded := real_sets(attempt):
            self.older.append(recorded)


def filter_outliers(
    found: Sequence[Attempt],
    low: int | None,
    loads: LoadKind | None,
    highest: Callable[[datetime | None], float | None],
    is_hard: Callable[[datetime | None, float], bool],
    *,
    has_bar: bool = False,
) -> CredibleAttempts:
    """Filter the credible attempts for a target, newest first.

    `low` is the target's lower end, `loads` None without a recorded load, `highest` the load that
    the other days make credible, `is_hard` as in `hard_days`, `has_bar` as in `odd_from`.
    """
    read = _Read()
    doubts: list[Outlier] = []
    for attempt in reversed(found):
        wrong = read.outliers_in(attempt, loads, highest(attempt.at))
        believed = _credible_part(attempt, wrong)
        if _is_other_work(believed or attempt, low, read.used, loads):
            doubts += [Outlier("other_work", attempt.load)] if read.used else []
            continue
        read.remember(attempt)
        outliers = [_doubt(attempt.answers[place], numbers) for place, numbers in wrong.items()]
        if believed is not None:
            read.used.append(believed)
            doubts = outliers
            continue
        doubts += outliers
        if (
            not read.used
            and (planned := as_planned(attempt, wrong))
            and _is_no_more(planned, attempt)
        ):
            read.used.append(planned)
    usual = None
    if loads is not None and len(read.used) > 1:
        usual = odd_from(read.used, loads, is_hard, has_bar=has_bar)
    if usual is not None and found and read.used[-1].at == found[0].at:
        odd = read.used.pop()
        doubts = [Outlier("suspected_typo", odd.load, usual=usual)]
    return CredibleAttempts(tuple(reversed(read.used)), tuple(reversed(doubts)))


def credible_attempts(
    found: Sequence[Attempt | None], loads: LoadKind | None
) -> tuple[Attempt | None, ...]:
    """Return the credible part of each attempt, newest first, for any target."""
    read = _Read()
    kept: list[Attempt | None] = []
    for attempt in reversed(found):
        believed = None
        if attempt is not None:
            believed = without_outliers(attempt, read.outliers_in(attempt, loads))
            read.remember(attempt)
        if believed is not None:
            read.used.append(believed)
        kept.append(believed)
    return tuple(reversed(kept))


def outliers_of(found: Sequence[Attempt], loads: LoadKind | None) -> tuple[Wrong, ...]:
    """Return the doubted numbers of each attempt, newest first, for any target."""
    read = _Read()
    wrong: list[Wrong] = []
    for attempt in reversed(found):
        wrong.append(read.outliers_in(attempt, loads))
        if believed := without_outliers(attempt, wrong[-1]):
            read.used.append(believed)
        read.remember(attempt)
    return tuple(reversed(wrong))


def is_far_below(attempt: Attempt, low: int | None) -> bool:
    """Return whether all sets of an unknown plan had far fewer repetitions than the target."""
    if attempt.is_target_known or low is None:
        return False
    best = max((answer.reps for answer in attempt.done if answer.reps is not None), default=0)
    return best < OTHER_WORK_REPS.value * low


def _credible_part(attempt: Attempt, wrong: Wrong) -> Attempt | None:
    """Return the attempt without doubted sets; None if nothing is left.

    The sets of a wave are identified by their order, so a doubted one counts as planned: it proves
    nothing.
    """
    left = without_outliers(attempt, wrong)
    if left is None or not wrong or not attempt.is_wave:
        return left
    whole: frozenset[Number] = frozenset({"load", "reps", "duration_s", "distance_m"})
    planned = as_planned(attempt, dict.fromkeys(wrong, whole))
    return planned and planned.with_sets({}, is_complete=False)


def _is_no_more(planned: Attempt, attempt: Attempt) -> bool:
    """Return whether the plan is below the record, and no part of it is known to be wrong.

    Without any other attempt a plan alone is no proof of performance.
    """
    if any(answer.is_confirmed is False for answer in attempt.done):
        return False
    return not attempt.loads or planned.loads[-1] <= attempt.loads[-1]


def _doubt(answer: Answer | None, numbers: frozenset[Number]) -> Outlier:
    if answer is None:
        raise ValueError("only a set that was done can be doubted")
    return Outlier(
        code="suspected_typo",
        load=answer.load if "load" in numbers else None,
        reps=answer.reps if "reps" in numbers else None,
        duration_s=answer.duration_s if "duration_s" in numbers else None,
        distance_m=answer.distance_m if "distance_m" in numbers else None,
        is_said=answer.is_confirmed is False,
    )


def _is_other_work(
    attempt: Attempt, low: int | None, used: Sequence[Attempt], loads: LoadKind | None
) -> bool:
    """Return whether the repetitions are so few that the sets were clearly for another target.

    With attempts to compare, they must be clearly heavier as well: as few with the same or a
    lighter load are a failure.
    """
    if not is_far_below(attempt, low):
        return False
    if not used:
        return True
    if loads is None:
        return False
    heaviest = max(each.load for each in used)
    return attempt.load > heaviest + abs(heaviest) * OTHER_WORK_LOAD_PCT.value / 100
