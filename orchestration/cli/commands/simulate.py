"""`spotter simulate`: the coach and simulated lifters in a closed loop."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from coach_agent.domain.constants.catalogue import rule_version
from coach_agent.evaluation.closed_loop_measures import measure_policy
from coach_agent.evaluation.policies import POLICIES
from hevy_connector.simulator.athletes.cohort import Noise, cohort
from orchestration.cli.commands.options import AsJson
from orchestration.cli.views import terminal
from orchestration.cli.views.json_output import format_json
from orchestration.cli.views.simulation import (
    best_text,
    chance_rows,
    markdown_table,
    published_rows,
    rich_table,
    rows_of,
)
from orchestration.config.settings import SettingsError
from orchestration.services.simulations.simulated_programmes import (
    PROGRAMMES,
    run_programme_or_policy,
)
from orchestration.services.simulations.simulation import best_fixed, run_policies
from orchestration.services.simulations.simulator_check import compare_with_published


def simulate(
    weeks: Annotated[int, typer.Option(min=1, max=260, help="Weeks of training.")] = 24,
    lifters: Annotated[int, typer.Option(min=1, max=1000, help="Number of lifters.")] = 50,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"{', '.join((*POLICIES, *PROGRAMMES))}; repeatable, default: first three.",
        ),
    ] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Compare with the best of 108 fixed policies.")
    ] = False,
    with_published: Annotated[
        bool,
        typer.Option("--published", help="Compare the first policy with published numbers."),
    ] = False,
    noise: Annotated[Noise, typer.Option(help="Day-to-day variation of the lifters.")] = "mixed",
    seed: Annotated[int, typer.Option(help="Random seed of the lifters.")] = 1,
    plots: Annotated[
        Path | None,
        typer.Option(metavar="DIR", file_okay=False, help="Write plots as PNG to this folder."),
    ] = None,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown instead of tables.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Simulate lifters under a policy and show results.

    Their true strength is known, so gains, misses and injuries are exact within the model. It shows
    that the coach is stable and safe, not that it makes people stronger: docs/simulation.md
    """
    if as_json and as_markdown:
        raise SettingsError("Choose one of --json and --markdown.")
    names = list(dict.fromkeys(policy or list(POLICIES)[:3]))
    known = (*POLICIES, *PROGRAMMES)
    if unknown := [name for name in names if name not in known]:
        raise SettingsError(f"No policy '{unknown[0]}'. There are: {', '.join(known)}.")
    people = cohort(seed, lifters, weeks, noise)
    with _progress(len(people) * len(names), "training") as on_done:
        runs = run_policies(people, names, on_done, run_programme_or_policy)
    compared = compare_with_published(people, runs[names[0]]) if with_published else []
    best = None
    if search:
        with _progress(len(people), "searching") as on_done:
            best = best_fixed(people, on_done)
    found = {name: measure_policy(of_policy) for name, of_policy in runs.items()}
    if plots is not None:
        # It takes 1 s to import, so only if plots are requested.
        from orchestration.cli.views.simulation_plots import save_plots

        save_plots(found, best, plots)
    if as_json:
        report = {
            "seed": seed,
            "weeks": weeks,
            "noise": noise,
            "rule_version": rule_version(),
            "policies": {name: asdict(each) for name, each in found.items()},
            "best_fixed": None if best is None else asdict(best),
            "published": [each._asdict() for each in compared],
        }
        print(format_json(report))
        return
    tables = [rows_of(found, best), chance_rows(found)]
    if compared:
        tables.append(published_rows(compared))
    if as_markdown:
        print("\n\n".join(markdown_table(rows) for rows in tables))
    else:
        for rows in tables:
            terminal.console.print(rich_table(rows))
    if best is not None:
        terminal.console.print(best_text(best), soft_wrap=True)


@contextmanager
def _progress(total: int, what: str) -> Iterator[Callable[[], None]]:
    with Progress(console=terminal.error_console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
