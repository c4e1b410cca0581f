"""The rule-based review of a week: training, progress, and the focus for the next one."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from statistics import fmean

from coach_agent.domain.context import RoutineContext
from coach_agent.domain.days import local_date, monday_of
from coach_agent.domain.plan import Insight
from coach_agent.domain.values import Value
from coach_agent.engine.explain.insight import workout_insight
from coach_agent.engine.forecast.stall import stall_of
from coach_agent.engine.limits.volume import volume_advice
from coach_agent.language.messages import in_language, join_words, name_of, phrase
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation

MOST_HIGHLIGHTS = 5
_WEEK = timedelta(days=7)


class MuscleReview(Value):
    """Fractional hard sets of a muscle group in the week, and the mean of the weeks before.

    `usual` is null without a known week before.
    """

    muscle_group: str
    sets: float
    usual: float | None


class WeeklyReview(Value):
    """A week of training as text: summary, highlights, and one focus for the next week."""

    week_start: date
    workout_count: int
    muscles: tuple[MuscleReview, ...]
    summary: str
    highlights: tuple[str, ...]
    focus: str


def last_week(today: date) -> date:
    """Return the Monday of the latest completed week on that day."""
    return monday_of(today) - _WEEK


def weekly_review(
    situation: Situation, profile: AthleteProfile, week_start: date
) -> WeeklyReview | None:
    """Review the athlete's week from that Monday in their language; None without training in it."""
    with in_language(profile.preferences.language):
        return _review(situation, profile, week_start)


def _review(situation: Situation, profile: AthleteProfile, week_start: date) -> WeeklyReview | None:
    count = workout_count(situation.trained_at, profile, week_start)
    if not count:
        return None
    insights = week_insights(situation, profile, week_start)
    muscles = muscle_reviews(situation, week_start)
    return WeeklyReview(
        week_start=week_start,
        workout_count=count,
        muscles=muscles,
        summary=_summary(count, muscles),
        highlights=tuple(each.insight for each in insights)[:MOST_HIGHLIGHTS],
        focus=_focus(situation, profile, week_start, insights),
    )


def workout_count(trained_at: Iterable[datetime], profile: AthleteProfile, week_start: date) -> int:
    """Return the week's number of workouts from routines, of their starts."""
    return sum(_is_in(local_date(each, profile.timezone), week_start) for each in trained_at)


def week_insights(
    situation: Situation, profile: AthleteProfile, week_start: date
) -> tuple[Insight, ...]:
    """Return the insight of each workout of the week, oldest first."""
    found: dict[tuple[datetime, str], RoutineContext] = {}
    for routine in situation.routines:
        for slot in routine.slots:
            for exposure in slot.exposures:
                day = local_date(exposure.started_at, profile.timezone)
                if _is_in(day, week_start):
                    key = exposure.started_at, exposure.workout_id
                    found.setdefault(key, routine)
    insights = (
        workout_insight(found[key].slots, key[1], profile.gym.unit) for key in sorted(found)
    )
    return tuple(each for each in insights if each is not None)


def muscle_reviews(situation: Situation, week_start: date) -> tuple[MuscleReview, ...]:
    """Return the week's sets by muscle group, with the mean of the known weeks before it."""
    groups = sorted({each.muscle_group for each in situation.weekly_sets})
    reviews = []
    for group in groups:
        weeks = {
            each.week_start: each.sets
            for each in situation.weekly_sets
            if each.muscle_group == group
        }
        before = [sets for week, sets in weeks.items() if week < week_start]
        sets = weeks.get(week_start, 0.0)
        if sets or any(before):
            usual = round(fmean(before), 1) if before else None
            reviews.append(MuscleReview(muscle_group=group, sets=sets, usual=usual))
    return tuple(reviews)


def _is_in(day: date, week_start: date) -> bool:
    return week_start <= day < week_start + _WEEK


def _summary(count: int, muscles: tuple[MuscleReview, ...]) -> str:
    known = [each for each in muscles if each.usual is not None]
    more = [each.muscle_group for each in known if each.sets > (each.usual or 0.0) + 1]
    less = [each.muscle_group for each in known if each.sets < (each.usual or 0.0) - 1]
    parts = [phrase("week-workouts", workouts=count)]
    for groups, message in ((more, "week-more-sets"), (less, "week-fewer-sets")):
        if groups:
            names = join_words(name_of("muscle", group) for group in groups)
            parts.append(phrase(message, muscles=names))
    return " ".join(parts)


def _focus(
    situation: Situation,
    profile: AthleteProfile,
    week_start: date,
    insights: tuple[Insight, ...],
) -> str:
    """Return the first match: a tiring week, a stall, few or many sets; by default go on."""
    tiring = next((each for each in insights if each.category == "fatigue"), None)
    if tiring is not None:
        return tiring.action
    for routine in situation.routines:
        for slot in routine.slots:
            stall = stall_of(slot)
            if stall is not None:
                return phrase("week-stalled", exercise=slot.exercise_title, fix=stall.suggested_fix)
    weeks: dict[str, list[float]] = {}
    now: dict[str, float] = {}
    for each in situation.weekly_sets:
        if each.week_start < week_start:
            weeks.setdefault(each.muscle_group, []).append(each.sets)
        elif each.week_start == week_start:
            now[each.muscle_group] = each.sets
    advice = volume_advice(weeks, now, profile.limits.weekly_volume_pct)
    return advice[0].text if advice else phrase("stall-go-on")
