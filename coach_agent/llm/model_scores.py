"""Scores of language models over the same stored questions, by code alone.

An answer counts only if windows and guardrails accept it, as in a nightly run. What it says is
scored by what code would show of it. Whether a model's targets are nearer to the work done than the
rules' is another question: see `shadow.py`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import sqrt
from statistics import fmean, median

from coach_agent.domain.plan import Plan
from coach_agent.llm.answer_schema import PlanAnswer
from coach_agent.llm.chain import known_cost
from coach_agent.llm.comments.sentences import sentences
from coach_agent.llm.planner import Proposal, RefinementResult

_Z_95 = 1.96


@dataclass(frozen=True)
class AnswerScore:
    """The score of one question.

    `answers` is the number of answers until one was accepted or the attempts ran out,
    `broken_rules` those of all rejected answers. Of an accepted answer: `sentences` and `codes`
    that it contains, how many of both were refused, and its `characters`; `changed_sets` of `sets`
    differ from the rules' plan. `seconds` and `cost_usd` are those of all requests; the cost is
    None if the price of a request is unknown. `problem` is the last error.
    """

    decision_id: str
    is_accepted: bool
    answers: int
    broken_rules: int
    sentences: int
    codes: int
    refused: int
    characters: int
    sets: int
    changed_sets: int
    seconds: float
    cost_usd: Decimal | None
    problem: str | None = None


@dataclass(frozen=True)
class ModelScore:
    """The scores of a model over all questions; shares are between 0 and 1.

    `accepted_low` and `accepted_high` are the 95 % interval of `accepted`. Values of answers are
    None without an accepted one, `cost_usd` (of one question) if a price is unknown. `problems` are
    the errors of the questions without an answer, each once.
    """

    model: str
    questions: int
    accepted: float
    accepted_low: float
    accepted_high: float
    first_try: float
    broken_rules: float
    refused: float | None
    changed_sets: float | None
    characters: float | None
    seconds: float
    slowest_s: float
    cost_usd: Decimal | None
    problems: tuple[str, ...]


def score_answer(question: Proposal, refined: RefinementResult) -> AnswerScore:
    """Score the answer to a question about a decision of the rules."""
    records = refined.records
    sent = [each for each in records if each.outcome != "skipped"]
    engine = question.decision.plan
    said = (
        None
        if refined.answered is None
        else PlanAnswer.model_validate_json(refined.answered.answer_json)
    )
    texts = [] if said is None else [said.summary, *said.adjustments, said.reasoning]
    slots = [] if said is None else said.slots
    plan = None if refined.decision is None else refined.decision.plan
    is_priced = all(each.cost_usd is not None for each in sent if each.output_tokens is not None)
    last = records[-1] if records else None
    return AnswerScore(
        decision_id=question.decision.decision_id,
        is_accepted=plan is not None,
        answers=sum(each.output_tokens is not None for each in sent),
        broken_rules=sum(len(each.feedback) for each in sent),
        sentences=sum(len(sentences(text)) for text in texts),
        codes=sum((slot.reason is not None) + len(slot.cues) + len(slot.facts) for slot in slots),
        refused=len(refined.rejected),
        characters=sum(map(len, texts)),
        sets=sum(len(slot.sets) for slot in engine.slots),
        changed_sets=0 if plan is None else _changed_sets(engine, plan),
        seconds=sum(each.seconds for each in sent),
        cost_usd=known_cost(sent) if is_priced else None,
        problem=None if plan is not None or last is None else last.error,
    )


def score_model(model: str, scores: Sequence[AnswerScore]) -> ModelScore:
    """Aggregate the scores of a model's answers.

    Raises:
        ValueError: there are none.
    """
    if not scores:
        raise ValueError("no answers to score")
    accepted = [each for each in scores if each.is_accepted]
    low, high = wilson_interval(len(accepted), len(scores))
    said = sum(each.sentences + each.codes for each in accepted)
    costs = [each.cost_usd for each in scores]
    known = [each for each in costs if each is not None]
    return ModelScore(
        model=model,
        questions=len(scores),
        accepted=len(accepted) / len(scores),
        accepted_low=low,
        accepted_high=high,
        first_try=sum(each.answers == 1 for each in accepted) / len(scores),
        broken_rules=fmean(each.broken_rules for each in scores),
        refused=sum(each.refused for each in accepted) / said if said else None,
        changed_sets=_share(accepted),
        characters=fmean(each.characters for each in accepted) if accepted else None,
        seconds=median(each.seconds for each in scores),
        slowest_s=max(each.seconds for each in scores),
        cost_usd=sum(known, Decimal(0)) / len(known) if len(known) == len(costs) else None,
        problems=tuple(sorted({each.problem for each in scores if each.problem is not None})),
    )


def rank(scores: Iterable[ModelScore]) -> list[ModelScore]:
    """Return the models, best first: valid answers, then refused claims, then time.

    A cost does not count: it is a choice of the athlete.
    """
    return sorted(
        scores,
        key=lambda each: (
            -each.accepted,
            -each.first_try,
            1.0 if each.refused is None else each.refused,
            each.seconds,
            each.model,
        ),
    )


def wilson_interval(successes: int, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927, J Am Stat Assoc 22:209-212).

    Raises:
        ZeroDivisionError: `count` is 0.
    """
    share = successes / count
    scale = 1 + _Z_95**2 / count
    middle = (share + _Z_95**2 / (2 * count)) / scale
    half = _Z_95 * sqrt(share * (1 - share) / count + _Z_95**2 / (4 * count**2)) / scale
    return max(0.0, middle - half), min(1.0, middle + half)


def _share(accepted: Sequence[AnswerScore]) -> float | None:
    sets = sum(each.sets for each in accepted)
    return sum(each.changed_sets for each in accepted) / sets if sets else None


def _changed_sets(engine: Plan, plan: Plan) -> int:
    """Count the sets of the rules' plan that are not in the model's, by exercise and target."""
    left = [
        (slot.exercise_template_id, each.set_type, each.weight_kg, each.reps, each.duration_s)
        for slot in plan.slots
        for each in slot.sets
    ]
    changed = 0
    for slot in engine.slots:
        for each in slot.sets:
            own = (
                slot.exercise_template_id,
                each.set_type,
                each.weight_kg,
                each.reps,
                each.duration_s,
            )
            if own in left:
                left.remove(own)
            else:
                changed += 1
    return changed
