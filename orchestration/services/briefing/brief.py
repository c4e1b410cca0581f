"""The daily briefing: next workout, reasons, changes, progress and open problems.

Written in the athlete's unit and time zone. It does not contain the time of writing, so its content
stays the same for a day on which nothing changed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import duckdb

from coach_agent.domain.days import local_date
from coach_agent.domain.model_calls import ENGINE
from coach_agent.domain.plan import Plan, SlotPrescription
from coach_agent.domain.units import Unit
from coach_agent.engine.explain.plan_texts import (
    done_text,
    reasons,
    target_text,
)
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.journal.current_plans import JournaledPlan, read_current_plans
from coach_agent.journal.publication_inputs import last_reads
from coach_agent.language.messages import capitalise, day_text, in_language, phrase
from coach_agent.planning.weekly_review import last_week
from coach_agent.profile.model import AthleteProfile
from coach_agent.profile.season import phase_on
from coach_agent.publishing.publication_safety import is_too_old
from coach_agent.sessions.catalogue import Session
from coach_agent.sessions.matching import MatchedSession
from coach_agent.situation.progress import (
    Progress,
    TrainedWorkout,
    read_progress_of,
)
from coach_agent.situation.situation import Situation
from coach_agent.store.check_ins import read_red_flags_of
from coach_agent.store.comments import CommentAuthor
from orchestration.services.briefing.readiness import read_readiness_of
from orchestration.services.briefing.sessions import read_session_days, sessions_of_day
from orchestration.services.briefing.weekly_reviews import StoredReview, read_reviews
from orchestration.services.planning.plan import known_situations, why_no_plan
from orchestration.text.briefing import Briefing, Item, Section
from orchestration.text.plan import (
    comment_label,
    label_comment,
    last_workout_text,
    shared_adjustments,
    state_text,
)
from orchestration.text.progress import progress_items
from orchestration.text.readiness import Readiness, readiness_lines
from orchestration.text.rejection import rejection_text
from orchestration.text.sets import plan_notation
from orchestration.text.training_age import stale_since, stale_training
from orchestration.text.wording import ARROWS, days_ago

_OUT = "x"  # a dash would start a nested list
_PROBLEM_STATES = {"conflict", "failed", "withheld"}


@dataclass(frozen=True)
class DayState:
    """State of an athlete's day in the warehouse; `read_at` is the last complete read.

    `situation` is set only for an athlete without a plan.
    """

    journaled: JournaledPlan | None
    progress: Progress
    read_at: datetime | None
    reviewed: StoredReview | None
    situation: Situation | None
    readiness: Readiness | None = None
    sessions: tuple[MatchedSession, ...] = ()


def read_day_states(
    con: duckdb.DuckDBPyConnection,
    profiles: Sequence[AthleteProfile],
    now: datetime,
    sessions: Sequence[Session] = (),
) -> dict[str, DayState]:
    """Read the state of each athlete at the aware moment `now`, batched: the cost hardly depends on
    the number of athletes.

    Those of `sessions` that fit the day are a part of it.
    """
    ids = [profile.id for profile in profiles]
    days = {profile.id: local_date(now, profile.timezone) for profile in profiles}
    # A check-in during the run can be newer than a plan that the run decided.
    stopped = read_red_flags_of(con, profiles, now)
    current, read_at = read_current_plans(con, ids), last_reads(con, ids)
    plans = {each: plan for each, plan in current.items() if each not in stopped}
    progress = read_progress_of(con, days)
    shown = {profile.id: days[profile.id] for profile in profiles if profile.recovery.show}
    readiness = read_readiness_of(con, shown)
    reviews = read_reviews(con, {each: last_week(today) for each, today in days.items()})
    session_facts = read_session_days(con, days) if sessions else {}
    situations = known_situations(con, [each for each in profiles if each.id not in plans], now)
    matched = {
        each.id: sessions_of_day(
            each,
            plans[each.id].plan if each.id in plans else None,
            facts,
            days[each.id],
            sessions,
            readiness.get(each.id),
        )
        for each in profiles
        if each.id not in stopped and (facts := session_facts.get(each.id)) is not None
    }
    return {
        each: DayState(
            plans.get(each),
            progress[each],
            read_at.get(each),
            reviews.get(each),
            situations.get(each),
            readiness.get(each),
            matched.get(each, ()),
        )
        for each in ids
    }


def write_briefing(
    con: duckdb.DuckDBPyConnection, profile: AthleteProfile, known: DayState, now: datetime
) -> Briefing:
    """Write the athlete's briefing at the aware moment `now`; reads the few details that `known`
    lacks.

    Raises:
        ProfileError: the profile names a routine that does not exist.
    """
    today = local_date(now, profile.timezone)
    journaled = known.journaled
    with in_language(profile.preferences.language):
        late = late_reading(profile, known.read_at, now)
        problems = [*_publication_problems(con, journaled), *filter(None, [late])]
    return briefing_of(
        profile,
        journaled,
        known.progress,
        today,
        no_plan=why_no_plan(profile, known.situation) if journaled is None else "",
        problems=problems,
        review=_review_of_today(profile, known.reviewed, today),
        readiness=known.readiness,
        sessions=known.sessions,
    )


def late_reading(profile: AthleteProfile, read_at: datetime | None, now: datetime) -> str:
    """Return a warning if the data are too stale to publish, with the day of the last read.

    It names the day only, so it stays the same all day. Empty for fresh data and without an
    account.
    """
    has_account = profile.hevy.account != "none"
    if read_at is None or not has_account or not is_too_old(profile, read_at, now):
        return ""
    day = day_text(local_date(read_at, profile.timezone), "day-with-weekday")
    return phrase("late-reading", day=day)


def briefing_of(
    profile: AthleteProfile,
    journaled: JournaledPlan | None,
    progress: Progress,
    today: date,
    *,
    no_plan: str = "",
    problems: Sequence[str] = (),
    review: StoredReview | None = None,
    readiness: Readiness | None = None,
    sessions: Sequence[MatchedSession] = (),
) -> Briefing:
    """Build the briefing of a day in the athlete's language; `no_plan` is the reason for a missing
    plan.

    `review` is the review of the last week, only on the day it was written.
    """
    with in_language(profile.preferences.language):
        return _briefing(
            profile, journaled, progress, today, no_plan, problems, review, readiness, sessions
        )


def _briefing(
    profile: AthleteProfile,
    journaled: JournaledPlan | None,
    progress: Progress,
    today: date,
    no_plan: str,
    problems: Sequence[str],
    review: StoredReview | None,
    readiness: Readiness | None,
    sessions: Sequence[MatchedSession],
) -> Briefing:
    plan = None if journaled is None else journaled.plan
    remarks = () if journaled is None else journaled.remarks
    unit = profile.gym.unit
    sections = {
        phrase("brief-to-do"): () if plan is None else tuple(_to_do(plan)),
        comment_label(): () if plan is None else tuple(_comment(plan)),
        phrase("brief-changes"): tuple(_change_items(plan, remarks, progress.latest, today)),
        phrase("brief-last-week"): () if review is None else tuple(_review_items(review)),
        phrase("brief-progress"): tuple(progress_items(progress, unit, today)),
        phrase("recovery"): ()
        if readiness is None
        else tuple(_recovery_items(profile, readiness, today)),
        phrase("brief-besides"): tuple(
            Item(name=each.session.name, text=each.text) for each in sessions
        ),
        phrase("brief-look-at"): tuple(_problem_items(plan, remarks, progress, problems)),
        phrase("brief-ahead"): (*_block_items(plan), *ahead(profile, today)),
    }
    return Briefing(
        athlete_id=profile.id,
        day=today,
        plan_id=None if journaled is None else journaled.plan_id,
        title=phrase("brief-no-workout")
        if plan is None
        else phrase("brief-next", routine=plan.routine_title),
        lead=tuple(_lead(profile, journaled, progress.latest, today, no_plan)),
        sections=tuple(
            Section(heading=heading, items=items) for heading, items in sections.items() if items
        ),
    )


def _recovery_items(profile: AthleteProfile, readiness: Readiness, today: date) -> Iterator[Item]:
    is_adjusting = profile.recovery.is_adjusting
    for name, text in readiness_lines(readiness, today, is_adjusting=is_adjusting):
        yield Item(name=name, text=text)


def _lead(
    profile: AthleteProfile,
    journaled: JournaledPlan | None,
    latest: TrainedWorkout | None,
    today: date,
    no_plan: str,
) -> Iterator[str]:
    stale = ""
    if latest is not None:
        stale = stale_since(profile, latest.day, today)
    elif journaled is not None:
        stale = stale_training(profile, journaled, today)
    if stale:
        yield f"{stale}."
    yield f"{profile.name}, {day_text(today)}."
    if journaled is None:
        yield no_plan
        return
    plan = journaled.plan
    if plan.minutes is not None:
        yield phrase("brief-minutes", minutes=round(plan.minutes.minutes))
    is_preview = journaled.state is None and profile.publish.mode == "preview"
    yield f"{capitalise(state_text('previewed' if is_preview else journaled.state))}."
    if rejected := rejection_text(journaled, profile):
        yield rejected
    yield from shared_adjustments(plan)


def _to_do(plan: Plan) -> Iterator[Item]:
    told_above = shared_adjustments(plan)
    for slot in plan.slots:
        yield Item(
            mark=_OUT if slot.direction == "out" else ARROWS[slot.direction],
            name=slot.exercise_title,
            text=plan_notation(slot, plan.load_unit) or phrase("left-out"),
            why=" ".join(each for each in reasons(slot, plan.load_unit) if each not in told_above),
        )


def _comment(plan: Plan) -> Iterator[Item]:
    """Format the comment of a language model on the plan, with the name of the model."""
    if plan.words is None or not plan.words.texts:
        return
    yield from (Item(text=each) for each in plan.words.texts)
    yield Item(text=phrase("written-by-model", model=plan.words.decided_by))


def _change_items(
    plan: Plan | None, remarks: Sequence[CommentAuthor], latest: TrainedWorkout | None, today: date
) -> Iterator[Item]:
    """Yield the result of the last workout and the changes for the next one."""
    if latest is not None:
        about: dict[str, str | int] = {
            "routine": latest.title,
            "ago": days_ago(latest.day, today),
            "sets": latest.working_sets,
        }
        done = (
            phrase("brief-last-workout", **about)
            if latest.minutes is None
            else phrase("brief-last-workout-minutes", **about, minutes=latest.minutes)
        )
        yield Item(
            name=phrase("last-workout"),
            text=done,
            why=""
            if plan is None
            else label_comment(last_workout_text(plan), remarks, "insight", ""),
        )
    if plan is None:
        return
    for direction in ("up", "down", "out"):
        moved = [each for each in plan.slots if each.direction == direction]
        if moved:
            steps = ", ".join(_step(each, plan.load_unit) for each in moved)
            yield Item(name=phrase(f"brief-{direction}"), text=steps)


def _step(slot: SlotPrescription, unit: Unit) -> str:
    """Format an exercise with its first working set before and after, if both are known."""
    before = next((each for each in slot.last_done if each.set_type in WORKING_TYPES), None)
    after = next((each for each in slot.sets if each.set_type in WORKING_TYPES), None)
    if before is None or after is None:
        return slot.exercise_title
    plain = after.model_copy(update={"rep_range_start": None, "rep_range_end": None})
    done = before.model_copy(update={"rpe": None})
    kind = slot.exercise_type
    steps = f"{done_text(done, unit, kind)} → {target_text(plain, unit, kind)}"
    return f"{slot.exercise_title} ({steps})"


def _review_items(reviewed: StoredReview) -> Iterator[Item]:
    review = reviewed.review
    yield Item(text=review.summary)
    yield from (Item(text=each) for each in review.highlights)
    yield Item(name=phrase("brief-focus"), text=review.focus)
    if reviewed.decided_by != ENGINE:
        yield Item(text=phrase("comment-by-model", model=reviewed.decided_by))


def _problem_items(
    plan: Plan | None, remarks: Sequence[CommentAuthor], progress: Progress, problems: Sequence[str]
) -> Iterator[Item]:
    yield from (Item(text=problem) for problem in problems)
    if progress.doubted:
        yield Item(text=phrase("brief-mistyped", count=progress.doubted))
    if plan is None:
        return
    for slot in plan.slots:
        if slot.stall is not None:
            subject = slot.exercise_template_id
            reason = label_comment(slot.stall.reason, remarks, "stall", subject)
            text = f"{reason} {slot.stall.suggested_fix}"
            yield Item(name=slot.exercise_title, text=text)
    yield from (Item(text=each.text) for each in plan.advice)


def _block_items(plan: Plan | None) -> Iterator[Item]:
    if plan is not None and plan.block is not None:
        yield Item(name=plan.block.title, text=plan.block.text)


def ahead(profile: AthleteProfile, today: date) -> Iterator[Item]:
    """Yield the event, the phase and a planned deload, if the profile has them.

    In the current language.
    """
    day = phase_on(profile.season, today)
    event_date = profile.goal.date
    if event_date is not None and event_date >= today:
        event = profile.goal.event or phrase("event")
        days = (event_date - today).days
        when = phrase("in-days", days=days)
        if day.is_taper:
            when = phrase("in-the-taper", when=when)
        yield Item(name=event, text=f"{when}: {day_text(event_date)}")
    if day.phase is not None and day.phase_week is not None:
        weeks = day.phase_week + (day.phase_weeks_left or 0)
        text = phrase("phase-week", phase=day.phase, week=day.phase_week, weeks=weeks)
        yield Item(name=phrase("phase"), text=text)
    if day.is_deload:
        yield Item(text=phrase("planned-deload"))


def _review_of_today(
    profile: AthleteProfile, reviewed: StoredReview | None, today: date
) -> StoredReview | None:
    """Return the review of the last week only on the day it was written."""
    if reviewed is None or local_date(reviewed.said_at, profile.timezone) != today:
        return None
    return reviewed


def _publication_problems(
    con: duckdb.DuckDBPyConnection, journaled: JournaledPlan | None
) -> Iterator[str]:
    if journaled is None or journaled.state not in _PROBLEM_STATES:
        return
    rows: list[tuple[str | None]] = con.execute(
        """
        select max_by(detail, publication_number) from coach.publications where plan_id = $1
        """,
        [journaled.plan_id],
    ).fetchall()
    if rows[0][0]:
        yield phrase("not-in-hevy", reason=rows[0][0])
