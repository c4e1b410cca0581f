"""`spotter backup` and `spotter restore`: a home in one file, and back."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.backup import Contents, restore_backup, verify_backup, write_backup


def back_up(
    file: Annotated[
        Path | None,
        typer.Argument(help="The file to write; by default spotter-<now>.tar in this folder."),
    ] = None,
    is_verifying: Annotated[
        bool, typer.Option("--verify", help="Validate FILE and write nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Copy the warehouse, the coach's state, Dagster's history and the profiles into one file.

    All of one moment, also while Dagster serves. Every block of the warehouse is read first, and a
    damaged one is refused. Keys are not in it: .env stays where it is.
    """
    if is_verifying:
        _verify(file, as_json=as_json)
        return
    now = datetime.now(UTC)
    target = (file or Path(f"spotter-{now:%Y%m%dT%H%M%SZ}.tar")).resolve()
    with terminal.step_progress("backup", is_quiet=as_json) as on_step:
        contents = write_backup(load_settings(), target, now, on_step)
    _show(target, contents, "", as_json=as_json)


def _verify(file: Path | None, *, as_json: bool) -> None:
    if file is None:
        raise SettingsError("Name the file to verify: spotter backup --verify FILE")
    with terminal.step_progress("verify", is_quiet=as_json) as on_step:
        contents = verify_backup(file.resolve(), on_step)
    _show(file.resolve(), contents, "Whole: ", as_json=as_json)


def _show(file: Path, contents: Contents, verdict: str, *, as_json: bool) -> None:
    size = file.stat().st_size
    if as_json:
        report = {
            "file": str(file),
            "bytes": size,
            "made_at": contents.made_at.isoformat(),
            "spotter_version": contents.spotter_version,
            "files": contents.files,
        }
        print(json.dumps(report, indent=2))
        return
    terminal.console.print(
        f"{verdict}{len(contents.files)} files, {size / 1e6:.1f} MB: {file}", soft_wrap=True
    )


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `spotter backup` wrote.")],
    is_replacing: Annotated[
        bool,
        typer.Option("--replace", help="Put what is there aside, in a folder of the home."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the place of this home, and release its marts. Stop Dagster before.

    Every file is compared with its hash before anything is moved. Profiles that differ from yours
    are written beside them.
    """
    settings = load_settings()
    with terminal.step_progress("restore", is_quiet=as_json) as on_step:
        restored = restore_backup(
            settings, file, datetime.now(UTC), on_step, is_replacing=is_replacing
        )
    if as_json:
        print(restored.model_dump_json(indent=2))
        return
    made = restored.contents
    terminal.console.print(
        f"{settings.home} is as it was at {made.made_at:%Y-%m-%d %H:%M} UTC.", soft_wrap=True
    )
    if restored.former_home is not None:
        terminal.console.print(f"What was there before: {restored.former_home}", soft_wrap=True)
    for profile in restored.kept_profiles:
        terminal.show_look_at(
            f"{profile} is yours and differs; the backup's is {profile.name}.from-backup"
        )
