"""What the coach's assets have in common."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dagster as dg

from orchestration.assets.documentation import documented
from orchestration.assets.pools import writer_pool
from orchestration.runs.tags import left_tags


def coach_asset(
    key: dg.AssetKey, deps: Sequence[dg.AssetKey], checks: Mapping[str, str], page: str = "coach.md"
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """The decorator of an asset of the coach; `checks` says by name what holds if it passes.

    `page` of the documentation explains it.
    """
    return dg.asset(
        key=key,
        group_name="coach",
        deps=deps,
        kinds={"python", "duckdb"},
        owners=["team:coach"],
        code_version="1",
        metadata=documented(page),
        pool=writer_pool(),
        check_specs=[
            dg.AssetCheckSpec(name, asset=key, description=text) for name, text in checks.items()
        ],
    )


def of_each(told: Mapping[str, str]) -> list[str]:
    """What is told of athletes, by their id, a line each."""
    return [f"{athlete}: {text}" for athlete, text in told.items()]


def tell_left(context: dg.AssetExecutionContext, reasons: Mapping[str, str]) -> None:
    """Let the run tell whom this step left out, by athlete why: `missed_runs` makes it good."""
    if tags := left_tags("__".join(context.asset_key.path), reasons):
        context.instance.add_run_tags(context.run.run_id, tags)


def check_result(
    check: str,
    problems: Sequence[str],
    *,
    some_are_fine: bool = True,
    asset_key: dg.AssetKey | None = None,
) -> dg.AssetCheckResult:
    """What a check found: one athlete's trouble is a warning, everybody's is an error."""
    severity = dg.AssetCheckSeverity.WARN if some_are_fine else dg.AssetCheckSeverity.ERROR
    return dg.AssetCheckResult(
        asset_key=asset_key,
        check_name=check,
        passed=not problems,
        severity=severity,
        description="\n".join(problems) or "Nothing stands in the way.",
    )
