"""The coach's input on the day of each session of a log, from earlier sessions only.

A log of workouts has no routines. Sessions with the same title, or otherwise the same set of
exercises, form one routine, with the structure of its latest earlier session: the exercises in
order with their sets. `As` selects the treatment of targets. From the session itself only its day,
its title and, for a new title, its exercises are used.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from math import inf
from statistics import fmean, median
from typing import Any, Literal

from coach_agent.domain.constants.history import CONTEXT_OWN_PLACE, TYPO_ALIKE, TYPO_MIN_OTHERS
from coach_agent.domain.constants.session import DURATION_WINDOW
from coach_agent.domain.context import (
    Exposure,
    ExposureSet,
    LiftTrend,
    RoutineContext,
    SlotContext,
    TrainedRoutine,
)
from coach_agent.domain.e1rm import estimated_max
from coach_agent.domain.plan import SetPrescription
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.forecast.trend import trend_of
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.history.elsewhere import is_similar_work, mean_reps
from coach_agent.engine.loads.increments import ASSISTED, learned_increment_kg
from coach_agent.evaluation.effort import OwnMaxima, count_hard_sets
from coach_agent.evaluation.exposures import Unit
from coach_agent.evaluation.lift_trends import as_mart
from coach_agent.evaluation.past_sessions import Done, Session
from coach_agent.planning.situation import VOLUME_WEEKS, MuscleWeek, PersonalPace, Situation
from coach_agent.profile.model import AthleteProfile

EXPOSURES = 6  # as the mart `coach_context` has them
KEPT_DAYS = 90  # a routine not trained for this long counts as deleted
_TREND_EXPOSURES, _DOUBT_WINDOW = 12, 7
_FAR = 2.0  # `typo.far` of the marts

As = Literal["fixed", "ranged"]
"""`fixed`: done repetitions are the targets, and past workouts have no known plan, as in a file.
`ranged`: working sets have the range of the latest exposures, and each past workout followed the
routine of its day."""


@dataclass(frozen=True)
class PastDay:
    """The known data on the day of a session, and its routine; None without a similar one."""

    session: Session
    situation: Situation
    routine: RoutineContext | None

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
    for place, session in enumerate(sessions):
        if place in places:
            yield diary.day_of(session)
        diary.add(session)


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
    routine_id: str
    title: str
    latest: Session
    plan: dict[tuple[str, int], tuple[SetPrescription, ...]]
    exposures: dict[tuple[str, int], deque[Exposure]] = field(
        default_factory=lambda: defaultdict(lambda: deque(maxlen=EXPOSURES))
    )


class _Lift:
    """The data of an exercise from all sessions."""

    def __init__(self) -> None:
        self.exposures: deque[Exposure] = deque(maxlen=EXPOSURES)
        self.maxima: list[float] = []
        self.loads: list[float] = []
        self.reps: list[float] = []
        self.own_maxima = OwnMaxima()
        self.last_at: datetime | None = None

    def add(self, session: Session, done: Done, exposure: Exposure) -> None:
        self.last_at = session.started_at
        if done.exercise["exercise_type"] == "weight_reps":
            for each in exposure.sets:
                is_known = each.set_type in WORKING_TYPES and not each.is_typo_suspect
                if is_known and each.weight_kg and each.reps:
                    self.own_maxima.add(self.last_at, each.weight_kg, each.reps, each.rpe)
        if loads := [each.weight_kg for each in done.working if each.weight_kg]:
            is_assisted = done.exercise["exercise_type"] == ASSISTED
            self.loads.append(-min(loads) if is_assisted else max(loads))
        best = max((_maximum(each) for each in done.working), default=0.0)
        if best and done.exercise["exercise_type"] == "weight_reps":
            self.maxima.append(best)
            self.reps.append(fmean(each.reps for each in done.working if each.reps))

    @property
    def increment_kg(self) -> float | None:
        return learned_increment_kg(self.loads)

    @property
    def trend(self) -> LiftTrend:
        if not self.maxima:
            return LiftTrend()
        trend = trend_of(self.maxima[-_TREND_EXPOSURES:])
        if trend is None:
            return as_mart(None)
        mean_reps = fmean(self.reps[-_TREND_EXPOSURES:])
        return as_mart(trend).model_copy(update={"mean_reps": mean_reps})


class _Diary:
    """All data up to a day; it only receives finished sessions."""

    def __init__(self, kind: As, others: Sequence[RoutineContext] = ()) -> None:
        self._kind = kind
        self._others = others
        self._templates: dict[str, str] = {}
        self._routines: list[_Routine] = []
        self._lifts: dict[str, _Lift] = defaultdict(_Lift)
        self._trained: list[TrainedRoutine] = []
        self._minutes_a_set: list[float] = []
        self._weekly: defaultdict[tuple[str, date], float] = defaultdict(float)

    def day_of(self, session: Session) -> PastDay:
        situation = self.situation_at(session.started_at, kept_days=KEPT_DAYS)
        own = self._routine_of(session)
        contexts = {each.routine_id: each for each in situation.routines}
        return PastDay(session, situation, contexts.get(own.routine_id) if own else None)

    def situation_at(self, now: datetime, *, kept_days: float = inf) -> Situation:
        today = now.date()
        contexts = self._contexts(now, kept_days)
        monday = today - timedelta(days=today.weekday())
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
                "exposures": tuple(lift.exposures),
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
            exposure = _exposure(session, done, before.get(done.key), lift.loads, bool(before))
            routine.exposures[done.key].appendleft(exposure)
            if done.occurrence == 1:
                lift.exposures.appendleft(exposure)
            lift.add(session, done, exposure)
            self._count(session, done, lift.own_maxima.on(session.started_at))
        routine.latest = session
        routine.plan = {done.key: self._planned(done, routine) for done in session.done}
        self._trained.append(
            TrainedRoutine(routine_id=routine.routine_id, started_at=session.started_at)
        )
        if session.minutes and (sets := sum(len(each.sets) for each in session.done)):
            self._minutes_a_set.append(session.minutes / sets)

    def _routine_of(self, session: Session) -> _Routine | None:
        """Return the latest earlier routine of this title, otherwise the one with the same
        exercises.
        """
        found = [each for each in self._routines if each.latest.title == session.title] or [
            each for each in self._routines if each.latest.exercises == session.exercises
        ]
        return max(found, key=lambda each: each.latest.started_at, default=None)

    def _context(self, routine: _Routine) -> RoutineContext:
        slots = []
        for index, done in enumerate(routine.latest.done):
            lift = self._lifts[done.exercise["exercise_template_id"]]
            slots.append(
                SlotContext(
                    exercise_index=index,
                    occurrence=done.occurrence,
                    **done.exercise,
                    superset_id=done.superset_id,
                    learned_increment_kg=lift.increment_kg,
                    exposures=latest_work(routine.exposures[done.key], lift.exposures),
                    planned_sets=routine.plan[done.key],
                    last_trained_at=lift.last_at,
                    trend=lift.trend,
                )
            )
        return RoutineContext(
            routine_id=routine.routine_id,
            title=routine.title,
            sha256=routine.latest.workout_id,
            last_trained_at=routine.latest.started_at,
            slots=tuple(slots),
        )

    def _planned(self, done: Done, routine: _Routine) -> tuple[SetPrescription, ...]:
        """Return the sets as targets for the next time."""
        ends: tuple[int, int] | None = None
        if self._kind == "ranged":
            reps = [
                each.reps
                for exposure in routine.exposures[done.key]
                for each in exposure.sets
                if each.set_type in WORKING_TYPES and each.reps
            ]
            ends = (min(reps), max(reps)) if reps else None
        return tuple(
            SetPrescription(
                set_index=index,
                set_type=each.set_type,
                weight_kg=each.weight_kg,
                reps=each.reps or None,
                rep_range_start=ends[0] if ends and each.set_type in WORKING_TYPES else None,
                rep_range_end=ends[1] if ends and each.set_type in WORKING_TYPES else None,
                duration_s=each.duration_s,
                distance_m=each.distance_m,
            )
            for index, each in enumerate(done.sets)
        )

    def _count(self, session: Session, done: Done, own_max_kg: float | None) -> None:
        day = session.started_at.date()
        monday = day - timedelta(days=day.weekday())
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


def _exposure(
    session: Session,
    done: Done,
    plan: tuple[SetPrescription, ...] | None,
    loads: Sequence[float],
    is_plan_known: bool,
) -> Exposure:
    """Build the done exercise; with a known plan each set is paired with the next one of its
    kind.
    """
    known = [abs(load) for load in loads[-_DOUBT_WINDOW:]]
    usual = median(known) if len(known) >= TYPO_MIN_OTHERS.value else None
    waiting = {
        is_working: [each for each in plan or () if (each.set_type in WORKING_TYPES) == is_working]
        for is_working in (True, False)
    }
    sets = []
    for each in done.sets:
        planned = waiting[each.set_type in WORKING_TYPES]
        beside = _plan_fields(planned.pop(0)) if planned else {}
        is_doubted = usual is not None and _is_mistyped(each, done.sets, usual)
        is_changed = bool(beside) or is_doubted != each.is_typo_suspect
        told = {**beside, "is_typo_suspect": is_doubted}
        sets.append(each.model_copy(update=told) if is_changed else each)
    working = [each for each in plan or () if each.set_type in WORKING_TYPES]
    return Exposure(
        workout_id=session.workout_id,
        started_at=session.started_at,
        is_plan_known=is_plan_known,
        planned_working_count=len(working) if is_plan_known else None,
        sets=tuple(sets),
    )


def _is_mistyped(each: ExposureSet, sets: Sequence[ExposureSet], usual_kg: float) -> bool:
    """Return whether a load is far above the usual one, and no other set of the day is near it."""
    load = each.weight_kg or 0.0
    others = (other.weight_kg or 0.0 for other in sets if other is not each)
    return load > _FAR * usual_kg and all(TYPO_ALIKE.value * other < load for other in others)


def _plan_fields(planned: SetPrescription) -> dict[str, Any]:
    has_range = planned.rep_range_start is not None
    return {
        "planned_set_index": planned.set_index,
        "planned_weight_kg": planned.weight_kg,
        "planned_reps_low": planned.rep_range_start if has_range else planned.reps,
        "planned_reps_high": planned.rep_range_end if has_range else planned.reps,
        "planned_duration_s": planned.duration_s,
    }


def _maximum(done: ExposureSet) -> float:
    found = estimated_max(done.weight_kg or 0.0, done.reps or 0, done.rpe)
    return 0.0 if found is None else found.kg
