"""`spotter migrate`: the warehouse from its file into a lake, or back."""

from typing import Annotated

import typer

from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.config.settings import choose_target, load_settings
from orchestration.services.migrate import Moved, Target, move_warehouse


def migrate_warehouse(
    to: Annotated[Target, typer.Option(help="Where the warehouse is to be.")],
    as_json: AsJson = False,
) -> None:
    """Copy the warehouse into a lake or back into a file, and work with the copy from then on.

    Each table is compared by the number of its rows and their hashes; only when all are equal, .env
    names the other target. What was there stays as it was, also if this is killed: call it once
    more then. Stop Dagster before, and start it after. docs/scaling.md tells what a lake needs.
    """
    with terminal.step_progress("migrate", is_quiet=as_json) as on_step:
        moved = move_warehouse(load_settings(), to, on_step)
    is_chosen = choose_target(to)
    if as_json:
        print(_Report(is_chosen=is_chosen, **dict(moved)).model_dump_json(indent=2))
        return
    verb = "was there already" if moved.was_there else "copied"
    terminal.console.print(
        f"{len(moved.tables)} tables with {moved.rows} rows are equal in {moved.source} and "
        f"{moved.destination} ({verb}).",
        soft_wrap=True,
    )
    if is_chosen:
        terminal.console.print(f"SPOTTER_TARGET is {to} now. Then: spotter doctor")
    else:
        terminal.show_look_at(f"The environment names another target: set SPOTTER_TARGET={to}")


class _Report(Moved):
    """What was moved, and whether the settings name the copy now."""

    is_chosen: bool
