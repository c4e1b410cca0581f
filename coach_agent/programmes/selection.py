"""Exercise selector: what an athlete may train, and the best exercise for a place of a day."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from coach_agent.domain.pain import may_replace
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.limits.rest import ExerciseKind, kind_of
from coach_agent.profile.equipment import equipment_kind
from coach_agent.programmes.catalogue import Catalogue, Exercise, Pattern, Tags, exercise_tags
from coach_agent.programmes.model import Aim, Level
from coach_agent.programmes.request import ProgrammeRequest
from coach_agent.programmes.split import Role, Slot
from coach_agent.programmes.weekly_volume import credits_of

_MOST_TIRING = 3  # on the scale of the tags


@dataclass(frozen=True)
class Choice:
    """An exercise that the athlete may train, with what the builder needs of it."""

    exercise: Exercise
    tags: Tags
    credits: tuple[tuple[str, float], ...]
    kind: ExerciseKind

    @property
    def title(self) -> str:
        """The title in Hevy."""
        return self.exercise.exercise_title

    @property
    def pattern(self) -> Pattern:
        """The movement."""
        return self.tags.pattern


def allowed_exercises(request: ProgrammeRequest, catalogue: Catalogue) -> list[Choice]:
    """Return the tagged exercises that equipment, pain and wishes allow, in alphabetical order."""
    avoided = {normalize_title(title) for title in request.avoid}
    return [
        choice
        for title in exercise_tags()
        if (known := catalogue.get(normalize_title(title))) is not None
        and is_allowed(request, known, avoided)
        and (choice := _choice(known))
    ]


def is_allowed(request: ProgrammeRequest, exercise: Exercise, avoided: Collection[str]) -> bool:
    """Return whether equipment, pain and wishes allow an exercise; `avoided` are normalized."""
    title = exercise.exercise_title
    needed = equipment_kind(title, exercise.equipment, exercise.exercise_type)
    return (
        needed not in request.lacks
        and normalize_title(title) not in avoided
        and may_replace(request.pain, exercise)
    )


@lru_cache(maxsize=512)
def _choice(exercise: Exercise) -> Choice:
    return Choice(
        exercise,
        exercise_tags()[exercise.exercise_title],
        tuple(sorted(credits_of(exercise).items())),
        kind_of(exercise.primary_muscle_group, exercise.secondary_muscle_groups),
    )


def select(
    slot: Slot,
    choices: Sequence[Choice],
    request: ProgrammeRequest,
    used: Collection[str],
    used_today: Collection[str],
) -> Choice | None:
    """Return the best exercise for a slot; None if there is none.

    Its first pattern with an exercise counts. An exercise is never twice in a day. Those of
    the week are repeated if the request repeats lifts, or if there is no other one.
    """
    preferred = {normalize_title(title) for title in request.prefer}
    for pattern in slot.patterns:
        fitting = [
            each for each in choices if each.pattern == pattern and each.title not in used_today
        ]
        if fitting:
            return min(
                fitting,
                key=lambda each: (
                    normalize_title(each.title) not in preferred,
                    _repetition(each, request, used),
                    _taste(each.title, request),
                    -_score(each.tags, slot.role, request.goal, request.level),
                    each.title,
                ),
            )
    return None


def _repetition(choice: Choice, request: ProgrammeRequest, used: Collection[str]) -> int:
    """Return -1 for an exercise of the week that is repeated, 1 for another one of it, else 0.

    A hinge as tiring as the deadlift is enough once a week.
    """
    if choice.title not in used:
        return 0
    is_tiring = choice.pattern == "hinge" and choice.tags.fatigue == _MOST_TIRING
    return -1 if request.repeats_lifts and not is_tiring else 1


def _taste(title: str, request: ProgrammeRequest) -> int:
    """Return -1 for an exercise that the athlete likes, 1 for a disliked one, else 0."""
    normalized = normalize_title(title)
    if any(normalize_title(each) == normalized for each in request.disliked):
        return 1
    return -1 if any(normalize_title(each) == normalized for each in request.liked) else 0


def _score(tags: Tags, role: Role, goal: Aim, level: Level) -> float:
    """Suitability by tags: heavy and practised for strength, long and easy on the body for size.

    Source: judgement of this project.
    """
    score = 0.0 if tags.step_kg is not None else -2.5
    if tags.pattern == "v_pull" and tags.step_kg == 1.25:
        score -= 1.5  # a pull-up is a test of strength for most
    score += 1.2 if tags.is_usual else 0.0
    if role == "main" and goal in {"strength", "both"}:
        return score + tags.skill + 0.5 * tags.axial - (1.5 if tags.is_unilateral else 0.0)
    if level == "novice":
        score -= 4.0 if tags.skill == 3 else 0.5 * (tags.skill - 1)
    if goal == "health":
        return score - tags.skill - 0.5 * tags.fatigue
    return score + tags.stretch - 0.5 * tags.fatigue - 0.5 * tags.axial
