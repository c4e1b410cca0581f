"""A decision of the coach: a plan, with what it was made from."""

from dataclasses import dataclass

from coach_agent.plan import Plan


@dataclass(frozen=True)
class Decision:
    """A plan with what it was decided from.

    `input_json` is the engine's input as canonical JSON: with `rule_version` it determines the
    engine's output, byte for byte; the plan is that output with what Hevy's routine lacks now and
    the athlete's notes of it. The ids follow from these two, so the same decision has the same
    ids, also after its plan has been written into the routine.
    """

    decision_id: str
    input_json: str
    input_sha256: str
    plan: Plan
    plan_id: str
    output_sha256: str
    rule_version: str
