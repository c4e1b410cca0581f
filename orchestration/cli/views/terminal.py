"""Terminal output."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from coach_agent.domain.units import Unit
from coach_agent.engine.explain.plan_texts import number
from coach_agent.publishing.routine_changes import Change
from hevy_connector.raw.differences import Difference
from orchestration.runs.status import RunStatus
from orchestration.services.import_outcome import ImportOutcome
from orchestration.services.import_report import import_lines
from orchestration.services.status import Status
from orchestration.text.safe_output import SafeConsole
from orchestration.text.wording import age_text, change_place, change_text

if TYPE_CHECKING:
    # Dagster takes seconds to import, so other commands do not import it.
    from orchestration.dbt.metrics import Metric
    from orchestration.runs.jobs import JobOutcome

console = SafeConsole()
error_console = SafeConsole(stderr=True)


_MOST_DIFFERENCES = 40
_MOST_FIELDS = 6
_LONGEST_VALUE = 60
_ANY_WIDTH = 1000


def show_error(text: str) -> None:
    """Print an error message to stderr."""
    error_console.print(f"[bold red]Error:[/] {_plain(text)}", highlight=False, soft_wrap=True)


def show_damaged_history(aside: Path) -> None:
    """Report a quarantined damaged history of Dagster on stderr; the run continues."""
    error_console.print(
        f"[yellow]Look at[/] {_plain(damaged_history_text(aside))}", highlight=False, soft_wrap=True
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


def step_name(step: str) -> str:
    """Format a step's key: `raw__hevy_workouts` is `raw hevy workouts`."""
    return step.replace("__", " ").replace("_", " ")


def show_intake(outcome: "JobOutcome") -> None:
    """Print the read and new rows, one entity per line; nothing without an account."""
    names = ("read", "new_versions", "deleted", "quarantined")
    counts = {
        asset.removeprefix("raw/").replace("_", " "): [metadata[name] for name in names]
        for asset, metadata in outcome.metadata.items()
        if asset.startswith("raw/") and "read" in metadata
    }
    if any(map(any, counts.values())):
        rows = [(entity, *map(str, numbers)) for entity, numbers in counts.items()]
        show_rows(("what came in", "read", "new", "deleted", "quarantined"), rows)


def show_rows(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, or its rows one below the other in a narrow terminal.

    Cells are plain text; the first cell names the row.
    """
    told = [tuple(map(_plain, row)) for row in rows]
    table = Table(*map(_plain, headings), title_justify="left")
    for row in told:
        table.add_row(*row)
    any_width = console.options.update(max_width=_ANY_WIDTH)
    if Measurement.get(console, any_width, table).minimum <= console.width:
        console.print(table)
        return
    console.print(f"[bold]{_plain(headings[0])}[/]", highlight=False)
    for about, *cells in told:
        pairs = zip(headings[1:], cells, strict=True)
        if about:
            console.print(about, highlight=False)
        line = ", ".join(f"{_plain(heading)} {cell}" for heading, cell in pairs if cell)
        console.print(Padding(line, (0, 0, 0, 2)), highlight=False)


def show_differences(differences: Sequence[Difference]) -> None:
    """Print the differences of a sync, one record per line with its changed fields, truncated."""
    if not differences:
        console.print("Nothing differs from what was known.")
        return
    rows = []
    for found in differences[:_MOST_DIFFERENCES]:
        fields = [
            f"{field.path}: {_short(field.before)} → {_short(field.after)}"
            for field in found.fields[:_MOST_FIELDS]
        ]
        if len(found.fields) > _MOST_FIELDS:
            fields.append(f"and {len(found.fields) - _MOST_FIELDS} more fields")
        kind = found.entity.removeprefix("hevy_").replace("_", " ")
        rows.append((found.athlete_id, kind, found.title, "\n".join([found.kind, *fields])))
    show_rows(("athlete", "what", "which", "how"), rows)
    if len(differences) > _MOST_DIFFERENCES:
        more = len(differences) - _MOST_DIFFERENCES
        console.print(f"And {more} more; --json shows all of them.")


def _short(value: object) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def show_changes(
    routine_title: str, changes: Sequence[Change], unit: Unit, heading: str = "changed in Hevy"
) -> None:
    """Print the changes in Hevy, one field of a set per line, loads in the gym's unit."""
    if not changes:
        console.print("Nothing changed in Hevy.")
        return
    rows = []
    for index, change in enumerate(changes):
        is_first = index == 0 or changes[index - 1].exercise_index != change.exercise_index
        title = change.exercise_title if is_first else ""
        rows.append((title, change_place(change), change_text(change, unit)))
    show_rows((f"{heading}: {routine_title}", "set", "from → to"), rows)


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
    console.print(f"[yellow]Look at[/] {_plain(text)}", highlight=False)


def show_import(outcome: ImportOutcome) -> None:
    """Print the result of each row of an imported file."""
    for line in import_lines(outcome):
        # A line stays whole in a file; a terminal breaks it between words.
        console.print(_plain(line), highlight=False, soft_wrap=not console.is_terminal)


def show_status(status: Status) -> None:
    """Print the status."""
    console.print(f"home           {status.home}")
    console.print(f"Hevy           {status.hevy_url}")
    _show_run("last run", status.last_run)
    console.print(f"next schedule  {_moment(status.next_nightly_at)} while Dagster's daemon runs")
    console.print(f"marts          {status.released_marts or 'not released yet'}", soft_wrap=True)
    if status.release is not None and status.release_age_s is not None:
        console.print(
            f"release        {status.release.release_number}, "
            f"{age_text(status.release_age_s)} old, of {_moment(status.release.released_at)}"
        )
        console.print(f"data until     {_moment(status.release.data_until)}")
    if status.held_back_by is not None:
        if status.held_back_by == status.last_run:
            console.print("held back by   the last run: readers keep this release")
        else:
            _show_run("held back by", status.held_back_by)
    rows = ", ".join(f"{name} {count}" for name, count in status.raw_rows.items() if count)
    _show_wrapped("raw rows", rows or "none")
    console.print(f"quarantine     {status.quarantined_rows} rows")
    _show_wrapped("disk", _disk_text(status))
    _show_wrapped("versions", ", ".join(f"{name} {told}" for name, told in status.versions.items()))
    show_rows(
        ("athlete", "account", "publish", "last sync", "workouts", "next", "in Hevy"),
        [
            (
                athlete.id,
                athlete.account,
                athlete.publish_mode,
                _moment(athlete.last_sync_at),
                str(athlete.workout_count),
                athlete.next_routine or "-",
                athlete.publication_state or "-",
            )
            for athlete in status.athletes
        ],
    )
    show_rows(
        ("layer", "of", "state", "as of", "age"),
        [
            (
                each.name,
                each.athlete_id or "all",
                each.state,
                _moment(each.at),
                "-" if each.age_s is None else age_text(each.age_s),
            )
            for each in status.layers
        ],
    )
    if status.last_runs:
        show_rows(
            ("last runs", "begun by", "how", "ended"),
            [
                (run.job, run.trigger, run.status.lower(), _moment(run.ended_at))
                for run in status.last_runs
            ],
        )
    for wait in status.waiting:
        console.print(
            f"[yellow]{wait.state}[/]  {wait.publication_id} of {wait.athlete_id}, since "
            f"{_moment(wait.since)}",
            highlight=False,
        )
    for cost in status.spend:
        if cost.spent_usd or cost.unpriced_requests:
            console.print(
                f"models         {cost.athlete_id}: {cost.spent_usd:.2f} USD this month, at most "
                f"{cost.budget_usd:.2f}; {cost.unpriced_requests} requests of unknown price"
            )
    for problem in status.problems:
        show_warning(problem)


def _show_wrapped(title: str, text: str) -> None:
    console.print(f"{title:<15}", end="")
    first, *rest = Text(_plain(text)).wrap(console, max(console.width - 15, 20))
    console.print(first)
    for line in rest:
        console.print(Padding(line, (0, 0, 0, 15)))


def _disk_text(status: Status) -> str:
    parts = (
        ("free", status.disk.free),
        ("warehouse", status.disk.warehouse),
        ("release", status.disk.release),
        ("history", status.disk.history),
        ("logs", status.disk.logs),
        ("put aside", status.disk.put_aside),
        ("left over", status.disk.left_over),
    )
    return ", ".join(f"{name} {size / 1e6:,.0f} MB" for name, size in parts if size)


def _show_run(title: str, run: RunStatus | None) -> None:
    if run is None:
        console.print(f"{title:<15}none yet")
        return
    console.print(f"{title:<15}{run.job}, {run.status.lower()}, {_moment(run.ended_at)}")
    for reason in run.reasons:
        console.print(Padding(Text(reason, style="red"), (0, 0, 0, 15)))


def show_metrics(metrics: "Sequence[Metric]") -> None:
    """Print the metrics and their dimensions besides time."""
    for metric in metrics:
        console.print(f"[bold]{_plain(metric.name)}[/]  {_plain(metric.label)}", highlight=False)
        console.print(Padding(_plain(metric.description), (0, 0, 0, 2)), highlight=False)
        groups = ", ".join(metric.dimensions)
        console.print(Padding(f"by {_plain(groups)}", (0, 0, 1, 2)), style="dim", highlight=False)


def show_seconds(outcome: "JobOutcome", total_s: float) -> None:
    """Print the duration by step, longest first."""
    longest = sorted(outcome.seconds.items(), key=lambda item: -item[1])[:4]
    steps = ", ".join(f"{step_name(step)} {number(seconds)} s" for step, seconds in longest)
    rest = total_s - sum(outcome.seconds.values())
    console.print(
        f"{total_s:.1f} s in all: {steps}, start-up and Dagster {number(rest)} s", style="dim"
    )


def _moment(value: datetime | None) -> str:
    return "never" if value is None else value.strftime("%Y-%m-%d %H:%M %Z").strip()


def _plain(text: str) -> str:
    """Escape Rich markup in external text."""
    return escape(text)
