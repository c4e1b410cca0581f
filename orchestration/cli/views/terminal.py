"""Terminal output."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table

from orchestration.text.safe_output import SafeConsole

if TYPE_CHECKING:
    # Dagster takes seconds to import, so other commands do not import it.
    from orchestration.dbt.metrics import Metric
    from orchestration.runs.jobs import JobOutcome

console = SafeConsole()
error_console = SafeConsole(stderr=True)


_ANY_WIDTH = 1000


def show_error(text: str) -> None:
    """Print an error message to stderr."""
    error_console.print(f"[bold red]Error:[/] {plain(text)}", highlight=False, soft_wrap=True)


def show_damaged_history(aside: Path) -> None:
    """Report a quarantined damaged history of Dagster on stderr; the run continues."""
    error_console.print(
        f"[yellow]Look at[/] {plain(damaged_history_text(aside))}", highlight=False, soft_wrap=True
    )


def damaged_history_text(aside: Path) -> str:
    """Report a quarantined history and the required action."""
    return (
        f"Dagster's history was damaged and put aside: {aside}. A new one was started, without "
        "earlier runs. Restart Dagster's servers, and remove that folder after inspection."
    )


@contextmanager
def step_progress(title: str, *, is_quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show a spinner with the current step; yields the function that receives step names."""
    if is_quiet:
        yield lambda step: None
        return
    with console.status(title) as status:
        yield lambda step: status.update(f"{title}: {step_name(step)}")


@contextmanager
def count_progress(
    title: str, total: int, *, is_quiet: bool = False
) -> Iterator[Callable[[], None]]:
    """Show a bar on stderr; the yielded function counts one of `total`."""
    from rich.progress import Progress

    with Progress(console=error_console, transient=True, disable=is_quiet) as progress:
        task = progress.add_task(title, total=total)
        yield lambda: progress.advance(task)


def step_name(step: str) -> str:
    """Format a step's key: `raw__hevy_workouts` is `raw hevy workouts`."""
    return step.replace("__", " ").replace("_", " ")


def show_intake(outcome: "JobOutcome") -> None:
    """Print the read and new rows, one entity per line; nothing without an account."""
    names = ("read", "new_versions", "deleted", "quarantined", "left_quarantine")
    counts = {
        asset.removeprefix("raw/").replace("_", " "): [metadata.get(name, 0) for name in names]
        for asset, metadata in outcome.metadata.items()
        if asset.startswith("raw/") and "read" in metadata
    }
    if any(map(any, counts.values())):
        rows = [(entity, *map(str, numbers)) for entity, numbers in counts.items()]
        headings = ("data read", "read", "new", "deleted", "quarantined", "left quarantine")
        show_rows(headings, rows)


def show_rows(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, or its rows one below the other in a narrow terminal.

    Cells are plain text; the first cell names the row.
    """
    told = [tuple(map(plain, row)) for row in rows]
    table = Table(*map(plain, headings), title_justify="left")
    for row in told:
        table.add_row(*row)
    any_width = console.options.update(max_width=_ANY_WIDTH)
    if Measurement.get(console, any_width, table).minimum <= console.width:
        console.print(table)
        return
    console.print(f"[bold]{plain(headings[0])}[/]", highlight=False)
    for about, *cells in told:
        pairs = zip(headings[1:], cells, strict=True)
        if about:
            console.print(about, highlight=False)
        line = ", ".join(f"{plain(heading)} {cell}" for heading, cell in pairs if cell)
        console.print(Padding(line, (0, 0, 0, 2)), highlight=False)


def show_failure(outcome: "JobOutcome") -> None:
    """Print the reasons of a failed run, without duplicates."""
    errors = [check.text for check in outcome.failed_checks if check.is_error]
    reasons = dict.fromkeys([*outcome.failures.values(), *errors])
    for reason in reasons or [f"The run failed. See: spotter logs {outcome.run_id[:8]}"]:
        show_error(reason)


def show_warnings(outcome: "JobOutcome") -> None:
    """Print the warnings of a completed run."""
    for check in outcome.failed_checks:
        if not check.is_error:
            show_warning(check.text)


def show_warning(text: str) -> None:
    """Print a warning."""
    console.print(f"[yellow]Look at[/] {plain(text)}", highlight=False)


def show_metrics(metrics: "Sequence[Metric]") -> None:
    """Print the metrics and their dimensions besides time."""
    for metric in metrics:
        console.print(f"[bold]{plain(metric.name)}[/]  {plain(metric.label)}", highlight=False)
        console.print(Padding(plain(metric.description), (0, 0, 0, 2)), highlight=False)
        groups = ", ".join(metric.dimensions)
        console.print(Padding(f"by {plain(groups)}", (0, 0, 1, 2)), style="dim", highlight=False)


def show_seconds(outcome: "JobOutcome", total_s: float) -> None:
    """Print the duration by step, longest first."""
    longest = sorted(outcome.seconds.items(), key=lambda item: -item[1])[:4]
    steps = ", ".join(f"{step_name(step)} {round(seconds, 2):g} s" for step, seconds in longest)
    rest = total_s - sum(outcome.seconds.values())
    console.print(
        f"{total_s:.1f} s in all: {steps}, start-up and Dagster {round(rest, 2):g} s", style="dim"
    )


def moment_text(value: datetime | None) -> str:
    """Return a time for people; "never" for None."""
    return "never" if value is None else value.strftime("%Y-%m-%d %H:%M %Z").strip()


def plain(text: str) -> str:
    """Escape Rich markup in external text."""
    return escape(text)
