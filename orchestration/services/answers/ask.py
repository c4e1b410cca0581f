"""Answer a question in words by rules: red flags first, then the recognised intent."""

import re
from collections.abc import Callable, Mapping
from typing import Literal

from coach_agent.asking.question import (
    LONGEST_QUESTION,
    Understood,
    searched_text,
    understand,
)
from coach_agent.asking.vocabulary import Intent, Topic
from coach_agent.domain.red_flags import red_flags_in, stop_text
from coach_agent.domain.values import Value
from coach_agent.profile.llm_settings import Provider, usable_providers
from coach_agent.profile.model import AthleteProfile
from orchestration.services.answers.answer import Answer, Fact
from orchestration.services.answers.found_texts import texts
from orchestration.services.answers.last_time import last_time
from orchestration.services.answers.lifts import progress, records, strength
from orchestration.services.answers.memories import memories
from orchestration.services.answers.plans import next_workout, published, why
from orchestration.services.answers.recorded_data import body_weight, doubts
from orchestration.services.answers.training import Exercise, Training
from orchestration.services.answers.weeks import consistency, volume

Status = Literal[
    "answered", "nothing_found", "choose", "declined", "not_understood", "stop", "proposed"
]

QUESTIONS: tuple[str, ...] = (
    "What's next?",
    "Why is my bench going down?",
    "Is my squat stuck?",
    "What is my deadlift PR?",
    "What is my best squat for 5 reps?",
    "What's my estimated 1RM on bench?",
    "How many sets for chest last week?",
    "When did I last do pull ups?",
    "How often do I train?",
    "Is any set in doubt?",
    "What was published?",
    "What do you know about me?",
    "What did I write about my knee?",
)
"""One example of each kind of question."""

_MOST_CANDIDATES = 8
_DECLINED: Mapping[Topic, str] = {
    "medical": (
        "That is for a doctor or a physio: I only read your training. If something hurts, check in "
        'before you train and the workout gets easier: spotter check-in --pain "left knee:mild"'
    ),
    "diet": "Food and supplements are not mine to judge: I only read your training.",
    "opinion": "I answer from your own training only, not about others and not with opinions.",
}


class Reply(Value):
    """The reply to a question. `candidates` are exercises, or questions that can be answered.

    `answered_by` is "rules", or provider and model. `note` states why a model gave no answer.
    `proposals` are the numbers of the actions that were proposed.
    """

    question: str
    status: Status
    text: str
    intent: Intent | None = None
    facts: tuple[Fact, ...] = ()
    candidates: tuple[str, ...] = ()
    answered_by: str = "rules"
    note: str | None = None
    proposals: tuple[int, ...] = ()


def ask(training: Training, question: str) -> Reply:
    """Answer a question from the athlete's released training.

    A red flag in the question gets the instructions to stop, and no load. Asking records nothing.
    """
    text = " ".join(question.split())
    if codes := red_flags_in(text):
        stop = (
            f"{stop_text(codes)} Asking records nothing. So that no plan ignores it: "
            'spotter check-in --note "what happened"'
        )
        return Reply(question=question, status="stop", text=stop)
    if len(text) > LONGEST_QUESTION:
        short = f"Ask one thing in at most {LONGEST_QUESTION} characters."
        return Reply(question=question, status="not_understood", text=short)
    if (wanted := searched_text(text)) is not None:
        return _answered(question, texts(training, wanted))
    own, others = known_exercises(training)
    understood = understand(text, list(own), list(others))
    return _reply(training, question, understood, {**others, **own})


def models_for(
    profile: AthleteProfile, keys: Mapping[str, str], training: Training, reply: Reply
) -> tuple[Provider, ...]:
    """Return the language models that may answer what the rules did not understand.

    None in shadow, without "ask" in `llm.questions`, and with an open red flag. A question has at
    least two words.
    """
    text = " ".join(reply.question.split())
    is_question = len(text) <= LONGEST_QUESTION and re.search(r"\w{2}.*\s\S", text)
    if reply.status != "not_understood" or not is_question or training.red_flags:
        return ()
    if profile.llm.shadow or "ask" not in profile.llm.questions:
        return ()
    return usable_providers(profile.llm, keys)


def known_exercises(training: Training) -> tuple[dict[str, Exercise], dict[str, Exercise]]:
    """Return the trained and planned exercises, and those of the catalogue alone, by title."""
    exercises, planned = training.exercises, _planned(training)
    own = {each.title: each for each in exercises if each.is_trained or each.title in planned}
    return own, {each.title: each for each in exercises if each.title not in own}


def _planned(training: Training) -> frozenset[str]:
    report = training.plan
    return frozenset(slot.exercise_title for slot in (report.plan.slots if report else ()))


def _reply(
    training: Training,
    question: str,
    understood: Understood,
    exercises: Mapping[str, Exercise],
) -> Reply:
    if understood.declined is not None:
        return Reply(question=question, status="declined", text=_DECLINED[understood.declined])
    if understood.intent is None:
        return _not_understood(question, understood)
    titles = understood.exercises
    if len(titles) > 1 or (titles and not understood.is_exact):
        shown = titles[:_MOST_CANDIDATES]
        text = f"Which one: {', '.join(shown)}" + ("?" if shown == titles else ", or another?")
        return Reply(
            question=question,
            status="choose",
            text=text,
            intent=understood.intent,
            candidates=shown,
        )
    return _answered(
        question, _answer(training, understood, exercises[titles[0]] if titles else None)
    )


def _answered(question: str, answer: Answer) -> Reply:
    return Reply(
        question=question,
        status="answered" if answer.is_found else "nothing_found",
        text=answer.text,
        intent=answer.kind,
        facts=answer.facts,
    )


def _not_understood(question: str, understood: Understood) -> Reply:
    lead = "I am not sure what you ask."
    if understood.unknown:
        lead += f" I do not know: {', '.join(dict.fromkeys(understood.unknown))}."
    if understood.exercises:
        lead += f" About {understood.exercises[0]} I can give you progress, records and more."
    lines = [lead, "You can ask, for example:", *(f"  {each}" for each in QUESTIONS)]
    return Reply(
        question=question, status="not_understood", text="\n".join(lines), candidates=QUESTIONS
    )


def _answer(training: Training, understood: Understood, exercise: Exercise | None) -> Answer:
    if understood.intent == "strength" and exercise is not None:
        return strength(training, exercise)
    answers: Mapping[Intent | None, Callable[[], Answer]] = {
        "next_workout": lambda: next_workout(training, exercise),
        "why": lambda: why(training, exercise),
        "progress": lambda: progress(training, exercise),
        "records": lambda: records(training, exercise, understood.reps),
        "volume": lambda: volume(training, exercise, understood.muscles, understood.week),
        "last_time": lambda: last_time(training, exercise, understood.muscles),
        "consistency": lambda: consistency(training, understood.week),
        "body_weight": lambda: body_weight(training),
        "doubts": lambda: doubts(training),
        "published": lambda: published(training),
        "memories": lambda: memories(training),
    }
    return answers[understood.intent]()
