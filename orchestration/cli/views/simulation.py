"""Tables of a simulation."""

from collections.abc import Mapping, Sequence
from statistics import median

from rich.table import Table

from coach_agent.evaluation.closed_loop_measures import Measures
from orchestration.services.simulations.simulation import BestFixed
from orchestration.services.simulations.simulator_check import Comparison

Rows = Sequence[tuple[str, ...]]


def rows_of(policies: Mapping[str, Measures], best: BestFixed | None) -> Rows:
    """Return a row per measure and a column per policy; the first row has the names."""
    found = list(policies.values())
    rows = [
        ("", *policies),
        ("strength gained, median lifter, %", *(f"{each.gain_pct:.1f}" for each in found)),
    ]
    if best is not None:
        rows += [
            (
                "… as a share of the best fixed policy, %",
                *(_percent(each.gain_pct / best.gain_pct) for each in found),
            ),
            (
                "… of the best one for each lifter, median, %",
                *(_of_best(each.gains_pct, best.gains_pct) for each in found),
            ),
            (
                "… of the best one with the routine's sets, median, %",
                *(_of_best(each.gains_pct, best.same_sets_pct) for each in found),
            ),
        ]
    stalls, layoffs = [each.stalls for each in found], [each.layoffs for each in found]
    return [
        *rows,
        ("sets below the target, %", *(_percent(each.missed) for each in found)),
        ("hard sets with 4 or more left, %", *(_percent(each.easy) for each in found)),
        ("hard sets 3 or more beyond the goal, %", *(_percent(each.sandbag) for each in found)),
        ("repetitions left, mean of hard sets", *(f"{each.mean_reserve:.1f}" for each in found)),
        ("sets 15 % above ability", *(str(each.overshoots) for each in found)),
        ("… three exposures in a row", *(str(each.diverged) for each in found)),
        ("injuries by a plan", *(str(each.injuries) for each in found)),
        ("deloads, % of sessions", *(_percent(each.deloads) for each in found)),
        ("muscle weeks of 4 to 20 hard sets, %", *(_percent(each.in_band) for each in found)),
        ("stalls found, of lifts that stand still, %", *(_percent(each.hits) for each in stalls)),
        (
            "false alarms, of lifts gaining 0.5 %, %",
            *(_percent(one.false_alarms) for one in stalls),
        ),
        ("… as the rule states them, %", *(_percent(each.stated) for each in stalls)),
        ("load after more than 16 days off, %", *(_percent(each.first_share) for each in layoffs)),
        ("… back within 4 exposures, %", *(_percent(each.within_4) for each in layoffs)),
    ]


def chance_rows(policies: Mapping[str, Measures]) -> Rows:
    """Return the share of reached targets by stated probability."""
    rows: list[tuple[str, ...]] = [("policy", "stated", "targets", "mean stated", "reached")]
    for name, found in policies.items():
        rows += [
            (
                name,
                f"{each.low:.1f} to {each.high:.1f}",
                str(each.count),
                f"{each.stated:.2f}",
                f"{each.reached:.2f}",
            )
            for each in found.chances
            if each.stated is not None and each.reached is not None
        ]
    return rows


def best_text(best: BestFixed) -> str:
    """Describe the best fixed policy."""
    policy = best.policy
    often = (
        f"after {policy.exposures_a_step} successes"
        if policy.exposures_a_step > 1
        else "after each success"
    )
    deload = f"a deload every {policy.deload_weeks} weeks" if policy.deload_weeks else "no deload"
    sets = f"{policy.more_sets:+d} sets" if policy.more_sets else "the routine's sets"
    return (
        f"Best fixed policy: {policy.steps} load{'s' if policy.steps > 1 else ''} up {often} at "
        f"{policy.rep_share:.0%} of the range, {sets}, {deload}: {best.gain_pct:.1f} %."
    )


def markdown_table(rows: Rows) -> str:
    """Format the rows as a Markdown table."""
    head, *rest = rows
    lines = [head, ("---",) * len(head), *rest]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def rich_table(rows: Rows) -> Table:
    """Return the rows as a terminal table."""
    head, *rest = rows
    table = Table(box=None)
    for at, name in enumerate(head):
        table.add_column(name, justify="right" if at else "left")
    for cells in rest:
        table.add_row(*cells)
    return table


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _of_best(gains: Sequence[float], best: Sequence[float]) -> str:
    """Return the median share of each lifter's own best gain; lifters without gains are skipped."""
    shares = [one / other for one, other in zip(gains, best, strict=True) if other > 0]
    return _percent(median(shares)) if shares else "-"


def published_rows(compared: Sequence[Comparison]) -> Rows:
    """Return a row per quantity with its published value, and the header first."""
    return [("quantity", "published", "source", "simulated"), *compared]
