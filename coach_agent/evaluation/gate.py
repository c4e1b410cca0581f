"""Release gate: limits that a version of the engine must keep."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from coach_agent.evaluation.cases import Case
from coach_agent.evaluation.engine_forecast import ENGINE, OWN
from coach_agent.evaluation.report import Bin, QuantityReport
from coach_agent.evaluation.safety import Safety
from coach_agent.evaluation.scores import Score, difference, measures_of

MOST_REPS_WORSE = 0.05
COVERAGE_PCT = (75.0, 85.0)
MOST_BIAS_PCT = 1.0
MOST_CALIBRATION_ERROR = 0.05

Status = Literal["kept", "broken", "not tested"]


@dataclass(frozen=True)
class Verdict:
    """The result of a limit. `measured` and `limit` are sentences for people.

    `not tested` means too few data for a result.
    """

    name: str
    status: Status
    measured: str
    limit: str


def reps_verdict(cases: Sequence[Case]) -> Verdict:
    """Check the engine's mean error in repetitions against the best simple forecast.

    The rival is the simple forecast with the smallest error on the same cases, chosen with
    hindsight; the bound is the upper end of the paired difference's 95 % interval.
    """
    mae = measures_of("reps")["mae"]
    names = [name for name in (cases[0].forecasts if cases else ()) if name not in OWN]
    versus = {name: difference(cases, ENGINE, name, mae) for name in names}
    differences = {name: each for name, each in versus.items() if each is not None}
    limit = f"at most {MOST_REPS_WORSE:g} above"
    if not differences:
        return Verdict("repetitions", "not tested", "no lifter has enough cases", limit)
    rival, worst = max(differences.items(), key=lambda each: each[1].value)
    if worst.high is None or worst.low is None:
        return Verdict("repetitions", "not tested", "one lifter alone gives no interval", limit)
    return Verdict(
        "repetitions",
        "kept" if worst.high <= MOST_REPS_WORSE else "broken",
        f"{worst.value:+.3f} [{worst.low:+.3f}, {worst.high:+.3f}] against {rival}",
        limit,
    )


def coverage_verdict(name: str, coverage: Score | None) -> Verdict:
    """Check the coverage of the 80 % interval; the share by lifter is only reported."""
    low, high = COVERAGE_PCT
    limit = f"{low:g} to {high:g} %"
    if coverage is None:
        return Verdict(name, "not tested", "no lifter has enough cases", limit)
    lifters = coverage.by_lifter.values()
    return Verdict(
        name,
        "kept" if low <= coverage.value <= high else "broken",
        f"{coverage.value:.1f} % ({min(lifters):.0f} to {max(lifters):.0f} by lifter)",
        limit,
    )


def bias_verdict(bias_pct: Score | None) -> Verdict:
    """Check that maxima are not expected too high or too low on average."""
    limit = f"less than {MOST_BIAS_PCT:g} %, up or down"
    if bias_pct is None:
        return Verdict("bias of e1RM", "not tested", "no lifter has enough cases", limit)
    status: Status = "kept" if abs(bias_pct.value) < MOST_BIAS_PCT else "broken"
    return Verdict("bias of e1RM", status, f"{bias_pct.value:+.2f} %", limit)


def calibration_verdicts(bins: Sequence[Bin]) -> tuple[Verdict, ...]:
    """Check for each fifth of the stated chances that targets were reached as often as stated."""
    return tuple(_calibration_verdict(each) for each in bins)


def _calibration_verdict(chance_bin: Bin) -> Verdict:
    name = f"chance {chance_bin.low:g} to {chance_bin.high:g}"
    limit = f"less than {MOST_CALIBRATION_ERROR:g} apart"
    if chance_bin.stated is None or chance_bin.came is None or chance_bin.error is None:
        return Verdict(name, "not tested", "never stated", limit)
    measured = (
        f"{chance_bin.stated:.3f} stated, {chance_bin.came:.3f} came, {chance_bin.count} cases"
    )
    if not chance_bin.is_tested:
        return Verdict(name, "not tested", measured, limit)
    return Verdict(
        name, "kept" if chance_bin.error < MOST_CALIBRATION_ERROR else "broken", measured, limit
    )


def violation_verdicts(found: Sequence[Safety]) -> tuple[Verdict, ...]:
    """Check hard limits of the prescriptions: none may be broken once."""
    sets = sum(each.set_count for each in found)
    verdicts = []
    for limit in found[0].violations if found else ():
        count = sum(each.violations[limit] for each in found)
        status: Status = "not tested" if not sets else "broken" if count else "kept"
        verdicts.append(Verdict(limit, status, f"{count} times in {sets} sets", "never"))
    return tuple(verdicts)


def verdicts(
    cases: Sequence[Case],
    reps: QuantityReport,
    e1rm: QuantityReport,
    safety: Sequence[Safety] = (),
) -> tuple[Verdict, ...]:
    """Return all limits; `cases` are those of repetitions, `safety` is empty without plans."""
    of_reps, of_e1rm = (each.of(ENGINE).scores if each.predictors else {} for each in (reps, e1rm))
    return (
        reps_verdict(cases),
        coverage_verdict("80 % interval of repetitions", of_reps.get("coverage_pct")),
        coverage_verdict("80 % interval of e1RM", of_e1rm.get("coverage_pct")),
        bias_verdict(of_e1rm.get("bias_pct")),
        *calibration_verdicts(reps.calibration),
        *violation_verdicts(safety),
    )
