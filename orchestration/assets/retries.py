"""Retries of the runs of a partitioned night, beyond those of lost processes."""

from collections.abc import Iterator

import dagster as dg

from orchestration.config.settings import load_settings
from orchestration.storage.warehouse import is_lost_catalog

_RETRY_TAG = "dagster/retry_on_asset_or_op_failure"


@dg.failure_hook(name="retry_lost_catalog")
def retry_lost_catalog(context: dg.HookContext) -> None:
    """Let Dagster retry the run: its step lost the lake's catalog, and a repetition loses nothing.

    Dagster retries only runs with a limit of retries, which are those of a partitioned night.
    """
    if any(is_lost_catalog(text) for text in _texts(context.op_exception)):
        context.instance.add_run_tags(context.run_id, {_RETRY_TAG: "true"})


def part_hooks() -> frozenset[dg.HookDefinition]:
    """Return the hooks of the jobs that are parts of a night; none without partitions."""
    return frozenset({retry_lost_catalog} if load_settings().partitions > 1 else ())


def _texts(error: BaseException | None) -> Iterator[str]:
    """Yield the messages of an error and its causes; a step's failure has a description."""
    while error is not None:
        yield getattr(error, "description", None) or str(error)
        error = error.__cause__
