"""Health of the language models over days, from the ledger: failure rates and cost."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal

import duckdb

from coach_agent.domain.values import naive_utc
from coach_agent.llm.ledger import spent_today_of
from coach_agent.profile.model import AthleteProfile

_OVER = timedelta(days=7)
_LEAST_REQUESTS = 6  # two nights; the nightly check reports a single bad one
_MOST_FAILED_RATIO = 0.5


def llm_problems(
    con: duckdb.DuckDBPyConnection, athletes: Sequence[AthleteProfile], now: datetime
) -> list[str]:
    """Return problems with the requests of a week and the cost of today; the rules plan alone
    meanwhile.

    Each sentence starts with the athlete's id. The ledger is read once for all athletes.
    """
    spent = spent_today_of(con, {athlete.id: athlete.timezone for athlete in athletes}, now)
    failed = _failures(con, now)
    return [
        f"{athlete.id}: {problem}"
        for athlete in athletes
        for problem in (budget_reached(athlete, spent[athlete.id]), failed.get(athlete.id))
        if problem is not None
    ]


def _failures(con: duckdb.DuckDBPyConnection, now: datetime) -> dict[str, str]:
    """Return for each athlete a message if too many requests of the last week failed."""
    rows: list[tuple[str, int, int, str]] = con.execute(
        """
        select
            athlete_id,
            count(*) as asked,
            count(*) filter (where outcome = 'error') as failed,
            arg_max(error, asked_at) filter (where outcome = 'error') as last_error
        from coach.llm_calls
        where asked_at > $1 and outcome <> 'skipped'
        group by athlete_id
        having asked >= $2 and failed >= asked * $3
        """,
        [naive_utc(now - _OVER), _LEAST_REQUESTS, _MOST_FAILED_RATIO],
    ).fetchall()
    return {
        athlete_id: (
            f"{failed} of {asked} requests of the last 7 days failed, the last with: {error}. "
            "Run: spotter doctor"
        )
        for athlete_id, asked, failed, error in rows
    }


def budget_reached(athlete: AthleteProfile, spent: Decimal) -> str | None:
    """Return a message if the athlete's daily budget (USD) is spent, else None."""
    limit = Decimal(str(athlete.llm.budget_usd))
    if not limit or spent < limit:
        return None
    return (
        f"Today's {spent:.2f} USD for language models reach the budget of {limit:.2f}; until "
        "tomorrow the rules decide alone. It is llm.budget_usd of the profile."
    )
