"""The coach: from an athlete's situation to the plan of the next workout."""

import hashlib

from coach_agent.context import RoutineContext
from coach_agent.decision import Decision
from coach_agent.guardrails import GuardrailError, violations
from coach_agent.pain import Pain
from coach_agent.plan import Plan
from coach_agent.profile import AthleteProfile
from coach_agent.progression.circumstances import (
    Circumstances,
    DeloadReason,
    reactive_deload,
    readiness_of,
)
from coach_agent.progression.engine import prescribe, settled
from coach_agent.rotation import managed, next_routine
from coach_agent.season import phase_on
from coach_agent.situation import Situation
from coach_agent.values import canonical_json


def decide(situation: Situation, profile: AthleteProfile) -> Decision | None:
    """The next workout of an athlete; None if there is no routine to train.

    Raises:
        GuardrailError: the plan breaks its limits, which is a fault of the engine.
        ProfileError: the profile names a routine that is not there.
    """
    routine = next_routine(situation.routines, profile, situation.trained, situation.today)
    if routine is None:
        return None
    rules = profile.rules_for(slot.exercise_title for slot in routine.slots)
    circumstances = circumstances_of(situation, profile)
    given = settled(profile.id, routine, rules, circumstances, situation.today)
    prescribed = prescribe(given)
    plan = _for_hevy(prescribed, routine)
    if found := violations(plan, routine, profile):
        raise GuardrailError(found)
    input_json = canonical_json(given)
    identity = _sha256(input_json + plan.rule_version.encode())[:16]
    return Decision(
        decision_id=f"dec_{identity}",
        input_json=input_json.decode(),
        input_sha256=_sha256(input_json),
        plan=plan,
        plan_id=f"plan_{identity}",
        output_sha256=_sha256(prescribed.to_json()),
        rule_version=plan.rule_version,
    )


def circumstances_of(situation: Situation, profile: AthleteProfile) -> Circumstances:
    """What of the athlete's situation a decision takes into account."""
    day = phase_on(profile.season, situation.today)
    latest = situation.latest_check_in
    said = () if latest is None else latest.pain
    minutes = [profile.session_minutes, None if latest is None else latest.minutes]
    return Circumstances(
        deload=_deload(situation, profile, is_planned=day.is_deload, is_taper=day.is_taper),
        is_taper=day.is_taper,
        readiness=readiness_of(None if latest is None else latest.readiness),
        minutes=min((each for each in minutes if each is not None), default=None),
        pains=(*said, *(Pain(part=part, level=level) for part, level in profile.pain.items())),
        deloaded_titles=() if latest is None else latest.deload_titles,
        avoided_titles=profile.avoid,
    )


def _deload(
    situation: Situation, profile: AthleteProfile, *, is_planned: bool, is_taper: bool
) -> DeloadReason | None:
    latest = situation.latest_check_in
    if latest is not None and latest.deload_all:
        return "asked"
    if is_planned:
        return "calendar"
    if is_taper or profile.season.deload_mode not in {"reactive", "both"}:
        return None
    slots = [slot for each in managed(situation.routines, profile) for slot in each.slots]
    return reactive_deload(
        situation.today,
        slots,
        [slot.exercise_title for slot in slots if slot.trend.verdict == "stalled"],
        [each.readiness for each in situation.check_ins if each.readiness is not None],
        situation.last_deload,
    )


def _for_hevy(plan: Plan, routine: RoutineContext) -> Plan:
    """The plan with what Hevy's routine holds now, and the notes of what it lacks."""
    slots = tuple(
        prescribed.model_copy(
            update={
                "sets_in_hevy": slot.sets_in_hevy,
                "notes": slot.notes if slot.sets_in_hevy == 0 or not prescribed.sets else None,
            }
        )
        for prescribed, slot in zip(plan.slots, routine.slots, strict=True)
    )
    return plan.model_copy(update={"slots": slots})


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
