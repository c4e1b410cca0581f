"""`spotter aliases`: join titles of files with exercises."""

import json
from collections.abc import Collection
from dataclasses import asdict
from typing import Annotated

import typer

from coach_agent.domain.titles import did_you_mean, normalize_title
from orchestration.cli.commands.options import AsJson, Athlete
from orchestration.cli.run_job import run_with_progress
from orchestration.cli.views import terminal
from orchestration.config.athletes import find_athlete
from orchestration.config.athletes_table import is_in_table
from orchestration.config.profile_edits import add_aliases
from orchestration.config.settings import SettingsError, load_settings
from orchestration.services.ingestion.exercise_aliases import (
    exercise_titles,
    proposals_digest,
    read_proposals,
)
from orchestration.storage.warehouse import open_warehouse

aliases_app = typer.Typer(help="Join titles of files with exercises.", no_args_is_help=True)


@aliases_app.command("list")
def show(athlete: Athlete = None, as_json: AsJson = False) -> None:
    """List aliases, and titles with their proposals."""
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    with open_warehouse(settings.warehouse, read_only=True) as con:
        proposals = read_proposals(con, profile.id, profile.exercise_aliases)
    if as_json:
        report = {
            "aliases": profile.exercise_aliases,
            "proposals": [asdict(one) for one in proposals],
            "proposals_sha256": proposals_digest(proposals),
        }
        print(json.dumps(report, indent=2, ensure_ascii=False))
        return
    lines = [f'"{title}" is "{meant}"' for title, meant in profile.exercise_aliases.items()]
    lines += [f'"{one.title}", {one.set_count} sets: {one.text}' for one in proposals]
    for line in lines or ["Every title is an exercise."]:
        _print(line)
    if any(one.exercise for one in proposals):
        terminal.console.print(
            "Accept one, or all but those with perhaps: spotter aliases accept TITLE, or --all"
        )


@aliases_app.command()
def accept(
    title: Annotated[str | None, typer.Argument(help="Title as the file has it.")] = None,
    exercise: Annotated[
        str | None, typer.Option("--as", metavar="EXERCISE", help="Exercise other than proposed.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Accept all sure proposals.")] = False,
    digest: Annotated[
        str | None,
        typer.Option(
            "--if-sha256", metavar="DIGEST", help="Do nothing if `list --json` has another digest."
        ),
    ] = None,
    athlete: Athlete = None,
) -> None:
    """Accept proposals, then build the marts.

    With --all, proposals that are not sure are left out and listed.

    Aliases are stored in the profile; raw.athlete_profiles keeps every version. To remove one:
    spotter profile set.
    """
    settings = load_settings()
    profile = find_athlete(settings, athlete)
    if (title is None) != every or (every and exercise is not None):
        raise SettingsError("Name one title, or accept all sure proposals with --all.")
    if is_in_table(settings, profile.id):
        raise SettingsError(
            f"The profile of {profile.id} is a row in {settings.athletes_database}: edit it there."
        )
    with open_warehouse(settings.warehouse, read_only=True) as con:
        proposals = read_proposals(con, profile.id, profile.exercise_aliases)
        if exercise is not None:
            _check_exercise(exercise, exercise_titles(con, profile.id))
    if digest is not None and digest != proposals_digest(proposals):
        raise SettingsError(
            "The proposals have changed since; nothing was joined. Look again: spotter aliases list"
        )
    proposed = {one.title: one.exercise for one in proposals if one.exercise is not None}
    unsure = [one for one in proposals if one.exercise is not None and not one.is_sure]
    if title is not None:
        meant = exercise or proposed.get(title)
        if meant is None:
            raise SettingsError(
                f"Nothing is proposed for '{title}'. See spotter aliases list, or name the "
                "exercise with --as."
            )
        proposed = {title: meant}
    else:
        for one in unsure:
            _print(f'Left out: "{one.title}" is {one.text}')
            del proposed[one.title]
        if unsure:
            _print("Accept each that is right: spotter aliases accept TITLE, or name it with --as.")
    if not proposed:
        terminal.console.print(
            "There are no sure proposals." if unsure else "There are no proposals."
        )
        return
    add_aliases(settings.athletes_dir / f"{profile.id}.toml", proposed)
    for written, meant in proposed.items():
        _print(f'"{written}" is "{meant}"')
    outcome = run_with_progress("marts", settings)
    terminal.show_warnings(outcome)


def _print(line: str) -> None:
    terminal.console.print(line, highlight=False, markup=False, soft_wrap=True)


def _check_exercise(written: str, titles: Collection[str]) -> None:
    if normalize_title(written) not in map(normalize_title, titles):
        raise SettingsError(f"There is no exercise {written!r}.{did_you_mean(written, titles)}")
