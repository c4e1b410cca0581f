"""Simulated training under the coach, of lifters that are fitted to a log."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import log, sqrt
from statistics import fmean, linear_regression, median, stdev

from coach_agent.domain.context import RoutineContext, SlotContext
from coach_agent.domain.e1rm import epley_max
from coach_agent.domain.plan import SetPrescription
from coach_agent.domain.titles import normalize_title
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.evaluation.ahead import gym_loads, usual_minutes
from coach_agent.evaluation.closed_loop import Run, run
from coach_agent.evaluation.closed_loop_measures import gain_of
from coach_agent.evaluation.diary import Diary
from coach_agent.evaluation.exposures import PastExposure, TrainingLog
from coach_agent.evaluation.following import ProgrammePolicy
from coach_agent.evaluation.policies import engine
from coach_agent.evaluation.what_if import ProgrammeToFollow, Scenario
from coach_agent.profile.model import AthleteProfile
from coach_agent.profile.sections import CoachSettings
from coach_agent.situation.situation import PersonalPace
from hevy_connector.simulator.athletes.cohort import SimulatedLifter
from hevy_connector.simulator.athletes.fitted import FittedLift, Trend, fitted_lifters
from hevy_connector.simulator.athletes.physiology import load_for
from hevy_connector.simulator.athletes.trainee import Trainee
from orchestration.services.simulations.simulation import false_alarms, on_all_processors

_TREND_WINDOW = timedelta(weeks=26)
_LEAST_EXPOSURES = 6
_LATEST = 3
_USUAL_NOISE, _MOST_NOISE = 0.0311, 0.0607  # median and 90 % of public logs
_LEAST_ERROR, _UNKNOWN_GAIN, _UNKNOWN_ERROR = 0.0015, 0.003, 0.01
_RECENT = timedelta(weeks=6)
_MOST_ROUTINES = 7
_EPLEY_REPS = 30.0
_FIRST_RESERVE = 2  # of guessed first loads, as for other simulated lifters
_OTHER_MUSCLE = 0.5  # strength in an exercise for an untrained muscle, of the median lift; a guess
_LOADED = "weight_reps"
_REST_S = 120
_NO_MUSCLE = "other"


@dataclass(frozen=True)
class Range:
    """The median over the fitted lifters, and the lowest and highest of them."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Ahead:
    """Results of fitted lifters under one scenario; gains and misses in percent.

    `gain_pct` is the mean gain of the exercises, `lifts` has the gain by title. `missed_pct` is the
    share of the sets below their target. `muscles` are fractional hard sets a week. `left_out` are
    exercises without loads or without a number of repetitions, `guessed` those whose strength the
    log does not show.
    """

    lifters: int
    weeks: int
    sessions_a_week: int
    gain_pct: Range
    missed_pct: Range
    minutes: Range
    sets_a_week: Range
    injuries: int
    muscles: Mapping[str, float]
    lifts: Mapping[str, Range]
    left_out: tuple[str, ...]
    guessed: tuple[str, ...]


@dataclass(frozen=True)
class PlanAhead:
    """A scenario that can be simulated: routines with closed targets and loads.

    `lifts` are by template, `left_out` are the titles of exercises that cannot be simulated.
    """

    routines: tuple[RoutineContext, ...]
    profile: AthleteProfile
    lifts: dict[str, FittedLift]
    programme: ProgrammeToFollow | None
    left_out: tuple[str, ...]


def measured_trend(training: TrainingLog) -> tuple[Trend, int]:
    """Return the trend of the last half year, and the number of lifts that it is measured on.

    Each lift with six exposures or more has a line through the logarithms of its maxima. Without
    such a lift the trend is unknown: a wide error.
    """
    newest = training.sessions[-1].started_at
    window = [each for each in training.exposures if newest - each.started_at <= _TREND_WINDOW]
    by_lift: dict[str, list[PastExposure]] = defaultdict(list)
    for each in window:
        by_lift[each.exercise].append(each)
    slopes, noises, weights = [], [], []
    for exposures in by_lift.values():
        weeks = [(each.started_at - newest) / timedelta(weeks=1) for each in exposures]
        if len(exposures) < _LEAST_EXPOSURES or weeks[-1] - weeks[0] < _LATEST:
            continue
        maxima = [log(each.e1rm_kg) for each in exposures]
        slope, start = linear_regression(weeks, maxima)
        misfits = [y - start - slope * x for x, y in zip(weeks, maxima, strict=True)]
        slopes.append(slope)
        noises.append(sqrt(sum(each**2 for each in misfits) / (len(misfits) - 2)))
        weights.append(len(exposures))
    rated = [done.rpe is not None for each in window for done in each.sets]
    common = {
        "weekly_sets": _weekly_sets(window),
        "rated_share": sum(rated) / len(rated) if rated else 0.0,
    }
    if not slopes:
        return Trend(_UNKNOWN_GAIN, _UNKNOWN_ERROR, _USUAL_NOISE, **common), 0
    gain = sum(each * by for each, by in zip(slopes, weights, strict=True)) / sum(weights)
    spread = stdev(slopes) / sqrt(len(slopes)) if len(slopes) > 1 else _UNKNOWN_ERROR
    noise = min(median(noises), _MOST_NOISE)
    return Trend(gain, max(spread, _LEAST_ERROR), noise, **common), len(slopes)


def current_routines(
    routines: Sequence[RoutineContext], profile: AthleteProfile
) -> tuple[RoutineContext, ...]:
    """Return the managed routines trained in the last six weeks of training, the last ones first
    trained.
    """
    managed = profile.coach.routines
    trained = [
        each
        for each in routines
        if each.last_trained_at is not None and (not managed or each.title in managed)
    ]
    newest = max((each.last_trained_at for each in trained if each.last_trained_at), default=None)
    recent = [
        each
        for each in trained
        if newest and each.last_trained_at and newest - each.last_trained_at <= _RECENT
    ]
    latest = sorted(recent, key=lambda each: (each.last_trained_at, each.title))[-_MOST_ROUTINES:]
    return tuple(latest)


def train_ahead(
    training: TrainingLog,
    trend: Trend,
    scenarios: Sequence[tuple[Scenario, Sequence[RoutineContext]]],
    pace: PersonalPace | None,
    *,
    days: Sequence[int],
    weeks: int,
    count: int,
    seed: int,
    on_done: Callable[[], None] = lambda: None,
) -> list[Ahead | None]:
    """Simulate the coming weeks of each scenario; None where nothing can be simulated.

    The second of a scenario are the athlete's own routines, in force without a programme. `days`
    has the sessions of a week of each scenario. All train the same `count` bodies.
    """
    plans = [plan_ahead(training, scenario, routines) for scenario, routines in scenarios]
    asked = [
        (lifter, plan.routines, plan.profile, plan.programme)
        for plan, of_week in zip(plans, days, strict=True)
        if plan is not None
        for lifter in fitted_lifters(
            trend, plan.lifts, days_a_week=of_week, weeks=weeks, count=count, seed=seed
        )
    ]
    runs = iter(on_all_processors(train_fitted, asked, on_done))
    found: list[Ahead | None] = []
    for plan, of_week in zip(plans, days, strict=True):
        if plan is None:
            found.append(None)
            continue
        found.append(_ahead(plan, [next(runs) for _ in range(count)], pace, of_week, weeks))
    return found


def train_fitted(
    lifter: SimulatedLifter,
    routines: tuple[RoutineContext, ...],
    profile: AthleteProfile,
    programme: ProgrammeToFollow | None,
) -> Run:
    """Simulate a fitted lifter under the coach, with a programme if there is one."""
    policy = engine if programme is None else ProgrammePolicy(programme.followed)
    diary = Diary(routines, profile, false_alarms())
    return run(Trainee(lifter), lifter.days, diary, policy, is_judged=False)


def plan_ahead(
    training: TrainingLog, scenario: Scenario, own: Sequence[RoutineContext]
) -> PlanAhead | None:
    """Return what can be simulated of a scenario; None without an exercise with loads.

    First loads of a programme leave two repetitions in reserve.
    """
    programme = scenario.programme
    tops = _latest_tops(training)
    lifts: dict[str, FittedLift] = {}
    left_out: dict[str, None] = {}
    routines = []
    for routine in own if programme is None else programme.routines:
        slots: list[SlotContext] = []
        for slot in routine.slots:
            sets = _working_sets(slot)
            is_repeated = any(
                each.exercise_template_id == slot.exercise_template_id for each in slots
            )
            lift = None if is_repeated else _lift(slot, sets, tops, scenario.profile)
            if lift is None:
                left_out[slot.exercise_title] = None
                continue
            planned = _with_loads(sets, lift, is_new=programme is not None)
            lifts[slot.exercise_template_id] = lift
            slots.append(_without_history(slot, len(slots), planned))
        if slots:
            routines.append(
                routine.model_copy(update={"slots": tuple(slots), "last_trained_at": None})
            )
    if not routines:
        return None
    only = {
        "coach": CoachSettings(),
        "routines": tuple(each.title for each in routines),
        "weekdays": {},
    }
    profile = scenario.profile.model_copy(update=only)
    return PlanAhead(tuple(routines), profile, lifts, programme, tuple(left_out))


def _working_sets(slot: SlotContext) -> list[SetPrescription]:
    """Return the working sets with a number of repetitions; none if one of them has no such."""
    working = [each for each in slot.planned_sets if each.set_type in WORKING_TYPES]
    is_closed = all(
        each.reps if each.rep_range_start is None else each.rep_range_end for each in working
    )
    return working if is_closed and slot.exercise_type == _LOADED else []


def _latest_tops(training: TrainingLog) -> dict[str, tuple[str, float, float]]:
    """Return by exercise its muscle, and load and repetitions of a usual set of the latest days.

    It is the set with the middle one of the best maxima of the last three exposures.
    """
    by_lift: dict[str, list[PastExposure]] = defaultdict(list)
    for each in training.exposures:
        by_lift[each.exercise].append(each)
    found = {}
    for name, exposures in by_lift.items():
        bests = [
            max(each.counted, key=lambda done: done.e1rm_kg or 0.0) for each in exposures[-_LATEST:]
        ]
        usual = sorted(bests, key=lambda done: done.e1rm_kg or 0.0)[len(bests) // 2]
        muscle = exposures[-1].facts.primary_muscle_group or _NO_MUSCLE
        found[name] = muscle, usual.weight_kg, float(usual.reps)
    return found


def _lift(
    slot: SlotContext,
    sets: Sequence[SetPrescription],
    tops: Mapping[str, tuple[str, float, float]],
    profile: AthleteProfile,
) -> FittedLift | None:
    """Return the exercise; None without sets to simulate, or a load to guess its strength from."""
    if not sets:
        return None
    name = normalize_title(slot.exercise_title)
    muscle = slot.primary_muscle_group or _NO_MUSCLE
    if (known := tops.get(name)) is not None:
        _, load_kg, reps = known
    elif (planned := max((each.weight_kg or 0.0 for each in sets), default=0.0)) > 0:
        load_kg, reps = planned, _middle(sets[0])
    elif not tops:
        return None
    else:
        same = [epley_max(kg, round(reps)) for group, kg, reps in tops.values() if group == muscle]
        all_lifts = [epley_max(kg, round(reps)) for _, kg, reps in tops.values()]
        able = median(same) if same else _OTHER_MUSCLE * median(all_lifts)
        reps = _middle(sets[0]) + _FIRST_RESERVE
        load_kg = load_for(able, reps, _EPLEY_REPS)
    return FittedLift(
        name=name,
        muscle=muscle,
        secondary=slot.secondary_muscle_groups,
        load_kg=load_kg,
        reps=reps,
        loads=gym_loads(slot, profile, load_kg),
        is_guess=known is None,
    )


def _with_loads(
    sets: Sequence[SetPrescription], lift: FittedLift, *, is_new: bool
) -> tuple[SetPrescription, ...]:
    """Return the sets with loads; those of a new routine leave two repetitions in reserve."""
    found = []
    for place, each in enumerate(sets):
        load_kg = None if is_new else each.weight_kg
        if not load_kg:
            able_kg = lift.load_kg * (1 + lift.reps / _EPLEY_REPS)
            wanted = load_for(able_kg, _middle(each) + _FIRST_RESERVE, _EPLEY_REPS)
            load_kg = max((load for load in lift.loads if load <= wanted), default=lift.loads[0])
        found.append(
            SetPrescription(
                set_index=place,
                set_type="normal",
                weight_kg=load_kg,
                reps=each.reps or each.rep_range_start,
                rep_range_start=each.rep_range_start,
                rep_range_end=each.rep_range_end,
            )
        )
    return tuple(found)


def _middle(each: SetPrescription) -> float:
    low = each.rep_range_start or each.reps or 1
    return (low + (each.rep_range_end or low)) / 2


def _without_history(
    slot: SlotContext, place: int, sets: tuple[SetPrescription, ...]
) -> SlotContext:
    return SlotContext(
        exercise_index=place,
        occurrence=1,
        exercise_template_id=slot.exercise_template_id,
        exercise_title=slot.exercise_title,
        exercise_type=slot.exercise_type,
        equipment=slot.equipment,
        primary_muscle_group=slot.primary_muscle_group,
        secondary_muscle_groups=slot.secondary_muscle_groups,
        rest_s=slot.rest_s,
        planned_sets=sets,
    )


def _weekly_sets(window: Sequence[PastExposure]) -> float:
    """Return the mean sets of a lift in a week of its training, as the simulated body counts."""
    if not window:
        return 0.0
    weeks = max((window[-1].started_at - window[0].started_at) / timedelta(weeks=1), 1.0)
    own: dict[str, float] = defaultdict(float)
    muscles: dict[str, float] = defaultdict(float)
    muscle_of = {}
    for each in window:
        own[each.exercise] += len(each.sets) / weeks
        muscle_of[each.exercise] = each.facts.primary_muscle_group or _NO_MUSCLE
        muscles[muscle_of[each.exercise]] += len(each.sets) / weeks
    return fmean((sets + muscles[muscle_of[name]]) / 2 for name, sets in own.items())


def _ahead(
    plan: PlanAhead, runs: Sequence[Run], pace: PersonalPace | None, days: int, weeks: int
) -> Ahead:
    titles = {slot.exercise_template_id: slot for each in plan.routines for slot in each.slots}
    rests = {name: slot.rest_s or _REST_S for name, slot in titles.items()}
    muscles: dict[str, float] = defaultdict(float)
    for each in runs:
        for (muscle, _), sets in each.weekly_sets.items():
            muscles[muscle] += sets / weeks / len(runs)
    return Ahead(
        lifters=len(runs),
        weeks=weeks,
        sessions_a_week=days,
        gain_pct=_range([gain_of(each) for each in runs]),
        missed_pct=_range([_missed_pct(each) for each in runs]),
        minutes=_range([usual_minutes(each, rests, pace) for each in runs]),
        sets_a_week=_range([len(each.sets) / weeks for each in runs]),
        injuries=sum(each.injuries for each in runs),
        muscles={name: sets for name, sets in sorted(muscles.items()) if name != _NO_MUSCLE},
        lifts={
            slot.exercise_title: _range([each.gains_pct[name] for each in runs])
            for name, slot in titles.items()
        },
        left_out=plan.left_out,
        guessed=tuple(
            slot.exercise_title for name, slot in titles.items() if plan.lifts[name].is_guess
        ),
    )


def _missed_pct(of_lifter: Run) -> float:
    missed = sum(each.reps < each.target.low for each in of_lifter.sets)
    return 100 * missed / len(of_lifter.sets)


def _range(values: Sequence[float]) -> Range:
    return Range(median(values), min(values), max(values))
