"""Age of an athlete's training data, and the command to load newer data."""

from datetime import date, datetime

from coach_agent.domain.days import local_date
from coach_agent.domain.plan import Plan
from coach_agent.journal.current_plans import JournaledPlan, PlanReport
from coach_agent.language.messages import day_text, phrase
from coach_agent.profile.model import AthleteProfile

STALE_DAYS = 21
"""Days without a workout after which data are stale: longer than holidays of two weeks."""


def stale_training(
    profile: AthleteProfile, journaled: JournaledPlan | PlanReport, today: date
) -> str:
    """Return the age of the latest workout and the command to update; empty if recent."""
    at = journaled.last_workout_at or _last_done(journaled.plan)
    return "" if at is None else stale_since(profile, local_date(at, profile.timezone), today)


def stale_since(profile: AthleteProfile, last: date, today: date) -> str:
    """Return the same text for a known day of the latest workout."""
    days = (today - last).days
    if days < STALE_DAYS:
        return ""
    how = phrase("stale-run")
    if profile.hevy.account == "none":
        how = phrase("stale-import", athlete=profile.id)
    return f"{phrase('stale', days=days, day=day_text(last, 'day-two-digits'))} {how}"


def _last_done(plan: Plan) -> datetime | None:
    return max((slot.last_done_at for slot in plan.slots if slot.last_done_at), default=None)
