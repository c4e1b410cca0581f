"""Exercise selector: what an athlete may train, and the best exercise for a place of a day."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from coach_agent.domain.pain import A_LOT, SOMEWHAT, Pain, load_on, may_replace
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.limits.rest import ExerciseKind, kind_of
from coach_agent.profile.equipment import equipment_kind
from coach_agent.programmes.catalogue import Catalogue, Exercise, Pattern, Tags, exercise_tags
from coach_agent.programmes.model import LEVELS, Aim, Level
from coach_agent.programmes.numbers import BODY_WEIGHT_SKILL, SHORT_SESSION_MINUTES
from coach_agent.programmes.request import ProgrammeRequest
from coach_agent.programmes.split import Role, Slot
from coach_agent.programmes.weekly_volume import credits_of

_MOST_TIRING = 3  # on the scale of the tags
_MOST_SKILL = 3
_USUAL_FATIGUE = 2
_BODY_WEIGHT = frozenset({"reps_only", "bodyweight_weighted", "duration"})
_LIGHT_SQUAT = 1  # fatigue of squats whose load the hands or the body limit


@dataclass(frozen=True)
class Choice:
    """An exercise that the athlete may train, with what the builder needs of it.

    `is_careful` is true if it loads a part with moderate pain somewhat, `is_last` if it loads one
    with mild pain a lot.
    """

    exercise: Exercise
    tags: Tags
    credits: tuple[tuple[str, float], ...]
    kind: ExerciseKind
    is_careful: bool = False
    is_last: bool = False

    @property
    def title(self) -> str:
        """The title in Hevy."""
        return self.exercise.exercise_title

    @property
    def pattern(self) -> Pattern:
        """The movement."""
        return self.tags.pattern

    @property
    def burden(self) -> int:
        """The load on the body where it matters because of moderate pain, else 0."""
        tiring = max(self.tags.fatigue - _USUAL_FATIGUE, 0)
        return 1 + self.tags.axial + tiring if self.is_careful else 0


def allowed_exercises(request: ProgrammeRequest, catalogue: Catalogue) -> list[Choice]:
    """Return the tagged exercises that equipment, pain, level and wishes allow, in alphabetical
    order.
    """
    avoided = {normalize_title(title) for title in request.avoid}
    return [
        _with_pain(_choice(known), request.pain)
        for title in exercise_tags()
        if (known := catalogue.get(normalize_title(title))) is not None
        and is_allowed(request, known, avoided)
        and is_for_level(request, known)
    ]


def needed_equipment(exercise: Exercise) -> frozenset[str]:
    """Return the kinds of equipment that an exercise needs, of those that a request may lack."""
    title = exercise.exercise_title
    kind = equipment_kind(title, exercise.equipment, exercise.exercise_type)
    setup = exercise_tags()[title].setup
    if kind is None or "machine" in setup:
        return setup
    return setup | {kind}


def is_for_level(request: ProgrammeRequest, exercise: Exercise) -> bool:
    """Return whether the level has the skill for an exercise.

    With body weight there is no lighter load to learn from, so skilled exercises come later; a
    preferred one comes one level earlier. Of the most skilled loaded ones a novice does only the
    usual ones, or preferred ones.
    """
    tags = exercise_tags()[exercise.exercise_title]
    is_preferred = _is_in(request.prefer, exercise.exercise_title)
    if exercise.exercise_type in _BODY_WEIGHT:
        most = BODY_WEIGHT_SKILL.value[LEVELS.index(request.level)]
        return tags.skill <= most + int(is_preferred)
    return request.level != "novice" or tags.skill < _MOST_SKILL or tags.is_usual or is_preferred


def _with_pain(choice: Choice, pains: Sequence[Pain]) -> Choice:
    loads = [(pain.level, load_on(pain.part, choice.exercise)) for pain in pains]
    is_careful, is_last = ("moderate", SOMEWHAT) in loads, ("mild", A_LOT) in loads
    if not (is_careful or is_last):
        return choice
    return replace(choice, is_careful=is_careful, is_last=is_last)


def _is_in(titles: Collection[str], title: str) -> bool:
    normalized = normalize_title(title)
    return any(normalize_title(each) == normalized for each in titles)


def is_allowed(request: ProgrammeRequest, exercise: Exercise, avoided: Collection[str]) -> bool:
    """Return whether equipment, pain and wishes allow an exercise; `avoided` are normalized."""
    title = exercise.exercise_title
    return (
        not needed_equipment(exercise) & set(request.lacks)
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

    Its first pattern with an exercise counts, of those that burden painful parts least. An exercise
    is never twice in a day. Those of the week are repeated if the request repeats lifts, or if
    there is no other one. Exercises that load a painful part come last, and so do squats that the
    hands limit where a main or second lift should be heavy.
    """
    preferred = {normalize_title(title) for title in request.prefer}
    free = [
        each for each in choices if each.pattern in slot.patterns and each.title not in used_today
    ]
    return min(
        free,
        key=lambda each: (
            _least_burden(free, each.pattern),
            _is_too_long(each, request),
            slot.patterns.index(each.pattern),
            normalize_title(each.title) not in preferred,
            each.burden,
            each.is_last,
            _is_too_light(each, slot, request),
            _repetition(each, request, used),
            _taste(each.title, request),
            -_score(each.tags, slot.role, request.goal, request.level),
            each.title,
        ),
        default=None,
    )


def _least_burden(choices: Sequence[Choice], pattern: Pattern) -> int:
    return min(each.burden for each in choices if each.pattern == pattern)


def _is_too_light(choice: Choice, slot: Slot, request: ProgrammeRequest) -> bool:
    """Return True for a squat that the hands limit, as a heavy lift of a trained lifter."""
    is_trained = request.level != "novice" and request.goal != "health"
    is_light = choice.pattern == "squat" and choice.tags.fatigue == _LIGHT_SQUAT
    return is_trained and is_light and slot.role != "single"


def _is_too_long(choice: Choice, request: ProgrammeRequest) -> bool:
    """Return True for an exercise of one side after the other in a short session."""
    return choice.tags.is_unilateral and request.minutes < SHORT_SESSION_MINUTES.value


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
    if _is_in(request.disliked, title):
        return 1
    return -1 if _is_in(request.liked, title) else 0


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
