"""Dagster metadata on the language models of a run: answers, requests and cost."""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from coach_agent.domain.model_calls import CallRecord
from coach_agent.llm.chain import known_cost
from orchestration.services.planning.refine import Refinement
from orchestration.text.compare import shadow_score_texts


def llm_metadata(
    refinements: Mapping[str, Refinement],
    small: Mapping[str, Sequence[CallRecord]] | None = None,
) -> dict[str, Any]:
    """Return requests and costs of a run, by athlete; empty without requests.

    `small` are the requests of questions other than the plan. The cost is a lower bound if a
    request has no known price.
    """
    beside = [(athlete, record) for athlete, records in (small or {}).items() for record in records]
    if not refinements and not beside:
        return {}
    made = [
        (athlete, record)
        for athlete, refinement in refinements.items()
        for record in refinement.records
    ]
    requests = [
        dg.TableRecord(
            {
                "athlete": athlete,
                "call": record.name,
                "provider": record.provider,
                "model": record.model,
                "attempt": record.attempt,
                "outcome": record.outcome,
                "input tokens": _format_optional(record.input_tokens),
                "cached": _format_optional(record.cached_tokens),
                "output tokens": _format_optional(record.output_tokens),
                "cost USD": _format_optional(record.cost_usd),
                "seconds": round(record.seconds, 2),
            }
        )
        for athlete, record in (*made, *beside)
    ]
    cost = known_cost(record for _, record in (*made, *beside))
    answered = [
        f"{athlete}: {refinement.answered_by}" for athlete, refinement in refinements.items()
    ]
    standings = [
        f"{athlete}: {' '.join(shadow_score_texts(refinement.standing))}"
        for athlete, refinement in refinements.items()
        if refinement.standing is not None
    ]
    return {
        "llm_answered_by": ", ".join(answered),
        **({"llm_standing": "\n".join(standings)} if standings else {}),
        "llm_cost_usd": float(cost),
        "llm_requests": dg.MetadataValue.table(requests) if requests else 0,
    }


def _format_optional(value: object) -> str:
    return "unknown" if value is None else str(value)
