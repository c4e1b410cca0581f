"""What holds a workout back, shortens it, or leaves parts of it out: decided from plain values."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from coach_agent.check_ins import CheckIn
from coach_agent.coach import circumstances_of, decide
from coach_agent.context import Exposure, LiftTrend, RoutineContext, SlotContext
from coach_agent.decision import Decision
from coach_agent.pain import Pain
from coach_agent.plan import Plan
from coach_agent.profile import AthleteProfile
from coach_agent.progression.circumstances import (
    Circumstances,
    Return,
    has_rpe_drift,
    layoff_before,
    reactive_deload,
    readiness_of,
    return_after_break,
)
from coach_agent.progression.engine import EngineInput, settled
from coach_agent.progression.shape import history
from coach_agent.situation import first_of_latest
from tests.coach.builders import (
    BENCH,
    CURL,
    NOW,
    PULL_UP,
    Done,
    exposure,
    fixed,
    loads,
    profile,
    ranged,
    reps,
    routine,
    rules,
    situation,
    slot,
)

FIVES = fixed(3, 100, 5)
RANGE = ranged(3, 24, 8, 12)
FIVE: Done = (100.0, 5)
TODAY = NOW.date()
SQUAT = {**BENCH, "exercise_title": "Squat (Barbell)", "primary_muscle_group": "quadriceps"}
SQUAT["exercise_template_id"] = "D04AC939"
STALLED = LiftTrend(
    verdict="stalled", slope_pct=0.0, upper_pct=0.1, exposure_count=8, mean_reps=5.0
)


def bench(*done: Done, **other: object) -> SlotContext:
    return slot(BENCH, FIVES, [exposure(done or [FIVE] * 3, FIVES, days_ago=2)], **other)


def curl() -> SlotContext:
    return slot(CURL, RANGE, [exposure([(24, 12)] * 3, RANGE, days_ago=2)])


def check_in(**said: object) -> CheckIn:
    return CheckIn.model_validate({"checked_in_at": NOW, **said})


def decided(
    *slots: SlotContext,
    said: CheckIn | None = None,
    athlete: AthleteProfile | None = None,
    **other: object,
) -> Decision:
    known = {"check_ins": () if said is None else (said,), "latest_check_in": said, **other}
    decision = decide(situation([routine(*slots)], **known), athlete or profile())
    assert decision is not None
    return decision


def plan(*slots: SlotContext, **other: object) -> Plan:
    return decided(*slots, **other).plan  # type: ignore[arg-type]


class TestReadiness:
    def test_b9_normal_and_high_readiness_change_nothing(self) -> None:
        silent = decided(bench(), curl())
        for energy in (None, 3, 4, 5):
            said = check_in(energy=energy, minutes=None)
            assert decided(bench(), curl(), said=said) == silent
            assert decided(bench(), curl(), said=said).plan.to_json() == silent.plan.to_json()

    def test_b9_low_readiness_holds_with_a_set_less_and_a_lower_cap(self) -> None:
        felt = bench((100, 5, 8.0), (100, 5, 8.0), (100, 5, 8.0))
        (low,) = plan(felt, said=check_in(energy=2)).slots
        assert (loads(low), reps(low), low.rpe_cap) == ([100, 100], [5, 5], 7.5)
        (own,) = plan(
            felt,
            said=check_in(energy=2),
            athlete=profile(exercises={BENCH["exercise_title"]: {"rpe_cap": 7.0}}),
        ).slots
        assert own.rpe_cap == 7.0

    def test_b9_without_any_rpe_there_is_no_cap(self) -> None:
        (low,) = plan(bench(), said=check_in(energy=2)).slots
        assert (low.rpe_cap, "RPE" in low.reason) == (None, False)

    def test_b9_very_low_readiness_takes_a_tenth_off(self) -> None:
        (low,) = plan(bench(), said=check_in(energy=1)).slots
        assert (loads(low), low.is_easy) == ([90, 90], True)
        assert low.limits == ("readiness_very_low",)

    def test_b9_the_last_set_stays(self) -> None:
        one = slot(BENCH, fixed(1, 100, 5), [exposure([FIVE], fixed(1, 100, 5), days_ago=2)])
        assert loads(plan(one, said=check_in(soreness=5)).slots[0]) == [90]

    @pytest.mark.parametrize(
        ("score", "expected"),
        [(None, None), (1, "very_low"), (2, "low"), (3, None), (4, None), (5, None)],
    )
    def test_readiness_restrains_at_the_bottom_only(
        self, score: int | None, expected: str | None
    ) -> None:
        assert readiness_of(score) == expected


class TestDeload:
    def test_a11_the_calendar_decides_and_not_the_count_of_exposures(self) -> None:
        athlete = profile(block_start=date(2026, 1, 5))
        reasons = {
            day: plan(bench(), curl(), athlete=athlete, today=day).deload
            for day in (date(2026, 1, 12) + timedelta(days=n) for n in range(0, 36))
        }
        easy = [day for day, reason in reasons.items() if reason == "calendar"]
        assert (easy[0], easy[-1], len(easy)) == (date(2026, 2, 9), date(2026, 2, 15), 7)
        in_it = plan(bench(), curl(), athlete=athlete, today=date(2026, 2, 9))
        assert all(each.is_easy and len(each.sets) == 2 for each in in_it.slots)

    def test_half_the_sets_at_nine_tenths_with_the_fewest_reps(self) -> None:
        easy, curls = plan(bench(), curl(), said=check_in(deload=("all",))).slots
        assert (loads(easy), loads(curls), reps(curls)) == ([90, 90], [20, 20], [8, 8])
        assert easy.whole_sets == plan(bench()).slots[0].sets
        assert easy.direction == "down"

    def test_e11_one_exercise_is_easy_and_the_others_are_as_ever(self) -> None:
        said = check_in(deload=(BENCH["exercise_title"],))
        easy, other = plan(bench(), curl(), said=said).slots
        assert (loads(easy), easy.reason_codes[0]) == ([90, 90], "deload_asked")
        assert other == plan(bench(), curl()).slots[1]
        assert plan(bench(), curl(), said=said).deload is None

    def test_e7_what_was_easy_on_purpose_shows_nothing(self) -> None:
        done = exposure([FIVE] * 3, FIVES, days_ago=9)
        easy = exposure([(90, 5), (90, 5)], fixed(2, 90, 5), days_ago=2)
        after = slot(BENCH, FIVES, [easy.model_copy(update={"is_easy": True}), done])
        assert loads(plan(after).slots[0]) == [102.5] * 3

    def test_a_wave_is_held_back_too(self) -> None:
        """The second week of 70 kg is heavier than the first, and no reason to go up in pain."""
        athlete = profile(
            exercises={BENCH["exercise_title"]: {"model": "training_max", "training_max_kg": 100.0}}
        )
        week = [{"weight_kg": kg, "reps": 5} for kg in (65.0, 75.0, 85.0)]
        wave = slot(BENCH, week, [exposure([(65, 5), (75, 5), (85, 5)], week, days_ago=2)])
        assert loads(plan(wave, athlete=athlete).slots[0]) == [70, 80, 90]
        hurt = check_in(pain=(Pain(part="shoulder", level="moderate"),))
        assert loads(plan(wave, athlete=athlete, said=hurt).slots[0]) == [70, 80, 85]


class TestReactiveDeload:
    def test_two_stalled_lifts_are_enough(self) -> None:
        assert reactive_deload(TODAY, [], ["Bench", "Bench"], [], None) is None
        assert reactive_deload(TODAY, [], ["Bench", "Squat"], [], None) == "stalls"
        both = [bench(trend=STALLED), slot(SQUAT, FIVES, trend=STALLED)]
        assert plan(*both).deload == "stalls"
        assert plan(*both, athlete=profile(deload={"mode": "never"})).deload is None

    @pytest.mark.parametrize(
        ("rpes", "is_drift"),
        [
            ((9.0, 8.5, 8.0), True),
            ((8.5, 8.5, 8.0), False),
            ((9.0, None, 8.0), False),
            ((9.0, 8.0), False),
        ],
    )
    def test_the_same_work_that_feels_harder(
        self, rpes: Sequence[float | None], is_drift: bool
    ) -> None:
        past = [
            exposure([(100.0, 5, rpe)] * 3, FIVES, days_ago=2 + 3 * n) for n, rpe in enumerate(rpes)
        ]
        lift = slot(BENCH, FIVES, past)
        assert has_rpe_drift(lift) is is_drift
        assert (reactive_deload(TODAY, [lift], [], [], None) == "rpe_drift") is is_drift

    def test_other_loads_tell_nothing_of_effort(self) -> None:
        past = [
            exposure([(100.0 + n, 5, 9.5 - n)] * 3, FIVES, days_ago=2 + 3 * n) for n in range(3)
        ]
        assert not has_rpe_drift(slot(BENCH, FIVES, past))

    @pytest.mark.parametrize(
        ("scores", "reason"),
        [([2, 2, 2], "readiness"), ([1, 3, 2], "readiness"), ([1, 1], None), ([2, 2, 3], None)],
    )
    def test_feeling_tired_for_long(self, scores: list[int], reason: str | None) -> None:
        assert reactive_deload(TODAY, [], [], scores, None) == reason

    @pytest.mark.parametrize(
        ("days_ago", "reason"),
        [(0, "running"), (6, "running"), (7, None), (41, None), (42, "stalls")],
    )
    def test_it_lasts_a_week_and_does_not_return_within_a_block(
        self, days_ago: int, reason: str | None
    ) -> None:
        last = TODAY - timedelta(days=days_ago)
        assert reactive_deload(TODAY, [], ["Bench", "Squat"], [], last) == reason

    def test_the_latest_deload_begins_with_the_first_of_its_days(self) -> None:
        days = [date(2026, 3, day) for day in (20, 18, 14, 6)]
        assert first_of_latest(tuple(days)) == date(2026, 3, 14)
        assert first_of_latest(()) is None


class TestLayoff:
    @pytest.mark.parametrize(
        ("days", "expected"), [(0, None), (16, None), (17, "mid"), (41, "mid"), (42, "long")]
    )
    def test_its_length(self, days: int, expected: str | None) -> None:
        assert layoff_before(TODAY, [TODAY - timedelta(days=days)]) == expected
        assert layoff_before(TODAY, []) is None

    @pytest.mark.parametrize(
        ("gaps", "expected"),
        [
            ((20, 21), None),
            ((20, 3), "mid"),
            ((60, 50), "mid"),
            ((60, 20), "long"),
            ((20, 60), "mid"),
        ],
    )
    def test_one_like_the_break_before_counts_less(
        self, gaps: tuple[int, int], expected: str | None
    ) -> None:
        newest = TODAY - timedelta(days=gaps[0])
        assert layoff_before(TODAY, [newest, newest - timedelta(days=gaps[1])]) == expected

    @pytest.mark.parametrize(
        ("away", "expected"),
        [(14, [102.5] * 3), (20, [97.5] * 2), (60, [92.5] * 2)],
        ids=["up to 16 days", "up to 41", "more"],
    )
    def test_what_it_takes(self, away: int, expected: list[float]) -> None:
        later = TODAY + timedelta(days=away)
        assert loads(plan(bench(), today=later).slots[0]) == expected

    def test_the_day_is_the_athletes_own(self) -> None:
        """In Sydney it was the next day already: 16 days, and no break."""
        late = slot(BENCH, FIVES, [exposure([FIVE] * 3, FIVES)])  # 18:00 UTC
        later = TODAY + timedelta(days=17)
        at_home = profile(timezone="Australia/Sydney")
        assert loads(plan(late, today=later).slots[0]) == [97.5] * 2
        assert loads(plan(late, today=later, athlete=at_home).slots[0]) == [102.5] * 3

    def test_done_in_another_routine_is_done(self) -> None:
        elsewhere = bench(last_trained_at=NOW + timedelta(days=55))
        later = TODAY + timedelta(days=60)
        assert loads(plan(elsewhere, today=later).slots[0]) == [102.5] * 3

    @pytest.mark.parametrize("before", [100.0, 140.0, 200.0])
    def test_three_exposures_after_a_long_break_the_old_load_is_back(self, before: float) -> None:
        sets = fixed(3, before, 5)
        past = [exposure([(before, 5)] * 3, sets, days_ago=100)]
        today = TODAY - timedelta(days=30)
        for number in range(4):
            lift = slot(BENCH, sets, past)
            (prescribed,) = plan(lift, today=today + timedelta(days=3 * number)).slots
            load = loads(prescribed)[0]
            assert load is not None
            count = len(prescribed.sets)
            done = exposure([(load, 5)] * count, fixed(count, load, 5), days_ago=30 - 3 * number)
            past = [done, *past]
        assert load == before
        assert past[3].sets[0].weight_kg is not None
        assert past[3].sets[0].weight_kg <= before * 0.925

    def test_the_way_back_ends(self) -> None:
        past = [exposure([(90, 5)] * 3, FIVES, days_ago=day) for day in (2, 5, 8)]
        old = exposure([FIVE] * 3, FIVES, days_ago=60)

        def way(*exposures: Exposure) -> Return | None:
            given = settled("demo", routine(slot(BENCH, FIVES, exposures)), rules(BENCH))
            shaped = given.slots[0]
            return return_after_break(history(shaped, shaped.sets, shaped.blocks[0]).attempts)

        assert way(*past[2:], old) == Return(100, 3)
        assert way(*past, old) == Return(100, 1)
        assert way(exposure([(95, 5)] * 3, FIVES, days_ago=1), *past, old) is None

    def test_what_holds_an_ordinary_step_holds_the_way_back(self) -> None:
        old = exposure([(230, 5)] * 3, fixed(3, 230, 5), days_ago=60)

        def load_after(done: Done, planned: float, **rule: object) -> float | None:
            sets = fixed(3, planned, 5)
            lift = slot(BENCH, sets, [exposure([done] * 3, sets, days_ago=2), old])
            athlete = profile(exercises={BENCH["exercise_title"]: rule})
            return loads(plan(lift, athlete=athlete).slots[0])[0]

        assert load_after((200, 5), 200) == 210
        assert load_after((200, 5, 10.0), 200, rpe_cap=8) == 200
        assert load_after((200, 5), 200, min_exposures=3) == 200
        assert load_after((200, 5), 202.5) == 202.5

    def test_a_rare_lift_does_not_become_ever_weaker(self) -> None:
        past = [exposure([FIVE] * 3, FIVES, days_ago=day) for day in (20, 40, 60)]
        assert loads(plan(slot(BENCH, FIVES, past)).slots[0]) == [102.5] * 3


def test_to_the_body_alone_nothing_is_added_while_something_holds_it_back() -> None:
    dip = {**PULL_UP, "exercise_type": "bodyweight_weighted", "primary_muscle_group": "chest"}
    range_ = ranged(3, None, 6, 8)
    lift = slot(dip, range_, [exposure([(None, 8)] * 3, range_, days_ago=2)])
    (free,) = plan(lift).slots
    assert loads(free)[0] is not None
    hurt = check_in(pain=(Pain(part="chest", level="moderate"),))
    for said in (hurt, check_in(energy=2), check_in(energy=1), check_in(deload=("all",))):
        (held,) = plan(lift, said=said).slots
        assert set(loads(held)) == {None}
        assert all((count or 0) <= 8 for count in reps(held))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, [110] * 3),
        ({"pain": (Pain(part="chest", level="moderate"),)}, [100] * 3),
        ({"energy": 1}, [90] * 2),
        ({"deload": ("all",)}, [90] * 2),
    ],
    ids=["nothing", "pain", "very low", "deload"],
)
def test_a_new_target_is_held_to_what_was_lifted_last(
    said: dict[str, object], expected: list[float]
) -> None:
    """The athlete's own load stands, but not on such a day; the day after it stands again."""
    lift = slot(BENCH, fixed(3, 110, 8), [exposure([FIVE] * 3, FIVES, days_ago=2)])
    (held,) = plan(lift, said=check_in(**said)).slots
    assert loads(held) == expected
    assert [each.weight_kg for each in held.whole_sets or held.sets] == [110] * 3


def test_several_words_on_one_day_are_one_low_day() -> None:
    one_day = [
        CheckIn(checked_in_at=NOW - timedelta(minutes=10 * ago), energy=2) for ago in range(3)
    ]
    days = [CheckIn(checked_in_at=NOW - timedelta(days=ago), energy=2) for ago in range(3)]
    athlete = profile()
    for check_ins, deload in ((one_day, None), (days, "readiness")):
        given = situation([routine(bench())], check_ins=tuple(check_ins))
        decision = decide(given, athlete)
        assert decision is not None
        assert decision.plan.deload == deload


class TestPain:
    def test_e24_moderate_pain_blocks_increases_for_that_lift_alone(self) -> None:
        hurt = check_in(pain=(Pain(part="right shoulder", level="moderate"),))
        held, other = plan(bench(), curl(), said=hurt).slots
        assert (loads(held), held.direction) == ([100] * 3, "same")
        assert "right shoulder" in held.told[0]
        assert loads(other) == [26] * 3
        mild = check_in(pain=(Pain(part="right shoulder", level="mild"),))
        assert plan(bench(), curl(), said=mild) == plan(bench(), curl())

    def test_e24_a_repeated_goal_is_held_at_what_was_done(self) -> None:
        """After a miss the plan is the same again but for sets that would have had one more."""
        missed = slot(CURL, RANGE, [exposure([(24, 10), (24, 7), (24, 7)], RANGE, days_ago=2)])
        hurt = check_in(pain=(Pain(part="elbow", level="moderate"),))
        assert reps(plan(missed).slots[0]) == [11, 8, 8]
        assert reps(plan(missed, said=hurt).slots[0]) == [10, 8, 8]

    def test_severe_pain_drops_the_exercise_and_says_why(self) -> None:
        hurt = check_in(pain=(Pain(part="shoulder", level="severe"),))
        dropped, other = plan(bench(), curl(), said=hurt).slots
        assert (dropped.sets, dropped.reason_codes[0]) == ((), "pain_severe")
        assert "looked at" in dropped.told[0]
        assert dropped.whole_sets == plan(bench()).slots[0].sets
        assert other.sets

    def test_that_of_the_profile_counts_as_well(self) -> None:
        athlete = profile(pain={"Right Shoulder": "severe"})
        assert plan(bench(), curl(), athlete=athlete).slots[0].sets == ()

    def test_e24_what_the_profile_does_instead_is_offered(self) -> None:
        swap = {BENCH["exercise_title"]: ["Push Up", "Dip"], "Squat (Barbell)": ["Leg Press"]}
        athlete = profile(
            pain={"shoulder": "moderate"},
            preferences={"swap": swap},
            avoid=["Bicep Curl (Dumbbell)"],
        )
        held, other = plan(bench(), curl(), athlete=athlete).slots
        assert held.told[0].endswith("Instead: Push Up or Dip.")
        assert other.told[0] == "Left out: your profile avoids it."

    def test_what_is_avoided_is_left_out(self) -> None:
        athlete = profile(avoid=[BENCH["exercise_title"]])
        assert plan(bench(), curl(), athlete=athlete).slots[0].reason_codes[0] == "avoided"

    def test_a_routine_of_which_nothing_is_left_is_passed_over(self) -> None:
        press, arms = routine(bench(), title="Press"), routine(curl(), title="Arms", days_ago=1)
        athlete = profile(avoid=[BENCH["exercise_title"]], routines=["Press", "Arms"])
        decision = decide(situation([press, arms]), athlete)
        assert decision is not None
        assert decision.plan.routine_title == "Arms"

    def test_where_nothing_at_all_is_left_there_is_no_workout(self) -> None:
        athlete = profile(avoid=[BENCH["exercise_title"], CURL["exercise_title"]])
        both = [routine(bench(), title="Press"), routine(curl(), title="Arms")]
        assert decide(situation(both), athlete) is None


class TestTaper:
    def test_fewer_sets_and_the_load_stays(self) -> None:
        athlete = profile(goal={"date": TODAY + timedelta(days=10)})
        (tapered,) = plan(bench(), athlete=athlete).slots
        assert (loads(tapered), tapered.is_easy) == ([100, 100], False)
        assert tapered.reason_codes[0] == "taper"

    def test_no_deload_comes_on_top(self) -> None:
        athlete = profile(goal={"date": TODAY + timedelta(days=10)})
        both = [bench(trend=STALLED), slot(SQUAT, FIVES, trend=STALLED)]
        assert plan(*both, athlete=athlete).deload is None


class TestStall:
    @pytest.mark.parametrize(
        ("done", "expected"),
        [([FIVE] * 3, [100] * 3), ([(100, 5), (100, 5), (100, 4)], [100] * 3)],
    )
    def test_b10_it_never_forces_a_load_up(self, done: list[Done], expected: list[float]) -> None:
        (held,) = plan(bench(*done, trend=STALLED)).slots
        assert loads(held) == expected
        assert held.stall is not None
        assert held.stall.fix_type == "variation"

    def test_hard_sets_come_off_a_little_once(self) -> None:
        hard = STALLED.model_copy(update={"mean_rpe": 9.5})
        assert loads(plan(bench(trend=hard)).slots[0]) == [90] * 3  # 92 has no plates
        again = [exposure([(90, 5)] * 3, fixed(3, 90, 5), days_ago=2), *bench().exposures]
        eased = slot(BENCH, FIVES, again, trend=hard)
        assert loads(plan(eased).slots[0]) == [90] * 3


def test_e5_nothing_done_is_nothing_changed() -> None:
    skipped = exposure([], FIVES, skipped=[0, 1, 2])
    after = slot(BENCH, FIVES, [skipped, *bench().exposures])
    assert plan(after).slots[0].sets == plan(bench()).slots[0].sets


@pytest.mark.parametrize(
    "said", [check_in(energy=1), check_in(deload=("all",)), check_in(soreness=4)]
)
def test_e10_reps_never_leave_the_range_downwards(said: CheckIn) -> None:
    low = slot(CURL, RANGE, [exposure([(24, 8), (24, 8), (24, 6)], RANGE, days_ago=2)])
    assert all(8 <= (each or 0) <= 12 for each in reps(plan(low, said=said).slots[0]))


def test_the_body_alone_has_fewer_sets_and_reps_to_spare() -> None:
    sets = fixed(3, None, 8)
    pulls = slot(PULL_UP, sets, [exposure([(None, 8), (None, 7), (None, 6)], sets, days_ago=2)])
    (easy,) = plan(pulls, said=check_in(deload=("all",))).slots
    assert (reps(easy), loads(easy)) == ([4, 3], [None, None])
    assert easy.adjustments[0].text == (
        "Easy on purpose, as you asked: 4 repetitions fewer and 50 % fewer sets. "
        "Stop each set with 4 repetitions to spare."
    )


def test_the_strictest_counts_and_each_is_told() -> None:
    said = check_in(energy=1, deload=("all",))
    (easy,) = plan(bench(), said=said, today=TODAY + timedelta(days=20)).slots
    assert loads(easy) == [90, 90]
    assert [each.rule for each in easy.adjustments] == [
        "deload_asked",
        "readiness_very_low",
        "layoff_mid",
    ]


def test_a_check_in_and_the_profile_meet() -> None:
    found = circumstances_of(
        situation(
            [], latest_check_in=check_in(minutes=45, pain=(Pain(part="knee", level="mild"),))
        ),
        profile(session_minutes=60, pain={"elbow": "severe"}, avoid=["Dip"]),
    )
    assert (found.minutes, found.avoided_titles) == (45, ("Dip",))
    assert [pain.part for pain in found.pains] == ["knee", "elbow"]
    assert circumstances_of(situation([]), profile()) == Circumstances()


def test_c3_the_engine_knows_no_metric_that_is_for_show() -> None:
    """CTL, ATL, TSB, ACWR, monotony, strain and INOL cannot gate: nothing carries them."""
    shown = ("ctl", "atl", "tsb", "acwr", "monotony", "strain", "inol", "landmark", "dots")
    schema = str(sorted(_names(EngineInput.model_json_schema()))).lower()
    assert not [name for name in shown if f"'{name}" in schema or f"_{name}" in schema]


def _names(value: object) -> set[str]:
    """All keys of a JSON schema, at any depth."""
    if isinstance(value, dict):
        return set(value).union(*(_names(each) for each in value.values()))
    return set().union(*(_names(each) for each in value)) if isinstance(value, list) else set()


def test_a_deload_of_the_whole_workout_is_told_on_the_plan() -> None:
    assert plan(bench(), said=check_in(deload=("all",))).deload == "asked"
    assert plan(bench(), last_deload=TODAY - timedelta(days=3)).deload == "running"


def test_passing_over_goes_to_the_one_not_trained_for_longest() -> None:
    contexts: list[RoutineContext] = [
        routine(bench(), title="A", days_ago=9),
        routine(curl(), title="B", days_ago=2),
        routine(curl(), title="C", days_ago=5),
    ]
    athlete = profile(avoid=[BENCH["exercise_title"]], routines=["A", "B", "C"])
    trained_c_last = [contexts[0], contexts[1], routine(curl(), title="C", days_ago=1)]
    decision = decide(situation(trained_c_last), athlete)
    assert decision is not None
    assert decision.plan.routine_title == "B"
