"""Percent of a training max (TM) in weekly waves, as in 5/3/1.

The position of a wave and the TM are derived from the training log only: each exposure is matched
to the week with its percentages and repetitions, and its rounded loads give a span of possible
training maxima. Through the log, the spans converge to one value.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, inf
from typing import NamedTuple

from coach_agent.domain.constants.progression import (
    TM_AMRAP_TABLE,
    TM_FACTOR,
    TM_LEAST_TOP,
    TM_MISSED_FACTOR,
)
from coach_agent.domain.constants.strength import E1RM_HARD_MAX_REPS
from coach_agent.domain.e1rm import effective_reps, epley_load, epley_max, middle_and_upper
from coach_agent.domain.units import in_unit
from coach_agent.engine.history.attempts import Answer, Attempt
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.models.block import BlockDecision, BlockHistory, Direction, ReasonCode
from coach_agent.language.messages import decimals, phrase
from coach_agent.profile.exercise_rules import WaveSet

Week = tuple[WaveSet, ...]
_GRAM_KG = 0.001
# Maximum rounding step of a load; beyond the heaviest load there is no step at all.
_WIDEST = 0.1
# Athletes choose round numbers: of the possible ones, the roundest are tried first.
_ROUND = (2.5, 1.25, 1.0, 0.5, 0.25, 0.1)


@dataclass(frozen=True)
class Programme:
    """A cycle of weeks. `increment_kg` changes the TM after it; None: the table of AMRAP sets.

    `start_kg` is the athlete's TM; None: it is proposed from the history. `mark_kg` is the
    athlete's unit, a kilogram or a pound.
    """

    weeks: tuple[Week, ...]
    increment_kg: float | None
    start_kg: float | None = None
    mark_kg: float = 1.0


@dataclass(frozen=True)
class Span:
    """The possible training maxima, in kg, for the loads of some weeks, ends included."""

    low: float
    high: float

    def roundest(self, mark_kg: float) -> float:
        """Return the most probable choice: a multiple of 2.5, or less, near the middle.

        In kilograms or pounds, by `mark_kg`.
        """
        middle = (self.low + self.high) / 2
        for step in (marks * mark_kg for marks in _ROUND):
            below = floor(middle / step) * step
            value = min((below, below + step), key=lambda each: (abs(each - middle), each))
            if self.low - _GRAM_KG <= value <= self.high + _GRAM_KG:
                return round(value, 6)
        return middle

    def intersection(self, other: "Span") -> "Span | None":
        """Return the intersection; None if it is empty."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Span(low, high) if low <= high + _GRAM_KG else None


@dataclass(frozen=True)
class Position:
    """The position in a wave: the next week, from 0, its TM, and the reason of its change."""

    week: int
    training_max_kg: float
    code: ReasonCode
    change: str


class _Trained(NamedTuple):
    """A trained week of a cycle; `is_capped`: it was planned lighter than its percentages."""

    week: Week
    attempt: Attempt
    is_capped: bool


def wave_progression(history: BlockHistory, programme: Programme, ladder: Ladder) -> BlockDecision:
    """Return the sets of the next week, each load the nearest to its percentage of the TM.

    No load is above the plausible maximum from the history.

    Source: 5/3/1; not verified.
    """
    here = position(history.attempts, programme, ladder)
    week = programme.weeks[here.week]
    wished = tuple(ladder.loads.nearest(each.percent / 100 * here.training_max_kg) for each in week)
    possible = (
        ladder.loads.floor(highest_supported_load(history.attempts, each.reps)) for each in week
    )
    loads = tuple(
        min(load, history.last.load if highest is None else highest)
        for load, highest in zip(wished, possible, strict=True)
    )
    codes: list[ReasonCode] = [here.code]
    weeks = len(programme.weeks)
    what = phrase("tm-week", change=here.change, week=here.week + 1, weeks=weeks)
    if loads != wished:
        codes.append("step_infeasible")
        what += f" {phrase('tm-too-heavy')}"
    directions: dict[ReasonCode, Direction] = {"tm_up": "up", "tm_down": "down"}
    return BlockDecision(
        direction=directions.get(here.code, "same"),
        codes=history.codes(*codes),
        reason=what,
        load=max(loads),
        reps=tuple(each.reps for each in week),
        loads=loads,
        open_places=tuple(place for place, each in enumerate(week) if each.is_open),
    )


def highest_supported_load(attempts: Sequence[Attempt], reps: int) -> float:
    """Return the maximum load, in kg, that any set of these attempts supports for `reps`
    repetitions.

    That is its own load, or the upper end of its e1RM's band. A set without a repetition has none.
    """

    def supported(load_kg: float, done: int, rpe: float | None) -> float:
        _, upper = middle_and_upper(load_kg, done, rpe)
        return max(load_kg, epley_load(upper, reps)) if done else load_kg

    return max(
        supported(answer.load, answer.reps, answer.rpe)
        for attempt in attempts
        for answer in attempt.done
        if answer.load is not None and answer.reps is not None
    )


def propose_training_max(attempt: Attempt, ladder: Ladder) -> float:
    """Return a TM from the best set of an attempt, in kg: e1RM x 0.90, rounded down to a load.

    Repetitions above 12, where no formula holds, count as 12: a lower bound.
    """
    wished = TM_FACTOR.value * max(
        epley_max(
            answer.load,
            min(effective_reps(answer.reps, answer.rpe), E1RM_HARD_MAX_REPS.value),
        )
        for answer in attempt.done
        if answer.load is not None and answer.reps is not None
    )
    return ladder.loads.floor(wished) or wished


def position(attempts: Sequence[Attempt], programme: Programme, ladder: Ladder) -> Position:
    """Return the position of the wave after these attempts, newest first."""
    span: Span | None = None
    first_kg = programme.start_kg
    expected = 0
    cycle: list[_Trained] = []
    code: ReasonCode = "wave_week"
    change = ""
    for attempt in reversed(attempts):
        found = _week_of(attempt, programme, ladder, span, expected)
        if found is None:
            if span is None and programme.start_kg is None:
                first_kg = propose_training_max(attempt, ladder)
            continue
        index, seen, is_capped = found
        known = span or (Span(first_kg, first_kg) if first_kg is not None else seen)
        span = known.intersection(seen) or seen
        trained = _Trained(programme.weeks[index], attempt, is_capped)
        cycle = [*(cycle if index else []), trained]
        expected = (index + 1) % len(programme.weeks)
        code, change = "wave_week", ""
        if programme.increment_kg is not None and _missed_minimum(trained):
            before = span.roundest(programme.mark_kg)
            after = round(before * TM_MISSED_FACTOR.value, 2)
            span, code = Span(after, after), "tm_down"
            why = phrase("tm-missed-minimum", week=index + 1)
            change = phrase("tm-change", why=why, load=_text(before, after, ladder))
            # The miss stays in the cycle, which therefore does not raise the TM at its end.
            cycle = cycle if expected else []
        elif expected == 0:
            before = span.roundest(programme.mark_kg)
            after, code, why = _training_max_after(before, cycle, programme)
            span = Span(after, after) if after != before else span
            change = phrase("tm-change", why=why, load=_text(before, after, ladder))
    if span is None:
        return _start(attempts[0], programme, ladder)
    tm_kg = span.roundest(programme.mark_kg)
    return Position(expected, tm_kg, code, change or phrase("tm-now", load=ladder.text(tm_kg)))


def _start(newest: Attempt, programme: Programme, ladder: Ladder) -> Position:
    if programme.start_kg is not None:
        text = phrase("tm-own", load=ladder.text(programme.start_kg))
        return Position(0, programme.start_kg, "wave_week", text)
    tm_kg = propose_training_max(newest, ladder)
    share = f"{100 * TM_FACTOR.value:.0f}"
    text = phrase("tm-proposed", load=ladder.text(tm_kg), share=share)
    return Position(0, tm_kg, "tm_proposed", text)


def _week_of(
    attempt: Attempt, programme: Programme, ladder: Ladder, span: Span | None, expected: int
) -> tuple[int, Span, bool] | None:
    """Return the week of an attempt, from 0, with its possible TMs; None without a match.

    Of several matches the one that fits the known TM, of those the one that was due. The flag is
    True if its heaviest sets were planned lighter than that, on a reduced day.
    """
    count = len(programme.weeks)
    order = [(expected + ahead) % count for ahead in range(count)]
    known = span
    if known is None and programme.start_kg is not None:
        known = Span(programme.start_kg, programme.start_kg)
    fitting = []
    for index in order:
        spans = _spans_of(attempt, programme.weeks[index], ladder)
        if spans and (seen := _intersection_of(spans)) is not None:
            fitting.append((index, seen, False))
        elif spans and known is not None:
            held = [each for each in spans if each.high >= known.low]
            if held and (seen := _intersection_of((known, *held))) is not None:
                fitting.append((index, seen, True))
    at_known = [each for each in fitting if known is not None and known.intersection(each[1])]
    # A single set fits any week at some TM, so without a plan only the known TM identifies it.
    is_told = attempt.is_target_known or (known is None and len(attempt.done) > 1)
    return next(iter(at_known or (fitting if is_told else [])), None)


def _spans_of(attempt: Attempt, week: Week, ladder: Ladder) -> tuple[Span, ...]:
    """Return per set the TMs for which the planned load (or the done one) is the week's percentage.

    Empty for another week. Without a known plan the repetitions must have been done.
    """
    spans = []
    for answer, each in zip(_align(attempt, week) or (), week, strict=False):
        low = answer.planned_reps_low
        load = answer.load if answer.planned_load is None else answer.planned_load
        is_other = (answer.reps or 0) < each.reps if low is None else low != each.reps
        if is_other or load is None:
            return ()
        below, above = ladder.loads.next_below(load), ladder.loads.next_above(load)
        half_below = (load - below) / 2 if below is not None else load
        half_above = (above - load) / 2 if above is not None else half_below
        half_below, half_above = (min(half, load * _WIDEST) for half in (half_below, half_above))
        share = each.percent / 100
        spans.append(Span((load - half_below) / share, (load + half_above) / share))
    return tuple(spans)


def _intersection_of(spans: Iterable[Span]) -> Span | None:
    """Return the intersection of all spans; None if it is empty."""
    met: Span | None = Span(0.0, inf)
    for span in spans:
        met = met and met.intersection(span)
    return met


def _align(attempt: Attempt, week: Week) -> tuple[Answer, ...] | None:
    """Return the answers to the sets of the week, fewer if its last ones were left out."""
    done = attempt.done
    if attempt.is_target_known:
        return done if len(attempt.answers) <= len(week) else None
    if len(done) < len(week):
        return None
    heaviest = sorted(range(len(done)), key=lambda place: (-(done[place].load or 0.0), place))
    return tuple(done[place] for place in sorted(heaviest[: len(week)]))


def _training_max_after(
    tm_kg: float, cycle: Sequence[_Trained], programme: Programme
) -> tuple[float, ReasonCode, str]:
    """Return the TM after a cycle, in kg, and the reason; sets lighter than the week's never raise
    it.
    """
    is_lighter = any(each.is_capped or each.attempt.is_lighter_than_planned for each in cycle)
    if programme.increment_kg is not None:
        if is_lighter or not all(_is_reached(each.attempt, each.week) for each in cycle):
            return tm_kg, "tm_held", phrase("tm-not-as-planned")
        return tm_kg + programme.increment_kg, "tm_up", phrase("tm-cycle-done")
    if cycle and _is_top_missing(cycle[-1]):
        return tm_kg, "tm_held", phrase("tm-top-missing")
    extra = _extra_reps(cycle)
    if extra is None:
        return tm_kg, "tm_held", phrase("tm-no-amrap")
    rows = TM_AMRAP_TABLE.value
    bounded = min(max(extra, rows[-1][0]), rows[0][0])
    percent = next(percent for reps, percent in rows if reps == bounded)
    why = phrase("tm-amrap", reps=f"{extra:+d}")
    if percent == 0 or (percent > 0 and is_lighter):
        return tm_kg, "tm_held", why
    return round(tm_kg * (1 + percent / 100), 2), "tm_up" if percent > 0 else "tm_down", why


def _is_reached(attempt: Attempt, week: Week) -> bool:
    answers = _align(attempt, week) or ()
    pairs = zip(answers, week, strict=False)
    is_whole = attempt.is_complete and len(answers) == len(week)
    return is_whole and all((answer.reps or 0) >= each.reps for answer, each in pairs)


def _missed_minimum(trained: _Trained) -> bool:
    """Return whether a done set of the week's top percentage has fewer repetitions than demanded.

    Never in a light week, nor with less than the week's load.
    """
    top = max(each.percent for each in trained.week)
    is_light = top < TM_LEAST_TOP.value
    if is_light or trained.is_capped or trained.attempt.is_lighter_than_planned:
        return False
    pairs = zip(_align(trained.attempt, trained.week) or (), trained.week, strict=False)
    return any(
        answer.reps is not None and answer.reps < each.reps
        for answer, each in pairs
        if each.percent == top
    )


def _is_top_missing(trained: _Trained) -> bool:
    """Return whether the week's last open set was left out."""
    answers = _align(trained.attempt, trained.week) or ()
    last = max((at for at, each in enumerate(trained.week) if each.is_open), default=None)
    return last is not None and (last >= len(answers) or answers[last].reps is None)


def _extra_reps(cycle: Sequence[_Trained]) -> int | None:
    """Return repetitions beyond the last AMRAP set's target; None if the cycle had no such set."""
    extra = None
    for trained in cycle:
        answers = _align(trained.attempt, trained.week) or ()
        for answer, each in zip(answers, trained.week, strict=False):
            if each.is_open and answer.reps is not None:
                extra = answer.reps - each.reps
    return extra


def _text(before_kg: float, after_kg: float, ladder: Ladder) -> str:
    after = ladder.text(after_kg)
    if before_kg == after_kg:
        return after
    return f"{decimals(f'{in_unit(before_kg, ladder.unit):g}')} -> {after}"
