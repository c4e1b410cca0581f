"""Helpers shared by the coach's assets."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dagster as dg

from orchestration.assets.documentation import documentation_links
from orchestration.assets.pools import writer_pool
from orchestration.runs.tags import exclusion_tags


def coach_asset(
    key: dg.AssetKey, deps: Sequence[dg.AssetKey], checks: Mapping[str, str], page: str = "coach.md"
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """Return the decorator of a coach asset; `checks` maps check names to descriptions.

    `page` is its page of the documentation.
    """
    return dg.asset(
        key=key,
        group_name="coach",
        deps=deps,
        kinds={"python", "duckdb"},
        owners=["team:coach"],
        code_version="1",
        metadata=documentation_links(page),
        pool=writer_pool(),
        check_specs=[
            dg.AssetCheckSpec(name, asset=key, description=text) for name, text in checks.items()
        ],
    )


def format_by_athlete(told: Mapping[str, str]) -> list[str]:
    """Format messages by athlete id, one line each."""
    return [f"{athlete}: {text}" for athlete, text in told.items()]


def record_exclusions(context: dg.AssetExecutionContext, reasons: Mapping[str, str]) -> None:
    """Tag the run with the athletes that this step excluded; `missed_runs` retries them."""
    if tags := exclusion_tags("__".join(context.asset_key.path), reasons):
        context.instance.add_run_tags(context.run.run_id, tags)


def check_result(
    check: str,
    problems: Sequence[str],
    *,
    some_are_fine: bool = True,
    asset_key: dg.AssetKey | None = None,
) -> dg.AssetCheckResult:
    """Return the result of a check: a warning if some athletes are fine, otherwise an error."""
    severity = dg.AssetCheckSeverity.WARN if some_are_fine else dg.AssetCheckSeverity.ERROR
    return dg.AssetCheckResult(
        asset_key=asset_key,
        check_name=check,
        passed=not problems,
        severity=severity,
        description="\n".join(problems) or "No problems found.",
    )
