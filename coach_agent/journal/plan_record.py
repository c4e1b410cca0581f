"""The record of a plan: the data to rebuild it, and a hash of all rows about it.

A decision's input determines the engine's output. The plan also depends on the content of the
routine, the guardrails on the whole situation, and the plan of a language model on its windows and
answer. So the situation is stored with each plan, and replaced when the plan is updated.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Any

import duckdb

from coach_agent.domain.plan import Plan
from coach_agent.engine.explain.plan_texts import reasons
from coach_agent.language.messages import in_language
from coach_agent.planning.decision import Decision
from coach_agent.store.sealed_rows import Row, rows_of, rows_sha256

# Columns that the first format of the seal did not cover.
_UNSEALED_AT_FIRST = frozenset({"created_at", "decided_at", "run_id"})
_WHOLE = "2."
"""Prefix of a seal over all columns; seals without it have the first format."""


@dataclass(frozen=True)
class DecisionRows:
    """The rows of a new decision: its own, those of its plan, sets and record.

    `record` is None for a decision without its situation.
    """

    decided: dict[str, Any]
    plan: dict[str, Any]
    sets: list[dict[str, Any]]
    record: dict[str, Any] | None

    @property
    def plan_id(self) -> str:
        """The id of the plan."""
        return str(self.plan["plan_id"])


def decision_rows(decision: Decision, moment: datetime, run_id: str) -> DecisionRows:
    """Build the rows of a decision at a time without a zone."""
    decided = {**_decision_row(decision), "decided_at": moment, "run_id": run_id}
    plan = {**plan_row(decision), "created_at": moment}
    sets = set_rows(decision.plan_id, decision.plan)
    record = None
    if decision.situation is not None:
        made_from = {
            "plan_id": decision.plan_id,
            "decision_id": decision.decision_id,
            "athlete_id": decision.plan.athlete_id,
            "recorded_at": moment,
            "situation": decision.situation.model_dump_json(),
            "engine_decision_id": decision.engine_decision_id,
            "wishes": decision.wishes_json,
        }
        record = with_seal(made_from, decided, plan, sets)
    return DecisionRows(decided, plan, sets, record)


def _decision_row(decision: Decision) -> dict[str, Any]:
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
    """Build the row of `coach.plans`, without its time."""
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
    """Build the rows of `coach.plan_sets`, in the order of exercises and sets."""
    with in_language(plan.language):
        return _set_rows(plan_id, plan)


def _set_rows(plan_id: str, plan: Plan) -> list[dict[str, Any]]:
    rows = []
    for index, slot in enumerate(each for each in plan.slots if each.sets):
        reason = " ".join(reasons(slot, plan.load_unit))
        rows += [
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
                "reason": reason,
                "is_easy": slot.is_easy,
                "predicted_reps": prediction and prediction.reps,
                "predicted_reps_low": prediction and prediction.reps and prediction.low,
                "predicted_reps_high": prediction and prediction.reps and prediction.high,
                "success_probability": prediction and prediction.p_success,
            }
            for target, prediction in zip_longest(slot.sets, slot.predictions)
        ]
    return rows


def stored_rows(
    con: duckdb.DuckDBPyConnection, decision_id: str, plan_id: str
) -> tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]:
    """Return the rows of an existing decision, its plan and the plan's sets."""
    [decided] = rows_of(con, "coach.decisions where decision_id = $1", decision_id)
    [plan] = rows_of(con, "coach.plans where plan_id = $1", plan_id)
    sets = "coach.plan_sets where plan_id = $1 order by exercise_index, set_index"
    return decided, plan, rows_of(con, sets, plan_id)


def with_seal(record: Row, decided: Row, plan: Row, sets: Sequence[Row]) -> dict[str, Any]:
    """Return a row of `coach.plan_records` with the hash over it and the other stored rows."""
    return {**record, "sha256": seal(record, decided, plan, sets)}


def has_seal(record: Row, decided: Row, plan: Row, sets: Sequence[Row]) -> bool:
    """Return whether a record has the hash over the stored rows."""
    if record["sha256"].startswith(_WHOLE):
        return bool(record["sha256"] == seal(record, decided, plan, sets))
    return bool(record["sha256"] == _first_seal(record, plan, sets))


def seal(record: Row, decided: Row, plan: Row, sets: Sequence[Row]) -> str:
    """Return the hash over all columns of a record, its decision, its plan and the plan's sets."""
    made_from = {name: value for name, value in record.items() if name != "sha256"}
    return _WHOLE + rows_sha256([made_from, decided, plan, *sets])


def _first_seal(record: Row, plan: Row, sets: Sequence[Row]) -> str:
    made_from = {name: record[name] for name in ("situation", "engine_decision_id", "wishes")}
    sealed = {
        "made_from": made_from,
        "plan": _sealed(plan),
        "sets": [_sealed(each) for each in sets],
    }
    text = json.dumps(sealed, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _sealed(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _UNSEALED_AT_FIRST}
