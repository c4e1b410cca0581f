"""`spotter backup` and `spotter restore`."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.operations.backup import write_backup
from orchestration.services.operations.backup_archive import Contents, verify_backup
from orchestration.services.operations.restore import restore_backup


def back_up(
    file: Annotated[
        Path | None,
        typer.Argument(help="File to write; default: spotter-<now>.tar."),
    ] = None,
    is_verifying: Annotated[
        bool, typer.Option("--verify", help="Validate FILE without writing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Back up the home to one file.

    It contains the warehouse with the coach's state, Dagster's history and the profiles, as a
    consistent snapshot, also while Dagster serves. Every block of the warehouse is verified first;
    a damaged warehouse is an error. Keys are not included: .env stays where it is.
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
    file: Annotated[Path, typer.Argument(help="File written by `spotter backup`.")],
    is_replacing: Annotated[
        bool,
        typer.Option("--replace", help="Move the current home into a subfolder."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup. Stop Dagster first.

    Every file is compared with its hash before anything is moved. The marts are released again.
    Profiles that differ from yours are written next to yours.
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
        f"{settings.home} is restored to {made.made_at:%Y-%m-%d %H:%M} UTC.", soft_wrap=True
    )
    if restored.former_home is not None:
        terminal.console.print(f"Previous home: {restored.former_home}", soft_wrap=True)
    for profile in restored.kept_profiles:
        terminal.show_warning(
            f"{profile} differs and was kept; the backup's version is {profile.name}.from-backup"
        )
