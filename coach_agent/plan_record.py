"""The record of a plan: what it is rebuilt from, and a hash of all rows that tell of it.

A decision's input determines what the engine returns. The plan also depends on what the routine
holds, the guardrails on the whole situation, and the plan of a language model on its windows and
answer. So the situation is stored with each plan, and replaced when the plan is brought up to date.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Any

from coach_agent.decision import Decision
from coach_agent.plan import Plan
from coach_agent.plan_texts import reasons

TABLE = """
create table if not exists coach.plan_records (
    plan_id varchar primary key,
    decision_id varchar not null,
    athlete_id varchar not null,
    recorded_at timestamp not null,
    situation json not null,
    engine_decision_id varchar,
    wishes json,
    sha256 varchar not null
)
"""

Row = Mapping[str, Any]

# When a row was written, and by which run, is no part of what is rebuilt.
UNSEALED = frozenset({"created_at", "decided_at", "run_id"})


def decision_row(decision: Decision) -> dict[str, Any]:
    """The row of `coach.decisions`, without moment and run."""
    return {
        "decision_id": decision.decision_id,
        "athlete_id": decision.plan.athlete_id,
        "routine_id": decision.plan.routine_id,
        "rule_version": decision.rule_version,
        "input_sha256": decision.input_sha256,
        "input": decision.input_json,
        "output_sha256": decision.output_sha256,
        "output": decision.output_json,
        "profile_sha256": decision.profile_sha256,
        "profile": decision.profile_json,
        "prompt_version": decision.prompt_version,
        "model": decision.model,
        "seed": decision.seed,
    }


def plan_row(decision: Decision) -> dict[str, Any]:
    """The row of `coach.plans`, without its moment."""
    plan = decision.plan
    return {
        "plan_id": decision.plan_id,
        "decision_id": decision.decision_id,
        "athlete_id": plan.athlete_id,
        "routine_id": plan.routine_id,
        "routine_title": plan.routine_title,
        "decided_by": plan.decided_by,
        "summary": plan.summary,
        "plan": plan.to_json().decode(),
        "deload": plan.deload,
    }


def set_rows(plan_id: str, plan: Plan) -> list[dict[str, Any]]:
    """The rows of `coach.plan_sets`, in the order of exercises and sets."""
    return [
        {
            "plan_id": plan_id,
            "athlete_id": plan.athlete_id,
            "exercise_index": index,
            "set_index": target.set_index,
            "exercise_template_id": slot.exercise_template_id,
            "exercise_title": slot.exercise_title,
            "set_type": target.set_type,
            "weight_kg": target.weight_kg,
            "reps": target.reps,
            "rep_range_start": target.rep_range_start,
            "rep_range_end": target.rep_range_end,
            "duration_s": target.duration_s,
            "distance_m": target.distance_m,
            "custom_metric": target.custom_metric,
            "rule": slot.rule,
            "reason": " ".join(reasons(slot, plan.load_unit)),
            "is_easy": slot.is_easy,
            "predicted_reps": prediction and prediction.reps,
            "predicted_reps_low": prediction and prediction.reps and prediction.low,
            "predicted_reps_high": prediction and prediction.reps and prediction.high,
            "success_probability": prediction and prediction.p_success,
        }
        for index, slot in enumerate(each for each in plan.slots if each.sets)
        for target, prediction in zip_longest(slot.sets, slot.predictions)
    ]


def record_row(decision: Decision, moment: datetime) -> dict[str, Any] | None:
    """The row of `coach.plan_records`; None of a decision without its situation."""
    if decision.situation is None:
        return None
    made_from = {
        "situation": decision.situation.model_dump_json(),
        "engine_decision_id": decision.engine_decision_id,
        "wishes": decision.wishes_json,
    }
    return {
        "plan_id": decision.plan_id,
        "decision_id": decision.decision_id,
        "athlete_id": decision.plan.athlete_id,
        "recorded_at": moment,
        **made_from,
        "sha256": seal(made_from, plan_row(decision), set_rows(decision.plan_id, decision.plan)),
    }


def seal(record: Row, plan: Row, sets: Sequence[Row]) -> str:
    """The hash over a record, the row of its plan and those of its sets, as they are stored."""
    made_from = {name: record[name] for name in ("situation", "engine_decision_id", "wishes")}
    sealed = {
        "made_from": made_from,
        "plan": _sealed(plan),
        "sets": [_sealed(each) for each in sets],
    }
    text = json.dumps(sealed, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _sealed(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in UNSEALED}
