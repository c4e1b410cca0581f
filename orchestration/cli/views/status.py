"""The status of a home in the terminal."""

from rich.padding import Padding
from rich.text import Text

from orchestration.cli.views.terminal import (
    console,
    moment_text,
    plain,
    show_rows,
    show_warning,
)
from orchestration.runs.status import NightStatus, RunStatus
from orchestration.services.operations.status import Status
from orchestration.text.wording import age_text


def show_status(status: Status) -> None:
    """Print the status."""
    console.print(f"home           {status.home}")
    console.print(f"Hevy           {status.hevy_url}")
    _show_run("last run", status.last_run)
    console.print(
        f"next schedule  {moment_text(status.next_nightly_at)} while Dagster's daemon runs"
    )
    console.print(f"marts          {status.released_marts or 'not released yet'}", soft_wrap=True)
    if status.release is not None and status.release_age_s is not None:
        console.print(
            f"release        {status.release.release_number}, "
            f"{age_text(status.release_age_s)} old, of {moment_text(status.release.released_at)}"
        )
        console.print(f"data until     {moment_text(status.release.data_until)}")
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
                moment_text(athlete.last_sync_at),
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
                moment_text(each.at),
                "-" if each.age_s is None else age_text(each.age_s),
            )
            for each in status.layers
        ],
    )
    if status.last_runs:
        show_rows(
            ("last runs", "begun by", "how", "ended"),
            [
                (run.job, run.trigger, run.status.lower(), moment_text(run.ended_at))
                for run in status.last_runs
            ],
        )
    if status.night is not None:
        _show_night(status.night)
    for wait in status.waiting:
        console.print(
            f"[yellow]{wait.state}[/]  {wait.publication_id} of {wait.athlete_id}, since "
            f"{moment_text(wait.since)}",
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


def _show_night(night: NightStatus) -> None:
    """Print the states of a night's parts with their partitions, and the athletes left out."""
    by_state: dict[tuple[str, str], list[str]] = {}
    for part in night.parts:
        retries = f" (retries: {part.retries})" if part.retries else ""
        by_state.setdefault((part.job, part.state), []).append(
            f"{part.partition or 'all'}{retries}"
        )
    ended = "" if night.ended_at is None else f", ended {moment_text(night.ended_at)}"
    console.print(f"night          {night.state}, began {moment_text(night.began_at)}{ended}")
    show_rows(
        ("part", "state", "partitions"),
        [(job, state, ", ".join(some)) for (job, state), some in by_state.items()],
    )
    for athlete, why in night.left.items():
        _show_wrapped("left out", f"{athlete}: {why}")


def _show_wrapped(title: str, text: str) -> None:
    console.print(f"{title:<15}", end="")
    first, *rest = Text(plain(text)).wrap(console, max(console.width - 15, 20))
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
    console.print(f"{title:<15}{run.job}, {run.status.lower()}, {moment_text(run.ended_at)}")
    for reason in run.reasons:
        console.print(Padding(Text(reason, style="red"), (0, 0, 0, 15)))
