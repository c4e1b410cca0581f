"""Effects of restraints, and their descriptions."""

from typing import Any

import pytest

from coach_agent.domain.context import SlotContext
from coach_agent.domain.pain import Pain
from coach_agent.domain.plan import SlotPrescription
from coach_agent.engine.explain.plan_texts import short_reasons
from coach_agent.planning.decide import decide
from coach_agent.profile.model import AthleteProfile
from coach_agent.store.check_ins import CheckIn
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    PLANK,
    PULL_UP,
    Done,
    exposure,
    fixed,
    loads,
    profile,
    ranged,
    reps,
    routine,
    situation,
    slot,
    timed_exposure,
)

EASY = CheckIn(checked_in_at=NOW, deload=("all",))
TIRED = CheckIn(checked_in_at=NOW, energy=2)
EXHAUSTED = CheckIn(checked_in_at=NOW, energy=1)
SORE_CHEST = CheckIn(checked_in_at=NOW, pain=(Pain(part="chest", level="moderate"),))


def prescribed(
    context: SlotContext, said: CheckIn | None = None, athlete: AthleteProfile | None = None
) -> SlotPrescription:
    decision = decide(situation([routine(context)], latest_check_in=said), athlete or profile())
    assert decision is not None
    return decision.plan.slots[0]


def following(model: str, **rule: object) -> AthleteProfile:
    return profile(exercises={BENCH["exercise_title"]: {"model": model, **rule}})


def test_time_becomes_less_where_a_load_would() -> None:
    held = slot(PLANK, [{"duration_s": 60}] * 2, [timed_exposure([60, 60])])
    easy = prescribed(held, EASY)
    assert [each.duration_s for each in easy.sets] == [50]  # 54 s in steps of 5 s
    assert "50 s instead of 60 s, 1 set instead of 2." in short_reasons(easy, "kg")[0]


def test_only_what_came_of_it_is_told() -> None:
    """The empty bar gets no lighter, and of a single set none can go."""
    bar = fixed(1, 20, 5)
    low = prescribed(slot(BENCH, bar, [exposure([(20, 5)], bar, days_ago=2)]), EXHAUSTED)
    assert (loads(low), reps(low)) == ([20], [3])
    assert short_reasons(low, "kg") == (
        "Very low readiness in your check-in. 3 instead of 5 reps.",
    )


@pytest.mark.parametrize("athlete", [profile(), following("stages")], ids=["open", "stages"])
def test_no_set_is_open_while_something_holds_back(athlete: AthleteProfile) -> None:
    sets = [*fixed(4, 100, 3), *ranged(1, 100, 3, None)]
    press = slot(BENCH, sets, [exposure([(100, 3)] * 5, sets, days_ago=2)])
    free, held = prescribed(press, None, athlete), prescribed(press, SORE_CHEST, athlete)
    assert (free.sets[-1].rep_range_start, free.sets[-1].rep_range_end) == (3, None)
    assert held.sets[-1].reps == 3
    assert held.sets[-1].rep_range_end == (3 if held.sets[-1].rep_range_start else None)
    assert held.replaces_ranges


@pytest.mark.parametrize("said", [TIRED, EASY], ids=["tired", "deload"])
def test_a_wave_stays_whole(said: CheckIn) -> None:
    """Its last set is the one that counts: the others lead there."""
    sets = fixed(3, 80, 5)
    wave = slot(BENCH, sets, [exposure([(100, 5), (95, 5), (90, 5)], days_ago=2)])
    held = prescribed(wave, said, following("training_max"))
    assert (len(held.sets), reps(held)) == (3, [5, 5, 5])
    assert "sets instead" not in short_reasons(held, "kg")[0]


def test_a_lost_digit_is_no_level_on_a_day_without_increase() -> None:
    """8.5 instead of 85 is probably mistyped: a sore chest holds 85 kg, and not 8.5."""
    fives = fixed(3, 85, 5)
    past = [
        exposure([(8.5, 5)] * 3, fives, days_ago=2),
        *(exposure([(85, 5)] * 3, fives, days_ago=5 + 3 * at) for at in range(4)),
    ]
    press = slot(BENCH, fives, past)
    assert loads(prescribed(press)) == [85] * 3
    assert loads(prescribed(press, SORE_CHEST)) == [85] * 3


def test_so_light_twice_in_a_row_is_no_typing_error() -> None:
    fives = fixed(3, 85, 5)
    light = [exposure([(30, 5)] * 3, fives, days_ago=day) for day in (2, 5)]
    usual = [exposure([(85, 5)] * 3, fives, days_ago=8 + 3 * at) for at in range(4)]
    assert max(load or 0 for load in loads(prescribed(slot(BENCH, fives, [*light, *usual])))) < 40


def test_easy_days_in_a_row_do_not_make_each_other_easier() -> None:
    """The target is new, so the routine decides, and each day is a very tired one."""
    new = ranged(2, 50, 8, 12)
    easy = [
        exposure([(45, 8)] * 2, fixed(2, 45, 8), days_ago=day).model_copy(update={"is_easy": True})
        for day in (2, 5)
    ]
    worked = exposure([(50, 5)] * 3, fixed(3, 50, 5), days_ago=8)
    assert loads(prescribed(slot(BENCH, new, [*easy, worked]), EXHAUSTED)) == [45]


def test_a_light_start_after_a_long_break_is_no_typing_error() -> None:
    usual = [exposure([(70, 5)] * 3, fixed(3, 70, 5), days_ago=92 + 3 * at) for at in range(5)]
    press = slot(BENCH, fixed(3, 70, 5), [exposure([(25, 5)] * 3, days_ago=2), *usual])
    again = prescribed(press)
    assert "suspected_typo" not in again.reason_codes
    assert max(load or 0 for load in loads(again)) < 50


def test_after_a_break_and_an_easy_week_the_old_load_comes_before_more() -> None:
    fives = fixed(3, 100, 5)
    easy = exposure([(92.5, 5)] * 2, fixed(2, 92.5, 5), days_ago=3)
    old = exposure([(100, 5)] * 3, fives, days_ago=40)
    past = [easy.model_copy(update={"is_easy": True}), old]
    again = prescribed(slot(BENCH, fives, past))
    assert loads(again) == [100] * 3
    assert "too_soon" in again.reason_codes


@pytest.mark.parametrize("exercise_type", ["reps_only", "bodyweight_weighted"])
@pytest.mark.parametrize("said", [TIRED, EXHAUSTED, SORE_CHEST, EASY])
def test_held_back_the_body_alone_gets_no_load_back(said: CheckIn, exercise_type: str) -> None:
    """Some of five pull-ups once had 5 kg; the fourth was done without, like the routine."""
    pull_up = {**PULL_UP, "exercise_type": exercise_type, "primary_muscle_group": "chest"}
    planned = [*fixed(1, None, 8), *fixed(1, 5, 6), *fixed(1, 5, 5), *fixed(1, None, 6)]
    planned = [{**each, "set_index": at} for at, each in enumerate(planned)]
    latest = exposure([(None, 8), (5, 6), (5, 5), (None, 6)], planned, days_ago=3)
    before = exposure([(None, 8), (None, 8), (5, 6), (5, 6)], planned, days_ago=6)
    found = prescribed(slot(pull_up, planned, [latest, before]), said)
    assert all(
        (each.weight_kg or 0) <= (was["weight_kg"] or 0)
        for each, was in zip(found.sets, planned, strict=False)
    )


@pytest.mark.parametrize("said", [TIRED, EXHAUSTED, SORE_CHEST, EASY])
def test_held_back_a_set_without_a_noted_load_gets_no_more_than_the_others_had(
    said: CheckIn,
) -> None:
    """The first set had 30 kg a week ago; the last time the others had 20 kg and it none."""
    latest = exposure([(None, 8), (20, 8), (20, 8), (20, 8)], days_ago=3)
    before = exposure([(30, 8), (20, 8), (20, 8), (20, 8)], days_ago=7)
    planned = [*fixed(1, None, 8), *fixed(3, 20, 8)]
    context = slot(BENCH, planned, [latest, before])
    found = prescribed(context, said)
    assert all((each.weight_kg or 0) <= 20 for each in found.sets)


@pytest.mark.parametrize("said", [TIRED, EXHAUSTED, SORE_CHEST, EASY])
@pytest.mark.parametrize(
    "latest", [[(67.5, None)], [(67.5, None), (70, 8)], [(None, None), (67.5, 8)]]
)
def test_held_back_a_set_without_noted_repetitions_gets_no_more_than_it_had(
    said: CheckIn, latest: list[Done]
) -> None:
    """The only repetitions were noted with 72.5 kg, ten days before."""
    sets = [{"weight_kg": kg, "reps": done} for kg, done in latest]
    history = [exposure(latest, days_ago=3), exposure([(72.5, 5)], days_ago=13)]
    found = prescribed(slot(BENCH, sets, history), said)
    assert (found.sets[0].weight_kg or 0) <= 67.5


def test_a_set_of_an_exercise_of_ones_own_gets_no_load_back_that_was_left() -> None:
    """It is unknown whether the exercise works without a load, so it is accepted."""
    own = {**PULL_UP, "exercise_type": None, "exercise_title": "Ring Dips"}
    planned = [*fixed(1, None, 8), *fixed(1, 5, 8)]
    past = [
        exposure([(None, 8), (5, 8)], days_ago=3),
        exposure([(5, 8), (5, 8)], days_ago=7),
    ]
    for said in (None, TIRED):
        found = prescribed(slot(own, planned, past), said)
        assert found.sets[0].weight_kg is None


def test_no_kept_load_is_above_what_was_lifted_on_a_day_without_increase() -> None:
    """The target is new, so the routine decides; 110 kg was tried, and not lifted once."""
    threes = fixed(2, 95, 3)
    tried = exposure([(95, 3), (110, 0)], threes, days_ago=2)
    assert loads(prescribed(slot(BENCH, fixed(2, 105, 5), [tried]), TIRED)) == [95]


def test_the_last_workout_with_a_lifted_load_limits_kept_sets() -> None:
    threes = fixed(2, 95, 3)
    failed = exposure([(110, 0), (110, 0)], threes, days_ago=2)
    lifted = exposure([(95, 3)] * 2, threes, days_ago=5)
    assert loads(prescribed(slot(BENCH, fixed(2, 105, 5), [failed, lifted]), TIRED)) == [95]


def test_kept_sets_of_several_loads_pass_on_a_day_without_increase() -> None:
    """One load was planned for a set with another target: together the sets have no history."""
    new = [*ranged(1, 57.5, 5, None), *ranged(3, 20, 5, None)]
    then = [*ranged(3, 20, 5, None), *ranged(1, 60, 10, None)]
    done = exposure([(20, 4), (60, 8)], then, days_ago=2, skipped=[1, 2])
    assert loads(prescribed(slot(BENCH, new, [done]), EASY)) == [52.5, 20]


@pytest.mark.parametrize(
    ("sets", "last", "expected"),
    [
        pytest.param(fixed(1, 15, 1), [(15, 1)], [(12.5, 1)], id="a single"),
        pytest.param(ranged(1, 15, 8, 12), [(15, 8)], [(12.5, 8)], id="the low end of a range"),
        pytest.param(ranged(1, 15, 8, 12), [(15, 10)], [(15, 8)], id="within a range"),
        pytest.param(fixed(1, 15, 5), [(15, 5)], [(15, 3)], id="fixed repetitions"),
    ],
)
def test_a_break_takes_a_load_off_where_it_can_take_no_repetition(
    sets: list[dict[str, Any]], last: list[Done], expected: list[tuple[float, int]]
) -> None:
    """4 weeks off take 5 %: of 15 kg less than half of a step between the dumbbells."""
    athlete = profile(equipment={"dumbbells_kg": [10, 12.5, 15, 17.5]})
    back = prescribed(slot(CURL, sets, [exposure(last, sets, days_ago=30)]), None, athlete)
    assert list(zip(loads(back), reps(back), strict=True)) == expected


def test_no_far_dumbbell_follows_a_break() -> None:
    athlete = profile(equipment={"dumbbells_kg": [5, 8, 15]})
    single = fixed(1, 15, 1)
    back = prescribed(slot(CURL, single, [exposure([(15, 1)], single, days_ago=30)]), None, athlete)
    assert loads(back) == [15]
