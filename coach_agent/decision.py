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

    `output_json` is the engine's output itself, `profile_json` what the profile said then.
    `prompt_version`, `model` and `seed` are those of a language model that chose within the
    engine's limits; None where none did.
    """

    decision_id: str
    input_json: str
    input_sha256: str
    plan: Plan
    plan_id: str
    output_sha256: str
    output_json: str
    rule_version: str
    profile_sha256: str
    profile_json: str
    prompt_version: str | None = None
    model: str | None = None
    seed: int | None = None
