"""Plans in the weeks of a followed programme; a coach wrote the situations down first.

The block has four weeks with 3, 2, 2 and 1 repetitions in reserve and an easy fifth one.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_agent.domain.block import (
    BlockCalendar,
    BlockDay,
    BlockDemand,
    BlockExercise,
    FollowedProgramme,
    Phase,
)
from coach_agent.domain.constants.loads import LOAD_TOLERANCE
from coach_agent.domain.context import LiftTrend, TrainedRoutine
from coach_agent.domain.values import canonical_json
from coach_agent.engine.engine import EngineInput, prescribe
from coach_agent.engine.history.attempts import WORKING_TYPES
from coach_agent.engine.loads.increments import ASSISTED
from coach_agent.planning.block_week import block_place, block_week, due_sessions
from coach_agent.planning.decide import decide
from coach_agent.profile.model import AthleteProfile
from coach_agent.situation.baseline import restore_routine
from coach_agent.situation.situation import MuscleWeek, Situation
from tests.coach.planning.test_situations_limits import meet_in
from tests.coach.random_training import athletes, situations
from tests.coach.situations import BENCH, NOW, PULL_UP, SQUAT, Planned, planned, situation_of
from tests.profiles import examples

ROUTINE = "routine-000"
BLOCK: tuple[Phase | None, ...] = (*["accumulate"] * 3, "intensify", "deload")  # type: ignore[list-item]
RESERVE = (3, 2, 2, 1, None)
WEEKLY = "[4*100x6-10] d31:4*100x8, d24:4*100x8, d17:4*100x9, d10:4*100x9, d3:4*100x9"
"""A session in each of the last five weeks."""


OVER = (
    "Block is done, all 5 weeks of it. Plans go on without it. Build the next block: "
    "spotter program new. Or do this one again: spotter program use mine"
)


def following(
    days: int,
    *,
    sets: Sequence[int | None] = (4, 4, 4, 4, 2),
    base: int = 4,
    phases: Sequence[Phase | None] = BLOCK,
    reserve: Sequence[float | None] = RESERVE,
    titles: Sequence[str] = (SQUAT,),
    cycle_from: int | None = None,
) -> FollowedProgramme:
    """Return a programme that began so many days ago."""
    exercises = tuple(
        BlockExercise(
            exercise_title=title,
            occurrence=1,
            base=base,
            sets=tuple(sets),
            reserve=tuple(reserve),
        )
        for title in titles
    )
    return FollowedProgramme(
        programme_id="prog_1",
        name="mine",
        start=NOW.date() - timedelta(days=days),
        calendar=BlockCalendar(
            title="Block",
            phases=tuple(phases),
            cycle_from=cycle_from,
            days=(BlockDay(title="A", routine_id=ROUTINE, exercises=exercises),),
        ),
    )


def week(days: int, history: str | dict[str, Any] = WEEKLY, **given: Any) -> Planned:
    """Return the plan on a day of the block; other arguments are those of `planned`."""
    own = ("sets", "base", "phases", "reserve", "titles", "cycle_from")
    programme = following(days, **{name: given.pop(name) for name in own if name in given})
    known = {"programme": programme, **given.pop("known", {})}
    return planned(history, known=known, **given)


def test_a_novice_in_week_1_takes_the_step_that_keeps_the_reserve() -> None:
    """5 at RPE 8 leave 2 and one unnoticed: 5 kg more would be a rep too hard, 2.5 kg are not."""
    found = week(2, "3*95x5@7, 3*100x5@8", base=3, sets=(3, 3, 3, 3, 2))
    assert (found.loads(), found.reps()) == ([102.5] * 3, [5] * 3)
    assert found.slot().rpe_cap == 7
    assert "Week 1 of 5: build-up week, leave 3 reps in the tank on each set." in found.text
    assert "This week keeps 3 reps in the tank: 102.5 kg × 5." in found.why


def test_half_a_repetition_in_reserve_is_between_two() -> None:
    """RPE 8.5 leaves 1.5, which was told as 2, then as 1.5."""
    found = week(2, "3*100x5@7", base=3, sets=(3, 3, 3, 3, 2), reserve=(1.5, 2, 2, 1, None))
    assert found.slot().rpe_cap == 8.5
    assert "leave 1 to 2 reps in the tank on each set." in found.text


def test_a_lifter_without_ratings_progresses_as_ever() -> None:
    """Nobody knows the reserve of an unrated set, so only the sentence is new."""
    ordinary = planned(WEEKLY)
    found = week(24)
    assert (found.loads(), found.reps()) == (ordinary.loads(), ordinary.reps())
    assert found.slot().reason == ordinary.slot().reason
    assert found.slot().rpe_cap is None


def test_a_single_rating_does_not_decide_alone() -> None:
    """RPE 7, 7 and 10 leave 4, 4 and 0 with the unnoticed ones, 2.7 in the mean: 9 repetitions fit.

    The last set had to lose one by its own rating.
    """
    done = "[3*100x6-10] 3*100x8@8, 100x8@7 100x8@7 100x8@10"
    found = week(10, done, base=3, sets=(3, 3, 3, 3, 2))
    assert (found.loads(), found.reps()) == ([100] * 3, [9, 8, 8])


def test_sets_that_leave_more_than_the_week_wants_get_more_repetitions() -> None:
    """6 at RPE 5.5 leave 5 with the unnoticed one, 3 more than the week: 9. It took four weeks."""
    done = "[3*100x6-12] d10:3*100x6@6, d3:3*100x6@6"
    found = week(10, done, base=3, sets=(3, 3, 3, 3, 2))
    assert (found.loads(), found.reps()) == ([100] * 3, [9] * 3)
    assert "This week keeps 2 reps in the tank: 100 kg × 9." in found.why
    assert min(planned(done).reps()) < 9


def test_a_set_that_was_harder_than_planned_is_eased() -> None:
    """8 at RPE 9.5 are 9 to failure, so 3 in reserve and a rep of progress make 7."""
    found = week(2, "[3*100x6-10] 3*100x8@8, 3*100x8@9.5", base=3, sets=(3, 3, 3, 3, 2))
    assert (found.loads(), found.reps()) == ([100] * 3, [7] * 3)
    assert "7 instead of 8 reps" in found.text


def test_a_rated_set_has_more_in_reserve_than_stated() -> None:
    """8 at RPE 9 are rated 1 too hard, so 10 to failure: 3 in reserve and progress make 8 again.

    Without it raters trained at 3.5 in reserve in weeks of 2.
    """
    found = week(2, "[3*100x6-10] 3*100x8@8, 3*100x8@9", base=3, sets=(3, 3, 3, 3, 2))
    assert (found.loads(), found.reps()) == ([100] * 3, [8] * 3)


def test_a_load_without_room_for_the_reserve_drops_by_ten_percent_at_most() -> None:
    """6 at RPE 10 cannot become 6 with 3 in reserve; the range has no fewer, so 90 kg."""
    found = week(2, "[3*100x6-10] 3*100x6@9.5, 3*100x6@10", base=3, sets=(3, 3, 3, 3, 2))
    assert found.reps() == [6] * 3
    assert found.load() == pytest.approx(92.5, abs=2.5)


def test_body_weight_sets_keep_the_reserve_too() -> None:
    """8 at RPE 9.5 are 9 to failure, as with a load."""
    found = week(
        2, "[3*x5-10] 3*x8@8, 3*x8@9.5", title=PULL_UP, titles=(PULL_UP,), base=3, sets=(3,) * 5
    )
    assert found.reps() == [7] * 3


def test_the_easy_week_halves_sets_and_leaves_three_repetitions() -> None:
    """It took 10 % off, whatever that left. 9 unrated repetitions left 2, so 6 of them leave 5."""
    found = week(31)
    assert (found.plan.deload, found.loads(), found.reps()) == ("block", [100] * 2, [6] * 2)
    assert found.slot().is_easy
    assert "Week 5 of 5: easy week: 2 sets each." in found.text
    assert "Easy week of your programme. Leave 3 reps in the tank on each set." in found.text


@pytest.mark.parametrize(
    ("done", "load"),
    [
        *(("4*100x5", 92.5), ("4*100x6", 97.5), ("4*100x7", 100), ("4*100x8", 100)),
        *(("4*100x6@10", 92.5), ("4*100x7@10", 95), ("4*100x6@8", 97.5), ("4*100x10@9", 100)),
    ],
)
def test_an_easy_week_is_lighter_as_far_as_its_reserve_needs(done: str, load: float) -> None:
    """6 repetitions leave 3 with 77 % of the maximum, but at least 90 % of the last load.

    100 kg x 6 with 2 left are 126.7 kg, so 97.5 kg.
    """
    history = ", ".join(f"d{day}:{done}" for day in (31, 24, 17, 10, 3))
    found = week(31, f"[4*100x6-10] {history}")
    assert (found.loads(), found.reps()) == ([load] * 2, [6] * 2)


def test_a_deload_that_the_athlete_asks_for_is_stricter_than_an_easy_week() -> None:
    found = week(31, said={"deload": (SQUAT,)})
    assert (found.load(), len(found.working())) == (90, 2)
    assert "Leave 4 reps in the tank" in found.text


def test_the_week_after_the_easy_one_starts_from_the_work_before_it() -> None:
    """The easy sets are no step back: 100 kg again, in the first week of the next round."""
    done = "d36:4*100x8, d29:4*100x8, d22:4*100x9, d15:4*100x9"
    situation, profile = situation_of(f"[4*100x6-10] {done}, d8:2*90x6")
    [routine] = situation.routines
    [slot] = routine.slots
    eased = slot.exposures[0].model_copy(update={"is_easy": True})
    slots = (slot.model_copy(update={"exposures": (eased, *slot.exposures[1:])}),)
    situation = situation.model_copy(
        update={
            "routines": (routine.model_copy(update={"slots": slots}),),
            "programme": following(36, cycle_from=0),
            "last_deload": NOW.date() - timedelta(days=8),
        }
    )
    decision = decide(situation, profile)
    assert decision is not None
    found = Planned(situation, profile, decision)
    assert found.plan.block is not None
    assert (found.plan.block.week, found.plan.deload, found.load()) == (1, None, 100)


def test_a_deload_that_began_late_ends_with_its_week() -> None:
    """The easy session was on the last day of its week; a reactive deload would run on."""
    eased = {"last_deload": NOW.date() - timedelta(days=2)}
    history = "[4*100x6-10] d34:4*100x8, d27:4*100x8, d20:4*100x9, d13:4*100x9, d2:4*100x9"
    found = week(36, history, cycle_from=0, known=eased)
    assert (found.plan.block and found.plan.block.week, found.plan.deload) == (1, None)
    assert planned(history, known=eased).plan.deload == "running"


def test_an_easy_workout_trained_late_begins_no_deload() -> None:
    """The routine still had the easy workout on Monday: the whole next week was easy, too."""
    late = {"last_deload": NOW.date() - timedelta(days=5)}
    history = "[4*100x6-10] d40:4*100x8, d33:4*100x8, d26:4*100x9, d19:4*100x9, d5:4*100x9"
    found = week(42, history, cycle_from=0, known=late)
    assert (found.plan.block and found.plan.block.week, found.plan.deload) == (2, None)


def test_a_programme_begun_again_starts_without_the_deload_of_the_last_one() -> None:
    eased = {"last_deload": NOW.date() - timedelta(days=3)}
    assert week(1, known=eased).plan.deload is None


def test_stalled_lifts_wait_for_the_easy_week_of_the_programme() -> None:
    """A deload in week 3 came beside that of week 5: more than a quarter of all sessions."""
    miss = "[3*100x5] 100x5 100x5 100x4"
    history = ", ".join(f"d{day}:{miss}" for day in (30, 26, 23, 19, 16, 12, 9, 5, 2))
    lifts = {title: f"[3*100x5] {history}" for title in (SQUAT, BENCH)}
    situation, profile = situation_of(lifts)
    trend = LiftTrend(verdict="stalled", exposure_count=9, slope_pct=0.0, false_alarm_rate=0.05)
    [routine] = situation.routines
    slots = tuple(each.model_copy(update={"trend": trend}) for each in routine.slots)
    routines = (routine.model_copy(update={"slots": slots}),)
    situation = situation.model_copy(update={"routines": routines})
    programme = following(16, titles=(SQUAT, BENCH))
    plans = [
        decide(situation.model_copy(update={"programme": each}), profile)
        for each in (None, programme)
    ]
    assert [each and each.plan.deload for each in plans] == ["stalls", None]


@pytest.mark.parametrize(
    ("done", "reps", "more"),
    [
        ("3*20x10", [12, 12, 12], "two more on sets 1, 2 and 3"),
        ("20x12 20x12 20x11", [13, 12, 12], "one more on set 1"),
    ],
)
def test_all_sets_grow_where_the_next_load_is_far(done: str, reps: list[int], more: str) -> None:
    """One set grew by a repetition each time, and the others stayed easy for months."""
    history = f"[3*20x6-10] d17:3*20x9, d10:3*20x10, d3:{done}"
    gym = {"equipment": {"dumbbells_kg": (10.0, 20.0, 30.0)}}
    title = "Bicep Curl (Dumbbell)"
    found = week(16, history, title=title, titles=(title,), base=3, sets=(3,) * 4 + (2,), **gym)
    assert (found.loads(title), found.reps(title)) == ([20] * 3, reps)
    assert more in found.why
    assert planned(history, title=title, **gym).reps(title)[1:] == [10, 10]


def test_a_week_off_comes_again_and_moves_the_easy_week() -> None:
    """Week 4 was missed: it is trained now, and the easy week comes after it."""
    found = week(31, "[4*100x6-10] d31:4*100x8, d24:4*100x8, d17:4*100x9")
    assert found.plan.block is not None
    assert (found.plan.block.week, found.plan.deload) == (4, None)


def test_a_missed_easy_week_is_over() -> None:
    """Rest is what it is for."""
    history = "[4*100x6-10] d38:4*100x8, d31:4*100x8, d24:4*100x9, d17:4*100x9"
    found = week(44, history, cycle_from=0)
    assert found.plan.block is not None
    assert (found.plan.block.week, found.plan.deload) == (1, None)


def test_no_week_waits_before_an_event() -> None:
    event = meet_in(40)
    history = "[4*100x6-10] d31:4*100x8, d24:4*100x8"
    known = {"programme": following(31)}
    assert planned(history, known=known, **event).plan.deload == "block"
    assert planned(history, known=known).plan.deload is None


def test_illness_in_the_easy_week_is_not_cut_twice() -> None:
    """Very low readiness takes more off than the easy week: the lower load, not the product."""
    tired = planned(WEEKLY, said={"energy": 1})
    found = week(31, said={"energy": 1})
    assert found.load() == min(tired.load(), 90)
    assert len(found.working()) == 2


def test_illness_in_a_hard_week_adds_no_sets() -> None:
    grown = {"sets": (4, 4, 4, 5, 2)}
    assert len(week(24, **grown).working()) == 5
    assert len(week(24, **grown, said={"energy": 1}).working()) == 3


def test_a_reset_stays_a_reset_in_a_build_up_week() -> None:
    """Three misses: 10 % less, whatever the week wants; its reserve is easily met."""
    found = week(
        *(2, "3*95x5, 3*100x5, 3*(100x5 100x4 100x3)"),
        base=3,
        sets=(3, 3, 3, 3, 2),
        reserve=(3,) * 5,
    )
    ordinary = planned("3*95x5, 3*100x5, 3*(100x5 100x4 100x3)")
    assert (found.loads(), found.reps()) == (ordinary.loads(), ordinary.reps())


@pytest.mark.parametrize("days", [31, 24])
def test_the_taper_of_a_meet_comes_before_the_block(days: int) -> None:
    """No second cut in the easy week, and no added set in the hard one."""
    taper = planned(WEEKLY, **meet_in(12))
    found = week(days, sets=(4, 4, 4, 5, 2), **meet_in(12))
    assert found.loads() == taper.loads()[: len(found.loads())]
    assert (found.plan.deload, len(found.working()) <= len(taper.working())) == (None, True)
    assert "of 5 of Block." in found.text


def test_pain_holds_one_exercise_and_the_week_goes_on() -> None:
    lifts = {SQUAT: WEEKLY, BENCH: WEEKLY}
    sore = {"pain": ({"part": "shoulder", "level": "moderate"},)}
    found = week(24, lifts, titles=(SQUAT, BENCH), sets=(4, 4, 4, 5, 2), said=sore)
    assert len(found.working(SQUAT)) == 5
    assert len(found.working(BENCH)) == 4
    assert found.reps(BENCH) == [9] * 4


def test_fewer_sets_of_a_week_do_not_stop_progress() -> None:
    """A peak week has less work and no less load."""
    ordinary = planned(WEEKLY)
    found = week(24, sets=(4, 4, 4, 2, 2), phases=(*BLOCK[:3], "peak", "deload"))
    assert len(found.working()) == 2
    assert found.load() == ordinary.load()
    assert found.slot().direction == "up"
    assert "2 sets in week 4 of your programme, your routine has 4." in found.text
    assert "Week 4 of 5: peak week" in found.text


def test_an_exercise_that_a_week_leaves_out_is_left_out() -> None:
    lifts = {SQUAT: WEEKLY, BENCH: WEEKLY}
    found = week(24, lifts, titles=(BENCH,), sets=(4, 4, 4, 0, 2))
    assert found.slot(BENCH).is_left_out
    assert found.text.count("Left out in week 4 of your programme.") == 1
    assert len(found.working(SQUAT)) == 4


def test_a_short_day_is_cut_after_the_sets_of_the_week() -> None:
    found = week(24, sets=(4, 4, 4, 5, 2), session_minutes=15)
    rules = [each.rule for each in found.slot().adjustments]
    assert (rules, len(found.working()) < 5) == (["block_sets", "time_cap"], True)


def test_added_sets_stay_within_the_limit_of_the_week() -> None:
    """12 sets in the fullest week allow 13.2: with 8 this week one of two sets more."""
    monday = NOW.date() - timedelta(days=NOW.weekday())
    sets = {"muscle_group": "quadriceps"}
    known = {
        "weekly_sets": (
            MuscleWeek(**sets, week_start=monday - timedelta(weeks=1), sets=12),
            MuscleWeek(**sets, week_start=monday, sets=8),
        )
    }
    limits = {"limits": {"weekly_volume_pct": 10}}
    found = week(24, sets=(4, 4, 4, 6, 2), known=known, **limits)
    assert len(found.working()) == 5
    full = {
        **known,
        "weekly_sets": (*known["weekly_sets"][:1], MuscleWeek(**sets, week_start=monday, sets=9.5)),
    }
    assert len(week(24, sets=(4, 4, 4, 6, 2), known=full, **limits).working()) == 4


def test_a_scheme_and_an_open_set_keep_their_sets() -> None:
    given = {"sets": (3, 3, 3, 4, 3), "base": 3}
    wave = {"exercises": {SQUAT: {"model": "training_max"}}}
    history = "[80x5 90x5 100x5+] d24:80x5 90x5 100x7, d17:80x5 90x5 100x7, d10:80x5 90x5 100x7"
    assert len(week(24, history, **given, **wave).working()) == 3
    assert len(week(24, history, **given).working()) == 3


def test_other_routines_and_exercises_are_left_alone() -> None:
    lifts = {SQUAT: WEEKLY, BENCH: WEEKLY}
    found = week(24, lifts, titles=(SQUAT,), sets=(4, 4, 4, 5, 2))
    assert len(found.working(BENCH)) == 4
    own = following(31).model_copy(
        update={
            "calendar": following(31).calendar.model_copy(
                update={"days": (BlockDay(title="A", routine_id="routine-999", exercises=()),)}
            )
        }
    )
    found = planned(WEEKLY, known={"programme": own})
    assert (found.plan.block, found.plan.deload) == (None, None)


@pytest.mark.parametrize(("days", "says"), [(35, True), (48, True), (49, False)])
def test_after_the_last_week_plans_go_on_without_the_block(days: int, *, says: bool) -> None:
    first = f"d{days}:"
    weeks = "".join(f", d{days - 7 * number}:4*100x8" for number in range(1, 4))
    history = f"[4*100x6-10] {first}4*100x8{weeks}, d2:4*100x9"
    found, ordinary = week(days, history), planned(history)
    texts = [each.text for each in found.plan.advice if each.rule == "block_over"]
    assert texts == [OVER] * says
    assert found.plan.model_copy(update={"advice": ordinary.plan.advice}) == ordinary.plan


def test_nothing_changes_before_the_start() -> None:
    assert week(-3).plan == planned(WEEKLY).plan


def test_no_deload_means_none() -> None:
    assert week(31, deload={"mode": "never"}).plan.deload is None


def test_the_programme_replaces_the_easy_weeks_of_the_calendar() -> None:
    """A block from the profile would have its easy week now, the programme has week 2."""
    monday = NOW.date() - timedelta(weeks=4)
    calendar = {"block_start": monday, "deload": {"mode": "calendar", "every_weeks": 5}}
    assert planned(WEEKLY, **calendar).plan.deload == "calendar"
    assert week(10, **calendar).plan.deload is None


def test_without_a_programme_not_a_byte_is_new() -> None:
    situation, profile = situation_of(WEEKLY)
    decision = decide(situation, profile)
    assert decision is not None
    for text in (decision.input_json, decision.output_json, situation.model_dump_json()):
        assert not any(f'"{name}"' in text for name in ("block", "reserve", "programme"))


def test_a_plan_of_a_block_is_replayed_from_its_input() -> None:
    found = week(24, sets=(4, 4, 4, 5, 2))
    engine_input = EngineInput.model_validate_json(found.decision.input_json)
    assert prescribe(engine_input).to_json().decode() == found.decision.output_json
    assert canonical_json(engine_input).decode() == found.decision.input_json


def test_a_published_week_is_decided_again() -> None:
    """The routine in Hevy has the sets of the week; its own number comes back for the next one."""
    found = week(24, sets=(4, 4, 4, 5, 2))
    [routine] = found.situation.routines
    [slot] = routine.slots
    written = slot.model_copy(update={"planned_sets": found.slot().sets})
    there = restore_routine(routine.model_copy(update={"slots": (written,)}), [found.plan])
    assert len(there.slots[0].planned_sets) == 4
    again = decide(found.situation.model_copy(update={"routines": (there,)}), found.profile)
    assert again is not None
    assert again.plan_id == found.decision.plan_id


START = date(2026, 1, 5)


@pytest.mark.parametrize(
    ("day", "trained", "may_wait", "expected"),
    [
        (0, (), True, (0, False)),
        (6, (), True, (0, False)),
        (7, (0,), True, (1, False)),
        (7, (), True, (0, False)),
        (7, (), False, (1, False)),
        (20, (0, 15), True, (1, False)),
        (21, (0, 15), True, (2, False)),
        (28, (0, 7, 14), True, (3, False)),
        (28, (0, 7, 14, 21), True, (4, False)),
        (35, (0, 7, 14, 21), True, (5, True)),
        (200, (0, 7, 14, 21), True, (5, True)),
    ],
)
def test_weeks_count_from_the_start_without_those_off(
    day: int, trained: tuple[int, ...], expected: tuple[int, bool], *, may_wait: bool
) -> None:
    programme = following(0).model_copy(update={"start": START})
    days = {START + timedelta(days=each) for each in trained}
    found = block_place(programme, START + timedelta(days=day), days, may_wait=may_wait)
    assert found is not None
    assert (found.week, found.is_over) == expected


def test_demands_follow_the_athlete_s_edits() -> None:
    """An own set more stays: the week changes the routine's number, it does not replace it."""
    known = {"programme": following(24, base=3, sets=(3, 3, 3, 4, 2))}
    situation, profile = situation_of(WEEKLY)
    situation = situation.model_copy(update=known)
    found = block_week(situation, profile, situation.routines[0])
    assert found is not None
    assert found.demands == (BlockDemand(exercise_title=SQUAT, occurrence=1, change=1, reserve=1),)


@st.composite
def programmes(draw: st.DrawFn, situation: Situation) -> FollowedProgramme:
    """A programme of all routines of a situation, in any of its weeks."""
    weeks = draw(st.integers(1, 5))
    of_weeks = {"min_size": weeks, "max_size": weeks}
    phase = st.sampled_from([None, "accumulate", "peak", "deload"])
    days = []
    for routine in situation.routines:
        exercises = [
            BlockExercise(
                exercise_title=slot.exercise_title,
                occurrence=slot.occurrence,
                base=draw(st.integers(1, 4)),
                sets=tuple(draw(st.lists(st.none() | st.integers(0, 6), **of_weeks))),
                reserve=tuple(draw(st.lists(st.none() | st.integers(0, 5), **of_weeks))),
            )
            for slot in routine.slots
        ]
        day = BlockDay(
            title=routine.title, routine_id=routine.routine_id, exercises=tuple(exercises)
        )
        days.append(day)
    return FollowedProgramme(
        programme_id="prog_1",
        name="mine",
        start=situation.today - timedelta(days=draw(st.integers(-3, 50))),
        calendar=BlockCalendar(
            title="Block",
            phases=tuple(draw(st.lists(phase, **of_weeks))),
            cycle_from=draw(st.none() | st.integers(0, weeks - 1)),
            days=tuple(days),
        ),
    )


@examples(200, quick=50)
@given(st.data(), situations(), athletes())
def test_a_week_keeps_every_guardrail_and_adds_no_load(
    data: st.DataObject, situation: Situation, athlete: AthleteProfile
) -> None:
    """`decide` raises where a guardrail is broken. Sets may be more, loads only less."""
    [routine] = situation.routines
    weekly = tuple(
        TrainedRoutine(routine_id=routine.routine_id, started_at=NOW - timedelta(weeks=ago))
        for ago in range(8, 0, -1)
    )
    situation = situation.model_copy(update={"trained": weekly})
    programme = data.draw(programmes(situation))
    ordinary = decide(situation, athlete)
    found = decide(situation.model_copy(update={"programme": programme}), athlete)
    if ordinary is None or found is None:
        return
    again = prescribe(EngineInput.model_validate_json(found.input_json))
    assert again.to_json().decode() == found.output_json
    if ordinary.plan.deload is not None and found.plan.deload is None:
        return  # the programme's easy weeks replace those of the calendar
    for slot, before in zip(found.plan.slots, ordinary.plan.slots, strict=True):
        if slot.exercise_type == ASSISTED:
            continue
        whole = {each.set_index: each.weight_kg or 0.0 for each in before.structure}
        # Sets that are eased may be no group with heavier ones any more, which then stay as done.
        done = max((each.weight_kg or 0.0 for each in slot.last_done), default=0.0)
        for each in slot.sets:
            if each.set_type in WORKING_TYPES and each.set_index in whole:
                most = max(done, whole[each.set_index]) + LOAD_TOLERANCE.value
                assert (each.weight_kg or 0.0) <= most


def sessions(days: int, *routine_ids: str) -> FollowedProgramme:
    """Return a programme of these routines that began so many days ago."""
    programme = following(days)
    own = tuple(
        BlockDay(title=each, routine_id=each, exercises=programme.calendar.days[0].exercises)
        for each in routine_ids
    )
    calendar = programme.calendar.model_copy(update={"days": own})
    return programme.model_copy(update={"calendar": calendar})


def trained_on(*sessions_ago: tuple[str, int]) -> tuple[TrainedRoutine, ...]:
    """Return workouts of routines, so many days ago."""
    return tuple(
        TrainedRoutine(routine_id=routine, started_at=NOW - timedelta(days=days))
        for routine, days in sessions_ago
    )


@pytest.mark.parametrize(
    ("done", "due"),
    [
        ((), ("a", "b", "c")),
        ((("b", 20), ("old", 3)), ("a", "b", "c")),
        ((("a", 5), ("old", 4)), ("b", "c", "a")),
        ((("a", 5), ("c", 3)), ("a", "b", "c")),
    ],
)
def test_a_programme_decides_what_is_next(
    done: tuple[tuple[str, int], ...], due: tuple[str, ...]
) -> None:
    """After `program publish` the rotation of the old routines went on."""
    profile = AthleteProfile(id="me")
    programme = sessions(7, "a", "b", "c")
    assert due_sessions(programme, trained_on(*done), profile, NOW.date()) == due


def test_the_plan_is_of_the_session_that_is_due() -> None:
    found = week(2, known={"trained": trained_on(("old", 1))})
    assert found.plan.routine_id == ROUTINE


def test_it_decides_nothing_beside_an_order_or_out_of_its_weeks() -> None:
    profile = AthleteProfile(id="me")
    ordered = profile.model_copy(update={"routines": ("A", "B")})
    assert due_sessions(sessions(7, "a"), (), ordered, NOW.date()) == ()
    assert due_sessions(sessions(-2, "a"), (), profile, NOW.date()) == ()
    weekly = trained_on(*(("a", days) for days in range(70, 0, -7)))
    assert due_sessions(sessions(70, "a"), weekly, profile, NOW.date()) == ()
    assert due_sessions(None, (), profile, NOW.date()) == ()
