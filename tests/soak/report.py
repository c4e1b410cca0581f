"""Compare the state after a soak with an undisturbed one, and its costs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import linear_regression
from typing import Any

from rich.table import Table

from tests.end_to_end.outcome import marts
from tests.end_to_end.world import without_times
from tests.soak.days import Day, World

_RAW = ("workouts", "routines", "exercise_templates", "routine_folders", "body_measurements")
# The first days fill caches.
_WARM_UP_DAYS = 3


def state_of(world: World) -> dict[str, Any]:
    """Return the state that must not depend on faults: account, raw tables, plans and marts.

    Times are excluded: a killed run decides an hour later.
    """
    home, account = world.home, world.simulator.account.state()
    found: dict[str, Any] = {
        "account.workouts": account.workouts,
        "account.routines": [without_times(each) for each in account.routines],
        "coach.plans": home.query("select distinct plan_id, plan from coach.plans order by all"),
        "coach.publications": home.query(
            "select plan_id, state, diff from coach.publications order by all"
        ),
    }
    for entity in _RAW:
        found[f"raw.hevy_{entity}"] = home.query(
            f"select distinct athlete_id, record_id, payload_sha256, is_deleted "
            f"from raw.hevy_{entity} order by all"
        )
    found["raw.quarantine"] = home.query("select count(*) from raw.quarantine")
    return found | {f"marts.{name}": rows for name, rows in marts(home).items()}


def differences(disturbed: Mapping[str, Any], undisturbed: Mapping[str, Any]) -> dict[str, str]:
    """Return the differences by name; empty if both are equal."""
    told = {}
    for name in sorted(disturbed.keys() | undisturbed.keys()):
        ours, theirs = disturbed.get(name, []), undisturbed.get(name, [])
        if ours != theirs:
            more = [row for row in ours if row not in theirs]
            less = [row for row in theirs if row not in ours]
            told[name] = (
                f"{len(ours)} rows beside {len(theirs)}; only here {str(more[:1])[:400]}, "
                f"only there {str(less[:1])[:400]}"
            )
    return told


def growth_mb_a_day(days: Sequence[Day], server: str) -> float:
    """Return the slope of a server's resident memory after the first days, in MB a day."""
    later = days[_WARM_UP_DAYS:]
    if len(later) < 2:
        return 0.0
    sizes = [getattr(day, server).rss_mb for day in later]
    return linear_regression([day.number for day in later], sizes).slope


def summary(days: Sequence[Day]) -> dict[str, Any]:
    """Return the figures of a soak as plain values."""
    runs: Counter[str] = Counter()
    for day in days:
        runs.update(day.runs)
    return {
        "days": len(days),
        "seconds": round(sum(day.seconds for day in days), 1),
        "runs": dict(runs),
        "troubles": dict(Counter(each.split(":")[0] for day in days for each in day.troubles)),
        "longest_healing_min": round(max(day.healed_after_min for day in days), 1),
        "temporary_files": [days[0].temporary_files, days[-1].temporary_files],
        "home_mb": [round(days[0].home_mb, 1), round(days[-1].home_mb, 1)],
        **{
            server: {
                "rss_mb": [round(getattr(day, server).rss_mb, 1) for day in (days[0], days[-1])],
                "growth_mb_a_day": round(growth_mb_a_day(days, server), 2),
                "open_files": [getattr(day, server).files for day in (days[0], days[-1])],
                "processes": [getattr(day, server).processes for day in (days[0], days[-1])],
            }
            for server in ("code", "daemon")
        },
    }


def table_of(title: str, days: Sequence[Day]) -> Table:
    """Build a table with a row per day."""
    table = Table(title=title)
    for name in ("day", "went wrong", "runs", "healed", "s", "code MB", "daemon MB", "home MB"):
        table.add_column(name, justify="left" if name in ("went wrong", "runs") else "right")
    for day in days:
        table.add_row(
            str(day.number + 1),
            ", ".join(day.troubles),
            ", ".join(f"{count} {status.lower()}" for status, count in day.runs.items()),
            f"{day.healed_after_min:.0f} min" if day.healed_after_min else "",
            f"{day.seconds:.0f}",
            f"{day.code.rss_mb:.0f}",
            f"{day.daemon.rss_mb:.0f}",
            f"{day.home_mb:.1f}",
        )
    return table
