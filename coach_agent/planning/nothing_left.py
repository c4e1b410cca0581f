"""The text for a day on which no exercise of any routine is left."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from coach_agent.domain.constants.recovery import PAIN_DROP_FROM
from coach_agent.domain.context import SlotContext
from coach_agent.domain.pain import part_name, worst_pain
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.limits.conditions import Circumstances
from coach_agent.language.messages import join_alternatives, join_words, name_of, phrase
from coach_agent.planning.decide import circumstances_of, trainable_titles
from coach_agent.planning.rotation import managed_routines
from coach_agent.profile.equipment import equipment_kind
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation

Cause = Literal["avoided", "equipment", "pain", "day"]


def nothing_left_text(situation: Situation, profile: AthleteProfile) -> str:
    """Return the reasons for which the exercises are left out, and the exercises that are usually
    fine, in the current language.
    """
    circumstances = circumstances_of(situation, profile)
    routines = managed_routines(situation.routines, profile)
    slots = [slot for routine in routines for slot in routine.slots]
    titles: defaultdict[Cause, list[str]] = defaultdict(list)
    names: defaultdict[Cause, list[str]] = defaultdict(list)
    for slot in slots:
        cause, name = _cause_of(slot, circumstances)
        titles[cause].append(slot.exercise_title)
        names[cause].append(name)
    texts = [
        _reason(cause, titles[cause], names[cause], is_all=len(titles) == 1) for cause in titles
    ]
    if "pain" in titles:
        texts.append(phrase("nothing-left-advice"))
        if fine := trainable_titles(circumstances):
            texts.append(phrase("nothing-left-but", exercises=join_words(fine)))
        texts.append(phrase("nothing-left-better"))
    return phrase("nothing-left", reasons=" ".join(texts))


def _cause_of(slot: SlotContext, circumstances: Circumstances) -> tuple[Cause, str]:
    """Return the cause for which an exercise is left out, with the part or equipment."""
    avoided = {normalize_title(title) for title in circumstances.avoided_titles}
    if normalize_title(slot.exercise_title) in avoided:
        return "avoided", ""
    kind = equipment_kind(slot.exercise_title, slot.equipment, slot.exercise_type)
    if kind in circumstances.lacks:
        return "equipment", name_of("equipment", kind)
    pain = worst_pain(circumstances.pains, slot)
    if pain is not None and pain.is_at_least(PAIN_DROP_FROM.value):
        return "pain", part_name(pain.part)
    return "day", ""


def _reason(cause: Cause, titles: Sequence[str], names: Sequence[str], *, is_all: bool) -> str:
    named = join_alternatives(dict.fromkeys(names))
    if is_all:
        return phrase(f"nothing-left-all-{cause}", parts=named, kinds=named)
    exercises = join_words(dict.fromkeys(titles))
    return phrase(f"nothing-left-{cause}", exercises=exercises, parts=named, kinds=named)
