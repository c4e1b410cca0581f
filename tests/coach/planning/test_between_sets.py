"""Questions between two sets, with the gym and body of the profile."""

from dataclasses import replace
from typing import Any

from coach_agent.domain.pain import Pain
from coach_agent.domain.plan import Adjustment, Plan, SlotPrescription
from coach_agent.planning.between_sets import (
    Day,
    ExerciseFacts,
    NextSetAnswer,
    NextSetQuestion,
    answer,
)
from coach_agent.store.check_ins import CheckIn
from tests.coach.builders import NOW, profile

FACTS = ExerciseFacts("Bench Press (Barbell)", "weight_reps", "barbell", "chest")
POUNDS = {"unit": "lb", "bar_lb": 45.0, "plate_pairs_lb": [45.0, 25.0, 10.0, 5.0, 2.5]}


def asked(target: str, done: str, **values: Any) -> NextSetAnswer:
    question = NextSetQuestion(exercise=FACTS.title, target=target, done=(done,))
    return answer(question, profile(**values), lambda _: FACTS)


def test_loads_are_in_the_unit_of_the_gym_and_told_in_kilograms() -> None:
    found = asked("135x5", "135x5", equipment=POUNDS)
    assert found.action == "same"
    assert found.weight_kg is not None
    assert abs(found.weight_kg - 135 * 0.45359237) < 0.001


def test_nothing_is_raised_where_it_hurts() -> None:
    assert asked("100x5@8", "100x5@6").action == "more"
    assert asked("100x5@8", "100x5@6", pain={"right shoulder": "moderate"}).action == "same"
    assert asked("100x5@8", "100x5@6", pain={"right shoulder": "mild"}).action == "more"
    assert asked("100x5@8", "100x5@6", pain={"left knee": "severe"}).action == "more"


def test_severe_pain_ends_the_exercise() -> None:
    found = asked("100x5@8", "100x5@6", pain={"right shoulder": "severe"})
    assert (found.action, found.codes, found.weight_kg) == ("stop", ("pain_severe",), None)
    assert "right shoulder" in found.reason


def test_a_red_flag_ends_every_exercise() -> None:
    question = NextSetQuestion(exercise=FACTS.title, target="100x5@8", done=("100x5@6",))
    dizzy = question.model_copy(update={"note": "dizzy after that one"})
    for asked_now, day in ((dizzy, Day()), (question, Day(red_flags=("faint",)))):
        found = answer(asked_now, profile(), lambda _: FACTS, day=day)
        assert (found.action, found.codes, found.weight_kg) == ("stop", ("red_flag",), None)
        assert "emergency number" in found.reason
    fine = question.model_copy(update={"note": "not dizzy"})
    assert answer(fine, profile(), lambda _: FACTS).action == "more"


def test_muscles_that_help_count_where_it_hurts() -> None:
    helped = replace(FACTS, secondary_muscle_groups=("triceps",))
    question = NextSetQuestion(exercise=FACTS.title, target="100x5@8", done=("100x5@6",))
    sore = profile(pain={"left triceps": "moderate"})
    assert answer(question, sore, lambda _: FACTS).action == "more"
    assert answer(question, sore, lambda _: helped).action == "same"


def test_a_pound_gym_is_answered_in_pounds() -> None:
    found = asked("135x5@8", "135x5@6", equipment=POUNDS)
    assert found.load == "140 lb"
    assert found.reason == "5 reps at RPE 6, the aim is RPE 8: up to 140 lb."


def test_a_load_is_told_as_it_is_written() -> None:
    pull_up = replace(FACTS, title="Pull Up", exercise_type="bodyweight_reps", equipment="none")
    dip = replace(FACTS, title="Dip (Assisted)", exercise_type="bodyweight_assisted")

    def load(facts: ExerciseFacts, target: str, done: str) -> str | None:
        question = NextSetQuestion(exercise=facts.title, target=target, done=(done,))
        return answer(question, profile(), lambda _: facts).load

    assert load(pull_up, "bw+10x8", "bw+10x8") == "bw+10 kg"
    assert load(dip, "20x8", "20x8") == "20 kg of assistance"
    assert load(pull_up, "bw x 8", "bw x 8") is None
    assert load(FACTS, "100x8", "100x8") == "100 kg"


def test_what_is_assumed_of_an_unknown_exercise_is_told_in_pounds() -> None:
    question = NextSetQuestion(exercise="My Press", target="45x8", done=("45x8",))
    found = answer(question, profile(equipment=POUNDS), lambda _: None)
    assert found.assumption is not None
    assert "loads in steps of 5 lb are assumed" in found.assumption


def test_a_misspelt_exercise_is_asked_for_and_an_own_one_is_not() -> None:
    """The check-in did so, and here the loads of another equipment were assumed without a word."""
    question = NextSetQuestion(exercise="Bench Pres (Barbell)", target="100x5", done=("100x5",))
    titles = ["Squat (Barbell)", FACTS.title]
    asked_back = " Did you mean 'Bench Press (Barbell)'?"
    found = answer(question, profile(), lambda _: None, titles)
    assert (found.assumption or "").endswith(asked_back)
    own = profile(exercises={"bench pres  (barbell)": {"increment_kg": 1.0}})
    assert asked_back not in (answer(question, own, lambda _: None, titles).assumption or "")
    strange = question.model_copy(update={"exercise": "Zercher Thing"})
    found = answer(strange, profile(), lambda _: None, titles)
    assert "Did you mean" not in (found.assumption or "")


def test_a_measured_body_weight_counts_for_added_and_assisting_loads() -> None:
    """Plans used the weight that was measured, and the next set the profile's or 70 kg."""
    pull_up = replace(FACTS, title="Pull Up", exercise_type="bodyweight_reps", equipment="none")
    dip = replace(FACTS, title="Dip (Assisted)", exercise_type="bodyweight_assisted")

    def load(facts: ExerciseFacts, target: str, done: str, body_kg: float | None) -> float | None:
        question = NextSetQuestion(exercise=facts.title, target=target, done=(done,))
        me = profile(body_weight_kg=60)
        return answer(question, me, lambda _: facts, day=Day(body_kg=body_kg)).weight_kg

    # A repetition is worth 4 % of the total: 2.8 kg of 60 + 10, 5.2 kg of 120 + 10.
    assert load(pull_up, "bw+10x8", "bw+10x7", None) == 6.25
    assert load(pull_up, "bw+10x8", "bw+10x7", 120) == 5
    assert load(dip, "20x8", "20x10", 60) == 20
    assert load(dip, "20x8", "20x10", 120) == 15


def on(day: Day) -> NextSetAnswer:
    question = NextSetQuestion(exercise=FACTS.title, target="100x5@8", done=("100x5@6",))
    return answer(question, profile(), lambda _: FACTS, day=day)


def plan_of(title: str, *adjustments: str, deload: str | None = None) -> Plan:
    slot = SlotPrescription(
        exercise_index=0,
        occurrence=1,
        exercise_template_id="A",
        exercise_title=title,
        rule="double_progression",
        reason_codes=("held",),
        reason="Held.",
        sets=(),
        adjustments=tuple(Adjustment(rule=rule, text="Less.") for rule in adjustments),
    )
    return Plan(
        athlete_id="me",
        routine_id="r",
        routine_title="R",
        rule_version="1",
        summary="S",
        slots=(slot,),
        deload=deload,
    )


def test_a_check_in_holds_between_sets_too() -> None:
    def said(**values: Any) -> NextSetAnswer:
        return on(Day(said=CheckIn(checked_in_at=NOW, **values)))

    assert said(minutes=30).action == said(energy=3, soreness=2).action == "more"
    assert said(energy=2).codes == ("held",)
    assert said(soreness=4).action == "same"
    assert said(deload=("all",)).action == "same"
    assert said(deload=(FACTS.title.upper(),)).action == "same"
    assert said(deload=("Squat (Barbell)",)).action == "more"
    assert said(pain=(Pain(part="left shoulder", level="moderate"),)).action == "same"
    severe = said(pain=(Pain(part="left shoulder", level="severe"),))
    assert (severe.action, severe.weight_kg) == ("stop", None)


def test_what_the_plan_holds_back_does_not_go_up_between_sets() -> None:
    assert on(Day(plan=plan_of(FACTS.title))).action == "more"
    assert on(Day(plan=plan_of(FACTS.title, "time_cap"))).action == "more"
    assert on(Day(plan=plan_of(FACTS.title, "time_cap", "layoff"))).action == "same"
    assert on(Day(plan=plan_of("Squat (Barbell)", "layoff"))).action == "more"
    assert on(Day(plan=plan_of("Squat (Barbell)", deload="calendar"))).action == "same"


def test_an_unknown_day_is_told_and_holds_nothing() -> None:
    found = on(Day(unknown="Nobody knows."))
    assert (found.action, found.assumption) == ("more", "Nobody knows.")
    question = NextSetQuestion(exercise="My Press", target="40x8", done=("40x8",))
    both = answer(question, profile(), lambda _: None, day=Day(unknown="Nobody knows."))
    assert (both.assumption or "").endswith("are assumed. Nobody knows.")
