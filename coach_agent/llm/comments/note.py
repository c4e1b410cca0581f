"""The note of an exercise: rendered from the codes that a model selected.

A code that is not true of the exercise, or does not fit it, is left out and counted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from coach_agent.domain.plan import SlotPrescription
from coach_agent.domain.units import Unit
from coach_agent.llm.comments.comment import Rejected
from coach_agent.llm.comments.cues import CueCode
from coach_agent.llm.comments.facts import fact_text, has_range
from coach_agent.llm.comments.known import Lift, Role
from coach_agent.llm.comments.messages import render

ReasonCode = Literal[
    "all_reps_done",
    "top_of_range",
    "add_reps",
    "repeat",
    "fell_short",
    "lighter",
    "easy_day",
    "check_in",
    "fits_time",
    "flat",
    "stands_in",
]
"""Reason for an exercise's targets; each is validated before it is shown."""

LONGEST_NOTE = 200
"""Characters that a lifter reads for an exercise in the gym."""


@dataclass(frozen=True)
class Note:
    """A rendered note, None if nothing is shown, and the rejected codes."""

    text: str | None
    rejected: tuple[Rejected, ...] = ()


def true_reasons(slot: SlotPrescription, lift: Lift) -> tuple[str, ...]:
    """Return the codes of the reasons that are true of an exercise."""
    return tuple(code for code, holds in _HOLDS.items() if holds(slot, lift))


def note_of(
    slot: SlotPrescription,
    lift: Lift,
    unit: Unit,
    language: str,
    *,
    reason: ReasonCode | None,
    cues: Sequence[CueCode],
    facts: Sequence[Role],
) -> Note:
    """Build the note of an exercise: the reason, then cues, then facts, up to the maximum
    length.
    """
    parts: list[str] = []
    rejected: list[Rejected] = []

    def tell(text: str | None, code: str, why: Literal["claim", "cue", "fact"]) -> None:
        if text is None:
            rejected.append(Rejected(why, code))
        elif len(" ".join((*parts, text))) > LONGEST_NOTE:
            rejected.append(Rejected("too_long", code))
        elif text not in parts:
            parts.append(text)

    if reason is not None:
        is_true = _HOLDS[reason](slot, lift)
        tell(_reason(reason, lift, language) if is_true else None, f"reason {reason}", "claim")
    for cue in cues:
        fits = cue in lift.cues
        text = render(language, f"cue-{cue.replace('_', '-')}") if fits else None
        tell(text, f"cue {cue}", "cue")
    for role in facts:
        fact = fact_text(role, lift, unit, language)
        tell(fact, f"fact {role}", "fact")
    return Note(" ".join(parts) or None, tuple(rejected))


def _reason(reason: ReasonCode, lift: Lift, language: str) -> str:
    message = f"reason-{reason.replace('_', '-')}"
    if reason == "stands_in":
        return render(language, message, title=lift.replaces or "")
    return render(language, message)


def _took(*rules: str) -> Callable[[SlotPrescription, Lift], bool]:
    def check(slot: SlotPrescription, lift: Lift) -> bool:
        return any(each.rule.startswith(rules) and not each.is_remark for each in slot.adjustments)

    return check


_HOLDS: Mapping[ReasonCode, Callable[[SlotPrescription, Lift], bool]] = {
    "all_reps_done": lambda slot, lift: lift.hit_goals is True,
    "top_of_range": lambda slot, lift: lift.hit_goals is True and has_range(lift),
    "add_reps": lambda slot, lift: lift.direction("load") == 0 and lift.direction("reps") == 1,
    "repeat": lambda slot, lift: lift.direction("any") == 0,
    "fell_short": lambda slot, lift: lift.hit_targets is False,
    "lighter": lambda slot, lift: lift.direction("load") == -1,
    "easy_day": lambda slot, lift: lift.is_easy,
    "check_in": _took("pain_", "readiness_low", "readiness_very_low"),
    "fits_time": _took("time_cap"),
    "flat": lambda slot, lift: lift.is_stalled,
    "stands_in": lambda slot, lift: lift.replaces is not None,
}
