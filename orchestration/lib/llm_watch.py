"""How the language models do over days, from the ledger: how often they fail, what they cost."""

from datetime import datetime, timedelta
from decimal import Decimal

import duckdb

from coach_agent.llm.ledger import spent_today
from coach_agent.profile import AthleteProfile
from coach_agent.values import naive_utc

_OVER = timedelta(days=7)
_LEAST_REQUESTS = 6  # two nights; a single bad one is told by the night's own check
_MOST_FAILED_RATIO = 0.5


def llm_problems(
    con: duckdb.DuckDBPyConnection, athlete: AthleteProfile, now: datetime
) -> list[str]:
    """What of a week's requests, and of today's money, wants a look; the rules go on alone."""
    rows: list[tuple[int, int, str | None]] = con.execute(
        """
        select
            count(*),
            count(*) filter (where outcome = 'error'),
            arg_max(error, asked_at) filter (where outcome = 'error')
        from coach.llm_calls
        where athlete_id = $1 and asked_at > $2 and outcome <> 'skipped'
        """,
        [athlete.id, naive_utc(now - _OVER)],
    ).fetchall()
    asked, failed, error = rows[0]
    problems = [spent] if (spent := budget_reached(con, athlete, now)) else []
    if asked >= _LEAST_REQUESTS and failed >= asked * _MOST_FAILED_RATIO:
        problems.append(
            f"{failed} of {asked} requests of the last 7 days failed, the last with: {error}. "
            "Run: spotter doctor"
        )
    return problems


def budget_reached(
    con: duckdb.DuckDBPyConnection, athlete: AthleteProfile, now: datetime
) -> str | None:
    """That the money of the athlete's day is spent, or None; USD."""
    limit = Decimal(str(athlete.llm.budget_usd))
    spent = spent_today(con, athlete.id, athlete.timezone, now)
    if not limit or spent < limit:
        return None
    return (
        f"Today's {spent:.2f} USD for language models reach the budget of {limit:.2f}; until "
        "tomorrow the rules decide alone. It is llm.budget_usd of the profile."
    )
