"""Tables and sentences of a before-after report, which state no cause."""

from dataclasses import dataclass
from datetime import date, datetime

from rich.console import Console

from coach_agent.evaluation.before_after import (
    EXPOSURES,
    PLACEBO_DATES,
    WEEKS_AFTER,
    WEEKS_BEFORE,
    BeforeAfter,
    Change,
    TooFew,
    Trend,
)
from coach_agent.evaluation.plan_outcomes import (
    Average,
    Compliance,
    PredictionError,
    TooFewSets,
)
from orchestration.cli.views.backtest import TextTable, rich_table

_NOTHING = "-"


@dataclass(frozen=True)
class Report:
    """The report of `spotter before-after`. `is_given` if the user chose the date."""

    athlete_id: str
    since: date
    is_given: bool
    first_published_at: datetime | None
    predictions: PredictionError | TooFewSets
    compliance: Compliance
    trend: BeforeAfter | TooFew


def show_report(console: Console, report: Report) -> None:
    """Print the report, the verdict last, next to the prompt."""
    basis = "the date that was given" if report.is_given else "from the first published plan on"
    console.print(f"{report.athlete_id}: since {report.since}, {basis}", markup=False)
    if isinstance(report.predictions, TooFewSets):
        console.print(f"\n{_too_few_sets(report.predictions)}")
    else:
        console.print(rich_table(predictions_table(report.predictions)))
        if chances := chances_table(report.predictions):
            console.print(rich_table(chances))
    if report.compliance.planned:
        console.print(rich_table(compliance_table(report.compliance)))
    else:
        console.print("No plan was trained since.")
    if isinstance(report.trend, BeforeAfter):
        console.print(rich_table(trend_table(report.trend)))
    for sentence in sentences(report.trend):
        console.print(sentence, highlight=False, markup=False)


def predictions_table(found: PredictionError) -> TextTable:
    """Return the prediction errors of plans, each a mean over workouts."""
    rows = [
        ("mean error, either way (MAE)", _average(found.mae)),
        ("… where more may have been possible, none", _average(found.censored_mae)),
        ("… of the target itself as the forecast", _average(found.target_mae)),
        ("forecast less done", _average(found.bias, "+")),
        ("80 % interval holds, %", _share(found.covered)),
        ("chance of the target: stated, %", _share(found.stated)),
        ("… came, %", _share(found.came)),
        ("… came less stated, points", _share(found.gap, "+")),
        ("Brier score of the chance", _average(found.brier, digits=3)),
    ]
    return TextTable(
        "Repetitions predicted by plans, with the planned load",
        ("measure", "mean [95 %]"),
        tuple(rows),
        f"{found.sets} sets in {found.workouts} workouts; each workout counts the same.",
    )


def chances_table(found: PredictionError) -> TextTable | None:
    """Return the stated chances by fifths, None without any."""
    rows = tuple(
        (
            f"{each.low:g} to {each.high:g}",
            str(each.count),
            f"{100 * each.stated:.0f}",
            f"{100 * each.came:.0f}",
            "yes" if each.is_tested else "no",
        )
        for each in found.calibration
        if each.stated is not None and each.came is not None
    )
    columns = ("stated chance", "sets", "stated, %", "came, %", "enough sets")
    return TextTable("By the chance", columns, rows) if rows else None


def compliance_table(found: Compliance) -> TextTable:
    """Return the results of planned sets, in counts and percent."""
    counts = {
        "as planned": found.as_planned,
        "more": found.more,
        "less": found.less,
        "another exercise instead": found.replaced,
        "skipped": found.skipped,
        "not told": found.untold,
    }
    return TextTable(
        "What became of planned sets",
        ("what was done", "sets", "%"),
        tuple(
            (name, str(count), f"{100 * count / found.planned:.0f}")
            for name, count in counts.items()
        ),
    )


def trend_table(found: BeforeAfter) -> TextTable:
    """Return the slopes before and after by lift, the pooled ones last."""
    rows = [_trend_row(each) for each in (*found.lifts, found.pooled)]
    return TextTable(
        "Trend of e1RM, % a week",
        ("lift", "times", "before", "after", "after less before"),
        tuple(rows),
    )


def sentences(found: BeforeAfter | TooFew) -> list[str]:
    """Return the verdict in words: the difference and its uncertainty, never a cause."""
    if isinstance(found, TooFew):
        return [_too_few(found)]
    return [_difference(found), _verdict(found), _power(found)]


def _difference(found: BeforeAfter) -> str:
    change, level = found.pooled.slope_change, found.pooled.level_change
    return (
        f"All lifts together moved by {found.pooled.slope_after.value:+.2f} % a week after the "
        f"date and by {found.pooled.slope_before.value:+.2f} before: {_size(change)} "
        f"{'more' if change.value >= 0 else 'less'} {_interval(change)}. At the date itself the "
        f"level moved by {level.value:+.1f} % {_interval(level, 1)}."
    )


def _verdict(found: BeforeAfter) -> str:
    as_much = sum(each.as_much for each in found.placebos)
    count = len(found.placebos)
    placebo = (
        f"{as_much or 'None'} of {count} placebo date{'' if count == 1 else 's'} before it "
        f"{'shows' if as_much == 1 else 'show'} as much (p = {found.p_value:.2f})"
        if count
        else "There is no placebo date before it"
    )
    told = {
        "no_sign": "no sign of a change",
        "unconfirmed": "the interval is clear of 0, but that is too few dates to confirm a change",
        "changed": "the trend after it differs from the one before; this does not explain why",
    }[found.status]
    return f"{placebo}: {told}."


def _power(found: BeforeAfter) -> str:
    if found.detectable is not None:
        return (
            f"A change of {found.detectable:.2f} % a week would have been found in 80 % of cases, "
            "a smaller one less often."
        )
    missing = PLACEBO_DATES - len(found.placebos)
    return (
        f"No change could have been confirmed: that takes {PLACEBO_DATES} placebo dates, so at "
        f"least {missing} more weeks of training before the date."
    )


def _too_few(found: TooFew) -> str:
    nearest = ""
    if found.nearest is not None:
        lift, before, after = found.nearest
        nearest = f" The lift that is nearest to it, {lift}, was done {before} and {after} times."
    return (
        f"No trend is compared: that takes {WEEKS_BEFORE} weeks before and {WEEKS_AFTER} after "
        f"the date, and a lift done {EXPOSURES} times on each side of it in the half year around. "
        f"There are {found.weeks_before} weeks before and {found.weeks_after} after.{nearest}"
    )


def _too_few_sets(found: TooFewSets) -> str:
    return (
        f"Predictions are not judged: that takes {found.wanted} sets done with the planned "
        f"load, and there are {found.sets}."
    )


def _trend_row(trend: Trend) -> tuple[str, ...]:
    return (
        trend.name,
        f"{trend.exposures_before}/{trend.exposures_after}",
        f"{trend.slope_before.value:+.2f}",
        f"{trend.slope_after.value:+.2f}",
        f"{trend.slope_change.value:+.2f} {_interval(trend.slope_change)}",
    )


def _size(change: Change) -> str:
    return f"{abs(change.value):.2f}"


def _interval(change: Change, digits: int = 2) -> str:
    return f"[{change.low:+.{digits}f}, {change.high:+.{digits}f}]"


def _average(found: Average | None, sign: str = "", digits: int = 2) -> str:
    if found is None:
        return _NOTHING
    text = f"{found.value:{sign}.{digits}f}"
    if found.low is None or found.high is None:
        return text
    return f"{text} [{found.low:{sign}.{digits}f}, {found.high:{sign}.{digits}f}]"


def _share(found: Average | None, sign: str = "") -> str:
    if found is None:
        return _NOTHING
    ends = (None if each is None else 100 * each for each in (found.low, found.high))
    return _average(Average(100 * found.value, *ends), sign, 0)
