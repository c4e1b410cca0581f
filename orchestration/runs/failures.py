"""Extract the failures of a run from its events, from any source."""

from collections.abc import Iterable

import dagster as dg

from orchestration.runs.status import CheckOutcome


def failed_checks(events: Iterable[dg.DagsterEvent]) -> tuple[CheckOutcome, ...]:
    """Return the failed checks in execution order."""
    evaluations = [
        event.asset_check_evaluation_data
        for event in events
        if event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION
    ]
    return tuple(
        CheckOutcome(
            asset=check.asset_key.to_user_string(),
            check=check.check_name,
            is_error=check.severity == dg.AssetCheckSeverity.ERROR,
            description=check.description or "",
        )
        for check in evaluations
        if not check.passed
    )


def failed_steps(events: Iterable[dg.DagsterEvent]) -> dict[str, str]:
    """Return the reason by failed step, except steps failed by their own check."""
    return {
        event.step_key or "": _failure_text(event)
        for event in events
        if event.is_step_failure and not _is_a_failed_check(event)
    }


def _is_a_failed_check(event: dg.DagsterEvent) -> bool:
    """Return true if a step failed by its own blocking check."""
    error = event.step_failure_data.error
    return error is not None and error.cls_name == "DagsterAssetCheckFailedError"


def _failure_text(event: dg.DagsterEvent) -> str:
    """Return the message of the error that Dagster's own errors wrap."""
    data = event.step_failure_data
    if data.user_failure_data is not None and data.user_failure_data.description:
        return data.user_failure_data.description
    error = data.error
    while error is not None and error.cause and (error.cls_name or "").startswith("Dagster"):
        error = error.cause
    if error is None:
        return "no reason was recorded"
    if error.cls_name == "DagsterExecutionInterruptedError":
        return "It was asked to end before it was done. What it did is kept."
    _, is_named, told = error.message.partition(f"{error.cls_name}: ")
    return (told if is_named else error.message).strip()
