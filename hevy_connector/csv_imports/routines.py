"""Infer routines from the latest workouts, for athletes without an account.

A file has workouts but no routines. Similar workouts of the last weeks form a routine, with the
sets of the latest of them, or of the one before if the latest was cut short. Its repetitions are
those of the last workouts; loads are decided with the plan. A value that looks like a typing error
is no target.
"""

import json
import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from hevy_connector.canonical_json import canonical_json
from hevy_connector.csv_imports.neutral import UNTITLED
from hevy_connector.csv_imports.titles import normalised_title
from hevy_connector.records import Record
from hevy_connector.schemas import FILE_ID_PREFIX, Routine, Workout, WorkoutExercise, WorkoutSet

# Must never change: other ids would duplicate the routines.
_RECORD_NAMESPACE = uuid.UUID("0c9b6d2e-6a0b-5f0e-8d57-7c8f7f7a5b42")

# A routine trained once in two weeks occurs four times; older habits may be abandoned.
_LATELY = timedelta(weeks=8)
# Jaccard similarity of the exercises: one half, or a quarter under the same title.
_ALIKE, _ALIKE_BY_TITLE = 0.5, 0.25
_UNTITLED = {normalised_title(UNTITLED), ""}
_LEAST_WORKOUTS = 2
# "Bench Press (Barbell)" is called "Bench Press" in the title of a routine.
_EQUIPMENT = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")
# A coach takes off sets after so long a break, and a lifter needs so many times to have them back.
_BREAK, _BACK_TIMES = timedelta(weeks=3), 4
# Number of last workouts that decide an exercise's repetitions.
_TIMES = 3
# Least from the loads of one kind of day to the next: `alternation.medium_gap`, also compared.
DAYS_APART = 1.05
# The bounds at which the coach doubts repetitions, seconds and metres: `typo.count_least`,
# `typo.count_hi` and `typo.window`, which a test compares: a connector imports no coach.
DOUBTED_FROM, DOUBTED_ABOVE, DOUBT_WINDOW = 20, 3, 7


@dataclass
class _Habit:
    """A group of similar workouts, the latest first."""

    workouts: list[Workout] = field(default_factory=list)

    @property
    def latest(self) -> Workout:
        return self.workouts[0]

    @property
    def usual(self) -> Workout:
        """Return the latest workout, or the one before if the latest only lacks exercises of it."""
        before = self.workouts[1] if len(self.workouts) > 1 else self.latest
        return before if _exercises(self.latest) < _exercises(before) else self.latest

    @property
    def title(self) -> str:
        """Return the most frequent title; of several, the latest."""
        return Counter(each.title.strip() for each in self.workouts).most_common(1)[0][0]

    def similarity(self, workout: Workout) -> float:
        """Return the similarity from 0 to 1, 0 below the threshold."""
        ours, others = _exercises(self.latest), _exercises(workout)
        shared = len(ours & others) / (len(ours | others) or 1)
        title = normalised_title(workout.title)
        is_same_title = title not in _UNTITLED and normalised_title(self.latest.title) == title
        return shared if shared >= (_ALIKE_BY_TITLE if is_same_title else _ALIKE) else 0.0


def inferred_routines(
    workouts: Iterable[Workout], athlete_id: str, key_of: Callable[[str], str]
) -> list[Record]:
    """Return a routine for each habit of the last weeks of training, latest trained first.

    A habit needs two workouts; if there is none, the latest workout counts as one. `key_of` returns
    the id of an exercise by title.
    """
    trained = sorted(
        (each for each in workouts if each.exercises),
        key=lambda workout: workout.start_time,
        reverse=True,
    )
    if not trained:
        return []
    since = trained[0].start_time - _LATELY
    habits: list[_Habit] = []
    for workout in trained:
        if workout.start_time < since:
            break
        best = max(habits, key=lambda habit: habit.similarity(workout), default=None)
        if best is None or best.similarity(workout) == 0.0:
            best = _Habit()
            habits.append(best)
        best.workouts.append(workout)
    kept = [each for each in habits if len(each.workouts) >= _LEAST_WORKOUTS] or habits[:1]
    return [
        _record(title, habit, athlete_id, key_of)
        for title, habit in zip(_titles(kept), kept, strict=True)
    ]


def _titles(habits: Sequence[_Habit]) -> list[str]:
    """Return the title of each habit; habits of one title are told apart by their main lifts.

    A number would change its habit with the order of training, and says nothing to the lifter.
    """
    same_title: dict[str, list[_Habit]] = defaultdict(list)
    for habit in habits:
        same_title[normalised_title(habit.title)].append(habit)
    titles: Counter[str] = Counter()
    named = []
    for habit in habits:
        title = _title_among(habit, same_title[normalised_title(habit.title)])
        titles[normalised_title(title)] += 1
        number = titles[normalised_title(title)]
        named.append(title if number == 1 else f"{title} ({number})")
    return named


def _title_among(habit: _Habit, same_title: Sequence[_Habit]) -> str:
    """Return the habit's title with as many of its lifts as tell it from the others."""
    if len(same_title) == 1:
        return habit.title
    lifts = _main_lifts(habit.usual)
    others = [_main_lifts(other.usual) for other in same_title if other is not habit]
    count = next(
        (
            count
            for count in range(1, len(lifts))
            if all(lifts[:count] != other[:count] for other in others)
        ),
        len(lifts),
    )
    return f"{habit.title}: {', '.join(lifts[:count])}"


def _main_lifts(workout: Workout) -> list[str]:
    """Return the exercises in order without their equipment, those with loads first."""
    ordered = sorted(
        workout.exercises, key=lambda each: not any(one.weight_kg for one in each.sets)
    )
    return list(dict.fromkeys(_EQUIPMENT.sub("", each.title).strip() for each in ordered))


def exercise_keys(
    catalogue: Iterable[Mapping[str, str]], aliases: Mapping[str, str]
) -> Callable[[str], str]:
    """Return the id of each exercise in the marts: the catalogue's, or a hash of its title.

    `catalogue` has the id and title of each exercise; `aliases` map written titles to catalogue
    titles.
    """
    ids = {normalised_title(each["title"]): each["id"] for each in catalogue}
    meant = {normalised_title(title): target for title, target in aliases.items()}

    def key_of(written: str) -> str:
        title = normalised_title(meant.get(normalised_title(written), written))
        return ids.get(title, f"title:{title}")

    return key_of


def _record(title: str, habit: _Habit, athlete_id: str, key_of: Callable[[str], str]) -> Record:
    identity = json.dumps([athlete_id, normalised_title(title)])
    payload = {
        "id": f"{FILE_ID_PREFIX}{uuid.uuid5(_RECORD_NAMESPACE, identity)}",
        "title": title,
        "folder_id": None,
        "exercises": [
            {
                "index": index,
                "title": exercise.title,
                "notes": None,
                "exercise_template_id": key_of(exercise.title),
                "superset_id": exercise.superset_id,
                "sets": [
                    {
                        "index": place,
                        "type": one.type,
                        **_target(habit, exercise.title, sets, place),
                    }
                    for place, one in enumerate(sets)
                ],
            }
            for index, exercise in enumerate(habit.usual.exercises)
            for sets in (_usual_sets(habit, exercise),)
        ],
    }
    Routine.model_validate(payload)
    return Record(str(payload["id"]), canonical_json(payload))


def _usual_sets(habit: _Habit, exercise: WorkoutExercise) -> Sequence[WorkoutSet]:
    """Return the sets of the last time, or of the time before if there were more of them.

    For some times after a break those before it count, too: fewer sets are for the return.
    """
    done = _done(habit, exercise.title)
    if any(len(blocks) > 1 for _, blocks in done[:2]):
        return exercise.sets
    times = [(at, blocks[0]) for at, blocks in done]
    before_break = [
        older
        for (at, _), (older_at, older) in pairwise(times[: _BACK_TIMES + 1])
        if at - older_at > _BREAK
    ]
    latest, *before = [sets for _, sets in times[:2]]
    return max((latest, *before, *before_break[:1]), key=lambda sets: len(_working(sets)))


def _done(habit: _Habit, title: str) -> list[tuple[datetime, list[Sequence[WorkoutSet]]]]:
    """Return the start and the sets of an exercise by its workouts, newest first.

    A newest one with singles that the one before had none of is a test and left out.
    """
    name = normalised_title(title)
    done = [
        (workout.start_time, sets)
        for workout in habit.workouts
        if (sets := [one.sets for one in workout.exercises if normalised_title(one.title) == name])
    ]
    if len(done) > 1 and _has_single(done[0][1]) and not _has_single(done[1][1]):
        return done[1:]
    return done


def _has_single(blocks: Sequence[Sequence[WorkoutSet]]) -> bool:
    return any(one.reps == 1 and one.weight_kg for sets in blocks for one in _working(sets))


def _working(sets: Sequence[WorkoutSet]) -> list[WorkoutSet]:
    return [one for one in sets if one.type != "warmup"]


def _target(habit: _Habit, title: str, sets: Sequence[WorkoutSet], place: int) -> dict[str, object]:
    """Return the targets of the set at a place: its own time and distance, and repetitions.

    Those of a warm-up are as in the latest workout, those of other sets from the last times. Loads
    are decided with the plan: the latest one may be a typing error. Instead of a doubted value the
    newest credible one counts.
    """
    one = sets[place]
    if one.type == "warmup":
        own = {
            "duration_seconds": one.duration_seconds if one.reps is None else None,
            "distance_meters": one.distance_meters,
            "custom_metric": one.custom_metric,
            "reps": one.reps,
        }
        return {name: value for name, value in own.items() if value}
    times = _times(habit, title)
    measured = {
        "duration_seconds": _credible(_seconds(one), [[*map(_seconds, sets)] for sets in times]),
        "distance_meters": _credible(
            one.distance_meters, [[each.distance_meters for each in sets] for sets in times]
        ),
        "custom_metric": one.custom_metric,
    }
    found: dict[str, object] = {name: value for name, value in measured.items() if value}
    return {**found, **_repetitions(times, _working(sets), len(_working(sets[:place])))}


def _times(habit: _Habit, title: str) -> list[list[WorkoutSet]]:
    """Return the sets of an exercise without warm-ups, by its times, newest first."""
    return [_working(sets) for _, blocks in _done(habit, title) for sets in blocks]


def _repetitions(
    times: Sequence[Sequence[WorkoutSet]], sets: Sequence[WorkoutSet], place: int
) -> dict[str, object]:
    """Return the repetitions of a working set, from the sets with its load in the last times.

    If the first of these sets always had the same number while the load changed, and none had more,
    it is the goal, and fewer were misses. Of heavy and light days with their own numbers, it is
    that of the newest one. Otherwise the goal is the range of what was done.
    """
    alike = _places_with_its_load(_credible_loads(times, sets), place)
    believed = _believed([[one.reps for one in sets] for sets in times])
    counts = [sets[alike.start : alike.stop] for sets in believed]
    done = _whole(counts[:_TIMES]) or _whole(believed[:_TIMES])
    if not done:
        return {}
    if turn := _repetitions_of_days(times, alike.start):
        return {"reps": turn}
    firsts = {sets[0] for sets in counts if sets and sets[0]}
    loads = {sets[alike.start].weight_kg for sets in times[: len(counts)] if sets[alike.start :]}
    is_goal = len(counts) >= _TIMES and firsts == {max(done)} and len(loads) > 1
    if is_goal or min(done) == max(done):
        return {"reps": max(done)}
    return {"rep_range": {"start": min(done), "end": max(done)}}


def _repetitions_of_days(times: Sequence[Sequence[WorkoutSet]], place: int) -> int | None:
    """Return the newest number of repetitions if two or three kinds of days take turns with their
    own: the heavier, the fewer. None if they do not.
    """
    shown = [
        (sets[place].weight_kg or 0.0, sets[place].reps) for sets in times if len(sets) > place
    ]
    for period in (2, 3):
        latest = shown[: 2 * period]
        numbers = [reps for _, reps in latest]
        if len(latest) < 2 * period or numbers[:period] != numbers[period:]:
            continue
        kinds = sorted(
            (min(kind), max(kind), reps)
            for turn, reps in enumerate(numbers[:period])
            if (kind := [load for load, _ in latest[turn::period]]) and reps
        )
        is_apart = all(
            lightest > heaviest * DAYS_APART and reps < more
            for (_, heaviest, more), (lightest, _, reps) in pairwise(kinds)
        )
        if len(kinds) == period and is_apart:
            return numbers[0]
    return None


def _whole(counts: Sequence[Sequence[float | None]]) -> list[int]:
    return [int(each) for sets in counts for each in sets if each]


def _credible_loads(
    times: Sequence[Sequence[WorkoutSet]], sets: Sequence[WorkoutSet]
) -> list[float | None]:
    """Return the load of each set, or the newest credible one if it is far too heavy."""
    done = [[each.weight_kg for each in sets] for sets in times]
    return [_credible(one.weight_kg, done) for one in sets]


def _places_with_its_load(loads: Sequence[float | None], place: int) -> range:
    """Return the places of the adjacent sets with the load of the set at a place."""
    first = last = place
    while first > 0 and loads[first - 1] == loads[place]:
        first -= 1
    while last + 1 < len(loads) and loads[last + 1] == loads[place]:
        last += 1
    return range(first, last + 1)


def _seconds(one: WorkoutSet) -> int | None:
    return one.duration_seconds if one.reps is None else None


def _credible(value: float | None, times: Sequence[Sequence[float | None]]) -> float | None:
    """Return the value, or the newest credible one of these times if it is doubted."""
    if not value:
        return None
    known = [each for sets in _believed(times) for each in sets if each]
    return value if value in known else next(iter(known), value)


def _believed(times: Sequence[Sequence[float | None]]) -> list[list[float | None]]:
    """Return the values of the last times, newest first, with None instead of doubted ones.

    A value is doubted if it is far above the median of the latest other values, and no other value
    of its time is near it.
    """
    recorded = [[each or None for each in sets] for sets in times[:DOUBT_WINDOW]]
    believed = []
    for at, sets in enumerate(recorded):
        elsewhere = [
            each for place, other in enumerate(recorded) if place != at for each in other if each
        ]
        believed.append(
            [
                None
                if each is None
                or _is_doubted(
                    each, [one for one in (*sets[:place], *sets[place + 1 :]) if one], elsewhere
                )
                else each
                for place, each in enumerate(sets)
            ]
        )
    return believed


def _is_doubted(value: float, beside: Sequence[float], elsewhere: Sequence[float]) -> bool:
    def is_far_more(other: float) -> bool:
        return value > DOUBTED_ABOVE * other

    others = [*beside, *elsewhere]
    return (
        value >= DOUBTED_FROM
        and bool(others)
        and is_far_more(median(others))
        and all(map(is_far_more, beside))
    )


def _exercises(workout: Workout) -> set[str]:
    return {normalised_title(each.title) for each in workout.exercises}
