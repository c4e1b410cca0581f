"""Answers about the plan: next workout, reasons, and the state of its publication."""

from collections.abc import Iterator

from coach_agent.domain.plan import SlotPrescription
from coach_agent.domain.red_flags import how_to_clear, stop_text
from coach_agent.engine.explain.plan_texts import reasons
from coach_agent.journal.current_plans import PlanReport
from orchestration.services.answers.answer import PLANS, Answer, Draft
from orchestration.services.answers.training import Exercise, Training, is_slot_of
from orchestration.text.measures import day_text
from orchestration.text.plan import state_words
from orchestration.text.sets import plan_notation
from orchestration.text.wording import ARROWS

_NO_PLAN = (
    "There is no plan at the moment. A plan needs a routine in Hevy and a finished run; "
    "`spotter plan show` gives the reason."
)
_PUBLISHED = """
    select decision_id, plan_id, published_at, count(*) as set_count, workout_date
    from fct_prescription_outcome
    where athlete_id = $1
    group by decision_id, plan_id, published_at, workout_date
    order by published_at desc, workout_date limit 1
"""


def next_workout(training: Training, exercise: Exercise | None = None) -> Answer:
    """Return the next workout, or one exercise of it."""
    draft = Draft("next_workout")
    planned = _planned(draft, training, exercise)
    if isinstance(planned, str):
        return draft.nothing(planned)
    report, slots = planned
    about = draft.fact(
        report.plan.routine_title, PLANS, {"plan_id": report.plan_id}, "routine_title"
    )
    if report.plan.minutes is not None and exercise is None:
        minutes = f"{report.plan.minutes.minutes:.0f} min"
        about += f", about {draft.fact(minutes, PLANS, {'plan_id': report.plan_id}, 'minutes')}"
    draft.line(f"Next workout: {about}.")
    for slot in slots:
        draft.line(f"{ARROWS[slot.direction]} {_target(draft, report, training, slot)}")
    return draft.answer()


def why(training: Training, exercise: Exercise | None = None) -> Answer:
    """Return the reasons of the next loads, of one exercise or of all."""
    draft = Draft("why")
    planned = _planned(draft, training, exercise)
    if isinstance(planned, str):
        return draft.nothing(planned)
    report, slots = planned
    for slot in slots:
        draft.line(f"{ARROWS[slot.direction]} {_target(draft, report, training, slot)}")
        told = " ".join(reasons(slot, training.unit))
        draft.line(f"  {draft.fact(told, PLANS, _key(report, slot), 'reason')}")
    draft.line("The whole chain, from what you logged: `spotter explain latest`.")
    return draft.answer()


def published(training: Training) -> Answer:
    """Return the state of the active plan in Hevy, and the plan that came into force last."""
    draft = Draft("published")
    if (report := training.plan) is not None and not training.red_flags:
        key = {"plan_id": report.plan_id}
        title = draft.fact(report.plan.routine_title, PLANS, key, "routine_title")
        state = state_words(report.publication_state, training.profile)
        draft.line(f"{title}: {draft.fact(state, PLANS, key, 'publication_state')}.")
    rows = training.rows(_PUBLISHED)
    if rows:
        row, mart = rows[0], "fct_prescription_outcome"
        key = {"plan_id": row["plan_id"]}
        at = day_text(training.local_date(row["published_at"]))
        count = draft.fact(_sets(row["set_count"]), mart, key, "prescription_outcome_key", "count")
        since = f"In force since {draft.fact(at, mart, key, 'published_at')}: {count}"
        trained = "not trained yet"
        if row["workout_date"] is not None:
            day = draft.fact(day_text(row["workout_date"]), mart, key, "workout_date")
            trained = f"trained on {day}"
        draft.line(f"{since}, {trained}.")
    if draft.is_empty:
        return draft.nothing("Nothing was published yet.")
    return draft.answer()


def _sets(count: int) -> str:
    return f"{count} set" if count == 1 else f"{count} sets"


def _stop(training: Training) -> str:
    return f"{stop_text(training.red_flags)} {how_to_clear()}"


def _not_planned(draft: Draft, report: PlanReport, exercise: Exercise) -> str:
    key = {"plan_id": report.plan_id}
    routine = draft.fact(report.plan.routine_title, PLANS, key, "routine_title")
    return f"{exercise.title} is not in the next workout ({routine})."


def _planned(
    draft: Draft, training: Training, exercise: Exercise | None
) -> tuple[PlanReport, list[SlotPrescription]] | str:
    """Return the active plan and its exercises, or the reason why there are none."""
    if training.red_flags:
        return _stop(training)
    if (report := training.plan) is None:
        return _NO_PLAN
    slots = list(_slots(report, exercise))
    if exercise is not None and not slots:
        return _not_planned(draft, report, exercise)
    return report, slots


def _slots(report: PlanReport, exercise: Exercise | None) -> Iterator[SlotPrescription]:
    for slot in report.plan.slots:
        if exercise is None or is_slot_of(slot, exercise):
            yield slot


def _target(draft: Draft, report: PlanReport, training: Training, slot: SlotPrescription) -> str:
    targets = plan_notation(slot, training.unit)
    targets = targets or ("left out this time" if slot.is_left_out else "no sets")
    key = _key(report, slot)
    title = draft.fact(slot.exercise_title, PLANS, key, "exercise_title")
    return f"{title}: {draft.fact(targets, PLANS, key, 'sets')}"


def _key(report: PlanReport, slot: SlotPrescription) -> dict[str, str | int]:
    return {"plan_id": report.plan_id, "exercise_index": slot.exercise_index}
