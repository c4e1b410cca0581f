"""Plots of a backtest."""

from collections.abc import Callable
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coach_agent.domain.constants.forecast import INTERVAL_LEVEL
from coach_agent.evaluation.engine_forecast import ENGINE
from coach_agent.evaluation.predictors import REPEAT_LAST
from coach_agent.evaluation.report import Backtest, QuantityReport
from orchestration.config.settings import SettingsError

_SHOWN = (("reps", "mean error, repetitions"), ("e1rm", "mean error of e1RM, %"))
_ENGINE_COLOUR, _OTHER_COLOUR = "#c2410c", "#475569"


def save_plots(found: Backtest, folder: Path) -> tuple[Path, ...]:
    """Write `errors.png`, `intervals.png` and `calibration.png`; the output is deterministic.

    Raises:
        SettingsError: the folder cannot be written to.
    """
    drawings: tuple[tuple[str, Callable[[Backtest], Figure]], ...] = (
        ("errors.png", _errors),
        ("intervals.png", _intervals),
        ("calibration.png", _calibration),
    )
    saved = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, draw in drawings:
            path = folder / name
            # Without the program's name and version, which PNG metadata would contain.
            draw(found).savefig(path, dpi=120, metadata={"Software": None})
            saved.append(path)
    except OSError as error:
        raise SettingsError(f"No plot can be written to {folder}: {error.strerror}.") from error
    return tuple(saved)


def _errors(found: Backtest) -> Figure:
    """Plot each forecaster's main measure with its 95 % interval, best on top."""
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    for axes, (quantity, label) in zip(figure.subplots(1, 2), _SHOWN, strict=True):
        _errors_of(axes, found.quantities["reps" if quantity == "reps" else "e1rm"])
        axes.set_xlabel(label)
    return figure


def _errors_of(axes: Axes, report: QuantityReport) -> None:
    main = report.measures[0]
    told = [
        (score, each.name, each.is_told_weight)
        for each in report.predictors
        if (score := each.scores[main]) is not None
    ]
    for place, (score, name, is_told) in enumerate(sorted(told, key=lambda each: -each[0].value)):
        colour = _ENGINE_COLOUR if name == ENGINE else _OTHER_COLOUR
        axes.plot(score.value, place, "o", color=colour, fillstyle="none" if is_told else "full")
        if score.low is not None and score.high is not None:
            axes.hlines(place, score.low, score.high, color=colour)
        axes.text(
            -0.02, place, f"{name} †" if is_told else name, color=colour, ha="right", va="center",
            transform=axes.get_yaxis_transform(),
        )  # fmt: skip
    axes.set_yticks([])
    axes.set_xlim(left=0)


def _intervals(found: Backtest) -> Figure:
    """Plot the share of cases within the 80 % intervals, one point per lifter."""
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    for axes, (quantity, label) in zip(figure.subplots(1, 2, sharey=True), _SHOWN, strict=True):
        report = found.quantities["reps" if quantity == "reps" else "e1rm"]
        axes.axhline(INTERVAL_LEVEL.value, color="black", linewidth=1, linestyle="--")
        names = [each.name for each in report.predictors if each.name in {REPEAT_LAST, ENGINE}]
        for place, name in enumerate(names):
            score = report.of(name).scores["coverage_pct"]
            if score is not None:
                values = list(score.by_lifter.values())
                axes.plot([place] * len(values), values, "o", color=_OTHER_COLOUR)
                axes.plot(place, score.value, "_", markersize=30, color=_ENGINE_COLOUR)
        axes.set_xticks(range(len(names)), names)
        axes.set_xlim(-0.7, max(1, len(names)) - 0.3)
        axes.set_ylabel("within the 80 % interval, %")
        axes.set_title(label.removeprefix("mean error, ").removeprefix("mean error of "))
    return figure


def _calibration(found: Backtest) -> Figure:
    """Plot the share of reached targets against the stated chance."""
    figure = Figure(figsize=(5, 5), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="black", linewidth=1, linestyle="--")
    for each in found.quantities["reps"].calibration:
        if each.stated is not None and each.came is not None:
            style = "full" if each.is_tested else "none"
            axes.plot(each.stated, each.came, "o", color=_ENGINE_COLOUR, fillstyle=style)
            axes.annotate(
                str(each.count), (each.stated, each.came), (6, -10), textcoords="offset points"
            )
    axes.set_xlabel("chance that the engine stated")
    axes.set_ylabel("share that came")
    axes.set_title("hollow: too few cases to judge")
    return figure
