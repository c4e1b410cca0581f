"""Hypothesis strategies for athletes that edit their routines between workouts.

A workout is a plan with the deviations of real training: sets left out or added, other loads,
exercises skipped, swapped, repeated or replaced. So plan and training match often enough to cover
the details.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

from tests.warehouse.compliance_histories import (
    Exercise,
    History,
    RepRange,
    Template,
    TrainingSet,
    Version,
    Workout,
)

T = TypeVar("T")

HOUR = 60  # routines are landed on the hour, and read without a change in between
LANDINGS = range(2, 14)

TEMPLATES = (
    Template("bench", "Bench Press", muscle_group="chest"),
    Template("dumbbell", "Bench Press (Dumbbell)", muscle_group="chest"),
    Template("fly", "Fly", muscle_group="chest", is_custom=True),
    Template("squat", "Squat", muscle_group="quadriceps"),
    Template("lunge", "Lunge", muscle_group="quadriceps"),
    Template("pull up", "Pull Up", "bodyweight_reps", "lats"),
    Template("assisted pull up", "Pull Up (Assisted)", "bodyweight_assisted", "lats"),
    Template("assisted dip", "Dip (Assisted)", "bodyweight_assisted_reps", "chest"),
    Template("plank", "Plank", "duration", "abdominals"),
    Template("stairs", "Stairs", "floors_duration", "cardio"),
    Template("sled", "Sled", "short_distance_weight", None),
    Template("no group", "Odd Lift", "weight_reps", None),
)
ROUTINE_TITLES = ("Push", "Push Day", "Pull", "", None)

LOADS = [Decimal(text) for text in ("0", "20", "60", "80", "80.2", "82.5", "100", "45.359")]
HELP = [Decimal(text) for text in ("10", "15", "20", "-20")]
LOAD_STEPS = [Decimal(text) for text in ("0.2", "-0.25", "0.5", "2.5", "-2.5", "-20", "0.001")]
RANGES: Sequence[RepRange | None] = ((8, 12), (6, 8), (5, None), (None, 10), (None, None))


def _one(random: Random, *choices: T) -> T:
    return random.choice(choices)


def _once_in(random: Random, count: int) -> bool:
    return random.randrange(count) == 0


# Catalogue


def _catalogue(random: Random) -> tuple[Template, ...]:
    """Draw the templates, some of them missing, deleted or with namesakes."""
    known = [
        replace(one, is_deleted=_once_in(random, 10))
        for one in TEMPLATES
        if not _once_in(random, 12)
    ]
    for template in random.sample(TEMPLATES, random.randrange(3)):
        namesake = replace(
            template,
            template_id=_one(random, "a ", "z ") + template.template_id,
            title=_written(random, template.title),
            is_custom=_once_in(random, 2),
            is_deleted=_once_in(random, 2),
            muscle_group=_one(random, template.muscle_group, "chest"),
        )
        known.append(namesake)
    return tuple(known)


def _written(random: Random, title: str) -> str:
    """Draw a title with other case and blanks."""
    return _one(
        random, title, title, title.upper(), f" {title.lower()}", title.replace(" ", " \t ")
    )


# Plans


def _planned_set(random: Random, template: Template) -> TrainingSet:
    kind = _one(random, "normal", "normal", "normal", "normal", "warmup", "failure", "dropset")
    if _once_in(random, 12):
        return TrainingSet(kind)
    if template.kind == "duration":
        return TrainingSet(
            kind,
            weight_kg=_one(random, None, None, Decimal(10)),
            duration_s=Decimal(_one(random, 45, 60)),
        )
    if template.kind == "floors_duration":
        return TrainingSet(
            kind,
            duration_s=_one(random, None, Decimal(300)),
            custom_metric=Decimal(_one(random, "20", "12.5")),
        )
    if template.kind == "short_distance_weight":
        return TrainingSet(
            kind, weight_kg=_one(random, *LOADS), distance_m=_one(random, None, Decimal("40.5"))
        )
    loads: list[Decimal | None] = [*HELP]
    if template.kind in ("weight_reps", "bodyweight_reps"):
        loads = [None] if template.kind == "bodyweight_reps" else [*LOADS, None]
    return TrainingSet(
        kind,
        weight_kg=_one(random, *loads),
        reps=_one(random, None, 5, 8, 10),
        rep_range=_one(random, None, *RANGES),
        duration_s=_one(random, *[None] * 9, Decimal(60)),
    )


def _planned_exercise(random: Random) -> Exercise:
    template = _one(random, *TEMPLATES)
    kinds = [_planned_set(random, template) for _ in range(_one(random, 1, 1, 2, 2))]
    count = _one(random, 0, *[1, 2, 3, 4] * 4)
    sets = tuple(_one(random, *kinds) for _ in range(count))
    return Exercise(template.template_id, template.title, sets, _one(random, None, None, 1))


def _planned_exercises(random: Random) -> tuple[Exercise, ...]:
    return tuple(_planned_exercise(random) for _ in range(_one(random, 1, 2, 2, 3, 3, 4)))


def _edited(random: Random, version: Version) -> Version:
    """Draw a version with another title, order, exercise, set or range."""
    place = random.randint(0, len(version.exercises) - 1)
    old = version.exercises[place]
    edit = _one(random, *["title", "sets", "range"] * 3, "exercise", "order", "everything")
    if edit == "title":
        return replace(version, title=_one(random, "Legs", *ROUTINE_TITLES))
    if edit == "everything":
        return replace(version, exercises=_planned_exercises(random))
    if edit == "order":
        return replace(version, exercises=version.exercises[::-1])
    if edit == "exercise":
        new = _planned_exercise(random)
    elif edit == "range":
        rep_range = _one(random, *RANGES)
        new = replace(old, sets=tuple(replace(one, rep_range=rep_range) for one in old.sets))
    else:
        new = replace(old, sets=(*old.sets[_one(random, 0, 1) :], *old.sets[:1]))
    exercises = (*version.exercises[:place], new, *version.exercises[place + 1 :])
    return replace(version, exercises=exercises)


def _versions(random: Random, routine_id: str, others: Sequence[Version]) -> list[Version]:
    """Draw the landed rows of one routine: edits, deletions, returns, publications."""
    first_landed, *landed = sorted(random.sample(LANDINGS, random.randint(1, 6)))
    content = _one(random, None, *others[:1])  # a routine may begin as a copy of another
    latest = Version(
        routine_id,
        first_landed * HOUR,
        _one(random, *ROUTINE_TITLES) if content is None else content.title,
        _planned_exercises(random) if content is None else content.exercises,
        stamped_at=_one(random, None, 30, 40, first_landed * HOUR),
    )
    versions = [latest]
    for hour in landed:
        moment = hour * HOUR
        if latest.is_deleted:
            latest = replace(latest, landed_at=moment, is_deleted=False)
            if _once_in(random, 2):
                latest = _stamped(random, _edited(random, latest), moment, versions)
            else:  # unchanged
                latest = replace(latest, stamped_at=versions[-2].stamped_at)
        elif _once_in(random, 6):
            latest = replace(
                latest, landed_at=moment, is_deleted=True, stamped_at=None, effective_at=None
            )
        else:
            latest = _stamped(random, _edited(random, latest), moment, versions)
        if not _says_the_same(latest, versions[-1]):
            versions.append(latest)
        latest = versions[-1]
    return versions


def _stamped(random: Random, version: Version, moment: int, earlier: Sequence[Version]) -> Version:
    """Return the version as landed at a time, with the vendor's stamp or published by us."""
    if _once_in(random, 5):
        return replace(
            version,
            landed_at=moment + 3,
            stamped_at=moment + _one(random, 0, 2),
            effective_at=moment + 1,
        )
    old = earlier[-1].stamped_at
    since = earlier[-1].landed_at
    stamp = _one(random, None, old, 35, since, since + 1, *[moment - 20] * 6, moment, moment + 50)
    return replace(version, landed_at=moment, stamped_at=stamp, effective_at=None)


def _says_the_same(version: Version, earlier: Version) -> bool:
    """Return whether landing the version would add nothing."""
    return replace(version, landed_at=0, effective_at=None) == replace(
        earlier, landed_at=0, effective_at=None
    )


# Workouts


def _performed_set(random: Random, planned: TrainingSet) -> TrainingSet:
    """Draw a performed set for a planned one, usually similar."""
    low, high = planned.rep_range or (planned.reps, planned.reps)
    middle = low if low is not None else high if high is not None else 8
    reps: int | None = middle
    if _once_in(random, 2):
        reps = _one(random, None, middle - 2, middle + 1, middle + 5, high)
    if planned.duration_s is not None or planned.custom_metric is not None:
        reps = _one(random, None, None, reps)
    seconds, metric = planned.duration_s, planned.custom_metric
    if seconds is not None and _once_in(random, 2):
        seconds = _one(random, None, seconds + 15, seconds - 15)
    if metric is not None and _once_in(random, 2):
        metric = _one(random, None, metric + 4, metric - 5, metric + Decimal("0.5"))
    return TrainingSet(
        _one(random, *[planned.kind] * 9, "failure", "normal", "dropset"),
        _performed_load(random, planned.weight_kg),
        reps,
        duration_s=seconds,
        distance_m=planned.distance_m,
        custom_metric=metric,
        rpe=_one(random, None, None, Decimal("8.5")),
    )


def _performed_load(random: Random, planned: Decimal | None) -> Decimal | None:
    if planned is None:
        return _one(random, None, None, None, Decimal(80))
    if _once_in(random, 2):
        return planned
    return _one(random, None, *[planned + step for step in LOAD_STEPS])


def _performed_sets(random: Random, planned: Sequence[TrainingSet]) -> tuple[TrainingSet, ...]:
    done = [_performed_set(random, one) for one in planned if not _once_in(random, 6)]
    if _once_in(random, 5):
        done.insert(0, TrainingSet(_one(random, "warmup", "normal"), Decimal(40), 5))
    if done and _once_in(random, 5):
        done.insert(random.randint(0, len(done)), _performed_set(random, done[0]))
    return tuple(done)


def _performed_exercises(random: Random, planned: Sequence[Exercise]) -> list[Exercise]:
    done: list[Exercise] = []
    for exercise in planned:
        fate = _one(random, *["kept"] * 7, "skipped", "replaced", "replaced", "repeated")
        if fate == "replaced":
            exercise = replace(exercise, template_id=_one(random, *TEMPLATES).template_id)
        times = {"skipped": 0, "repeated": 2}.get(fate, 1)
        done += [
            replace(exercise, sets=_performed_sets(random, exercise.sets)) for _ in range(times)
        ]
    if _once_in(random, 6):
        extra = _planned_exercise(random)
        done.append(replace(extra, sets=_performed_sets(random, extra.sets)))
    if _once_in(random, 4):
        random.shuffle(done)
    return done


def _workout(
    random: Random, number: int, catalogue: Sequence[Template], versions: Sequence[Version]
) -> Workout:
    """Draw a workout from a version, at the time of an event in the history."""
    version = _one(random, *versions)
    happenings = [*[version.landed_at] * 4, version.stamped_at, version.effective_at]
    happenings += [_one(random, *versions).landed_at, 0]
    moment = _one(random, *[one for one in happenings if one is not None])
    is_from_file = _once_in(random, 6)
    routine_id = _one(random, *[version.routine_id] * 6, None, None, "gone")
    title = version.title and _one(
        random, *[_written(random, version.title)] * 3, "Evening", "", None
    )
    titles = {one.template_id: one.title for one in (*TEMPLATES, *catalogue)}
    exercises = tuple(
        replace(
            exercise,
            template_id=None if is_from_file else exercise.template_id,
            title=_written(random, titles[exercise.template_id or exercise.title]),
        )
        for exercise in _performed_exercises(random, version.exercises)
    )
    return Workout(
        f"workout {number}",
        moment + _one(random, 0, 0, -1, 1, 25, 35),
        None if is_from_file else routine_id,
        title,
        exercises,
        is_from_file,
    )


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Draw one athlete with up to three routines and up to six workouts.

    One number of hypothesis seeds a whole history: separate draws would take longer than the
    warehouse, and shrinking is of no use here because all histories are built at once.
    """
    random = draw(st.randoms(use_true_random=True))
    catalogue = _catalogue(random)
    versions: list[Version] = []
    for routine_id in ("a", "b", "c")[: _one(random, 1, 2, 2, 3)]:
        versions += _versions(random, routine_id, versions)
    favourite = random.choice(versions).routine_id
    trained = [version for version in versions if version.routine_id == favourite]
    workouts = tuple(
        _workout(random, number, catalogue, _one(random, versions, trained, trained))
        for number in range(random.randint(3, 6))
    )
    reads = random.sample(LANDINGS, random.randrange(5))
    versions.sort(key=lambda version: version.landed_at)
    return History(
        catalogue,
        tuple(versions),
        workouts,
        tuple(sorted(hour * HOUR + HOUR // 2 for hour in reads)),
    )
