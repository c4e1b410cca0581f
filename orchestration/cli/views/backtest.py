"""Tables of a backtest, for the terminal and as Markdown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.markup import escape
from rich.table import Table

from coach_agent.evaluation.cases import Quantity
from coach_agent.evaluation.engine_forecast import ENGINE, OWN
from coach_agent.evaluation.gate import Verdict
from coach_agent.evaluation.predictors import REPEAT_LAST
from coach_agent.evaluation.recovery import RecoveryBenefit
from coach_agent.evaluation.report import Backtest, PredictorReport, QuantityReport, SliceReport
from coach_agent.evaluation.safety import Safety
from coach_agent.evaluation.scores import Score

_TITLES: dict[Quantity, str] = {
    "reps": "Repetitions of the top set, with the load that was used",
    "e1rm": "Best e1RM of the session",
    "rpe": "Stated RPE, with load and repetitions",
    "minutes": "Minutes of the session, with its number of sets",
}
_COLUMNS = {
    "mae": "MAE",
    "within_1_pct": "within 1, %",
    "within_2_pct": "within 2, %",
    "bias": "bias",
    "pinball": "pinball",
    "coverage_pct": "80 % covers, %",
    "half_width": "± half-width",
    "brier": "Brier",
    "censored_mae": "MAE, censored",
    "near_maximal_mae": "MAE, to failure",
    "mape": "MAPE",
    "median_ape": "median APE",
    "bias_pct": "bias, %",
    "within_2_5_pct": "within 2.5 %, %",
    "within_5_pct": "within 5 %, %",
    "pinball_pct": "pinball, %",
    "half_width_pct": "± half-width, %",
    "censored_mape": "MAPE, censored",
    "near_maximal_mape": "MAPE, to failure",
}
_SECONDARY = {
    "pinball",
    "pinball_pct",
    "coverage_pct",
    "half_width",
    "half_width_pct",
    "brier",
    "censored_mae",
    "censored_mape",
    "near_maximal_mae",
    "near_maximal_mape",
}
_WITH_INTERVAL = {"mae", "mape"}
_NOTHING = "-"
_LOAD_MARK = " †"


@dataclass(frozen=True)
class TextTable:
    """A table of texts; the first column names its rows. `note` is printed below it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def tables_of(
    found: Backtest,
    safety: Sequence[Safety],
    verdicts: Sequence[Verdict],
    recovery: RecoveryBenefit | None = None,
) -> Iterator[TextTable]:
    """Yield all tables of a backtest, the most important last, next to the prompt.

    `recovery` is that of an athlete in the warehouse.
    """
    yield _inputs(found)
    for quantity in found.quantities.values():
        if quantity.predictors:
            yield _errors(quantity)
            if shown := [key for key in quantity.measures if key in _SECONDARY]:
                yield _secondary(quantity, shown)
        else:
            yield TextTable(_TITLES[quantity.quantity], ("nothing to test",), ())
    for quantity in found.quantities.values():
        if quantity.slices:
            yield _slices(quantity)
    yield _calibration(found.quantities["reps"])
    if recovery is not None:
        yield _recovery(recovery)
    if safety:
        yield _safety(safety)
    yield _gate(verdicts)


def markdown(table: TextTable) -> str:
    """Format the table as Markdown with a heading."""
    lines = [f"### {table.title}", ""]
    if table.rows:
        cells = (table.columns, ("---",) * len(table.columns), *table.rows)
        lines += [f"| {' | '.join(row)} |" for row in cells]
    else:
        lines.append(f"{table.columns[0].capitalize()}.")
    if table.note:
        lines += ["", table.note]
    return "\n".join([*lines, ""])


def rich_table(table: TextTable) -> Table:
    """Return the table for a terminal."""
    shown = Table(
        title=escape(table.title),
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    shown.caption = escape(table.note) or None
    for place, column in enumerate(table.columns):
        shown.add_column(escape(column), justify="left" if place == 0 else "right")
    for row in table.rows:
        shown.add_row(*map(escape, row), style="bold" if row[0] == ENGINE else None)
    return shown


def headline(found: Backtest) -> TextTable:
    """Return the table of forecasts: errors of repetitions and maxima by forecaster."""
    reps, e1rm = found.quantities["reps"], found.quantities["e1rm"]
    columns = ("forecast", "MAE, reps", "less repeat last", "e1RM: MAPE", "less repeat last")
    rows = []
    for each in reps.predictors:
        other = next((one for one in e1rm.predictors if one.name == each.name), None)
        rows.append(
            (
                each.name,
                _score(each.scores["mae"], "mae", is_with_interval=True),
                _difference(each, "mae"),
                _NOTHING if other is None else _score(other.scores["mape"], "mape") + _mark(other),
                _NOTHING if other is None else _difference(other, "mape"),
            )
        )
    return TextTable("Forecasts", columns, tuple(rows), _note(found, e1rm))


def _inputs(found: Backtest) -> TextTable:
    reps = found.quantities["reps"]
    unread = sum(each.rejected_rows for each in found.inputs)
    left_out = f" {unread} {'row' if unread == 1 else 'rows'} could not be read." if unread else ""
    return TextTable(
        "What was read",
        ("lifter", "sessions", "exposures", "doubted sets", "asked about", "sha256"),
        tuple(
            (
                each.lifter,
                str(each.sessions),
                str(each.exposures),
                str(each.doubted_sets),
                str(reps.cases_by_lifter.get(each.lifter, 0)),
                each.sha256[:12],
            )
            for each in found.inputs
        ),
        f"Rules {found.rule_version}; seed {found.seed}, {found.draws} draws of lifters. A lifter "
        f"counts with {found.fewest_cases} cases or more.{left_out}",
    )


def _note(found: Backtest, e1rm: QuantityReport) -> str:
    lifters = len(e1rm.cases_by_lifter)
    return (
        f"{e1rm.cases} cases of {lifters} lifters, averaged by lifter; in brackets the 95 % "
        f"interval of a bootstrap over lifters. † receives today's load. "
        f"Rules {found.rule_version}."
    )


def _errors(quantity: QuantityReport) -> TextTable:
    main = quantity.measures[0]
    shown = [key for key in quantity.measures if key not in _SECONDARY]
    rows = tuple(
        (
            each.name + _mark(each),
            *(_score(each.scores[key], key, is_with_interval=True) for key in shown),
            _difference(each, main),
        )
        for each in quantity.predictors
    )
    note = f"{quantity.cases} cases of {len(quantity.cases_by_lifter)} lifters."
    if any(each.is_told_weight for each in quantity.predictors):
        note += f"{_LOAD_MARK} receives today's load, which no forecast before a session knows."
    columns = ("forecast", *(_COLUMNS[key] for key in shown), "less repeat last")
    return TextTable(_TITLES[quantity.quantity], columns, rows, note)


def _secondary(quantity: QuantityReport, shown: Sequence[str]) -> TextTable:
    return TextTable(
        f"{_TITLES[quantity.quantity]}: how sure, and how near to failure",
        ("forecast", *(_COLUMNS[key] for key in shown)),
        tuple(
            (each.name + _mark(each), *(_score(each.scores[key], key) for key in shown))
            for each in quantity.predictors
        ),
    )


def _slices(quantity: QuantityReport) -> TextTable:
    main = quantity.measures[0]
    told = {each.name for each in quantity.predictors if each.is_told_weight}
    return TextTable(
        f"{_TITLES[quantity.quantity]}, in parts ({_COLUMNS[main]})",
        ("part", "cases", "repeat last", "best simple one", "engine", "engine less repeat last"),
        tuple(_slice(each, main, told) for each in quantity.slices),
    )


def _slice(part: SliceReport, key: str, told: set[str]) -> tuple[str, ...]:
    simple = {
        name: score.value
        for name, score in part.scores.items()
        if score is not None and name not in {*OWN, *told}
    }
    best = min(simple, key=lambda name: simple[name], default=None)
    return (
        part.name,
        str(part.cases),
        _score(part.scores[REPEAT_LAST], key),
        _NOTHING if best is None else f"{best} {_number(simple[best], key)}",
        _score(part.scores[ENGINE], key),
        _with_interval(part.versus_repeat_last[ENGINE], key),
    )


def _calibration(reps: QuantityReport) -> TextTable:
    rows = tuple(
        (
            f"{each.low:g} to {each.high:g}",
            str(each.count),
            _NOTHING if each.stated is None else f"{each.stated:.3f}",
            _NOTHING if each.came is None else f"{each.came:.3f}",
            _NOTHING if each.error is None else f"{each.error:.3f}",
            "yes" if each.is_tested else "not tested",
        )
        for each in reps.calibration
    )
    return TextTable(
        "The engine's chance to repeat the last top set's repetitions",
        ("chance", "cases", "stated", "came", "apart", "enough cases"),
        rows,
    )


def _safety(safety: Sequence[Safety]) -> TextTable:
    limits = tuple(safety[0].violations)
    examples = "; ".join(
        f"{limit}: {lifter.lifter}, {text}"
        for limit in limits
        for lifter, text in [
            (each, each.examples[limit]) for each in safety if limit in each.examples
        ][:1]
    )
    return TextTable(
        "What the engine would have prescribed",
        ("lifter", "days", "sets", *limits, "less likely than not, %", "3 reps above target, %"),
        tuple(
            (
                each.lifter,
                str(each.day_count),
                str(each.set_count),
                *(str(each.violations[limit]) for limit in limits),
                _share_pct(each.unlikely_count, each.stated_count),
                _share_pct(each.sandbag_count, each.answered_count),
            )
            for each in safety
        ),
        examples and f"The first of each: {examples}.",
    )


def _recovery(found: RecoveryBenefit) -> TextTable:
    def pct(value: float | None, sign: str = "") -> str:
        return _NOTHING if value is None else f"{value:{sign}.2f}"

    difference = pct(found.difference_pct, "+")
    if found.low_pct is not None:
        difference += f" [{pct(found.low_pct, '+')}, {pct(found.high_pct, '+')}]"
    return TextTable(
        "Readiness: e1RM on days of lowered recovery, against the engine's forecast",
        (
            "answer",
            "lowered days",
            "other days",
            "lowered less other, %",
            "error without, %",
            "error with, %",
            "target reached, %",
            "on other days, %",
        ),
        (
            (
                found.verdict,
                str(found.lowered_days),
                str(found.other_days),
                difference,
                pct(found.without_pct),
                pct(found.with_pct),
                pct(found.reached_lowered_pct),
                pct(found.reached_other_pct),
            ),
        ),
        f"Training days with a forecast; {found.unknown_days} more have no readiness. An answer "
        f"needs {found.fewest_days} days of each kind. In brackets the 95 % interval; errors are "
        f"those of the last {found.tested_days} lowered days, with what earlier ones taught.",
    )


def _share_pct(count: int, of: int) -> str:
    return f"{100 * count / of:.1f}" if of else _NOTHING


def _gate(verdicts: Sequence[Verdict]) -> TextTable:
    return TextTable(
        "Limits for a release of the engine",
        ("limit", "status", "measured", "allowed"),
        tuple((each.name, each.status, each.measured, each.limit) for each in verdicts),
    )


def _mark(predictor: PredictorReport) -> str:
    return _LOAD_MARK if predictor.is_told_weight else ""


def _difference(predictor: PredictorReport, key: str) -> str:
    if predictor.name == REPEAT_LAST:
        return _NOTHING
    return _with_interval(predictor.versus_repeat_last, key)


def _with_interval(score: Score | None, key: str) -> str:
    if score is None:
        return _NOTHING
    text = _number(score.value, key, sign="+")
    if score.low is None or score.high is None:
        return text
    return f"{text} [{_number(score.low, key, sign='+')}, {_number(score.high, key, sign='+')}]"


def _score(score: Score | None, key: str, *, is_with_interval: bool = False) -> str:
    if score is None:
        return _NOTHING
    sign = "+" if key.startswith("bias") else ""
    text = _number(score.value, key, sign=sign)
    if not is_with_interval or key not in _WITH_INTERVAL or score.low is None or score.high is None:
        return text
    return f"{text} [{_number(score.low, key)}, {_number(score.high, key)}]"


def _number(value: float, key: str, sign: str = "") -> str:
    digits = 1 if key.startswith(("within", "coverage")) else 3 if key == "brier" else 2
    return f"{value:{sign}.{digits}f}"
