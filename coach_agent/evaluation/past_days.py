"""The coach's input on the day of each session of a log, from sessions known before it.

A log of workouts has no routines. Sessions that the marts would match by title and exercises form
one routine, with the structure of its latest earlier session: the exercises in order with their
sets. `As` selects the treatment of targets. From the session itself only its day, its title and its
exercises are used.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from math import inf
from statistics import median
from typing import Any, Literal

from coach_agent.domain.constants.history import CONTEXT_OWN_PLACE
from coach_agent.domain.constants.session import DURATION_WINDOW
from coach_agent.domain.context import (
    Exposure,
    ExposureSet,
    RoutineContext,
    SlotContext,
    TrainedRoutine,
)
from coach_agent.domain.days import monday_of
from coach_agent.domain.plan import SetPrescription
from coach_agent.domain.titles import normalize_title
from coach_agent.domain.units import Unit
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.history.elsewhere import is_similar_work, mean_reps
from coach_agent.engine.history.file_routines import complete_file_routine
from coach_agent.evaluation.effort import count_hard_sets
from coach_agent.evaluation.past_lifts import EXPOSURES, PastLift
from coach_agent.evaluation.past_sessions import Done, Session
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import VOLUME_WEEKS, MuscleWeek, PersonalPace, Situation
from hevy_connector.schemas import FILE_ID_PREFIX

KEPT_DAYS = 90  # a routine not trained for this long counts as deleted
_TITLE, _LEAST_SIMILARITY = 0.3, 0.65  # `match.title` and `match.minimum` of the marts

As = Literal["fixed", "ranged"]
"""`fixed`: done repetitions are the targets, and past workouts have no known plan, as in a file.
`ranged`: working sets have the range of the latest exposures, and each past workout followed the
routine of its day."""


@dataclass(frozen=True)
class PastDay:
    """The known data on the day of a session, and its routine; None without a similar one.

    `added` are the known exercises of the session that the routine did not have before.
    """

    session: Session
    situation: Situation
    routine: RoutineContext | None
    added: tuple[SlotContext, ...] = ()

    @property
    def trained_routine(self) -> RoutineContext:
        """The routine with the exercises that the athlete added to it for this session."""
        slots = () if self.routine is None else self.routine.slots
        added = (
            slot.model_copy(update={"exercise_index": len(slots) + place})
            for place, slot in enumerate(self.added)
        )
        if self.routine is None:
            title = self.session.title
            return RoutineContext(routine_id="new", title=title, sha256="", slots=tuple(added))
        return self.routine.model_copy(update={"slots": (*slots, *added)})

    def profile(self, unit: Unit | None = None) -> AthleteProfile:
        """Build an athlete's profile that manages that routine, or all of them without one."""
        titles = () if self.routine is None else (self.routine.title,)
        gym = {"unit": unit} if unit == "lb" else {}
        return AthleteProfile.model_validate(
            {"id": "me", "coach": {"routines": titles}, "equipment": gym}
        )


def past_days(
    sessions: Sequence[Session],
    kind: As,
    requested: Iterable[int],
    routines: Sequence[RoutineContext] = (),
) -> Iterator[PastDay]:
    """Yield the days of the requested sessions, by their place from 0.

    Only these days are built; earlier sessions are included as history. With `routines` the
    situations have these instead of the log's own, with the history of their exercises by title.
    """
    diary, places = _Diary(kind, routines), set(requested)
    known: list[Session] = []
    waiting: list[Session] = []
    for place, session in enumerate(sessions):
        if place in places:
            new = [each for each in waiting if each.known_at < session.started_at]
            waiting = [each for each in waiting if each.known_at >= session.started_at]
            if known and new and _order(new[0]) < _order(known[-1]):
                # A session that was recorded late: everything after it counts again.
                diary, new, known = _Diary(kind, routines), sorted([*known, *new], key=_order), []
            for each in new:
                diary.add(each)
            known += new
            yield diary.day_of(session)
        waiting.append(session)


def _order(session: Session) -> tuple[datetime, str]:
    return session.started_at, session.workout_id


def situation_after(sessions: Sequence[Session], kind: As, now: datetime) -> Situation:
    """Return the input at the aware time `now` after these sessions, with every routine."""
    diary = _Diary(kind)
    for session in sessions:
        diary.add(session)
    return diary.situation_at(now)


def evenly(count: int, most: int) -> list[int]:
    """Return the places of at most `most` of `count` sessions, spread evenly, including the last
    one.
    """
    taken = min(count, most)
    return [count - 1 - step * count // taken for step in range(taken)][::-1]


@dataclass
class _Routine:
    """A routine; `done` are the ids of the workouts with each of its exercises, newest first."""

    routine_id: str
    title: str
    latest: Session
    plan: dict[tuple[str, int], tuple[SetPrescription, ...]]
    done: dict[tuple[str, int], deque[str]] = field(
        default_factory=lambda: defaultdict(lambda: deque(maxlen=EXPOSURES))
    )


class _Diary:
    """All data up to a day; it only receives finished sessions."""

    def __init__(self, kind: As, others: Sequence[RoutineContext] = ()) -> None:
        self._kind = kind
        self._others = others
        self._templates: dict[str, str] = {}
        self._routines: list[_Routine] = []
        self._lifts: dict[str, PastLift] = defaultdict(PastLift)
        self._trained: list[TrainedRoutine] = []
        self._minutes_a_set: list[float] = []
        self._weekly: defaultdict[tuple[str, date], float] = defaultdict(float)

    def day_of(self, session: Session) -> PastDay:
        situation = self.situation_at(session.started_at, kept_days=KEPT_DAYS)
        own = self._routine_of(session)
        contexts = {each.routine_id: each for each in situation.routines}
        routine = contexts.get(own.routine_id) if own else None
        return PastDay(session, situation, routine, self._added(session, routine))

    def _added(self, session: Session, routine: RoutineContext | None) -> tuple[SlotContext, ...]:
        """Return the known exercises of a session that its routine does not have."""
        old = () if routine is None else routine.slots
        there = {(slot.exercise_template_id, slot.occurrence) for slot in old}
        slots: list[SlotContext] = []
        for done in session.done:
            lift = self._lifts.get(done.key[0])
            if done.key in there or done.occurrence > 1 or lift is None:
                continue
            exposures = lift.exposures
            sets = tuple(_target(place, each, None) for place, each in enumerate(exposures[0].sets))
            slots.append(self._slot(len(slots), done, exposures, sets))
        return tuple(slots)

    def situation_at(self, now: datetime, *, kept_days: float = inf) -> Situation:
        today = now.date()
        contexts = self._contexts(now, kept_days)
        monday = monday_of(today)
        weeks = {monday - timedelta(weeks=back) for back in range(VOLUME_WEEKS + 1)}
        pace = self._minutes_a_set[-DURATION_WINDOW.value :]
        return Situation(
            today=today,
            routines=tuple(contexts[routine_id] for routine_id in sorted(contexts)),
            trained=tuple(self._trained[-100:]),
            pace=PersonalPace(minutes_a_set=median(pace), workouts=len(pace)) if pace else None,
            weekly_sets=tuple(
                MuscleWeek(muscle_group=group, week_start=week, sets=sets)
                for (group, week), sets in sorted(self._weekly.items())
                if week in weeks
            ),
        )

    def _contexts(self, now: datetime, kept_days: float) -> dict[str, RoutineContext]:
        if self._others:
            return {each.routine_id: self._with_history(each) for each in self._others}
        kept = [each for each in self._routines if (now - each.latest.started_at).days <= kept_days]
        return {each.routine_id: self._context(each) for each in kept}

    def _with_history(self, routine: RoutineContext) -> RoutineContext:
        """Return a routine that the log does not have, with the history of its exercises."""
        slots = []
        for slot in routine.slots:
            title = normalize_title(slot.exercise_title)
            lift = self._lifts[self._templates.get(title, slot.exercise_template_id)]
            found = {
                "learned_increment_kg": lift.increment_kg,
                "exposures": lift.exposures,
                "last_trained_at": lift.last_at,
                "trend": lift.trend,
            }
            slots.append(slot.model_copy(update=found))
        return routine.model_copy(update={"slots": tuple(slots)})

    def add(self, session: Session) -> None:
        routine = self._routine_of(session)
        before = {} if routine is None or self._kind == "fixed" else routine.plan
        if routine is None:
            number = len(self._routines)
            taken = {each.title for each in self._routines}
            title = session.title if session.title not in taken else f"{session.title} {number}"
            routine = _Routine(f"routine-{number:03}", title, session, {})
            self._routines.append(routine)
        for done in session.done:
            template_id = done.exercise["exercise_template_id"]
            self._templates[normalize_title(done.exercise["exercise_title"])] = template_id
            lift = self._lifts[template_id]
            lift.record(done, _exposure(session, done, before.get(done.key), bool(before)))
            routine.done[done.key].appendleft(session.workout_id)
        for template_id in session.exercises:
            self._lifts[template_id].judge()
        for done in session.done:
            lift = self._lifts[done.key[0]]
            lift.add(session, done)
            self._count(session, done, lift.own_maxima.on(session.started_at))
        routine.latest = session
        routine.plan = {done.key: self._planned(done, routine) for done in session.done}
        self._trained.append(
            TrainedRoutine(routine_id=routine.routine_id, started_at=session.started_at)
        )
        if session.minutes and (sets := sum(len(each.sets) for each in session.done)):
            self._minutes_a_set.append(session.minutes / sets)

    def _routine_of(self, session: Session) -> _Routine | None:
        """Return the routine of its id, of its title, or the most similar; None if
        the marts would match none.
        """
        if session.routine_id is not None:
            same = (each for each in self._routines if each.latest.routine_id == session.routine_id)
            return next(same, None)
        title = normalize_title(session.title)

        def similarity(routine: _Routine) -> tuple[bool, float, datetime]:
            ours, others = session.exercises, routine.latest.exercises
            shared = len(ours & others) / (len(ours | others) or 1)
            is_title = normalize_title(routine.latest.title) == title
            return is_title, _TITLE * is_title + (1 - _TITLE) * shared, routine.latest.started_at

        found = [(similarity(each), each) for each in self._routines]
        known = [each for each in found if round(each[0][1], 6) >= _LEAST_SIMILARITY]
        return max(known, key=lambda each: each[0])[1] if known else None

    def _context(self, routine: _Routine) -> RoutineContext:
        context = RoutineContext(
            routine_id=routine.routine_id,
            title=routine.title,
            sha256=routine.latest.workout_id,
            last_trained_at=routine.latest.started_at,
            slots=tuple(
                self._slot(
                    index,
                    done,
                    latest_work(self._own(routine, done), self._lifts[done.key[0]].exposures),
                    routine.plan[done.key],
                )
                for index, done in enumerate(routine.latest.done)
            ),
        )
        is_of_file = routine.latest.workout_id.startswith(FILE_ID_PREFIX)
        return complete_file_routine(context) if is_of_file else context

    def _own(self, routine: _Routine, done: Done) -> list[Exposure]:
        """Return the latest exposures of a place, newest first."""
        template_id, occurrence = done.key
        lift = self._lifts[template_id]
        return [lift.exposure(each, occurrence) for each in routine.done[done.key]]

    def _slot(
        self,
        index: int,
        done: Done,
        exposures: tuple[Exposure, ...],
        planned: tuple[SetPrescription, ...],
    ) -> SlotContext:
        lift = self._lifts[done.exercise["exercise_template_id"]]
        return SlotContext(
            exercise_index=index,
            occurrence=done.occurrence,
            **done.exercise,
            superset_id=done.superset_id,
            learned_increment_kg=lift.increment_kg,
            exposures=exposures,
            planned_sets=planned,
            last_trained_at=lift.last_at,
            trend=lift.trend,
        )

    def _planned(self, done: Done, routine: _Routine) -> tuple[SetPrescription, ...]:
        """Return the sets as targets for the next time."""
        ends: tuple[int, int] | None = None
        if self._kind == "ranged":
            reps = [
                each.reps
                for exposure in self._own(routine, done)
                for each in exposure.sets
                if each.set_type in WORKING_TYPES and each.reps
            ]
            ends = (min(reps), max(reps)) if reps else None
        return tuple(_target(index, each, ends) for index, each in enumerate(done.sets))

    def _count(self, session: Session, done: Done, own_max_kg: float | None) -> None:
        day = session.started_at.date()
        monday = monday_of(day)
        hard = count_hard_sets(
            [(each.set_type, each.weight_kg, each.reps, each.rpe) for each in done.working],
            done.exercise["exercise_type"],
            own_max_kg,
            is_eased=False,
        )
        if group := done.exercise["primary_muscle_group"]:
            self._weekly[group, monday] += hard
        for group in done.exercise["secondary_muscle_groups"]:
            self._weekly[group, monday] += hard / 2


def latest_work(own: Sequence[Exposure], anywhere: Sequence[Exposure]) -> tuple[Exposure, ...]:
    """Return the exposures of the own place, or all if newer and similar ones outweigh them.

    Both are newest first. The mart `coach_context` has the same rule.
    """
    if own and anywhere:
        newer = anywhere[0].started_at - own[0].started_at
        is_outweighed = newer > timedelta(days=CONTEXT_OWN_PLACE.value) and is_similar_work(
            mean_reps(own[0]), mean_reps(anywhere[0])
        )
        return tuple(anywhere if is_outweighed else own)
    return tuple(own or anywhere)


def _target(index: int, done: ExposureSet, ends: tuple[int, int] | None) -> SetPrescription:
    """Return a done set as a target, a working set with a range of repetitions if one is given."""
    low, high = ends if ends and done.set_type in WORKING_TYPES else (None, None)
    return SetPrescription(
        set_index=index,
        set_type=done.set_type,
        weight_kg=done.weight_kg,
        reps=done.reps or None,
        rep_range_start=low,
        rep_range_end=high,
        duration_s=done.duration_s,
        distance_m=done.distance_m,
    )


def _exposure(
    session: Session, done: Done, plan: tuple[SetPrescription, ...] | None, is_plan_known: bool
) -> Exposure:
    """Build the done exercise; with a known plan each set is paired with the next one of its
    kind.
    """
    waiting = {
        is_working: [each for each in plan or () if (each.set_type in WORKING_TYPES) == is_working]
        for is_working in (True, False)
    }
    sets = []
    for each in done.sets:
        planned = waiting[each.set_type in WORKING_TYPES]
        sets.append(each.model_copy(update=_plan_fields(planned.pop(0))) if planned else each)
    working = [each for each in plan or () if each.set_type in WORKING_TYPES]
    return Exposure(
        workout_id=session.workout_id,
        started_at=session.started_at,
        is_plan_known=is_plan_known,
        planned_working_count=len(working) if is_plan_known else None,
        sets=tuple(sets),
    )


def _plan_fields(planned: SetPrescription) -> dict[str, Any]:
    has_range = planned.rep_range_start is not None
    return {
        "planned_set_index": planned.set_index,
        "planned_weight_kg": planned.weight_kg,
        "planned_reps_low": planned.rep_range_start if has_range else planned.reps,
        "planned_reps_high": planned.rep_range_end if has_range else planned.reps,
        "planned_duration_s": planned.duration_s,
    }
