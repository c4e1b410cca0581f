"""The athlete's question between two sets, and the coach's answer.

No history is needed: the inputs are the sets of today, the gym, and the day's limits.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field, StringConstraints

from coach_agent.domain.constants.history import NEXT_SET_UNKNOWN_STEP
from coach_agent.domain.constants.recovery import PAIN_DROP_FROM, PAIN_NO_INCREASE_FROM
from coach_agent.domain.context import Slot
from coach_agent.domain.pain import Pain, part_name, worst_pain
from coach_agent.domain.plan import Plan
from coach_agent.domain.red_flags import how_to_clear, red_flags_in, stop_text
from coach_agent.domain.titles import did_you_mean, normalize_title
from coach_agent.domain.units import load_text
from coach_agent.domain.values import Value
from coach_agent.engine.explain.reasons import format_set_load
from coach_agent.engine.explain.set_notation import (
    SetNotationError,
    WrittenSet,
    parse_done,
    parse_target,
)
from coach_agent.engine.limits.conditions import readiness_of
from coach_agent.engine.loads.increments import ASSISTED, WEIGHTED, customary_kg
from coach_agent.engine.loads.ladder import Ladder, ladder_for
from coach_agent.engine.next_set import NextSet, next_set
from coach_agent.language.messages import in_language, phrase
from coach_agent.profile.model import AthleteProfile, Rules
from coach_agent.store.check_ins import CheckIn

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class NextSetQuestion(Value):
    """An exercise by its title, its target and the sets done so far, oldest first.

    `athlete` is optional with a single profile, `note` is free text. `may_increase` is False on
    days with pain or low readiness.
    """

    exercise: Text
    target: Text
    done: Annotated[tuple[Text, ...], Field(min_length=1, max_length=50)]
    athlete: Text | None = None
    may_increase: bool = True
    note: Annotated[str, StringConstraints(max_length=500)] | None = None


class NextSetAnswer(NextSet):
    """The next set; `assumption` is an assumption about an unknown exercise or day.

    `load` is the load for people, in the gym's unit: `135 lb`, `bw+10 kg`, `20 kg of assistance`.
    """

    exercise: str
    load: str | None
    assumption: str | None


@dataclass(frozen=True)
class Day:
    """Limits of a day beyond the profile: a valid check-in, and the active plan.

    `unknown` is a sentence if they could not be read, `red_flags` are those not cleared yet.
    `body_kg` is the body weight that was measured lately.
    """

    said: CheckIn | None = None
    plan: Plan | None = None
    unknown: str | None = None
    red_flags: tuple[str, ...] = ()
    body_kg: float | None = None

    @property
    def pains(self) -> tuple[Pain, ...]:
        """The pains of the check-in."""
        return () if self.said is None else self.said.pain

    def forbids_increase(self, title: str) -> bool:
        """Return whether the exercise must not go up today, independent of its sets."""
        said, compared = self.said, normalize_title(title)
        if said is not None and (
            said.deload_all
            or compared in map(normalize_title, said.deload_titles)
            or readiness_of(said.readiness) is not None
        ):
            return True
        if self.plan is None:
            return False
        return self.plan.deload is not None or any(
            adjustment.forbids_increase
            for slot in self.plan.slots
            if normalize_title(slot.exercise_title) == compared
            for adjustment in slot.adjustments
        )


_ANY_DAY = Day()


@dataclass(frozen=True)
class ExerciseFacts:
    """Facts that determine the loads of an exercise and its joint load; open lists, None:
    unknown.
    """

    title: str
    exercise_type: str | None
    equipment: str | None
    primary_muscle_group: str | None
    secondary_muscle_groups: tuple[str, ...] = ()


def answer(
    question: NextSetQuestion,
    profile: AthleteProfile,
    facts_of: Callable[[str], ExerciseFacts | None],
    titles: Iterable[str] = (),
    day: Day = _ANY_DAY,
) -> NextSetAnswer:
    """Return the next set, with the loads of the athlete's gym, in their language.

    `facts_of` finds an exercise by its title, ignoring case and blanks, or returns None; the most
    similar of its `titles` is suggested for an unknown one.

    Raises:
        SetNotationError: a set cannot be parsed, or does not fit the exercise.
    """
    with in_language(profile.preferences.language):
        return _answer(question, profile, facts_of, titles, day)


def _answer(
    question: NextSetQuestion,
    profile: AthleteProfile,
    facts_of: Callable[[str], ExerciseFacts | None],
    titles: Iterable[str],
    day: Day,
) -> NextSetAnswer:
    unit = profile.gym.unit
    target = parse_target(question.target, unit)
    done = tuple(parse_done(text, unit) for text in question.done)
    title = _resolve_alias(question.exercise, profile.exercise_aliases)
    known = facts_of(title)
    slot = _slot(known or ExerciseFacts(title, None, None, None), (target, *done))
    loads = [each.load for each in (*done[::-1], target) if each.load is not None]
    rules = _rules(slot, profile, day.body_kg, is_known=known is not None)
    ladder = _ladder(slot, rules, loads[0]) if loads else None
    if ladder is not None and ladder.is_assistance:
        target, done = _as_assistance(target), tuple(_as_assistance(each) for each in done)
    assumed = [] if known is not None else [_describe_assumption(title, ladder, profile, titles)]
    if day.unknown is not None:
        assumed.append(day.unknown)
    pain = _pain(slot, profile, day)
    red_flags = (*day.red_flags, *profile.red_flags, *red_flags_in(question.note or ""))
    if red_flags:
        reason = f"{stop_text(red_flags)} {how_to_clear()}"
        decided = NextSet(action="stop", codes=("red_flag",), reason=reason)
    elif pain is not None and pain.is_at_least(PAIN_DROP_FROM.value):
        reason = phrase("next-pain-stop", part=part_name(pain.part))
        decided = NextSet(action="stop", codes=("pain_severe",), reason=reason)
    else:
        is_held = pain is not None or day.forbids_increase(slot.exercise_title)
        may_increase = question.may_increase and not is_held
        decided = next_set(target, done, ladder, may_increase=may_increase)
    weight_kg = decided.weight_kg
    return NextSetAnswer(
        **decided.model_dump(),
        exercise=slot.exercise_title,
        load=None if weight_kg is None else format_set_load(weight_kg, slot.exercise_type, unit),
        assumption=" ".join(assumed) or None,
    )


def _describe_assumption(
    title: str, ladder: Ladder | None, profile: AthleteProfile, titles: Iterable[str]
) -> str:
    """Describe the assumptions about an exercise without a catalogue entry."""
    if ladder is None:
        text = phrase("next-unknown", exercise=title)
    else:
        step = load_text(ladder.increment_kg, profile.gym.unit)
        text = phrase("next-unknown-steps", exercise=title, step=step)
    is_own = normalize_title(title) in map(normalize_title, profile.exercises)
    return text if is_own else f"{text}{did_you_mean(title, titles)}"


def _pain(slot: Slot, profile: AthleteProfile, day: Day) -> Pain | None:
    """Return the worst pain of profile or check-in that forbids an increase of the exercise."""
    pain = worst_pain((*day.pains, *profile.lasting_pains), slot)
    is_enough = pain is not None and pain.is_at_least(PAIN_NO_INCREASE_FROM.value)
    return pain if is_enough else None


def _slot(facts: ExerciseFacts, sets: Sequence[WrittenSet]) -> Slot:
    """Build the exercise; sets like "bw+10x8" turn a bodyweight one into a weighted or assisted
    one.
    """
    kind = facts.exercise_type
    is_added = any(each.is_added for each in sets)
    if is_added and kind == "weight_reps":
        raise SetNotationError(f'{facts.title} is done with a load: write sets like "100x5".')
    if is_added and kind != ASSISTED:
        kind = ASSISTED if any((each.load or 0.0) < 0 for each in sets) else WEIGHTED
    return Slot(
        exercise_index=0,
        occurrence=1,
        exercise_template_id="",
        exercise_title=facts.title,
        exercise_type=kind,
        equipment=facts.equipment,
        primary_muscle_group=facts.primary_muscle_group,
        secondary_muscle_groups=facts.secondary_muscle_groups,
    )


def _rules(slot: Slot, profile: AthleteProfile, body_kg: float | None, *, is_known: bool) -> Rules:
    """Return the rules of the exercise; a measured body weight replaces that of the profile."""
    rules = profile.rules_for([slot.exercise_title])
    if body_kg is not None:
        rules = rules.model_copy(update={"body_kg": body_kg})
    rule = rules.for_exercise(slot.exercise_title)
    if is_known or rule.increment_kg is not None:
        return rules
    step_kg = customary_kg(NEXT_SET_UNKNOWN_STEP.value, rules.equipment)
    rule = rule.model_copy(update={"increment_kg": step_kg})
    return rules.model_copy(update={"exercises": {slot.exercise_title: rule}})


def _ladder(slot: Slot, rules: Rules, load: float) -> Ladder:
    return ladder_for(slot, rules, -abs(load) if slot.exercise_type == ASSISTED else load)


def _as_assistance(written: WrittenSet) -> WrittenSet:
    """Return assistance as a negative load, also if written without a sign as in Hevy."""
    return written if written.load is None else replace(written, load=0.0 - abs(written.load))


def _resolve_alias(title: str, aliases: Mapping[str, str]) -> str:
    """Return the title of the exercise that an alias of the profile maps to."""
    meanings = {normalize_title(written): meant for written, meant in aliases.items()}
    return meanings.get(normalize_title(title), title)
