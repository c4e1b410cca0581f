"""Planning result of a run by athlete, as metadata of the plan asset."""

import logging
from dataclasses import dataclass, field

from dagster import MarkdownMetadataValue, MetadataValue

from coach_agent.domain.model_calls import CallRecord
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.profile.model import AthleteProfile, ProfileError
from orchestration.services.planning.llm_batch import ModelResult
from orchestration.services.planning.plan import DecisionResult
from orchestration.services.planning.refine import Refinement
from orchestration.text.wording import plan_markdown

SHOWN_ATHLETES = 50
"""Limit of the metadata in a materialization."""


@dataclass
class PlanningOutcome:
    """Result so far: lists of messages, and by athlete plans, requests and failures.

    `planned` athletes have a plan; `plans` has the text of the first ones, `shown`; `new_plans` are
    new. `broken` plans violate their limits, `unusable` profiles name a missing routine, `unknown`
    are other missing names in profiles, `silent` are models without an answer.
    """

    planned: list[AthleteProfile] = field(default_factory=list)
    plans: dict[str, MarkdownMetadataValue] = field(default_factory=dict)
    new_plans: set[str] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    refinements: dict[str, Refinement] = field(default_factory=dict)
    records: dict[str, tuple[CallRecord, ...]] = field(default_factory=dict)

    @property
    def shown(self) -> list[AthleteProfile]:
        """Return the athletes whose plans and progress a materialization shows."""
        return self.planned[:SHOWN_ATHLETES]

    def count(self, decided: DecisionResult, log: logging.Logger) -> bool:
        """Record a decision; return whether models may be asked: not after an error."""
        athlete_id, error = decided.profile.id, decided.error
        self.unknown += decided.unknown
        if isinstance(error, GuardrailError):
            self.broken.append(f"{athlete_id}: {error}")
        elif isinstance(error, ProfileError):
            self.unusable.append(f"{athlete_id}: {error}")
        elif error is not None:
            # Any error is isolated to its athlete.
            log.error("No plan for %s", athlete_id, exc_info=error)
            self.failed[athlete_id] = f"{type(error).__name__}: {error}"
        else:
            self.new_plans |= {athlete_id} if decided.is_new else set()
            return True
        return False

    def add(self, case: DecisionResult, consultation: ModelResult, log: logging.Logger) -> None:
        """Record the result of an athlete's questions and the resulting active plan."""
        athlete_id, decision = case.profile.id, case.decision
        refinement, self.records[athlete_id] = consultation.refinement, consultation.records
        self.silent += [f"{athlete_id}: {problem}" for problem in consultation.problems]
        for fault in consultation.errors:
            log.error("No language model for %s", athlete_id, exc_info=fault)
        if refinement is not None:
            self.refinements[athlete_id], decision = refinement, refinement.decision
            self.new_plans |= {athlete_id} if refinement.is_new else set()
        if decision is not None:
            self.planned.append(case.profile)
            if len(self.planned) <= SHOWN_ATHLETES:
                told = MetadataValue.md(plan_markdown(decision.plan))
                self.plans[f"plan of {athlete_id}"] = told
