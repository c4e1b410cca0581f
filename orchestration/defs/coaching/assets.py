"""The coach: decides the next workout from the marts and publishes it to Hevy."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg

from coach_agent.coach import decide
from coach_agent.context import read_context
from coach_agent.guardrails import GuardrailError
from coach_agent.journal import clear_current_plan, record_decision
from coach_agent.profile import ProfileError
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.lib.dbt import build
from orchestration.lib.dbt_events import failures
from orchestration.lib.publication import publish_all
from orchestration.lib.settings import load_settings
from orchestration.lib.wording import changes_markdown, plan_markdown

NEXT_WORKOUT = dg.AssetKey(["coach", "next_workout"])
PUBLICATION = dg.AssetKey(["coach", "publication"])
ROUTINE_VERSIONS = "stg_hevy__routine_versions"
COACH_CONTEXT = dg.AssetKey(["marts", "coach_context"])


@dg.asset(
    key=NEXT_WORKOUT,
    group_name="coach",
    deps=[COACH_CONTEXT],
    kinds={"python", "duckdb"},
    owners=["team:coach"],
    code_version="1",
    pool="duckdb_writer",
    check_specs=[
        dg.AssetCheckSpec(
            "guardrails",
            asset=NEXT_WORKOUT,
            blocking=True,
            description="Each plan keeps to the loads, steps and structure that are allowed.",
        )
    ],
)
def next_workout(
    context: dg.AssetExecutionContext, athletes: AthletesResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """The next workout of each athlete, set by set with its reasons; one plan per athlete."""
    plans: dict[str, Any] = {}
    problems = []
    decided = new = 0
    for profile in athletes.profiles():
        with warehouse.connect() as con:
            try:
                decision = decide(read_context(con, profile.id), profile)
            except (GuardrailError, ProfileError) as error:
                problems.append(f"{profile.id}: {error}")
                decision = None
            if decision is None:
                clear_current_plan(con, profile.id)
                continue
            decided += 1
            new += record_decision(con, decision, now=datetime.now(UTC), run_id=context.run_id)
            plans[profile.id] = dg.MetadataValue.md(plan_markdown(decision.plan))
    return dg.MaterializeResult(
        metadata={"plans": decided, "new_plans": new, **plans},
        check_results=[
            dg.AssetCheckResult(
                check_name="guardrails",
                passed=not problems,
                severity=_severity(bool(decided)),
                description="\n".join(problems) or "All plans are within their limits.",
            )
        ],
    )


@dg.asset(
    key=PUBLICATION,
    group_name="coach",
    deps=[NEXT_WORKOUT],
    kinds={"python", "duckdb"},
    owners=["team:coach"],
    code_version="1",
    pool="duckdb_writer",
    check_specs=[
        dg.AssetCheckSpec(
            "read_back",
            asset=PUBLICATION,
            description="Each routine that was written reads back as the plan says.",
        )
    ],
)
def publication(
    context: dg.AssetExecutionContext, athletes: AthletesResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """The next workout in each athlete's Hevy account, or the difference that it would make.

    What was published is history at once: the marts that tell of routines are built again, so
    that they do not depend on whether a run was interrupted here.
    """
    outcomes = publish_all(
        athletes.profiles(), athletes.client, warehouse.connect, run_id=context.run_id
    )
    if any(outcome.was_sent for outcome in outcomes):
        rebuilt = build(
            Path(warehouse.path), load_settings().dbt_target, ["--select", f"{ROUTINE_VERSIONS}+"]
        )
        if broken := failures(rebuilt):
            raise dg.Failure("dbt: " + "; ".join(broken), allow_retries=False)
    problems = [
        f"{outcome.athlete_id}: {outcome.problem}" for outcome in outcomes if outcome.problem
    ]
    records = [
        dg.TableRecord(
            {
                "athlete": outcome.athlete_id,
                "routine": outcome.routine_title,
                "state": outcome.state,
                "changes": len(outcome.changes),
            }
        )
        for outcome in outcomes
    ]
    return dg.MaterializeResult(
        metadata={
            "sent": sum(outcome.was_sent for outcome in outcomes),
            **({"publications": dg.MetadataValue.table(records)} if records else {}),
            **{
                f"{outcome.athlete_id} changes": dg.MetadataValue.md(
                    changes_markdown(outcome.changes)
                )
                for outcome in outcomes
                if outcome.changes
            },
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="read_back",
                passed=not problems,
                severity=_severity(len(problems) < len(outcomes)),
                description="\n".join(problems) or "Nothing stands in the way.",
            )
        ],
    )


def _severity(some_are_fine: bool) -> dg.AssetCheckSeverity:
    """One athlete's trouble is a warning; everybody's is an error."""
    return dg.AssetCheckSeverity.WARN if some_are_fine else dg.AssetCheckSeverity.ERROR
