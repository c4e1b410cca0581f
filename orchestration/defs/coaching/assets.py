"""Coach assets: decide the next workout from the marts and publish it to Hevy."""

import logging
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path

import dagster as dg
import duckdb

from coach_agent.journal.current_plans import clear_current_plans
from coach_agent.llm.exchanges import forget_exchanges
from coach_agent.profile.model import AthleteProfile
from hevy_connector.raw.transactions import retry_on_conflict
from orchestration.assets.coach_assets import (
    check_result,
    coach_asset,
    format_by_athlete,
    record_exclusions,
)
from orchestration.config.settings import load_settings
from orchestration.dbt.changed_sources import build_changed
from orchestration.dbt.checks import failure_texts
from orchestration.defs.coaching.llm_metadata import llm_metadata
from orchestration.defs.resources import AthletesResource, WarehouseResource
from orchestration.defs.transform.assets import manifest
from orchestration.runs.infrastructure_errors import is_infrastructure_error
from orchestration.runs.lock import publication_lock
from orchestration.runs.processors import processor_count
from orchestration.services.language_models.llm_health import llm_problems
from orchestration.services.language_models.traces import tracing_of
from orchestration.services.operations.step_failures import describe_failures
from orchestration.services.planning.llm_batch import ask_models
from orchestration.services.planning.plan import plan_all
from orchestration.services.planning.plan_outcome import SHOWN_ATHLETES, PlanningOutcome
from orchestration.services.planning.progress import progress_markdown
from orchestration.services.publishing.publish import publish_all
from orchestration.services.releases.volume_anomaly import lost_histories
from orchestration.storage.table_metadata import table_metadata
from orchestration.text.wording import changes_markdown

NEXT_WORKOUT = dg.AssetKey(["coach", "next_workout"])
PUBLICATION = dg.AssetKey(["coach", "publication"])
ROUTINE_VERSIONS = "stg_hevy__routine_versions"
COACH_CONTEXT = dg.AssetKey(["marts", "coach_context"])


@coach_asset(
    NEXT_WORKOUT,
    deps=[COACH_CONTEXT],
    checks={
        "guardrails": "Each plan stays within the allowed loads, steps and structure; a plan that "
        "does not is discarded and cannot be published.",
        "profile": "Each profile names existing routines and exercises only.",
        "llm": "Each language model gave a valid answer. Without one, the rules' own plan is "
        "active.",
        "history": "No athlete's history lost half of its sets since the last release. An "
        "athlete with such a loss gets no plan until it is confirmed or fixed.",
        "llm_week": "Less than half of a week's requests to language models failed, and today's "
        "budget is not spent.",
        "decided": "No decision failed with an error; the log has the traceback. Failures are "
        "isolated to their athletes.",
        "progress": "A progress chart was drawn for each athlete, up to a limit.",
    },
)
@describe_failures("No workout is planned")
def next_workout(
    context: dg.AssetExecutionContext, athletes: AthletesResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """The next workout of each athlete, set by set with reasons; one row per planned set."""
    now = datetime.now(UTC)
    profiles = athletes.profiles()
    lost = _lost_histories(athletes, warehouse)
    with warehouse.connect() as con:
        retry_on_conflict(partial(clear_current_plans, con, sorted(lost)))
    whole = [profile for profile in profiles if profile.id not in lost]
    # Each partition of a lake has its own process already.
    processes = processor_count() if athletes.concurrent_partition is None else 1
    decided = plan_all(
        warehouse.connect, whole, now=now, run_id=context.run.run_id, processes=processes
    )
    outcome = PlanningOutcome()
    with closing(decided) as batches:
        for batch in batches:
            cases = [each for each in batch if outcome.count(each, context.log)]
            consulted = ask_models(
                warehouse.connect,
                cases,
                load_settings().keys,
                clock=lambda: datetime.now(UTC),
                run_id=context.run.run_id,
                tracing=partial(tracing_of, load_settings()),
            )
            for case, consultation in zip(cases, consulted, strict=True):
                outcome.add(case, consultation, context.log)
    if load_settings().keep_prompts_days == 0:
        with warehouse.connect() as con:
            forget_exchanges(con, datetime.now(UTC))
    with warehouse.connect(read_only=True) as con:
        table = table_metadata(con, "coach", "plan_sets")
        costly = llm_problems(con, profiles, datetime.now(UTC))
        progress, undrawn = draw_progress(context.log, con, outcome.shown)
    left = {athlete: f"nothing was decided: {error}" for athlete, error in outcome.failed.items()}
    record_exclusions(context, lost | left)
    some_are_planned = bool(outcome.planned)
    return dg.MaterializeResult(
        metadata={
            **table,
            "plans": len(outcome.planned),
            "new_plans": len(outcome.new_plans),
            **llm_metadata(outcome.refinements, outcome.records),
            **outcome.plans,
            **progress,
        },
        check_results=[
            check_result("guardrails", outcome.broken, some_are_fine=some_are_planned),
            check_result(
                "profile",
                [*outcome.unusable, *outcome.unknown],
                some_are_fine=some_are_planned or not outcome.unusable,
            ),
            check_result("llm", outcome.silent),
            check_result("llm_week", costly),
            check_result(
                "history",
                format_by_athlete(lost),
                some_are_fine=len(lost) < len(profiles),
            ),
            check_result(
                "decided", format_by_athlete(outcome.failed), some_are_fine=some_are_planned
            ),
            check_result("progress", format_by_athlete(undrawn)),
        ],
    )


def draw_progress(
    log: logging.Logger,
    con: duckdb.DuckDBPyConnection,
    profiles: Sequence[AthleteProfile],
) -> tuple[dict[str, dg.MarkdownMetadataValue], dict[str, str]]:
    """Return the progress charts, and the errors of those that failed: no plan depends on them."""
    drawn: dict[str, dg.MarkdownMetadataValue] = {}
    undrawn: dict[str, str] = {}
    for profile in profiles:
        try:
            told = progress_markdown(con, profile.id, profile.gym.unit)
        except Exception as error:
            if is_infrastructure_error(error):
                raise
            log.exception("The progress of %s is not drawn", profile.id)
            undrawn[profile.id] = f"{type(error).__name__}: {error}"
        else:
            drawn[f"progress of {profile.id}"] = dg.MetadataValue.md(told)
    return drawn, undrawn


def _lost_histories(athletes: AthletesResource, warehouse: WarehouseResource) -> dict[str, str]:
    accepted = athletes.accepted_deletions
    with warehouse.connect(read_only=True) as con:
        ids = [profile.id for profile in athletes.profiles() if profile.id not in accepted]
        return lost_histories(con, load_settings().release_folder, ids)


@coach_asset(
    PUBLICATION,
    deps=[NEXT_WORKOUT],
    checks={"read_back": "Each published routine reads back as planned."},
    page="publishing.md",
)
@describe_failures("Nothing is published")
def publication(
    context: dg.AssetExecutionContext, athletes: AthletesResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """The next workout in each athlete's Hevy account, or the difference; one row per publication.

    Models that depend on routines are rebuilt right away, so the result does not depend on an
    interruption here. A run for one partition leaves that to the job `release`, which does it once
    for all.
    """
    profiles = athletes.profiles()
    units = {profile.id: profile.gym.unit for profile in profiles}
    run_id = context.run.run_id
    path = Path(warehouse.path)
    with (
        publication_lock(path, f"run {run_id}", athletes.concurrent_partition),
        athletes.clients() as make_client,
    ):
        outcomes = publish_all(
            profiles,
            make_client,
            warehouse.connect,
            run_id=run_id,
            concurrency=load_settings().accounts_at_once,
            turn=athletes.turn,
        )
    if athletes.concurrent_partition is None and any(outcome.was_sent for outcome in outcomes):
        with describe_failures("The plan is in Hevy, but its history is not built"):
            rebuilt = build_changed(
                warehouse.place,
                load_settings().dbt_target,
                manifest(),
                ["--select", f"{ROUTINE_VERSIONS}+"],
            )
        if failed := failure_texts(manifest(), rebuilt):
            raise dg.Failure(
                "The plan is in Hevy, but its history is not built: " + "\n".join(failed),
                allow_retries=False,
            )
    record_exclusions(
        context,
        {
            outcome.athlete_id: f"nothing was sent: {outcome.problem}"
            for outcome in outcomes
            if outcome.problem and outcome.state is None
        },
    )
    problems = [
        f"{outcome.athlete_id}: {outcome.problem}" for outcome in outcomes if outcome.problem
    ]
    records = [
        dg.TableRecord(
            {
                "athlete": outcome.athlete_id,
                "routine": outcome.routine_title,
                "state": outcome.state or "waiting",
                "changes": len(outcome.changes),
            }
        )
        for outcome in outcomes[:SHOWN_ATHLETES]
    ]
    with warehouse.connect(read_only=True) as con:
        table = table_metadata(con, "coach", "publications")
    return dg.MaterializeResult(
        metadata={
            **table,
            "sent": sum(outcome.was_sent for outcome in outcomes),
            **({"publications": dg.MetadataValue.table(records)} if records else {}),
            **{
                f"changes for {outcome.athlete_id}": dg.MetadataValue.md(
                    changes_markdown(outcome.changes, units[outcome.athlete_id])
                )
                for outcome in islice((each for each in outcomes if each.changes), SHOWN_ATHLETES)
            },
        },
        check_results=[
            check_result("read_back", problems, some_are_fine=len(problems) < len(outcomes))
        ],
    )
