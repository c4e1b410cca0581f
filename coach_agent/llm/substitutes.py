"""Substitutes for an exercise of a routine: exercises that the athlete has trained or
configured.
"""

from collections.abc import Iterator

from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.pain import may_replace
from coach_agent.domain.plan import Place, Plan
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.engine import EngineInput, build_input, prescribe
from coach_agent.engine.limits.conditions import Circumstances
from coach_agent.engine.models.select import Group, working_sets
from coach_agent.language.messages import in_language
from coach_agent.llm.choices import Option
from coach_agent.profile.equipment import equipment_kind
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation

MOST_SUBSTITUTES = 2
"""Maximum per exercise: a sufficient choice, and a prompt is paid by its length."""


def substitutes(
    own: Option,
    plan: Plan,
    situation: Situation,
    profile: AthleteProfile,
    engine_input: EngineInput,
) -> tuple[Option, ...]:
    """Return the allowed substitutes of an exercise, with the engine's own numbers for them.

    These are the ones in the athlete's profile and, in case of pain, avoidance or a stall, another
    exercise for the same muscle group. Each is in a routine of the athlete, so the gym has it and
    its history determines its loads; none is avoided, hurts, or is in this routine.
    """
    same = [each for each in plan.slots if _id(each) == _id(own.slot)]
    # An exercise that is left out frees its time for the others, if time is short.
    has_no_time = not own.proposal.sets and engine_input.circumstances.minutes is not None
    if own.slot.superset_id is not None or len(same) > 1 or has_no_time:
        return ()
    found: list[Option] = []
    for slot in _candidates(own, plan, situation, profile, engine_input.circumstances):
        if len(found) == MOST_SUBSTITUTES:
            break
        option = _option(slot, own, situation, profile, engine_input)
        if option is not None:
            found.append(option)
    return tuple(found)


def _id(place: Place) -> str:
    return place.exercise_template_id


def _candidates(
    own: Option,
    plan: Plan,
    situation: Situation,
    profile: AthleteProfile,
    circumstances: Circumstances,
) -> Iterator[SlotContext]:
    """Yield known exercises, those in the profile first, then those trained last."""
    named = [
        normalize_title(each) for each in profile.preferences.swap.get(own.slot.exercise_title, ())
    ]
    here = {slot.exercise_template_id for slot in plan.slots}
    avoided = {normalize_title(each) for each in circumstances.avoided_titles}
    has_reason = _has_reason(own)
    known: dict[str, SlotContext] = {}
    for routine in situation.routines:
        for slot in (*routine.slots, *routine.left_out):
            if slot.exercise_template_id not in here and slot.exposures and slot.planned_sets:
                known.setdefault(slot.exercise_template_id, slot)
    fitting = []
    for slot in known.values():
        title = normalize_title(slot.exercise_title)
        kind = equipment_kind(slot.exercise_title, slot.equipment, slot.exercise_type)
        hurts = not may_replace(circumstances.pains, slot) or kind in circumstances.lacks
        is_alike = (
            has_reason
            and slot.primary_muscle_group is not None
            and slot.primary_muscle_group == own.slot.primary_muscle_group
        )
        if title not in avoided and not hurts and (title in named or is_alike):
            rank = named.index(title) if title in named else len(named)
            fitting.append((rank, -slot.exposures[0].started_at.timestamp(), title, slot))
    yield from (slot for *_, slot in sorted(fitting, key=lambda each: each[:3]))


def _has_reason(own: Option) -> bool:
    rules = {each.rule for each in own.proposal.adjustments if not each.is_remark}
    is_stalled = own.proposal.stall is not None and not own.proposal.is_easy
    return is_stalled or any(each == "avoided" or each.startswith("pain_") for each in rules)


def _option(
    slot: SlotContext,
    own: Option,
    situation: Situation,
    profile: AthleteProfile,
    engine_input: EngineInput,
) -> Option | None:
    """Return the exercise in that place as the engine decides it today; None if no set is left."""
    count = len(working_sets(own.slot.planned_sets))
    stand_in = slot.model_copy(
        update={
            "exercise_index": own.slot.exercise_index,
            "occurrence": 1,
            "superset_id": None,
            "rest_s": own.slot.rest_s,
            "planned_sets": _first_working(slot, count),
            "types_in_hevy": None,
            "notes": None,
        }
    )
    routine = RoutineContext(
        routine_id=engine_input.routine_id,
        title=engine_input.routine_title,
        sha256="",
        slots=(stand_in,),
    )
    rules = profile.rules_for([stand_in.exercise_title])
    circumstances = engine_input.circumstances.model_copy(update={"minutes": None})
    with in_language(engine_input.language):
        decided = build_input(
            *(profile.id, routine, rules, circumstances, engine_input.background),
            *(situation.today, profile.timezone),
        )
    prescribed = prescribe(decided).slots[0]
    if not prescribed.sets:
        return None
    return Option(
        # The routine holds none of its sets, so they are written like those of a returning
        # exercise.
        prescribed.model_copy(update={"replaces": own.proposal.place, "types_in_hevy": ()}),
        stand_in,
        decided.slots[0],
        rules,
        engine_input.background,
    )


def _first_working(slot: SlotContext, count: int) -> Group:
    """Return the exercise's own sets with no more work than the place has."""
    working = working_sets(slot.planned_sets)
    if len(working) <= max(1, count):
        return slot.planned_sets
    last = working[max(1, count) - 1].set_index
    return tuple(each for each in slot.planned_sets if each.set_index <= last)
