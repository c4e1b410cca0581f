"""`spotter migrate`: move the warehouse between a file and a lake."""

from typing import Annotated

import typer

from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.config.settings import choose_target, load_settings
from orchestration.services.operations.move_warehouse import MigrationResult, Target, copy_warehouse


def migrate_warehouse(
    to: Annotated[Target, typer.Option(help="Target of the warehouse.")],
    as_json: AsJson = False,
) -> None:
    """Move the warehouse into a lake or a file.

    Row counts and hashes of all tables are compared; if they are equal, .env is set to the new
    target. The source stays unchanged. Run the command again if it was killed. Stop Dagster before
    and start it afterwards. docs/scaling.md lists the requirements of a lake.
    """
    with terminal.step_progress("migrate", is_quiet=as_json) as on_step:
        moved = copy_warehouse(load_settings(), to, on_step)
    is_chosen = choose_target(to)
    if as_json:
        print(_Report(is_chosen=is_chosen, **dict(moved)).model_dump_json(indent=2))
        return
    verb = "already existed" if moved.was_there else "copied"
    terminal.console.print(
        f"{len(moved.tables)} tables with {moved.rows} rows are equal in {moved.source} and "
        f"{moved.destination} ({verb}).",
        soft_wrap=True,
    )
    if is_chosen:
        terminal.console.print(f"SPOTTER_TARGET is {to} now. Then: spotter doctor")
    else:
        terminal.show_warning(f"The environment sets another target: set SPOTTER_TARGET={to}")


class _Report(MigrationResult):
    """The migration result; `is_chosen` if the settings use the copy now."""

    is_chosen: bool
