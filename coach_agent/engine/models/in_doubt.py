"""Decisions while a newer set is doubted: no increase."""

from collections.abc import Sequence
from dataclasses import replace

from coach_agent.domain.units import Unit, load_text
from coach_agent.engine.explain.reasons import count_reps
from coach_agent.engine.history.filter import Outlier
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.engine.models.block import BlockDecision, BlockHistory
from coach_agent.engine.models.moves import repeat
from coach_agent.language.messages import join_words, phrase


def hold_on_doubts(
    decision: BlockDecision,
    history: BlockHistory,
    doubts: Sequence[Outlier],
    held_goals: tuple[int, ...] | None,
    ladder: Ladder | None,
    unit: Unit,
) -> BlockDecision:
    """Return the decision with its doubts; instead of going up, the block holds.

    `held_goals` are its repetitions or seconds then, `ladder` is None without a load, `unit` is the
    gym's. Loads of a wave stay: they rise and fall as planned, based on credible sets.
    """
    if not doubts:
        return decision
    # Without its doubted sets a workout looks unfinished, which it was not.
    is_unfinished = "sets_missing" in decision.codes and not history.last.is_complete
    is_held = decision.direction == "up" or (is_unfinished and decision.direction == "same")
    if is_held and decision.loads is None:
        held = _hold(decision, history, held_goals, ladder)
        decision = replace(held, open_places=decision.open_places)
    texts = dict.fromkeys(_text(doubt, ladder, unit) for doubt in doubts)
    codes = dict.fromkeys((*(doubt.code for doubt in doubts), *decision.codes))
    return replace(decision, codes=tuple(codes), reason=" ".join((*texts, decision.reason)))


def _hold(
    decision: BlockDecision,
    history: BlockHistory,
    goals: tuple[int, ...] | None,
    ladder: Ladder | None,
) -> BlockDecision:
    # In a workout with a doubted set the other sets are the newest known data.
    is_whole = history.last.is_complete
    what = phrase("doubt-set")
    if ladder is not None:
        message = "reason-repeat-before" if is_whole else "reason-repeat"
        return repeat(history, ladder, history.last.load, goals, what, message=message)
    is_timed = decision.durations_s is not None
    before = phrase("reason-repeat-sets-before")
    return BlockDecision(
        "same",
        history.codes(),
        before if is_whole else phrase("reason-repeat-sets", what=what),
        reps=None if is_timed else goals,
        durations_s=goals if is_timed else None,
    )


def _text(doubt: Outlier, ladder: Ladder | None, unit: Unit) -> str:
    numbers = []
    if doubt.load is not None:
        load = doubt.load
        numbers.append(load_text(abs(load), unit) if ladder is None else ladder.text(load))
    if doubt.reps is not None:
        with_load = f"{numbers.pop()} × {doubt.reps}" if numbers else count_reps(doubt.reps)
        numbers.append(with_load)
    if doubt.duration_s is not None:
        numbers.append(f"{doubt.duration_s} s")
    if doubt.distance_m is not None:
        numbers.append(f"{doubt.distance_m} m")
    what = join_words(numbers) if numbers else phrase("doubt-a-set")
    if doubt.usual is not None and ladder is not None:
        usual = ladder.text(doubt.usual)
        return phrase("doubt-unusual", what=what, usual=usual)
    if doubt.code == "other_work":
        return phrase("doubt-other-work", what=what)
    if doubt.is_said:
        return phrase("doubt-confirmed", what=what)
    return phrase("doubt-typo", what=what)
