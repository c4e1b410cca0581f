"""The small questions of a run: pending questions, and a comment for each."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from coach_agent.domain.model_calls import ENGINE, CallRecord, ExtraQuestion, Outcome, SmallQuestion
from coach_agent.domain.plan import Insight, Plan, StallAnalysis
from coach_agent.domain.values import canonical_json
from coach_agent.llm.comments.comment import RejectedText
from coach_agent.llm.planner import Asks
from coach_agent.llm.prompting import Wishes
from coach_agent.llm.questions import Question, insight_question, stall_question, weekly_question
from coach_agent.planning.decide import latest_workout
from coach_agent.planning.weekly_review import (
    WeeklyReview,
    last_week,
    weekly_review,
    workout_count,
)
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation
from coach_agent.store.comments import CoachComment

Known = Callable[[SmallQuestion, str], CoachComment | None]


@dataclass(frozen=True)
class OpenQuestion:
    """A pending question about a workout, a lift or a week, with its previous comment, if any.

    `question` is the question for a model; None if only the rule-based comment is needed.
    """

    kind: SmallQuestion
    subject: str
    by_rules: Insight | StallAnalysis | WeeklyReview
    question: Question[Any, Any] | None
    before: CoachComment | None


@dataclass(frozen=True)
class CommentResult:
    """Result of a question; `comment` is None if it repeats the stored comment.

    `rejected` are the rejected texts of the answer.
    """

    kind: SmallQuestion
    decided_by: str
    comment: CoachComment | None
    records: tuple[CallRecord, ...]
    rejected: tuple[RejectedText, ...] = ()


def open_questions(
    situation: Situation, profile: AthleteProfile, plan: Plan | None, known: Known, *, can_ask: bool
) -> tuple[OpenQuestion, ...]:
    """Return the pending questions about the latest workout, the plan's stalled lifts, and the
    week.

    Each question is pending until a model has answered it, usefully or not, and again after its
    data changed. A week is over: it is reviewed again only for late workouts. In shadow the answer
    would not be shown, so no model is asked. Without a model only weeks are reviewed: the plan has
    the other rule-based comments anyway.
    """
    configured = profile.llm.questions if can_ask and not profile.llm.shadow else ()
    wishes = Wishes.of(profile)
    found = []
    for kind, subject, question in _plan_questions(situation, profile, plan, configured, wishes):
        before = known(kind, subject)
        is_same = before is not None and before.prompt_sha256 == question.call.prompt.sha256
        if not (is_same and before is not None and before.was_answered):
            found.append(OpenQuestion(kind, subject, question.by_rules, question, before))
    week = last_week(situation.today)
    before = known("weekly_review", week.isoformat())
    is_configured = "weekly_review" in configured
    is_unanswered = is_configured and before is not None and not before.was_answered
    if is_unanswered or is_week_open(situation.trained_at, profile, week, before):
        review = weekly_review(situation, profile, week)
        if review is not None:
            weekly = weekly_question(situation, profile, review, wishes) if is_configured else None
            found.append(OpenQuestion("weekly_review", week.isoformat(), review, weekly, before))
    return tuple(found)


def is_week_open(
    trained_at: Iterable[datetime],
    profile: AthleteProfile,
    week_start: date,
    before: CoachComment | None,
) -> bool:
    """Return whether a week has a workout that its stored review, if any, does not count."""
    count = workout_count(trained_at, profile, week_start)
    return count > 0 and (before is None or _workouts(before.said) != count)


def comment_on(pending: OpenQuestion, asks: Asks, now: datetime) -> CommentResult:
    """Ask a model and return the effective comment: a valid answer, or the rule-based fallback."""
    if pending.question is None:
        return CommentResult(pending.kind, ENGINE, rule_based_comment(pending, now), ())
    outcome = asks.ask(pending.question.call)
    rejected = () if outcome.answer is None else pending.question.rejected(outcome.answer)
    comment = _new_comment(pending, outcome, now)
    return CommentResult(pending.kind, outcome.decided_by, comment, outcome.records, rejected)


def rule_based_comment(pending: OpenQuestion, now: datetime) -> CoachComment | None:
    """Return the rule-based comment without a request; None if it repeats the stored one."""
    return _new_comment(pending, Outcome(None, ENGINE), now)


def _new_comment(
    pending: OpenQuestion, outcome: Outcome[Any], now: datetime
) -> CoachComment | None:
    question, by_rules = pending.question, pending.by_rules
    said = by_rules if question is None else question.effective_answer(outcome.answer)
    comment = CoachComment(
        kind=pending.kind,
        subject=pending.subject,
        said_at=now,
        decided_by=outcome.decided_by,
        prompt_version=None if question is None else question.call.prompt_version,
        prompt_sha256=None if question is None else question.call.prompt.sha256,
        was_answered=any(map(_was_answered, outcome.records)),
        by_rules=canonical_json(by_rules).decode(),
        said=canonical_json(said).decode(),
    )
    is_old = not comment.was_answered and _is_about_the_same(pending.before, comment)
    return None if is_old else comment


def _plan_questions(
    situation: Situation,
    profile: AthleteProfile,
    plan: Plan | None,
    configured: Collection[ExtraQuestion],
    wishes: Wishes,
) -> Iterator[tuple[SmallQuestion, str, Question[Any, Any]]]:
    """Yield the configured questions about the latest workout and the plan's stalled lifts."""
    if plan is None:
        return
    latest = latest_workout(situation.routines)
    if "insight" in configured and latest is not None:
        routine, workout_id = latest
        insight = insight_question(routine.slots, workout_id, profile, wishes)
        if insight is not None:
            yield "insight", workout_id, insight
    if "stall" in configured:
        stalled = {slot.exercise_template_id for slot in plan.slots if slot.stall is not None}
        slots = next(
            each.slots for each in situation.routines if each.routine_id == plan.routine_id
        )
        lifts = {each.exercise_template_id: each for each in reversed(slots)}
        for template_id in sorted(stalled & lifts.keys()):
            stall = stall_question(lifts[template_id], profile, wishes)
            if stall is not None:
                yield "stall", template_id, stall


def _was_answered(record: CallRecord) -> bool:
    """Return whether a model answered, usefully or not; otherwise it is asked again."""
    is_counted = record.output_tokens is not None
    return record.outcome in {"ok", "retry"} or bool(record.feedback) or is_counted


def _is_about_the_same(before: CoachComment | None, comment: CoachComment) -> bool:
    """Return whether the previous comment is still valid if no model has a new one."""
    if before is None:
        return False
    if comment.kind == "weekly_review":
        return _workouts(before.said) == _workouts(comment.said)
    return before.by_rules == comment.by_rules


def _workouts(review_json: str) -> int:
    return WeeklyReview.model_validate_json(review_json).workout_count
