"""The coach's decision: which routine comes next, and every set of it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from coach_agent.context import RoutineContext, TrainedRoutine
from coach_agent.guardrails import GuardrailError, violations
from coach_agent.plan import Plan
from coach_agent.profile import AthleteProfile
from coach_agent.progression.engine import prescribe, settled
from coach_agent.rotation import next_routine
from coach_agent.values import canonical_json


@dataclass(frozen=True)
class Decision:
    """A plan with what it was decided from.

    `input_json` is the engine's input as canonical JSON: with `rule_version` it determines the
    plan, byte for byte. The ids follow from these two, so the same decision has the same ids, also
    after its plan has been written into the routine.
    """

    decision_id: str
    input_json: str
    input_sha256: str
    plan: Plan
    plan_id: str
    output_sha256: str
    rule_version: str


def decide(
    routines: Sequence[RoutineContext],
    profile: AthleteProfile,
    trained: Sequence[TrainedRoutine],
    today: date,
) -> Decision | None:
    """The next workout of an athlete; None if there is no routine to train.

    `trained` has the latest workouts, oldest first; `today` is the athlete's.

    Raises:
        GuardrailError: the plan breaks its limits, which is a fault of the engine.
        ProfileError: the profile names a routine that is not there.
    """
    routine = next_routine(routines, profile, trained, today)
    if routine is None:
        return None
    rules = profile.rules_for(slot.exercise_title for slot in routine.slots)
    given = settled(profile.id, routine, rules)
    plan = prescribe(given)
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
        output_sha256=_sha256(plan.to_json()),
        rule_version=plan.rule_version,
    )


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
