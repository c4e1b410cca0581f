"""The small questions: the result of a workout, the cause of a stall, the review of a week.

Each has a rule-based answer as the fallback if no model answers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, Field, model_validator

from coach_agent.domain.context import SlotContext
from coach_agent.domain.model_calls import CallName, Prompt, TypedCall
from coach_agent.domain.plan import Category, FixType, Insight, StallAnalysis
from coach_agent.engine.explain.insight import workout_insight
from coach_agent.engine.forecast.stall import stall_of, variation_advice
from coach_agent.language.messages import in_language
from coach_agent.llm.answer_schema import Answer
from coach_agent.llm.comments.comment import (
    SENTENCE,
    SUMMARY,
    RejectedText,
    comment_language,
    comment_of,
)
from coach_agent.llm.comments.known import Known, lift_of
from coach_agent.llm.prompting import (
    Wishes,
    code,
    data_block,
    instructions,
    prompt_exposures,
    prompt_history,
    prompt_version,
    untrusted,
    without_empty,
)
from coach_agent.planning.weekly_review import (
    MOST_HIGHLIGHTS,
    WeeklyReview,
    week_insights,
)
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import Situation

A = TypeVar("A", bound=BaseModel)
R = TypeVar("R")

_EXPOSURES = 6
_MOST_SLOTS = 20
Texts = Mapping[str, Callable[[A], Sequence[str]]]
Text = Annotated[str, Field(max_length=2000)]


class InsightAnswer(Answer):
    """A model's comment on a workout."""

    insight: Text = Field(description="one sentence: what the workout showed")
    action: Text = Field(description="one sentence: one thing to do next time")
    category: Category = Field(description="what both are about")


class StallAnswer(Answer):
    """A model's explanation of a stall."""

    reason: Text = Field(description="one or two sentences: the probable cause in the data")
    fix_type: FixType = Field(description="one of the allowed fixes; code writes the advice")

    @model_validator(mode="before")
    @classmethod
    def _of_former_versions(cls, data: Any) -> Any:
        """Parse answers of earlier versions, which had advice in words, never shown."""
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if name != "suggested_fix"}


class WeeklyAnswer(Answer):
    """A model's review of a week of training."""

    summary: Text = Field(description="two sentences to the athlete")
    highlights: list[Text] = Field(description="one to five sentences, one each", max_length=10)
    focus: Text = Field(description="one sentence: one thing for the next week")


@dataclass(frozen=True)
class Question(Generic[A, R]):
    """A call, the parser of its answer, and the rule-based answer.

    `read` keeps the valid sentences of the texts; the fallback for an empty text is the rules'.
    `rejected` returns the invalid ones.
    """

    call: TypedCall[A]
    read: Callable[[A], R]
    by_rules: R
    rejected: Callable[[A], tuple[RejectedText, ...]]

    def effective_answer(self, answer: A | None) -> R:
        """Return the effective answer: the model's, or the rule-based one as the fallback."""
        return self.by_rules if answer is None else self.read(answer)


def insight_question(
    slots: Sequence[SlotContext],
    workout_id: str,
    profile: AthleteProfile,
    wishes: Wishes | None = None,
) -> Question[InsightAnswer, Insight] | None:
    """Build the question about a workout; `slots` are the places of its routine. None if
    unknown.
    """
    wishes = wishes or Wishes()
    with in_language(wishes.language):
        twin = workout_insight(slots, workout_id, profile.gym.unit)
    if twin is None:
        return None
    known = _known(slots, profile, wishes, (twin.insight, twin.action))
    workout = [_workout(slot, workout_id, profile) for slot in slots[:_MOST_SLOTS]]
    blocks = {"workout": workout, "rules": {"category": twin.category}}
    texts: Texts[InsightAnswer] = {
        "insight": lambda answer: (answer.insight,),
        "action": lambda answer: (answer.action,),
    }
    call = TypedCall(
        name="insight",
        tier="cheap",
        prompt=_prompt("insight", profile, wishes, blocks, slots),
        output=InsightAnswer,
        check=partial(_unusable, texts=texts, known=known),
        prompt_version=prompt_version("insight", InsightAnswer),
    )

    def read(answer: InsightAnswer) -> Insight:
        return Insight(
            insight=_said(answer.insight, known, SENTENCE) or twin.insight,
            action=_said(answer.action, known, SENTENCE) or twin.action,
            category=answer.category,
        )

    return Question(call, read, twin, partial(_rejected, texts=texts, known=known))


def stall_question(
    slot: SlotContext, profile: AthleteProfile, wishes: Wishes | None = None
) -> Question[StallAnswer, StallAnalysis] | None:
    """Build the question about a stalled exercise; None unless the engine's trend is a stall.

    The verdict and its numbers stay the engine's.
    """
    wishes = wishes or Wishes()
    with in_language(wishes.language):
        twin, variation = stall_of(slot), variation_advice()
    if twin is None:
        return None
    known = _known([slot], profile, wishes, (twin.reason, twin.suggested_fix))
    texts: Texts[StallAnswer] = {"reason": lambda answer: (answer.reason,)}
    allowed: tuple[FixType, ...] = tuple(dict.fromkeys((twin.fix_type, "variation")))
    details = twin.details.model_dump(exclude_none=True)
    lift = {
        **_lift(slot, profile),
        "details": {name: round(value, 2) for name, value in details.items()},
        "allowed": list(allowed),
        "rules": {"fix_type": twin.fix_type, "reason": twin.reason, "fix": twin.suggested_fix},
    }

    def check(answer: StallAnswer) -> tuple[str, ...]:
        found = _unusable(answer, texts, known)
        if answer.fix_type in allowed:
            return found
        given, lawful = answer.fix_type, ", ".join(allowed)
        return (*found, f"fix_type: given {given}; allowed: {lawful}.")

    def read(answer: StallAnswer) -> StallAnalysis:
        return twin.model_copy(
            update={
                "reason": _said(answer.reason, known, SUMMARY) or twin.reason,
                "suggested_fix": variation
                if answer.fix_type == "variation"
                else twin.suggested_fix,
                "fix_type": answer.fix_type if answer.fix_type in allowed else twin.fix_type,
            }
        )

    call = TypedCall(
        name="stall",
        tier="cheap",
        prompt=_prompt("stall", profile, wishes, {"lift": lift}, [slot]),
        output=StallAnswer,
        check=check,
        prompt_version=prompt_version("stall", StallAnswer),
    )
    return Question(call, read, twin, partial(_rejected, texts=texts, known=known))


def weekly_question(
    situation: Situation,
    profile: AthleteProfile,
    twin: WeeklyReview,
    wishes: Wishes | None = None,
) -> Question[WeeklyAnswer, WeeklyReview]:
    """Build the question about the week of the rule-based review `twin`."""
    wishes = wishes or Wishes()
    week_start = twin.week_start
    slots = [slot for routine in situation.routines for slot in routine.slots]
    statements = (twin.summary, twin.focus, *twin.highlights)
    known = replace(_known(slots, profile, wishes, statements), workouts=twin.workout_count)
    week = {
        "week_start": week_start.isoformat(),
        "workouts": twin.workout_count,
        "muscles": {
            each.muscle_group: without_empty({"sets": each.sets, "usual": each.usual})
            for each in twin.muscles
            if code(each.muscle_group)
        },
        "shown": [each.category for each in week_insights(situation, profile, week_start)],
        "lifts": [_lift(slot, profile, at) for at, slot in enumerate(slots[:_MOST_SLOTS], start=1)],
    }
    texts: Texts[WeeklyAnswer] = {
        "summary": lambda answer: (answer.summary,),
        "focus": lambda answer: (answer.focus,),
    }
    optional: Texts[WeeklyAnswer] = {"highlights": lambda answer: answer.highlights}
    call = TypedCall(
        name="weekly_review",
        tier="strong",
        prompt=_prompt("weekly_review", profile, wishes, {"week": week}, slots),
        output=WeeklyAnswer,
        check=partial(_unusable, texts=texts, known=known),
        prompt_version=prompt_version("weekly_review", WeeklyAnswer),
    )

    def read(answer: WeeklyAnswer) -> WeeklyReview:
        highlights = (_said(each, known, SENTENCE) for each in answer.highlights[:MOST_HIGHLIGHTS])
        distinct = dict.fromkeys(each for each in highlights if each)
        return twin.model_copy(
            update={
                "summary": _said(answer.summary, known, SUMMARY) or twin.summary,
                "highlights": tuple(distinct) or twin.highlights,
                "focus": _said(answer.focus, known, SENTENCE) or twin.focus,
            }
        )

    rejected = partial(_rejected, texts={**texts, **optional}, known=known)
    return Question(call, read, twin, rejected)


def _said(text: str, known: Known, limit: int) -> str:
    """Return the statements of a text; empty if it only encourages: the rules say more."""
    comment = comment_of(text, known, limit)
    return comment.text if comment.is_informative else ""


def _unusable(answer: A, texts: Texts[A], known: Known) -> tuple[str, ...]:
    """Return a sentence for each text if none of them has a valid sentence.

    One valid text is worth more than a retry: the rules have the others.
    """
    reasons = {}
    for name, texts_of in texts.items():
        comments = [comment_of(text, known, SUMMARY) for text in texts_of(answer)]
        if any(each.is_informative for each in comments):
            return ()
        found = (each.reason for comment in comments for each in comment.rejected)
        reasons[name] = next(found, "claim" if any(each.text for each in comments) else "empty")
    return tuple(
        f"{name}: given a text of which no sentence can stay ({why}); allowed: short plain "
        "sentences about the data."
        for name, why in reasons.items()
    )


def _rejected(answer: A, texts: Texts[A], known: Known) -> tuple[RejectedText, ...]:
    return tuple(
        RejectedText(name, each.reason, each.sentence)
        for name, texts_of in texts.items()
        for text in texts_of(answer)
        for each in comment_of(text, known, SUMMARY).rejected
    )


def _known(
    slots: Sequence[SlotContext],
    profile: AthleteProfile,
    wishes: Wishes,
    statements: tuple[str, ...],
) -> Known:
    """Build facts from completed training, without a plan."""
    return Known(
        unit=profile.gym.unit,
        language=comment_language(wishes.language),
        lifts=tuple(lift_of(slot) for slot in slots),
        statements=statements,
    )


def _lift(slot: SlotContext, profile: AthleteProfile, number: int = 1) -> dict[str, Any]:
    return without_empty(
        {
            "slot": number,
            "muscle": code(slot.primary_muscle_group),
            **prompt_history(slot, profile.gym.unit, _EXPOSURES),
        }
    )


def _workout(slot: SlotContext, workout_id: str, profile: AthleteProfile) -> dict[str, Any]:
    """Return an exercise of the workout, its plan, and the workouts before it."""
    at = next((at for at, each in enumerate(slot.exposures) if each.workout_id == workout_id), None)
    number = slot.exercise_index + 1
    if at is None:
        return {"slot": number, "done": "not done"}
    now = slot.exposures[at]
    goals = [
        f"{each.planned_reps_low or each.planned_duration_s}"
        for each in now.sets
        if each.planned_reps_low or each.planned_duration_s
    ]
    exposures = prompt_exposures(slot.exposures[at:], slot.exercise_type, profile.gym.unit, 3)
    return without_empty(
        {
            "slot": number,
            "muscle": code(slot.primary_muscle_group),
            "done": exposures[0],
            "goals": ",".join(goals),
            "before": exposures[1:],
        }
    )


def _prompt(
    name: CallName,
    profile: AthleteProfile,
    wishes: Wishes,
    blocks: Mapping[str, object],
    slots: Sequence[SlotContext],
) -> Prompt:
    about = without_empty(
        {
            "goal": profile.goal.kind,
            "language": comment_language(wishes.language),
            "unit": profile.gym.unit,
        }
    )
    names = {
        str(at): untrusted(slot.exercise_title, 80)
        for at, slot in enumerate(slots[:_MOST_SLOTS], start=1)
    }
    words: dict[str, Any] = {"names": names}
    if "names" not in wishes.leave_out:
        words["athlete"] = untrusted(profile.name, 60)
    parts = [data_block(each, value) for each, value in blocks.items()]
    return Prompt(
        static=instructions(name),
        profile=data_block("profile", about),
        recent="\n".join((*parts, data_block("words", words), "Answer now.")),
    )
