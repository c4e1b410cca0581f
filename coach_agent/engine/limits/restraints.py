"""Restraints of an exercise today, with their rule and a sentence for the athlete.

Sources: policy 1 and sections 7 and 8 of the training science that the constants name; all of it
opinion.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil, floor

from coach_agent.domain.constants.meet import (
    MEET_LIGHT_LOAD,
    MEET_LIGHT_REPS,
    MEET_RECOVERY_LOAD,
    MEET_RECOVERY_RPE,
    MEET_RECOVERY_SETS,
    MEET_SHARP_LOAD,
    TAPER_VOLUME,
)
from coach_agent.domain.constants.recovery import (
    DELOAD_LOAD_FACTOR,
    DELOAD_RIR_MIN,
    DELOAD_SETS_FACTOR,
    LAYOFF_RETURN_SPARE,
    PAIN_DROP_FROM,
    PAIN_NO_INCREASE_FROM,
    READINESS_LOW_RPE_CAP,
    READINESS_LOW_SETS,
    READINESS_VERY_LOW_LOAD,
)
from coach_agent.domain.context import Slot
from coach_agent.domain.e1rm import HIGHEST_RPE
from coach_agent.domain.pain import part_name, worst_pain
from coach_agent.domain.plan import NEW_EXERCISE, PAIN_MILD, PAIN_MODERATE, Adjustment
from coach_agent.domain.recovery import RECOVERY_RULE, LoweredRecovery
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.explain.reasons import count_reps
from coach_agent.engine.history.breaks import Layoff
from coach_agent.engine.limits.conditions import Circumstances, spare_in_deload
from coach_agent.engine.limits.rest import kind_of
from coach_agent.engine.loads.increments import is_lower_body
from coach_agent.engine.loads.ladder import Ladder
from coach_agent.language.messages import (
    break_text,
    capitalise,
    day_text,
    decimals,
    join_alternatives,
    join_words,
    name_of,
    phrase,
)
from coach_agent.profile.equipment import equipment_kind

_NOT_TO_START = frozenset({PAIN_MODERATE, "taper"})


@dataclass(frozen=True)
class Restraint:
    """The reductions of one circumstance, and `why`, a sentence without its full stop.

    It always forbids an increase. `load_factor` applies to the last load, `reps_factor` to
    repetitions and seconds without a load, minus `spare_reps`; `sets_factor` applies to the number
    of working sets, with `rounds_sets` rounded to the nearest number instead of up, minus
    `sets_off`; no set has more than `most_reps`, and none may be harder than `rpe_cap`. With
    `has_floor` no load falls below the floor, with `is_limit` none is above its share. `is_easy`
    marks deliberately light work, which does not measure progress; with `drops` the exercise is
    left out. `advice` is a following sentence; then comes that on `reserve`, the repetitions to
    leave in reserve at `strength`, the share of the maximum that is left, or on time with
    `is_timed`, if it `tells_effort`. With `keeps_load` the load falls only as far as `spare_reps`
    in reserve need, at most to its share.

    The resulting numbers are in the finished plan, not here.
    """

    rule: str
    why: str
    load_factor: float = 1.0
    reps_factor: float = 1.0
    spare_reps: int = 0
    sets_factor: float = 1.0
    rounds_sets: bool = False
    sets_off: int = 0
    has_floor: bool = True
    is_limit: bool = False
    most_reps: int | None = None
    rpe_cap: float | None = None
    is_easy: bool = False
    drops: bool = False
    advice: str = ""
    reserve: int = 0
    strength: float = 1.0
    is_timed: bool = False
    tells_effort: bool = True
    keeps_load: bool = False

    @property
    def adjustment(self) -> Adjustment:
        """The cause for the athlete."""
        return Adjustment(rule=self.rule, text=f"{self.why}.{self.advice}{self._effort}")

    @property
    def _effort(self) -> str:
        if not self.reserve or not self.tells_effort:
            return ""
        if self.is_timed:
            return f" {phrase('effort-timed')}"
        return f" {phrase('effort-reserve', reps=count_reps(self.reserve))}"

    def load_of(self, load_kg: float, ladder: Ladder) -> float:
        """Return the reduced load."""
        if self.is_limit and self.load_factor < 1:
            reduced = ladder.reset(load_kg, self.load_factor)
            return load_kg if reduced is None else min(reduced, load_kg)
        return ladder.reduced(load_kg, self.load_factor, has_floor=self.has_floor)

    def for_ramp(self) -> "Restraint":
        """Return the restraint of a ramp, which stays whole: less load instead of a set less."""
        if not self.sets_off:
            return self
        factor = 1 + READINESS_VERY_LOW_LOAD.value / 100
        return replace(self, load_factor=min(self.load_factor, factor))

    def sets_of(self, count: int) -> int:
        """Return the number of remaining working sets of `count`; may be none."""
        left = count * self.sets_factor
        return min(floor(left + 0.5) if self.rounds_sets else ceil(left), count - self.sets_off)


def restraints(
    slot: Slot,
    layoff: Layoff | None,
    circumstances: Circumstances,
    *,
    is_timed: bool = False,
    is_new: bool = False,
) -> tuple[Restraint, ...]:
    """Return all restraints of the exercise today.

    Only the strictest has a sentence on the reserve; `is_timed`: sets of a time or a distance. No
    load is searched for with pain, before a meet or on an easy day: one that `is_new` waits.
    """
    found = [
        *_avoided(slot, circumstances),
        *_unavailable(slot, circumstances),
        *_pain(slot, circumstances),
        *_deload(slot, circumstances),
        *_around_event(slot, circumstances),
        *_readiness(circumstances),
        *_layoff(layoff),
    ]
    waits = is_new and any(each.is_easy or each.rule in _NOT_TO_START for each in found)
    if waits and not any(each.drops for each in found):
        instead = _instead(slot, circumstances)
        return (Restraint(NEW_EXERCISE, phrase("left-out-new"), drops=True, advice=instead),)
    strictest = max((each.reserve for each in found), default=0)
    return tuple(
        replace(each, is_timed=is_timed, tells_effort=each.reserve == strictest) for each in found
    )


def _avoided(slot: Slot, circumstances: Circumstances) -> Iterable[Restraint]:
    avoided = {normalize_title(title) for title in circumstances.avoided_titles}
    if normalize_title(slot.exercise_title) in avoided:
        yield Restraint(
            "avoided",
            phrase("left-out-avoided"),
            drops=True,
            advice=_instead(slot, circumstances),
        )


def _pain(slot: Slot, circumstances: Circumstances) -> Iterable[Restraint]:
    pain = worst_pain(circumstances.pains, slot)
    if pain is None or not pain.is_at_least(PAIN_NO_INCREASE_FROM.value):
        return
    instead = _instead(slot, circumstances)
    if pain.is_at_least(PAIN_DROP_FROM.value):
        yield Restraint(
            "pain_severe",
            phrase("left-out-pain", part=part_name(pain.part)),
            drops=True,
            advice=f" {phrase('pain-severe-advice')}{instead}{_trainable(circumstances)}",
        )
    else:
        why = capitalise(phrase("pain", part=part_name(pain.part)))
        advice = f" {phrase('pain-advice')}{instead}"
        yield Restraint(PAIN_MODERATE, why, advice=advice)


def pain_remarks(slot: Slot, circumstances: Circumstances) -> Iterable[Adjustment]:
    """Yield the remark on a pain that is too mild to change anything."""
    pain = worst_pain(circumstances.pains, slot)
    if pain is None or pain.is_at_least(PAIN_NO_INCREASE_FROM.value):
        return
    text = phrase("pain-mild", part=part_name(pain.part))
    yield Adjustment(rule=PAIN_MILD, text=text)


def _unavailable(slot: Slot, circumstances: Circumstances) -> Iterable[Restraint]:
    kind = equipment_kind(slot.exercise_title, slot.equipment, slot.exercise_type)
    if kind in circumstances.lacks:
        yield Restraint(
            "unavailable",
            phrase("left-out-equipment", kind=name_of("equipment", kind)),
            drops=True,
            advice=_instead(slot, circumstances),
        )


def _instead(slot: Slot, circumstances: Circumstances) -> str:
    """Format the profile's substitutes for an exercise, the unfit ones with the reason."""
    titles = circumstances.substitutes.get(slot.exercise_title, ())
    unfit = circumstances.unfit_substitutes.get(slot.exercise_title, {})
    refused = (
        f" {phrase('not-either', exercise=title, reason=reason)}" for title, reason in unfit.items()
    )
    fit = f" {phrase('instead', exercises=join_alternatives(titles))}" if titles else ""
    return f"{''.join(refused)}{fit}"


def _trainable(circumstances: Circumstances) -> str:
    titles = circumstances.trainable_titles
    return f" {phrase('trainable', exercises=join_words(titles))}" if titles else ""


def _deload(slot: Slot, circumstances: Circumstances) -> Iterable[Restraint]:
    reason = circumstances.deload_of(slot.exercise_title)
    if reason is not None:
        spare = spare_in_deload(reason)
        yield Restraint(
            f"deload_{reason}",
            phrase(f"deload-{reason.replace('_', '-')}"),
            load_factor=DELOAD_LOAD_FACTOR.value,
            reps_factor=DELOAD_LOAD_FACTOR.value,
            spare_reps=spare,
            sets_factor=DELOAD_SETS_FACTOR.value,
            rpe_cap=HIGHEST_RPE - spare,
            is_easy=True,
            reserve=spare,
            keeps_load=reason == "block",
        )


def _around_event(slot: Slot, circumstances: Circumstances) -> Iterable[Restraint]:
    """Yield the taper before an event, its last days, and the week after it."""
    if circumstances.meet == "recovery":
        yield Restraint(
            "meet_recovery",
            phrase("meet-recovery"),
            load_factor=MEET_RECOVERY_LOAD.value,
            is_limit=True,
            spare_reps=DELOAD_RIR_MIN.value,
            sets_factor=MEET_RECOVERY_SETS.value,
            rpe_cap=MEET_RECOVERY_RPE.value,
            is_easy=True,
        )
    elif circumstances.meet == "light":
        kind = kind_of(slot.primary_muscle_group, slot.secondary_muscle_groups)
        is_left = kind == "isolation"
        yield Restraint(
            "meet_light",
            phrase("meet-left-out") if is_left else phrase("meet-light"),
            load_factor=MEET_LIGHT_LOAD.value,
            is_limit=True,
            spare_reps=DELOAD_RIR_MIN.value,
            sets_factor=1 + TAPER_VOLUME.value / 100,
            rpe_cap=MEET_RECOVERY_RPE.value,
            is_easy=True,
            drops=is_left,
            most_reps=MEET_LIGHT_REPS.value,
        )
    elif circumstances.is_taper:
        is_past_heavy = circumstances.meet == "sharp" or (
            circumstances.meet == "sharp_lower" and is_lower_body(slot)
        )
        yield Restraint(
            "taper",
            phrase("taper"),
            load_factor=MEET_SHARP_LOAD.value if is_past_heavy else 1.0,
            is_limit=True,
            sets_factor=1 + TAPER_VOLUME.value / 100,
        )


def _readiness(circumstances: Circumstances) -> Iterable[Restraint]:
    if circumstances.readiness is None:
        return
    is_very_low = circumstances.readiness == "very_low"
    rule = f"readiness_{circumstances.readiness}"
    if circumstances.recovery is not None:
        rule, why = RECOVERY_RULE, _recovery_text(circumstances.recovery)
    elif circumstances.is_sore:
        why = phrase("sore-very-low") if is_very_low else phrase("sore-low")
    else:
        why = phrase("readiness-very-low") if is_very_low else phrase("readiness-low")
    yield Restraint(
        rule,
        why,
        load_factor=1 + (READINESS_VERY_LOW_LOAD.value / 100 if is_very_low else 0),
        reps_factor=1 + (READINESS_VERY_LOW_LOAD.value / 100 if is_very_low else 0),
        has_floor=not is_very_low,
        sets_off=-READINESS_LOW_SETS.value,
        rpe_cap=READINESS_LOW_RPE_CAP.value,
        is_easy=is_very_low,
    )


def _recovery_text(recovery: LoweredRecovery) -> str:
    """Return the day and each worse signal with its usual and its source."""
    signals = [
        phrase(
            f"recovery-worse-{each.signal.replace('_', '-')}",
            value=_signal_value(each.signal, each.value),
            usual=_signal_value(each.signal, each.usual),
            source=each.source,
        )
        for each in recovery.signals
    ]
    return phrase(
        "readiness-recovery", day=day_text(recovery.day, "day-short"), signals="; ".join(signals)
    )


def _signal_value(signal: str, value: float) -> str:
    if signal == "sleep":
        hours, minutes = divmod(round(value), 60)
        return f"{hours} h {minutes:02} min"
    if signal == "check_in":
        return f"{value:.0f}"
    return decimals(f"{value:.1f}")


def _layoff(layoff: Layoff | None) -> Iterable[Restraint]:
    if layoff is not None:
        message = "layoff-like-this" if layoff.has_other_work else "layoff"
        yield Restraint(
            "layoff" if layoff.load < 1 else "hold_after_layoff",
            capitalise(phrase(message, span=break_text(layoff.weeks))),
            rpe_cap=None if layoff.load == 1 else HIGHEST_RPE - LAYOFF_RETURN_SPARE.value,
            reserve=0 if layoff.load == 1 else LAYOFF_RETURN_SPARE.value,
            strength=layoff.strength,
            load_factor=layoff.load,
            reps_factor=layoff.reps,
            sets_factor=layoff.sets,
            rounds_sets=True,
            has_floor=False,
        )
