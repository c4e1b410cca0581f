"""Tables and sentences of `spotter what-if`."""

from collections.abc import Mapping
from dataclasses import dataclass

from rich.table import Table

from coach_agent.domain.units import Unit, load_text
from coach_agent.evaluation.what_if import Replay, Work
from hevy_connector.simulator.athletes.fitted import Trend
from orchestration.services.simulations.fitted_training import Ahead, Range
from orchestration.text.measures import day_text

LIMITS = (
    "Back: your sessions stay as you did them. A plan is what the rules would have asked for on "
    "that day, not what it would have led to.",
    "Ahead: the lifters are models without sleep, food, technique, pain and motivation, and they "
    "miss no session.",
    "The range is the lowest and highest lifter, without the error of the model. Plans whose "
    "ranges overlap are not different.",
    "The gain is that of the exercises of each plan. Two plans have different exercises.",
)


@dataclass(frozen=True)
class Report:
    """Both scenarios: `replay` and `ahead` of today's rules, and after the change.

    `trend` is measured on `trend_lifts` exercises of the log; 0: unknown, a usual one is assumed.
    `programme` is the title of the changed scenario's programme, null for the present routines.
    """

    lifter: str
    changes: tuple[str, ...]
    programme: str | None
    compromises: tuple[str, ...]
    now: Replay
    changed: Replay
    trend: Trend
    trend_lifts: int
    now_ahead: Ahead | None
    changed_ahead: Ahead | None
    unit: Unit = "kg"
    limits: tuple[str, ...] = LIMITS


def back_table(report: Report) -> Table:
    """Return the averages of the replayed weeks."""
    table = Table("A week", "done", "rules now", "changed")
    done, now, changed = report.now.done, report.now.prescribed, report.changed.prescribed
    table.add_row("sessions", *(f"{each.sessions:.1f}" for each in (done, now, changed)))
    table.add_row("minutes a session", *(_whole(each.minutes) for each in (done, now, changed)))
    table.add_row("working sets", *(f"{each.sets:.0f}" for each in (done, now, changed)))
    muscles = sorted({*done.muscles, *now.muscles, *changed.muscles})
    for muscle in muscles:
        table.add_row(
            f"sets {_words(muscle)}",
            *(f"{each.muscles.get(muscle, 0.0):.1f}" for each in (done, now, changed)),
        )
    return table


def asks_text(replay: Replay) -> str:
    """Return how often the rules asked for more than was done, with the same exercise."""
    asks = replay.asks
    total = sum(asks.values())
    if not total:
        return "no exercise of the plan was done on its day"
    return f"{asks['more']} more, {asks['same']} the same, {asks['less']} less, of {total}"


def stopped_lines(report: Report) -> list[str]:
    """Return the plans that a guardrail stopped."""
    return [
        f"{day_text(each.day)}: no plan {when}, {each.stopped.splitlines()[0]}"
        for when, replay in (("now", report.now), ("after the change", report.changed))
        for each in replay.sessions
        if each.stopped is not None
    ]


def latest_table(replay: Replay, unit: Unit) -> Table | None:
    """Return the newest session with a prescription next to the work done; None without one."""
    planned = [each for each in replay.sessions if each.routine is not None]
    if not planned:
        return None
    latest = planned[-1]
    done = {each.exercise: each for each in latest.done}
    table = Table(day_text(latest.day), "prescribed", "done")
    for each in latest.prescribed:
        table.add_row(each.exercise, _work(each, unit), _work(done.pop(each.exercise, None), unit))
    for each in done.values():
        table.add_row(each.exercise, "", _work(each, unit))
    return table


def ahead_table(now: Ahead, changed: Ahead) -> Table:
    """Return the results of the simulated weeks, with the range over the lifters."""
    table = Table(f"{now.weeks} weeks, {now.lifters} lifters", "rules now", "changed")
    both = (now, changed)
    table.add_row("sessions a week", *(f"{each.sessions_a_week}" for each in both))
    table.add_row("gain in strength, %", *(_range(each.gain_pct, 1) for each in both))
    table.add_row("sets below the target, %", *(_range(each.missed_pct, 0) for each in both))
    table.add_row("minutes a session", *(_range(each.minutes, 0) for each in both))
    table.add_row("working sets a week", *(_range(each.sets_a_week, 0) for each in both))
    for muscle in sorted({*now.muscles, *changed.muscles}):
        table.add_row(f"sets {_words(muscle)}", *(_sets(each.muscles, muscle) for each in both))
    return table


def fit_text(report: Report) -> str:
    """Return the trend that the lifters are fitted to."""
    trend = report.trend
    if not report.trend_lifts:
        return "The log shows no trend yet: the lifters gain as usual, with a wide range."
    return (
        f"Fitted to {report.trend_lifts} of your exercises in the last half year: "
        f"{100 * trend.gain_per_week:+.2f} % a week, ± {100 * trend.error:.2f}; "
        f"{100 * trend.noise:.1f} % from day to day."
    )


def left_out_lines(ahead: Ahead) -> list[str]:
    """Return what the simulation does not cover, and what it guesses."""
    lines = []
    if ahead.left_out:
        lines.append(f"Not simulated, as it has no load or no repetitions: {_some(ahead.left_out)}")
    if ahead.guessed:
        lines.append(f"Strength guessed from your other exercises: {_some(ahead.guessed)}")
    return lines


def _some(titles: tuple[str, ...], most: int = 6) -> str:
    more = len(titles) - most
    text = ", ".join(titles[:most])
    return f"{text} and {more} more." if more > 0 else f"{text}."


def _range(each: Range, digits: int) -> str:
    return f"{each.median:.{digits}f} ({each.low:.{digits}f} to {each.high:.{digits}f})"


def _sets(muscles: Mapping[str, float], muscle: str) -> str:
    return f"{muscles.get(muscle, 0.0):.1f}"


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _work(work: Work | None, unit: Unit) -> str:
    if work is None:
        return ""
    parts = [] if work.reps is None else [f"{work.reps}"]
    if work.weight_kg is not None:
        parts.append(load_text(work.weight_kg, unit))
    if work.is_uniform or not parts:
        return " × ".join([f"{work.sets}", *parts])
    return f"{work.sets} sets, top {' × '.join(parts)}"


def _words(muscle: str) -> str:
    return muscle.replace("_", " ")
