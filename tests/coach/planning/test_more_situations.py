"""Situations of the classes breaks, reductions, pain, programmes and odd loads, planned by hand."""

from datetime import timedelta
from typing import Any

import pytest

from coach_agent.domain.units import KILOGRAMS_PER_POUND
from tests.coach.planning.test_situations import stated_cut
from tests.coach.situations import BENCH, NOW, PULL_UP, SQUAT, Planned, planned

CHIN_UP = "Chin Up"
WAVES = {SQUAT: {"model": "training_max", "training_max_kg": 100}}
WAVE = "[65x5 75x5 85x5+] 65x5 75x5 85x8"


def test_a_year_off_leaves_far_fewer_chin_ups() -> None:
    """Of 12 remain 54 % after a year: 6, in half of the sets."""
    found = planned("3*x12, 3*x12", title=CHIN_UP, days_off=365)
    assert (len(found.reps()), set(found.reps())) == (2, {6})
    assert "1 year off" in found.text


@pytest.mark.parametrize(
    ("title", "history", "rule", "reps"),
    [
        (
            SQUAT,
            "[100x4-6 2*90x6-10] 97.5x5@8 2*87.5x8@7, 100x5@9.5 2*90x8@8",
            {"model": "top_backoff"},
            [5, 9, 8],
        ),
        (BENCH, "[3*60x8-12] 60x9@8 2*60x8@8, 60x10@9.5 2*60x9@9", {"rpe_cap": 9}, [10, 9, 9]),
        (BENCH, "[3*60x8-12] 60x9@8 2*60x8@8, 60x10@9 2*60x9@9", {"rpe_cap": 9}, [11, 10, 10]),
        (PULL_UP, "[3*x8-12] 3*x9@8, x10@9.5 2*x9@9", {"rpe_cap": 9}, [10, 9, 9]),
    ],
    ids=["top set", "range", "at the cap", "body weight"],
)
def test_after_a_set_above_the_cap_repetitions_do_not_grow(
    title: str, history: str, rule: dict[str, object], reps: list[int]
) -> None:
    """A top set of 5 at RPE 9.5 with a cap of 8.5 was followed by one of 6."""
    found = planned(history, title=title, exercises={title: rule})
    assert found.reps() == reps
    assert ("went above RPE" in found.why) is (reps != [11, 10, 10])


@pytest.mark.parametrize(
    ("sets", "rule", "load"),
    [
        ("3*115x5@9.5", {}, 117.5),
        ("2*115x5@8 115x5@10", {}, 117.5),
        ("3*115x5@9", {}, 120),
        ("2*115x5 115x5@9.5", {}, 117.5),
        ("2*115x5 115x5@9", {}, 120),
        ("3*115x5@9.5", {"increment_kg": 5}, 120),
    ],
    ids=["hard", "last set at the limit", "one left", "only one rated", "rated 9", "own step"],
)
def test_after_a_set_near_the_limit_the_step_is_the_smallest(
    sets: str, rule: dict[str, object], load: float
) -> None:
    """A squat of 115 kg at RPE 9.5 went up by 5 kg, as one at RPE 8 does, and so did one with only
    its last set rated.
    """
    assert planned(f"[3*115x5] 3*110x5@8, {sets}", exercises={SQUAT: rule}).load() == load


def test_a_wave_after_a_break_compares_no_repetitions() -> None:
    """The 3 of the second week were compared with the 8 of the open set of the first."""
    found = planned(WAVE, exercises=WAVES, days_off=64)
    assert "75 kg, 12 % less than last time." in found.text
    assert "instead of" not in found.text


@pytest.mark.parametrize(
    ("history", "reps"),
    [
        ("[3*24x8-12] 3*22x12, 3*24x12", [13, 12, 12]),
        ("[3*24x8-12] 3*24x12, 24x13 2*24x12", [13, 13, 12]),
        ("[3*24x8-12] 3*24x12, 2*24x13 24x12", [13, 13, 13]),
        ("[3*24x8-12] 3*24x12, 24x12 24x11 24x10", [12, 12, 10]),
        ("[3*24x8] 3*24x8, 3*24x8", [9, 8, 8]),
    ],
)
def test_at_the_end_of_the_rack_repetitions_go_on(history: str, reps: list[int]) -> None:
    """The heaviest dumbbells were repeated for ever with the same repetitions."""
    rack = {"dumbbells_kg": [float(load) for load in range(2, 26, 2)]}
    found = planned(history, title="Bench Press (Dumbbell)", equipment=rack)
    assert (found.load(), found.reps()) == (24, reps)
    is_filled = reps != [12, 12, 10]
    assert ("Nothing heavier is there: a slower tempo" in found.text) is is_filled


@pytest.mark.parametrize(
    ("history", "load"),
    [
        ("1*170x1@9, 180x1@10", 155),
        ("3*165x3@9, 3*170x3@10", 152.5),
        ("3*97.5x5@8, 3*100x5@8", 95),
        ("3*97.5x5, 3*100x5", 95),
        ("[3*100x5-8] 3*100x7@8, 3*100x8@10", 95),
    ],
)
def test_after_a_break_the_load_leaves_the_stated_reserve(history: str, load: float) -> None:
    """Three weeks after a single of 180 kg, 172.5 kg were to leave three repetitions in reserve."""
    found = planned(history, days_off=21)
    assert found.load() == load
    assert "Leave 3 reps in the tank" in found.text
    assert stated_cut(found) == round(100 * (1 - load / max(last_loads(found))))


def test_a_deload_keeps_its_floor_after_a_hard_single() -> None:
    """The reserve of a deload took 14 % off a single of 180 kg."""
    found = planned("1*170x1@9, 180x1@10", said={"deload": ("all",)})
    assert found.load() == 162.5
    assert stated_cut(found) == 10


def last_loads(found: Planned) -> list[float]:
    [slot] = found.situation.routines[0].slots
    return [done.weight_kg for done in slot.exposures[0].sets if done.weight_kg]


@pytest.mark.parametrize(
    ("equipment", "loads"),
    [
        ({}, [332.5] * 3),
        ({"bar_kg": 15.0}, [332.5] * 3),
        ({"plate_pairs_kg": [*[25.0] * 5, 20.0, 5.0, 2.5, 1.25]}, [327.5] * 3),
    ],
    ids=["guessed", "of the plates nothing is said", "the athlete's plates"],
)
def test_plates_that_were_guessed_have_no_end(
    equipment: dict[str, object], loads: list[float]
) -> None:
    """A deadlift at the end of the usual set of plates was told that nothing heavier is there."""
    found = planned(
        "[3*327.5x5] 3*325x5, 3*327.5x5", title="Deadlift (Barbell)", equipment=equipment
    )
    assert found.loads() == loads
    assert ("Nothing heavier" in found.text) is (loads[0] == 327.5)


def test_with_a_deload_the_end_of_the_rack_asks_for_no_more() -> None:
    rack = {"dumbbells_kg": [20.0, 22.0, 24.0]}
    found = planned(
        "[3*24x8-12] 3*24x12, 3*24x12",
        title="Bench Press (Dumbbell)",
        equipment=rack,
        pain={"shoulder": "moderate"},
    )
    assert (found.load(), found.reps()) == (24, [12, 12, 12])


def test_other_work_elsewhere_keeps_some_of_a_load_and_raises_none() -> None:
    """Eight weeks after the last fives 105 kg were planned, as tens were done in another routine.

    Half of the eight weeks count: 94.5 % of 100 kg, in all sets.
    """
    tens = {SQUAT: "d20: 3*70x10, d13: 3*70x10, d6: 3*72.5x10", "Plank": "d20: 60s, d6: 60s"}
    found = planned(
        {"A": {SQUAT: "d60: 3*97.5x5, d56: 3*100x5"}, "B": tens}, coach={"routines": ["A"]}
    )
    assert (found.loads(), found.reps()) == ([95] * 3, [5] * 3)
    assert "8 weeks since you did it like this. Leave 3 reps in the tank" in found.text
    assert stated_cut(found) == 5
    sooner = planned(
        {"A": {SQUAT: "d44: 3*97.5x5, d40: 3*100x5"}, "B": tens}, coach={"routines": ["A"]}
    )
    assert sooner.load() == 105


def test_one_sentence_states_how_much_to_leave_in_the_tank() -> None:
    """The deload asked for 4 repetitions in reserve and the break for 3, one after the other."""
    found = planned(
        "3*97.5x5, 3*100x5", title=BENCH, days_off=23, said={"energy": 1, "deload": ("all",)}
    )
    assert (found.loads(), found.text.count("in the tank")) == ([90, 90], 1)
    assert "Leave 4 reps in the tank" in found.text
    assert "Leave 3 reps" in planned("3*100x5, 3*100x5", days_off=23).text


@pytest.mark.parametrize(
    ("title", "history"), [("Plank", "3*85s, 3*90s"), ("Farmers Walk", "2*(3*40/30m)")]
)
def test_sets_without_repetitions_leave_none_in_the_tank(title: str, history: str) -> None:
    """A plank of 55 s was to leave 3 repetitions in the tank."""
    found = planned(history, title=title, days_off=60)
    assert "Keep each set easy: stop well before you have to." in found.text
    assert "in the tank" not in found.text


def test_a_shared_cause_stays_above_a_workout_with_a_plank() -> None:
    found = planned(
        {SQUAT: "2*(3*100x5)", BENCH: "2*(3*80x5)", "Plank": "2*(3*60s)"}, said={"deload": ("all",)}
    )
    assert found.text.count("Leave 4 reps in the tank on each set.") == 1
    assert found.text.count("Keep each set easy") == 1


def test_the_body_alone_after_a_long_break_names_the_repetitions_and_a_way_out() -> None:
    """One repetition of eight was planned, and the text had the load alone."""
    found = planned("3*17.5x8, 3*20x8", title="Triceps Dip (Weighted)", days_off=492)
    assert set(found.loads()) == {0}
    (reps,) = set(found.reps())
    assert reps is not None
    assert reps < 4
    assert f"bw instead of bw+20 kg, {reps} instead of 8 reps" in found.text
    assert "Do 8 easy reps with a band or the assisted machine." in found.text


@pytest.mark.parametrize(("days", "reps"), [(30, 11), (60, 10), (120, 9), (200, 7)])
def test_longer_breaks_leave_fewer_chin_ups(days: int, reps: int) -> None:
    found = planned("3*x12, 3*x12", title=CHIN_UP, days_off=days)
    assert set(found.reps()) == {reps}


def test_a_low_day_of_a_wave_has_one_set_of_numbers() -> None:
    """The reason named the unreduced sets, 70, 80 and 90 kg, beside those of the day."""
    found = planned(WAVE, exercises=WAVES, said={"energy": 1})
    assert found.loads() == [62.5, 72.5, 77.5]
    assert found.slot().reason == "Training max 100 kg, week 2 of 3."
    for number in ("70 kg", "80 kg", "90 kg"):
        assert number not in found.text


def test_forecasts_belong_to_the_reduced_sets() -> None:
    """At the 90 kg of a deload the 8 repetitions of 90 kg are expected, not the 5 of 100."""
    history = "3*90x8, 3*90x8, 3*90x8, 3*100x5, 3*100x5"
    usual, easy = (
        planned(history, title=BENCH, said=said) for said in (None, {"deload": ("all",)})
    )
    assert (usual.load(), easy.load()) == (102.5, 90)
    first, lighter = (each.slot().predictions[0] for each in (usual, easy))
    assert first is not None
    assert lighter is not None
    assert (first.reps, lighter.reps) == (5, 8)
    assert len(easy.slot().predictions) == len(easy.working())


def test_the_knee_spares_what_the_table_lists_as_alternatives() -> None:
    swap = {"swap": {SQUAT: ["Leg Press (Machine)", "Box Squat (Barbell)"]}}
    found = planned(
        {SQUAT: "2*(3*100x5)", BENCH: "2*(3*80x5)"},
        pain={"left knee": "severe"},
        preferences=swap,
    )
    assert not found.working(SQUAT)
    assert "Not Leg Press (Machine) either: it loads the left knee, too." in found.text


def test_mild_pain_leaves_the_plan_and_is_named() -> None:
    history = "3*97.5x5, 3*100x5"
    found, plain = planned(history, pain={"knee": "mild"}), planned(history)
    assert (found.load(), found.reps()) == (plain.load(), plain.reps())
    assert "Mild pain (knee): train as planned, and stop if it gets worse." in found.text
    assert "No increase today" not in found.text


def test_light_days_before_a_meet_have_no_more_than_doubles() -> None:
    """The text had singles or doubles, and the plan sets of three and four."""
    date = (NOW.date() + timedelta(days=3)).isoformat()
    history = {
        SQUAT: "2*(5*140x3@8)",
        BENCH: "[4*100x4-6] 2*(4*100x5@8)",
        PULL_UP: "2*(3*x10)",
    }
    found = planned(history, goal={"date": date})
    for title in history:
        assert set(found.reps(title)) == {2}
    assert "2 instead of 3 reps" in found.text
    assert "Singles" not in found.text


def test_the_last_assistance_leaves_the_body_alone() -> None:
    """The plan had "0 kg of assistance"."""
    title = "Pull Up (Assisted)"
    found = planned("[3*5x6-8] 3*5x7, 3*5x8", title=title, body_weight_kg=75)
    assert (found.load(), found.reps()) == (0, [6, 6, 6])
    assert "3 × 6 (6-8) @ bw" in found.text
    assert "next step body weight alone" in found.why
    assert "0 kg of" not in found.why.replace("70 kg of", "")


def test_a_light_workout_of_another_place_does_not_become_the_plan() -> None:
    found = planned(", ".join([*["3*120x5"] * 4, "3*80x5"]))
    assert found.load() == 120
    assert "80 kg is far from your usual 120 kg, so it counts once you repeat it." in found.why


@pytest.mark.parametrize(
    ("title", "history", "doubted", "target"),
    [
        (BENCH, "3*80x5, 3*80x5, 3*82.5x5, 82.5x5 825x5 82.5x5", "825 kg × 5", (82.5, 5)),
        (BENCH, "3*80x5, 3*80x5, 3*82.5x5, 8.25x5 82.5x5 82.5x5", "8.25 kg × 5", (82.5, 5)),
        (BENCH, "3*80x5, 3*80x5, 3*82.5x5, 82.5x5 82.5x55 82.5x5", "82.5 kg × 55", (82.5, 5)),
        ("Plank", "3*55s, 3*60s, 3*60s, 60s 600s 60s", "600 s", (None, None)),
    ],
    ids=["ten times", "a tenth", "reps", "seconds"],
)
def test_a_mistyped_value_that_the_routine_took_over_is_no_target(
    title: str, history: str, doubted: str, target: tuple[float | None, int | None]
) -> None:
    """The plan was 85 kg x 55, or the other sets went up while one was in doubt."""
    found = planned(history, title=title)
    assert [(each.weight_kg, each.reps) for each in found.working()] == [target] * 3
    assert {each.duration_s for each in found.working()} == {60 if title == "Plank" else None}
    assert (
        f"{doubted} looks like a typing error and was ignored. "
        "No increase while a set is in doubt: repeat"
    ) in found.why
    assert "improved" not in found.why


def test_a_mistyped_distance_that_the_routine_took_over_is_no_target() -> None:
    """The second set was to be carried for 400 m."""
    found = planned("3*(2*32/40m), 32/40m 32/400m", title="Farmers Walk")
    assert [(each.weight_kg, each.distance_m) for each in found.working()] == [(32, 40)] * 2
    assert "400 m looks like a typing error" in found.why


@pytest.mark.parametrize("title", [BENCH, "Leg Press (Machine)"])
def test_pounds_typed_as_kilograms_in_each_set_are_doubted(title: str) -> None:
    """After three times 225 lb as kg the plan was 227.5 kg, and 102.5 kg were lifted before."""
    found = planned("3*97.5x5, 3*100x5, 3*102.5x5, 3*225x5", title=title)
    assert found.load() == 102.5
    assert "225 kg looks like a typing error" in found.text
    believed = planned("3*20x5, 3*20x5, 3*20x5, 3*40x5", title=title)
    assert believed.load() >= 40


def test_kilograms_typed_as_pounds_wait_for_a_second_time() -> None:
    """After three times 102.5 kg as pounds the plan was 107.5 lb, and 225 lb were lifted before."""
    usual = "3*215x5, 3*220x5, 3*225x5"
    found = planned(f"{usual}, 3*102.5x5", title=BENCH, unit="lb")
    assert found.load() == pytest.approx(225 * KILOGRAMS_PER_POUND)
    assert "102.5 lb is far from your usual 220 lb, so it counts once you repeat it." in found.text
    again = planned(f"{usual}, 3*102.5x5, 3*102.5x5", title=BENCH, unit="lb")
    assert again.load() < 120 * KILOGRAMS_PER_POUND


def test_targets_far_apart_that_were_done_as_planned_stay() -> None:
    found = planned("4*(100x3 40x25)", title=BENCH)
    assert found.reps() == [3, 25]


def test_pull_ups_with_a_plate_step_by_the_total() -> None:
    """5 % of 80 + 20 kg allow 5 kg, but a step is 2.5."""
    history = "[3*20x6-8] 3*20x7, 3*20x8"
    found = planned(history, title=f"{PULL_UP} (Weighted)", body_weight_kg=80)
    assert found.load() == 22.5


def test_two_failures_at_the_limit_reduce_and_two_with_reserve_repeat() -> None:
    limit = "[3*100x5] 3*97.5x5@9, 100x5@10 2*100x4@10, 100x5@10 2*100x4@10"
    reserve = "[3*100x5] 3*97.5x5@9, 100x5@9 2*100x4@9, 100x5@9 2*100x4@9"
    assert (planned(limit).load(), planned(reserve).load()) == (90, 100)


def test_fainting_in_the_profile_plans_nothing() -> None:
    with pytest.raises(AssertionError):
        planned("3*100x5, 3*100x5", pain={"fainted twice": "mild"})


@pytest.mark.parametrize(
    ("later", "load"), [("3*100x5@8", 105), ("102.5x3@9", 102.5), ("3*95x5@8", 95)]
)
def test_a_maximum_that_was_repeated_is_none(later: str, load: float) -> None:
    """After five repetitions with the "maximum" of a bad day it still limited the plan."""
    assert planned(f"[3*100x5] 3*95x5, 100x1@10, {later}").load() == load


CURL = "Bicep Curl (Dumbbell)"
ADDED = f"{PULL_UP} (Weighted)"


@pytest.mark.parametrize(
    ("title", "history", "gym", "loads", "reps"),
    [
        (CURL, "[3*14x8-12] 3*14x11, 3*14x12", {}, 14, [13, 12, 12]),
        (CURL, "[3*14x8-12] 3*14x12, 14x13 2*14x12", {}, 16, [8, 8, 8]),
        (CURL, "[3*14x8-12] 3*14x12@7, 3*14x12@7", {}, 16, [8, 8, 8]),
        (CURL, "[3*14x8-12] d12: 3*16x8, d8: 3*14x12, d4: 3*14x12", {}, 16, [8, 8, 8]),
        (CURL, "3*14x10, 3*14x10", {}, 14, [11, 10, 10]),
        ("Bench Press (Dumbbell)", "[3*24x8-12] 3*24x12, 3*24x12", {}, 26, [8, 8, 8]),
        ("Bench Press (Dumbbell)", "3*30x10, 3*30x10", {}, 30, [11, 10, 10]),
        (ADDED, "[3*20x5-6] 2*(3*20x6)", {"plate_pairs_kg": [10.0, 10.0]}, 20, [7, 6, 6]),
        (ADDED, "[3*x5-8] 2*(3*x8)", {"plate_pairs_kg": [10.0]}, None, [9, 8, 8]),
        (ADDED, "[3*x5-8] 2*(x10 2*x8)", {"plate_pairs_kg": [10.0]}, 10, [5, 5, 5]),
    ],
    ids=[
        *("range", "range, shown", "in reserve", "done before", "fixed"),
        *("within the range", "fixed, heavy", "added", "first plate", "first plate, shown"),
    ],
)
def test_loads_far_apart_need_more_repetitions_first(
    title: str, history: str, gym: dict[str, object], loads: float | None, reps: list[int]
) -> None:
    """A curl of 12 repetitions went from 14 to 16 kg, 14 % more."""
    found = planned(history, title=title, equipment=gym)
    assert (set(found.loads()), found.reps()) == ({loads}, reps)
    assert ("too big a step" in found.why) is (reps[0] > reps[1])


def test_a_carry_far_below_the_next_kettlebell_is_done_twice() -> None:
    once, twice = (
        planned(", ".join(["2*16/30m"] * times), title="Farmers Walk") for times in (1, 2)
    )
    assert (once.load(), twice.load()) == (16, 18)
    assert "18 kg is a big step, so once more first: repeat 16 kg." in once.why


@pytest.mark.parametrize(("held", "seconds"), [(4, 5), (10, 12), (18, 21), (25, 30), (60, 65)])
def test_a_short_hold_grows_in_small_steps(held: int, seconds: int) -> None:
    """A hold of 10 s became one of 15 s, half as much again."""
    found = planned(f"3*{held}s, 3*{held}s", title="L-Sit Hold")
    assert {each.duration_s for each in found.working()} == {seconds}
    assert f"reached the goal: {seconds - held} s more" in found.why


@pytest.mark.parametrize(
    ("top", "warmups"),
    [
        ("60x8-10", [20, 35, 50]),
        ("100x5", [20, 40, 60]),
        ("140x5", [20, 70, 100, 125]),
    ],
)
def test_warm_ups_stay_while_the_top_set_takes_a_step(top: str, warmups: list[float]) -> None:
    """Each warm-up rose by 0.5 kg or a small plate with each step of the top set."""
    ramp = " ".join(f"w{load:g}x5" for load in warmups)
    done = top.replace("8-10", "10")
    plates = [25.0, 20.0, 20.0, 10.0, 5.0, 2.5, 1.25, 1.0, 0.5, 0.25]
    found = planned(
        f"[{ramp} {top}] {ramp} {done}, {ramp} {done}",
        title=BENCH,
        equipment={"plate_pairs_kg": plates},
    )
    assert found.load() > float(top.split("x")[0])
    assert [each.weight_kg for each in found.slot().sets if each.set_type == "warmup"] == warmups


def test_warm_ups_follow_a_top_set_that_rises_for_months() -> None:
    ramp, top = [20.0, 40.0, 60.0, 80.0], 100.0
    for _ in range(20):
        text = " ".join(f"w{load:g}x5" for load in ramp) + f" 3*{top:g}x5"
        found = planned(f"{text}, {text}", title=BENCH)
        ramp = [each.weight_kg or 0 for each in found.slot().sets if each.set_type == "warmup"]
        top = found.load()
        assert ramp[0] == 20
        assert [load / top for load in ramp[1:]] == pytest.approx([0.4, 0.6, 0.8], abs=0.051)
        assert all(load % 5 == 0 for load in ramp)
    assert top >= 150


def test_warm_ups_follow_a_cut() -> None:
    ramp = "w20x10 w50x5 w70x3 w90x1"
    found = planned(f"{ramp} 3*100x5, {ramp} 3*100x5", days_off=120)
    warmups = [each.weight_kg or 0 for each in found.slot().sets if each.set_type == "warmup"]
    assert found.load() == 80
    assert warmups == [20, 40, 55, 70]


@pytest.mark.parametrize(
    ("title", "history", "given", "sets", "text"),
    [
        (SQUAT, "3*97.5x5, 3*100x5", {"days_off": 700}, [(57.5, 5)] * 2, "23 months off"),
        (
            CURL,
            "[3*12x8-12] 3*12x9, 3*12x10",
            {"days_off": 35},
            [(12, 8)] * 2,
            "8 instead of 10 reps, 2 sets instead of 3",
        ),
        (
            "Pull Up (Assisted)",
            "[3*20x6-8] 3*25x8, 3*20x8",
            {"days_off": 60, "body_weight_kg": 80},
            [(25, 6)] * 2,
            "25 kg of assistance instead of 20 kg of assistance",
        ),
        (
            "Pull Up (Assisted)",
            "[3*40x6-8] 3*40x7, 3*40x8",
            {"body_weight_kg": 80},
            [(35, 6)] * 3,
            "3 × 6 (6-8) @ 35 kg of assistance",
        ),
        (
            "Triceps Dip (Weighted)",
            "[3*20x6-8] 3*17.5x8, 20x6 20x5 20x4, 20x6 20x5 20x4",
            {"body_weight_kg": 80},
            [(12.5, 6)] * 3,
            "down to 12.5 kg. Bw+12.5 kg instead of bw+20 kg",
        ),
        (
            "Kettlebell Swing",
            "[3*24x10-15] 3*24x14, 3*24x15",
            {},
            [(24, 16), (24, 15), (24, 15)],
            "2 × 15 (10-15) @ 24 kg",
        ),
        (
            SQUAT,
            "3*97.5x5, 3*100x5",
            {"said": {"energy": 2}},
            [(100, 5)] * 2,
            "Low readiness in your check-in. 2 sets instead of 3.",
        ),
        (PULL_UP, "[3*x5-8] 3*x7@9, 3*x8@10", {}, [(None, 8)] * 3, "last 8, 8, 8 reps (RPE 10)"),
    ],
    ids=[
        *("a break of two years", "five weeks", "assistance after a break", "less assistance"),
        *("added load, failed", "wide kettlebells", "a low day", "at the limit"),
    ],
)
def test_new_situations_of_all_classes(
    title: str,
    history: str,
    given: dict[str, Any],
    sets: list[tuple[float | None, int]],
    text: str,
) -> None:
    found = planned(history, title=title, **given)
    assert [(each.weight_kg, each.reps) for each in found.working()] == sets
    assert text in found.text


def test_twenty_minutes_leave_the_main_lifts() -> None:
    history = {SQUAT: "2*(5*100x5)", BENCH: "2*(5*80x5)", CURL: "2*(3*12x12)"}
    found = planned(history, said={"minutes": 20})
    assert [len(found.working(title)) for title in history] == [3, 2, 0]
    assert "Shortened to fit 20 minutes." in found.text


@pytest.mark.parametrize(
    ("history", "least", "most"),
    [
        ("d19: 1*170x1@9, d15: 180x1@10", 155, 170),
        ("d40: 1*160x1@8, d33: 1*165x1@8, d15: 180x1@10", 155, 170),
        # The log shows singles: the same again.
        ("d27: 1*172.5x1@9, d23: 1*172.5x1@9, d19: 1*175x1@9, d15: 180x1@10", 180, 180),
        ("d19: [1*170x1] 170x1@9, d15: [1*180x1] 180x1@9.5", 180, 180),
        ("d20: 180x1@10, d10: 1*165x1@8, d3: 1*170x1@8", 172.5, 175),
    ],
    ids=["after a single", "after lighter ones", "singles", "planned", "trained since"],
)
def test_a_maximum_is_no_load_for_training_later_either(
    history: str, least: float, most: float
) -> None:
    """15 days after the test of a maximum it was planned as a single of the training."""
    found = planned(history)
    assert least <= found.load() <= most
    is_eased = most < 172.5
    assert ("tested a maximum of 180 kg, which is no load for training" in found.text) is is_eased
    if is_eased:
        assert f"{found.load():g} kg for 1 rep" in found.text


def test_two_routines_with_the_same_lift_progress_by_their_own_sets() -> None:
    """Routines that only differ by their title were one, which had the sets of the last day."""
    lifts = {
        "Heavy": {BENCH: "d14: 3*95x5, d10: 3*97.5x5, d4: 3*100x5"},
        "Light": {BENCH: "d12: 3*75x10, d8: 3*77.5x10, d2: 3*80x10"},
    }
    heavy, light = (planned(lifts, coach={"routines": [each]}) for each in lifts)
    assert (heavy.load(), heavy.reps()) == (102.5, [5, 5, 5])
    assert (light.load(), light.reps()) == (82.5, [10, 10, 10])
    assert "3 × 5 @ 102.5 kg" in heavy.text
    assert "3 × 10 @ 82.5 kg" in light.text


@pytest.mark.parametrize("before", ["2*(3*225x5)", "4*(3*225x5)"])
def test_kilograms_in_a_log_of_pounds_are_doubted_after_two_workouts(before: str) -> None:
    """After two workouts with 225 lb, 102 for kilograms were a new level: 107 lb."""
    found = planned(f"{before}, 3*102x5", title=BENCH, unit="lb")
    assert found.load() == pytest.approx(225 * KILOGRAMS_PER_POUND)
    assert "102 lb is far from your usual 225 lb, so it counts once you repeat it" in found.text


def test_hard_singles_with_the_body_alone_are_no_maximum_of_a_load() -> None:
    """Two weeks after a pull-up at RPE 9.5 there was no plan: it has no load to compare."""
    found = planned("d19: [1*x1] 1*x1@9, d15: [1*x1] 1*x1@9.5", title=PULL_UP)
    assert found.loads() == [None]
    assert "maximum" not in found.text


def test_warm_ups_leave_time_for_the_second_lift() -> None:
    """Each warm-up had the rest of a heavy set, so that 30 minutes had room for one exercise."""
    found = planned(
        {
            SQUAT: "3*(w20x8 w60x5 w80x3 3*100x5)",
            BENCH: "3*(w20x8 w40x5 w60x3 3*80x5)",
            "Bicep Curl (Dumbbell)": "3*(3*12x10)",
        },
        said={"minutes": 30},
    )
    assert [len(found.working(title)) for title in (SQUAT, BENCH)] == [3, 2]
    assert not found.working("Bicep Curl (Dumbbell)")


@pytest.mark.parametrize(
    ("title", "history", "goals"),
    [
        ("Plank", "[3*60s] 3*55s, 60s 600s 60s", [60, 60, 60]),
        (PULL_UP, "[3*x5-10] 3*x7, x8 x80 x8", [8, 8, 8]),
        (BENCH, "[3*60x5-10] 3*60x7, 60x8 60x80 60x8", [8, 8, 8]),
        (BENCH, "[3*60x5-10] 3*60x7, 60x9 60x80 60x8", [9, 8, 8]),
        (BENCH, "[3*60x5-10] 60x8 60x8 60x5, 60x8 60x8 60x80", [8, 8, 5]),
        ("Plank", "[3*60s] 60s 55s 30s, 60s 55s 600s", [60, 55, 30]),
    ],
)
def test_a_mistyped_set_is_repeated_within_the_other_sets(
    title: str, history: str, goals: list[int]
) -> None:
    """After planks of 60, 600 and 60 seconds the second was planned with 55."""
    found = planned(history, title=title)
    assert [each.reps or each.duration_s for each in found.working()] == goals
    assert "No increase while a set is in doubt: repeat" in found.text


@pytest.mark.parametrize("limit", [{"days_off": 30}, {"said": {"energy": 1}}])
def test_a_limited_heavy_day_is_named(limit: dict[str, Any]) -> None:
    """After 95 kg × 5 a plan of 112.5 kg went down from 125 kg, with no word of a heavy day."""
    days = "3*115x3, 3*92.5x5, 3*117.5x3, 3*92.5x5, 3*120x3, 3*95x5"
    found = planned(f"[3*120x3] {days}", every=3, **limit)
    assert "  Heavy day. " in found.text


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "up to 35 kg of assistance"),
        ("de", "rauf auf 35 kg Unterstützung"),
        ("es", "sube a 35 kg de ayuda"),
    ],
)
def test_an_easier_assisted_set_has_more_assistance(language: str, text: str) -> None:
    """After three misses it was "down to 35 kg of assistance", from 30 kg."""
    found = planned(
        "[3*30x8] 3*(30x7 30x6 30x5)",
        title="Pull Up (Assisted)",
        preferences={"language": language},
    )
    assert text in found.text


def test_one_repetition_is_singular() -> None:
    """The forecast of a single was "1 reps"."""
    found = planned("[140x1 3*110x5] 135x1@8 3*107.5x5@8, 140x1@9.5 3*110x5@8.5")
    assert "(1 rep)" in found.why
    assert "last 1 rep\n" in planned("[3*x1] 3*x1, x1", title=PULL_UP).text
