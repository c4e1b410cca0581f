"""The small questions of a run: which are open, and what is said in answer to each."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from coach_agent.domain.model_calls import ENGINE, CallRecord, Outcome, SmallQuestion
from coach_agent.domain.plan import Insight, Plan, StallAnalysis
from coach_agent.domain.values import canonical_json
from coach_agent.llm.comments.comment import RejectedText
from coach_agent.llm.planner import Asks
from coach_agent.llm.prompting import Wishes
from coach_agent.llm.questions import Question, insight_question, stall_question, weekly_question
from coach_agent.planning.decide import latest_workout
from coach_agent.planning.situation import Situation
from coach_agent.planning.weekly_review import WeeklyReview, last_week, weekly_review
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.comments import Remark

Known = Callable[[SmallQuestion, str], Remark | None]


@dataclass(frozen=True)
class OpenQuestion:
    """A question about a workout, a lift or a week, and what was said of it before, if anything.

    `question` is what a model is asked; None where the rules' answer is all that is wanted.
    """

    kind: SmallQuestion
    subject: str
    by_rules: Insight | StallAnalysis | WeeklyReview
    question: Question[Any, Any] | None
    before: Remark | None


@dataclass(frozen=True)
class Remarked:
    """Result of a question; `remark` is None if it repeats the stored one.

    `rejected` are the texts of the answer that are not shown.
    """

    kind: SmallQuestion
    decided_by: str
    remark: Remark | None
    records: tuple[CallRecord, ...]
    rejected: tuple[RejectedText, ...] = ()


def open_questions(
    situation: Situation, profile: AthleteProfile, plan: Plan | None, known: Known, *, can_ask: bool
) -> tuple[OpenQuestion, ...]:
    """What is to be said of the latest workout, of lifts that stand still in the plan, of the week.

    Each is asked until a model has said something, of use or not, and again when its data is not
    the same any more. A week is over: it is reviewed again only for workouts that came in late. In
    shadow nobody would read it, so no model is asked. Without a model only weeks are reviewed: the
    rest the plan tells by the rules anyway.
    """
    wanted = profile.llm.questions if can_ask and not profile.llm.shadow else ()
    wishes = Wishes.of(profile)
    found = []
    for kind, subject, question in _of_the_plan(situation, profile, plan, wanted, wishes):
        before = known(kind, subject)
        is_same = before is not None and before.prompt_sha256 == question.call.prompt.sha256
        if not (is_same and before is not None and before.was_answered):
            found.append(OpenQuestion(kind, subject, question.by_rules, question, before))
    week = last_week(situation.today)
    review = weekly_review(situation, profile, week)
    if review is not None:
        is_wanted = "weekly_review" in wanted
        before = known("weekly_review", week.isoformat())
        is_open = before is None or _workouts(before.said) != review.workout_count
        if is_open or (is_wanted and before is not None and not before.was_answered):
            asked = weekly_question(situation, profile, review, wishes) if is_wanted else None
            found.append(OpenQuestion("weekly_review", week.isoformat(), review, asked, before))
    return tuple(found)


def remark_on(asked: OpenQuestion, asks: Asks, now: datetime) -> Remarked:
    """Ask, and settle what stands: a model's words that passed every check, else the rules'."""
    if asked.question is None:
        return Remarked(asked.kind, ENGINE, said_by_rules(asked, now), ())
    outcome = asks.ask(asked.question.call)
    rejected = () if outcome.answer is None else asked.question.rejected(outcome.answer)
    remark = _settled(asked, outcome, now)
    return Remarked(asked.kind, outcome.decided_by, remark, outcome.records, rejected)


def said_by_rules(asked: OpenQuestion, now: datetime) -> Remark | None:
    """What the rules say, nobody being asked; None where it is what was said before."""
    return _settled(asked, Outcome(None, ENGINE), now)


def _settled(asked: OpenQuestion, outcome: Outcome[Any], now: datetime) -> Remark | None:
    question, by_rules = asked.question, asked.by_rules
    said = by_rules if question is None else question.settled(outcome.answer)
    remark = Remark(
        kind=asked.kind,
        subject=asked.subject,
        said_at=now,
        decided_by=outcome.decided_by,
        prompt_version=None if question is None else question.call.prompt_version,
        prompt_sha256=None if question is None else question.call.prompt.sha256,
        was_answered=any(map(_said_something, outcome.records)),
        by_rules=canonical_json(by_rules).decode(),
        said=canonical_json(said).decode(),
    )
    is_old = not remark.was_answered and _is_about_the_same(asked.before, remark)
    return None if is_old else remark


def _of_the_plan(
    situation: Situation,
    profile: AthleteProfile,
    plan: Plan | None,
    wanted: Collection[SmallQuestion],
    wishes: Wishes,
) -> Iterator[tuple[SmallQuestion, str, Question[Any, Any]]]:
    """What is wanted of the latest workout, and of the plan's lifts that stand still."""
    if plan is None:
        return
    latest = latest_workout(situation.routines)
    if "insight" in wanted and latest is not None:
        routine, workout_id = latest
        insight = insight_question(routine.slots, workout_id, profile, wishes)
        if insight is not None:
            yield "insight", workout_id, insight
    if "stall" in wanted:
        stalled = {slot.exercise_template_id for slot in plan.slots if slot.stall is not None}
        slots = next(
            each.slots for each in situation.routines if each.routine_id == plan.routine_id
        )
        lifts = {each.exercise_template_id: each for each in reversed(slots)}
        for template_id in sorted(stalled & lifts.keys()):
            stall = stall_question(lifts[template_id], profile, wishes)
            if stall is not None:
                yield "stall", template_id, stall


def _said_something(record: CallRecord) -> bool:
    """Whether a model answered, of use or not: else it was not reached, and is asked again."""
    is_counted = record.output_tokens is not None
    return record.outcome in {"ok", "retry"} or bool(record.feedback) or is_counted


def _is_about_the_same(before: Remark | None, remark: Remark) -> bool:
    """Whether what was said before may stand where no model had anything to say now."""
    if before is None:
        return False
    if remark.kind == "weekly_review":
        return _workouts(before.said) == _workouts(remark.said)
    return before.by_rules == remark.by_rules


def _workouts(review_json: str) -> int:
    return WeeklyReview.model_validate_json(review_json).workout_count
