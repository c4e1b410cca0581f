"""Limits of a plan: maxima, meets, pain, time, equipment, warm-ups, dead ends and stale data.

Tests are named by the rows of the list of situations; each checks the plan and its text.
"""

from datetime import timedelta

import pytest

from coach_agent.domain.units import KILOGRAMS_PER_POUND
from coach_agent.journal.current_plans import JournaledPlan
from coach_agent.planning.decide import circumstances_of, decide, today_of, trainable_titles
from coach_agent.planning.guardrails import violations
from coach_agent.planning.meet import attempts, meet_text
from coach_agent.situation.progress import Progress
from orchestration.services.briefing.brief import briefing_of
from orchestration.services.planning.plan import why_no_plan
from tests.coach.builders import BENCH as PRESS
from tests.coach.builders import (
    changed_set,
    exposure,
    fixed,
    profile,
    routine,
    situation,
    slot,
)
from tests.coach.situations import BENCH, NOW, PULL_UP, SQUAT, planned, situation_of

OHP = "Overhead Press (Barbell)"
ROW = "Bent Over Row (Barbell)"
SHOULDER = {"right shoulder": "severe"}


def test_p1_a_substitute_that_loads_what_hurts_is_refused() -> None:
    """Push-ups were named instead of the bench press with severe pain in the shoulder."""
    swap = {"swap": {BENCH: ["Push Up"]}}
    found = planned(
        {BENCH: "3*80x5, 3*82.5x5", SQUAT: "3*100x5, 3*102.5x5"}, pain=SHOULDER, preferences=swap
    )
    assert not found.working(BENCH)
    assert found.working(SQUAT)
    assert "Instead" not in found.text
    assert "Not Push Up either: it loads the right shoulder, too." in found.text
    assert "You can train Squat (Barbell)." in found.text


def test_p1_without_anything_left_common_exercises_are_named() -> None:
    known, athlete = situation_of("3*80x5, 3*82.5x5", title=BENCH, pain=SHOULDER)
    assert decide(known, athlete) is None
    assert trainable_titles(circumstances_of(known, athlete))[0] == "Leg Press (Machine)"


def test_p3_pain_in_the_chest_plans_nothing_and_sends_for_help() -> None:
    """A squat workout was planned, and the pain was noted."""
    pain = ({"part": "chest", "level": "severe"},)
    known, athlete = situation_of("3*97.5x5, 3*100x5", said={"pain": pain, "energy": 1})
    flagged = known.model_copy(update={"red_flags": ("chest",)})
    assert decide(flagged, athlete) is None
    text = why_no_plan(athlete, flagged)
    assert "emergency number" in text
    assert "kg" not in text


def test_p2_neck_pain_holds_whatever_loads_neck_or_traps() -> None:
    """All three went up: the muscles of squat and press do not include the neck."""
    history = {
        SQUAT: "3*100x5, 3*102.5x5",
        OHP: "3*47.5x5, 3*50x5",
        ROW: "3*60x8, 3*62.5x8",
        "Leg Press (Machine)": "3*150x10, 3*155x10",
    }
    found = planned(history, pain={"neck": "moderate"})
    assert [found.load(title) for title in (SQUAT, OHP, ROW)] == [102.5, 50, 62.5]
    assert found.load("Leg Press (Machine)") == 160
    for title in (SQUAT, OHP, ROW):
        assert found.slot(title).adjustments[0].text.startswith("Neck pain: no increase")


LIFTER = {SQUAT: "2*(5*140x3@8)", BENCH: "2*(4*100x4@8)", "Bicep Curl (Dumbbell)": "2*(3*14x10)"}


def meet_in(days: int, **goal: object) -> dict[str, object]:
    return {"goal": {"date": (NOW.date() + timedelta(days=days)).isoformat(), **goal}}


def test_m3_a_taper_keeps_the_load_and_halves_the_sets() -> None:
    found = planned(LIFTER, **meet_in(10))
    assert (found.loads(SQUAT), found.loads(BENCH)) == ([140] * 3, [100] * 3)
    assert "Taper" in found.text


def test_m3_the_last_heavy_day_of_the_bench_press_is_later_than_that_of_the_squat() -> None:
    assert [planned(LIFTER, **meet_in(days)).load(SQUAT) for days in (7, 6)] == [140, 125]
    assert [planned(LIFTER, **meet_in(days)).load(BENCH) for days in (5, 4)] == [100, 90]


@pytest.mark.parametrize("days", [2, 3])
def test_m4_the_last_days_are_light_and_without_accessories(days: int) -> None:
    found = planned(LIFTER, **meet_in(days))
    assert (found.load(SQUAT), found.load(BENCH)) == (82.5, 60)
    assert not found.working("Bicep Curl (Dumbbell)")
    assert "Light day before the meet" in found.text


def test_m4_the_day_before_a_meet_is_for_rest() -> None:
    """A heavy workout was planned for it."""
    known, athlete = situation_of(LIFTER, **meet_in(1, event="Regionals"))
    assert decide(known, athlete) is None
    assert why_no_plan(athlete, known).startswith("Tomorrow is Regionals: rest today, no workout.")


def test_m5_the_day_of_a_meet_has_attempts_and_no_workout() -> None:
    known, athlete = situation_of(LIFTER, **meet_in(0, event="Regionals"))
    assert decide(known, athlete) is None
    squat, bench = attempts(known, athlete)
    assert (squat.opener_kg, squat.second_kg, squat.third_kg) == (140, 150, 157.5)
    assert (bench.opener_kg, bench.second_kg, bench.third_kg) == (100, 107.5, 112.5)
    text = why_no_plan(athlete, known)
    assert text.startswith("Today is Regionals: no workout.")
    assert "Squat (Barbell): open with 140 kg, then 150 kg, then 157.5 kg" in text
    assert "You did 140 kg × 3 on 27 February." in text
    assert "Warm up with 65 kg × 5, 87.5 kg × 3, 110 kg × 2, 125 kg × 1, 137.5 kg × 1." in text


def test_m5_singles_near_the_maximum_tell_the_attempts() -> None:
    """A single of 180 at RPE 10 is a tested maximum: 91, 96 and 100 % of it."""
    known, athlete = situation_of("1*170x1@9 3*140x3@8, 180x1@10 3*140x4@8", **meet_in(0))
    (squat,) = attempts(known, athlete)
    assert (squat.opener_kg, squat.second_kg, squat.third_kg) == (162.5, 172.5, 180)


@pytest.mark.parametrize(
    "history",
    [
        "5*180x3@8, 5*182.5x3@8, 5*1825x3@8",
        "5*180x3@8, 5*1825x3@8, 5*182.5x3@8",
        "5*180x3@8, 5*182.5x3@8, 5*281.5x3@8",
        "5*180x3@8, 180x3@8 182.5x3@8 1825x3@8",
    ],
)
def test_m5_attempts_are_of_no_workout_that_was_mistyped(history: str) -> None:
    """1825 kg, with a digit too many in all sets, was the opener."""
    known, athlete = situation_of({SQUAT: history}, **meet_in(0))
    (squat,) = attempts(known, athlete)
    assert (squat.opener_kg, squat.best.weight_kg) == (182.5, 182.5)


def test_m5_a_single_far_above_the_sets_before_it_is_evidence() -> None:
    known, athlete = situation_of({SQUAT: "3*120x5, 3*125x5, 1*170x1@9"}, **meet_in(0))
    (squat,) = attempts(known, athlete)
    assert squat.best.weight_kg == 170


def test_m5_training_of_long_ago_tells_no_attempts() -> None:
    known, athlete = situation_of("3*140x3@8", days_off=40, **meet_in(0))
    assert attempts(known, athlete) == ()
    assert meet_text(known, athlete) == "Today is your meet: no workout. Good luck!"


@pytest.mark.parametrize("days", [-1, -7])
def test_m6_the_week_after_a_meet_is_for_recovery(days: int) -> None:
    """A full workout with more load was planned for the day after."""
    found = planned(LIFTER, **meet_in(days))
    assert (found.loads(SQUAT), found.loads(BENCH)) == ([82.5] * 3, [60] * 2)
    assert "Recovery week after the meet" in found.text
    assert planned(LIFTER, **meet_in(-8)).load(SQUAT) == 145


def test_guardrails_refuse_a_heavy_plan_around_a_meet() -> None:
    heavy = planned(LIFTER).plan
    for days, code in ((1, "meet"), (0, "meet"), (-1, "meet"), (3, "meet")):
        known, athlete = situation_of(LIFTER, **meet_in(days))
        today = today_of(known, athlete)
        found = violations(heavy, known.routines[0], athlete, today)
        assert code in {each.code for each in found}
    light = planned(LIFTER, **meet_in(-1))
    today = today_of(light.situation, light.profile)
    routine = light.situation.routines[0]
    assert not violations(light.plan, routine, light.profile, today)
    one_too_heavy = changed_set(light.plan, 0, 0, {"weight_kg": 87.5})
    assert [each.code for each in violations(one_too_heavy, routine, light.profile, today)] == [
        "meet"
    ]


def test_m1_nothing_exceeds_a_maximum_that_was_tested_lately() -> None:
    """A single at RPE 10 was an ordinary success: 185 kg were planned."""
    found = planned("1*170x1@9, 180x1@10")
    assert (found.loads(), found.reps()) == ([167.5], [1])
    assert "You tested a maximum of 180 kg in the last 14 days" in found.why
    assert "no more than 167.5 kg for 1 rep" in found.why
    assert planned("1*170x1@9, 180x1@9").load() > 180


def test_m1_a_maximum_counts_for_two_weeks_and_in_any_routine() -> None:
    fives = fixed(3, 80, 5)
    work = routine(slot(PRESS, fives, [exposure([(80, 5)] * 3, fives, days_ago=4)]), title="A")
    test = routine(slot(PRESS, fixed(1, 90, 1), [exposure([(95, 1, 10)], days_ago=2)]), title="B")
    known = situation([work, test])
    assert circumstances_of(known, profile()).tested_maxima == {BENCH: 95}
    found = decide(known, profile(routines=["A", "B"]))
    assert found is not None
    assert found.plan.slots[0].sets[0].weight_kg == 80
    later = known.model_copy(update={"today": NOW.date() + timedelta(days=13)})
    assert circumstances_of(later, profile()).tested_maxima == {}


def test_m2_a_test_single_is_no_missed_set() -> None:
    """The single displaced the first set of five: "Missed 5 reps on set 1"."""
    for history in ("[3*80x5] 3*80x5, 3*80x5 100x1@10", "[3*80x5] [3*80x5] 3*80x5 100x1@10"):
        found = planned(history)
        assert (found.loads(), found.reps()) == ([82.5] * 3, [5] * 3)
        assert "Missed" not in found.why


def test_guardrails_refuse_more_than_a_tested_maximum() -> None:
    found = planned("1*170x1@9, 180x1@10")
    today = today_of(found.situation, found.profile)
    too_heavy = changed_set(found.plan, 0, 0, {"weight_kg": 182.5})
    routine = found.situation.routines[0]
    assert "maximum" in {each.code for each in violations(too_heavy, routine, found.profile, today)}


FULL = {
    SQUAT: "2*(4*100x5)",
    BENCH: "2*(3*80x5)",
    ROW: "2*(3*60x8)",
    "Lateral Raise (Dumbbell)": "2*(3*10x12)",
    "Bicep Curl (Dumbbell)": "2*(3*14x10)",
    "Triceps Pushdown": "2*(3*25x12)",
}


def test_p4_with_little_time_the_main_lifts_keep_their_sets() -> None:
    """Six exercises had one set each: four done well are worth more."""
    found = planned(FULL, session_minutes=30)
    assert [len(found.working(title)) for title in FULL] == [3, 3, 2, 0, 0, 0]
    assert found.plan.minutes is not None
    assert found.plan.minutes.minutes <= 30
    assert "Shortened to fit 30 minutes." in found.text
    longer = planned(FULL, session_minutes=45)
    assert [len(longer.working(title)) for title in FULL] == [4, 3, 3, 2, 2, 0]


def test_p5_a_superset_stays_a_pair_with_equal_sets() -> None:
    """The pair had two sets of one exercise and one of the other."""
    fives = fixed(4, 80, 5)
    press = slot(
        PRESS, fives, [exposure([(80, 5)] * 4, fives, days_ago=2)], superset_id=0, rest_s=180
    )
    row = press.model_copy(update={"exercise_title": ROW, "exercise_template_id": "row"})
    found = decide(situation([routine(press, row)]), profile(session_minutes=25))
    assert found is not None
    first, second = found.plan.slots
    assert len(first.sets) == len(second.sets) in {2, 3}
    assert first.superset_id == second.superset_id == 0
    assert "Shortened to fit 25 minutes." in first.adjustments[0].text


def test_g8_a_bar_that_is_missed_three_times_is_built_up_to() -> None:
    """The empty bar was repeated for ever."""
    missed = "[3*20x5] 20x4 20x3 20x3"
    found = planned(f"[3*20x5] {missed}, {missed}, {missed}", title=OHP)
    assert (found.loads(), found.reps()) == ([20] * 3, [5, 3, 3])
    assert "build up from 5, 3 and 3 reps" in found.why
    assert "Dumbbells or a partner's help" in found.why
    later = planned(
        f"[3*20x5] {missed}, {missed}, {missed}, [20x5 2*20x3-5] 20x5 20x3 20x3", title=OHP
    )
    assert later.reps() == [5, 4, 3]
    done = f"{missed}, {missed}, {missed}, [20x5 2*20x3-5] 3*20x5"
    built = planned(f"[3*20x5] {done}", title=OHP)
    assert (built.load(), built.reps()) == (20, [6, 5, 5])
    stronger = planned(f"[3*20x5] {done}, [20x5-8 2*20x5] 20x8 20x8 20x8", title=OHP)
    assert stronger.load() == 22.5


def test_g9_at_the_top_with_the_body_alone_a_harder_variation_is_written() -> None:
    """The plan was 3 x 8 for ever, with the advice to add load."""
    found = planned("[3*x5-8] 3*x8, 3*x8", title=PULL_UP)
    assert found.reps() == [9, 8, 8]
    assert found.slot().note is not None
    assert "Time for Pull Up (Weighted) with the smallest plate" in found.text
    assert planned("[3*x5-8] 3*x8, x9 x8 x8", title=PULL_UP).reps() == [9, 9, 8]


def test_g10_a_new_exercise_has_a_way_to_find_its_load() -> None:
    new = slot(PRESS, fixed(3, None, 5))
    found = decide(situation([routine(new)]), profile())
    assert found is not None
    (press,) = found.plan.slots
    assert press.note == press.reason
    assert "20 kg × 5, 25 kg × 5, 30 kg × 5" in press.reason
    assert "2 or 3 reps in the tank" in press.reason


def test_g12_the_warm_ups_of_the_athlete_keep_their_pattern() -> None:
    """The empty bar was replaced by 42.5 kg."""
    ramp = "w20x10 w40x5 w60x3"
    found = planned(f"{ramp} 3*97.5x5, {ramp} 3*100x5")
    warmups = [each for each in found.slot().sets if each.set_type == "warmup"]
    assert [(each.weight_kg, each.reps) for each in warmups] == [(20, 10), (40, 5), (60, 3)]
    assert "W 1 × 10 @ 20 kg, 1 × 5 @ 40 kg, 1 × 3 @ 60 kg" in found.text
    light = planned(f"{ramp} 3*97.5x5, {ramp} 3*100x5", said={"deload": ("all",)})
    easy = [each.weight_kg for each in light.slot().sets if each.set_type == "warmup"]
    assert easy[0] == 20
    assert easy[-1] == pytest.approx(0.6 * light.load(), abs=1.25)


def test_g7_an_added_load_steps_by_what_is_moved_with_the_body() -> None:
    """The jump cap was a share of the added load alone: 21.25 kg."""
    steps = "3*12.5x8, 3*15x8, 3*17.5x8, 3*20x8"
    found = planned(f"[3*20x6-8] {steps}", title="Triceps Dip (Weighted)")
    assert found.load() == 22.5
    assert "22.5 kg" in found.text


PLACES = {"gym": {}, "home": {"machine_step_kg": "none", "cable_step_kg": "none"}}


def test_p6_without_the_equipment_an_exercise_is_left_out_with_the_reason() -> None:
    """A leg press was planned at home."""
    press = "Leg Press (Machine)"
    history = {press: "3*150x10, 3*160x10", BENCH: "3*80x5, 3*80x5"}
    swap = {"swap": {press: ["Lat Pulldown (Cable)", "Goblet Squat"]}}
    found = planned(history, places=PLACES, place="home", preferences=swap)
    assert not found.working(press)
    assert found.working(BENCH)
    assert "Left out: there is no machine here." in found.text
    assert "Not Lat Pulldown (Cable) either: there is no cable either." in found.text
    assert "Instead: Goblet Squat." in found.text
    assert planned(history, places=PLACES, place="gym").working(press)
    assert planned("3*x8, 3*x8", title=PULL_UP, places=PLACES, place="home").working()


def test_guardrails_refuse_an_exercise_that_the_place_has_no_equipment_for() -> None:
    found = planned("3*150x10, 3*160x10", title="Leg Press (Machine)")
    home = profile(places=PLACES, place="home")
    routine = found.situation.routines[0]
    today = today_of(found.situation, home)
    codes = {each.code for each in violations(found.plan, routine, home, today)}
    assert codes == {"unavailable"}


def test_g5_lifted_dumbbells_exist_unless_the_athlete_says_otherwise() -> None:
    """100 lb were planned, the end of the rack that was assumed."""
    title = "Incline Bench Press (Dumbbell)"
    heavy = "[3*150x6-10] 150x7 150x6 150x5"
    found = planned(heavy, unit="lb", title=title)
    assert found.load() == pytest.approx(150 * KILOGRAMS_PER_POUND)
    assert "150 lb" in found.text
    assert "100 lb" not in found.why
    declared = {"unit": "lb", "dumbbells_lb": [float(lb) for lb in range(5, 105, 5)]}
    capped = planned(heavy, unit="lb", title=title, equipment=declared)
    assert capped.load() == pytest.approx(100 * KILOGRAMS_PER_POUND)


def test_l8_stale_data_come_first_with_their_age_and_how_to_import_newer() -> None:
    """Nothing in plan, page or briefing mentioned that the data end 398 days ago."""
    found = planned("3*100x5, 3*102.5x5", days_off=398, hevy={"account": "none"})
    first = next(line for line in found.text.splitlines() if line)
    assert first == (
        "Your data are 398 days old: the last workout is from 28 January 2025. "
        "Import newer training: spotter import-csv FILE --athlete demo"
    )
    journaled = JournaledPlan("plan_1", found.plan, NOW, None, ())
    briefing = briefing_of(found.profile, journaled, Progress(), NOW.date())
    assert briefing.lead[0] == f"{first}."
    assert found.load() < 75
    assert "days old" not in planned("3*100x5, 3*102.5x5", days_off=20).text


def test_g15_a_plan_in_pounds_has_plates_and_texts_in_pounds() -> None:
    """Loads were converted and rounded to kilogram plates."""
    found = planned("3*225x5, 3*230x5", unit="lb", title=BENCH)
    assert found.load() == pytest.approx(235 * KILOGRAMS_PER_POUND)
    assert "3 × 5 @ 235 lb" in found.text
    assert " kg" not in found.text
    assert " kg" not in found.why
