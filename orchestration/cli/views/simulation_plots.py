"""Plots of a simulation."""

from collections.abc import Mapping
from pathlib import Path
from statistics import median

from matplotlib.figure import Figure

from coach_agent.evaluation.closed_loop_measures import Measures
from orchestration.config.settings import SettingsError
from orchestration.services.simulations.simulation import BestFixed

_ENGINE = "engine"
_ENGINE_COLOUR, _OTHER_COLOURS = "#c2410c", ("#475569", "#0284c7", "#65a30d", "#a855f7", "#ca8a04")


def save_plots(
    policies: Mapping[str, Measures], best: BestFixed | None, folder: Path
) -> tuple[Path, ...]:
    """Write `strength.png`, `gains.png` and `chances.png`; the output is deterministic.

    Raises:
        SettingsError: the folder cannot be written to.
    """
    others = iter(_OTHER_COLOURS)
    colours = {name: _ENGINE_COLOUR if name == _ENGINE else next(others) for name in policies}
    drawings = {
        "strength.png": _strength(policies, colours),
        "gains.png": _gains(policies, best, colours),
        "chances.png": _chances(policies, colours),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in drawings.items():
            # Without the program's name and version, which PNG metadata would contain.
            figure.savefig(folder / name, dpi=120, metadata={"Software": None})
    except OSError as error:
        raise SettingsError(f"No plot can be written to {folder}: {error.strerror}.") from error
    return tuple(folder / name for name in drawings)


def _strength(policies: Mapping[str, Measures], colours: Mapping[str, str]) -> Figure:
    """Plot the strength gain of the median lifter by week."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for name, found in policies.items():
        gains = found.weekly_gain_pct
        axes.plot(range(len(gains) + 1), (0.0, *gains), color=colours[name], label=name)
    axes.set_xlabel("weeks")
    axes.set_ylabel("strength gained, median lifter, %")
    axes.legend(frameon=False)
    return figure


def _gains(
    policies: Mapping[str, Measures], best: BestFixed | None, colours: Mapping[str, str]
) -> Figure:
    """Plot each lifter's gain as a point, next to that of the best fixed policies."""
    columns = [(name, found.gains_pct, colours[name]) for name, found in policies.items()]
    if best is not None:
        columns.append(("best fixed,\neach lifter's own", best.gains_pct, "black"))
    figure = Figure(figsize=(1.5 + 1.3 * len(columns), 4.5), layout="constrained")
    axes = figure.subplots()
    for place, (_, gains, colour) in enumerate(columns):
        axes.plot([place] * len(gains), gains, "o", color=colour, alpha=0.4, markeredgewidth=0)
        middle = median(gains)
        axes.plot(place, middle, "_", color=colour, markersize=36, markeredgewidth=2)
    axes.axhline(0, color="black", linewidth=0.5)
    axes.set_xticks(range(len(columns)), [name for name, _, _ in columns])
    axes.set_xlim(-0.6, len(columns) - 0.4)
    axes.set_ylabel("strength gained, %")
    return figure


def _chances(policies: Mapping[str, Measures], colours: Mapping[str, str]) -> Figure:
    """Plot the share of reached targets against the stated probability."""
    figure = Figure(figsize=(5, 5), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="black", linewidth=1, linestyle="--")
    for name, found in policies.items():
        told = [each for each in found.chances if each.count]
        stated = [each.stated or 0.0 for each in told]
        reached = [each.reached or 0.0 for each in told]
        if told:
            axes.plot(stated, reached, "o-", color=colours[name], label=name)
            axes.legend(frameon=False)
    axes.set_xlabel("probability stated")
    axes.set_ylabel("share of targets reached")
    return figure
