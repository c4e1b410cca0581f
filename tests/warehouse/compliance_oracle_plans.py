"""Oracle for the exercises and the plan of a workout."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.warehouse.compliance_histories import (
    BUILT_IN,
    Exercise,
    History,
    Template,
    Version,
    Workout,
)

TITLE_WEIGHT = Fraction("0.3")
EXERCISES_WEIGHT = Fraction("0.7")
LEAST_SIMILARITY = Fraction("0.65")

Occurrence = tuple[str, int]  # exercise_key, and 1 for its first appearance


@dataclass(frozen=True)
class Period:
    """A version and its time in force, half-open; `valid_to` None is open-ended."""

    version: Version
    valid_from: int
    valid_to: int | None

    def holds(self, moment: int) -> bool:
        return self.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)


@dataclass(frozen=True)
class Plan:
    """The plan of a workout, and its basis."""

    basis: str | None = None
    version: Version | None = None

    @property
    def is_known(self) -> bool:
        return self.basis in ("routine", "matched")


def normalised(title: str) -> str:
    return " ".join(title.lower().split())


_BUILT_IN = {normalised(template.title): key for key, template in BUILT_IN.items()}


def exercise_key(catalogue: Sequence[Template], exercise: Exercise) -> str:
    """Return the template, or the one that matches the title of an exercise without a template."""
    if exercise.template_id is not None:
        return exercise.template_id
    title = normalised(exercise.title)
    namesakes = [template for template in catalogue if normalised(template.title) == title]
    namesakes.sort(key=lambda one: (one.is_deleted, one.is_custom, one.template_id))
    return namesakes[0].template_id if namesakes else _BUILT_IN.get(title, "title:" + title)


def occurrences(
    catalogue: Sequence[Template], exercises: Sequence[Exercise]
) -> dict[Occurrence, int]:
    """Map each occurrence in a plan or workout to its index, in order."""
    places: dict[Occurrence, int] = {}
    for index, exercise in enumerate(exercises):
        key = exercise_key(catalogue, exercise)
        earlier = sum(1 for known, _ in places if known == key)
        places[key, earlier + 1] = index
    return places


def trained(catalogue: Sequence[Template], exercises: Sequence[Exercise]) -> list[Occurrence]:
    """Return the occurrences with sets; the others are neither planned nor done."""
    places = occurrences(catalogue, exercises)
    return [occurrence for occurrence, index in places.items() if exercises[index].sets]


def periods(versions: Sequence[Version]) -> list[Period]:
    """Return the time in force of each landed version of one routine."""
    starts: list[int] = []
    for index, version in enumerate(versions):
        start = _stamp(version)
        if index > 0 and versions[index - 1].is_deleted and start <= _stamp(versions[index - 1]):
            start = version.landed_at
        starts.append(max([start, *starts]))
    standing = [
        (version, start)
        for index, (version, start) in enumerate(zip(versions, starts, strict=True))
        if start not in starts[index + 1 :]
    ]
    ends = [*(start for _, start in standing[1:]), None]
    return [Period(*one, end) for one, end in zip(standing, ends, strict=False)]


def plan_of(history: History, workout: Workout) -> Plan:
    """Return the plan of a workout, if any."""
    known = periods(history.versions_of(workout.routine_id)) if workout.routine_id else []
    if not known:
        return _matched(history, workout)
    if workout.started_at < known[0].valid_from:
        return Plan("assumed", known[0].version)
    (version,) = [period.version for period in known if period.holds(workout.started_at)]
    return Plan() if version.is_deleted else Plan("routine", version)


@dataclass(frozen=True)
class Candidate:
    """A routine that a workout may belong to; the smallest is the most probable.

    `is_later` marks a later version, `distance` is its distance in time from the workout.
    """

    is_later: bool
    similarity: Fraction
    distance: int
    version: Version

    @property
    def rank(self) -> tuple[bool, Fraction, int, str]:
        return self.is_later, -self.similarity, self.distance, self.version.routine_id


def candidates(history: History, workout: Workout) -> list[Candidate]:
    """Return the routines in force at the workout's start, and later first versions, by rank."""
    found = []
    for routine_id in history.routine_ids:
        for number, period in enumerate(periods(history.versions_of(routine_id))):
            is_later = number == 0 and workout.started_at < period.valid_from
            if (is_later or period.holds(workout.started_at)) and not period.version.is_deleted:
                alike = similarity(history, workout, period.version)
                distance = abs(workout.started_at - period.valid_from)
                found.append(Candidate(is_later, alike, distance, period.version))
    return sorted(found, key=lambda one: one.rank)


def similarity(history: History, workout: Workout, version: Version) -> Fraction:
    """Return the similarity of a workout and a routine, from 0 to 1."""
    done = {key for key, _ in trained(history.catalogue, workout.exercises)}
    planned = {key for key, _ in trained(history.catalogue, version.exercises)}
    title = normalised(workout.title or "")
    has_title = title != "" and title == normalised(version.title or "")
    jaccard = Fraction(len(done & planned), len(done | planned)) if done | planned else Fraction()
    return TITLE_WEIGHT * has_title + EXERCISES_WEIGHT * jaccard


def is_possibly_superseded(history: History, workout: Workout, plan: Plan) -> bool:
    """Return whether an unseen edit is possible between the version and the workout."""
    if not plan.is_known or plan.version is None:
        return False
    landed_at = plan.version.landed_at
    later = [
        version.landed_at
        for version in history.versions_of(plan.version.routine_id)
        if version.landed_at > landed_at
    ]
    if not later:
        return False
    reads = [read for read in history.complete_reads if read < min(later)]
    return workout.started_at > max([landed_at, *reads])


def _stamp(version: Version) -> int:
    """Return the earliest time at which a version was published, stamped by the vendor or read."""
    times = (version.effective_at, version.stamped_at, version.landed_at)
    return min(time for time in times if time is not None)


def _matched(history: History, workout: Workout) -> Plan:
    alike = [one for one in candidates(history, workout) if one.similarity >= LEAST_SIMILARITY]
    if not alike:
        return Plan()
    return Plan("assumed" if alike[0].is_later else "matched", alike[0].version)
