"""The next set of an exercise, decided between two sets from the last one.

With an RPE in target and set, half a point is worth 2 % of load (Helms 2018); without, only
repetitions count. The jump cap limits every load, and each exists in the gym. A set far above the
target and all sets before it looks mistyped, and is ignored.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from coach_agent.domain.constants.history import NEXT_SET_DROP_OFF, NEXT_SET_FAILURE
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.constants.strength import RPE_LOAD_PER_HALF_POINT
from coach_agent.domain.e1rm import HIGHEST_RPE
from coach_agent.domain.values import Value
from coach_agent.engine.explain.reasons import count_reps
from coach_agent.engine.explain.set_notation import SetNotationError, WrittenSet
from coach_agent.engine.history.far_off import LoadKind, is_far_above, is_far_more
from coach_agent.engine.loads.increments import timed_step_s
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.language.messages import decimals, phrase

Action = Literal["same", "more", "less", "stop"]


class NextSet(Value):
    """The next action; all targets are null for `stop`.

    `weight_kg` of an assisted exercise is the assistance, null is bodyweight. The repetitions are a
    range with a null end if it is open; a timed set has `duration_s` instead.
    """

    action: Action
    weight_kg: float | None = None
    reps_low: int | None = None
    reps_high: int | None = None
    duration_s: int | None = None
    rpe: float | None = None
    codes: tuple[str, ...]
    reason: str


def next_set(
    target: WrittenSet,
    done: Sequence[WrittenSet],
    ladder: Ladder | None,
    *,
    may_increase: bool = True,
) -> NextSet:
    """Decide same, more, less or stop, from the sets done so far, oldest first.

    `ladder` are the loads of the exercise; None without a load. A done set without a load was done
    with the target's. `may_increase` is False on days with pain or low readiness: it only holds or
    reduces.

    A better last set never leads to less, unless it looks mistyped.

    Raises:
        SetNotationError: nothing was done, or target and sets are not of one kind.
    """
    if not done:
        raise SetNotationError("No set was done yet: the next one is the target.")
    for each in done:
        if (each.duration_s is None) != (target.duration_s is None):
            raise SetNotationError(
                f'"{each.text}" and the target "{target.text}" must both be repetitions or both '
                "be a time."
            )
    *before, last = done
    known: list[WrittenSet] = []
    for each in before:
        if _describe_typo(each, target, known, ladder) is None:
            known.append(each)
    case = _Case(target, last, may_increase)
    if stop := _reason_to_stop(target, [*known, last]):
        return NextSet(action="stop", codes=(stop[0],), reason=phrase("next-stop", what=stop[1]))
    if what := _describe_typo(last, target, known, ladder):
        return _repeat_after_typo(case, what, known, ladder)
    done = [*known, last]
    if target.duration_s is not None:
        return _next_timed_set(case, target.duration_s, done[-1].duration_s or 0)
    load = _load(done[-1], target)
    if ladder is None or load is None:
        return _next_rep_set(case)
    reference = target.load if target.load is not None else _load(done[0], target)
    return _next_loaded_set(case, load, load if reference is None else reference, ladder)


@dataclass(frozen=True)
class _Case:
    """A target and the last set."""

    target: WrittenSet
    last: WrittenSet
    may_increase: bool

    @property
    def low(self) -> int:
        return self.target.low or 1

    @property
    def reps(self) -> int:
        return self.last.low or 0

    @property
    def is_rated(self) -> bool:
        return self.target.rpe is not None and self.last.rpe is not None

    @property
    def surplus(self) -> float:
        """Repetitions beyond the target, or short of it, with the reserve if rated.

        A set that stopped below its target never counts as more, however easy it was.
        """
        spare = aim = 0.0
        if self.target.rpe is not None and self.last.rpe is not None:
            spare, aim = HIGHEST_RPE - self.last.rpe, HIGHEST_RPE - self.target.rpe
        reserve = self.reps + spare
        if reserve < self.low + aim:
            return reserve - self.low - aim
        is_beyond = self.target.high is not None and self.reps >= self.low
        return max(0.0, reserve - (self.target.high or 0) - aim) if is_beyond else 0.0

    @property
    def what(self) -> str:
        """Description of the last set."""
        if self.is_rated:
            reps, rpe = count_reps(self.reps), decimals(f"{self.last.rpe:g}")
            text = phrase("next-rated", reps=reps, rpe=rpe)
            aim = decimals(f"{self.target.rpe:g}")
            return text if self.surplus == 0 else phrase("next-rated-aim", what=text, rpe=aim)
        if self.reps < self.low:
            return phrase("next-of", done=self.reps, goal=count_reps(self.low))
        reps = count_reps(self.reps)
        return reps if self.surplus == 0 else phrase("next-beyond", what=reps)

    def answer(
        self,
        action: Action,
        code: str,
        then: str,
        *,
        weight_kg: float | None = None,
        goal: int | None = None,
    ) -> NextSet:
        """Build the next set with the target's repetitions, or with its own goal."""
        codes = (code,) if self.is_rated else (code, "rpe_unknown")
        return NextSet(
            action=action,
            weight_kg=weight_kg,
            reps_low=self.target.low if goal is None else goal,
            reps_high=self.target.high if goal is None else goal,
            rpe=self.target.rpe,
            codes=codes,
            reason=phrase("next-reason", what=self.what, then=then),
        )


def _reason_to_stop(target: WrittenSet, done: Sequence[WrittenSet]) -> tuple[str, str] | None:
    """Return code and text if the last set missed the target clearly, or fell far below the
    first.
    """
    unit, goal = ("s", target.duration_s) if target.duration_s else ("reps", target.low or 1)
    first, last = (each.duration_s or each.low or 0 for each in (done[0], done[-1]))
    if last >= goal:
        return None
    if last < NEXT_SET_FAILURE.value * goal:
        aim = phrase(f"count-{unit}", count=goal)
        return "clear_failure", phrase("next-less-than-half", done=last, goal=aim)
    loads = [_load(each, target) or 0.0 for each in (done[0], done[-1])]
    is_no_heavier = loads[1] <= loads[0] + LOAD_TOLERANCE.value
    if is_no_heavier and last < NEXT_SET_DROP_OFF.value * first:
        return "drop_off", phrase(
            "next-drop", first=first, last=phrase(f"count-{unit}", count=last)
        )
    return None


def _describe_typo(
    written: WrittenSet, target: WrittenSet, known: Sequence[WrittenSet], ladder: Ladder | None
) -> str | None:
    """Describe a number of a set far above the target and all sets before; None without one.

    A number far below is accepted: it cannot raise anything.
    """
    load = written.load
    loads = _numbers(each.load for each in (target, *known))
    if ladder is not None and load is not None and loads:
        kind: LoadKind = "whole" if ladder.is_whole_load else "part"
        if all(is_far_above(load, other, kind) for other in loads):
            return ladder.text(load)
    reps = _numbers([target.high, *(each.low for each in known)])
    if written.low is not None and reps and all(is_far_more(written.low, each) for each in reps):
        return count_reps(written.low)
    seconds, times = written.duration_s, _numbers(each.duration_s for each in (target, *known))
    if seconds is not None and times and all(is_far_more(seconds, each) for each in times):
        return f"{seconds} s"
    return None


def _repeat_after_typo(
    case: _Case, what: str, known: Sequence[WrittenSet], ladder: Ladder | None
) -> NextSet:
    """Repeat the load of the last credible set, or of the target.

    Never more than the doubted set itself. Both are there: the steps of a doubted load may miss
    them.
    """
    target, last = case.target, case.last
    loads = _numbers(_load(each, target) for each in (target, *known))
    load = loads[-1] if ladder is not None and loads else None
    then = phrase("next-same")
    if ladder is not None and load is not None:
        load = load if last.load is None else min(load, last.load)
        then = phrase("next-stay", load=ladder.text(load))
    return NextSet(
        action="same",
        weight_kg=None if load is None else abs(load),
        reps_low=target.low,
        reps_high=target.high,
        duration_s=target.duration_s,
        rpe=target.rpe,
        codes=("suspected_typo",),
        reason=phrase("next-typo", what=what, then=then),
    )


def _numbers(values: Iterable[float | None]) -> list[float]:
    return [each for each in values if each is not None]


def _next_timed_set(case: _Case, goal: int, seconds: int) -> NextSet:
    if seconds < goal:
        text = phrase("next-seconds-less", seconds=seconds, goal=goal)
        answer = "less", "missed_goal", text, seconds
    elif seconds >= (longer := goal + timed_step_s(goal)) and case.may_increase:
        text = phrase("next-seconds-more", seconds=seconds, goal=longer)
        answer = "more", "above_goal", text, longer
    else:
        answer = "same", "as_planned", phrase("next-seconds-same", seconds=seconds), goal
    action, code, reason, duration_s = answer
    return NextSet(action=action, duration_s=duration_s, codes=(code,), reason=reason)


def _next_rep_set(case: _Case) -> NextSet:
    """Decide without a load: only repetitions can change."""
    extra = math.floor(case.surplus)
    if case.surplus < 0:
        goal = max(1, case.low + extra)
        return case.answer("less", "missed_reps", phrase("next-aim", reps=goal), goal=goal)
    if extra < 1:
        return case.answer("same", "as_planned", phrase("next-same"))
    if not case.may_increase:
        return case.answer("same", "held", phrase("next-held-same"))
    goal = (case.target.high or case.low) + extra
    return case.answer("more", "above_target", phrase("next-aim", reps=goal), goal=goal)


def _next_loaded_set(case: _Case, load: float, reference: float, ladder: Ladder) -> NextSet:
    base = ladder.existing(load)
    if case.surplus < 0:
        reduced = _reduce_load(load, base, case.surplus, ladder)
        if reduced is None:
            goal = max(1, case.low + math.floor(case.surplus))
            reps, load_now = count_reps(goal), ladder.text(base)
            then = phrase("next-nothing-lighter", reps=reps, load=load_now)
            return case.answer("less", "no_lighter_load", then, weight_kg=abs(base), goal=goal)
        code = "too_hard" if case.reps >= case.low else "missed_reps"
        then = ladder.change_text(reduced, is_up=False)
        return case.answer("less", code, then, weight_kg=abs(reduced))
    raised = _raise_load(base, case.surplus, ladder)
    limited = ladder.existing(
        min(raised, ladder.highest_from(base), max(base, ladder.highest_from(reference)))
    )
    if case.may_increase and limited > load + LOAD_TOLERANCE.value:
        then = ladder.change_text(limited, is_up=True)
        return case.answer("more", "above_target", then, weight_kg=abs(limited))
    if base < load - LOAD_TOLERANCE.value:
        then = phrase("next-not-there", load=ladder.text(load), taken=ladder.text(base))
        return case.answer("less", "load_unavailable", then, weight_kg=abs(base))
    code, then = "as_planned", phrase("next-stay", load=ladder.text(base))
    if case.surplus > 0 and not case.may_increase:
        code, then = "held", phrase("next-held-stay", stay=then)
    elif raised > base:
        code, then = "jump_cap", phrase("next-jump-cap-stay", stay=then)
    elif case.surplus > 0:
        code, then = "step_infeasible", phrase("next-too-big-stay", stay=then)
    return case.answer("same", code, then, weight_kg=abs(base))


def _raise_load(base: float, surplus: float, ladder: Ladder) -> float:
    """Return the load that uses up the surplus, as a share of the total with the body."""
    floor = ladder.loads.floor(ladder.share(base, 1 + surplus * _pct_a_rep() / 100))
    return base if floor is None else max(base, floor)


def _reduce_load(load: float, base: float, surplus: float, ladder: Ladder) -> float | None:
    """Return at least one step less, by the size of the shortfall; None at the bottom.

    Without its smallest plate an added load is the body alone.
    """
    one_step = ladder.down(base)
    lightest = ladder.loads.lightest
    if ladder.hangs_on_body:
        lightest, one_step = 0.0, one_step or (0.0 if base > 0 else None)
    if one_step is None:
        return None
    wished = max(ladder.share(load, 1 + surplus * _pct_a_rep() / 100), lightest)
    if ladder.hangs_on_body and wished < ladder.loads.lightest:
        return 0.0
    return min(one_step, ladder.existing(wished))


def _pct_a_rep() -> float:
    """Return the load of one repetition in reserve: a point of RPE, two half points."""
    return 2 * RPE_LOAD_PER_HALF_POINT.value


def _load(written: WrittenSet, target: WrittenSet) -> float | None:
    return target.load if written.load is None and not written.is_added else written.load
