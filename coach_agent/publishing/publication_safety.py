"""Conditions against publishing a plan; a refusal is a sentence. Pure: no I/O."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from coach_agent.domain.plan import Plan
from coach_agent.domain.red_flags import how_to_clear
from coach_agent.profile.model import AthleteProfile

_UNIT_OF_ACCOUNT = {"kg": "kg", "lbs": "lb"}


@dataclass(frozen=True)
class StoredFacts:
    """Stored facts that can block the publication of a plan, as of `at`; all times are UTC.

    `is_red_flagged`: a red flag is open, also one reported after the decision. `read_at` is the
    last complete read of workouts and routines. `later_workouts` are the starts of the routine's
    workouts that were loaded after the decision, `last_trained_at` is the latest one known to it.
    `template_ids` are the exercises of the account's catalogue. `account_unit` is the unit of loads
    that the account shows.
    """

    at: datetime
    is_red_flagged: bool
    read_at: datetime | None
    later_workouts: tuple[datetime, ...]
    last_trained_at: datetime | None
    template_ids: frozenset[str]
    account_unit: str | None


def why_unsafe(athlete: AthleteProfile, plan: Plan, facts: StoredFacts) -> str | None:
    """Return the first reason against publishing at the time of the facts, or None."""
    return (
        _red_flag(facts)
        or staleness(athlete, facts.read_at, facts.at)
        or _newer_workout(facts)
        or _unknown_exercise(plan, facts)
        or _unit_doubt(athlete, facts)
    )


def _red_flag(facts: StoredFacts) -> str | None:
    """Return a reason if a red flag is open."""
    if not facts.is_red_flagged:
        return None
    # The reason is logged: it contains no health data.
    return f"A red flag was reported; nothing is published. {how_to_clear()}"


def staleness(athlete: AthleteProfile, read_at: datetime | None, now: datetime) -> str | None:
    """Return a reason if the athlete's data are too stale to publish from, else None.

    `read_at` is the last complete read of workouts and routines, None without one.
    """
    if read_at is None:
        return "Workouts and routines were never read completely; nothing is published."
    if not is_too_old(athlete, read_at, now):
        return None
    hours = (now - read_at).total_seconds() / 3600
    return f"Hevy was last read {hours:.0f} hours ago; nothing is published."


def is_too_old(athlete: AthleteProfile, read_at: datetime, now: datetime) -> bool:
    """Return true if data read then are too stale to publish, by the athlete's profile."""
    return now - read_at > timedelta(hours=athlete.publish.max_sync_age_hours)


def _newer_workout(facts: StoredFacts) -> str | None:
    """Return a reason if a workout of the routine was loaded after the decision."""
    known = facts.last_trained_at
    for started_at in facts.later_workouts:
        if known is None or started_at.astimezone(UTC) > known:
            return (
                "A workout of this routine is newer than the plan; the next run makes a new plan."
            )
    return None


def _unknown_exercise(plan: Plan, facts: StoredFacts) -> str | None:
    """Return a reason if the account's catalogue lacks an exercise of the plan."""
    for slot in plan.slots:
        if slot.sets and slot.exercise_template_id not in facts.template_ids:
            return f"{slot.exercise_title} is not in the account's catalogue; nothing is published."
    return None


def _unit_doubt(athlete: AthleteProfile, facts: StoredFacts) -> str | None:
    """Return a reason if the account's unit differs from the profile's default."""
    shown = facts.account_unit
    unit = _UNIT_OF_ACCOUNT.get(str(shown))
    if "unit" in athlete.gym_table.model_fields_set or unit is None:
        return None
    if unit == athlete.gym_table.unit:
        return None
    return (
        f"Your Hevy account shows {shown}, and the profile has no unit for the gym's loads; "
        f'nothing is published. Write equipment.unit = "{unit}" or "kg" into it.'
    )
