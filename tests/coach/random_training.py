"""Random athletes, routines, histories and circumstances, careless ones too. Loads are kg."""

from datetime import date, timedelta
from typing import Any

from hypothesis import strategies as st

from coach_agent.domain.context import Exposure, LiftTrend, RoutineContext, SlotContext
from coach_agent.domain.pain import LEVELS, Pain
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.situation import MuscleWeek, PersonalPace, Situation
from coach_agent.store.check_ins import CheckIn
from tests.coach.builders import BENCH, CURL, NOW, PLANK, PULL_UP, profile, routine

EXERCISES = [
    BENCH,
    {**BENCH, "primary_muscle_group": "quadriceps", "exercise_title": "Squat (Barbell)"},
    CURL,
    PULL_UP,
    PLANK,
    {**CURL, "equipment": "machine", "exercise_title": "Triceps Pushdown (Cable)"},
    {**CURL, "equipment": "other", "exercise_title": "Ball Slams"},
    {**PULL_UP, "exercise_type": "bodyweight_weighted", "exercise_title": "Dip"},
    {**PULL_UP, "exercise_type": "bodyweight_assisted", "exercise_title": "Pull Up (Assisted)"},
    {**BENCH, "exercise_title": "Top Set"},
    {**BENCH, "exercise_title": "Top Set with Percent"},
    {**BENCH, "exercise_title": "Wave"},
    {**BENCH, "exercise_title": "Wave by AMRAP", "equipment": "machine"},
    {**BENCH, "exercise_title": "Stages"},
    {**CURL, "exercise_title": "One Stage"},
    {**CURL, "exercise_title": "Rep Sum"},
    {**BENCH, "exercise_title": "Own Steps"},
    {**CURL, "exercise_title": "Carry", "exercise_type": "short_distance_weight"},
]
WITHOUT_PROGRAMMES = [
    each
    for each in EXERCISES
    if each["exercise_title"]
    not in {"Wave", "Wave by AMRAP", "Stages", "One Stage", "Own Steps", "Pull Up (Assisted)"}
]
GYM = {"plate_pairs_kg": [20.0, 10.0, 5.0, 2.5, 1.25], "dumbbells_kg": [5.0, 8.0, 12.5]}
RULES: dict[str, dict[str, Any]] = {
    BENCH["exercise_title"]: {"rep_range": (4, 6)},
    CURL["exercise_title"]: {"model": "double", "increment_kg": 3.0},
    "Squat (Barbell)": {"model": "linear"},
    "Dip": {"model": "stages"},
    "Pull Up (Assisted)": {
        "model": "steps",
        "steps": [
            {"when": {"any_set_below": 5}, "then": {"multiply": 0.9}},
            {"when": {"exposures_since_step": 2}, "then": {"multiply": 1.1}},
        ],
    },
    "Top Set": {"model": "top_backoff", "min_exposures": 2},
    "Top Set with Percent": {"model": "top_backoff", "rep_range": (4, 6), "backoff_pct": 80.0},
    "Wave": {"model": "training_max", "training_max_kg": 70.0},
    "Wave by AMRAP": {
        "model": "training_max",
        "tm_change": "amrap",
        "wave": [["100x5+"], ["95x5", "90x6+"]],
    },
    "Stages": {"model": "stages", "stages": ["2x5", "3x5+", "4x6"]},
    "One Stage": {"model": "stages", "stages": ["2x5+"]},
    "Rep Sum": {"model": "rep_sum", "rep_sum": 12},
    "Own Steps": {
        "model": "steps",
        "steps": [
            {"when": {"misses_in_a_row": 2}, "then": {"add_steps": -2, "set_reps": 5}},
            {"when": {"all_sets_at_least": 8}, "then": {"add_steps": 2, "set_reps": 6}},
            {"when": {"last_set_reps_at_least": 6}, "then": {"add_reps": 1}},
        ],
    },
}
RULES_WITH_RPE = {
    **RULES,
    BENCH["exercise_title"]: {"rep_range": (4, 6), "rpe_cap": 9.0},
    "Own Steps": {
        "model": "steps",
        "steps": [
            *RULES["Own Steps"]["steps"],
            {"when": {"mean_rpe_at_most": 8.0}, "then": {"multiply": 1.1}},
        ],
    },
}
ATHLETE = profile(equipment=GYM, exercises=RULES_WITH_RPE)
SEASONS: list[dict[str, Any]] = [
    {},
    {"deload": {"mode": "never"}},
    {"block_start": date(2026, 1, 26)},
    {"block_start": date(2026, 2, 2), "deload": {"mode": "calendar", "every_weeks": 5}},
    {"goal": {"date": date(2026, 3, 10)}},
    {"block_start": date(2026, 3, 2), "phases": [{"kind": "taper", "weeks": 1}]},
]

WEIGHTS = st.sampled_from([None, 0.0, 8.0, 20.0, 57.5, 60.0, 60.0, 60.0, 61.3, 62.5])
METRES = st.sampled_from([None, None, 20, 40])
SECONDS = st.sampled_from([None, 0, 30, 30, 45])
RPES = st.sampled_from([None, None, None, 0.0, 8.0, 9.5])
SAID: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        *[{}] * 40,
        {"is_typo_suspect": True},
        {"is_typo_suspect": True, "is_confirmed": False},
        {"is_confirmed": True},
    ]
)
MISTYPED: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [*[{}] * 60, {"weight_kg": 600.0}, {"weight_kg": 6.0}, {"reps": 80}, {"duration_s": 300}]
)
TYPES = ["normal", "normal", "normal", "normal", "warmup", "failure", "dropset"]
GAPS = st.sampled_from([1, 3, 4, 7, 7, 17, 50])
TRENDS = [
    *[LiftTrend()] * 3,
    LiftTrend(verdict="stalled", slope_pct=-0.1, upper_pct=0.1, exposure_count=9, mean_reps=10.0),
    LiftTrend(verdict="stalled", slope_pct=0.0, upper_pct=0.2, exposure_count=8, mean_reps=3.0),
]
HARD_TREND = LiftTrend(
    verdict="stalled", slope_pct=0.0, upper_pct=0.1, exposure_count=8, mean_reps=5.0, mean_rpe=9.5
)


@st.composite
def set_targets(draw: st.DrawFn) -> dict[str, Any]:
    """Fixed repetitions, a range, an open range or none of them."""
    low, high = draw(st.sampled_from([(None, None), (None, None), (5, None), (5, 8), (6, 6)]))
    return {
        "set_type": draw(st.sampled_from(TYPES)),
        "weight_kg": draw(WEIGHTS),
        "reps": draw(st.sampled_from([None, 5, 5, 6])),
        "rep_range_start": low,
        "rep_range_end": high,
        "duration_s": draw(SECONDS),
        "distance_m": draw(METRES),
    }


def answer(
    draw: st.DrawFn,
    target: dict[str, Any],
    *,
    is_plan_known: bool,
    has_rpe: bool,
    has_typos: bool,
) -> dict[str, Any]:
    """A done set near its target, with what was planned then, which may have been another."""
    low, high = target["rep_range_start"], target["rep_range_end"]
    low, high = (target["reps"], target["reps"]) if low is None else (low, high)
    plan = {
        "planned_set_index": target["set_index"],
        "planned_weight_kg": draw(WEIGHTS),
        "planned_reps_low": draw(st.sampled_from([low, low, low, low, 10, None])),
        "planned_reps_high": high,
        "planned_duration_s": draw(SECONDS),
    }
    return {
        "set_index": target["set_index"],
        "set_type": draw(st.sampled_from([target["set_type"]] * 4 + ["normal"])),
        "weight_kg": draw(WEIGHTS),
        "reps": draw(st.sampled_from([None, 0, 4, 5, 5, 6, 8, 8, 14])),
        "duration_s": draw(SECONDS),
        "distance_m": draw(METRES),
        "rpe": draw(RPES) if has_rpe else None,
        **(plan if is_plan_known and draw(st.integers(0, 5)) else {}),
        **({**draw(SAID), **draw(MISTYPED)} if has_typos else {}),
    }


@st.composite
def exposures(
    draw: st.DrawFn,
    targets: list[dict[str, Any]],
    days_ago: int,
    *,
    has_rpe: bool = True,
    has_typos: bool = False,
) -> Exposure:
    """Mostly all sets as planned, sometimes fewer, more, or of an unknown plan."""
    is_plan_known = draw(st.sampled_from([True, True, False]))
    done = [target for target in targets if draw(st.integers(0, 7))]
    kind = {"is_plan_known": is_plan_known, "has_rpe": has_rpe, "has_typos": has_typos}
    sets = [answer(draw, each, **kind) for each in done]
    working = sum(target["set_type"] in {"normal", "failure"} for target in targets)
    return Exposure.model_validate(
        {
            "workout_id": f"workout-{days_ago}",
            "started_at": NOW - timedelta(days=days_ago),
            "is_plan_known": is_plan_known,
            "planned_working_count": working if is_plan_known else None,
            "is_easy": not draw(st.integers(0, 9)),
            "sets": sets,
        }
    )


@st.composite
def slots(
    draw: st.DrawFn, *, has_rpe: bool = True, has_typos: bool = False, exercises: Any = None
) -> SlotContext:
    """Sets that are often alike, of a routine that may have changed since it was trained.

    `has_typos`: some done sets are mistyped, some doubted, and of some the athlete spoke.
    """
    targets = draw(st.lists(set_targets(), min_size=1, max_size=3))
    sets = [target for target in targets for _ in range(draw(st.integers(1, 3)))]
    sets = [{**target, "set_index": at} for at, target in enumerate(sets)]
    then = sets if draw(st.integers(0, 5)) else sets[: draw(st.integers(1, len(sets)))]
    days_ago, history = 0, []
    for _ in range(draw(st.integers(1, 4))):
        days_ago += draw(GAPS)
        history.append(draw(exposures(then, days_ago, has_rpe=has_rpe, has_typos=has_typos)))
    return SlotContext.model_validate(
        {
            "exercise_index": 0,
            "occurrence": 1,
            **draw(st.sampled_from(exercises or EXERCISES)),
            "planned_sets": sets,
            "exposures": history,
            "trend": draw(st.sampled_from([*TRENDS, HARD_TREND] if has_rpe else TRENDS)),
        }
    )


def routines(*, has_rpe: bool = True) -> st.SearchStrategy[RoutineContext]:
    """One or two exercises, each place once."""
    return st.lists(slots(has_rpe=has_rpe, has_typos=True), min_size=1, max_size=2).map(
        lambda drawn: routine(
            *(each.model_copy(update={"occurrence": at + 1}) for at, each in enumerate(drawn))
        )
    )


@st.composite
def check_ins(draw: st.DrawFn, hours_ago: int) -> CheckIn:
    """Random readiness, time and pain; most fields are missing."""
    parts = ["left knee", "shoulder", "right elbow", "lower back", "abdomen"]
    said = draw(st.lists(st.sampled_from(parts), max_size=2, unique=True))
    titles = [each["exercise_title"] for each in EXERCISES[:4]]
    return CheckIn(
        checked_in_at=NOW - timedelta(hours=hours_ago),
        energy=draw(st.sampled_from([None, None, 1, 2, 3, 5])),
        soreness=draw(st.sampled_from([None, None, None, 1, 4, 5])),
        minutes=draw(st.sampled_from([None, None, 5, 20, 60])),
        pain=tuple(Pain(part=part, level=draw(st.sampled_from(LEVELS))) for part in said),
        deload=tuple(draw(st.lists(st.sampled_from([*titles, "all"]), max_size=1))),
    )


@st.composite
def athletes(draw: st.DrawFn, *, has_rpe: bool = True) -> AthleteProfile:
    """The athlete with a calendar, wishes and complaints of all kinds."""
    season = draw(st.sampled_from(SEASONS))
    titles = [each["exercise_title"] for each in EXERCISES]
    rules = RULES_WITH_RPE if has_rpe else RULES
    optional = draw(st.sampled_from(titles))
    rules = {**rules, optional: {**rules.get(optional, {}), "is_optional": True}}
    return profile(
        equipment=GYM,
        exercises=rules,
        avoid=draw(st.lists(st.sampled_from(titles), max_size=1)),
        session_minutes=draw(st.sampled_from([None, None, 15, 60])),
        pain=draw(st.sampled_from([{}, {}, {"shoulder": "severe"}])),
        **season,
    )


@st.composite
def situations(draw: st.DrawFn, *, has_rpe: bool = True) -> Situation:
    """An athlete's days: sometimes after a break, sometimes in or after a deload."""
    context = draw(routines(has_rpe=has_rpe))
    said = [draw(check_ins(hours)) for hours in draw(st.sampled_from([[], [2], [2, 50, 80]]))]
    away = draw(st.sampled_from([0, 0, 0, 20, 60]))
    today = NOW.date() + timedelta(days=away)
    deload = draw(st.sampled_from([None, None, 2, 20, 90]))
    monday = today - timedelta(days=today.weekday())
    weeks = draw(st.lists(st.sampled_from([0.0, 3.0, 12.0, 30.0]), max_size=5))
    return Situation(
        today=today,
        routines=(context,),
        check_ins=tuple(said),
        latest_check_in=said[0] if said and not away else None,
        last_deload=None if deload is None else today - timedelta(days=deload),
        pace=draw(st.sampled_from([None, PersonalPace(minutes_a_set=3.5, workouts=12)])),
        weekly_sets=tuple(
            MuscleWeek(muscle_group="chest", week_start=monday - timedelta(weeks=ago), sets=sets)
            for ago, sets in enumerate(weeks)
        ),
    )
