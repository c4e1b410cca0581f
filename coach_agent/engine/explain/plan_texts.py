"""Texts of a finished plan: each number is one of its sets, or compares it with the last time.

Texts are rendered on read, so that after any change of a set (by the rack, the available time or a
language model) its text has the same numbers.
"""

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import TypeVar

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.e1rm import is_tested_max
from coach_agent.domain.plan import PAIN_MODERATE, DoneSet, SetPrescription, SlotPrescription
from coach_agent.domain.units import Unit
from coach_agent.engine.explain.reasons import BODY_ALONE, format_set_load
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED
from coach_agent.language.messages import decimals, phrase

S = TypeVar("S", DoneSet, SetPrescription)

_DAYS = {"heavy_day": "heavy-day", "medium_day": "medium-day", "light_day": "light-day"}
# Codes with which the last workout is no measure of a change.
_NO_MEASURE = _DAYS.keys() | {"suspected_typo"}
_BEYOND_TARGET = frozenset({"add_reps", "step_infeasible", "no_heavier_load"})
_SET_MARKS = {"warmup": "W", "failure": "F", "dropset": "D", "normal": ""}


def reasons(slot: SlotPrescription, unit: Unit) -> tuple[str, ...]:
    """Return the reasons of an exercise: the reductions of the day, then the training's reason."""
    took = tuple(each.text for each in slot.valid_adjustments)
    # A goal beyond the target is in the reason, and not in the sets.
    is_beyond = {"add_reps"} < {*slot.reason_codes} & _BEYOND_TARGET
    sets = () if is_beyond else _working(slot.whole_sets)
    whole = targets_text(sets, unit, slot.exercise_type)
    if slot.is_left_out:
        return (*took, _without_that(whole, _told_reason(slot)))
    if not any(each.forbids_increase for each in slot.adjustments) or _is_own_cut(slot):
        return tuple(filter(None, (*took, _reason(slot, unit))))
    changed = _change(slot, unit)
    changes = filter(None, (changed or _no_increase(slot),))
    return (*took, *changes, _without_that(whole, _told_reason(slot)))


def short_reasons(
    slot: SlotPrescription, unit: Unit, told_above: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the reductions of the day, and the reason of a doubt or of a change by over a step.

    Excludes texts in `told_above`, which are shown above all exercises.
    """
    took = [each.text for each in slot.valid_adjustments if each.text not in told_above]
    if slot.is_left_out:
        return (" ".join(took),) if took else ()
    if any(each.forbids_increase for each in slot.adjustments):
        changed = _change(slot, unit) or _no_increase(slot)
        if _is_own_cut(slot):
            changed = _reason(slot, unit)
        took[:0] = [phrase(_DAYS[each]) for each in slot.reason_codes if each in _DAYS]
        line = " ".join((*took, changed)).strip()
        return (line,) if line else ()
    if _is_big(slot):
        took.append(_reason(slot, unit))
    elif not {"suspected_typo", "light_before", "far_above"}.isdisjoint(slot.reason_codes):
        took.append(slot.reason)
    return tuple(took)


def _is_own_cut(slot: SlotPrescription) -> bool:
    """Return whether the load goes down from a maximum that was tested, by no reduction of the
    day.
    """
    now, whole = _top_kg(slot.sets, slot), _top_kg(slot.structure, slot)
    if now is None or whole is None or "tested_max" not in slot.reason_codes:
        return False
    is_test = all(is_tested_max(each.reps, each.rpe) for each in _working(slot.last_done))
    return is_test and slot.direction == "down" and abs(now - whole) <= LOAD_TOLERANCE.value


def _reason(slot: SlotPrescription, unit: Unit) -> str:
    """Return the training's reason, with the size of a change from what was really lifted."""
    is_told = _is_big(slot) and "suspected_typo" not in slot.reason_codes
    changed = _change(slot, unit, names_load=False) if is_told else ""
    return f"{_told_reason(slot)} {changed[:1].upper()}{changed[1:]}".strip()


def _no_increase(slot: SlotPrescription) -> str:
    """Return the sentence that nothing goes up; empty if a reduction says so."""
    is_said = any(each.rule == PAIN_MODERATE for each in slot.adjustments)
    return "" if is_said else phrase("no-increase")


def _told_reason(slot: SlotPrescription) -> str:
    """Return the training's reason; empty if the note of the exercise is the same."""
    return "" if slot.note == slot.reason else slot.reason


def _without_that(sets: str, reason: str) -> str:
    if not sets:
        return phrase("without-that", reason=reason)
    return phrase("without-that-sets", sets=sets, reason=reason).strip()


def _is_big(slot: SlotPrescription) -> bool:
    """Return whether the exercise goes down, or up by more than a step, or has its other load."""
    if slot.direction == "down" or not _DAYS.keys().isdisjoint(slot.reason_codes):
        return True
    before, now = _top_kg(slot.last_done, slot), _top_kg(slot.sets, slot)
    if before is None or now is None or slot.step_kg is None:
        return False
    return now - before > slot.step_kg + LOAD_TOLERANCE.value


def _change(slot: SlotPrescription, unit: Unit, *, names_load: bool = True) -> str:
    """Describe the difference of the sets to those of the last time and of the routine.

    Reductions of a day are compared with the training's own sets, if the last time is no measure:
    it is unknown, doubted, or was the other kind of heavy and light days. Of sets of several loads
    the top sets are compared, and named. Empty if nothing was reduced.
    """
    now = _working(slot.sets)
    done = tuple(each for each in _working(slot.last_done) if each.has_result)
    before_kg, now_kg = _top_kg(done, slot), _top_kg(now, slot)
    is_other = names_load and not _NO_MEASURE.isdisjoint(slot.reason_codes)
    is_routines = is_other or (names_load and before_kg is None)
    if is_routines:
        before_kg = _top_kg(slot.structure, slot)
    reps_before = _top_reps(slot.structure, slot) if is_other else _top_reps(done, slot)
    is_mixed = _is_mixed(now) or (
        _is_mixed(_working(slot.structure)) if is_other else _is_mixed(done)
    )
    parts = []
    rise = 0.0 if before_kg is None or now_kg is None else now_kg - before_kg
    if before_kg is not None and now_kg is not None and abs(rise) > LOAD_TOLERANCE.value:
        if is_routines:
            parts.append(_instead_of(before_kg, now_kg, slot, unit))
        else:
            parts.append(_load_change(before_kg, now_kg, slot, unit, names_load=names_load))
    # Weeks of a programme differ in repetitions as well as in loads.
    is_programme = bool({"training_max", "stages"} & {*slot.rule.split(", ")})
    if abs(rise) <= LOAD_TOLERANCE.value or (rise < 0 and not is_programme):
        parts += _count_change("change-reps", _top_reps(now, slot), reps_before)
    if parts and is_mixed:
        parts[0] = phrase("change-top-set", change=parts[0])
    seconds, seconds_before = ([each.duration_s for each in sets] for sets in (now, done))
    if _fewer(seconds_before, seconds):
        seconds_before = [each.duration_s for each in _working(slot.structure)]
    parts += _count_change("change-seconds", seconds, seconds_before)
    whole = len(_working(slot.structure))
    if len(now) < whole:
        parts.append(phrase("change-sets", now=len(now), before=whole))
    text = ", ".join(parts)
    start = text[:1] if text.startswith(BODY_ALONE) else text[:1].upper()
    return phrase("sentence", text=start + text[1:]) if parts else ""


def _count_change(
    message: str, now: Sequence[int | None], before: Sequence[int | None]
) -> list[str]:
    """Describe fewer repetitions or seconds, as maxima if sets differ; empty if none are fewer."""
    if (fewer := _fewer(now, before)) is None:
        return []
    text = phrase(message, now=fewer[0], before=fewer[1])
    return [phrase("change-up-to", change=text) if len({*now}) > 1 else text]


def _top_reps(sets: Sequence[S], slot: SlotPrescription) -> list[int | None]:
    """Return the repetitions of the working sets with the heaviest load; of all if one has none."""
    top_kg = _top_kg(sets, slot)
    return [each.reps for each in _working(sets) if top_kg in {None, _top_kg((each,), slot)}]


def _is_mixed(sets: Sequence[S]) -> bool:
    """Return whether the loads of the sets differ."""
    return len({each.weight_kg or 0.0 for each in sets}) > 1


def _load_change(
    before_kg: float, now_kg: float, slot: SlotPrescription, unit: Unit, *, names_load: bool
) -> str:
    load = format_set_load(abs(now_kg), slot.exercise_type, unit)
    if slot.exercise_type in {ASSISTED, WEIGHTED}:
        return _instead_of(before_kg, now_kg, slot, unit)
    if not before_kg:
        return load
    pct = f"{100 * abs(now_kg / before_kg - 1):.0f}"
    share = phrase("change-more" if now_kg > before_kg else "change-less", pct=pct)
    return f"{load}, {share}" if names_load else share


def _instead_of(before_kg: float, now_kg: float, slot: SlotPrescription, unit: Unit) -> str:
    now, before = (
        format_set_load(abs(each), slot.exercise_type, unit) for each in (now_kg, before_kg)
    )
    return phrase("change-load", now=now, before=before)


def _fewer(now: Sequence[int | None], before: Sequence[int | None]) -> tuple[int, int] | None:
    """Return the maxima of both, set by set, if the first is lower."""
    pairs = (now, before[: len(now)])
    most = [max((each for each in counts if each), default=0) for counts in pairs]
    return (most[0], most[1]) if 0 < most[0] < most[1] else None


def _top_kg(sets: Sequence[S], slot: SlotPrescription) -> float | None:
    """Return the heaviest working set, assistance negative; None if a set has no load.

    With added load or assistance the body alone is one.
    """
    sign = -1 if slot.exercise_type == ASSISTED else 1
    loads = [each.weight_kg for each in _working(sets)]
    if slot.exercise_type == WEIGHTED:
        return max((load or 0.0 for load in loads), default=None)
    known = [sign * load for load in loads if load or (load is not None and sign < 0)]
    return max(known) if known and len(known) == len(loads) else None


def _working(sets: Sequence[S]) -> tuple[S, ...]:
    return tuple(each for each in sets if each.set_type in WORKING_TYPES)


def number(value: float) -> str:
    """Format a number for people: 80, 82.5, 61.23."""
    return decimals(f"{round(value, 2):g}")


def target_text(target: SetPrescription, unit: Unit, exercise_type: str | None) -> str:
    """Format a prescribed set: `82.5 kg × 8 (8-12)`, `bw+10 lb × 5`, `10 reps`, `60 s`."""
    reps = None if target.reps is None else number(target.reps)
    span = _range_text(target.rep_range_start, target.rep_range_end)
    if reps is not None and span is not None:
        reps = f"{reps} ({span})"
    load = (
        None if target.weight_kg is None else format_set_load(target.weight_kg, exercise_type, unit)
    )
    return _set_text(load, reps or span, target.duration_s, target.distance_m)


def targets_text(sets: Sequence[SetPrescription], unit: Unit, exercise_type: str | None) -> str:
    """Format prescribed sets, equal ones together: `W 20 kg × 10, 3 × 82.5 kg × 8`; empty without
    any.
    """
    shown = ((set_mark(each.set_type), target_text(each, unit, exercise_type)) for each in sets)
    return ", ".join(
        f"{mark} {times(text, sum(1 for _ in group))}".strip()
        for (mark, text), group in groupby(shown)
    )


def reps_text(reps: str) -> str:
    """Format repetitions of one or several sets: `1 rep`, `8-12 reps`, `8, 8, 7 reps`."""
    return phrase("reps", count=1) if reps == "1" else phrase("reps-text", reps=reps)


def times(text: str, count: int) -> str:
    """Format a repeated set: `3 × 82.5 kg × 8`."""
    return text if count == 1 else f"{count} × {text}"


def done_text(done: DoneSet, unit: Unit, exercise_type: str | None) -> str:
    """Format a performed set: `80 kg × 10 @8`, `20 kg of assistance × 8`."""
    reps = None if done.reps is None else number(done.reps)
    load = None if done.weight_kg is None else format_set_load(done.weight_kg, exercise_type, unit)
    text = _set_text(load, reps, done.duration_s, done.distance_m)
    return text if done.rpe is None else f"{text} @{number(done.rpe)}"


def set_mark(set_type: str) -> str:
    """Return the letter that Hevy shows for a set type: W, F, D or none."""
    return _SET_MARKS[set_type]


def _range_text(start: int | None, end: int | None) -> str | None:
    if start is None:
        return None
    return f"{start}+" if end is None else f"{start}-{end}"


def _set_text(
    load: str | None, reps: str | None, duration_s: float | None, distance_m: float | None
) -> str:
    if load and reps:
        parts = [f"{load} × {reps}"]
    elif reps:
        parts = [reps_text(reps)]
    else:
        parts = [load] if load else []
    parts += [] if duration_s is None else [f"{number(duration_s)} s"]
    parts += [] if distance_m is None else [f"{number(distance_m)} m"]
    return ", ".join(parts) or "-"
