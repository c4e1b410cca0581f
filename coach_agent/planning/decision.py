"""A decision of the coach: a plan with its inputs."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from coach_agent.domain.plan import Plan

if TYPE_CHECKING:
    from coach_agent.situation.situation import Situation


@dataclass(frozen=True)
class Decision:
    """A plan with the inputs of its decision.

    `input_json` is the engine's input as canonical JSON: with `rule_version` it determines the
    engine's output, byte for byte; the plan is that output with the differences to Hevy's routine
    and the athlete's notes from it. The ids are hashes of these two, so the same decision has the
    same ids, also after its plan has been written into the routine.

    `output_json` is the engine's output itself, `profile_json` a snapshot of the profile.
    `prompt_version`, `model` and `seed` are those of a language model that chose within the
    engine's limits; None without one. `engine_decision_id` is then the engine's own decision, and
    `wishes_json` the athlete's settings of what a model may read and change.

    `situation` is the coach's input: plan and guardrails are rebuilt from it.
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
    engine_decision_id: str | None = None
    wishes_json: str | None = None
    situation: "Situation | None" = field(default=None, compare=False, repr=False)
