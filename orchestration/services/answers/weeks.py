"""Answers about weeks: volume of muscles and exercises, training days and streak."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Literal

from coach_agent.domain.days import monday_of
from coach_agent.language.messages import capitalise
from orchestration.services.answers.answer import Answer, Draft
from orchestration.services.answers.training import Exercise, Training
from orchestration.services.releases.released import Row
from orchestration.text.measures import day_text, estimate_text, name_text, short_day_text

Week = Literal["this", "last"]
_MUSCLES = "fct_muscle_week"
_SESSIONS = "fct_exercise_session"
_CONSISTENCY = "fct_consistency_week"
_WEEKS_SHOWN = 4
_BANDS = {
    "low": "low",
    "effective": "effective",
    "high": "high",
    "check_recovery": "check your recovery",
}

_OF_MUSCLES = """
    select muscle_group, week_start_date, fractional_set_count, direct_set_count, volume_band
    from fct_muscle_week
    where
        athlete_id = $1
        and ($2 = '' or list_contains(string_split($2, ','), muscle_group))
        and week_start_date between cast($3 as date) and cast($4 as date)
    order by muscle_group, week_start_date desc
"""
_OF_EXERCISE = """
    select
        week_start_date, sum(working_set_count) as working_set_count, sum(volume_kg) as volume_kg
    from fct_exercise_session
    where
        athlete_id = $1 and exercise_key = $2
        and week_start_date between cast($3 as date) and cast($4 as date)
    group by week_start_date
    order by week_start_date desc
"""
_LATEST_WEEK = "select max(week_start_date) as week from fct_workout where athlete_id = $1"
_TOTAL = """
    select count(*) as workout_count, min(workout_date) as first_date
    from fct_workout where athlete_id = $1
"""
_WEEKS = """
    select week_start_date, workout_count, training_day_count, streak_weeks
    from fct_consistency_week where athlete_id = $1
    order by week_start_date desc limit 5
"""


def volume(
    training: Training,
    exercise: Exercise | None = None,
    muscles: Sequence[str] = (),
    week: Week | None = None,
) -> Answer:
    """Return hard sets a week of muscles, or sets and tonnage of an exercise.

    Without `week` it covers four weeks up to the latest trained one, of all muscles that week.
    """
    draft = Draft("volume")
    span = _span(training, week)
    if span is None:
        return draft.nothing("There is no workout yet.")
    first, last = span
    if exercise is not None:
        return _volume_of_exercise(draft, training, exercise, first, last)
    if not muscles:
        first = last
    wanted = ",".join(muscles)
    found = training.rows(_OF_MUSCLES, wanted, first.isoformat(), last.isoformat())
    groups: dict[str, list[Row]] = {}
    for row in found:
        groups.setdefault(row["muscle_group"], []).append(row)
    if not muscles:
        groups = {name: rows for name, rows in groups.items() if _has_sets(rows)}
    for name in muscles:
        if name not in groups:
            draft.line(f"{name_text(name)}: no hard set {_span_text(first, last)}.")
    for name, rows in groups.items():
        draft.line(f"{name_text(name)}, hard sets: {_muscle_weeks(draft, name, rows)}.")
    if draft.is_empty or not groups:
        named = " or ".join(name_text(each).lower() for each in muscles) or "any muscle"
        return draft.nothing(f"There is no hard set for {named} {_span_text(first, last)}.")
    draft.line("A set that helps a muscle counts half. Studies: 4 to 20 sets a week.")
    return draft.answer()


def consistency(training: Training, week: Week | None = None) -> Answer:
    """Return the streak of weeks and the training days of the latest weeks."""
    draft = Draft("consistency")
    found = training.rows(_WEEKS)
    if not found:
        return draft.nothing("There is no workout yet.")
    monday = monday_of(training.today)
    if week is not None:
        wanted = monday if week == "this" else monday - timedelta(days=7)
        rows = [row for row in found if row["week_start_date"] == wanted]
        if not rows:
            return draft.nothing(f"No workout in the week of {short_day_text(wanted)}.")
        draft.line(f"{capitalise(_days_of_week(draft, rows[0]))}.")
        return draft.answer()
    # The current week may still get a workout, so only a whole week without one ends the streak.
    latest = next((row for row in found if row["workout_count"]), found[0])
    key = {"week_start_date": latest["week_start_date"]}
    if latest["week_start_date"] >= monday - timedelta(days=7):
        streak = latest["streak_weeks"]
        text = f"{streak} week" if streak == 1 else f"{streak} weeks"
        draft.line(f"Streak: {draft.fact(text, _CONSISTENCY, key, 'streak_weeks')} with training.")
    else:
        day = draft.fact(
            short_day_text(latest["week_start_date"]), _CONSISTENCY, key, "week_start_date"
        )
        draft.line(f"No streak right now: the last week with training is that of {day}.")
    for row in found[:_WEEKS_SHOWN]:
        draft.line(f"  {_days_of_week(draft, row)}")
    [total] = training.rows(_TOTAL)
    count = draft.fact(
        f"{total['workout_count']:,} workouts", "fct_workout", {}, "workout_id", "count"
    )
    since = draft.fact(day_text(total["first_date"]), "fct_workout", {}, "workout_date", "min")
    draft.line(f"In all: {count} since {since}.")
    return draft.answer()


def _volume_of_exercise(
    draft: Draft, training: Training, exercise: Exercise, first: date, last: date
) -> Answer:
    rows = training.rows(_OF_EXERCISE, exercise.key, first.isoformat(), last.isoformat())
    if not rows:
        return draft.nothing(f"There is no set of {exercise.title} {_span_text(first, last)}.")
    draft.line(f"{exercise.title}, working sets by week:")
    for row in rows:
        key: dict[str, Any] = {
            "exercise_key": exercise.key,
            "week_start_date": row["week_start_date"],
        }
        count = draft.fact(
            _sets(row["working_set_count"]), _SESSIONS, key, "working_set_count", "sum"
        )
        line = f"{_week_text(draft, _SESSIONS, key)}: {count}"
        if row["volume_kg"] is not None:
            load = estimate_text(row["volume_kg"], training.unit)
            line += f", {draft.fact(load, _SESSIONS, key, 'volume_kg', 'sum')} lifted"
        draft.line(f"  {line}")
    return draft.answer()


def _muscle_weeks(draft: Draft, muscle: str, rows: Sequence[Row]) -> str:
    shown = []
    for row in rows:
        key = {"muscle_group": muscle, "week_start_date": row["week_start_date"]}
        count = draft.fact(
            f"{row['fractional_set_count']:g}", _MUSCLES, key, "fractional_set_count"
        )
        band = _BANDS.get(row["volume_band"] or "")
        shown.append(f"{_week_text(draft, _MUSCLES, key)} {count}" + (f" ({band})" if band else ""))
    return ", ".join(shown)


def _has_sets(rows: Sequence[Row]) -> bool:
    return any(row["fractional_set_count"] for row in rows)


def _days_of_week(draft: Draft, row: Row) -> str:
    key = {"week_start_date": row["week_start_date"]}
    days = row["training_day_count"]
    text = f"{days} training day" if days == 1 else f"{days} training days"
    shown = draft.fact(text, _CONSISTENCY, key, "training_day_count")
    return f"{_week_text(draft, _CONSISTENCY, key)}: {shown}"


def _week_text(draft: Draft, mart: str, key: dict[str, Any]) -> str:
    monday = short_day_text(key["week_start_date"])
    return f"week of {draft.fact(monday, mart, key, 'week_start_date')}"


def _span(training: Training, week: Week | None) -> tuple[date, date] | None:
    """Return the first and the last Monday; None without a workout."""
    monday = monday_of(training.today)
    if week is not None:
        wanted = monday if week == "this" else monday - timedelta(days=7)
        return wanted, wanted
    latest: date | None = training.rows(_LATEST_WEEK)[0]["week"]
    if latest is None:
        return None
    return latest - timedelta(weeks=_WEEKS_SHOWN - 1), latest


def _span_text(first: date, last: date) -> str:
    if first == last:
        return f"in the week of {short_day_text(first)}"
    return f"in the weeks of {short_day_text(first)} to {short_day_text(last)}"


def _sets(count: int) -> str:
    return f"{count} set" if count == 1 else f"{count} sets"
