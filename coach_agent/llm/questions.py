"""The small questions: what a workout showed, why a lift stalls, how a week was.

Each has its answer by rules beside it, which stands where no model answers or none is asked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, Field

from coach_agent.context import SlotContext
from coach_agent.llm.calls import CallName, Prompt, TypedCall
from coach_agent.llm.facts import Facts, add_season, history_facts, stall_facts
from coach_agent.llm.plan_answer import Answer
from coach_agent.llm.prompting import (
    Wishes,
    code,
    data_block,
    instructions,
    prompt_version,
    told_exposures,
    told_history,
    untrusted,
    without_empty,
)
from coach_agent.llm.texts import SENTENCE, SUMMARY, clean
from coach_agent.plan import Category, FixType, Insight, StallAnalysis
from coach_agent.profile import AthleteProfile
from coach_agent.progression.insight import workout_insight
from coach_agent.progression.stall import stall_of
from coach_agent.season import phase_on
from coach_agent.situation import Situation
from coach_agent.weekly_review import (
    MOST_HIGHLIGHTS,
    WeeklyReview,
    week_insights,
)

A = TypeVar("A", bound=BaseModel)
R = TypeVar("R")

_EXPOSURES = 6
_MOST_SLOTS = 20
Text = Annotated[str, Field(max_length=2000)]


class InsightAnswer(Answer):
    """What a workout showed, as a model tells it."""

    insight: Text = Field(description="one sentence: what the workout showed")
    action: Text = Field(description="one sentence: one thing to do next time")
    category: Category = Field(description="what both are about")


class StallAnswer(Answer):
    """Why a lift stands still, as a model tells it."""

    reason: Text = Field(description="one or two sentences: the probable cause in the data")
    suggested_fix: Text = Field(description="one sentence: what to do; never a heavier load")
    fix_type: FixType = Field(description="one of the allowed fixes")


class WeeklyAnswer(Answer):
    """A week of training, as a model tells it."""

    summary: Text = Field(description="two sentences to the athlete")
    highlights: list[Text] = Field(description="one to five sentences, one each", max_length=10)
    focus: Text = Field(description="one sentence: one thing for the next week")


@dataclass(frozen=True)
class Question(Generic[A, R]):
    """A call, how its answer is read, and the answer by rules.

    `read` keeps of the texts what may be shown; where nothing is left of one, that of the rules.
    """

    call: TypedCall[A]
    read: Callable[[A], R]
    by_rules: R

    def settled(self, answer: A | None) -> R:
        """What stands: the model's answer, or that of the rules where there is none."""
        return self.by_rules if answer is None else self.read(answer)


def insight_question(
    slots: Sequence[SlotContext],
    workout_id: str,
    profile: AthleteProfile,
    wishes: Wishes | None = None,
) -> Question[InsightAnswer, Insight] | None:
    """What a workout showed; `slots` are the places of its routine. None if it is not there."""
    wishes = wishes or Wishes()
    twin = workout_insight(slots, workout_id, profile.gym.unit)
    if twin is None:
        return None
    facts = _facts_of(slots, profile, wishes)
    facts.add_text(twin.insight, twin.action)
    titles = [slot.exercise_title for slot in slots]
    workout = [_workout(slot, workout_id, profile) for slot in slots[:_MOST_SLOTS]]
    blocks = {"workout": workout, "rules": {"category": twin.category}}
    texts: Mapping[str, Callable[[InsightAnswer], str]] = {
        "insight": lambda answer: answer.insight,
        "action": lambda answer: answer.action,
    }
    call = TypedCall(
        name="insight",
        tier="cheap",
        prompt=_prompt("insight", profile, wishes, blocks, slots),
        output=InsightAnswer,
        check=partial(_unusable, texts=texts, facts=facts, titles=titles),
        prompt_version=prompt_version("insight", InsightAnswer),
    )

    def read(answer: InsightAnswer) -> Insight:
        return Insight(
            insight=clean(answer.insight, facts, SENTENCE, titles).text or twin.insight,
            action=clean(answer.action, facts, SENTENCE, titles).text or twin.action,
            category=answer.category,
        )

    return Question(call, read, twin)


def stall_question(
    slot: SlotContext, profile: AthleteProfile, wishes: Wishes | None = None
) -> Question[StallAnswer, StallAnalysis] | None:
    """Why an exercise stands still; None unless the engine's trend says that it does.

    Whether it is a stall, and its numbers, stay the engine's.
    """
    wishes = wishes or Wishes()
    twin = stall_of(slot)
    if twin is None:
        return None
    unit = profile.gym.unit
    facts = history_facts(slot, unit, wishes.language).joined(
        stall_facts(twin, unit, wishes.language)
    )
    allowed: tuple[FixType, ...] = tuple(dict.fromkeys((twin.fix_type, "variation")))
    details = twin.details.model_dump(exclude_none=True)
    lift = {
        **_lift(slot, profile),
        "details": {name: round(value, 2) for name, value in details.items()},
        "allowed": list(allowed),
        "rules": {"fix_type": twin.fix_type, "reason": twin.reason, "fix": twin.suggested_fix},
    }
    titles = [slot.exercise_title]
    no_heavier = _no_heavier(facts, slot)

    def check(answer: StallAnswer) -> tuple[str, ...]:
        found = (
            *_unusable(answer, {"reason": lambda each: each.reason}, facts, titles),
            *_unusable(
                answer, {"suggested_fix": lambda each: each.suggested_fix}, no_heavier, titles
            ),
        )
        if answer.fix_type in allowed:
            return found
        given, lawful = answer.fix_type, ", ".join(allowed)
        return (*found, f"fix_type: given {given}; allowed: {lawful}.")

    def read(answer: StallAnswer) -> StallAnalysis:
        return twin.model_copy(
            update={
                "reason": clean(answer.reason, facts, SUMMARY, titles).text or twin.reason,
                "suggested_fix": clean(answer.suggested_fix, no_heavier, SENTENCE, titles).text
                or twin.suggested_fix,
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
    return Question(call, read, twin)


def weekly_question(
    situation: Situation,
    profile: AthleteProfile,
    twin: WeeklyReview,
    wishes: Wishes | None = None,
) -> Question[WeeklyAnswer, WeeklyReview]:
    """How the week was of which the rules say `twin`."""
    wishes = wishes or Wishes()
    week_start = twin.week_start
    slots = [slot for routine in situation.routines for slot in routine.slots]
    facts = _facts_of(slots, profile, wishes)
    facts.dates |= {situation.today, week_start}
    facts.add("workouts", twin.workout_count)
    for each in twin.muscles:
        facts.add_rounded("sets", each.sets, each.usual)
    facts.add_text(twin.summary, twin.focus, *twin.highlights)
    add_season(facts, phase_on(profile.season, situation.today))
    titles = [slot.exercise_title for slot in slots]
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
    texts: Mapping[str, Callable[[WeeklyAnswer], str]] = {
        "summary": lambda answer: answer.summary,
        "focus": lambda answer: answer.focus,
    }
    call = TypedCall(
        name="weekly_review",
        tier="strong",
        prompt=_prompt("weekly_review", profile, wishes, {"week": week}, slots),
        output=WeeklyAnswer,
        check=partial(_unusable, texts=texts, facts=facts, titles=titles),
        prompt_version=prompt_version("weekly_review", WeeklyAnswer),
    )

    def read(answer: WeeklyAnswer) -> WeeklyReview:
        told = (
            clean(each, facts, SENTENCE, titles).text
            for each in answer.highlights[:MOST_HIGHLIGHTS]
        )
        return twin.model_copy(
            update={
                "summary": clean(answer.summary, facts, SUMMARY, titles).text or twin.summary,
                "highlights": tuple(each for each in told if each) or twin.highlights,
                "focus": clean(answer.focus, facts, SENTENCE, titles).text or twin.focus,
            }
        )

    return Question(call, read, twin)


def _unusable(
    answer: A, texts: Mapping[str, Callable[[A], str]], facts: Facts, titles: Sequence[str]
) -> tuple[str, ...]:
    """A sentence for each text of which nothing may be shown."""
    found = []
    for name, text_of in texts.items():
        cleaned = clean(text_of(answer), facts, SUMMARY, titles)
        if not cleaned.text:
            why = cleaned.dropped[0] if cleaned.dropped else "it is empty"
            found.append(
                f"{name}: given a text of which no sentence can stay ({why}); allowed: plain "
                "sentences whose numbers all stand in the data."
            )
    return tuple(found)


def _no_heavier(facts: Facts, slot: SlotContext) -> Facts:
    """The facts without loads above those of the latest workout: none may be advised."""
    latest = [each.weight_kg or 0.0 for each in slot.exposures[0].sets] if slot.exposures else []
    most = max(latest, default=0.0)
    return replace(facts, loads_kg={load for load in facts.loads_kg if load <= most})


def _facts_of(slots: Sequence[SlotContext], profile: AthleteProfile, wishes: Wishes) -> Facts:
    facts = Facts(profile.gym.unit, wishes.language)
    known = [history_facts(slot, profile.gym.unit, wishes.language) for slot in slots]
    facts.add("exercises", *range(1, len(slots) + 1))
    return facts.joined(*known)


def _lift(slot: SlotContext, profile: AthleteProfile, number: int = 1) -> dict[str, Any]:
    return without_empty(
        {
            "slot": number,
            "muscle": code(slot.primary_muscle_group),
            **told_history(slot, profile.gym.unit, _EXPOSURES),
        }
    )


def _workout(slot: SlotContext, workout_id: str, profile: AthleteProfile) -> dict[str, Any]:
    """An exercise of the workout, what was planned, and the workouts before it."""
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
    told = told_exposures(slot.exposures[at:], slot.exercise_type, profile.gym.unit, 3)
    return without_empty(
        {
            "slot": number,
            "muscle": code(slot.primary_muscle_group),
            "done": told[0],
            "goals": ",".join(goals),
            "before": told[1:],
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
        {"goal": profile.goal.kind, "language": wishes.language, "unit": profile.gym.unit}
    )
    names = {
        str(at): untrusted(slot.exercise_title, 80)
        for at, slot in enumerate(slots[:_MOST_SLOTS], start=1)
    }
    words: dict[str, Any] = {"names": names}
    if "names" not in wishes.leave_out:
        words["athlete"] = untrusted(profile.name, 60)
    told = [data_block(each, value) for each, value in blocks.items()]
    return Prompt(
        static=instructions(name),
        profile=data_block("profile", about),
        recent="\n".join((*told, data_block("words", words), "Answer now.")),
    )
