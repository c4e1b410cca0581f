"""What came of planning a night, athlete by athlete, as the asset of the plans tells it."""

import logging
from dataclasses import dataclass, field

from dagster import MarkdownMetadataValue, MetadataValue

from coach_agent.domain.model_calls import CallRecord
from coach_agent.planning.guardrails import GuardrailError
from coach_agent.profile.model import AthleteProfile, ProfileError
from orchestration.services.llm_batch import Case, Consultation
from orchestration.services.plan import Decided
from orchestration.services.refine import Refinement
from orchestration.text.wording import plan_markdown

SHOWN_ATHLETES = 50
"""Of more, a materialization would be a book that nobody opens."""


@dataclass
class PlanningOutcome:
    """What is known so far; lists of sentences, and by athlete what was planned, asked and failed.

    `planned` have a plan, `shown` are the first of them, whose plans are in `plans` as text; that
    of `new_plans` is new.
    `broken` plans broke their limits, `unusable` profiles speak of a routine that is not there,
    `unknown` is what else they speak of and is not there, `silent` are models without an answer.
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
        """Whose plans and progress a materialization shows."""
        return self.planned[:SHOWN_ATHLETES]

    def case_of(self, decided: Decided, log: logging.Logger) -> Case | None:
        """Whom models may be asked about; None after an error, which is kept."""
        athlete_id, error = decided.profile.id, decided.error
        self.unknown += decided.unknown
        if isinstance(error, GuardrailError):
            self.broken.append(f"{athlete_id}: {error}")
        elif isinstance(error, ProfileError):
            self.unusable.append(f"{athlete_id}: {error}")
        elif error is not None or decided.situation is None:
            # Whatever it is, it is this athlete's: the others get their plans.
            log.error("No plan for %s", athlete_id, exc_info=error)
            self.failed[athlete_id] = f"{type(error).__name__}: {error}"
        else:
            self.new_plans |= {athlete_id} if decided.is_new else set()
            return Case(decided.profile, decided.situation, decided.decision)
        return None

    def add(self, case: Case, consultation: Consultation, log: logging.Logger) -> None:
        """Keep what came of an athlete's questions, and the plan that stands after them."""
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
