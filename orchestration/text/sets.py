"""Sets in lifters' notation: `3 × 8 @ 80 kg` for a target, `80 kg × 8, 8, 7` for what was done."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.plan import DoneSet, Prediction, SetPrescription, SlotPrescription
from coach_agent.domain.units import Unit, in_unit
from coach_agent.engine.explain.plan_texts import number, reps_text, set_mark
from coach_agent.engine.explain.reasons import format_set_load
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.loads.increments import ASSISTED
from coach_agent.language.messages import decimals, phrase

_LONG_S = 300
_KM = 1000


@dataclass(frozen=True)
class SetGroup:
    """Consecutive equal sets of a plan; `mark` is W, F, D or empty.

    `hardest` is the prediction with the lowest probability of success, None if unknown.
    """

    mark: str
    text: str
    hardest: Prediction | None = None

    @property
    def chance(self) -> float | None:
        """The lowest probability of success of its sets, None if unknown."""
        return None if self.hardest is None else self.hardest.p_success


def set_groups(slot: SlotPrescription, unit: Unit) -> list[SetGroup]:
    """Return the groups of equal sets in order; all warm-ups are one group."""
    kind = slot.exercise_type
    warmups = [each for each in slot.sets if each.set_type == "warmup"]
    groups = []
    if warmups:
        texts = ", ".join(_group_text(own, unit, kind) for own in _equal_sets(warmups))
        groups.append(SetGroup("W", texts))
    rest = [
        (target, prediction)
        for target, prediction in zip(slot.sets, forecasts(slot), strict=True)
        if target.set_type != "warmup"
    ]
    for _, pairs in groupby(rest, key=lambda pair: _target_key(pair[0])):
        own = list(pairs)
        known = [prediction for _, prediction in own if prediction is not None]
        targets = [target for target, _ in own]
        groups.append(
            SetGroup(
                set_mark(targets[0].set_type),
                _group_text(targets, unit, kind),
                min(known, key=_success, default=None),
            )
        )
    return groups


def forecasts(slot: SlotPrescription) -> Sequence[Prediction | None]:
    """Return the prediction of each set that is shown; None if unknown.

    Sets that the day makes easier than the last ones have none: they stop far before it.
    """
    is_held = any(each.forbids_increase for each in slot.adjustments)
    if slot.is_easy or (is_held and slot.direction == "down"):
        return (None,) * len(slot.sets)
    return slot.predictions or (None,) * len(slot.sets)


def _success(prediction: Prediction) -> float:
    return 1.0 if prediction.p_success is None else prediction.p_success


def superset_text(slot: SlotPrescription, slots: Sequence[SlotPrescription]) -> str:
    """Return the superset of an exercise, numbered from 1 in the order of the plan; "" if none.

    The ids of a routine are those of the app, where a removed superset leaves a gap.
    """
    if slot.superset_id is None:
        return ""
    ids = list(dict.fromkeys(each.superset_id for each in slots if each.superset_id is not None))
    return phrase("superset", number=ids.index(slot.superset_id) + 1)


def plan_notation(slot: SlotPrescription, unit: Unit) -> str:
    """Format all sets of an exercise: `W 1 × 8 @ 40 kg; 2 × 8 @ 80 kg, 1 × 7 @ 80 kg`."""
    groups = set_groups(slot, unit)
    warmups = [f"W {each.text}" for each in groups if each.mark == "W"]
    working = [f"{each.mark} {each.text}".strip() for each in groups if each.mark != "W"]
    return "; ".join(filter(None, (*warmups, ", ".join(working))))


def target_notation(target: SetPrescription, unit: Unit, exercise_type: str | None) -> str:
    """Format one target: `8 @ 80 kg`, `8 (8-12) @ bw+10 kg`, `60 s`; `free` without any."""
    amount = _target_amount(target)
    if target.weight_kg is None:
        return amount or phrase("set-free")
    load = format_set_load(target.weight_kg, exercise_type, unit)
    return f"{amount} @ {load}" if amount else load


def done_notation(sets: Sequence[DoneSet], unit: Unit, exercise_type: str | None) -> str:
    """Format performed sets, equal loads together: `80 kg × 8, 8, 7 (RPE 8, 8.5, 9)`.

    If only some sets have an RPE, it is the last known one.
    """
    parts = []
    for load_kg, group in groupby(sets, key=lambda each: each.weight_kg):
        own = list(group)
        load = "" if load_kg is None else format_set_load(load_kg, exercise_type, unit)
        amounts = ", ".join(_amount_text(each) for each in own)
        if all(each.reps is not None for each in own):
            amounts = amounts if load else reps_text(amounts)
        text = " × ".join(part for part in (load, amounts) if part)
        efforts = [None if each.rpe is None else number(each.rpe) for each in own]
        known = [effort for effort in efforts if effort is not None]
        if len(known) == len(own) and len(set(known)) > 1:
            text += f" (RPE {', '.join(known)})"
        elif known:
            text += f" (RPE {known[-1]})"
        parts.append(text)
    return "; ".join(part for part in parts if part)


def change_text(slot: SlotPrescription, unit: Unit) -> str:
    """Format the change since last time: `+2.5 kg`, `-1 set`, `same`, `new`, `out`.

    Of repetitions, seconds and metres that of each set if all sets have the same, `+1 rep a set`;
    otherwise the sum, `+3 reps in all`.
    """
    if slot.is_left_out or slot.direction == "out":
        return phrase("change-out")
    now = [each for each in slot.sets if each.set_type in WORKING_TYPES]
    done = [each for each in slot.last_done if each.set_type in WORKING_TYPES]
    if not done:
        return phrase("change-new")
    tops = [
        max((each.weight_kg for each in sets if each.weight_kg is not None), default=None)
        for sets in (now, done)
    ]
    top, last = tops
    if top is not None and last is not None and abs(top - last) > LOAD_TOLERANCE.value:
        step = f"{round(in_unit(top, unit) - in_unit(last, unit), 2):+g}"
        load = f"{decimals(step)} {unit}"
        return phrase("change-help", load=load) if slot.exercise_type == ASSISTED else load
    if slot.direction == "same":
        return phrase("change-same")
    if len(now) != len(done):
        more = len(now) - len(done)
        return phrase("change-count-sets", change=f"{more:+d}", count=abs(more))
    for field, unit_name in (("reps", "reps"), ("duration_s", "s"), ("distance_m", "m")):
        gains = [
            (getattr(new, field) or 0) - (getattr(old, field) or 0)
            for new, old in zip(now, done, strict=True)
        ]
        if sum(gains):
            return _gain_text(gains, unit_name)
    return phrase("change-harder") if slot.direction == "up" else phrase("change-easier")


def _gain_text(gains: Sequence[float], unit_name: str) -> str:
    """Format the gains of the sets in one measure; their sum is not 0."""
    is_equal = len(set(gains)) == 1
    gain = gains[0] if is_equal else sum(gains)
    if unit_name == "reps":
        text = phrase("change-count-reps", change=f"{gain:+g}", count=round(abs(gain)))
    else:
        text = f"{decimals(f'{gain:+g}')} {unit_name}"
    if is_equal and len(gains) > 1:
        return phrase("change-each-set", change=text)
    is_of_one = sum(map(bool, gains)) == 1
    return text if is_of_one else phrase("change-all-sets", change=text)


def _equal_sets(sets: Sequence[SetPrescription]) -> list[list[SetPrescription]]:
    return [list(group) for _, group in groupby(sets, key=_target_key)]


def _target_key(target: SetPrescription) -> SetPrescription:
    return target.model_copy(update={"set_index": 0})


def _group_text(sets: Sequence[SetPrescription], unit: Unit, exercise_type: str | None) -> str:
    """Format equal targets: `3 × 8 @ 80 kg`, `2 × 60 s`, `1 × 8 (8-12) @ bw+10 kg`."""
    return f"{len(sets)} × {target_notation(sets[0], unit, exercise_type)}"


def _target_amount(target: SetPrescription) -> str:
    amount = _amount_text(target)
    start, end = target.rep_range_start, target.rep_range_end
    if start is None or start == end:
        return amount
    span = f"{start}+" if end is None else f"{start}-{end}"
    return f"{amount} ({span})" if target.reps is not None else span


def _amount_text(one: SetPrescription | DoneSet) -> str:
    parts = [] if one.reps is None else [number(one.reps)]
    if one.duration_s is not None and one.distance_m is not None:
        time = _clock_text(one.duration_s)
        return phrase("amount-in-time", amount=_distance_text(one.distance_m), time=time)
    parts += [] if one.duration_s is None else [_duration_text(one.duration_s)]
    parts += [] if one.distance_m is None else [_distance_text(one.distance_m)]
    return " ".join(parts)


def _distance_text(metres: float) -> str:
    """Format a distance: `400 m`, from one kilometre on `2.11 km`."""
    return f"{number(metres)} m" if metres < _KM else f"{number(round(metres / _KM, 2))} km"


def _clock_text(seconds: int) -> str:
    """Format the time of a distance: `45 s`, from one minute on `11:48`, `1:02:30`."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    if not hours and not minutes:
        return f"{rest} s"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _duration_text(seconds: int) -> str:
    """Format a duration: `60 s`, from five minutes on whole ones as `20 min`."""
    is_long = seconds >= _LONG_S and seconds % 60 == 0
    return f"{seconds // 60} min" if is_long else f"{seconds} s"
