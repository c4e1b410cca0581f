"""`spotter compact`: delete expired data and shrink the warehouse."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.cli.views.terminal import damaged_history_text
from orchestration.config.settings import load_settings
from orchestration.services.operations.compaction import Compaction, compact
from orchestration.storage.home_files import DAMAGED


def compact_home(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show expired data without deleting.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Delete expired data and shrink the warehouse.

    Runs weekly by itself. Decisions, publications and requests are never deleted.
    docs/operations.md lists the retention periods.
    """
    settings = load_settings()
    with terminal.step_progress("compact", is_quiet=as_json) as on_step:
        done = compact(settings, datetime.now(UTC), on_step, is_dry_run=dry_run)
    if as_json:
        print(done.model_dump_json(indent=2))
    else:
        _show(done)


def _show(done: Compaction) -> None:
    verb = "would be removed" if done.is_dry_run else "removed"
    versions = sum(done.raw_versions.values())
    terminal.console.print(
        f"{versions} old versions of records, {done.runs} runs and {len(done.left_over)} things "
        f"left over {verb}; {done.freed_bytes / 1e6:.1f} MB of files."
    )
    before, after = done.warehouse_bytes
    if after < before:
        terminal.console.print(f"Warehouse: {before / 1e6:.1f} MB, now {after / 1e6:.1f} MB.")
    if done.lake is not None:
        terminal.console.print(
            f"Lake: {done.lake.snapshots} snapshots and {done.lake.removed_files} files {verb}, "
            f"{done.lake.merged_files} small files merged."
        )
    for path in done.put_aside:
        terminal.console.print(
            damaged_history_text(path)
            if path.name.startswith(DAMAGED)
            else f"{path} is a home replaced by a restore; remove it when all is well.",
            soft_wrap=True,
        )
