"""Answers about the data itself: doubted sets, unreadable records and body weight."""

from coach_agent.domain.plan import DoneSet
from coach_agent.engine.explain.plan_texts import done_text
from orchestration.services.answers.answer import Answer, Draft
from orchestration.services.answers.training import Training
from orchestration.text.measures import day_text, estimate_in, estimate_text

_MOST_SHOWN = 10
_DOUBTED = """
    select sets.*, exercises.exercise_type
    from fct_set as sets
    inner join dim_exercise as exercises using (athlete_id, exercise_key)
    where athlete_id = $1 and is_typo_suspect
    order by started_at desc, exercise_index, set_index
"""
_BODY_WEIGHTS = """
    select * from fct_body_measurement
    where athlete_id = $1 and weight_kg is not null
    qualify row_number() over (partition by health_source order by measurement_date desc) = 1
    order by measurement_date desc, health_source
"""
_REJECTED = """
    select quarantined_record_key, entity, reason, rejected_at
    from fct_quarantined_record where athlete_id = $1
    order by rejected_at desc, quarantined_record_key
"""


def doubts(training: Training) -> Answer:
    """Return the sets that look like typing errors, and the records that cannot be read."""
    draft = Draft("doubts")
    doubted = training.rows(_DOUBTED)
    for row in doubted[:_MOST_SHOWN]:
        key = {"set_key": row["set_key"]}
        day = draft.fact(day_text(row["workout_date"]), "fct_set", key, "workout_date")
        done = DoneSet(
            set_index=row["set_index"],
            set_type=row["set_type"],
            weight_kg=row["weight_kg"],
            reps=row["reps"],
            rpe=row["rpe"],
        )
        shown = done_text(done, training.unit, row["exercise_type"])
        sets = draft.fact(shown, "fct_set", key, "weight_kg, reps")
        draft.line(f"Doubted: {row['exercise_title']}, {day}: {sets}.")
    if len(doubted) > _MOST_SHOWN:
        draft.line("There are more doubted sets.")
    if doubted:
        draft.line("Confirm or exclude them: `spotter correct list`.")
    # A release of an older version has another name for the mart.
    rejected = training.rows(_REJECTED) if training.has("fct_quarantined_record") else []
    for row in rejected[:_MOST_SHOWN]:
        key = {"quarantined_record_key": row["quarantined_record_key"]}
        reason = draft.fact(row["reason"], "fct_quarantined_record", key, "reason")
        draft.line(f"Not readable ({row['entity']}): {reason}")
    if len(rejected) > _MOST_SHOWN:
        draft.line("There are more unreadable records.")
    if draft.is_empty:
        return draft.nothing("Nothing is in doubt: no typing error and no unreadable record.")
    return draft.answer()


def body_weight(training: Training) -> Answer:
    """Return the latest body weight of each source, with its trend and weekly change."""
    draft, mart = Draft("body_weight"), "fct_body_measurement"
    # A release of an older version lacks the mart.
    for row in training.rows(_BODY_WEIGHTS) if training.has(mart) else ():
        key = {"body_measurement_key": row["body_measurement_key"]}
        day = draft.fact(day_text(row["measurement_date"]), mart, key, "measurement_date")
        weight = draft.fact(estimate_text(row["weight_kg"], training.unit), mart, key, "weight_kg")
        line = f"Body weight: {weight} on {day} ({row['health_source']})"
        if row["trend_weight_kg"] is not None:
            trend = estimate_text(row["trend_weight_kg"], training.unit)
            line += f"; trend {draft.fact(trend, mart, key, 'trend_weight_kg')}"
        if row["weekly_change_kg"] is not None:
            change = estimate_in(row["weekly_change_kg"], training.unit)
            shown = f"{change:+g} {training.unit} a week"
            line += f", {draft.fact(shown, mart, key, 'weekly_change_kg')}"
        draft.line(f"{line}.")
    if draft.is_empty:
        return draft.nothing("The released data has no body weight, so there is none to give you.")
    return draft.answer()
