"""Answers about exercises: progress, records, estimated maximum and the last time."""

from typing import Any

from coach_agent.engine.explain.plan_texts import number
from coach_agent.engine.explain.reasons import format_set_load
from coach_agent.engine.loads.increments import ASSISTED
from orchestration.services.answers.answer import PLANS, Answer, Draft
from orchestration.services.answers.training import Exercise, Training, is_slot_of
from orchestration.services.releases.released import Row
from orchestration.text.measures import day_text, estimate_text, verdict_text

_SETS = "fct_set"
_SESSIONS = "fct_exercise_session"
_TRENDS = "fct_exercise_trend"
_RECORDS = "fct_personal_record"

_TREND = """
    select * from fct_exercise_trend where athlete_id = $1 and exercise_key = $2
"""
_TREND_ENDS = """
    select
        sets.workout_date, max(sets.e1rm_kg) as e1rm_kg,
        max_by(sets.set_key, sets.e1rm_kg) as set_key
    from fct_set as sets
    inner join fct_exercise_trend as trends using (athlete_id, exercise_key)
    where
        athlete_id = $1 and exercise_key = $2
        and sets.workout_date in (trends.window_start_date, trends.window_end_date)
        and not sets.is_typo_suspect and not sets.is_e1rm_low_confidence
        and (sets.effective_reps <= 5) = (trends.rep_zone = '1-5')
        and trends.e1rm_family = case
            when sets.e1rm_method = 'tested' then 'tested'
            when sets.is_e1rm_lower_bound then 'epley_assumed_failure'
            else 'epley_rated'
        end
    group by sets.workout_date
    order by sets.workout_date
"""
_TRENDS_OF_ALL = """
    select trends.exercise_key, exercises.title, trends.verdict, trends.slope_pct, trends.lower_pct
    from fct_exercise_trend as trends
    inner join dim_exercise as exercises using (athlete_id, exercise_key)
    where
        athlete_id = $1 and trends.verdict in ('stalled', 'not_stalled')
        and trends.window_end_date > (
            select max(workout_date) - 60 from fct_workout where athlete_id = $1
        )
    order by trends.verdict desc, trends.slope_pct, exercises.title
"""
_CURRENT_RECORDS = """
    select * from fct_personal_record
    where athlete_id = $1 and exercise_key = $2 and is_current
    order by
        list_position(['load', 'e1rm', 'volume', 'reps', 'distance', 'duration'], record_kind),
        record_value desc, started_at desc
"""
_LATEST_RECORDS = """
    select records.*, exercises.title, exercises.exercise_type
    from fct_personal_record as records
    inner join dim_exercise as exercises using (athlete_id, exercise_key)
    where athlete_id = $1 and not is_first and record_kind <> 'volume'
    order by records.started_at desc, exercises.title, record_kind limit 6
"""
_AT_LEAST_REPS = """
    select sets.set_key, sets.weight_kg, sets.reps, sets.workout_date
    from fct_set as sets
    where
        athlete_id = $1 and exercise_key = $2 and is_working and not is_typo_suspect
        and weight_kg is not null and reps >= cast($3 as integer)
    order by weight_kg desc, reps desc, started_at limit 1
"""
_ESTIMATES = """
    select workout_id, workout_date, e1rm_kg, e1rm_low_kg, e1rm_high_kg, e1rm_family
    from fct_exercise_session
    where athlete_id = $1 and exercise_key = $2 and e1rm_kg is not null
    order by started_at desc
"""
_FAMILIES = {
    "tested": "tested",
    "epley_rated": "estimated with RPE",
    "epley_assumed_failure": "estimated without RPE, at least this",
}
_UNITS = {"reps": "reps", "distance": "m", "duration": "s"}


def progress(training: Training, exercise: Exercise | None = None) -> Answer:
    """Return the trend of an exercise, or of all recently trained ones."""
    if exercise is None:
        return _progress_of_all(training)
    draft = Draft("progress")
    rows = training.rows(_TREND, exercise.key)
    if not rows:
        return draft.nothing(f"You have not logged {exercise.title} yet.")
    trend, key = rows[0], {"exercise_key": exercise.key}
    verdict = verdict_text(trend["verdict"], trend["plateau_reason"], trend["slope_pct"])
    draft.line(f"{exercise.title}: {draft.fact(verdict, _TRENDS, key, 'verdict')}")
    ends = training.rows(_TREND_ENDS, exercise.key)
    if ends:
        count = draft.fact(_workouts(trend["exposure_count"]), _TRENDS, key, "exposure_count")
        shown = [_end(draft, training, each) for each in ends]
        draft.line(f"Estimated max over {count}: {', then '.join(shown)}.")
    last_day = draft.fact(day_text(trend["last_trained_date"]), _TRENDS, key, "last_trained_date")
    draft.line(f"Last trained {last_day}.")
    _advice(draft, training, exercise)
    return draft.answer()


def records(
    training: Training, exercise: Exercise | None = None, reps: int | None = None
) -> Answer:
    """Return the current records of an exercise, or the latest ones of all.

    `reps` asks for the heaviest set of at least this many repetitions.
    """
    draft = Draft("records")
    if exercise is None:
        return _latest_records(draft, training)
    if reps is not None:
        return _heaviest_for(draft, training, exercise, reps)
    kinds: set[tuple[str, str | None]] = set()
    for row in training.rows(_CURRENT_RECORDS, exercise.key):
        kind = (row["record_kind"], row["e1rm_family"])
        is_loaded = bool(kinds & {("load", None)})
        # Repetitions at each load are a long list: of a loaded exercise the load is the record.
        if kind in kinds or (row["record_kind"] in _UNITS and is_loaded):
            continue
        kinds.add(kind)
        if draft.is_empty:
            draft.line(f"{exercise.title}, your records:")
        draft.line(f"  {_record(draft, training, row, exercise)}")
    if draft.is_empty:
        return draft.nothing(f"There is no record of {exercise.title} yet.")
    return draft.answer()


def strength(training: Training, exercise: Exercise) -> Answer:
    """Return the latest and the best estimated one-repetition maximum."""
    draft = Draft("strength")
    found = training.rows(_ESTIMATES, exercise.key)
    if not found:
        return draft.nothing(
            f"No set of {exercise.title} gives an estimated max: it takes a load and at most "
            "10 reps."
        )
    latest = found[0]
    best = max(found, key=lambda row: float(row["e1rm_kg"]))
    key = {"workout_id": latest["workout_id"], "exercise_key": exercise.key}
    low = draft.fact(
        estimate_text(latest["e1rm_low_kg"], training.unit), _SESSIONS, key, "e1rm_low_kg"
    )
    high = draft.fact(
        estimate_text(latest["e1rm_high_kg"], training.unit), _SESSIONS, key, "e1rm_high_kg"
    )
    draft.line(
        f"{exercise.title}: estimated max {_estimate(draft, training, latest, exercise)} "
        f"({low} to {high}) on {_day(draft, latest, exercise)}, "
        f"{_FAMILIES[latest['e1rm_family']]}."
    )
    if best["workout_id"] != latest["workout_id"]:
        draft.line(
            f"Best: {_estimate(draft, training, best, exercise)} on "
            f"{_day(draft, best, exercise)}, {_FAMILIES[best['e1rm_family']]}."
        )
    return draft.answer()


def _progress_of_all(training: Training) -> Answer:
    draft = Draft("progress")
    rows = training.rows(_TRENDS_OF_ALL)
    for row in rows[:12]:
        verdict = "stalled" if row["verdict"] == "stalled" else "not stalled"
        if row["verdict"] == "not_stalled" and (row["lower_pct"] or 0) > 0:
            verdict = "going up"
        trend = f"{verdict}, {row['slope_pct']:+.1f} % a workout"
        key = {"exercise_key": row["exercise_key"]}
        draft.line(f"{row['title']}: {draft.fact(trend, _TRENDS, key, 'slope_pct')}")
    if len(rows) > 12:
        draft.line("There are more: ask about one exercise.")
    if draft.is_empty:
        return draft.nothing("No exercise has enough recent workouts for a trend: it takes 8.")
    return draft.answer()


def _advice(draft: Draft, training: Training, exercise: Exercise) -> None:
    """Append the coach's analysis of a stall from the active plan."""
    report = None if training.red_flags else training.plan
    for slot in () if report is None else report.plan.slots:
        if report is not None and slot.stall is not None and is_slot_of(slot, exercise):
            key = {"plan_id": report.plan_id, "exercise_index": slot.exercise_index}
            stall = f"{slot.stall.reason} {slot.stall.suggested_fix}"
            draft.line(draft.fact(stall, PLANS, key, "stall"))
            return


def _latest_records(draft: Draft, training: Training) -> Answer:
    for row in training.rows(_LATEST_RECORDS):
        exercise = Exercise(row["exercise_key"], row["title"], row["exercise_type"], True)
        if draft.is_empty:
            draft.line("Your latest records:")
        draft.line(f"  {row['title']}: {_record(draft, training, row, exercise)}")
    if draft.is_empty:
        return draft.nothing(
            "No record was broken yet: the first workout of an exercise only sets the mark."
        )
    return draft.answer()


def _heaviest_for(draft: Draft, training: Training, exercise: Exercise, reps: int) -> Answer:
    if exercise.exercise_type == ASSISTED:
        return draft.nothing(f"{exercise.title} is assisted: its load is help, and less is better.")
    rows = training.rows(_AT_LEAST_REPS, exercise.key, str(reps))
    if not rows:
        return draft.nothing(f"No set of {exercise.title} has {reps} reps or more with a load.")
    row, key = rows[0], {"set_key": rows[0]["set_key"]}
    load = format_set_load(row["weight_kg"], exercise.exercise_type, training.unit)
    shown = draft.fact(f"{load} × {row['reps']}", _SETS, key, "weight_kg, reps")
    day = draft.fact(day_text(row["workout_date"]), _SETS, key, "workout_date")
    draft.line(f"{exercise.title}, heaviest set of at least {reps} reps: {shown} on {day}.")
    return draft.answer()


def _record(draft: Draft, training: Training, row: Row, exercise: Exercise) -> str:
    key = _record_key(row)
    day = draft.fact(day_text(row["workout_date"]), _RECORDS, key, "workout_date")
    shown = draft.fact(_record_text(row, training, exercise), _RECORDS, key, "record_value")
    return f"{shown} on {day}"


def _record_text(row: Row, training: Training, exercise: Exercise) -> str:
    kind, unit = row["record_kind"], training.unit
    load = (
        ""
        if row["weight_kg"] is None
        else format_set_load(row["weight_kg"], exercise.exercise_type, unit)
    )
    of_set = f"{load} × {row['reps']}" if load and row["reps"] is not None else load
    match kind:
        case "load":
            return f"heaviest load {of_set}"
        case "e1rm":
            basis = _FAMILIES[row["e1rm_family"]]
            return (
                f"estimated max {estimate_text(row['record_value'], unit)} ({basis}), from {of_set}"
            )
        case "volume":
            return f"most volume in a workout {estimate_text(row['record_value'], unit)}"
        case _:
            at = f" at {load}" if load else ""
            return f"most {kind} {number(row['record_value'])} {_UNITS[kind]}{at}"


def _record_key(row: Row) -> dict[str, Any]:
    key = {each: row[each] for each in ("exercise_key", "record_kind", "workout_id")}
    return key if row["set_key"] is None else {**key, "set_key": row["set_key"]}


def _estimate(draft: Draft, training: Training, row: Row, exercise: Exercise) -> str:
    key = {"workout_id": row["workout_id"], "exercise_key": exercise.key}
    return draft.fact(estimate_text(row["e1rm_kg"], training.unit), _SESSIONS, key, "e1rm_kg")


def _day(draft: Draft, row: Row, exercise: Exercise) -> str:
    key = {"workout_id": row["workout_id"], "exercise_key": exercise.key}
    return draft.fact(day_text(row["workout_date"]), _SESSIONS, key, "workout_date")


def _end(draft: Draft, training: Training, row: Row) -> str:
    """Format an end of a trend: the estimate and the day of its set."""
    key = {"set_key": row["set_key"]}
    estimate = draft.fact(estimate_text(row["e1rm_kg"], training.unit), _SETS, key, "e1rm_kg")
    return f"{estimate} on {draft.fact(day_text(row['workout_date']), _SETS, key, 'workout_date')}"


def _workouts(count: int) -> str:
    return f"{count} workout" if count == 1 else f"{count} workouts"
