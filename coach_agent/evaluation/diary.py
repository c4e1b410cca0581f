"""In-memory replacement of the marts for a simulated lifter, updated day by day.

A diary receives each workout and returns what `coach_context` and the other marts would hold the
night after it, so that the same engine decides in a simulation and at night.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from statistics import fmean, median
from typing import NamedTuple

from coach_agent.domain.constants.history import TYPO_HI, TYPO_LO, TYPO_MIN_OTHERS, TYPO_WINDOW
from coach_agent.domain.constants.recovery import STALL_MAX_EXPOSURES
from coach_agent.domain.context import (
    Exposure,
    ExposureSet,
    LiftTrend,
    RoutineContext,
    SlotContext,
    TrainedRoutine,
)
from coach_agent.domain.days import monday_of
from coach_agent.domain.e1rm import EstimatedMax, estimated_max
from coach_agent.domain.plan import SetPrescription
from coach_agent.engine.forecast.trend import Trend, trend_of, wobble_of
from coach_agent.engine.loads.increments import learned_increment_kg
from coach_agent.evaluation.effort import (
    OwnMaxima,
    count_hard_sets,
    easy_reason,
    reserve_of_maximum,
)
from coach_agent.evaluation.lift_trends import as_mart
from coach_agent.evaluation.past_days import latest_work
from coach_agent.evaluation.planned_workouts import (
    EditedExercise,
    Logged,
    Record,
    SlotPlan,
    Target,
    Workout,
    target_of,
)
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import VOLUME_WEEKS, MuscleWeek, Situation, first_of_latest
from coach_agent.store.check_ins import CHECK_INS_KNOWN_FOR, CheckIn

FIRST_DAY = date(2026, 1, 5)
"""The Monday of the first day of every simulated history."""
_EXPOSURES, _TREND_DAYS = 6, 120  # as the marts have them

FalseAlarms = Mapping[tuple[int, float, float], float]
"""Error rate of the stall rule, by number of exposures, noise and drift in percent."""


class _Maximum(NamedTuple):
    at: datetime
    family: str
    zone: int
    kg: float
    mean_reps: float
    mean_rpe: float | None


class Diary:
    """All data of a lifter; `routines` are those of the first day, without any history.

    `others` are exercises that the lifter may add to them. No routine has an exercise twice.
    """

    def __init__(
        self,
        routines: Sequence[RoutineContext],
        profile: AthleteProfile,
        false_alarms: FalseAlarms | None = None,
        others: Sequence[SlotContext] = (),
    ) -> None:
        self.profile = profile
        self.routines = tuple(routines)
        there = (slot for routine in routines for slot in routine.slots)
        self._exercises = {slot.exercise_template_id: slot for slot in (*there, *others)}
        self._false_alarms = false_alarms or {}
        self.current = [[_targets(slot) for slot in routine.slots] for routine in routines]
        self.in_hevy = [
            Workout(place, tuple(SlotPlan(tuple(sets), tuple(sets)) for sets in slots))
            for place, slots in enumerate(self.current)
        ]
        self._records: dict[tuple[int, str], list[Record]] = defaultdict(list)
        self._exposures: dict[tuple[int, str], list[Exposure]] = defaultdict(list)
        self._maxima: dict[str, list[_Maximum]] = defaultdict(list)
        self._own_maxima: dict[str, OwnMaxima] = defaultdict(OwnMaxima)
        self._bests: dict[str, list[float]] = defaultdict(list)
        self._loads: dict[str, list[float]] = defaultdict(list)
        self._last_at: dict[str, datetime] = {}
        self._trained: list[TrainedRoutine] = []
        self._deload_days: list[date] = []
        self._weekly: dict[tuple[str, date], float] = defaultdict(float)
        self.check_ins: list[CheckIn] = []

    @property
    def next_routine(self) -> int:
        """The place of the next routine: they follow each other in order."""
        return len(self._trained) % len(self.routines)

    def records(self, routine: int, slot: int) -> Sequence[Record]:
        """Return the history of the exercise at a place in this routine, oldest first."""
        return self._records[self._key(routine, slot)]

    def edited(self, workout: Workout, exercises: Sequence[EditedExercise]) -> Workout:
        """Return the workout after the lifter's edit of a plan in the app; the routine keeps the
        edit.

        An easy exercise stays easy only if the edit adds nothing to the plan, as in the marts.
        """
        routine = self.routines[workout.routine]
        slots, plans = [], []
        for index, each in enumerate(exercises):
            slot, plan = routine.slots[each.place], workout.slots[each.place]
            sets = _resize(slot.planned_sets, len(each.sets) - len(plan.targets))
            is_same = each.template_id == slot.exercise_template_id
            slot = slot if is_same else self._exercises[each.template_id]
            slots.append(slot.model_copy(update={"exercise_index": index, "planned_sets": sets}))
            plans.append(_edit_plan(plan, each.sets, is_same=is_same))
        changed = routine.model_copy(update={"slots": tuple(slots)})
        self.routines = tuple(changed if each is routine else each for each in self.routines)
        return workout._replace(slots=tuple(plans))

    def add(self, day: int, workout: Workout, done: Sequence[Sequence[Logged]]) -> None:
        """Add a trained workout, in days after the first one; its plan stays in the routine."""
        at = moment(day)
        routine = self.routines[workout.routine]
        self.in_hevy[workout.routine] = workout
        for place, (plan, sets) in enumerate(zip(workout.slots, done, strict=True)):
            self.current[workout.routine][place] = list(plan.whole)
            if sets:
                record = Record(at, plan, tuple(sets))
                self._records[self._key(workout.routine, place)].append(record)
                self._count(routine.slots[place], record)
        self._trained.append(TrainedRoutine(routine_id=routine.routine_id, started_at=at))
        if workout.deload is not None:
            self._deload_days.insert(0, at.date())

    def situation(self, day: int) -> Situation:
        """Build the coach's input before the session of that day."""
        today = moment(day).date()
        monday = monday_of(today)
        weeks = {monday - timedelta(weeks=back) for back in range(VOLUME_WEEKS + 1)}
        since = moment(day) - CHECK_INS_KNOWN_FOR
        check_ins = tuple(each for each in self.check_ins if each.checked_in_at >= since)
        return Situation(
            today=today,
            routines=tuple(self._routine(place) for place in range(len(self.routines))),
            trained=tuple(self._trained[-100:]),
            check_ins=check_ins,
            latest_check_in=check_ins[0] if check_ins else None,
            last_deload=first_of_latest(tuple(self._deload_days)),
            weekly_sets=tuple(
                MuscleWeek(muscle_group=group, week_start=week, sets=sets)
                for (group, week), sets in sorted(self._weekly.items())
                if week in weeks
            ),
        )

    @property
    def deload_count(self) -> int:
        """The number of deload workouts."""
        return len(self._deload_days)

    def weekly_sets(self) -> Mapping[tuple[str, date], float]:
        """Return fractional hard sets by muscle group and Monday."""
        return self._weekly

    def trend(self, template_id: str) -> LiftTrend:
        """Return the trend of an exercise, as in `fct_exercise_trend`."""
        found = self._maxima[template_id]
        if not found:
            return LiftTrend()
        window = found[-1].at - timedelta(days=_TREND_DAYS)
        days = sorted({each.at for each in found}, reverse=True)[: STALL_MAX_EXPOSURES.value]
        latest = [each for each in found if each.at in days and each.at >= window]
        kinds = Counter((each.family, each.zone) for each in latest)
        newest = {(each.family, each.zone): each.at for each in latest}
        family, zone = max(kinds, key=lambda kind: (kinds[kind], newest[kind], kind[1]))
        series = [each for each in found if (each.family, each.zone) == (family, zone)]
        in_trend = [each for each in series if each.at >= window][-STALL_MAX_EXPOSURES.value :]
        trend = trend_of([each.kg for each in in_trend])
        if trend is None:
            return as_mart(None)
        rpes = [each.mean_rpe for each in in_trend if each.mean_rpe is not None]
        beside = {
            "false_alarm_rate": self._false_alarm_rate(trend),
            "mean_rpe": fmean(rpes) if rpes else None,
            "mean_reps": fmean(each.mean_reps for each in in_trend),
        }
        return as_mart(trend).model_copy(update=beside)

    def _count(self, slot: SlotContext, record: Record) -> None:
        template = slot.exercise_template_id
        self._last_at[template] = record.at
        self._loads[template].append(max(each.load_kg for each in record.done))
        found = [
            (each, shown)
            for each in record.done
            if (shown := estimated_max(each.load_kg, each.reps, each.rpe)) is not None
        ]
        doubted = self._outlier_ids(template, found)
        for each in record.done:
            if id(each) not in doubted:
                self._own_maxima[template].add(record.at, each.load_kg, each.reps, each.rpe)
        own_max_kg = self._own_maxima[template].on(record.at)
        hard = count_hard_sets(
            [("normal", each.load_kg, each.reps, each.rpe) for each in record.done],
            slot.exercise_type,
            own_max_kg,
            is_eased=record.plan.is_easy,
        )
        if hard:
            monday = monday_of(record.at.date())
            self._weekly[slot.primary_muscle_group or "", monday] += hard
            for group in slot.secondary_muscle_groups:
                self._weekly[group, monday] += hard / 2
        if found:
            self._bests[template].append(max(shown.kg for _, shown in found))
        if record.plan.is_easy:
            return
        by_kind: dict[tuple[str, int], float] = {}
        for each, shown in found:
            if id(each) in doubted or "low_confidence" in shown.tags:
                continue
            reserve = reserve_of_maximum(each.load_kg, each.reps, each.rpe, own_max_kg)
            if easy_reason("normal", each.rpe, is_eased=False, reserve=reserve) is not None:
                continue
            kind = _family(shown), 0 if shown.reps_effective <= 5 else 1
            by_kind[kind] = max(by_kind.get(kind, 0.0), shown.kg)
        rated = [each.rpe for each in record.done if each.rpe is not None]
        for (family, zone), kg in by_kind.items():
            reps = fmean(each.reps for each in record.done)
            mean_rpe = fmean(rated) if rated else None
            self._maxima[template].append(_Maximum(record.at, family, zone, kg, reps, mean_rpe))

    def _outlier_ids(
        self, template: str, found: Sequence[tuple[Logged, EstimatedMax]]
    ) -> frozenset[int]:
        """Return the ids of sets that look mistyped compared with earlier exposures."""
        before = self._bests[template][-TYPO_WINDOW.value :]
        if len(before) < TYPO_MIN_OTHERS.value:
            return frozenset()
        usual = median(before)
        return frozenset(
            id(each)
            for each, shown in found
            if not TYPO_LO.value * usual <= shown.kg <= TYPO_HI.value * usual
        )

    def _false_alarm_rate(self, trend: Trend) -> float | None:
        if not self._false_alarms:
            return None
        wobble = wobble_of(trend)
        count, noise, drift = trend.exposure_count, wobble.noise_pct, wobble.drift_pct
        return interpolate_rate(self._false_alarms, count, noise, drift)

    def _routine(self, place: int) -> RoutineContext:
        routine = self.routines[place]
        done = [each for each in self._trained if each.routine_id == routine.routine_id]
        slots = []
        for at, slot in enumerate(routine.slots):
            template = slot.exercise_template_id
            slots.append(
                slot.model_copy(
                    update={
                        "planned_sets": _planned_sets(slot, self.current[place][at]),
                        "exposures": tuple(self._exposures_of(place, at)),
                        "last_trained_at": self._last_at.get(template),
                        "learned_increment_kg": learned_increment_kg(self._loads[template]),
                        "trend": self.trend(template),
                    }
                )
            )
        return routine.model_copy(
            update={
                "slots": tuple(slots),
                "last_trained_at": done[-1].started_at if done else None,
            }
        )

    def _exposures_of(self, place: int, at: int) -> list[Exposure]:
        """Return the latest exposures, newest first, also of newer work in other routines."""
        own, template = self._key(place, at)
        latest = self._latest((own, template))
        keys = [key for key in self._records if key[1] == template]
        if len(keys) < 2:
            return latest
        every = chain.from_iterable(self._latest(key) for key in keys)
        anywhere = sorted(every, key=lambda each: each.started_at, reverse=True)
        return list(latest_work(latest, anywhere[:_EXPOSURES]))

    def _latest(self, key: tuple[int, str]) -> list[Exposure]:
        """Return the latest exposures in one routine, newest first; each is built once."""
        known, records = self._exposures[key], self._records[key]
        for record in records[len(known) :]:
            known.append(_exposure(record, len(known)))
        return known[: -_EXPOSURES - 1 : -1]

    def _key(self, routine: int, slot: int) -> tuple[int, str]:
        return routine, self.routines[routine].slots[slot].exercise_template_id


def moment(day: int) -> datetime:
    """Return the evening of a day, in days after the first one."""
    return datetime.combine(FIRST_DAY, datetime.min.time(), UTC) + timedelta(days=day, hours=18)


def interpolate_rate(rates: FalseAlarms, count: int, noise: float, drift: float) -> float:
    """Interpolate the rate between the nearest known noises and drifts, like the mart."""
    counts = sorted({key[0] for key in rates})
    known = min(count, counts[-1])
    noises, drifts = sorted({key[1] for key in rates}), sorted({key[2] for key in rates})
    return sum(
        rates[known, one, other] * share * part
        for one, share in _shares(noises, noise)
        for other, part in _shares(drifts, drift)
    )


def _shares(nodes: Sequence[float], value: float) -> list[tuple[float, float]]:
    value = min(max(value, nodes[0]), nodes[-1])
    above = next(at for at, node in enumerate(nodes) if node >= value)
    if above == 0 or nodes[above] == value:
        return [(nodes[above], 1.0)]
    low, high = nodes[above - 1], nodes[above]
    share = (value - low) / (high - low)
    return [(low, 1 - share), (high, share)]


def _family(shown: EstimatedMax) -> str:
    if shown.method == "tested":
        return "tested"
    return "epley_assumed_failure" if "assumes_failure" in shown.tags else "epley_rated"


def _edit_plan(plan: SlotPlan, sets: Sequence[tuple[int, float]], *, is_same: bool) -> SlotPlan:
    """Return the plan with the lifter's sets, which are whole unless only loads were changed."""
    targets = tuple(plan.targets[index]._replace(load_kg=load_kg) for index, load_kg in sets)
    if targets == plan.targets and is_same:
        return plan
    if len(targets) != len(plan.targets) or not is_same:
        is_less = is_same and len(targets) < len(plan.targets)
        return SlotPlan(targets, targets, is_easy=plan.is_easy and is_less)
    loads = [each.load_kg for each in targets[: len(plan.whole)]]
    rest = plan.whole[len(loads) :]
    whole = (each._replace(load_kg=kg) for each, kg in zip(plan.whole, loads, strict=False))
    is_more = max(loads) > max(each.load_kg for each in plan.targets)
    return SlotPlan(targets, (*whole, *rest), is_easy=plan.is_easy and not is_more)


def _resize(sets: tuple[SetPrescription, ...], more: int) -> tuple[SetPrescription, ...]:
    """Return the sets with `more` copies of the last one, or fewer sets, at least one."""
    count = max(1, len(sets) + more)
    added = (sets[-1].model_copy(update={"set_index": index}) for index in range(len(sets), count))
    return (*sets[:count], *added)


def _targets(slot: SlotContext) -> list[Target]:
    return [target_of(each) for each in slot.planned_sets]


def _planned_sets(slot: SlotContext, targets: Sequence[Target]) -> tuple[SetPrescription, ...]:
    has_range = slot.planned_sets[0].rep_range_start is not None
    return tuple(
        SetPrescription(
            set_index=index,
            set_type="normal",
            weight_kg=target.load_kg,
            reps=target.goal,
            rep_range_start=target.low if has_range else None,
            rep_range_end=target.high if has_range else None,
        )
        for index, target in enumerate(targets)
    )


def _exposure(record: Record, number: int) -> Exposure:
    targets = record.plan.targets
    sets = []
    for index, each in enumerate(record.done):
        target = targets[index]
        sets.append(
            ExposureSet(
                set_index=index,
                set_type="normal",
                weight_kg=each.load_kg,
                reps=each.reps,
                rpe=each.rpe,
                planned_set_index=index,
                planned_weight_kg=target.load_kg,
                planned_reps_low=target.low,
                planned_reps_high=target.high,
            )
        )
    return Exposure(
        workout_id=f"workout-{record.at:%Y%m%d}-{number}",
        started_at=record.at,
        is_plan_known=True,
        planned_working_count=len(targets),
        is_easy=record.plan.is_easy,
        sets=tuple(sets),
    )
